//! Runs and imports that are killed before each rename, and before each removal of a file: between these
//! moments, what is stored doesn't change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::killed::Killed;
use super::reference::Reference;
use super::{Figure, list_and_restore};
use crate::built::kill_at_rename;
use crate::{Suite, clean, run, runner, script, tree};

/// Kills the runner with SIGKILL at these moments of a run, without and with a baseline that it saves: at
/// each, or at one of so many.
#[must_use]
pub fn kills_at_renames(step: usize) -> Vec<Figure> {
    let mut killed = Killed::new("killed before renames");
    for with_baseline in [false, true] {
        for (round, number) in (1..).step_by(step).enumerate() {
            let size = round % 2;
            let runner = runner_to_kill(&killed.suite, number);
            let mut command = killed.command(size, with_baseline);
            if is_over(command.env("IAI_CALLGRIND_RUNNER", runner), number) {
                break;
            }
            killed.look(size, &format!("killed before change {number}"));
        }
    }
    killed.figures()
}

/// Kills an import with SIGKILL at these moments: at each, or at one of so many.
#[must_use]
pub fn imports_killed_at_renames(step: usize) -> Figure {
    let mut figure = Figure::new("import killed before renames: all of a baseline or nothing");
    let suite = Suite::new("faults");
    let archives = [0, 1].map(|number| {
        let path = suite.root().join(format!("{number}.tar.gz"));
        let home = suite.root().join(number.to_string());
        Reference::prepare_main(&home, number);
        let mut export = Command::new(runner());
        clean(&mut export).arg("export").arg(&path).arg("--baseline=main").arg("--home").arg(&home);
        let _ = run(&mut export).expect(0);
        path
    });
    Reference::prepare_main(&suite.home(), 1);
    let [first, second] = archives.each_ref().map(|path| fs::read(path).expect("an archive"));
    assert!(first != second, "the baselines are different");
    for (round, number) in (1..).step_by(step).enumerate() {
        let import = |runner: &Path| {
            let mut import = stored(runner, &suite, "import");
            import.arg(&archives[round % 2]).arg("--force");
            import
        };
        let before = tree(&suite.directory());
        let is_over = is_over(&mut import(&runner_to_kill(&suite, number)), number);
        let unrestored = list_and_restore(&suite);
        let left = tree(&suite.directory());
        let _ = run(&mut import(runner())).expect(0);
        let after = tree(&suite.directory());
        let is_part = left != before && left != after;
        let problems = unrestored.into_iter().chain(is_part.then(|| "a part of it".to_owned()));
        let problems = problems.map(|problem| format!("killed before change {number}: {problem}"));
        figure.count(problems.collect());
        if is_over {
            break;
        }
    }
    figure
}

/// Returns a command that works with stored results.
fn stored(runner: &Path, suite: &Suite, name: &str) -> Command {
    let mut command = Command::new(runner);
    clean(&mut command).arg(name).arg("--home").arg(suite.home());
    command
}

/// Returns a runner that kills itself before the change with this number.
fn runner_to_kill(suite: &Suite, number: usize) -> PathBuf {
    let path = suite.root().join(format!("runner-{number}"));
    let [library, runner] = [kill_at_rename(), runner()].map(Path::display);
    script(&path, &format!("LD_PRELOAD={library} KILL_AT={number} exec {runner} \"$@\""));
    path
}

/// Returns true if the runner of the command ended before the change with this number.
fn is_over(command: &mut Command, number: usize) -> bool {
    let is_over = run(command).code == Some(0);
    assert!(!is_over || number > 1, "nothing was killed: {command:?}");
    assert!(is_over || number < 10_000, "it fails by itself: {command:?}");
    is_over
}
