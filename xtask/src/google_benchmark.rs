//! `cargo xtask google-benchmark`: a prefix with which projects of C++ count their Google Benchmark files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use xtask::command;

/// The package with the headers and the files of build systems.
const PACKAGE: &str = "iai-callgrind-google-benchmark";

/// Files of the package, each with its directory in the prefix.
const FILES: [(&str, &str); 5] = [
    ("cmake/CMakeLists.txt", ""),
    ("cmake/benchmarkConfig.cmake", "lib/cmake/benchmark"),
    ("cmake/benchmarkConfigVersion.cmake", "lib/cmake/benchmark"),
    ("cmake/benchmark.pc", "lib/pkgconfig"),
    ("cmake/benchmark_main.pc", "lib/pkgconfig"),
];

/// Options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Directory of the prefix, which is created
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    /// Take this runner instead of building one
    #[arg(long, value_name = "PATH")]
    runner: Option<PathBuf>,
}

/// Makes the prefix.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    let prefix = std::path::absolute(&options.prefix).map_err(|error| error.to_string())?;
    let package = command::root().join("crates").join(PACKAGE);
    install_headers(&package, &prefix)?;
    for (file, directory) in FILES {
        copy(&package.join(file), &prefix.join(directory))?;
    }
    build(&["--profile=google-benchmark", "--package", PACKAGE])?;
    let library = command::target().join("google-benchmark/libiai_callgrind_google_benchmark.a");
    benchmark_library(&library, directory(&prefix.join("lib"))?)?;
    main_library(&package, &prefix.join("lib"))?;
    let runner = if let Some(runner) = &options.runner {
        runner.clone()
    } else {
        build(&["--release", "--package", "iai-callgrind-runner"])?;
        command::target().join("release/iai-callgrind-runner")
    };
    copy(&runner, &prefix.join("bin"))?;
    println!("{}: cmake -Dbenchmark_ROOT={0} ...", prefix.display());
    Ok(ExitCode::SUCCESS)
}

/// Copies the headers.
fn install_headers(package: &Path, prefix: &Path) -> Result<(), String> {
    let headers = package.join("include/benchmark");
    let entries = fs::read_dir(&headers).map_err(|error| error.to_string())?;
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        copy(&entry.path(), &prefix.join("include/benchmark"))?;
    }
    Ok(())
}

/// Copies the library without the intermediate code of Rust's standard library, because linkers with another LLVM
/// refuse it when Clang optimizes at link time. Debug information is left out too, because Valgrind would read it at
/// each start. Most of it belongs to the standard library, and no result names a line of the harness.
fn benchmark_library(built: &Path, library: &Path) -> Result<(), String> {
    let mut copy = command::new("objcopy");
    copy.args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    succeed(copy.arg(built).arg(library.join("libbenchmark.a")))
}

/// Makes the library with a `main`.
fn main_library(package: &Path, library: &Path) -> Result<(), String> {
    let object = command::target().join("google-benchmark/benchmark_main.o");
    let archive = library.join("libbenchmark_main.a");
    let mut compiler = command::new("cc");
    succeed(compiler.arg("-O2").arg("-c").arg(package.join("src/main.c")).arg("-o").arg(&object))?;
    succeed(command::new("ar").arg("rcs").arg(&archive).arg(&object))
}

fn build(arguments: &[&str]) -> Result<(), String> {
    succeed(command::cargo(["build", "--quiet"]).args(arguments))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command::run(command)?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed", command::line(command))) }
}

/// Copies a file into a directory.
fn copy(file: &Path, to: &Path) -> Result<(), String> {
    let to = directory(to)?.join(file.file_name().unwrap_or_default());
    let copied = fs::copy(file, to).map(drop);
    copied.map_err(|error| format!("{} can't be copied: {error}", file.display()))
}

/// Creates a directory.
fn directory(path: &Path) -> Result<&Path, String> {
    let created = fs::create_dir_all(path).map(|()| path);
    created.map_err(|error| format!("{} can't be created: {error}", path.display()))
}
