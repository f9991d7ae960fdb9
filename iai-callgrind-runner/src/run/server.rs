//! The command that starts a fork server, and the error of a server that ends before its cases.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus};

use iai_callgrind_base::FileError;
use iai_callgrind_launch::{Captured, Launch, log_tail, tail};
use iai_callgrind_plan::protocol::{self, ParentId, ServerEnvironment, TOOL_FILES};
use iai_callgrind_process::NativeValue;
use iai_callgrind_store::is_full;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::Execution;
use iai_callgrind_tools::valgrind::ThreadLimit;
use iai_callgrind_tools::valgrind::log::without_statistics;

use super::case::unknown_instruction;
use super::context::{Launcher, RunContext};
use super::error::RunError;
use super::programs::Program;
use crate::error::Error;
use crate::failure::help_for_debug_information;

/// The file in the staging directory that receives the errors of Valgrind and of the fork server.
const SERVER_ERRORS: &str = "server.stderr";

impl Launcher<'_> {
    /// Returns the command that starts the executable under Valgrind as a fork server, with directories for captured output
    /// and for the files of the tool.
    pub(super) fn server_command(
        self,
        program: &Program,
        launch: &Launch<'_>,
        execution: Execution,
        threads: ThreadLimit,
        [staging, files]: [&Path; 2],
        directory: Option<&Path>,
    ) -> Result<Command, iai_callgrind_tools::Error> {
        let Launcher { run: RunContext { settings, .. }, measuring } = self;
        let valgrind = &measuring.valgrind;
        let (mut command, strings) = self.command(program, launch, execution, threads, files)?;
        let environment = ServerEnvironment {
            measuring: protocol::Measuring {
                counting: execution.counting,
                cold_caches: launch.options.cold_caches,
                separate_threads: launch.options.separate_threads,
                warm_up_calls: settings.warm_up_calls,
                calls: settings.calls,
                checks_allocator: launch.tool.needs_allocator(&launch.options.arguments),
            },
            cpus: settings.isolation.cpus().number(),
            virtual_clock: !settings.isolation.is_native(NativeValue::Clock),
            parent: if settings.isolation.is_native(NativeValue::Ids) {
                ParentId::Native
            } else {
                ParentId::Hidden
            },
            stops_threads: valgrind.can_order_threads()?,
            marks_log: launch.options.traces_heap,
            directory: valgrind.directory(staging).to_string_lossy().into_owned(),
        };
        let errors = staging.join(SERVER_ERRORS);
        settings.add_program_arguments(&mut command);
        command
            .envs(environment.variables(strings))
            .stderr(File::create(&errors).map_err(FileError::io("create", &errors))?);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        log::debug!("running {command:?}");
        Ok(command)
    }

    /// Returns the error of a server that exited before its cases, with all of its output.
    pub(super) fn server_failure(
        self,
        status: Option<ExitStatus>,
        path: &StablePath,
        staging: &Path,
    ) -> Error {
        let program = self.measuring.valgrind.program.clone();
        // Without a directory, no server can have files there
        if staging != Path::new("") && !staging.is_dir() {
            let cause = RunError::ServerEnded { program, status, instruction: None };
            let path = staging.to_owned();
            return Error::DirectoryRemoved { path, cause: Box::new(cause.into()) };
        }
        let directories = [staging.to_owned(), staging.join(TOOL_FILES)];
        let entries = directories.iter().flat_map(fs::read_dir).flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let log =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "log")).min();
        let log = log.unwrap_or_default();
        let instruction = status.and_then(|status| {
            unknown_instruction(&log, status, path, self.run.settings.isolation)
        });
        let server = tail(&Captured::of_server(staging).file("stderr"));
        if is_full(staging) {
            return FileError::Full { path: staging.parent().unwrap_or(staging).to_owned() }.into();
        }
        let output = vec![
            ("error output of Valgrind", tail(&staging.join(SERVER_ERRORS))),
            ("error output of the fork server", server),
            ("log", without_statistics(&log_tail(&log, path)).to_owned()),
        ];
        let help = help_for_debug_information(&output);
        let cause = RunError::ServerEnded { program, status, instruction };
        Error::from(cause).with_output(output).with_help(help)
    }
}
