//! Commands that see other file systems, or no other processes.

use std::process::Command;

use crate::built::runner;
use crate::skip::skip;
use crate::suite::{Run, Suite, clean, run};

/// Returns `true` if benchmarks have process ids of their own here.
#[must_use]
pub fn has_namespaces() -> bool {
    let mut command = Command::new("unshare");
    let status = command.args(["--pid", "--fork", "--mount-proc", "true"]).status();
    status.is_ok_and(|status| status.success())
}

impl Suite {
    /// Runs a command in the suite's directory after a shell has run the `script` in a mount namespace of its own. The
    /// script gets the `values` and the command as its arguments, and ends with 42 if it can't mount.
    ///
    /// Returns `None` and reports the test as skipped where nothing can be mounted.
    #[must_use]
    pub fn run_mounted(&self, script: &str, values: &[&str], started: &Command) -> Option<Run> {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]).args(values);
        command.arg(started.get_program()).args(started.get_args());
        clean(&mut command).env("IAI_CALLGRIND_RUNNER", runner()).current_dir(self.root());
        let run = run(&mut command);
        if run.code == Some(42) || run.stderr.starts_with("unshare:") {
            skip(&format!("nothing can be mounted here: {}", run.stderr));
            return None;
        }
        Some(run)
    }

    /// Runs the benchmarks with these arguments in a namespace of processes, where nothing that they kill is a stranger's.
    ///
    /// Returns `None` and reports the test as skipped where there can be none.
    #[must_use]
    pub fn run_isolated(&self, arguments: &[&str]) -> Option<Run> {
        self.run_isolated_after(":", arguments)
    }

    /// Does as [`Self::run_isolated`] after a shell has run the `script` in the namespace.
    #[must_use]
    pub fn run_isolated_after(&self, script: &str, arguments: &[&str]) -> Option<Run> {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]);
        command.args(["sh", "-c", &format!("{script} && exec \"$@\""), "sh"]);
        let started = self.command();
        command.arg(started.get_program()).args(started.get_args()).args(arguments);
        clean(&mut command).env("IAI_CALLGRIND_RUNNER", runner()).current_dir(self.root());
        let run = run(&mut command);
        if run.stderr.starts_with("unshare:") {
            skip(&format!("there is no namespace of processes here: {}", run.stderr));
            return None;
        }
        Some(run)
    }
}
