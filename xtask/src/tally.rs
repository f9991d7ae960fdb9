//! Checks that have no row in `cargo xtask test`: one after the other, then how many passed.

use std::io;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::command;
use crate::failures::Failures;
use crate::outcome::Outcome;

/// Runs all of them in order; the exit code is 1 if one failed
pub fn print_all<'a>(checks: impl IntoIterator<Item = (&'a str, Outcome)>) -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for (name, outcome) in checks {
        println!("{name}: {outcome}");
        match outcome {
            Outcome::Passed => passed += 1,
            Outcome::Skipped(reason) => println!("    {reason}"),
            Outcome::Failed(what) => {
                failed += 1;
                for what in what {
                    println!("    {what}");
                }
            }
        }
    }
    println!("\n{passed} passed, {failed} failed");
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs all commands, the later ones too when one fails
pub fn outcomes(commands: impl IntoIterator<Item = Command>) -> Outcome {
    let outcomes = commands.into_iter().map(|mut command| outcome(&mut command));
    outcomes.fold(Outcome::Passed, Outcome::and)
}

/// Runs the command and returns its outcome, a failure with the tests that failed.
pub fn outcome(command: &mut Command) -> Outcome {
    let line = command::line(command);
    println!("$ {line}");
    match run(command) {
        Ok((status, failures)) => finished(line, status, failures),
        Err(error) => Outcome::Failed(vec![format!("`{line}`: {error}")]),
    }
}

/// Runs the command. Its output is passed on as it comes.
fn run(command: &mut Command) -> io::Result<(ExitStatus, Failures)> {
    let mut running = command.stdout(Stdio::piped()).spawn()?;
    let output = running.stdout.take();
    let failures = output.map(|output| Failures::in_output(output, &mut io::stdout()));
    let status = running.wait()?;
    Ok((status, failures.transpose()?.unwrap_or_default()))
}

/// Returns the outcome of a command that has ended, a failure with the tests that failed.
#[must_use]
pub fn finished(line: String, status: ExitStatus, failures: Failures) -> Outcome {
    if status.success() {
        return Outcome::Passed;
    }
    let lines = failures.into_lines().into_iter().map(|line| format!("    {line}"));
    Outcome::Failed([line].into_iter().chain(lines).collect())
}
