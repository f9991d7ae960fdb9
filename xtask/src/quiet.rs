//! Commands that build and run tests. Their error output, which includes that of all started programs, is printed only
//! if they fail.

use std::env;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::command;
use crate::failures::Failures;
use crate::outcome::Outcome;
use crate::tally;
use crate::times::Times;

/// Variable of libtest with the number of threads.
const THREADS: &str = "RUST_TEST_THREADS";

/// Gives a command that runs end-to-end tests one thread more than there are CPUs, because some tests wait.
pub fn set_threads(tests: &mut Command) {
    if env::var_os(THREADS).is_none() {
        tests.env(THREADS, (cpus() + 1).to_string());
    }
}

/// Runs the command and returns its outcome, a failure with the tests that failed.
pub fn outcome(command: &mut Command) -> Outcome {
    print_to(command, &|line| print!("{line}"))
}

/// Runs two commands at the same time. The output of the second one follows that of the first one.
pub fn side_by_side(first: &mut Command, second: &mut Command) -> Outcome {
    let output = Mutex::new(String::new());
    let collect = |line: &str| output.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
    let outcome = thread::scope(|scope| {
        let second = scope.spawn(|| print_to(second, &collect));
        let first = outcome(first);
        first.and(second.join().unwrap_or_else(|_| Outcome::Failed(vec!["a panic".to_owned()])))
    });
    print!("\n{}", output.into_inner().unwrap_or_else(PoisonError::into_inner));
    outcome
}

/// Runs the command and calls a function for each line to be shown.
fn print_to(command: &mut Command, show: &(impl Fn(&str) + Sync)) -> Outcome {
    let line = command::line(command);
    show(&format!("$ {line}\n"));
    match run(command, show) {
        Ok((status, failures)) => tally::finished(line, status, failures),
        Err(error) => Outcome::Failed(vec![format!("`{line}`: {error}")]),
    }
}

fn run(command: &mut Command, show: &(impl Fn(&str) + Sync)) -> io::Result<(ExitStatus, Failures)> {
    let mut times = Times::new(threads(command));
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn()?;
    let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
    let mut failures = Failures::default();
    let mut errors = Errors::default();
    thread::scope(|scope| {
        let errors = &mut errors;
        let reader = scope.spawn(move || {
            for_each_line(stderr, |line| {
                if errors.is_shown(line) {
                    show(line);
                }
            })
        });
        for_each_line(stdout, |line| {
            let text = line.trim_end();
            times.read(text);
            failures.read(text);
            if !text.ends_with(" has been running for over 60 seconds") {
                show(line);
            }
        })?;
        reader.join().unwrap_or(Ok(()))
    })?;
    let status = running.wait()?;
    if !status.success() {
        show(&errors.held);
    }
    Ok((status, failures))
}

/// Calls a function for each line of an output, which includes its end.
fn for_each_line(output: Option<impl Read>, mut take: impl FnMut(&str)) -> io::Result<()> {
    let Some(output) = output else { return Ok(()) };
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        take(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(())
}

/// Returns the number of threads of libtest in this command.
fn threads(command: &Command) -> usize {
    let own = command.get_envs().find_map(|(name, value)| value.filter(|_| name == THREADS));
    let value = own.map(ToOwned::to_owned).or_else(|| env::var_os(THREADS));
    value.and_then(|value| value.to_str()?.parse().ok()).unwrap_or_else(cpus)
}

fn cpus() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The error output of cargo and of the tests that it runs.
#[derive(Debug, Default)]
struct Errors {
    /// Cargo has built the tests, and what follows is theirs.
    is_built: bool,
    /// Lines for a failure.
    held: String,
}

impl Errors {
    /// Reads a line. Returns true if it is one of cargo's own or of a test that is skipped.
    fn is_shown(&mut self, line: &str) -> bool {
        let (status, words) = line.split_at_checked(12).unwrap_or_default();
        let status = status.trim_start();
        let has_status = words.starts_with(' ') && status.chars().all(char::is_alphabetic);
        let is_shown = match status {
            "Blocking" => return false,
            _ if line.starts_with("skipped ") => true,
            "Running" | "Doc-tests" | "Doc" => true,
            _ => has_status && !status.is_empty() && !self.is_built,
        };
        self.is_built |= has_status && status == "Finished";
        if !is_shown {
            self.held.push_str(line);
        }
        is_shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_failure_at_the_side_is_a_failure() {
        let outcome = side_by_side(&mut shell("exit 0"), &mut shell("exit 3"));
        assert_eq!(outcome, Outcome::Failed(vec!["sh -c 'exit 3'".into()]));
        assert_eq!(side_by_side(&mut shell("exit 0"), &mut shell("exit 0")), Outcome::Passed);
    }

    #[test]
    fn the_error_output_of_tests_is_for_failures() {
        let mut errors = Errors::default();
        let output = "    Blocking waiting for file lock on package cache
   Compiling xtask v1.0.0 (/xtask)
warning: unused variable
    Finished `test` profile [unoptimized] target(s) in 4.13s
     Running tests/e2e/main.rs (target/debug/deps/e2e-f802bec7d29b933c)
   Compiling a-crate v1.0.0 (/of/a/test)
skipped a::test: there is only one Valgrind
note: changes can't be explained by function
";
        let lines: Vec<_> = output.split_inclusive('\n').collect();
        let shown: Vec<_> = lines.iter().filter(|line| errors.is_shown(line)).collect();
        assert_eq!(shown, [&lines[1], &lines[3], &lines[4], &lines[6]]);
        assert_eq!(errors.held, [lines[2], lines[5], lines[7]].concat());
    }

    #[test]
    fn a_failed_command_shows_its_error_output() {
        let shown = |script: &str| {
            let output = Mutex::new(String::new());
            let _ =
                print_to(&mut shell(script), &|line: &str| output.lock().unwrap().push_str(line));
            output.into_inner().unwrap()
        };
        assert_eq!(shown("echo a; echo b >&2"), "$ sh -c 'echo a; echo b >&2'\na\n");
        let failed = shown("echo a; echo b >&2; false");
        assert!(failed.ends_with("\na\nb\n"), "{failed}");
    }
}
