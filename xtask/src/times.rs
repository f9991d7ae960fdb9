//! Durations of tests, from the order in which libtest prints that they ended.
//!
//! Its `--report-time` needs `RUSTC_BOOTSTRAP`, which everything that the tests start would inherit. libtest starts
//! tests in the order of their names, as many at a time as it has threads, and the next one when one ends.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::slow;

/// Number of tests that are listed.
const LISTED: usize = 10;

/// Tests that take longer need a reason.
const SLOW: Duration = Duration::from_secs(10);

/// The tests that ended in this process.
static ENDED: Mutex<Vec<Test>> = Mutex::new(Vec::new());

/// A test that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    name: String,
    duration: Duration,
}

/// Times the tests in the output of libtest, which is read as it comes.
#[derive(Debug)]
pub struct Times {
    threads: usize,
    start: Instant,
    /// The tests of the executable that runs, in the order of their ends.
    ended: Vec<(String, Instant)>,
}

impl Times {
    /// Returns the times of tests that run with this number of threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self { threads, start: Instant::now(), ended: Vec::new() }
    }

    /// Reads a line that libtest has just printed.
    pub fn read(&mut self, line: &str) {
        self.read_at(line, Instant::now());
    }

    fn read_at(&mut self, line: &str, now: Instant) {
        if line.starts_with("running ") {
            self.start = now;
            self.ended.clear();
        } else if line.starts_with("test result: ") {
            let tests = self.tests();
            ENDED.lock().unwrap_or_else(PoisonError::into_inner).extend(tests);
        } else if let Some((name, _)) =
            line.strip_prefix("test ").and_then(|it| it.split_once(" ... "))
        {
            let name = name.strip_suffix(" - should panic").unwrap_or(name);
            self.ended.push((name.to_owned(), now));
        }
    }

    /// Returns the tests of the executable that has ended.
    fn tests(&mut self) -> Vec<Test> {
        let mut names: Vec<_> = self.ended.iter().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        let mut waiting = names.into_iter();
        let first = waiting.by_ref().take(self.threads).map(|name| (name, self.start));
        let mut starts: BTreeMap<_, _> = first.collect();
        let mut tests = Vec::new();
        for (name, end) in self.ended.drain(..) {
            starts.extend(waiting.next().map(|next| (next, end)));
            if let Some(start) = starts.remove(&name) {
                tests.push(Test { name, duration: end.saturating_duration_since(start) });
            }
        }
        tests
    }
}

/// The slowest tests of this process.
#[derive(Debug)]
pub struct Slowest(Vec<Test>);

impl Slowest {
    /// Returns those of the tests that have ended.
    #[must_use]
    pub fn of_process() -> Self {
        Self::among(ENDED.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn among(mut tests: Vec<Test>) -> Self {
        tests.sort_by_key(|test| Reverse(test.duration));
        tests.truncate(LISTED);
        Self(tests)
    }
}

impl fmt::Display for Slowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() {
            writeln!(f, "\n{:>7}  slowest tests", "seconds")?;
        }
        for Test { name, duration } in &self.0 {
            write!(f, "{:>7.1}  {name}", duration.as_secs_f64())?;
            match slow::reason(name) {
                Some(reason) => writeln!(f, ": {reason}")?,
                None if *duration > SLOW => writeln!(f, ": has no reason in xtask/src/slow.rs")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, seconds: u64) -> Test {
        Test { name: name.to_owned(), duration: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_test_starts_when_another_one_ends() {
        let mut times = Times::new(2);
        let start = Instant::now();
        for (second, line) in [
            (5, "running 5 tests"),
            (6, "test b ... ok"),
            (6, "test c ... ignored, long"),
            (7, "test a has been running for over 60 seconds"),
            (8, "test d - should panic ... ok"),
            (9, "test a ... FAILED"),
            (13, "test e ... ok"),
        ] {
            times.read_at(line, start + Duration::from_secs(second));
        }
        let expected = [test("b", 1), test("c", 0), test("d", 2), test("a", 4), test("e", 5)];
        assert_eq!(times.tests(), expected);
    }

    #[test]
    fn a_slow_test_without_a_reason_is_named() {
        let mut tests = vec![test("fast", 1), test("slow", 11)];
        let expected = "
seconds  slowest tests
   11.0  slow: has no reason in xtask/src/slow.rs
    1.0  fast
";
        assert_eq!(Slowest::among(tests.clone()).to_string(), expected);
        tests.extend((0..20).map(|number| test("more", number)));
        assert_eq!(Slowest::among(tests).0.len(), LISTED);
        assert_eq!(Slowest::among(Vec::new()).to_string(), "");
    }
}
