//! `cargo xtask profile`: where the CPU time of a suite goes, next to a program that only forks.
//!
//! The suite is a generated package in the target directory, and starts an installed runner, as that of a published crate
//! does. Its floor is a plain program under callgrind that forks a child for each function, two at a time, and collects
//! nothing.

mod samples;
mod usage;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use xtask::command::{self, in_file};

use self::usage::{Usage, median};

const LIBRARY: &str = include_str!("profile/lib.rs");
const FLOOR: &str = include_str!("profile/floor.rs");

/// Children of the floor that run at once.
const JOBS: &str = "2";

/// Prints the figures of a suite of so many benchmarks.
pub(crate) fn run(benchmarks: u32, runs: u32) -> Result<ExitCode, String> {
    let suite = Suite::create(benchmarks)?;
    suite.bench(&[], Stdio::inherit())?;
    let (mut floor, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        floor.push(Usage::measure(|| succeed(&mut suite.floor()))?);
        ours.push(Usage::measure(|| suite.bench(&[], Stdio::null()))?);
    }
    let (floor, ours) = (median(&floor), median(&ours));
    println!("\n{benchmarks} benchmarks, medians of {runs} alternating runs, the suite with cargo");
    println!("{:22}{:>10}{:>10}{:>8}", "", "suite", "floor", "ratio");
    let line = |what: &str, unit: &str, value: fn(&Usage) -> f64| {
        let (ours, floor) = (value(&ours), value(&floor));
        let ratio = if floor > 0.0 { format!("{:8.2}", ours / floor) } else { String::new() };
        println!("{:22}{ours:10.2}{floor:10.2}{ratio}", format!("{what} ({unit})"));
    };
    line("time", "s", |usage| usage.wall);
    line("CPU, user", "s", |usage| usage.user);
    line("CPU, kernel", "s", |usage| usage.system);
    line("page faults", "1000", |usage| usage.faults / 1000.0);
    print_translations(&suite)?;
    print_shares(&suite)?;
    println!(
        "\nnot measured: dumps and passes over callgrind's blocks, which callgrind does not report"
    );
    Ok(ExitCode::SUCCESS)
}

/// The generated package.
struct Suite {
    directory: PathBuf,
    benchmarks: u32,
}

impl Suite {
    fn create(benchmarks: u32) -> Result<Self, String> {
        let directory = command::target().join("profile");
        let suite = Self { directory, benchmarks };
        let library = command::root().join("iai-callgrind").display().to_string();
        let manifest = format!(
            "[package]\nname = \"profiled\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [lib]\nbench = false\n\n[[bin]]\nname = \"floor\"\npath = \"src/floor.rs\"\nbench = false\n\n\
             [[bench]]\nname = \"suite\"\nharness = false\n\n\
             [dev-dependencies]\niai-callgrind = {{ path = \"{library}\" }}\n\n\
             [profile.bench]\ndebug = true\ncodegen-units = 1\n\n[workspace]\n"
        );
        let half = benchmarks / 2;
        let list = |numbers: &mut dyn Iterator<Item = u32>| {
            numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
        };
        let fibonacci = list(&mut (0..half).map(|index| index % 15 + 5));
        let lengths = list(&mut (0..benchmarks - half).map(|index| index % 50 * 4 + 2));
        let file = format!(
            "use iai_callgrind::{{library_benchmark, library_benchmark_group, main}};\n\
             use profiled::setup;\n\n\
             #[library_benchmark]\n#[benches::case(args = [{fibonacci}])]\n\
             fn fibonacci(n: u32) -> u64 {{\n    profiled::fibonacci(n)\n}}\n\n\
             #[library_benchmark]\n#[benches::case(args = [{lengths}], setup = setup)]\n\
             fn sort(numbers: Vec<u32>) -> Vec<u32> {{\n    profiled::bubble_sort(numbers)\n}}\n\n\
             library_benchmark_group!(name = group; benchmarks = fibonacci, sort);\n\
             main!(library_benchmark_groups = group);\n"
        );
        for (path, text) in [
            ("Cargo.toml", &*manifest),
            ("src/lib.rs", LIBRARY),
            ("src/floor.rs", FLOOR),
            ("benches/suite.rs", &file),
        ] {
            suite.write(path, text)?;
        }
        succeed(suite.cargo(&["build", "--release", "--quiet"]).stdout(Stdio::null()))?;
        let runner = ["build", "--release", "--quiet", "--package", "iai-callgrind-runner"];
        succeed(&mut command::cargo(runner))?;
        Ok(suite)
    }

