//! The command line of `cargo xtask`: everything that is done to this workspace.

mod bench;
mod browser;
mod checks;
mod deny;
mod examples;
mod faults;
mod fuzz;
mod google_benchmark;
mod i386;
mod images;
mod lanes;
mod minimal_versions;
mod msrv;
mod newer;
mod platforms;
mod profile;
mod publish;
mod roots;
mod rustup;
mod semver_checks;
mod sequences;
mod subcommand;
mod testing;
mod typos;
mod vm;
mod workflows;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::command;

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
    /// The checks of this machine are `fmt`, `clippy`, `test` and `doc`.
    ///
    /// A failing check doesn't keep the others from running. The exit code is 1 if one failed.
    Test {
        /// Run the long forms of the tests too, which takes an hour
        ///
        /// Runs that are killed hundreds of times or before each rename, servers that start again and again, other
        /// profiles, files of 1 GB, thousands of damaged inputs, and libclang as a second reader of Valgrind's headers.
        #[arg(long)]
        long: bool,
        /// Run all checks, as CI does: those that build crates, with other compilers, in a browser and on other platforms too
        #[arg(long, conflicts_with = "steps")]
        all: bool,
        /// Run only these
        #[arg(value_name = "CHECK")]
        steps: Vec<Step>,
    },
    /// Check licences, sources, duplicate versions and, where their database can be reached, advisories
    ///
    /// By the rules in deny.toml. Builds cargo-deny if it is missing, which takes some minutes.
    Deny,
    /// Compare the interface of the library with the last release on crates.io, once there is one
    ///
    /// Builds cargo-semver-checks if it is missing, which takes some minutes.
    SemverChecks,
    /// Package the crates of a release, and build each from its package
    Package,
    /// Publish the crates on crates.io, each after those that it depends on
    ///
    /// `package` does all of it but the upload.
    Publish,
    /// Change small crates and check what the explanations say about each change
    #[command(disable_help_flag = true)]
    Explanations {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run revisions of public crates, each against its predecessor
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
    /// Installs Debian's gcc for all of them. rustup adds the targets to the toolchain. Valgrind's
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
    /// Print where the CPU time of a run of N benchmarks goes, next to the time of a program that only forks
    ///
    /// The shares are those of perf, split by the parts of Valgrind if its debug symbols are installed (`valgrind-dbg`).
    Profile {
        /// Number of benchmarks
        #[arg(value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..))]
        benchmarks: u32,
        /// Number of alternating runs, of which the medians are printed
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
    },
    /// Run end-to-end tests on arm64, in a virtual machine
    ///
    /// The machine consists of Debian's packages, which are downloaded once into a directory of the user's cache. The
    /// programs are cross-compiled. Without tests it runs the short form: the Quickstart, exact counts and a case for
    /// each tool.
    Vm(vm::Options),
    /// Run the tests with the C library and the Valgrind of other releases of Debian
    ///
    /// Each release is a root, made of Debian's packages, which are downloaded once into a directory of the user's cache.
    /// Tests are built in the oldest one, and run in each without a network. Without tests it runs all suites that can run
    /// there.
    Roots(roots::Options),
    /// Make a prefix with which projects of C++ count their Google Benchmark files
    ///
    /// Headers, libraries, files of build systems, and the runner.
    GoogleBenchmark(google_benchmark::Options),
    /// Write the JSON schema of the machine-readable output, after a change of its types
    Schema,
    /// Run the benchmark files of published projects with their own harness and with this one
    #[command(disable_help_flag = true)]
    Projects {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Build a file of benchmarks with one thing different around it, and compare all counts
    #[command(disable_help_flag = true)]
    Surroundings {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Bench { arguments } => bench::run(&arguments),
        Task::Test { long, all, steps } => {
            let form = if long { Form::Long } else { Form::Short };
            Ok(match &*steps {
                [] if all => checks::run_all(form),
                [] => checks::run(Step::HERE, form),
                given => checks::run(given, form),
            })
        }
        Task::Deny => deny::run(),
        Task::SemverChecks => semver_checks::run(),
        Task::Package => publish::package(),
        Task::Publish => publish::publish(),
        Task::Fuzz { seconds, targets } => fuzz::run(&targets, seconds),
        Task::Sequences { bless } => sequences::run(bless),
        Task::Faults { kills, seed } => faults::run(kills, seed),
        Task::Profile { benchmarks, runs } => profile::run(benchmarks, runs),
        Task::Vm(options) => Ok(vm::run(&options)),
        Task::GoogleBenchmark(options) => google_benchmark::run(&options),
        Task::Roots(options) => Ok(roots::run(&options)),
        Task::Explanations { .. }
        | Task::Histories { .. }
        | Task::Projects { .. }
        | Task::Schema
        | Task::Surroundings { .. } => evaluation(),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Starts the task of the command line in the package of evaluations, which takes longer to build.
fn evaluation() -> Result<ExitCode, String> {
    let mut cargo = command::cargo(["run", "--quiet", "--package", "evaluations", "--"]);
    command::run(cargo.args(std::env::args_os().skip(1))).map(command::exit_code)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    /// Returns the tasks of CI's jobs.
    fn jobs() -> Vec<String> {
        let workflow = std::fs::read_to_string(command::root().join(".github/workflows/ci.yml"));
        let workflow = workflow.unwrap();
        let (_, list) = workflow.split_once("        task:\n").unwrap();
        let lines = list.lines().map(str::trim).take_while(|line| *line != "include:");
        lines.filter_map(|line| line.strip_prefix("- ").map(ToOwned::to_owned)).collect()
    }

    #[test]
    fn each_job_of_ci_is_a_task() {
        for job in jobs() {
            let words = ["cargo xtask"].into_iter().chain(job.split(' '));
            let arguments = Arguments::try_parse_from(words);
            assert!(arguments.is_ok(), "{job}: {}", arguments.unwrap_err());
        }
    }

    #[test]
    fn each_check_is_a_job_of_ci() {
        let jobs = jobs();
        for step in Step::value_variants() {
            let job = format!("test {}", step.to_possible_value().unwrap().get_name());
            assert!(jobs.contains(&job), "no job `{job}`");
        }
    }
}
