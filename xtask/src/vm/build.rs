//! The cross build: what the tests need of cargo, and what cargo printed when it built that.

use std::path::{Path, PathBuf};
use std::time::Instant;

use xtask::command;

use crate::vm::architecture::Architecture;

/// A call of cargo.
struct Build {
    /// The name of the file with its messages.
    name: &'static str,
    arguments: &'static [&'static str],
}

/// The end-to-end tests.
const TESTS: Build = Build { name: "tests", arguments: &["test", "--no-run", "--test", "e2e"] };

/// The argument that selects all benchmark files of a package.
const ALL_BENCHMARKS: &str = "--benches";

/// The calls of the tests (`tests/end-to-end/src/built.rs`).
const CALLS: &[Build] = &[
    Build {
        name: "benchmarks",
        arguments: &["bench", "--no-run", "--package", "benchmark-tests", ALL_BENCHMARKS],
    },
    Build {
        name: "runner",
        arguments: &["build", "--bin", "iai-callgrind-runner", "--test", "e2e"],
    },
    Build { name: "kill-at-rename", arguments: &["build", "--package", "kill-at-rename"] },
];

/// Programs for a machine.
#[derive(Debug)]
pub(crate) struct Built {
    /// The executable of the end-to-end tests.
    pub(crate) tests: PathBuf,
    /// All files that cargo built for the machine, and those that mark its target directory.
    pub(crate) files: Vec<PathBuf>,
    /// The messages of cargo by the start of the call.
    pub(crate) answers: Vec<Answer>,
}

/// The messages of a call of cargo.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The name of a file for it.
    pub(crate) name: &'static str,
    /// The start of the arguments.
    pub(crate) call: String,
    pub(crate) messages: String,
}

/// Adds the standard library of the target to the toolchain where that is possible.
pub(crate) fn prepare(architecture: &Architecture) -> Result<(), String> {
    let target = architecture.target;
    let mut libraries = command::new("rustc");
    let libraries = command::output(libraries.args(["--print=target-libdir", "--target", target]))?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    command::output(command::new("rustup").args(["target", "add", target])).map(drop)
}

/// Builds everything for the architecture, in a target directory of its own. Of the benchmark files only the given ones, or
/// all if none is given.
pub(crate) fn build(architecture: &Architecture, benchmarks: &[&str]) -> Result<Built, String> {
    let start = Instant::now();
    let target = command::target().join("vm");
    let messages = cargo(TESTS.arguments, architecture, &target)?;
    let mut files: Vec<_> = files(&messages).collect();
    let tests = files.last().cloned().ok_or("cargo built no end-to-end tests")?;
    let mut answers = Vec::new();
    for build in CALLS {
        let (selection, fixed) = build.arguments.split_last().ok_or("a call has arguments")?;
        let arguments = if *selection == ALL_BENCHMARKS && !benchmarks.is_empty() {
            let selected = benchmarks.iter().flat_map(|name| ["--bench", name]);
            fixed.iter().copied().chain(selected).collect()
        } else {
            build.arguments.to_vec()
        };
        let messages = cargo(&arguments, architecture, &target)?;
        files.extend(self::files(&messages));
        answers.push(Answer { name: build.name, call: build.arguments.join(" "), messages });
    }
    files.push(target.join(architecture.target).join("CACHEDIR.TAG"));
    println!("build: {:.1} s", start.elapsed().as_secs_f64());
    Ok(Built { tests, files, answers })
}

/// Runs cargo for the target. Returns its messages.
fn cargo(arguments: &[&str], architecture: &Architecture, target: &Path) -> Result<String, String> {
    let mut cargo = command::cargo(arguments.iter().copied());
    let variable = architecture.target.replace('-', "_").to_uppercase();
    cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), architecture.linker.name);
    cargo.args(["--target", architecture.target, "--target-dir"]).arg(target);
    cargo.arg("--message-format=json-render-diagnostics");
    println!("$ {}", command::line(&cargo));
    let output = cargo.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo can't be started: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(command::line(&cargo))
    }
}

/// Returns the executables and the libraries for C that messages of cargo name.
fn files(messages: &str) -> impl Iterator<Item = PathBuf> + '_ {
    messages.lines().filter_map(|message| {
        let start = if message.contains(r#""crate_types":["cdylib"]"#) {
            r#""filenames":[""#
        } else {
            r#""executable":""#
        };
        let (_, path) = message.split_once(start)?;
        Some(PathBuf::from(path.split('"').next()?))
    })
}
