//! The command line of `cargo xtask`: everything that is done to this workspace.

mod bench;
mod browser;
mod checks;
mod command;
mod cross;
mod deny;
#[cfg(feature = "json")]
mod explanations;
mod faults;
mod fuzz;
#[cfg(feature = "json")]
mod harness;
#[cfg(feature = "json")]
mod histories;
mod i386;
mod install;
mod machine;
mod minimal_versions;
mod msrv;
mod newer;
mod outcome;
mod peers;
mod platforms;
#[cfg(feature = "json")]
mod projects;
#[cfg(feature = "json")]
mod registry;
mod rustup;
#[cfg(feature = "json")]
mod schema;
mod sequences;
mod subcommand;
mod tally;
mod vm;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::checks::{Form, Step};

/// Set up, run and check this workspace
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Install Valgrind if it is missing, build, and run the Quickstart benchmark
    ///
    /// Valgrind comes from the system's package manager (apt, zypper, dnf, pacman or apk), with
    /// sudo where that is needed and possible. A second run prints what changed since the first.
    Bench {
        /// Passed on to the benchmark: `cargo xtask bench -- --save-baseline=x`
        #[arg(last = true, value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Install what the tests need, and run the checks of this machine, all checks or the given ones
    ///
    /// The checks of this machine are `fmt`, `clippy`, `test`, `newer` and `doc`.
    ///
    /// A failing check doesn't keep the others from running. The exit code is 1 if one failed.
    Test {
        /// Run the long forms of the tests too, which takes an hour
        ///
        /// Runs that are killed hundreds of times or before each rename, servers that start again and again, other
        /// profiles, files of 1 GB, thousands of damaged inputs, and libclang as a second reader of Valgrind's headers.
        #[arg(long)]
        long: bool,
        /// Run all checks, as CI does: those with other compilers, in a browser and on other platforms too
        #[arg(long, conflicts_with = "steps")]
        all: bool,
        /// Run only these
        #[arg(value_name = "CHECK")]
        steps: Vec<Step>,
    },
    /// Check that the crates that users compile build with the oldest supported Rust
    ///
    /// The version is the `rust-version` of the workspace. The compiler comes from rustup.
    Msrv,
    /// Check that the library builds with the oldest versions of its dependencies that it allows
    ///
    /// Needs a nightly toolchain, which rustup installs.
    MinimalVersions,
    /// Check licences, sources, duplicate versions and, where their database can be reached, advisories
    ///
    /// By the rules in deny.toml. Builds cargo-deny if it is missing, which takes some minutes.
    Deny,
    /// Change small crates and check what the explanations say about each change
    ///
    /// Each seed is a change of a crate with the verdict and the function that the explanation must name. Prints a table
    /// of all seeds, with the reason and the explanation for those that are wrong. The exit code is 1 if one is.
    /// The crates are xtask/src/explanations/sample and packages of the registry.
    Explanations {
        /// Run only one half of the seeds: the rules were written with the first one
        #[arg(long, value_name = "HALF", value_parser = clap::value_parser!(u8).range(1..=2))]
        half: Option<u8>,
        /// Print the explanations of all seeds
        #[arg(long)]
        verbose: bool,
        /// Run only seeds with one of these texts in `CRATE: CHANGE`
        #[arg(value_name = "TEXT")]
        filters: Vec<String>,
    },
    /// Run revisions of public crates, each against its predecessor
    ///
    /// Writes tables: how many counts differ though the code that a benchmark executes did not change, and what the
    /// explanations say about those that differ. Clones the repositories and runs each crate with the default codegen
    /// units and with one, which takes half an hour for each harness.
    #[cfg(feature = "json")]
    Histories(histories::Options),
    /// Run revisions of public crates, each against its predecessor
    #[cfg(not(feature = "json"))]
    #[command(disable_help_flag = true)]
    Histories {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Give the parsers damaged input, all of them or the given ones
    ///
    /// Needs cargo-fuzz, which is built if it is missing, and a nightly toolchain, which rustup installs.
    /// The tests replay the same inputs on any toolchain.
    Fuzz {
        /// Seconds that each of them runs
        #[arg(long, value_name = "N", default_value_t = 60)]
        seconds: u32,
        /// Run only these
        #[arg(value_name = "TARGET")]
        targets: Vec<String>,
    },
    /// Check that the instructions of a client request are Valgrind's, on each architecture
    ///
    /// Needs gcc for all of them: the installed ones, or those of Debian's packages, which are
    /// unpacked into the target directory. rustup adds the targets to the toolchain. Valgrind's
    /// headers are those in /usr/include, or in `IAI_CALLGRIND_VALGRIND_INCLUDE`.
    Sequences {
        /// Write the file that the tests compare with
        #[arg(long)]
        bless: bool,
    },
    /// Break runs in the middle and check what is left of results
    ///
    /// Kills the runner at random moments, runs four suites at once on one directory, and has the disk
    /// become full. Each figure is printed as `N passed, N failed`; the exit code is not 0 if one failed.
    Faults {
        /// Number of kills
        #[arg(long, default_value = "200")]
        kills: u32,
        /// Decides when
        #[arg(long, default_value = "0")]
        seed: u64,
    },
    /// Run the end-to-end tests in a virtual machine with another architecture and Valgrind
    ///
    /// The machine consists of Debian's packages, which are downloaded once into a directory of the user's cache. The
    /// programs are cross-compiled. Without tests it runs the short form: the Quickstart, exact counts and a case for
    /// each tool.
    Vm(vm::Options),
    /// Write the JSON schema of the machine-readable output, after a change of its types
    Schema,
    /// Time this checkout with a Python script that runs the published peers as well
    Peers {
        /// The script, which takes this checkout as `--ours`
        #[arg(value_name = "SCRIPT")]
        script: PathBuf,
        /// Arguments for the script: `cargo xtask peers SCRIPT --n 1000 --only ours`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Run the benchmark files of published projects with their own harness and with this one
    ///
    /// Only their Cargo.toml is changed. Downloads them, builds each twice, which takes an hour and a half, and writes
    /// tables: of those that compile, run, and have equal counts, and of those for Criterion and divan whose benchmarks
    /// are all counted. Those with threads run twice, to find counts that vary. The list is
    /// xtask/src/projects/projects.json.
    Projects {
        /// Directory for downloads, builds, records and the table; by default in the target directory
        #[arg(long, value_name = "DIRECTORY")]
        work: Option<PathBuf>,
        /// Run nothing, and make the table from the records of earlier runs
        #[arg(long, conflicts_with = "names")]
        table: bool,
        /// Run only these, and take the others from the records of earlier runs
        #[arg(value_name = "PROJECT")]
        names: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Bench { arguments } => bench::run(&arguments),
        Task::Test { long, all, steps } => {
            let steps = match &*steps {
                [] if all => Step::value_variants(),
                [] => Step::HERE,
                given => given,
            };
            Ok(checks::run(steps, if long { Form::Long } else { Form::Short }))
        }
        Task::Msrv => Ok(msrv::run()),
        Task::MinimalVersions => Ok(minimal_versions::run()),
        Task::Deny => deny::run(),
        Task::Fuzz { seconds, targets } => fuzz::run(&targets, seconds),
        Task::Sequences { bless } => sequences::run(bless),
        Task::Faults { kills, seed } => faults::run(kills, seed),
        Task::Vm(options) => vm::run(&options),
        #[cfg(feature = "json")]
        Task::Schema => schema::run(),
        #[cfg(feature = "json")]
        Task::Projects { work, table: true, .. } => projects::table(work),
        #[cfg(feature = "json")]
        Task::Projects { work, table: false, names } => projects::run(&names, work),
        #[cfg(feature = "json")]
        Task::Explanations { half, verbose, filters } => explanations::run(half, verbose, &filters),
        #[cfg(feature = "json")]
        Task::Histories(options) => histories::run(&options),
        #[cfg(not(feature = "json"))]
        Task::Explanations { .. }
        | Task::Histories { .. }
        | Task::Projects { .. }
        | Task::Schema => in_a_build_with_json(),
        Task::Peers { script, arguments } => peers::run(&script, &arguments),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Starts this task again in a build with the types of the output and a JSON parser.
#[cfg(not(feature = "json"))]
fn in_a_build_with_json() -> Result<ExitCode, String> {
    let mut xtask = command::cargo(["run", "--quiet", "--package", "xtask", "--"]);
    command::run(xtask.args(std::env::args_os().skip(1))).map(command::exit_code)
}
