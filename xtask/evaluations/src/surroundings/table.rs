//! The tables of the benchmarks whose counts differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::histories::record::{Differs, Pair};
use crate::histories::subject::Units;
use crate::surroundings::build::Linker;
use crate::surroundings::difference::Difference;
use crate::surroundings::run::Results;

/// The results of all builds with a linker.
pub(crate) struct Column {
    pub(crate) units: Units,
    pub(crate) linker: Linker,
    /// The first one is that without a difference.
    pub(crate) results: Vec<(Difference, Results)>,
}

/// Returns a table for each number of codegen units, and a list of all benchmarks that differ.
pub(crate) fn tables(columns: &[Column]) -> String {
    let mut text = String::new();
    for units in Units::ALL {
        let columns: Vec<_> = columns.iter().filter(|column| column.units == units).collect();
        let Some((_, first)) = columns.first().and_then(|column| column.results.first()) else {
            continue;
        };
        let mut line = |line: &str| writeln!(text, "{line}").expect("a string takes all");
        line(&format!(
            "Codegen units: {}. Of {} benchmarks, those with other instructions, reads or writes, and those of which only \
             caches differ:\n",
            units.text(),
            first.len()
        ));
        let linkers: Vec<_> = columns.iter().map(|column| column.linker.text()).collect();
        line(&format!("| Difference | {} |", linkers.join(" | ")));
        line(&format!("| --- |{}", " ---: |".repeat(columns.len())));
        for (row, difference) in Difference::ALL.into_iter().enumerate().skip(1) {
            let cells: Vec<_> = columns.iter().map(|column| cell(column, row)).collect();
            line(&format!("| {} | {} |", difference.text(), cells.join(" | ")));
        }
        line("");
    }
    for column in columns {
        list(&mut text, column);
    }
    text
}

/// Returns the pairs of benchmarks of the first build and the one of a row that differ.
fn differing(column: &Column, row: usize) -> BTreeMap<&str, (Differs, Pair)> {
    let (first, other) = (&column.results[0].1, &column.results[row].1);
    let pairs = first.iter().filter_map(|(name, old)| {
        let pair = Pair { old: old.clone(), new: other.get(name)?.clone(), ..Pair::default() };
        let differs = pair.differs();
        (differs != Differs::Nothing).then_some((&**name, (differs, pair)))
    });
    pairs.collect()
}

fn cell(column: &Column, row: usize) -> String {
    let pairs = differing(column, row);
    let caches = pairs.values().filter(|(differs, _)| *differs == Differs::Caches).count();
    format!("{} and {caches}", pairs.len() - caches)
}

fn list(text: &mut String, column: &Column) {
    for (row, (difference, _)) in column.results.iter().enumerate().skip(1) {
        for (name, (_, pair)) in differing(column, row) {
            let changes = pair.old.iter().filter_map(|(label, old)| {
                let new = pair.new.get(label)?;
                (old != new).then(|| format!("{label} {old} -> {new}"))
            });
            let changes = changes.collect::<Vec<_>>().join(", ");
            let (units, linker) = (column.units, column.linker.text());
            writeln!(text, "- {units}, {linker}, {}: {name}: {changes}", difference.text())
                .expect("a string takes all");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histories::record::Counts;

    #[test]
    fn a_cell_counts_instructions_and_caches() {
        let results = |counts: [[u64; 2]; 3]| -> Results {
            let labelled = |[instructions, hits]: [u64; 2]| {
                Counts::from([
                    ("Instructions".to_owned(), instructions),
                    ("L1 Hits".to_owned(), hits),
                ])
            };
            ["a", "b", "c"].map(str::to_owned).into_iter().zip(counts.map(labelled)).collect()
        };
        let first = results([[10, 20], [10, 20], [10, 20]]);
        let other = results([[10, 20], [10, 19], [11, 21]]);
        let results = vec![(Difference::Nothing, first), (Difference::Version, other)];
        let column = Column { units: Units::One, linker: Linker::Lld, results };
        assert_eq!(cell(&column, 1), "1 and 1");
        assert_eq!(cell(&column, 0), "0 and 0");
    }
}
