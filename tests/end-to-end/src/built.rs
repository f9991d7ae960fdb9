//! Has cargo build the benchmark executables and the runner, once per test process.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::skip::need;

/// Variable with the names of benchmark files, for a few tests that need no others.
const WANTED: &str = "TESTED_BENCHMARKS";

/// Returns the executable of the benchmark file with this name, or what takes its place.
#[must_use]
pub fn benchmark(name: &str) -> &'static Path {
    static BUILT: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    if let Some(stored) = stored_benchmark().filter(|_| env::var_os("STORED_RECORD").is_none()) {
        return stored;
    }
    let built = BUILT.get_or_init(|| {
        let wanted = env::var(WANTED).ok();
        let wanted: Vec<_> = wanted.iter().flat_map(|names| names.split(' ')).collect();
        let named = wanted.iter().flat_map(|name| ["--bench", name]);
        let files: Vec<_> = if wanted.is_empty() { vec!["--benches"] } else { named.collect() };
        build(&[&["bench", "--no-run", "--package", "benchmark-tests"][..], &files].concat())
    });
    built.get(name).unwrap_or_else(|| panic!("no benchmark file {name} among {built:?}"))
}

/// Returns the executable of one of the files of Criterion or its twins, built without optimizations.
#[must_use]
pub(crate) fn unoptimized_benchmark(name: &str) -> &'static Path {
    static BUILT: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        need("cargo");
        let files = ["criterion_file", "criterion_twin"].map(|file| ["--bench", file]).concat();
        // With the features of all packages, so that the dependencies are those of `cargo test`
        build(&[&["bench", "--no-run", "--profile", "dev"][..], &files].concat())
    });
    built.get(name).unwrap_or_else(|| panic!("no benchmark file {name} among {built:?}"))
}

/// Returns the program that takes the place of all benchmark executables and the runner in the tests of stored cases. Cargo
/// sets the variable for those alone.
fn stored_benchmark() -> Option<&'static Path> {
    static STORED: OnceLock<Option<PathBuf>> = OnceLock::new();
    STORED.get_or_init(|| env::var_os("CARGO_BIN_EXE_stored-benchmark").map(Into::into)).as_deref()
}

/// Returns the runner, built from the library that `cargo test` builds.
#[must_use]
pub fn runner() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(stored) = stored_benchmark() {
        return stored;
    }
    BUILT.get_or_init(|| {
        let name = "iai-callgrind-runner";
        // With the features of all packages, like the files above. A test adds those of what only tests depend on
        let mut built = build(&["build", "--bin", name, "--test", "e2e"]);
        built.remove(name).expect("cargo says where the runner is")
    })
}

/// Returns the library that kills a process at one of its renames.
pub(crate) fn kill_at_rename() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut built = build(&["build", "--package", "kill-at-rename"]);
        built.remove("kill_at_rename").expect("cargo says where the library is")
    })
}

/// Returns the workspace. Cargo sets the package's directory when it runs the test; the value at build time may belong
/// to another checkout that shares the target directory.
#[must_use]
pub fn checkout() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).ancestors().nth(2).expect("the package is in a workspace").to_owned()
}

/// Returns the target directory that this test was built in, however that was configured. What the tests build goes
/// there too.
#[must_use]
pub fn target_directory() -> PathBuf {
    let test = env::current_exe().expect("the test has a path");
    let is_target = |directory: &&Path| directory.join("CACHEDIR.TAG").is_file();
    test.ancestors().find(is_target).expect("cargo marks its target directory").to_owned()
}

/// Returns the cargo that runs the tests.
pub(crate) fn cargo() -> Command {
    let mut c = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.env_remove("RUSTC_BOOTSTRAP");
    c
}

/// Has cargo build in the workspace. Returns the executables, and the libraries for C, by their targets' names.
fn build(arguments: &[&str]) -> HashMap<String, PathBuf> {
    let mut cargo = cargo();
    cargo.args(arguments).arg("--message-format=json-render-diagnostics");
    cargo.arg("--target-dir").arg(target_directory()).current_dir(checkout());
    executables(&mut cargo)
}

/// Runs cargo, which prints messages in JSON. Returns what it built by the targets' names.
pub(crate) fn executables(cargo: &mut Command) -> HashMap<String, PathBuf> {
    let output = cargo.stdin(Stdio::null()).output().expect("cargo can be run");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{cargo:?} failed:\n{errors}");
    String::from_utf8_lossy(&output.stdout).lines().filter_map(executable).collect()
}

/// Returns the target's name and its file in a line of cargo's messages, if it names an executable or a library for
/// C.
fn executable(message: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let name = message["target"]["name"].as_str()?;
    let library = || {
        let is_library = message["target"]["crate_types"][0] == "cdylib";
        is_library.then(|| message["filenames"][0].as_str())?
    };
    Some((name.to_owned(), message["executable"].as_str().or_else(library)?.into()))
}
