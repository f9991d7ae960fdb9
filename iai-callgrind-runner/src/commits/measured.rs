//! The counts of benchmarks at a commit.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::settings::AgainstBenches;
use iai_callgrind_cli::{CommitArgs, measuring_arguments};
use iai_callgrind_history::HistoryError;
use iai_callgrind_launch::new_directory;
use iai_callgrind_plan::metric::{MetricKind, Value};
use iai_callgrind_plan::{EXECUTABLE_VARIABLE, Plan, VERSION};
use iai_callgrind_process::TemporaryDirectory;
use iai_callgrind_revisions::{
    self as revisions, AgainstError, BenchmarkFile, BuildCommand, Builder, CargoCall, Commit,
    Repository, RevisionNote, Revisions, read_plan,
};
use iai_callgrind_store::{Slot, StoredBenchmark, matches_filters, select_benchmarks};
use iai_callgrind_tools::fingerprint::Fingerprint;
use iai_callgrind_tools::tool::{TOOLS, Tool};
use iai_callgrind_tools::valgrind::Valgrind;

use crate::error::Result;
use crate::plan;
use crate::stored::{current_directory, select_directory, select_metrics};

/// The counts of the selected benchmarks, by their names.
pub(super) type Counts = BTreeMap<String, Value>;

/// Measures commits.
pub(super) struct Commits {
    pub(super) revisions: Revisions,
    package: String,
    file: String,
    filters: Vec<String>,
    pub(super) tool: &'static Tool,
    pub(super) metric: MetricKind,
}

/// A benchmark file and the program that builds it.
struct Source {
    package: String,
    file: String,
    builder: Builder,
    /// The version of that program, if it is known.
    version: String,
}

impl Source {
    /// Returns the benchmark file with this name, which cargo builds.
    fn of_cargo(options: &CommitArgs, file: &str, directory: &Path) -> Result<Self> {
        let mut arguments: Vec<OsString> = vec!["bench".into()];
        arguments.extend(options.cargo_args.iter().flat_map(|words| &words.0).map(Into::into));
        let file = file.replace('-', "_");
        let found =
            CargoCall::new(directory, &arguments).target_of(&file, options.package.as_deref())?;
        // Cargo knows the file by the name of its target, and results are named after its crate
        arguments.extend(["--bench".into(), found.target.into()]);
        if let Some(package) = &options.package {
            arguments.extend(["--package".into(), package.into()]);
        }
        let cargo = CargoCall::new(directory, &arguments);
        let version = cargo.version()?;
        Ok(Self { package: found.package, file, builder: Builder::Cargo(cargo), version })
    }

    /// Returns the benchmark file of the executable that started this process, which a command builds.
    fn of_command(command: &str) -> Result<Self> {
        let executable = env::var_os(EXECUTABLE_VARIABLE).map(PathBuf::from);
        let executable = executable.ok_or(AgainstError::NotStartedByExecutable)?;
        let directory = TemporaryDirectory::create(new_directory)?;
        let mut asked = Command::new(&executable);
        asked.stdin(Stdio::null()).stdout(Stdio::null());
        let plan = read_plan(&mut asked, directory.path(), None)?;
        let plan = plan.ok_or_else(|| AgainstError::NoPlanHere { path: executable.clone() })?;
        let Plan { package, file, package_dir, .. } = plan::read(&plan)?;
        let command = BuildCommand::new(command, &executable, Path::new(&package_dir))?;
        Ok(Self { package, file, builder: Builder::Command(command), version: String::new() })
    }
}

/// Returns the repository of the current directory.
pub(super) fn repository() -> Result<Repository> {
    Ok(Repository::of(&current_directory()?)?)
}

