//! The call of cargo that started this run, which also builds the benchmarks of the other revision.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::cargo_arguments::{
    SELECTING, grouped, layout_arguments, target_directory, value_of, without_replaced,
};
use super::error::AgainstError;
use super::place::Place;
use super::wrapper;
use crate::console;
use crate::error::Result;
use crate::git::forget_selection;
use crate::note;
use crate::process::{self, RunningProcess};

/// Commands of cargo that do not run benchmarks.
const OTHER_COMMANDS: [&str; 6] = ["b", "build", "r", "run", "t", "test"];

/// A call of `cargo bench`: program, arguments, directory and environment.
#[derive(Debug)]
pub(crate) struct CargoCall {
    program: PathBuf,
    /// The arguments before `--`, without those that are set for the other revision.
    arguments: Vec<OsString>,
    /// The target directory that the arguments name.
    target: Option<PathBuf>,
    pub(super) directory: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// A benchmark file, as cargo names it.
#[derive(Debug, Clone)]
pub(crate) struct BenchmarkFile<'a> {
    /// The name of the package.
    pub(crate) package: &'a str,
    /// The name of the crate.
    pub(crate) name: &'a str,
}

/// The target of a benchmark file.
#[derive(Debug)]
pub(crate) struct BenchmarkTarget {
    pub(crate) package: String,
    /// The name in the manifest.
    pub(crate) target: String,
}

/// The work tree that is built, in place of this side's at `top`.
#[derive(Clone, Copy)]
pub(super) struct BuildPlace<'a> {
    pub(super) top: &'a Path,
    pub(super) place: &'a Place,
    /// The flags of the compiler; `None` for those of the call.
    pub(super) flags: Option<&'a str>,
}

/// A benchmark executable.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub(super) executable: PathBuf,
    /// The directory of its package.
    pub(super) package: PathBuf,
}

/// Packages as `cargo metadata` lists them.
#[derive(Debug, Deserialize)]
pub(super) struct Packages {
    packages: Vec<Package>,
    #[serde(default)]
    target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// A line of cargo's output.
#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    target: Option<Target>,
    #[serde(default)]
    manifest_path: Option<PathBuf>,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default, rename = "message")]
    diagnostic: Option<Diagnostic>,
}

#[derive(Debug, Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

impl Target {
    /// Returns true for the target of the benchmark file with this crate.
    fn is(&self, file: &BenchmarkFile<'_>) -> bool {
        self.kind.iter().any(|kind| kind == "bench") && self.name.replace('-', "_") == file.name
    }
}

impl Packages {
    /// Returns the manifest of the package of a benchmark file, if there is this file.
    pub(super) fn manifest_of(&self, file: &BenchmarkFile<'_>) -> Option<&Path> {
        let package = self.package(file.package)?;
        let has_file = package.targets.iter().any(|target| target.is(file));
        has_file.then_some(&package.manifest_path)
    }

    /// Returns the name of the target of a benchmark file.
    fn target(&self, file: &BenchmarkFile<'_>) -> Option<&str> {
        let targets = &self.package(file.package)?.targets;
        targets.iter().find(|target| target.is(file)).map(|target| &*target.name)
    }

    fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Returns true if there is the package or target that the value of this option selects.
    fn has(&self, option: &str, value: &str) -> bool {
        if option != "--bench" {
            return self.package(value).is_some();
        }
        let mut targets = self.packages.iter().flat_map(|package| &package.targets);
        // A pattern is cargo's
        value.contains(['*', '?', '[']) || targets.any(|target| target.name == value)
    }
}

impl CargoCall {
    /// Returns the call of the cargo that started the benchmark executable, and this process with it.
    pub(crate) fn of_parents() -> Result<Self> {
        let mut process = parent_id();
        while process > 1 {
            let directory = PathBuf::from(format!("/proc/{process}"));
            let program = fs::read_link(directory.join("exe")).unwrap_or_default();
            if program.file_name() == Some(OsStr::new("cargo")) {
                return Self::of_process(&directory, program).ok_or(AgainstError::NoCargo.into());
            }
            process = parent_of(&directory).ok_or(AgainstError::NoCargo)?;
        }
        Err(AgainstError::NoCargo.into())
    }

    /// Reads the call from the directory of a process.
    fn of_process(process: &Path, program: PathBuf) -> Option<Self> {
        let words = |name: &str| {
            let text = fs::read(process.join(name)).ok()?;
            let words = text.split(|byte| *byte == 0).filter(|word| !word.is_empty());
            Some(words.map(|word| OsString::from_vec(word.to_owned())).collect::<Vec<_>>())
        };
        let arguments = words("cmdline")?.into_iter().skip(1).take_while(|word| word != "--");
        let arguments: Vec<_> = arguments.collect();
        let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-");
        let command = arguments.iter().find(|word| !is_option(word))?;
        if OTHER_COMMANDS.iter().any(|other| command == other) {
            return None;
        }
        let variable = |word: OsString| {
            let bytes = word.as_bytes();
            let end = bytes.iter().position(|byte| *byte == b'=')?;
            let [name, value] = [&bytes[..end], &bytes[end + 1..]].map(OsStr::from_bytes);
            Some((name.to_owned(), value.to_owned()))
        };
        Some(Self {
            program,
            target: target_directory(&arguments),
            arguments: without_replaced(&arguments),
            directory: fs::read_link(process.join("cwd")).ok()?,
            environment: words("environ")?.into_iter().filter_map(variable).collect(),
        })
    }

