//! The differences of a run from its snapshot, on the standard error: the standard output has the results.

use std::fmt::{self, Write as _};
use std::path::Path;

use iai_callgrind_base::console::style::PATH;
use iai_callgrind_base::invocation::bench_command_line;
use iai_callgrind_base::{console::one_line, note::counted, numbers};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::Value;
use iai_callgrind_results::snapshot::{CheckedCount, Difference, Differences};
use iai_callgrind_tools::fingerprint::changes_text;

/// Maximum number of characters of a name. Anyone can have written the names in the file.
const LONGEST_NAME: usize = 200;

/// Maximum number of differences to print.
const SHOWN: usize = 100;

/// A snapshot after a run.
pub enum SnapshotReport<'a> {
    /// There was no snapshot to compare with.
    Missing,
    /// The counts were compared.
    Compared(&'a Differences),
    /// The counts of the run were written.
    Accepted,
    /// Benchmarks failed, so that nothing was written.
    Refused,
}

/// Prints the report on the snapshot of a benchmark file at this path.
pub fn print_snapshot(path: &Path, file: &str, report: &SnapshotReport<'_>) {
    iai_callgrind_base::note::print(&text(path, file, report));
}

fn text(path: &Path, file: &str, report: &SnapshotReport<'_>) -> String {
    let path = path.display();
    let accept = bench_command_line(file, "--snapshot=accept");
    match report {
        SnapshotReport::Missing => {
            format!("no snapshot {path}\nhelp: write it with `{accept}`, and commit it\n")
        }
        SnapshotReport::Accepted => format!("wrote the snapshot {path}\n"),
        SnapshotReport::Refused => {
            format!("note: the snapshot {path} stays as it is: not all benchmarks succeeded\n")
        }
        SnapshotReport::Compared(differences) => {
            let mut text = format!("snapshot {path}:\n");
            // A write to a string can't fail
            let _ = write_differences(&mut text, differences);
            if !differences.beyond.is_empty() {
                let is_same = differences.surroundings.is_empty();
                let other =
                    if is_same { "" } else { "compare in the surroundings of the file, or " };
                let _ = writeln!(text, "help: {other}accept the differences with `{accept}`");
            }
            text
        }
    }
}

fn write_differences(text: &mut String, differences: &Differences) -> fmt::Result {
    let Differences { surroundings, beyond, within, compared } = differences;
    if !surroundings.is_empty() {
        writeln!(text, "  the surroundings differ: {}", changes_text(surroundings))?;
    }
    let mut previous = None;
    for difference in beyond.iter().take(SHOWN) {
        if previous.replace(&difference.benchmark) != Some(&difference.benchmark) {
            writeln!(text, "  {PATH}{}{PATH:#}", name(&difference.benchmark))?;
        }
        writeln!(text, "    {}: {}", name(&difference.metric), change(difference))?;
    }
    if let Some(more) = beyond.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(text, "  and {more} more")?;
    }
    let counts = counted(*compared, "count");
    match (beyond.len(), within) {
        (0, 0) => writeln!(text, "  {counts}, no difference"),
        (beyond, 0) => writeln!(text, "  {counts}, {beyond} beyond the limits"),
        (beyond, within) => {
            writeln!(text, "  {counts}, {beyond} beyond the limits, {within} within")
        }
    }
}

/// Describes a difference: `1,734 → 1,244 (-28.3 %), limit +5 %`.
fn change(difference: &Difference) -> String {
    match (difference.new, difference.old) {
        (Some(CheckedCount { value, limit }), Some(old)) => {
            let change = Change::between(Some(value), Some(old)).short_text();
            let has_limit = limit != 0.0;
            let limit = has_limit.then(|| format!(", limit {}", numbers::percent(limit)));
            format!("{} → {} ({change}){}", number(old), number(value), limit.unwrap_or_default())
        }
        (Some(new), None) => format!("{}, not in the snapshot", number(new.value)),
        (None, Some(old)) => format!("{} in the snapshot only", number(old)),
        (None, None) => String::new(),
    }
}

fn number(value: Value) -> String {
    match value {
        Value::Count(count) => numbers::grouped(count),
        Value::Rate(_) => value.to_string(),
    }
}

/// Returns a name on one line and not too long.
fn name(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iai_callgrind_tools::fingerprint::FingerprintChange;

    fn difference(benchmark: &str, old: Option<u64>, new: Option<u64>, limit: f64) -> Difference {
        Difference {
            benchmark: benchmark.to_owned(),
            metric: "Instructions".to_owned(),
            old: old.map(Value::Count),
            new: new.map(|count| CheckedCount { value: Value::Count(count), limit }),
        }
    }

    fn plain(report: &SnapshotReport<'_>) -> String {
        anstream::adapter::strip_str(&text(Path::new("f.counts"), "f", report)).to_string()
    }

    #[test]
    fn surroundings_come_before_all_numbers() {
        let name = |text: &str| text.to_owned();
        let differences = Differences {
            surroundings: vec![FingerprintChange {
                name: name("compiler"),
                old: name("1"),
                new: name("2"),
            }],
            beyond: vec![
                difference("f::g::a", Some(1000), Some(1500), 5.0),
                difference("f::g::b", None, Some(7), 0.0),
                difference("f::g::c", Some(7), None, 0.0),
            ],
            within: 1,
            compared: 4,
        };
        let expected = "\
snapshot f.counts:
  the surroundings differ: compiler (1 → 2)
  f::g::a
    Instructions: 1,000 → 1,500 (+50 %), limit +5 %
  f::g::b
    Instructions: 7, not in the snapshot
  f::g::c
    Instructions: 7 in the snapshot only
  4 counts, 3 beyond the limits, 1 within
help: compare in the surroundings of the file, or accept the differences with `cargo bench --bench f -- --snapshot=accept`
";
        assert_eq!(plain(&SnapshotReport::Compared(&differences)), expected);
        let equal = Differences { compared: 1, ..Differences::default() };
        let expected = "snapshot f.counts:\n  1 count, no difference\n";
        assert_eq!(plain(&SnapshotReport::Compared(&equal)), expected);
    }

    #[test]
    fn names_of_a_foreign_file_are_short_and_visible() {
        let beyond = vec![difference(&"x\u{1b}".repeat(1000), Some(1), None, 0.0); SHOWN + 5];
        let differences = Differences { beyond, ..Differences::default() };
        let text = plain(&SnapshotReport::Compared(&differences));
        assert!(text.contains("x\\u{1b}x") && text.contains("...\n"), "{text}");
        assert!(text.contains("\n  and 5 more\n") && text.len() < 10_000, "{}", text.len());
    }
}
