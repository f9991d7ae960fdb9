//! The library and a crate with benchmarks compile on macOS and Windows, and the runner compiles on macOS.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use xtask::command;
use xtask::outcome::Outcome;
use xtask::package;
use xtask::tally;

use crate::rustup;

/// The targets of the library.
const TARGETS: &[&str] = &["x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

/// The target of the runner.
const RUNNER_TARGET: &str = "aarch64-apple-darwin";

/// Benchmark files of functions and of commands that need no program of their package.
const BENCHMARKS: &[&str] = &["my_binary_benchmark", "order", "places", "quickstart"];

/// Checks the crates, if rustup has the targets.
pub(crate) fn check() -> Outcome {
    if let Err(reason) = rustup::add_targets(TARGETS) {
        return Outcome::Skipped(reason);
    }
    let directory = command::target().join("platforms");
    if let Err(error) = write_crate(&directory) {
        return Outcome::Failed(vec![error]);
    }
    let mut library = cargo_check(&directory);
    library.arg("--benches").current_dir(&directory);
    for target in TARGETS {
        library.args(["--target", target]);
    }
    let mut runner = cargo_check(&directory);
    runner.args(["--locked", "-p", "iai-callgrind-runner", "--target", RUNNER_TARGET]);
    tally::outcomes([library, runner])
}

fn cargo_check(directory: &Path) -> Command {
    let mut check = command::cargo(["check", "--target-dir"]);
    check.arg(directory.join("build")).env("RUSTFLAGS", "-D warnings");
    check
}

/// Writes a crate that depends on the library and has benchmark files of functions and of commands.
fn write_crate(directory: &Path) -> Result<(), String> {
    let root = command::root();
    let mut manifest = format!(
        "[package]\nname = \"platforms\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies.iai-callgrind-summary]\npath = \"{root}/crates/iai-callgrind-summary\"\n\n\
         [dependencies.iai-callgrind]\npath = \"{root}/iai-callgrind\"\n\
         features = [\"client_requests\"]\n",
        root = root.display()
    );
    for name in BENCHMARKS {
        let path = root.join("benchmark-tests/benches").join(name);
        write!(
            manifest,
            "\n[[bench]]\nname = \"{name}\"\npath = \"{}.rs\"\nharness = false\n",
            path.display()
        )
        .expect("a string takes all");
    }
    package::write(directory, &[("Cargo.toml", &manifest), ("src/lib.rs", "")])
}
