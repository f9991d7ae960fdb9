//! Downloads a project and runs its benchmark files under both harnesses.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::command::{self, in_file};

use crate::projects::counts::{self, Count};
use crate::projects::list::Project;
use crate::projects::manifest;
use crate::projects::record::{Outcome, Record};
use crate::registry;

/// Number of locked dependencies that are updated before a project is given up.
const MAX_UPDATES: usize = 20;

/// Time for each benchmark under this harness, on a machine that is busy too. One that takes longer is killed, and the others
/// still run.
const TIMEOUT: &str = "5m";

/// Runs projects in a directory.
pub(crate) struct Runs {
    work: PathBuf,
}

/// A harness that the benchmark files run under.
#[derive(Debug, Clone, Copy)]
enum Side {
    Original,
    /// The original harness lists its benchmarks and runs none.
    List,
    Ours,
    /// This harness, whose titles are names of benchmarks.
    Counted,
    /// This harness with the C library's functions for the CPU, as the original ones run.
    Native,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Original | Self::List => "original",
            Self::Ours | Self::Counted => "ours",
            Self::Native => "native",
        }
    }

    /// Returns the arguments for the harness.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Original | Self::Ours | Self::Counted => &[],
            Self::List => &["--", "--list"],
            Self::Native => &["--", "--native-cpu"],
        }
    }

    /// Returns the benchmarks in its output.
    fn counts(self, output: &str) -> Vec<Count> {
        match self {
            Self::List => counts::listed(output),
            Self::Counted => counts::parse(output, str::to_owned),
            Self::Original | Self::Ours | Self::Native => {
                counts::parse(output, counts::function_and_id)
            }
        }
    }
}

/// A downloaded project with the manifest and lock file for each side.
struct Sources<'a> {
    project: &'a Project,
    directory: PathBuf,
    original_manifest: String,
    our_manifest: String,
}

impl Runs {
    /// Returns the runs in this directory, which is created.
    pub(crate) fn new(work: &Path) -> Result<Self, String> {
        for name in ["sources", "records", "logs"] {
            let directory = work.join(name);
            fs::create_dir_all(&directory).map_err(in_file(&directory))?;
        }
        Ok(Self { work: work.to_owned() })
    }

    /// Runs a project under both harnesses, and under this one for the CPU of this machine. A harness that measures time
    /// only lists the benchmarks. Projects with threads run twice under this harness.
    pub(crate) fn run(&self, project: &Project) -> Result<Record, String> {
        let sources = self.sources(project)?;
        let updated = sources.lock()?;
        let lock = sources.read("Cargo.lock")?;
        let harness = project.harness;
        let package = manifest::package(&sources.original_manifest, harness);
        let version = manifest::locked_version(&lock, package)
            .ok_or_else(|| format!("{project}: {package} is not in Cargo.lock"))?;
        let runner = self.runner(project, &version)?;
        let (original, ours) = if harness.counts() {
            (Side::Original, Side::Ours)
        } else {
            (Side::List, Side::Counted)
        };
        let original = self.side(&sources, original, original.name(), runner.as_deref())?;
        sources.write("Cargo.toml", &sources.our_manifest)?;
        let run = |side: Side, name: &str| self.side(&sources, side, name, None);
        let (ours, again) =
            (run(ours, ours.name())?, project.threads.then(|| run(ours, "again")).transpose()?);
        let native = harness.counts().then(|| run(Side::Native, Side::Native.name()));
        let native = native.transpose()?;
        let harness = format!("{package} {version}");
        Ok(Record { harness, updated, original, ours, again, native })
    }

