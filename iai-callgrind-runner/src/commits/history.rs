//! `history`: the counts of commits, recorded or measured.

use std::collections::BTreeSet;
use std::io::{self, Write};

use iai_callgrind_base::console::style::PATH;
use iai_callgrind_base::{FileError, Natural, console, last_column, numbers};
use iai_callgrind_cli::HistoryArgs;
use iai_callgrind_compare::Change;
use iai_callgrind_history::{Selection, missing, record_commit, show};
use iai_callgrind_plan::metric::{MetricKind, Value};
use iai_callgrind_process::watch;
use iai_callgrind_revisions::{ListedCommit, ends_of_range};

use super::measured::{Commits, Counts, find_metric, repository};
use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::current_directory;

/// A commit with its counts, if it could be measured.
type Row = (ListedCommit, Option<Counts>);

/// Prints the recorded counts of commits. With a benchmark file, measures the commits and prints
/// their counts.
pub(super) fn run(options: &HistoryArgs) -> Result<CommandOutcome> {
    let (range, filters) = (options.range(), options.filters());
    let Some(file) = options.file()? else {
        let metric = find_metric(&options.commits.metric)?;
        let selection = Selection { range, filters: &filters };
        show(&selection, metric, options.json)?;
        return Ok(CommandOutcome::Success);
    };
    // SAFETY: no other thread runs yet.
    let _watch = unsafe { watch() }?;
    let range = range.unwrap_or_default();
    let (first, last) = ends_of_range(range)?;
    let commits = Commits::new(repository()?, &options.commits, &file, &filters)?;
    if options.record {
        return record(&commits, range, &filters);
    }
    let repository = &commits.revisions.repository;
    let (first, last) = (repository.resolve(first)?, repository.resolve(last)?);
    let all = [repository.listed(&first)?].into_iter().chain(repository.list(&first, &last)?);
    let measure = |listed: ListedCommit| {
        let measured = commits.measure(&listed.commit)?;
        Ok((listed, measured.map(|measured| measured.counts)))
    };
    let rows = all.map(measure).collect::<Result<Vec<Row>>>()?;
    let counts = rows.iter().filter_map(|(_, counts)| counts.as_ref());
    let names: BTreeSet<_> = counts.flat_map(Counts::keys).map(Natural).collect();
    let mut output = console::stdout();
    let width = console::stdout_width();
    let print =
        |Natural(name): &Natural<&String>| write(&mut output, name, commits.metric, &rows, width);
    FileError::of_output(names.iter().try_for_each(print))?;
    Ok(CommandOutcome::Success)
}

/// Measures and records the commits of a range that have no recorded results, and prints the recorded counts.
fn record(commits: &Commits, range: &str, filters: &[String]) -> Result<CommandOutcome> {
    let directory = current_directory()?;
    for listed in missing(&directory, range, |package, name| commits.select(package, name))? {
        if let Some(measured) = commits.measure(&listed.commit)? {
            let benchmarks = commits.benchmarks()?;
            record_commit(&directory, &listed.commit, &measured.slot, &benchmarks)?;
        }
    }
    show(&Selection { range: Some(range), filters }, (commits.tool, commits.metric), false)?;
    Ok(CommandOutcome::Success)
}

/// Writes the counts of a benchmark, each with its change from the one before, for a terminal that can have a width.
fn write(
    output: &mut impl Write,
    name: &str,
    metric: MetricKind,
    rows: &[Row],
    terminal: Option<usize>,
) -> io::Result<()> {
    writeln!(output, "{PATH}{name}{PATH:#} ({})", metric.label())?;
    let mut last: Option<Value> = None;
    let cell = |(_, counts): &Row| {
        let Some(counts) = counts else { return ("not measured".to_owned(), String::new()) };
        let Some(value) = counts.get(name).copied() else {
            return ("N/A".to_owned(), String::new());
        };
        let change = Change::between(Some(value), last.replace(value));
        let is_shown = !matches!(change, Change::Unknown | Change::Equal);
        let change = if is_shown { format!("({})", change.column_text()) } else { String::new() };
        (numbers::value(value), change)
    };
    let cells: Vec<_> = rows.iter().map(cell).collect();
    let width = |part: fn(&(String, String)) -> &String| {
        cells.iter().map(|cell| part(cell).len()).max().unwrap_or(0)
    };
    let (values, changes) = (width(|cell| &cell.0), width(|cell| &cell.1));
    for ((ListedCommit { commit, date, subject }, _), (value, change)) in rows.iter().zip(&cells) {
        let id = commit.short();
        let before = id.len() + date.len() + values + changes + 5 * 2;
        let subject = last_column(subject, before, terminal);
        writeln!(output, "  {id}  {date}  {value:>values$}  {change:<changes$}  {subject}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_revisions::Commit;

    use super::*;

    #[test]
    fn each_count_is_compared_with_the_one_before() {
        let row = |digit: &str, count: Option<Option<u64>>| {
            let commit = Commit::new(digit.repeat(40), "");
            let listed = ListedCommit {
                commit,
                date: "2026-11-22".to_owned(),
                subject: "a long subject".to_owned(),
            };
            let counts = |count: Option<u64>| {
                count.map(|count| ("a::b".to_owned(), Value::Count(count))).into_iter().collect()
            };
            (listed, count.map(counts))
        };
        let rows = [
            row("1", Some(Some(100))),
            row("2", None),
            row("3", Some(None)),
            row("4", Some(Some(100))),
            row("5", Some(Some(150_000))),
        ];
        let mut output = Vec::new();
        let mut plain = anstream::StripStream::new(&mut output);
        write(&mut plain, "a::b", MetricKind::Ir, &rows, Some(64)).unwrap();
        let expected = "\
a::b (Instructions)
  111111111111  2026-11-22           100            a long subj…
  222222222222  2026-11-22  not measured            a long subj…
  333333333333  2026-11-22           N/A            a long subj…
  444444444444  2026-11-22           100            a long subj…
  555555555555  2026-11-22       150,000  (1,500x)  a long subj…
";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }
}
