//! Failed tests in the output of `cargo test`. They are repeated at the end, because long logs are cut at their start.

use std::io::{self, BufRead, BufReader, Read, Write};

/// Maximum number of lines of a failed test's output that are repeated.
const LINES: usize = 20;

/// Maximum number of characters of a line that are repeated.
const WIDTH: usize = 200;

/// Most tests whose output is repeated.
const TESTS: usize = 10;

/// The line before the names of failed tests, which follows their output.
const END: &str = "failures:";

/// The failed tests of an output that is passed on.
#[derive(Debug, Default)]
pub struct Failures {
    /// Each with its name first, then the start of its output.
    tests: Vec<Vec<String>>,
    is_in_test: bool,
}

impl Failures {
    /// Copies all of `output` to `to` and returns the tests in it that failed.
    pub fn in_output(output: impl Read, to: &mut impl Write) -> io::Result<Self> {
        let mut failures = Self::default();
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line)? > 0 {
            to.write_all(&line)?;
            failures.read(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        Ok(failures)
    }

    /// Reads a line of the output.
    pub fn read(&mut self, line: &str) {
        let header = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----"));
        if let Some(name) = header {
            self.tests.push(vec![name.to_owned()]);
            self.is_in_test = true;
        } else if line == END {
            self.is_in_test = false;
        } else if self.is_in_test && !line.is_empty() {
            let shown = line.chars().take(WIDTH).collect::<String>();
            if let Some(test) = self.tests.last_mut().filter(|test| test.len() <= LINES) {
                test.push(format!("    {shown}"));
            }
        }
    }

    /// Returns the lines about the first tests, and how many others failed.
    #[must_use]
    pub fn into_lines(self) -> Vec<String> {
        let others = self.tests.len().saturating_sub(TESTS);
        let mut lines: Vec<_> = self.tests.into_iter().take(TESTS).flatten().collect();
        if others > 0 {
            lines.push(format!("and {others} others"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 3 tests
test a::b ... FAILED
test c ... ok
test d ... FAILED

failures:

---- a::b stdout ----

thread 'a::b' panicked at tests/e2e/a.rs:3:5:
assertion `left == right` failed
  left: 1

---- d stdout ----
no more

failures:
    a::b
    d

test result: FAILED. 1 passed; 2 failed
";

    #[test]
    fn failed_tests_are_repeated_with_the_start_of_their_output() {
        let mut copy = Vec::new();
        let failures = Failures::in_output(OUTPUT.as_bytes(), &mut copy).unwrap();
        assert_eq!(String::from_utf8(copy).unwrap(), OUTPUT);
        let expected = [
            "a::b",
            "    thread 'a::b' panicked at tests/e2e/a.rs:3:5:",
            "    assertion `left == right` failed",
            "      left: 1",
            "d",
            "    no more",
        ];
        assert_eq!(failures.into_lines(), expected);
    }

    #[test]
    fn what_is_repeated_has_a_limit() {
        let output = "---- t stdout ----\n".to_owned() + &"line\n".repeat(50);
        let failures = Failures::in_output(output.repeat(12).as_bytes(), &mut io::sink()).unwrap();
        let lines = failures.into_lines();
        assert_eq!(lines.len(), TESTS * (LINES + 1) + 1);
        assert_eq!(lines.last().unwrap(), "and 2 others");
    }
}