    /// Downloads a project, or uses its sources of an earlier run.
    fn sources<'a>(&self, project: &'a Project) -> Result<Sources<'a>, String> {
        let name = project.directory();
        let directory = self.work.join("sources").join(&name);
        // The package that cargo unpacked is not written to
        let published = registry::download(&project.name, &project.version)?;
        if directory.is_dir() {
            fs::remove_dir_all(&directory).map_err(in_file(&directory))?;
        }
        registry::copy(&published, &directory)?;
        for (from, to) in &project.copies {
            let to = directory.join(to);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(in_file(parent))?;
            }
            fs::copy(directory.join(from), &to).map_err(in_file(&to))?;
        }
        let file = published.join("Cargo.toml");
        let text = fs::read_to_string(&file).map_err(in_file(&file))?;
        let text = manifest::own_workspace(&text);
        let harness = project.harness;
        let original_manifest = match &project.restored {
            Some(version) => manifest::restored(&text, harness, version),
            None => text,
        };
        let our_manifest = manifest::with_library(&original_manifest, harness, &command::root())
            .map_err(|error| format!("{project}: {error}"))?;
        Ok(Sources { project, directory, original_manifest, our_manifest })
    }

    /// Installs the runner of the original harness, if it has one and it is missing.
    fn runner(&self, project: &Project, version: &str) -> Result<Option<PathBuf>, String> {
        let Some((package, _)) = project.harness.runner() else { return Ok(None) };
        registry::install(package, version, &self.work).map(Some)
    }

    /// Runs all benchmark files under one harness. Logs and results have the name of the run.
    fn side(
        &self,
        sources: &Sources<'_>,
        side: Side,
        run: &str,
        runner: Option<&Path>,
    ) -> Result<Outcome, String> {
        let home = self.work.join("results").join(run);
        let home = home.join(sources.project.directory());
        if home.is_dir() {
            // An interrupted run leaves profiles, which iai-callgrind adds to those of the next
            fs::remove_dir_all(&home).map_err(in_file(&home))?;
        }
        let mut counts = Vec::new();
        let mut runs = true;
        for bench in &sources.project.benches {
            let benchmark = |no_run: bool| {
                let mut cargo = sources.cargo(&["bench", "--bench", bench]);
                if no_run {
                    cargo.arg("--no-run");
                }
                if !sources.project.features.is_empty() {
                    cargo.arg("--features").arg(sources.project.features.join(","));
                }
                cargo.env("CARGO_TARGET_DIR", self.work.join("target"));
                if let (Some(runner), Some((_, variable))) =
                    (runner, sources.project.harness.runner())
                {
                    cargo.env(variable, runner);
                }
                if !no_run {
                    cargo.args(side.arguments());
                }
                cargo.env("IAI_CALLGRIND_HOME", &home).env("GUNGRAUN_HOME", &home);
                if !matches!(side, Side::Original | Side::List) {
                    cargo.env("IAI_CALLGRIND_TIMEOUT", TIMEOUT);
                    if sources.project.cold_caches {
                        cargo.env("IAI_CALLGRIND_COLD_CACHES", "yes");
                    }
                }
                cargo
            };
            let name = format!("{}-{bench}-{run}", sources.project.directory());
            if self.logged(&mut benchmark(true), &name)?.is_none() {
                return Ok(Outcome::DoesNotCompile);
            }
            let output = self.logged(&mut benchmark(false), &name)?;
            runs &= output.is_some();
            let file = self.log(&name, "stdout");
            let output = fs::read(&file).map_err(in_file(&file))?;
            counts.extend(side.counts(&String::from_utf8_lossy(&output)));
        }
        Ok(if runs { Outcome::Runs(counts) } else { Outcome::Fails(counts) })
    }

    /// Runs a command with its output in files. Returns `None` if it fails.
    fn logged(&self, command: &mut Command, name: &str) -> Result<Option<()>, String> {
        println!("$ {}", command::line(command));
        let create = |stream: &str| {
            let file = self.log(name, stream);
            File::create(&file).map_err(in_file(&file))
        };
        command.stdin(Stdio::null()).stdout(create("stdout")?).stderr(create("stderr")?);
        let status =
            command.status().map_err(|error| format!("cargo can't be started: {error}"))?;
        if status.success() {
            return Ok(Some(()));
        }
        println!("failed: see {}", self.log(name, "stderr").display());
        Ok(None)
    }

    fn log(&self, name: &str, stream: &str) -> PathBuf {
        self.work.join(format!("logs/{name}.{stream}"))
    }
}

impl Sources<'_> {
    /// Writes a lock file that serves both harnesses. Returns the packages that were updated for this one.
    fn lock(&self) -> Result<Vec<String>, String> {
        let mut updated: Vec<String> = Vec::new();
        self.write("Cargo.toml", &self.original_manifest)?;
        let mut metadata = self.cargo(&["metadata", "--format-version=1"]);
        command::output(&mut metadata)?;
        loop {
            let lock = self.read("Cargo.lock")?;
            self.write("Cargo.toml", &self.our_manifest)?;
            let output = metadata.stdin(Stdio::null()).output();
            let output = output.map_err(|error| format!("cargo can't be started: {error}"))?;
            self.write("Cargo.lock", &lock)?;
            self.write("Cargo.toml", &self.original_manifest)?;
            let error = String::from_utf8_lossy(&output.stderr);
            let package = match manifest::too_old_package(&error) {
                Some(package) if updated.len() < MAX_UPDATES => package.to_owned(),
                _ => return Ok(updated),
            };
            println!("{}: {package} is locked to a version that is too old", self.project);
            command::output(&mut self.cargo(&["update", &package]))?;
            updated.push(package);
        }
    }

    /// Returns a cargo command in the project's directory.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = command::cargo(arguments.iter().copied());
        cargo.current_dir(&self.directory);
        cargo
    }

    fn read(&self, name: &str) -> Result<String, String> {
        let file = self.directory.join(name);
        fs::read_to_string(&file).map_err(in_file(&file))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.directory.join(name);
        fs::write(&file, text).map_err(in_file(&file))
    }
}
