//! `cargo xtask fuzz`: each parser gets damaged copies of real files, for a bounded time.
//!
//! Inputs that reach new code are kept in `target/fuzz/corpus`, failing ones in `target/fuzz/artifacts`. Every
//! run starts with the corpus in `fuzz/corpus` and the fixtures.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use iai_callgrind_runner::fuzzing::{TARGETS, Target};
use tempfile::TempDir;

use crate::command;
use crate::outcome::Outcome;
use crate::rustup;
use crate::subcommand;
use crate::tally;

/// The most that a fuzzer may use for an input: seconds, and in all MiB
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=1024"];

/// Runs the given fuzzers or all of them, each for this many seconds
pub(crate) fn run(names: &[String], seconds: u32) -> Result<ExitCode, String> {
    let is_given = |target: &&Target| names.is_empty() || names.iter().any(|it| it == target.name);
    if let Some(name) = names.iter().find(|name| TARGETS.iter().all(|it| it.name != **name)) {
        let all = TARGETS.map(|target| target.name).join(", ");
        return Err(format!("there is no fuzzer `{name}`: take one of {all}"));
    }
    subcommand::install("fuzz")?;
    let mut build = fuzz("build")?;
    if !command::run(&mut build)?.success() {
        return Err(format!("`{}` failed", command::line(&build)));
    }
    Ok(tally::of(TARGETS.iter().filter(is_given).map(|target| {
        let outcome = run_one(target, seconds);
        (target.name, outcome.unwrap_or_else(|error| Outcome::Failed(vec![error])))
    })))
}

fn run_one(target: &Target, seconds: u32) -> Result<Outcome, String> {
    let failed = |error: io::Error| format!("can't make a directory: {error}");
    let root = command::target().join("fuzz");
    let found = root.join("corpus").join(target.name);
    let artifacts = root.join("artifacts").join(target.name);
    let scratch = scratch().map_err(failed)?;
    for directory in [&found, &artifacts] {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    let log = root.join(format!("{}.log", target.name));

    let mut run = fuzz("run")?;
    run.arg(target.name).arg(found);
    run.args(inputs(target)).arg("--").arg(format!("-max_total_time={seconds}"));
    run.args(LIMITS).arg("-print_final_stats=1");
    run.arg(format!("-artifact_prefix={}/", artifacts.display()));
    run.env("TMPDIR", scratch.path()).stderr(File::create(&log).map_err(failed)?);
    let outcome = tally::outcome(&mut run);
    let text = fs::read(&log).map_err(failed)?;
    let text = String::from_utf8_lossy(&text);
    println!("{} inputs in {seconds} s", executed(&text).unwrap_or("no"));
    Ok(match outcome {
        Outcome::Failed(what) => {
            let kept = format!("what fails is in {}", artifacts.display());
            let mended = format!("once that is mended, it belongs in fuzz/corpus/{}", target.name);
            let log = format!("what the fuzzer said is in {}", log.display());
            Outcome::Failed([what, vec![kept, mended, log]].concat())
        }
        other => other,
    })
}

/// `cargo fuzz` with the compiler that it needs. Without a sanitizer: there is nothing unsafe in parsers.
fn fuzz(subcommand: &str) -> Result<Command, String> {
    let mut fuzz = rustup::cargo("nightly")?;
    fuzz.args(["fuzz", subcommand, "--sanitizer=none", "--target-dir"]);
    fuzz.arg(command::target().join("fuzz/build"));
    subcommand::find_in(&mut fuzz);
    Ok(fuzz)
}

/// The directories of its inputs
fn inputs(target: &Target) -> Vec<PathBuf> {
    let root = command::root();
    let fixtures = root.join("iai-callgrind-runner/tests/fixtures");
    let corpus = root.join("fuzz/corpus").join(target.name);
    let fixtures = target.fixtures.iter().map(|name| fixtures.join(name));
    fixtures.chain([corpus]).filter(|directory| directory.is_dir()).collect()
}

/// The number of inputs that were tried, which the fuzzer prints at its end
fn executed(log: &str) -> Option<&str> {
    let mut lines = log.lines();
    lines.find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).map(str::trim)
}

/// A directory in memory, where there is one: the fuzzers write a file for each input
fn scratch() -> io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let mut directory = tempfile::Builder::new();
    directory.prefix("iai-callgrind-fuzz-");
    if memory.is_dir() { directory.tempdir_in(memory) } else { directory.tempdir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fuzzer_has_a_program_and_inputs() {
        let manifest = fs::read_to_string(command::root().join("fuzz/Cargo.toml")).unwrap();
        let programs: Vec<_> = manifest.lines().filter(|line| *line == "[[bin]]").collect();
        assert_eq!(programs.len(), TARGETS.len());
        for target in &TARGETS {
            let line = format!("name = \"{}\"", target.name);
            assert!(manifest.lines().any(|it| it == line), "{line}");
            assert!(!inputs(target).is_empty(), "{line}");
        }
    }

    #[test]
    fn the_number_of_inputs() {
        let log = "Done 12 runs\nstat::number_of_executed_units: 12\nstat::peak_rss_mb:  40\n";
        assert_eq!(executed(log), Some("12"));
        assert_eq!(executed("crashed"), None);
    }
}
