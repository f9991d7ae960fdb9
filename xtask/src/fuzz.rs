//! `cargo xtask fuzz`: each parser gets damaged copies of real files, for a bounded time.
//!
//! Inputs that reach new code are kept in `target/fuzz/corpus`, failing ones in `target/fuzz/artifacts`. Every
//! run starts with the corpus in `tests/fuzz/corpus` and the fixtures.

use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use tempfile::TempDir;
use xtask::command;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::rustup;
use crate::subcommand;

/// Limits of a fuzzer: seconds for an input, and MiB in all
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=1024"];

/// Runs the given fuzzers or all of them, each for this many seconds
pub(crate) fn run(names: &[String], seconds: u32) -> Result<ExitCode, String> {
    let all = fuzzers().map_err(|error| format!("can't list the fuzzers: {error}"))?;
    if let Some(name) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!("there is no fuzzer `{name}`: take one of {}", all.join(", ")));
    }
    let given = all.iter().filter(|name| names.is_empty() || names.contains(name));
    subcommand::install("fuzz")?;
    let mut build = fuzz("build")?;
    if !command::run(&mut build)?.success() {
        return Err(format!("`{}` failed", command::line(&build)));
    }
    Ok(tally::print_all(given.map(|name| {
        let outcome = run_one(name, seconds);
        (&**name, outcome.unwrap_or_else(|error| Outcome::Failed(vec![error])))
    })))
}

/// Returns the names of all fuzzers.
fn fuzzers() -> io::Result<Vec<String>> {
    let programs = fs::read_dir(command::root().join("tests/fuzz/targets"))?;
    let name = |program: DirEntry| Some(program.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<_> = programs.flatten().filter_map(name).collect();
    names.sort();
    Ok(names)
}

fn run_one(name: &str, seconds: u32) -> Result<Outcome, String> {
    let failed = |error: io::Error| format!("can't make a directory: {error}");
    let root = command::target().join("fuzz");
    let found = root.join("corpus").join(name);
    let artifacts = root.join("artifacts").join(name);
    let scratch = scratch().map_err(failed)?;
    for directory in [&found, &artifacts] {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    let log = root.join(format!("{name}.log"));

    let mut run = fuzz("run")?;
    run.arg(name).arg(found);
    run.args(inputs(name)).arg("--").arg(format!("-max_total_time={seconds}"));
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
            let mended = format!("once that is mended, it belongs in tests/fuzz/corpus/{name}");
            let log = format!("what the fuzzer said is in {}", log.display());
            Outcome::Failed([what, vec![kept, mended, log]].concat())
        }
        other => other,
    })
}

/// Returns `cargo fuzz` with the compiler that it needs. Without a sanitizer: there is nothing unsafe in parsers.
fn fuzz(subcommand: &str) -> Result<Command, String> {
    let mut fuzz = rustup::cargo("nightly")?;
    fuzz.args(["fuzz", subcommand, "--sanitizer=none", "--target-dir"]);
    fuzz.arg(command::target().join("fuzz/build"));
    fuzz.arg("--fuzz-dir").arg(command::root().join("tests/fuzz"));
    subcommand::find_in(&mut fuzz);
    Ok(fuzz)
}

/// Returns the directories of a fuzzer's inputs: its corpus and all fixtures, of which it keeps those that reach
/// new code.
fn inputs(name: &str) -> Vec<PathBuf> {
    let root = command::root();
    let fixtures = ["crates/iai-callgrind-profile", "crates/iai-callgrind-tools"];
    let fixtures = fixtures.map(|name| fs::read_dir(root.join(name).join("tests/fixtures")));
    let fixtures = fixtures.into_iter().flatten().flatten().flatten().map(|entry| entry.path());
    let corpus = root.join("tests/fuzz/corpus").join(name);
    fixtures.chain([corpus]).filter(|directory| directory.is_dir()).collect()
}

/// Returns the number of inputs that were tried, which the fuzzer prints at its end.
fn executed(log: &str) -> Option<&str> {
    let mut lines = log.lines();
    lines.find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).map(str::trim)
}

/// Returns a directory in memory, where there is one: the fuzzers write a file for each input.
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
    fn every_fuzzer_is_in_the_manifest_and_has_a_corpus() {
        let manifest = fs::read_to_string(command::root().join("tests/fuzz/Cargo.toml")).unwrap();
        let programs: Vec<_> = manifest.lines().filter(|line| *line == "[[bin]]").collect();
        let fuzzers = fuzzers().unwrap();
        assert_eq!(programs.len(), fuzzers.len());
        for name in &fuzzers {
            assert!(manifest.lines().any(|it| it == format!("name = \"{name}\"")), "{name}");
            assert!(command::root().join("tests/fuzz/corpus").join(name).is_dir(), "{name}");
        }
    }

    #[test]
    fn the_number_of_inputs() {
        let log = "Done 12 runs\nstat::number_of_executed_units: 12\nstat::peak_rss_mb:  40\n";
        assert_eq!(executed(log), Some("12"));
        assert_eq!(executed("crashed"), None);
    }
}
