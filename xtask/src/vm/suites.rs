//! The results of the end-to-end tests by suite, read from libtest's output.

use std::collections::BTreeMap;
use std::fmt;

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
        if let Some((name, reason)) =
            line.strip_prefix("skipped ").and_then(|line| line.split_once(": "))
        {
            self.reasons.insert(name.to_owned(), reason.to_owned());
            return None;
        }
        let result = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "));
        let Some((name, result)) = result else { return Some(line.to_owned()) };
        let verdict = match (result, self.reasons.get(name)) {
            ("ok" | "FAILED", Some(reason)) => Verdict::Skipped(reason.clone()),
            ("ok", None) => Verdict::Passed,
            _ if result.starts_with("ignored") => return None,
            _ => Verdict::Failed,
        };
        let shown = format!("test {name} ... {verdict}");
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
            for row in [suite, "all"] {
                counts.entry(row).or_default()[column] += 1;
            }
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
        for (suite, [passed, skipped, failed]) in self.counts() {
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
