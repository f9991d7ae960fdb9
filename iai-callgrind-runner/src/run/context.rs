//! The context of a run, which its stages, launches, commands and cases share.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_launch::{Executor, Launch};
use iai_callgrind_process::{NativeValue, TemporaryDirectory};
use iai_callgrind_results::{Benchmark, Subject};
use iai_callgrind_tools::fingerprint::Fingerprint;
use iai_callgrind_tools::tool::{self, Capabilities, CodeFiles, Execution};
use iai_callgrind_tools::valgrind::{Client, ThreadLimit, Valgrind};

use super::candidates::Candidates;
use super::hooks::Hooks;
use super::programs::{Program, Programs};
use super::start_state::StartState;
use super::tables::Tables;
use crate::error::Result;

/// The context of a run.
pub(super) struct RunContext<'a> {
    pub(super) benchmarks: &'a [Benchmark],
    pub(super) settings: &'a Settings,
    pub(super) hooks: &'a Hooks,
    /// Creates a directory for the files of processes.
    pub(super) staging: &'a (dyn Fn() -> Result<TemporaryDirectory> + Sync),
    /// Runs benchmarks under Valgrind; `None` if they run natively.
    pub(super) measuring: Option<Measuring<'a>>,
}

/// Everything that runs under Valgrind have in common.
pub(super) struct Measuring<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) valgrind: Valgrind,
    pub(super) capabilities: Capabilities,
    pub(super) programs: Programs,
    /// Stores the files of the runs.
    pub(super) candidates: &'a Candidates<'a>,
    /// Makes the tables for explanations; `None` if there are none.
    pub(super) tables: Option<Tables>,
    /// The state of the work tree.
    pub(super) work_tree: StartState,
    /// The build and the machine.
    pub(super) fingerprint: Arc<Fingerprint>,
    /// The machine code of the processes.
    pub(super) code: CodeFiles,
}

/// The context of a run under Valgrind.
#[derive(Clone, Copy)]
pub(super) struct Launcher<'a> {
    pub(super) run: &'a RunContext<'a>,
    pub(super) measuring: &'a Measuring<'a>,
}

impl<'a> RunContext<'a> {
    /// Returns the context of runs under Valgrind; `None` if benchmarks run natively.
    pub(super) fn launcher(&'a self) -> Option<Launcher<'a>> {
        Some(Launcher { run: self, measuring: self.measuring.as_ref()? })
    }
}

impl Launcher<'_> {
    /// Returns `true` if processes have the same ids in each run. A tool runner can start processes
    /// elsewhere.
    pub(super) fn fixes_ids(self) -> bool {
        let is_native = self.run.settings.isolation.is_native(NativeValue::Ids);
        !is_native && !self.measuring.valgrind.has_runner()
    }

    /// Returns the command that starts a program under Valgrind, whose tool writes its files to
    /// `staging`, and the number of bytes above the program's stack that depend on the machine. The
    /// caller adds the arguments of the program.
    pub(super) fn command(
        self,
        program: &Program,
        launch: &Launch<'_>,
        execution: Execution,
        threads: ThreadLimit,
        staging: &Path,
    ) -> Result<(Command, usize), iai_callgrind_tools::Error> {
        let Measuring { valgrind, tables, .. } = self.measuring;
        let Launch { tool, options, environment, .. } = *launch;
        let subjects = launch.cases.iter().map(|id| &self.run.benchmarks[id.benchmark].subject);
        let functions: BTreeSet<_> = subjects
            .filter_map(|subject| match subject {
                Subject::Library { function, .. } => Some(function),
                Subject::Binary(_) => None,
            })
            .collect();
        let Program { executable, path, .. } = program;
        let client = Client::new(executable, path, environment, self.run.settings.isolation)
            .with_runner(valgrind, staging);
        let mut command = valgrind.command(tool.valgrind_name, staging, &client)?;
        command
            .args(threads.argument())
            .args((tool.arguments)(&tool::Launch {
                directory: &valgrind.directory(staging),
                execution,
                functions: &functions,
                options,
                addresses: tables.is_some(),
            }))
            .args(options.arguments.iter().map(|argument| valgrind.argument(argument)))
            .arg(path.path());
        Ok((command, client.stack_strings()))
    }
}
