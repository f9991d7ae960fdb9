//! Tables of groups whose functions have the same inputs, as text.

use iai_callgrind_base::console::style::{BETTER, FAINT};
use iai_callgrind_base::text_width;
use iai_callgrind_results::BenchmarkResult;

use crate::group::{GroupCell, GroupMember, GroupRow, GroupTable, tables};

/// The mark before the best value of an input.
const BEST: &str = "*";

/// Number of spaces between columns.
const GAP: usize = 2;

/// Number of columns before a line of a section.
const INDENT: usize = 4;

/// The benchmarks of groups.
#[derive(Debug, Default)]
pub(super) struct GroupTables {
    members: Vec<GroupMember>,
}

impl GroupTables {
    /// Adds the result of a benchmark, if it is in such a group.
    pub(super) fn add(&mut self, result: &BenchmarkResult<'_>) {
        let benchmark = result.benchmark;
        let Some((function, input)) = benchmark.function_and_input() else { return };
        let first = result.tools.iter().find_map(|tool| {
            let mut shown = tool.new.total.shown_lines(&tool.options.metrics);
            shown.next()
        });
        self.members.extend(first.map(|(kind, value)| GroupMember {
            group: (String::new(), format!("{}::{}", benchmark.file, benchmark.group_name)),
            function: function.to_owned(),
            input: input.to_owned(),
            size: benchmark.curve.as_ref().map(|place| place.size),
            is_foreign: benchmark.external_id.is_some(),
            metric: kind.label().to_owned(),
            value,
            is_better_if_higher: kind.is_better_if_higher(),
        }));
    }

    /// Returns the titles of the tables with their lines, which fit a terminal of this width if they can.
    pub(super) fn entries(self, width: Option<usize>) -> Vec<(String, Vec<String>)> {
        let entry = |table: GroupTable| (table.title(), lines(&table, width));
        tables(self.members).into_iter().map(entry).collect()
    }
}

/// Returns the lines of a table. One that is too wide has a line for each value.
fn lines(table: &GroupTable, width: Option<usize>) -> Vec<String> {
    let (columns, rows) = table.rows();
    let text = |cell: &Option<GroupCell>| match cell {
        Some(GroupCell { text, is_best: true, .. }) => format!("{BEST}{text}"),
        Some(GroupCell { text, .. }) => text.clone(),
        None => String::new(),
    };
    let names = rows.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0);
    let mut widths: Vec<_> = columns.iter().map(|name| text_width(name)).collect();
    for (_, cells) in &rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(text_width(&text(cell)));
        }
    }
    let padded = |cell: &Option<GroupCell>, width: usize| {
        let is_best = cell.as_ref().is_some_and(|cell| cell.is_best);
        let text = text(cell);
        let space = " ".repeat(width.saturating_sub(text_width(&text)));
        if is_best { format!("{space}{BETTER}{text}{BETTER:#}") } else { space + &text }
    };
    let all = INDENT + names + widths.iter().map(|width| width + GAP).sum::<usize>();
    if width.is_some_and(|width| all > width) {
        let longest = columns.iter().map(|name| text_width(name)).max().unwrap_or(0);
        let row = |(name, cells): &GroupRow<'_>| {
            let values = cells.iter().zip(&columns).zip(&widths);
            let values = values.map(|((cell, column), width)| {
                let space = " ".repeat(longest - text_width(column));
                format!("  {column}{space}  {}", padded(cell, *width))
            });
            std::iter::once((*name).to_owned()).chain(values).collect::<Vec<_>>()
        };
        return rows.iter().flat_map(row).collect();
    }
    let heading = columns.iter().zip(&widths);
    let heading = heading.map(|(name, width)| {
        format!("  {}{name}", " ".repeat(width.saturating_sub(text_width(name))))
    });
    let heading = format!("{FAINT}{}{}{FAINT:#}", " ".repeat(names), heading.collect::<String>());
    let row = |(name, cells): &GroupRow<'_>| {
        let cells =
            cells.iter().zip(&widths).map(|(cell, width)| format!("  {}", padded(cell, *width)));
        let space = " ".repeat(names - text_width(name));
        format!("{name}{space}{}", cells.collect::<String>())
    };
    std::iter::once(heading).chain(rows.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tests::member;

    fn plain(width: Option<usize>) -> Vec<String> {
        let members = vec![
            member("insertion", 16, 547),
            member("insertion", 128, 28_883),
            member("standard", 16, 627),
            member("standard", 128, 8029),
        ];
        let entries = GroupTables { members }.entries(width);
        let [(title, lines)] = &*entries else { panic!("{entries:?}") };
        assert_eq!(title, "file::sorts: Instructions of each function and input");
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn the_best_function_has_a_star() {
        let lines =
            ["     insertion  standard", "16        *547       627", "128     28,883    *8,029"];
        assert_eq!(plain(Some(80)), lines);
        assert_eq!(plain(None), lines);
    }

    #[test]
    fn a_table_that_is_too_wide_has_a_line_for_each_value() {
        let lines = plain(Some(24));
        assert_eq!(lines[..3], ["16", "  insertion       *547", "  standard        627"]);
    }
}
