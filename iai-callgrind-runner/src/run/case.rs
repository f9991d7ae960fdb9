//! Reads the files of a case's processes in the staging directory into its measurement.

mod descendants;
mod failure;

use std::fs;
use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::one_line;
use iai_callgrind_cli::settings::{Explain, Settings};
use iai_callgrind_explain::Table;
use iai_callgrind_launch::{Ancestry, Captured, CaseEnd, Reported, Shown, files_in, read_reported};
use iai_callgrind_plan::Amounts;
use iai_callgrind_plan::protocol::COUNTERS;
use iai_callgrind_results::{Benchmark, RunId, ToolOptions};
use iai_callgrind_revisions::MeasuredCommit;
use iai_callgrind_store::{
    AMOUNTS, COMMIT, NewFiles, file_name, is_full, remove_file, write_amounts,
};
use iai_callgrind_tools::fingerprint::FINGERPRINT;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::{Processes, ReadOptions, TABLE, ToolFailure};
use iai_callgrind_tools::valgrind::log::{preamble, refused_program};

pub(super) use self::failure::{help_in_parallel, unexpected_end, unknown_instruction};
use super::context::Launcher;
use super::note::BenchmarkNote;
use super::result_flamegraphs::ResultFlamegraphs;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::run::Outcome;

/// The extension of the file with the logs of all processes.
const LOGS: &str = "logs";

/// A case that ended, with its files.
pub(super) struct Case<'a> {
    pub(super) launcher: Launcher<'a>,
    pub(super) id: RunId,
    pub(super) benchmark: &'a Benchmark,
    /// The directory of captured output.
    pub(super) staging: &'a Path,
    /// The logs of the tool.
    pub(super) logs: &'a Ancestry<'a>,
    /// The path that the measured program ran under.
    pub(super) path: &'a StablePath,
    pub(super) end: &'a CaseEnd,
    /// The streams that a command shows; `None` for a function.
    pub(super) command: Option<Shown>,
}

