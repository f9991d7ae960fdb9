//! Benchmarks of i386 under the runner of x86-64: exact counts of callgrind and DHAT.

use std::env::consts::ARCH;
use std::process::Command;

use xtask::command;
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::package;

use crate::rustup;

/// The target of the benchmarks.
const TARGET: &str = "i686-unknown-linux-gnu";

/// The linker, and the libraries that programs need to run.
const LINKER: Program = Program {
    name: "i686-linux-gnu-gcc",
    packages: "gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32gcc-s1",
};

/// The benchmark file.
const BENCHMARKS: &str = include_str!("i386/exact.rs");

/// The counts of the functions in that file. Instructions of the allocation are those of the C library.
const COUNTS: [&str; 11] = [
    "exact::functions::empty",
    "Instructions: 1",
    "Total bytes: 0",
    "exact::functions::steps",
    "Instructions: 4",
    "Total bytes: 0",
    "exact::functions::turns",
    "Instructions: 2002",
    "Total bytes: 0",
    "exact::functions::allocation",
    "Total bytes: 1000",
];

/// Runs the benchmarks, if this machine has or can have what programs of i386 need.
pub(crate) fn check() -> Outcome {
    if ARCH != "x86_64" {
        return Outcome::Skipped(format!("no i386 on {ARCH}"));
    }
    let installed = install::programs(&Machine::this(), &[&LINKER]);
    if let Err(reason) = installed.and_then(|()| rustup::add_targets(&[TARGET])) {
        return Outcome::Skipped(reason);
    }
    let output = bench().and_then(|mut bench| {
        println!("$ {}", command::line(&bench));
        command::output(&mut bench)
    });
    match output.map(|output| counts(&output)) {
        Ok(counts) if counts == COUNTS => Outcome::Passed,
        Ok(counts) => Outcome::Failed(vec![format!("counts: {counts:?}, expected: {COUNTS:?}")]),
        Err(error) => Outcome::Failed(vec![error]),
    }
}

fn bench() -> Result<Command, String> {
    let directory = command::target().join("i386");
    let manifest = "[package]\nname = \"i386\"\nedition = \"2024\"\n\n".to_owned()
        + &package::benchmarks("", &["exact"], "codegen-units = 1\n");
    let files = [("Cargo.toml", &*manifest), ("src/lib.rs", ""), ("benches/exact.rs", BENCHMARKS)];
    package::write(&directory, &files)?;
    let mut bench = command::cargo(["bench", "--quiet", "--bench", "exact", "--target", TARGET]);
    bench.arg("--target-dir").arg(directory.join("build"));
    bench.args(["--", "--tools=callgrind,dhat"]).current_dir(directory);
    bench.env("CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER", LINKER.name);
    Ok(bench)
}

/// Returns the titles and the new values of the two metrics, without the instructions of the allocation.
fn counts(output: &str) -> Vec<String> {
    let line = |line: &str| {
        if line.starts_with("exact::") {
            return Some(line.to_owned());
        }
        let (label, values) = line.trim_start().split_once(':')?;
        let (new, _) = values.trim_start().split_once('|')?;
        ["Instructions", "Total bytes"].contains(&label).then(|| format!("{label}: {new}"))
    };
    let mut lines: Vec<_> = output.lines().filter_map(line).collect();
    let allocation = lines.iter().position(|line| line.ends_with("::allocation"));
    if let Some(instructions) = allocation.map(|line| line + 1).filter(|line| *line < lines.len()) {
        lines.remove(instructions);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_two_metrics_are_read() {
        let output = "exact::functions::empty\n  Instructions:      1|3   (-66%)\n  L1 Hits:  1|1\n  Total bytes:  0|N/A\n\
                      exact::functions::allocation\n  Instructions: 231|N/A\n  Total bytes: 1000|N/A\n";
        let expected = [&COUNTS[..3], &COUNTS[9..]].concat();
        assert_eq!(counts(output), expected);
    }
}
