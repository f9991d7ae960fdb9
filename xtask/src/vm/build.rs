//! The cross build: what the tests need of cargo, and what cargo printed when it built that.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};
use xtask::install::Program;

/// The target of rustc.
pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The linker of programs for it.
pub(crate) const LINKER: Program = Program {
    name: "aarch64-linux-gnu-gcc",
    packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
};

/// The arguments of the build of the end-to-end tests.
const TESTS: &[&str] = &["test", "--no-run", "--test", "e2e"];

/// The argument that selects all benchmark files of a package.
const ALL_BENCHMARKS: &str = "--benches";

/// The calls of the tests (`tests/end-to-end/src/built.rs`).
const CALLS: &[&[&str]] = &[
    &["bench", "--no-run", "--package", "benchmark-tests", ALL_BENCHMARKS],
    &["build", "--bin", "iai-callgrind-runner", "--test", "e2e"],
    &["build", "--package", "kill-at-rename"],
];

/// Programs for a machine.
#[derive(Debug)]
pub(crate) struct Built {
    /// The executable of the end-to-end tests.
    pub(crate) tests: PathBuf,
    /// The script that takes cargo's place: it prints what cargo printed here.
    pub(crate) cargo: PathBuf,
    /// All files that the machine needs, next to the sources.
    pub(crate) files: Vec<PathBuf>,
}

/// Builds everything, in a target directory of its own. Of the benchmark files only the given ones, or all if none is given.
pub(crate) fn build(benchmarks: &[&str]) -> Result<Built, String> {
    let target = command::target().join("vm");
    let messages = cargo(TESTS, &target)?;
    let mut files: Vec<_> = files(&messages).collect();
    let tests = files.last().cloned().ok_or("cargo built no end-to-end tests")?;
    let mut answers = String::new();
    for (number, call) in CALLS.iter().enumerate() {
        let selected = benchmarks.iter().flat_map(|name| ["--bench", name]);
        let arguments: Vec<_> = if benchmarks.is_empty() || !call.contains(&ALL_BENCHMARKS) {
            call.to_vec()
        } else {
            call.iter().copied().filter(|word| *word != ALL_BENCHMARKS).chain(selected).collect()
        };
        let messages = cargo(&arguments, &target)?;
        files.extend(self::files(&messages));
        let file = target.join(format!("messages-{number}"));
        fs::write(&file, messages).map_err(in_file(&file))?;
        let shown = command::quoted(&file.to_string_lossy()).into_owned();
        answers = format!("{answers}'{} '*) exec cat {shown} ;;\n", call.join(" "));
        files.push(file);
    }
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n{answers}esac\necho 'no cargo in this machine' >&2\nexit 1\n"
    );
    let cargo = target.join("cargo");
    fs::write(&cargo, script).map_err(in_file(&cargo))?;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).map_err(in_file(&cargo))?;
    files.extend([cargo.clone(), target.join(TARGET).join("CACHEDIR.TAG")]);
    Ok(Built { tests, cargo, files })
}

/// Runs cargo for the target. Returns its messages.
fn cargo(arguments: &[&str], target: &Path) -> Result<String, String> {
    let mut cargo = command::cargo(arguments.iter().copied());
    let variable = TARGET.replace('-', "_").to_uppercase();
    cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), LINKER.name);
    cargo.args(["--target", TARGET, "--target-dir"]).arg(target);
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