    /// Writes a file unless it is the same, which cargo would build again.
    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.directory.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let directory = path.parent().unwrap_or(&path);
        fs::create_dir_all(directory).map_err(in_file(directory))?;
        fs::write(&path, text).map_err(in_file(&path))
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = command::cargo(arguments.iter().copied());
        cargo.current_dir(&self.directory).env("CARGO_TARGET_DIR", self.directory.join("target"));
        let runner = command::target().join("release/iai-callgrind-runner");
        cargo.env("IAI_CALLGRIND_RUNNER", runner);
        cargo
    }

    /// Returns the command that runs the suite.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.cargo(&["bench", "--quiet", "--bench", "suite", "--"]);
        cargo.args(arguments);
        cargo
    }

    /// Runs the suite. The standard error goes to `errors`.
    fn bench(&self, arguments: &[&str], errors: Stdio) -> Result<(), String> {
        succeed(self.command(arguments).stdout(Stdio::null()).stderr(errors))
    }

    /// Returns the command of the floor.
    fn floor(&self) -> Command {
        let mut valgrind = command::new("valgrind");
        valgrind.args(["-q", "--tool=callgrind", "--cache-sim=yes", "--vgdb=no"]);
        valgrind.args([
            "--callgrind-out-file=/dev/null",
            "--max-threads=8",
            "--collect-atstart=no",
        ]);
        valgrind.arg(self.directory.join("target/release/floor"));
        valgrind.args([&self.benchmarks.to_string(), JOBS]).stderr(Stdio::null());
        valgrind
    }

    /// Returns the stored logs of the last run.
    fn logs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut directories = vec![self.directory.join("target/iai")];
        while let Some(directory) = directories.pop() {
            for path in fs::read_dir(directory).into_iter().flatten().flatten().map(|it| it.path())
            {
                let name = path.to_string_lossy();
                if path.is_dir() {
                    directories.push(path);
                } else if name.ends_with(".log") && !name.ends_with(".old.log") {
                    found.push(path);
                }
            }
        }
        found
    }
}

/// Prints how many blocks Valgrind translates in a child, by what they belong to.
fn print_translations(suite: &Suite) -> Result<(), String> {
    // A line for each translation
    suite.bench(&["--callgrind-args=--trace-flags=10000000"], Stdio::null())?;
    let (mut owners, mut children) = (BTreeMap::<_, u32>::new(), 0);
    for log in suite.logs() {
        let bytes = fs::read(&log).map_err(in_file(&log))?;
        let text = String::from_utf8_lossy(&bytes);
        children += 1;
        for block in text.lines().filter(|line| line.contains("==== SB ")) {
            *owners.entry(owner(block)).or_default() += 1;
        }
    }
    if owners.is_empty() {
        println!("\ntranslations: not measured: Valgrind has not reported them");
        return Ok(());
    }
    println!("\ntranslations in a child, mean of {children}");
    for (owner, number) in owners {
        println!("{:8.1}  {owner}", f64::from(number) / f64::from(children));
    }
    Ok(())
}

/// Returns what a translated block belongs to.
fn owner(block: &str) -> &'static str {
    if block.contains("Region::measure") {
        "marks around the call"
    } else if block.contains("iai_callgrind_harness::") {
        "harness"
    } else if block.contains(".so") {
        "libraries"
    } else {
        "benchmark, its case and what it calls"
    }
}

/// Prints the shares of CPU time by program and part, from perf.
fn print_shares(suite: &Suite) -> Result<(), String> {
    if which::which("perf").is_err() {
        println!("\nshares of CPU time: not measured: there is no perf");
        return Ok(());
    }
    let data = suite.directory.join("perf.data");
    let cargo = suite.command(&[]);
    let mut perf = command::new("perf");
    perf.args(["record", "--quiet", "--freq=1999", "--output"]).arg(&data).arg("--");
    perf.arg(cargo.get_program()).args(cargo.get_args()).current_dir(&suite.directory);
    perf.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if !command::succeeds(&mut perf) {
        println!("\nshares of CPU time: not measured: perf is not allowed to record here");
        return Ok(());
    }
    let shares = samples::shares(&data)?;
    let mut shares: Vec<_> = shares.into_iter().collect();
    shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    println!("\nshares of CPU time (%)");
    for (part, share) in shares.iter().filter(|(_, share)| *share >= 0.1) {
        println!("{share:8.1}  {part}");
    }
    Ok(())
}

/// Runs a command; an error if it fails.
fn succeed(command: &mut Command) -> Result<(), String> {
    let line = command::line(command);
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` ended with {status}")),
        Err(error) => Err(format!("`{line}` can't be started: {error}")),
    }
}