impl Case<'_> {
    /// Reads the measurement, stores the result if it is selected, and removes the files of the
    /// case.
    pub(super) fn finish(&self) -> Outcome {
        let (descendants, left) =
            self.end_descendants().map_err(|error| self.with_reason(error))?;
        let outcome = self.measurement(&descendants, &left);
        // Before the files are removed, which frees space on a full disk
        let outcome = outcome.map_err(|error| self.with_reason(self.with_output(error)));
        self.clean_up(&descendants).map_err(|error| self.with_reason(error))?;
        outcome
    }

    /// Prints a note if Valgrind refused to run a program for one of the processes, which then went on without it.
    fn report_refused_program(&self, log: &Path) {
        if let Some(program) = refused_program(log) {
            let (title, program) = (&self.benchmark.title_in_text(), &*one_line(&program));
            BenchmarkNote::Refused { title, program }.print();
        }
    }

    fn tool(&self) -> &ToolOptions {
        &self.benchmark.options.tools[self.id.tool]
    }

    fn settings(&self) -> &Settings {
        self.launcher.run.settings
    }

    fn measurement(&self, descendants: &[i32], left: &[i32]) -> Outcome {
        let ToolOptions { tool, launch, .. } = self.tool();
        let measuring = self.launcher.measuring;
        self.check_status()?;
        let reported = read_reported(tool.name, &self.captured().file(COUNTERS))?;
        if let Some(reason) = reported.skipped {
            return Err(Failure::Skipped { reason: one_line(&reason).into_owned() }.into());
        }
        if let Some(&process) = left.first() {
            let command = preamble(&self.stem(process).with_extension("log")).command;
            let command = match &*command {
                "" => "a process".to_owned(),
                command => format!("`{}`", self.path.renamed().restored(command)),
            };
            return Err(ToolFailure::ProcessLeft { command }.into());
        }
        let others: Vec<PathBuf> = descendants
            .iter()
            .filter(|&&pid| self.is_within_region(pid))
            .map(|&pid| self.stem(pid))
            .collect();
        self.check_allocators(&others)?;
        let main = self.stem(self.end.id_in_files());
        // In the directory of captured output, which contains the journal of a result's renames
        let log = self.captured().file(LOGS);
        for process in iter::once(&main).chain(&others) {
            self.path.append_restored(&process.with_extension("log"), &log)?;
        }
        let is_command = self.command.is_some();
        if self.id.sample == 0 && (is_command || !others.is_empty()) {
            self.report_refused_program(&log);
        }
        let is_candidate = self.id.sample < self.settings().samples.candidates();
        let flamegraphs = ResultFlamegraphs::of(self.benchmark, self.tool(), &self.settings().mode);
        let processes = Processes {
            main: &main,
            others: &others,
            is_command,
            log: &log,
            options: launch,
            link: self.path,
            code: &measuring.code,
            needs_call_graph: is_candidate && flamegraphs.needs_call_graph(),
            needs_addresses: measuring.tables.is_some(),
        };
        let wanted = &self.tool().wanted();
        let read_options = ReadOptions { options: Some(launch), wanted };
        let mut collected = (tool.finish)(&processes, &read_options)?;
        // The files of the tool can be incomplete
        if is_full(self.staging) {
            return Err(FileError::Full { path: self.staging.to_owned() }.into());
        }
        let amounts = self.amounts(reported)?;
        let addresses = collected.addresses.take().filter(|_| is_candidate);
        let mut table = None;
        if let Some((tables, addresses)) = measuring.tables.as_ref().zip(addresses) {
            let path = main.with_extension(TABLE);
            table = Some(tables.write(&addresses, self.benchmark, &measuring.work_tree, &path)?);
            collected.files.push((TABLE.to_owned(), path));
        }
        if is_candidate {
            let fingerprint = || serde_json::to_vec(&*measuring.fingerprint);
            collected.files.push(self.shared_file(FINGERPRINT, &main, fingerprint)?);
            if let Some(state) = measuring.work_tree.get() {
                let commit = || serde_json::to_vec(&MeasuredCommit::from(state));
                collected.files.push(self.shared_file(COMMIT, &main, commit)?);
            }
            let path = main.with_extension(AMOUNTS);
            if write_amounts(&amounts, &path)? {
                collected.files.push((AMOUNTS.to_owned(), path));
            }
            let graph = collected.call_graph.as_ref();
            let flamegraphs = flamegraphs.draw(graph, table.as_ref(), &main)?;
            let new = NewFiles { log, files: collected.files, flamegraphs };
            measuring.candidates.add(self.id, self.benchmark, new)?;
        }
        collected.measurement = collected.measurement.with_amounts(amounts);
        collected.measurement.output = self.shown_output()?;
        collected.measurement.fingerprint = Some(Arc::clone(&measuring.fingerprint));
        let is_explained = self.settings().explanations.of != Explain::None;
        let is_needed =
            |table: &Table| is_explained || !collected.measurement.machine_values(table).is_empty();
        collected.measurement.table = table.filter(is_needed).map(Box::new);
        Ok(collected.measurement)
    }

    /// Adds a file to the result that all results of the launch share. The first one is written,
    /// the others are links to it if the file system has links. Returns its extension and path.
    fn shared_file(
        &self,
        extension: &str,
        main: &Path,
        content: impl FnOnce() -> serde_json::Result<Vec<u8>>,
    ) -> Result<(String, PathBuf)> {
        let (shared, path) = (self.staging.join(extension), main.with_extension(extension));
        let link = || fs::hard_link(&shared, &path);
        if link().is_err() {
            let write = || fs::write(&path, content()?);
            write().map_err(Error::io("write", &path))?;
            // Without it, the next result writes its own
            let offered = fs::hard_link(&path, &shared);
            // Another result came to it at the same time
            if offered.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
                fs::remove_file(&path).and_then(|()| link()).map_err(Error::io("write", &path))?;
            }
        }
        Ok((extension.to_owned(), path))
    }

    /// Returns the configured and the reported amounts of the benchmark. Only the results of the
    /// first tool have counters.
    fn amounts(&self, reported: Reported) -> Result<Amounts> {
        let configured = self.benchmark.amounts();
        let throughput = reported.throughput(configured.throughput);
        let label = reported.label.clone();
        let counters = if self.id.tool == 0 { reported.counters()? } else { Vec::new() };
        Ok(Amounts { counters, throughput, label, ..configured })
    }

    /// Returns the captured output of the benchmark if it is shown. Only the default tool shows it.
    fn shown_output(&self) -> Result<Option<Vec<u8>>> {
        if self.id.tool != 0 {
            return Ok(None);
        }
        let configured = self.command.unwrap_or_default();
        let Shown { stdout, stderr } = self.settings().shown;
        let shown =
            Shown { stdout: stdout || configured.stdout, stderr: stderr || configured.stderr };
        Ok(self.captured().shown(shown)?)
    }

    /// Returns the path with which the names of this process's files start.
    fn stem(&self, pid: i32) -> PathBuf {
        self.logs.directory().join(pid.to_string())
    }

    fn captured(&self) -> Captured<'_> {
        Captured::of_case(self.staging, self.end.case)
    }

    /// Removes the files of the case, so that the staging directory stays small.
    fn clean_up(&self, processes: &[i32]) -> Result<()> {
        let captured = self.captured();
        for extension in [COUNTERS, LOGS] {
            remove_file(&captured.file(extension))?;
        }
        if let Some(isolated) = &self.end.isolated {
            return Ok(isolated.remove(captured)?);
        }
        captured.remove()?;
        let is_ours = |path: &Path| {
            let name = file_name(path);
            let pid = name.split('.').next().and_then(|pid| pid.parse().ok());
            pid.is_some_and(|pid| pid == self.end.id_in_files() || processes.contains(&pid))
        };
        for path in files_in(self.logs.directory())?.filter(|path| is_ours(path)) {
            remove_file(&path)?;
        }
        self.logs.forget(processes);
        self.logs.forget(&[self.end.id_in_files()]);
        Ok(())
    }
}