    /// Returns a call of this process, in this directory and with these arguments.
    pub(crate) fn new(directory: &Path, arguments: &[OsString]) -> Self {
        Self {
            program: std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from),
            target: target_directory(arguments),
            arguments: without_replaced(arguments),
            directory: directory.to_owned(),
            environment: std::env::vars_os().collect(),
        }
    }

    /// Returns everything that the build depends on, apart from the files, as text.
    pub(super) fn description(&self) -> String {
        const PREFIXES: [&str; 9] =
            ["AR", "CARGO_", "CC", "CFLAGS", "CXX", "HOST_", "LDFLAGS", "RUST", "TARGET_"];
        const OTHERS: [&str; 4] = ["CARGO_TERM_", "CARGO_HOME", "RUST_BACKTRACE", "RUST_LOG"];
        let matters = |name: &str| {
            PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                && !OTHERS.iter().any(|prefix| name.starts_with(prefix))
        };
        let mut variables: Vec<_> =
            self.environment.iter().filter(|(name, _)| matters(&name.to_string_lossy())).collect();
        variables.sort();
        format!("{} {:?} {variables:?}", self.program.display(), self.arguments)
    }

    /// Returns the packages of this side.
    pub(super) fn own_packages(&self) -> Result<Packages> {
        let mut command = self.command();
        read_packages(command.current_dir(&self.directory), self.own_manifest().as_deref())
    }

    /// Returns the packages of the work tree in this place, instead of those of this side's at `top`.
    pub(super) fn packages(&self, top: &Path, place: &Place) -> Result<Packages> {
        let mut command = self.command();
        place.enter(&mut command, &self.directory_in(top, &place.tree))?;
        read_packages(&mut command, self.manifest(top, &place.tree).as_deref())
    }

    /// Returns the target directory of this side.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        match &self.target {
            Some(target) => Ok(self.directory.join(target)),
            None => Ok(self.own_packages()?.target_directory),
        }
    }

    /// Builds the benchmarks that the call selects. Returns the executable of a benchmark file; `None` if it could not be built.
    pub(super) fn build(
        &self,
        at: &BuildPlace<'_>,
        packages: &Packages,
        file: &BenchmarkFile<'_>,
    ) -> Result<Option<Built>> {
        let mut command = self.command();
        command.args(self.selection(packages)).arg("--no-run");
        self.build_with(command, at, packages, file, &[])
    }

    /// Builds a benchmark file with another layout, which this option of the compiler decides about. Only the file itself is
    /// compiled again.
    ///
    /// # Errors
    ///
    /// Returns an error if it can't be linked.
    pub(super) fn build_layout(
        &self,
        at: &BuildPlace<'_>,
        packages: &Packages,
        file: &BenchmarkFile<'_>,
        layout: String,
    ) -> Result<Built> {
        let mut command = self.command();
        let target = packages.target(file).unwrap_or(file.name);
        command.args(layout_arguments(&self.arguments, file.package, target));
        // The options for the compiler come last
        let built = self.build_with(command, at, packages, file, &[layout])?;
        Ok(built.ok_or_else(|| AgainstError::Layout { file: file.name.to_owned() })?)
    }

    /// Has a command of cargo build a benchmark file. Returns the executable; `None` if it could not be built.
    fn build_with(
        &self,
        mut command: Command,
        at: &BuildPlace<'_>,
        packages: &Packages,
        file: &BenchmarkFile<'_>,
        compiler: &[String],
    ) -> Result<Option<Built>> {
        let BuildPlace { top, place, flags } = *at;
        place.enter(&mut command, &self.directory_in(top, &place.tree))?;
        // Files of the configuration above the work tree would be read twice
        if let Some(flags) = flags {
            command.env("CARGO_ENCODED_RUSTFLAGS", flags);
        }
        if let Some(manifest) = self.manifest(top, &place.tree) {
            command.arg("--manifest-path").arg(manifest);
        }
        command.args(["--message-format=json", "--target-dir"]).arg(&place.target);
        if !console::stderr_is_terminal() {
            command.arg("--quiet");
        }
        if !compiler.is_empty() {
            command.arg("--").args(compiler);
        }
        let mut running = RunningProcess::start(command.stdout(Stdio::piped()))?;
        let lines = running.child.stdout.take().map(BufReader::new);
        let (mut built, mut errors) = (None, String::new());
        for line in lines.into_iter().flat_map(BufRead::lines).map_while(io::Result::ok) {
            let Ok(message) = serde_json::from_str::<Message>(&line) else { continue };
            errors.extend(message.diagnostic.into_iter().filter_map(Diagnostic::error));
            let is_file = message.target.is_some_and(|target| target.is(file));
            let manifest = message.manifest_path.filter(|_| is_file);
            let is_package =
                |path: &PathBuf| packages.manifest_of(file).is_some_and(|known| known == path);
            if let Some(package) = manifest.filter(is_package) {
                let package = package.parent().unwrap_or(&place.tree).to_owned();
                let executable = message.executable;
                built = built.or(executable.map(|executable| Built { executable, package }));
            }
        }
        running.wait(None)?;
        if built.is_none() {
            note::print(&errors);
        }
        Ok(built)
    }

    /// Returns true if another program than the compiler may run it.
    pub(super) fn has_wrapper(&self) -> bool {
        wrapper::is_used(&self.directory, &self.environment, &self.arguments)
    }

    /// Returns the target of a benchmark file with this crate, in the package that has it or that the user names.
    pub(crate) fn target_of(&self, file: &str, package: Option<&str>) -> Result<BenchmarkTarget> {
        let packages = self.own_packages()?.packages;
        let target = |candidate: &Package| {
            let file = BenchmarkFile { package: &candidate.name, name: file };
            let target = candidate.targets.iter().find(|target| target.is(&file))?;
            let (package, target) = (candidate.name.clone(), target.name.clone());
            Some(BenchmarkTarget { package, target })
        };
        let is_named = |candidate: &&Package| package.is_none_or(|name| name == candidate.name);
        let found: Vec<_> = packages.iter().filter(is_named).filter_map(target).collect();
        <[BenchmarkTarget; 1]>::try_from(found).map(|[found]| found).map_err(|found| {
            let packages = found.into_iter().map(|found| found.package).collect();
            AgainstError::BenchmarkFile { file: file.to_owned(), packages }.into()
        })
    }

    /// Returns the version of cargo, with its commit and the machine.
    pub(crate) fn version(&self) -> Result<String> {
        let mut command = self.command();
        command.current_dir(&self.directory).args(["--version", "--verbose"]);
        let output = process::output(&mut command)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.environment.iter().cloned()).stdin(Stdio::null());
        // Build scripts ask for the commit that they are built from
        forget_selection(&mut command);
        command
    }

    /// Returns the directory of the call in another work tree.
    fn directory_in(&self, top: &Path, tree: &Path) -> PathBuf {
        let directory = self.directory.strip_prefix(top).map(|path| tree.join(path));
        directory.unwrap_or_else(|_| tree.to_owned())
    }

    /// Returns the arguments of the build without names that the other revision does not have.
    fn selection(&self, packages: &Packages) -> Vec<&OsStr> {
        let mut selection: Vec<&OsStr> = Vec::new();
        for (option, words) in grouped(&self.arguments) {
            let value = words.last().map(|word| word.to_string_lossy()).unwrap_or_default();
            let value = value.split_once('=').map_or(&*value, |(_, value)| value);
            let is_known = !SELECTING.contains(&&*option) || packages.has(&option, value);
            if is_known && option != "--manifest-path" {
                selection.extend(words.iter().map(OsString::as_os_str));
            }
        }
        selection
    }

    /// Returns the manifest that the call names, in another work tree.
    fn manifest(&self, top: &Path, tree: &Path) -> Option<PathBuf> {
        self.own_manifest()?.strip_prefix(top).map(|path| tree.join(path)).ok()
    }

    /// Returns the manifest that the call names.
    fn own_manifest(&self) -> Option<PathBuf> {
        let value = value_of(&self.arguments, "--manifest-path")?;
        self.directory.join(value).canonicalize().ok()
    }
}

/// Runs this call of cargo with a subcommand that prints the packages.
fn read_packages(command: &mut Command, manifest: Option<&Path>) -> Result<Packages> {
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    if let Some(manifest) = manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = process::output(command)?;
    if !output.status.success() {
        let output = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        return Err(AgainstError::CargoMetadata { output }.into());
    }
    let failed =
        |error: serde_json::Error| AgainstError::CargoMetadata { output: error.to_string() };
    Ok(serde_json::from_slice(&output.stdout).map_err(failed)?)
}

impl Diagnostic {
    fn error(self) -> Option<String> {
        self.rendered.filter(|_| self.level == "error")
    }
}

/// Returns the parent of the process with this directory.
fn parent_of(process: &Path) -> Option<u32> {
    let text = fs::read_to_string(process.join("stat")).ok()?;
    // The name of the program, in brackets, can contain any character
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests;
