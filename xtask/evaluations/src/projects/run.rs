//! Downloads a project and runs its benchmark files under both harnesses.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::command::{self, in_file};

use crate::harness;
use crate::manifest;
use crate::projects::counts;
use crate::projects::list::Project;
use crate::projects::record::{Count, Outcome, Record};
use crate::registry;

/// Number of locked dependencies that are updated before a project is given up.
const MAX_UPDATES: usize = 20;

/// Time for each benchmark under this harness, on a machine that is busy too. One that takes longer is killed, and the others
/// still run.
const TIMEOUT: &str = "5m";

/// A run of all benchmark files of a project under one harness.
struct Run<'a> {
    /// The name of its logs and results.
    name: &'static str,
    /// The arguments for the harness.
    arguments: &'a [&'a str],
    variables: Vec<(&'static str, &'a str)>,
    /// Returns the benchmarks in the output.
    counts: fn(&str) -> Vec<Count>,
}

/// A downloaded project with the manifest for each side.
struct Sources<'a> {
    project: &'a Project,
    work: &'a Path,
    directory: PathBuf,
    original_manifest: String,
    our_manifest: String,
}

/// Runs a project under both harnesses, and under this one for the CPU of this machine. A harness that measures time only
/// lists the benchmarks. Projects with threads run twice under this harness.
pub(crate) fn run(project: &Project, work: &Path) -> Result<Record, String> {
    let mut sources = Sources::new(project, work)?;
    let updated = sources.lock()?;
    let harness = project.harness;
    let mut original = manifest::parse(&sources.original_manifest)?;
    let renamed = manifest::dependency(&mut original, harness.package())
        .and_then(|dependency| dependency.get("package")?.as_str());
    let package = renamed.unwrap_or(harness.package());
    let version = manifest::locked_version(&sources.read("Cargo.lock")?, package)
        .ok_or_else(|| format!("{project}: {package} is not in Cargo.lock"))?;
    let runner = harness.runner().map(|(package, variable)| {
        let runner = registry::install(package, &version, work)?;
        Ok::<_, String>((variable, runner.display().to_string()))
    });
    let runner = runner.transpose()?;
    let counted = if harness.counts() { counts::by_function } else { counts::by_title };
    let (arguments, listed): (&[&str], _) = if harness.counts() {
        (&[], counted)
    } else {
        (&["--", "--list"], counts::listed as fn(&str) -> Vec<Count>)
    };
    let variables = runner.iter().map(|(name, runner)| (*name, &**runner)).collect();
    let original = sources.run(&Run { name: "original", arguments, variables, counts: listed })?;
    sources.write("Cargo.toml", &sources.our_manifest)?;
    let mut variables = vec![("IAI_CALLGRIND_TIMEOUT", TIMEOUT)];
    variables.extend(project.cold_caches.then_some(("IAI_CALLGRIND_COLD_CACHES", "yes")));
    let ours = |name, arguments: &[&str]| {
        sources.run(&Run { name, arguments, variables: variables.clone(), counts: counted })
    };
    Ok(Record {
        harness: format!("{package} {version}"),
        updated,
        original,
        ours: ours("ours", &[])?,
        again: project.threads.then(|| ours("again", &[])).transpose()?,
        native: harness.counts().then(|| ours("native", &["--", "--native-cpu"])).transpose()?,
    })
}

