//! Benchmarks of i386 under the runner of x86-64: exact counts of callgrind and DHAT.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::command;
use xtask::outcome::Outcome;

use crate::rustup;

/// The target of the benchmarks.
const TARGET: &str = "i686-unknown-linux-gnu";

/// The linker, which Debian's package `gcc-i686-linux-gnu` has.
const LINKER: &str = "i686-linux-gnu-gcc";

/// The benchmark file.
const BENCHMARKS: &str = include_str!("i386/exact.rs");

/// The counts of the functions in that file. Instructions of an allocation are those of the C library.
const COUNTS: &[&str] = &[
    "exact::group::empty",
    "Instructions: 1",
    "Total bytes: 0",
    "exact::group::steps",
    "Instructions: 4",
    "Total bytes: 0",
    "exact::group::turns",
    "Instructions: 2002",
    "Total bytes: 0",
    "exact::group::allocation",
    "Total bytes: 1000",
];

/// Runs the benchmarks, if this machine can build and run programs of i386.
pub(crate) fn check() -> Outcome {
    let directory = command::target().join("i386");
    if let Err(error) = write_crate(&directory) {
        return Outcome::Failed(vec![format!("can't write {}: {error}", directory.display())]);
    }
    if let Err(reason) = rustup::add_targets(&[TARGET]).and_then(|()| probe(&directory)) {
        return Outcome::Skipped(reason);
    }
    let mut bench = bench(&directory);
    println!("$ {}", command::line(&bench));
    match command::output(&mut bench) {
        Ok(output) => compare(&counts(&output)),
        Err(error) => Outcome::Failed(vec![error]),
    }
}

/// Builds and runs a program with the libraries that Rust's programs need.
fn probe(directory: &Path) -> Result<(), String> {
    let source = directory.join("probe.c");
    let program = directory.join("probe");
    let mut compile = command::new(LINKER);
    compile.arg("-Wl,--no-as-needed").args([&source, Path::new("-lgcc_s"), Path::new("-o")]);
    command::output(compile.arg(&program))?;
    let run = command::output(&mut command::new(&program)).map(drop);
    run.map_err(|_| "programs of i386 do not run here: libc6-i386 or lib32gcc-s1 is missing".into())
}

fn bench(directory: &Path) -> Command {
    let mut bench = command::cargo(["bench", "--quiet", "--bench", "exact", "--target", TARGET]);
    bench.arg("--target-dir").arg(directory.join("build"));
    bench.args(["--", "--tools=callgrind,dhat"]).current_dir(directory);
    bench.env("CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    bench
}

fn write_crate(directory: &Path) -> std::io::Result<()> {
    let library = command::root().join("iai-callgrind");
    let manifest = format!(
        "[package]\nname = \"i386\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies.iai-callgrind]\npath = \"{}\"\n\n[lib]\nbench = false\n\n\
         [[bench]]\nname = \"exact\"\nharness = false\n\n\
         [profile.bench]\ndebug = 1\ncodegen-units = 1\n",
        library.display()
    );
    fs::create_dir_all(directory.join("src"))?;
    fs::create_dir_all(directory.join("benches"))?;
    fs::write(directory.join("Cargo.toml"), manifest)?;
    // The same versions as in the workspace
    fs::copy(command::root().join("Cargo.lock"), directory.join("Cargo.lock"))?;
    fs::write(directory.join("src/lib.rs"), "")?;
    fs::write(directory.join("probe.c"), "int main(void) { return 0; }\n")?;
    fs::write(directory.join("benches/exact.rs"), BENCHMARKS)
}

/// Returns the titles and the new values of the two metrics.
fn counts(output: &str) -> Vec<String> {
    let line = |line: &str| {
        if line.starts_with("exact::") {
            return Some(line.to_owned());
        }
        let (label, values) = line.trim_start().split_once(':')?;
        let (new, _) = values.trim_start().split_once('|')?;
        ["Instructions", "Total bytes"].contains(&label).then(|| format!("{label}: {new}"))
    };
    output.lines().filter_map(line).collect()
}

fn compare(counts: &[String]) -> Outcome {
    let allocation = counts.iter().rposition(|line| line.starts_with("Instructions"));
    let is_compared = |index: usize| Some(index) != allocation;
    let compared = counts.iter().enumerate().filter(|(index, _)| is_compared(*index));
    let compared: Vec<_> = compared.map(|(_, line)| line.as_str()).collect();
    if compared == COUNTS {
        Outcome::Passed
    } else {
        Outcome::Failed(vec![format!("counts: {compared:?}"), format!("expected: {COUNTS:?}")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_count_is_a_failure() {
        let mut lines: Vec<String> = COUNTS.iter().map(ToString::to_string).collect();
        lines.insert(lines.len() - 1, "Instructions: 231".into());
        assert_eq!(compare(&lines), Outcome::Passed);
        lines[1] = "Instructions: 2".into();
        assert!(compare(&lines).is_failure());
        assert!(compare(&[]).is_failure());
    }

    #[test]
    fn titles_and_two_metrics_are_read() {
        let output = "exact::group::empty\n  Instructions:      1|3   (-66%)\n  L1 Hits:  1|1\n  Total bytes:  0|N/A\n";
        assert_eq!(counts(output), ["exact::group::empty", "Instructions: 1", "Total bytes: 0"]);
    }
}
