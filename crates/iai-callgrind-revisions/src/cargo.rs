//! The call of cargo that started this run, which also builds the benchmarks of the other revision.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_base::console;
use iai_callgrind_process::{self, RunningProcess};
use iai_callgrind_tools::executable::Unit;
use serde::Deserialize;
use toml::Value;

use super::cargo_arguments::{
    SELECTING, configuring, grouped, layout_arguments, value_of, without_replaced, words,
};
use super::error::{AgainstError, Result};
use super::packages::{Package, Packages, Target};
use super::place::TreePlace;
use super::wrapper;
use crate::git::forget_selection;

/// A call of `cargo bench`: program, arguments, directory and environment.
#[derive(Debug)]
pub struct CargoCall {
    pub(super) program: PathBuf,
    /// The arguments before `--`, without those that are set for the other revision.
    pub(super) arguments: Vec<OsString>,
    /// The target directory that the arguments name.
    pub(super) target: Option<PathBuf>,
    pub(super) directory: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// A benchmark file, as cargo names it.
#[derive(Debug, Clone)]
pub struct BenchmarkFile<'a> {
    /// The name of the package.
    pub package: &'a str,
    /// The name of the crate.
    pub name: &'a str,
}

/// The target of a benchmark file.
#[derive(Debug)]
pub struct BenchmarkTarget {
    pub package: String,
    /// The name in the manifest.
    pub target: String,
}

/// The work tree that is built, in place of this side's at `top`.
#[derive(Clone, Copy)]
pub(super) struct BuildPlace<'a> {
    pub(super) top: &'a Path,
    pub(super) place: &'a TreePlace,
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

impl CargoCall {
    /// Returns a call of this process, in this directory and with these arguments.
    pub fn new(directory: &Path, arguments: &[OsString]) -> Self {
        let call = Self {
            program: std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from),
            target: None,
            arguments: Vec::new(),
            directory: directory.to_owned(),
            environment: std::env::vars_os().collect(),
        };
        call.with_arguments(arguments)
    }

    /// Returns the same call with these arguments.
    pub(super) fn with_arguments(self, arguments: &[OsString]) -> Self {
        let target = value_of(arguments, "--target-dir").map(PathBuf::from);
        Self { target, arguments: without_replaced(arguments), ..self }
    }

    /// Returns everything that the build depends on, apart from the files, as text.
    pub(super) fn description(&self) -> String {
        let variables = description_of(&self.environment);
        format!("{} {:?} {variables}", self.program.display(), self.arguments)
    }

    /// Returns the packages of this side.
    pub(super) fn own_packages(&self) -> Result<Packages> {
        let mut command = self.configured_command();
        if let Some(target) = &self.target {
            command.env("CARGO_TARGET_DIR", self.directory.join(target));
        }
        Packages::read(command.current_dir(&self.directory), self.own_manifest().as_deref())
    }

    /// Returns the packages of the work tree in this place, instead of those of this side's at `top`.
    pub(super) fn packages(&self, top: &Path, place: &TreePlace) -> Result<Packages> {
        let mut command = self.configured_command();
        command.env("CARGO_TARGET_DIR", &place.target);
        place.enter(&mut command, &self.directory_in(top, &place.tree))?;
        Packages::read(&mut command, self.manifest(top, &place.tree).as_deref())
    }

    /// Returns the target directory of this side.
    pub fn target_directory(&self) -> Result<PathBuf> {
        Ok(self.own_packages()?.target_directory)
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

    /// Builds a benchmark file with another layout of this executable, which this option of the compiler decides about. Only
    /// the file itself is compiled again.
    ///
    /// # Errors
    ///
    /// Returns an error if it can't be linked, or if it is built in another way than the executable.
    pub(super) fn build_layout(
        &self,
        at: &BuildPlace<'_>,
        packages: &Packages,
        file: &BenchmarkFile<'_>,
        (executable, layout): (&Path, String),
    ) -> Result<Built> {
        let mut command = self.command();
        let target = packages.target(file).unwrap_or(file.name);
        command.args(layout_arguments(&self.arguments, file.package, target));
        // The options for the compiler come last
        let built = self.build_with(command, at, packages, file, &[layout])?;
        let built = built.ok_or_else(|| AgainstError::Layout { file: file.name.to_owned() })?;
        let unit = Unit::of(&at.place.own_path(&built.executable));
        if unit.is_none() || unit != Unit::of(executable) {
            return Err(AgainstError::OtherBuild { file: file.name.to_owned() }.into());
        }
        Ok(built)
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
        if packages.build_directory() != place.build {
            let directory = Value::String(place.build.to_string_lossy().into_owned());
            command.arg("--config").arg(format!("build.build-dir={directory}"));
        }
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
            iai_callgrind_base::note::print(&errors);
        }
        Ok(built)
    }

    /// Returns true if another program than the compiler may run it.
    pub(super) fn has_wrapper(&self) -> bool {
        wrapper::is_used(&self.directory, &self.environment, &self.arguments)
    }

    /// Returns the target of a benchmark file with this crate, in the package that has it or that the user names.
    pub fn target_of(&self, file: &str, package: Option<&str>) -> Result<BenchmarkTarget> {
        let packages = self.own_packages()?.all;
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
    pub fn version(&self) -> Result<String> {
        let mut command = self.command();
        command.current_dir(&self.directory).args(["--version", "--verbose"]);
        let output = iai_callgrind_process::output(&mut command)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns a command that reads the same configuration.
    fn configured_command(&self) -> Command {
        let mut command = self.command();
        command.args(configuring(&self.arguments));
        command
    }

    pub(super) fn command(&self) -> Command {
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
    fn selection(&self, packages: &Packages) -> Vec<OsString> {
        let options = grouped(&self.arguments).into_iter();
        words(options.filter(|option| {
            let value = option.value.as_ref().map(|value| value.to_string_lossy());
            let has = |value: &str| packages.has(&option.name, value);
            let is_known = !SELECTING.contains(&&*option.name) || value.is_none_or(|it| has(&it));
            is_known && option.name != "--manifest-path"
        }))
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

/// Returns the variables that a build depends on, as text.
pub(super) fn description_of(environment: &[(OsString, OsString)]) -> String {
    const PREFIXES: [&str; 9] =
        ["AR", "CARGO_", "CC", "CFLAGS", "CXX", "HOST_", "LDFLAGS", "RUST", "TARGET_"];
    const OTHERS: [&str; 4] = ["CARGO_TERM_", "CARGO_HOME", "RUST_BACKTRACE", "RUST_LOG"];
    let matters = |name: &str| {
        PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            && !OTHERS.iter().any(|prefix| name.starts_with(prefix))
    };
    let mut variables: Vec<_> =
        environment.iter().filter(|(name, _)| matters(&name.to_string_lossy())).collect();
    variables.sort();
    format!("{variables:?}")
}

impl Diagnostic {
    fn error(self) -> Option<String> {
        self.rendered.filter(|_| self.level == "error")
    }
}

#[cfg(test)]
mod tests;
