//! `cargo xtask roots`: tests with the C library and the Valgrind of other releases of Debian.
//!
//! A root has the files of Debian's packages, with a compiler for C. The sources, the Rust toolchain and cargo's
//! registry are mounted at their paths. Cargo builds in the first root, the oldest, and the others run the same
//! programs, as users of a program built for old systems do.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use xtask::command::{self, in_file};
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::{quiet, tally};

use crate::images::image;

/// The releases of Debian, the oldest first: glibc 2.31 and Valgrind 3.16, 2.41 and 3.24, and the newest.
const RELEASES: [&str; 3] = ["bullseye", "trixie", "sid"];

const PROGRAMS: &[&Program] = &[
    &Program { name: "mmdebstrap", packages: "mmdebstrap" },
    &Program { name: "unshare", packages: "util-linux" },
    &Program { name: "ip", packages: "iproute2" },
];

/// The script that makes a root, and the one that runs a command in it.
const ROOT: &str = include_str!("roots/root.sh");
const ENTER: &str = include_str!("roots/enter.sh");

/// The names of the second one and of cargo's target directory in the directory of this command.
const SCRIPT: &str = "enter.sh";
const TARGET: &str = "target";

/// The end-to-end tests.
const END_TO_END: &[&str] = &["test", "--offline", "-p", "end-to-end-tests", "--test", "e2e"];

/// The suites whose results depend on the C library or on Valgrind.
const SUITES: &[&[&str]] = &[
    END_TO_END,
    &[
        "test",
        "--offline",
        "-p",
        "iai-callgrind-harness",
        "--features",
        "benchmark,client_requests",
    ],
    &["test", "--offline", "-p", "client-requests-tests"],
];

/// The tests of the short form, and the benchmark files that they need.
const SHORT: &[&str] = &[
    "--exact",
    "fixed_surroundings::clocks_show_the_same_times_in_every_run",
    "fixed_surroundings::functions_in_c_have_their_current_version",
    "fixed_surroundings::random_numbers_are_the_same_in_every_run",
    "one_machine::functions_see_one_machine",
    "quickstart::the_instructions_are_those_of_the_documentation",
    "regions::a_function_that_returns_its_argument_counts_its_machine_code",
    "regions::an_empty_function_counts_its_return",
];
const SHORT_BENCHMARKS: &str =
    "TESTED_BENCHMARKS=one_machine quickstart regions surroundings versions";

/// The releases and the tests that run in them.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A release of Debian; by default all of them
    #[arg(long = "release", value_parser = RELEASES)]
    releases: Vec<String>,
    /// Suites of the end-to-end tests, other parts of their names, and options of libtest; by default all suites
    #[arg(last = true, value_name = "TESTS")]
    tests: Vec<String>,
}

/// Runs the tests. The exit code is 1 if one failed.
pub(crate) fn run(options: &Options) -> ExitCode {
    let tests: Vec<_> = options.tests.iter().map(|test| &**test).collect();
    let selected = [END_TO_END, &["--"], &tests].concat();
    let suites: Vec<_> = if tests.is_empty() { SUITES.to_vec() } else { vec![&selected] };
    let is_wanted = |release: &&str| {
        options.releases.is_empty() || options.releases.iter().any(|wanted| wanted == release)
    };
    let wanted = RELEASES.into_iter().filter(is_wanted);
    tally::print_all(wanted.map(|release| (release, outcome(release, &[], &suites))))
}

/// Runs the short form in all roots.
pub(crate) fn check() -> Outcome {
    let short = [END_TO_END, &["--"], SHORT].concat();
    let outcomes = RELEASES.map(|release| outcome(release, &[SHORT_BENCHMARKS], &[&short]));
    outcomes.into_iter().fold(Outcome::Passed, Outcome::and)
}

/// Runs cargo in a root with these variables, once for each list of arguments.
fn outcome(release: &str, variables: &[&str], suites: &[&[&str]]) -> Outcome {
    let prepared = install::programs(&Machine::this(), PROGRAMS)
        .and_then(|()| command::output(&mut command::cargo(["fetch"])))
        .and_then(|_| image(release, ROOT, &[], &[release]))
        .and_then(|image| Root::new(image.join("root")));
    let root = match prepared {
        Ok(root) => root,
        Err(reason) => return Outcome::Skipped(format!("{release}: {reason}")),
    };
    match root.description() {
        Ok(description) => println!("{release}: {}", description.replace('\n', ", ")),
        Err(reason) => return Outcome::Failed(vec![format!("{release}: {reason}")]),
    }
    let outcomes = suites.iter().map(|suite| quiet::outcome(&mut root.cargo(variables, suite)));
    outcomes.fold(Outcome::Passed, Outcome::and)
}

/// A root, and the directories of this machine that it has as well.
struct Root {
    directory: PathBuf,
    toolchain: PathBuf,
    cargo_home: PathBuf,
    /// For the script and cargo's target directory.
    shared: PathBuf,
}

impl Root {
    /// Returns an error if this user can't enter the root.
    fn new(directory: PathBuf) -> Result<Self, String> {
        let toolchain = command::output(command::new("rustc").args(["--print", "sysroot"]))?;
        let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
        let cargo_home = env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from);
        let shared = command::target().join("roots");
        fs::create_dir_all(&shared).map_err(in_file(&shared))?;
        fs::write(shared.join(SCRIPT), ENTER).map_err(in_file(&shared))?;
        let root = Self { directory, toolchain: toolchain.trim().into(), cargo_home, shared };
        command::output(&mut root.enter(&[], ["true"]))?;
        Ok(root)
    }

    /// Returns the versions of Valgrind and the C library.
    fn description(&self) -> Result<String, String> {
        let versions = "valgrind --version; getconf GNU_LIBC_VERSION";
        command::output(&mut self.enter(&[], ["sh", "-c", versions])).map(|text| text.trim().into())
    }

    /// Returns the command that runs cargo.
    fn cargo(&self, variables: &[&str], arguments: &[&str]) -> Command {
        let mut cargo = self.enter(variables, ["cargo"]);
        cargo.args(arguments);
        cargo
    }

    /// Returns the command that runs another one in the root. This needs the rights of root, by
    /// sudo if necessary.
    fn enter<'a>(&self, variables: &[&str], inner: impl IntoIterator<Item = &'a str>) -> Command {
        let is_root = command::output(command::new("id").arg("-u")).is_ok_and(|id| id == "0\n");
        let mut enter = command::new(if is_root { "env" } else { "sudo" });
        enter.args((!is_root).then_some("-n"));
        enter.args(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]);
        enter.arg("sh").arg(self.shared.join(SCRIPT)).arg(&self.directory).arg(command::root());
        enter.arg(command::root()).args([&self.toolchain, &self.cargo_home, &self.shared]);
        enter.args(["--", "-i", "HOME=/root", "CARGO_NET_OFFLINE=true"]);
        let variable = |name: &str, value: &Path| {
            let mut variable = OsString::from(name);
            variable.push(value);
            variable
        };
        let mut path = variable("PATH=", &self.toolchain.join("bin"));
        path.push(":/usr/sbin:/usr/bin:/sbin:/bin");
        enter.arg(path).arg(variable("CARGO_HOME=", &self.cargo_home));
        // Cargo marks only a target directory that it makes, and the tests look for the mark
        enter.arg(variable("CARGO_TARGET_DIR=", &self.shared.join(TARGET)));
        enter.args(variables).args(inner);
        enter
    }
}
