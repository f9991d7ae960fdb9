//! The text of a snapshot: a title, the fingerprint, and a line `benchmark | metric | value` for each count, sorted, so that
//! git merges and shows changes line by line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use iai_callgrind_base::invocation::bench_command_line;
use iai_callgrind_base::numbers;
use iai_callgrind_plan::metric::Value;
use iai_callgrind_tools::fingerprint::Fingerprint;

use super::counts::{Counts, Key};
use super::error::SnapshotError;

/// The start of the first line, before the version.
const TITLE: &str = "# iai-callgrind counts ";

/// Version of the format.
const VERSION: u32 = 1;

/// The separator of columns.
const SEPARATOR: &str = " | ";

/// The starts of the lines that git adds around and between the sides of a conflict.
const CONFLICT: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// The lines of a snapshot.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lines {
    pub(super) fingerprint: Fingerprint,
    pub(super) counts: BTreeMap<Key, Value>,
}

impl Lines {
    /// Returns the lines for the counts of a run, and the snapshot's lines for benchmarks that did
    /// not run.
    pub(super) fn new(counts: &Counts, kept: Option<&Self>) -> Self {
        let mut lines = Self { fingerprint: counts.fingerprint.clone(), counts: BTreeMap::new() };
        if let Some(kept) = kept {
            lines.counts.extend(kept.others(counts).map(|(key, value)| (key.clone(), *value)));
        }
        lines.counts.extend(counts.values.iter().map(|(key, count)| (key.clone(), count.value)));
        lines
    }

    /// Returns the lines for benchmarks that did not run.
    pub(super) fn others<'a>(
        &'a self,
        counts: &'a Counts,
    ) -> impl Iterator<Item = (&'a Key, &'a Value)> {
        self.counts.iter().filter(|((name, _), _)| !counts.benchmarks.contains(name))
    }

    /// Returns an error unless the text is that of a snapshot of this version.
    pub(super) fn check_title(path: &Path, text: &str) -> Result<(), SnapshotError> {
        let first = text.lines().next().unwrap_or_default();
        let version = first.strip_prefix(TITLE).and_then(|rest| rest.split([',', ' ']).next());
        match version.and_then(|version| version.parse::<u32>().ok()) {
            Some(VERSION) => Ok(()),
            Some(found) => Err(SnapshotError::Version { path: path.to_owned(), found }),
            None => Err(SnapshotError::Foreign { path: path.to_owned() }),
        }
    }

    /// Parses the text after its title was checked.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, SnapshotError> {
        let mut lines = Self::default();
        for (number, line) in (1..).zip(text.lines()).skip(1) {
            let place = || (path.to_owned(), number);
            if CONFLICT.iter().any(|marker| line.starts_with(marker)) {
                let (path, line) = place();
                return Err(SnapshotError::Conflict { path, line });
            }
            let invalid = || {
                let (path, line) = place();
                SnapshotError::Line { path, line }
            };
            if let Some(header) = line.strip_prefix("# ") {
                let (name, value) = header.split_once(": ").ok_or_else(invalid)?;
                lines.fingerprint.insert(name, value);
            } else if !line.trim().is_empty() {
                let (key, value) = parse_count(line).ok_or_else(invalid)?;
                if lines.counts.insert(key, value).is_some() {
                    let (path, line) = place();
                    return Err(SnapshotError::Twice { path, line });
                }
            }
        }
        Ok(lines)
    }

    /// Returns the text of the file.
    pub(super) fn to_text(&self, file: &str) -> String {
        let accept = bench_command_line(file, "--snapshot=accept");
        let mut text = format!("{TITLE}{VERSION}, written by `{accept}`\n");
        for (name, value) in self.fingerprint.entries() {
            let one_line = |text: &str| text.replace(char::is_control, " ");
            let _ = writeln!(text, "# {}: {}", one_line(name), one_line(value));
        }
        for ((benchmark, metric), value) in &self.counts {
            let _ = writeln!(text, "{benchmark}{SEPARATOR}{metric}{SEPARATOR}{}", number(*value));
        }
        text
    }
}

