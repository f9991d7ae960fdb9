//! What runs once before and after the benchmarks of a group or of the file: processes of the benchmark
//! executable, without Valgrind.

use std::process::{Command, Stdio};

use crate::cli::Shown;
use crate::error::{Error, Result};
use crate::plan;
use crate::protocol::Hook;

/// The hooks of a benchmark file.
#[derive(Debug)]
pub(crate) struct Hooks {
    executable: String,
    suite: plan::Hooks,
    groups: Vec<(String, plan::Hooks)>,
    shown: Shown,
}

impl Hooks {
    /// The hooks of this plan. Their output is shown if that of benchmarks is.
    pub(crate) fn of_plan(plan: &plan::Plan, shown: Shown) -> Self {
        let groups = plan.groups.iter().map(|group| (group.name.clone(), group.hooks)).collect();
        Self { executable: plan.executable.clone(), suite: plan.hooks, groups, shown }
    }

    /// Which groups have something to run.
    pub(super) fn of_groups(&self) -> Vec<plan::Hooks> {
        self.groups.iter().map(|(_, hooks)| *hooks).collect()
    }

    /// Runs what the group, or the whole file, has to run before its benchmarks.
    pub(super) fn set_up(&self, group: Option<usize>) -> Result<()> {
        if self.of(group).setup { self.run(Hook { group, is_setup: true }) } else { Ok(()) }
    }

    /// Runs what the group, or the whole file, has to run after its benchmarks.
    pub(super) fn tear_down(&self, group: Option<usize>) -> Result<()> {
        if self.of(group).teardown { self.run(Hook { group, is_setup: false }) } else { Ok(()) }
    }

    fn of(&self, group: Option<usize>) -> plan::Hooks {
        group.map_or(self.suite, |group| self.groups[group].1)
    }

    fn run(&self, hook: Hook) -> Result<()> {
        let output = Command::new(&self.executable)
            .env(Hook::VARIABLE, hook.to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Error::Start { program: (&self.executable).into(), source })?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        if !output.status.success() {
            let what = self.name(hook);
            return Err(Error::Hook {
                what,
                said: vec![("output", stdout), ("error output", stderr)],
            });
        }
        // Standard output is for results
        for (is_shown, text) in [(self.shown.stdout, stdout), (self.shown.stderr, stderr)] {
            if is_shown {
                anstream::eprint!("{text}");
            }
        }
        Ok(())
    }

    fn name(&self, hook: Hook) -> String {
        let kind = if hook.is_setup { "setup" } else { "teardown" };
        match hook.group {
            Some(group) => format!("{kind} of the group `{}`", self.groups[group].0),
            None => format!("{kind} of `main!`"),
        }
    }
}