impl<'a> Sources<'a> {
    /// Downloads a project, or uses its sources of an earlier run.
    fn new(project: &'a Project, work: &'a Path) -> Result<Self, String> {
        let directory = work.join("sources").join(project.directory());
        // The package that cargo unpacked must not change
        let published = registry::download(&project.name, &project.version)?;
        harness::remove(&directory)?;
        registry::copy(&published, &directory)?;
        for (from, to) in &project.copies {
            let to = directory.join(to);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(in_file(parent))?;
            }
            fs::copy(directory.join(from), &to).map_err(in_file(&to))?;
        }
        let file = published.join("Cargo.toml");
        let mut text = fs::read_to_string(&file).map_err(in_file(&file))?;
        // It does not belong to the workspace in whose target directory it is
        text += "\n[workspace]\n";
        let package = project.harness.package();
        if let Some(version) = &project.restored {
            // Cargo removes dependencies from a package that have a repository but no version
            text = format!("{text}\n[dev-dependencies.{package}]\nversion = \"={version}\"\n");
        }
        let mut manifest = manifest::parse(&text)?;
        let dependency = manifest::dependency(&mut manifest, package)
            .ok_or_else(|| format!("{project}: Cargo.toml has no section for {package}"))?;
        let (library, path) = project.harness.library(&command::root());
        manifest::replace(dependency, library, &path);
        let our_manifest = manifest.to_string();
        Ok(Sources { project, work, directory, original_manifest: text, our_manifest })
    }

    /// Writes a lock file that serves both harnesses. Returns the packages that were updated for this one.
    fn lock(&mut self) -> Result<Vec<String>, String> {
        let mut updated: Vec<String> = Vec::new();
        self.write("Cargo.toml", &self.original_manifest)?;
        let mut metadata = self.cargo(&["metadata", "--format-version=1"]);
        command::output(&mut metadata)?;
        loop {
            let lock = self.read("Cargo.lock")?;
            self.write("Cargo.toml", &self.our_manifest)?;
            let error = harness::run(&mut metadata).err().unwrap_or_default();
            self.write("Cargo.lock", &lock)?;
            self.write("Cargo.toml", &self.original_manifest)?;
            let package = match too_old_package(&error) {
                Some(package) if updated.len() < MAX_UPDATES => package.to_owned(),
                _ => return Ok(updated),
            };
            println!("{}: {package} is locked to a version that is too old", self.project);
            command::output(&mut self.cargo(&["update", &package]))?;
            updated.push(package);
        }
    }

    /// Runs all benchmark files under one harness.
    fn run(&self, run: &Run<'_>) -> Result<Outcome, String> {
        let home = self.work.join("results").join(run.name).join(self.project.directory());
        // An interrupted run leaves profiles, which iai-callgrind adds to those of the next
        harness::remove(&home)?;
        let mut outcome = Outcome { compiles: true, runs: true, counts: Vec::new() };
        for bench in &self.project.benches {
            let cargo = |arguments: &[&str]| {
                let mut cargo = self.cargo(&["bench", "--bench", bench]);
                if !self.project.features.is_empty() {
                    cargo.arg("--features").arg(self.project.features.join(","));
                }
                cargo.env("CARGO_TARGET_DIR", harness::target());
                cargo.env("IAI_CALLGRIND_HOME", &home).env("GUNGRAUN_HOME", &home);
                cargo.envs(run.variables.iter().copied()).args(arguments);
                cargo
            };
            let log = format!("logs/{}-{bench}-{}", self.project.directory(), run.name);
            let log = |stream: &str| self.work.join(format!("{log}.{stream}"));
            if !logged(&mut cargo(&["--no-run"]), log)? {
                return Ok(Outcome::default());
            }
            outcome.runs &= logged(&mut cargo(run.arguments), log)?;
            let output = fs::read(log("stdout")).map_err(in_file(&log("stdout")))?;
            outcome.counts.extend((run.counts)(&String::from_utf8_lossy(&output)));
        }
        Ok(outcome)
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

/// Runs a command with its output in files. Returns true if it succeeds.
fn logged(command: &mut Command, log: impl Fn(&str) -> PathBuf) -> Result<bool, String> {
    println!("$ {}", command::line(command));
    let create = |stream: &str| File::create(log(stream)).map_err(in_file(&log(stream)));
    command.stdin(Stdio::null()).stdout(create("stdout")?).stderr(create("stderr")?);
    let status = command.status().map_err(|error| format!("cargo can't be started: {error}"))?;
    if !status.success() {
        println!("failed: see {}", log("stderr").display());
    }
    Ok(status.success())
}

/// Returns the package whose locked version is older than the library needs, by cargo's error.
fn too_old_package(error: &str) -> Option<&str> {
    let (_, rest) = error.split_once("previously selected package `")?;
    rest.split_once(' ').map(|(package, _)| package)
}