fn parse_count(line: &str) -> Option<(Key, Value)> {
    // A name can contain the separator
    let mut columns = line.rsplitn(3, SEPARATOR);
    let (value, metric, benchmark) = (columns.next()?, columns.next()?, columns.next()?);
    let digits: String = value.trim().chars().filter(|character| *character != ',').collect();
    let count = digits.parse().map(Value::Count).ok();
    let rate = || digits.parse().ok().filter(|rate: &f64| rate.is_finite()).map(Value::Rate);
    let value = count.or_else(rate)?;
    let key = (benchmark.to_owned(), metric.to_owned());
    (!benchmark.is_empty() && !metric.is_empty()).then_some((key, value))
}

/// Writes a count with separators of thousands, and a rate with all necessary digits.
fn number(value: Value) -> String {
    match value {
        Value::Count(count) => numbers::grouped(count),
        Value::Rate(rate) => format!("{rate:?}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::counts::CheckedCount;
    use super::*;

    fn sample() -> Counts {
        let mut fingerprint = Fingerprint::default();
        fingerprint.insert("compiler", "rustc 1.95.0");
        let count = |benchmark: &str, metric: &str, value| {
            let key = (benchmark.to_owned(), metric.to_owned());
            (key, CheckedCount { value, limit: 0.0 })
        };
        Counts {
            values: [
                count("file::group::f::long", "Instructions", Value::Count(26_214_734)),
                count("file::group::f::short", "Instructions", Value::Count(999)),
                count("file::group::f::short", "hits", Value::Rate(0.1)),
            ]
            .into(),
            benchmarks: BTreeSet::from(
                ["file::group::f::short", "file::group::f::long"].map(String::from),
            ),
            fingerprint,
        }
    }

    const TEXT: &str = "\
# iai-callgrind counts 1, written by `cargo bench --bench file -- --snapshot=accept`
# compiler: rustc 1.95.0
file::group::f::long | Instructions | 26,214,734
file::group::f::short | Instructions | 999
file::group::f::short | hits | 0.1
";

    fn parse(text: &str) -> Result<Lines, String> {
        let path = Path::new("f.counts");
        Lines::check_title(path, text)
            .and_then(|()| Lines::parse(path, text))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let lines = Lines::new(&sample(), None);
        assert_eq!(lines.to_text("file"), TEXT);
        assert_eq!(parse(TEXT).unwrap(), lines);
        assert_eq!(parse(&TEXT.replace('\n', "\r\n")).unwrap().counts, lines.counts);
    }

    #[test]
    fn benchmarks_that_did_not_run_keep_their_lines() {
        let mut counts = sample();
        counts
            .values
            .retain(|(benchmark, metric), _| benchmark.ends_with("short") && metric != "hits");
        counts.benchmarks.retain(|benchmark| benchmark.ends_with("short"));
        let kept = parse(TEXT).unwrap();
        let expected = TEXT.replace("file::group::f::short | hits | 0.1\n", "");
        assert_eq!(Lines::new(&counts, Some(&kept)).to_text("file"), expected);
    }

    #[test]
    fn any_name_that_is_written_is_read() {
        for name in ["x".repeat(10_000), "file::a | b::c".to_owned(), "file:: # a: b".to_owned()] {
            let mut lines = Lines::default();
            lines.counts.insert((name.clone(), "Instructions".to_owned()), Value::Count(1234));
            let read = parse(&lines.to_text("file")).unwrap();
            assert_eq!(read.counts, lines.counts, "{name}");
        }
    }

    #[test]
    fn other_texts_are_errors_with_their_lines() {
        let with = |line: &str| parse(&format!("{TEXT}{line}\n")).unwrap_err();
        for marker in ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> branch"] {
            assert!(with(marker).starts_with("f.counts:6: a merge conflict"), "{marker}");
        }
        let twice = "file::group::f::long | Instructions | 3";
        assert!(with(twice).starts_with("f.counts:6: a second line"), "{}", with(twice));
        for wrong in ["x", "a | b", "a | b | c", " | b | 1", "a |  | 1", "a | b | inf", "# x"] {
            assert!(with(wrong).starts_with("f.counts:6: not a count"), "{wrong}");
        }
        assert!(parse("").unwrap_err().starts_with("f.counts is not a file of counts"));
        assert!(parse(&TEXT.replace("counts 1", "counts 2")).unwrap_err().contains("version 2"));
    }
}
