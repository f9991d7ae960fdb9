//! The results of the end-to-end tests by suite, read from libtest's output.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;

/// The text between the name of a test and its result.
const RESULT: &str = " ... ";

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Passed,
    Skipped(String),
    Failed,
}

/// The tests that have run.
#[derive(Debug, Default)]
pub(crate) struct Suites {
    /// The reasons of tests that have said that they are skipped.
    reasons: BTreeMap<String, String>,
    verdicts: BTreeMap<String, Verdict>,
    /// The start of a line whose end comes after a report of another test.
    unfinished: String,
    /// True after the results, where the output of failed tests comes.
    in_failures: bool,
    /// True if the line belongs to the output of a test that is shown.
    is_shown: bool,
    /// True after libtest's last line.
    is_complete: bool,
}

impl Suites {
    /// Takes a line of output. Returns the text that is shown in its place.
    pub(crate) fn line(&mut self, line: &str) -> Option<String> {
        if line.starts_with("test result: ") {
            self.is_complete = true;
            return None;
        }
        if line == "failures:" {
            (self.in_failures, self.is_shown) = (true, false);
            return None;
        }
        if self.in_failures {
            let header =
                line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----"));
            if let Some(name) = header {
                self.is_shown = self.verdicts.get(name) == Some(&Verdict::Failed);
            }
            return self.is_shown.then(|| line.to_owned());
        }
        // Another test can report that it is skipped between a name and its result
        let (start, report) = match line.split_once("skipped ") {
            Some((start, report)) if start.is_empty() || start.ends_with(RESULT) => {
                (start, Some(report))
            }
            _ => (line, None),
        };
        if let Some((name, reason)) = report.and_then(|report| report.split_once(": ")) {
            self.reasons.insert(name.to_owned(), reason.to_owned());
            if !start.is_empty() {
                start.clone_into(&mut self.unfinished);
            }
            return None;
        }
        let line = mem::take(&mut self.unfinished) + line;
        let result = line.strip_prefix("test ").and_then(|line| line.split_once(RESULT));
        let Some((name, result)) = result else { return Some(line) };
        let verdict = match (result, self.reasons.get(name)) {
            ("ok" | "FAILED", Some(reason)) => Verdict::Skipped(reason.clone()),
            ("ok", None) => Verdict::Passed,
            _ if result.starts_with("ignored") => return None,
            _ => Verdict::Failed,
        };
        let shown = format!("test {name}{RESULT}{verdict}");
        self.verdicts.insert(name.to_owned(), verdict);
        Some(shown)
    }

    /// Returns the number of tests that have run.
    pub(crate) fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Returns true if all tests have run.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the names of failed tests.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &str> {
        let failed = self.verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::Failed);
        failed.map(|(name, _)| &**name)
    }

    /// Returns the number of passed, skipped and failed tests of each suite.
    fn counts(&self) -> BTreeMap<&str, [usize; 3]> {
        let mut counts: BTreeMap<_, [usize; 3]> = BTreeMap::new();
        for (name, verdict) in &self.verdicts {
            let suite = name.split("::").next().unwrap_or(name);
            let column = match verdict {
                Verdict::Passed => 0,
                Verdict::Skipped(_) => 1,
                Verdict::Failed => 2,
            };
            counts.entry(suite).or_default()[column] += 1;
        }
        counts
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("ok"),
            Self::Skipped(reason) => write!(f, "skipped: {reason}"),
            Self::Failed => f.write_str("FAILED"),
        }
    }
}

impl fmt::Display for Suites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24}{:>7}{:>8}{:>7}", "suite", "passed", "skipped", "failed")?;
        let counts = self.counts();
        let all = counts
            .values()
            .fold([0; 3], |all, row| [0, 1, 2].map(|column| all[column] + row[column]));
        for (suite, [passed, skipped, failed]) in counts.into_iter().chain([("all", all)]) {
            writeln!(f, "{suite:<24}{passed:>7}{skipped:>8}{failed:>7}")?;
        }
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, verdict) in &self.verdicts {
            if let Verdict::Skipped(reason) = verdict {
                names.entry(reason).or_default().push(name);
            }
        }
        for (reason, names) in names {
            writeln!(f, "\nskipped: {reason}")?;
            names.iter().try_for_each(|name| writeln!(f, "    {name}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 5 tests
test a::passes ... ok
skipped a::skips: no cargo
test a::skips ... FAILED
test b::fails ... skipped b::returns: no rights: none
FAILED
test b::returns ... ok
test b::long ... ignored, long

failures:

---- a::skips stdout ----
not shown

---- b::fails stdout ----
shown

failures:
    a::skips
    b::fails

test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s
";

    #[test]
    fn tests_that_did_not_run_are_skipped() {
        let mut suites = Suites::default();
        let shown: Vec<_> = OUTPUT.lines().filter_map(|line| suites.line(line)).collect();
        let expected = "
running 5 tests
test a::passes ... ok
test a::skips ... skipped: no cargo
test b::fails ... FAILED
test b::returns ... skipped: no rights: none

---- b::fails stdout ----
shown

";
        assert_eq!(shown.join("\n") + "\n", expected);
        assert_eq!(suites.failed().collect::<Vec<_>>(), ["b::fails"]);
        assert!(suites.is_complete());
        let expected = "\
suite                    passed skipped failed
a                             1       1      0
b                             0       1      1
all                           1       2      1

skipped: no cargo
    a::skips

skipped: no rights: none
    b::returns
";
        assert_eq!(suites.to_string(), expected);
    }

    #[test]
    fn output_without_its_end_is_incomplete() {
        let mut suites = Suites::default();
        assert_eq!(suites.line("test a::b ... ok"), Some("test a::b ... ok".to_owned()));
        assert!(!suites.is_complete());
    }
}
