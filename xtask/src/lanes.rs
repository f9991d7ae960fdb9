//! `cargo xtask test --all`: two checks at a time, because one alone leaves a CPU idle for much of its time.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use clap::ValueEnum;
use xtask::outcome::Outcome;

use crate::checks::{Form, Prepared, Row, Step};

/// The checks of the second lane in their order, each in a process of its own. The first ones build in directories of
/// their own while the first lane builds the tests, and the last ones use these.
const SECOND: &[Step] = &[
    Step::Msrv,
    Step::Minimal,
    Step::Platforms,
    Step::I386,
    Step::Vm,
    Step::Roots,
    Step::Parsers,
    Step::Criterion,
    Step::Crates,
    Step::Guide,
];

/// Runs all checks. Prints the output of the second lane between those of the first one.
pub(crate) fn run(prepared: Vec<Prepared>, form: Form) -> Vec<Row> {
    let is_second = |step: &Step| SECOND.contains(step);
    let (mut second, first): (Vec<_>, Vec<_>) =
        prepared.into_iter().partition(|prepared| is_second(&prepared.step));
    second.sort_by_key(|prepared| SECOND.iter().position(|step| *step == prepared.step));
    let (sender, finished) = mpsc::channel();
    let mut rows = Vec::new();
    thread::scope(|scope| {
        scope.spawn(move || {
            for prepared in second {
                // The receiver lives until all have been sent
                let _ = sender.send(apart(prepared, form));
            }
        });
        for prepared in first {
            rows.push(Row::of(prepared, form));
            rows.extend(print(finished.try_iter()));
        }
        rows.extend(print(finished.iter()));
    });
    rows.sort_by_key(|row| Step::value_variants().iter().position(|step| *step == row.step));
    rows
}

/// Prints the outputs of checks that have ended. Returns their rows.
fn print(finished: impl Iterator<Item = (Row, String)>) -> impl Iterator<Item = Row> {
    finished.map(|(row, output)| {
        print!("{output}");
        row
    })
}

/// Runs a check in a process of its own. Returns its row and its output.
fn apart(prepared: Prepared, form: Form) -> (Row, String) {
    let Prepared { step, ready } = prepared;
    let start = Instant::now();
    let (outcome, output) = match ready.and_then(|()| output(step, form)) {
        Ok((true, output)) => (skipped(&output).unwrap_or(Outcome::Passed), output),
        Ok((false, output)) => (Outcome::Failed(failures(step, &output)), output),
        Err(error) => (Outcome::Failed(vec![error.clone()]), error + "\n"),
    };
    (Row { step, outcome, seconds: start.elapsed().as_secs_f64() }, output)
}

/// Runs `cargo xtask test` with a check. Returns true if it succeeded, and what it printed.
fn output(step: Step, form: Form) -> Result<(bool, String), String> {
    let start = || {
        let mut check = Command::new(std::env::current_exe()?);
        check.args(["test", step.name()]).args((form == Form::Long).then_some("--long"));
        check.stdin(Stdio::null()).output()
    };
    let ran = start().map_err(|error| format!("`cargo xtask test {}`: {error}", step.name()))?;
    let mut output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let _ = write!(output, "{}", String::from_utf8_lossy(&ran.stderr));
    Ok((ran.status.success(), output))
}

/// Returns the reason in a summary of one check that was skipped.
fn skipped(output: &str) -> Option<Outcome> {
    let (_, row) = output.split_once("\ncheck ")?;
    let (_, reason) = row.lines().nth(1)?.split_once(" skipped ")?;
    let (_, reason) = reason.trim_start().split_once("  ")?;
    Some(Outcome::Skipped(reason.to_owned()))
}

/// Returns what the summary of a check names as failed.
fn failures(step: Step, output: &str) -> Vec<String> {
    let (_, failures) =
        output.rsplit_once(&format!("\n{} failed:\n", step.name())).unwrap_or_default();
    let lines = failures.lines().map_while(|line| line.strip_prefix("    "));
    lines.map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Summary;

    fn summary(outcome: Outcome) -> String {
        let rows = [Row { step: Step::Vm, outcome, seconds: 12.3 }];
        format!("== vm ==\nvm failed:\n\n{}\nseconds  slowest tests\n", Summary(&rows))
    }

    #[test]
    fn outcomes_are_read_from_a_summary() {
        assert_eq!(skipped(&summary(Outcome::Passed)), None);
        let outcome = Outcome::Skipped("no Debian:  no machine".into());
        assert_eq!(skipped(&summary(outcome.clone())), Some(outcome));
        let failed = vec!["cargo a".to_owned(), "    b::c".to_owned()];
        assert_eq!(failures(Step::Vm, &summary(Outcome::Failed(failed.clone()))), failed);
        assert_eq!(failures(Step::Vm, "killed"), [""; 0]);
    }
}