impl Commits {
    pub(super) fn new(
        repository: Repository,
        options: &CommitArgs,
        file: &str,
        filters: &[String],
    ) -> Result<Self> {
        let directory = current_directory()?;
        let (tool, metric) = find_metric(&options.metric)?;
        let Source { package, file, builder, version } = match &options.build {
            Some(command) => Source::of_command(command)?,
            None => Source::of_cargo(options, file, &directory)?,
        };
        let passed = ["--bench"].into_iter().map(OsString::from);
        let passed: Vec<_> = passed.chain(filters.iter().map(Into::into)).collect();
        let valgrind = Valgrind::find(None, None)?;
        let valgrind = valgrind.version.unwrap_or_default();
        let revisions = Revisions {
            repository,
            home: select_directory(options.home.path())?,
            flags: None,
            workspace: workspace_directory(&directory),
            benches_of_here: options.benches.against_benches == AgainstBenches::Here,
            arguments: measuring_arguments(&passed),
            fingerprint: format!("{VERSION} {valgrind} {version}"),
            compared: None,
            builder,
        };
        Ok(Self { revisions, package, file, filters: filters.to_vec(), tool, metric })
    }

    /// Returns the error of a commit that has to be measured.
    pub(super) fn not_measured(&self, commit: &Commit) -> HistoryError {
        HistoryError::NotMeasured { revision: commit.description(), filters: self.filters.clone() }
    }

    /// Measures a commit; `None` if it can't be built, or has none of the benchmarks.
    pub(super) fn measure(&self, commit: &Commit) -> Result<Option<Measured>> {
        let file = BenchmarkFile { package: &self.package, name: &self.file };
        let results = match self.revisions.measure(commit, &file) {
            Err(
                error @ revisions::Error::Against(
                    AgainstError::BuildRevision { .. }
                    | AgainstError::BuildCommand { .. }
                    | AgainstError::NoExecutable { .. }
                    | AgainstError::CargoMetadata { .. }
                    | AgainstError::RunRevision { .. },
                ),
            ) => {
                RevisionNote::Skipped { revision: commit.short(), reason: &error }.print();
                return Ok(None);
            }
            measured => measured?,
        };
        let Some(baseline) = results.baseline else { return Ok(None) };
        let (slot, fingerprint) =
            (Slot::baseline(&baseline)?, self.revisions.fingerprint_of(&baseline));
        let mut counts = Counts::new();
        for benchmark in self.benchmarks()? {
            let count = self.count(&benchmark, &slot)?;
            counts.extend(count.map(|count| (benchmark.name(), count)));
        }
        Ok((!counts.is_empty()).then_some(Measured { slot, counts, fingerprint }))
    }

    /// Returns the count of a benchmark. A counter can be in the results of any tool.
    fn count(&self, benchmark: &StoredBenchmark, slot: &Slot) -> Result<Option<Value>> {
        let is_read = |tool: &Tool| self.metric.is_counter() || tool.name == self.tool.name;
        for tool in TOOLS.into_iter().filter(|tool| is_read(tool)) {
            let result = benchmark.read(tool, slot, &[self.metric])?;
            if let Some(count) = result.and_then(|result| result.total.get(self.metric)) {
                return Ok(Some(count));
            }
        }
        Ok(None)
    }

    /// Returns true if a recorded result belongs to the benchmark file and is selected. Its package
    /// can have a target.
    pub(super) fn select(&self, package: &str, name: &str) -> bool {
        let file = name.split("::").next().unwrap_or_default();
        let package = package.split(' ').next().unwrap_or_default();
        (package, file) == (&*self.package, &*self.file) && matches_filters(&self.filters, name)
    }

    /// Returns the benchmarks with results.
    pub(super) fn benchmarks(&self) -> Result<Vec<StoredBenchmark>> {
        let is_here = |benchmark: &StoredBenchmark| {
            benchmark.package == self.package
                && benchmark.file == self.file
                && benchmark.matches(&self.filters)
        };
        Ok(select_benchmarks(&self.revisions.home, is_here)?.benchmarks)
    }
}

/// The results of a commit.
pub(super) struct Measured {
    pub(super) slot: Slot,
    pub(super) counts: Counts,
    pub(super) fingerprint: Option<Fingerprint>,
}

/// Returns the metric with this name and the first tool that has it.
pub(super) fn find_metric(name: &str) -> Result<(&'static Tool, MetricKind)> {
    for tool in TOOLS {
        if let [metric] = *select_metrics(tool, Some(name))? {
            return Ok((tool, metric));
        }
    }
    Err(HistoryError::SeveralMetrics { name: name.to_owned() }.into())
}
