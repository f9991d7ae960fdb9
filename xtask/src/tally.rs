//! Checks that have no row in `cargo xtask test`: one after the other, then how many passed.

use std::process::{Command, ExitCode};

use crate::command;
use crate::outcome::Outcome;

/// Carries out all of them, each when its turn comes; the exit code is 1 if one failed
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

/// Returns the outcome of the command.
pub fn outcome(command: &mut Command) -> Outcome {
    match command::run(command) {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed(vec![command::line(command)]),
        Err(error) => Outcome::Failed(vec![error]),
    }
}
