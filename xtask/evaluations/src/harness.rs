//! The harness of all evaluations: directories, builds and runs with the runner of this checkout, records, tables.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::{Args, ValueEnum};
use iai_callgrind_summary::Summary;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xtask::command::{self, in_file};
use xtask::install;
use xtask::machine::Machine;

/// The directory and the subjects of an evaluation.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Directory for downloads, builds, records and the table; by default in the target directory
    #[arg(long, value_name = "DIRECTORY")]
    work: Option<PathBuf>,
    /// Run only these, and take the others from the records of earlier runs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

impl Selection {
    /// Returns the directory of an evaluation, which is created with its parts.
    pub(crate) fn work(&self, evaluation: &str, parts: &[&str]) -> Result<PathBuf, String> {
        let default = || command::target().join("xtask").join(evaluation);
        let work = self.work.clone().unwrap_or_else(default);
        let work = std::path::absolute(&work).map_err(in_file(&work))?;
        for part in [""].iter().chain(parts) {
            let directory = work.join(part);
            fs::create_dir_all(&directory).map_err(in_file(&directory))?;
        }
        Ok(work)
    }

    /// Returns true if this subject is run.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|given| given == name)
    }

    /// Returns an error for a name that is not one of the subjects.
    pub(crate) fn check(&self, is_known: impl Fn(&str) -> bool) -> Result<(), String> {
        let unknown = self.names.iter().find(|name| !is_known(name));
        unknown.map_or(Ok(()), |name| Err(format!("{name}: not in the list")))
    }
}

/// The build profile of benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Profile {
    /// As many codegen units as the compiler chooses
    Default,
    /// `codegen-units = 1`, as the guide recommends
    One,
    /// `codegen-units = 1`, and each function starts at a cache line
    Aligned,
    /// `codegen-units = 1`, without optimization
    Unoptimized,
}

impl Profile {
    /// Returns the lines of the manifest.
    pub(crate) fn lines(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::One | Self::Aligned => "codegen-units = 1\n",
            Self::Unoptimized => "codegen-units = 1\nopt-level = 0\n",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value().ok_or(fmt::Error)?;
        f.pad(value.get_name())
    }
}

/// Builds and runs benchmarks.
#[derive(Debug)]
pub(crate) struct Bench {
    runner: PathBuf,
}

/// Returns the directory of cargo's builds, which share the library.
pub(crate) fn target() -> PathBuf {
    command::target().join("xtask/build")
}

impl Bench {
    /// Installs Valgrind, and builds the runner.
    pub(crate) fn new() -> Result<Self, String> {
        install::valgrind(&Machine::this())?;
        let arguments = ["build", "--quiet", "--release", "--package", "iai-callgrind-runner"];
        if !command::run(&mut command::cargo(arguments))?.success() {
            return Err("the runner could not be built".to_owned());
        }
        Ok(Self { runner: command::target().join("release/iai-callgrind-runner") })
    }

    /// Returns the command that runs a benchmark file of the package in this directory, with results in a home.
    pub(crate) fn cargo(
        &self,
        directory: &Path,
        file: &str,
        profile: Profile,
        home: &Path,
    ) -> Command {
        let mut cargo = command::cargo(["bench", "--quiet", "--bench", file]);
        self.prepare(&mut cargo, directory, home);
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        if profile == Profile::Aligned {
            cargo.env("RUSTFLAGS", "-Cllvm-args=-align-all-functions=6");
        }
        cargo.env("CARGO_TARGET_DIR", target());
        cargo
    }

    /// Sets a command up to run benchmarks in this directory, without settings from the user's
    /// environment.
    pub(crate) fn prepare(&self, command: &mut Command, directory: &Path, home: &Path) {
        let others = std::env::vars_os().map(|(name, _)| name);
        for name in others.filter(|name| name.to_string_lossy().starts_with("IAI_CALLGRIND_")) {
            command.env_remove(name);
        }
        command.current_dir(directory);
        command.env("IAI_CALLGRIND_RUNNER", &self.runner).env("IAI_CALLGRIND_HOME", home);
    }
}

/// Runs benchmarks, and returns their summaries.
pub(crate) fn summaries(command: &mut Command) -> Result<Vec<Summary>, String> {
    Summary::read_all(&run(command)?).map_err(|error| error.to_string())
}

/// Runs benchmarks, and returns their output. The error is that of the benchmarks.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| format!("{} can't be started: {error}", command::line(command)))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Removes a directory, if it is there.
pub(crate) fn remove(directory: &Path) -> Result<(), String> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(in_file(directory)(error)),
        _ => Ok(()),
    }
}

/// Writes a record.
pub(crate) fn write_record(file: &Path, record: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(record).map_err(in_file(file))?;
    fs::write(file, text + "\n").map_err(in_file(file))
}

/// Reads the record of an earlier run. Returns `None` if there is none.
pub(crate) fn read_record<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, String> {
    match fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(in_file(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(in_file(file)(error)),
    }
}

/// Returns a row of a table in Markdown.
pub(crate) fn row(cells: &[impl fmt::Display]) -> String {
    let cells = cells.iter().map(|cell| format!(" {cell} |"));
    format!("|{}\n", cells.collect::<String>())
}

/// Returns the first two lines of a table in Markdown.
pub(crate) fn header(columns: &[impl fmt::Display]) -> String {
    row(columns) + "|" + &" --- |".repeat(columns.len()) + "\n"
}

/// Prints tables, and writes them into the directory of their evaluation.
pub(crate) fn publish(work: &Path, evaluation: &str, tables: &str) -> Result<ExitCode, String> {
    let file = work.join(evaluation).with_extension("md");
    fs::write(&file, tables).map_err(in_file(&file))?;
    println!("\n{tables}\nwritten to {}", file.display());
    Ok(ExitCode::SUCCESS)
}
