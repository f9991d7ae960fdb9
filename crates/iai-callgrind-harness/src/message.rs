//! Every sentence that the harness shows.

use std::fmt;
use std::path::Path;

use iai_callgrind_plan::VERSION;

use crate::error::{Cause, RunnerProblem};

/// Name of the runner's package and executable.
pub(crate) const RUNNER: &str = "iai-callgrind-runner";

/// Environment variable with the path of the runner.
pub(crate) const RUNNER_VARIABLE: &str = "IAI_CALLGRIND_RUNNER";

/// Environment variable that forbids the installation of the runner.
pub(crate) const AUTO_INSTALL_VARIABLE: &str = "IAI_CALLGRIND_AUTO_INSTALL";

/// Command that builds the image of the guide's chapter on containers.
const BUILD_IMAGE: &str = "docker build --tag iai-callgrind benches";

/// Command that counts the benchmarks in a container with this image.
const COUNT_IN_CONTAINER: &str = "docker run --rm --cap-add=sys_nice --volume .:/project --volume iai-callgrind:/cache \
     iai-callgrind cargo bench";

/// Note of a run whose benchmarks use the system's random numbers, clocks and threads.
pub(crate) const SYSTEM_SURROUNDINGS: &str = if cfg!(feature = "system_surroundings") {
    "note: counts can differ from run to run: random numbers, clocks and the order of threads are the system's\n\
     help: remove the cargo feature `system_surroundings`, also from other packages of the workspace"
} else {
    "note: counts can differ from run to run: random numbers, clocks and the order of threads are the system's on \
     this target\nhelp: build for Linux with glibc on x86-64 or aarch64, without `crt-static`"
};

pub(crate) const RANGE_NUMBER: &str = "a number of the range is negative or larger than 64 bits";

pub(crate) const RANGE_ORDER: &str =
    "the range ends before its start\nhelp: write the smaller number first";

pub(crate) const RANGE_FACTOR: &str = "the factor of a range is less than 2";

pub(crate) const RANGE_STEP: &str = "the step of a range is less than 1";

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValgrind { system } => write!(
                formatter,
                "can't count the benchmarks: Valgrind does not run on {}\nhelp: run them natively with \
                 `cargo test --benches`, or count them in a container with `{BUILD_IMAGE}` once and \
                 then `{COUNT_IN_CONTAINER}`",
                system_name(system)
            ),
            Self::Sanitizer { name } => write!(
                formatter,
                "can't count the benchmarks: they are built with {name}, which does not run under Valgrind\n\
                 help: run them natively with `cargo test --benches`, or build them without the sanitizer"
            ),
            Self::NoExecutable(error) => {
                write!(formatter, "can't find the benchmark executable: {error}")
            }
            Self::ExecutableNotUtf8(path) => write!(
                formatter,
                "{} is not a path in UTF-8\nhelp: move the target directory",
                path.display()
            ),
            Self::NoPackage { name } => write!(
                formatter,
                "can't find the package of the benchmarks: {name} is not set\nhelp: start a file with its own \
                 `main` with `cargo bench`"
            ),
            Self::Server(error) => write!(formatter, "the fork server failed: {error}"),
            Self::NoHook(hook) => write!(formatter, "there is no hook `{hook}`"),
            Self::NoCase(case) => write!(formatter, "there is no case `{case}`"),
            Self::Walk { file } => write!(
                formatter,
                "{file} panicked outside of its benchmarks\nhelp: see the message above"
            ),
            Self::ReadFile { path, error } => {
                write!(formatter, "can't read {}: {error}", path.display())
            }
            Self::EmptyFile(path) => {
                write!(formatter, "{} is empty\nhelp: write a line for each case", path.display())
            }
            Self::FileLine { path, line, error } => {
                write!(formatter, "{}:{line}: {error}", path.display())
            }
            Self::StartRunner { runner, error } => {
                write!(formatter, "can't run {}: {error}", runner.display())
            }
            Self::Streams(error) => error.fmt(formatter),
            Self::RunnerEnded(status) => write!(
                formatter,
                "the runner did not finish: {status}\nhelp: check whether memory ran out, and run the \
                 benchmarks again"
            ),
            Self::ChosenRunner { runner, problem } => write!(
                formatter,
                "the runner {} in {RUNNER_VARIABLE} {problem}\nhelp: unset {RUNNER_VARIABLE}, or set it \
                 to a runner of version {VERSION}",
                runner.display()
            ),
            Self::InstallationForbidden { command } => write!(
                formatter,
                "no {RUNNER} of version {VERSION} in PATH or {RUNNER_VARIABLE}, and \
                 {AUTO_INSTALL_VARIABLE} forbids the installation\nhelp: install the runner with \
                 `{command}`"
            ),
            Self::StartCargo(error) => write!(
                formatter,
                "can't run cargo: {error}\nhelp: run the benchmarks with `cargo bench`, or set \
                 {RUNNER_VARIABLE} to a runner of version {VERSION}"
            ),
            Self::Build(directory) => write!(
                formatter,
                "can't build the runner in {directory}: see cargo's message above\nhelp: if the directory is \
                 read-only, build elsewhere with `cargo install --path {directory} --target-dir target/runner`",
                directory = directory.display()
            ),
            Self::Install => write!(
                formatter,
                "can't install the runner: see cargo's message above\nhelp: without a network, install \
                 it by hand: `{}`",
                install_command()
            ),
            Self::NoCargoHome => {
                formatter.write_str("neither CARGO_HOME nor HOME is set to an absolute path")
            }
            Self::Argument(argument) => write!(
                formatter,
                "unexpected argument `{argument}`\nhelp: without `--bench` the arguments are those of \
                 libtest: `--list`, `--exact`, `--skip FILTER` and filters"
            ),
            Self::Descriptor(error) => {
                write!(formatter, "can't copy the standard error output: {error}")
            }
            Self::Variable { name, expected } => {
                write!(formatter, "in {name}: expected {expected}")
            }
        }
    }
}

impl fmt::Display for RunnerProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(formatter, "can't be run: {error}"),
            Self::OtherVersion(version) => {
                write!(formatter, "is version {version}, but this is iai-callgrind {VERSION}")
            }
            Self::NoVersion => formatter.write_str("does not print its version"),
        }
    }
}

pub(crate) const SERVER_WITHOUT_VALGRIND: &str = "it only works under Valgrind";

pub(crate) const NO_CALL: &str = "the benchmark does not call its function each time it runs";

pub(crate) const BATCH_TOO_LARGE: &str =
    "the arguments of so many calls are larger than the memory";

pub(crate) const DESCRIPTORS: &str =
    "the code of the file closed or replaced descriptor 201, which belongs to the harness";

pub(crate) const INCOMPLETE_COMMAND: &str = "a command is incomplete";

pub(crate) const TIMEOUT_VALUE: &str = "a duration such as `10s`, `500ms` or `2m`";

pub(crate) const NOCAPTURE_VALUE: &str = "`yes`, `no`, `stdout` or `stderr`";

/// Reason why a benchmark does not run in test mode.
pub(crate) const NEEDS_RUNNER: &str = "commands and sandboxes need Linux or macOS";

/// Returns the usual name of a system.
fn system_name(system: &str) -> &str {
    match system {
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    }
}

/// Returns the command that installs the published runner.
pub(crate) fn install_command() -> String {
    format!("cargo install --version ={VERSION} {RUNNER}")
}

pub(crate) fn building_runner(cpus: usize) -> String {
    format!("iai-callgrind: building the runner {VERSION}, once{}", usual_time(cpus))
}

pub(crate) fn installing_runner(directory: &Path, cpus: usize) -> String {
    let directory = directory.display();
    format!(
        "iai-callgrind: installing the runner {VERSION} into {directory}, once{}",
        usual_time(cpus)
    )
}

/// Returns the time that a build of the runner usually takes. One CPU needs 80 s, and the largest of its crates, which is the
/// last one, waits for the others.
fn usual_time(cpus: usize) -> String {
    let seconds = (15 + 65 / cpus.max(1)).next_multiple_of(10);
    format!(" (usually about {seconds} s on {cpus} CPU{})", if cpus == 1 { "" } else { "s" })
}

pub(crate) fn not_listed(place: &impl fmt::Display, function: &str) -> String {
    format!(
        "note: {place}: the benchmark function `{function}` does not run: no group lists it\nhelp: add \
         it to a group, or write `main!()` without groups to run all benchmark functions"
    )
}

pub(crate) fn nothing_registered(file: &str) -> String {
    format!(
        "note: {file} has no benchmarks\nhelp: write `#[library_benchmark]` or `#[binary_benchmark]` above a \
         function of the file"
    )
}

pub(crate) fn no_items(function: &str, id: &str) -> String {
    format!("note: {function}::{id} has no cases: its `iter` has no items")
}

/// Returns the message of a panic: a benchmark that is reached outside of `main`.
pub(crate) fn no_walk(id: &str) -> String {
    format!("the benchmark `{id}` is not in the thread of `main`, or not in a group of it")
}

/// Returns the message of a panic: a benchmark that another one runs.
pub(crate) fn nested(id: &str) -> String {
    format!("the benchmark `{id}` is inside of another benchmark")
}

pub(crate) fn missing_item(index: usize) -> String {
    format!(
        "`iter` had an item with the index {index} when its items were counted, but has none now: the \
         items must not depend on the environment"
    )
}

pub(crate) fn place(error: &impl fmt::Display) -> String {
    format!("can't enter the directory of the benchmark: {error}")
}

pub(crate) fn capture_failed(error: &impl fmt::Display) -> String {
    format!("can't capture the output of the benchmark: {error}")
}

pub(crate) fn setup_panicked(level: &str) -> String {
    format!("error: the setup of {level} panicked, so none of its benchmarks can run")
}

pub(crate) fn teardown_panicked(level: &str) -> String {
    format!("error: the teardown of {level} panicked")
}

pub(crate) fn timed_out(case: &str, timeout: &str) -> String {
    format!(
        "error: {case} timed out after {timeout}\nhelp: check for a deadlock or raise \
         IAI_CALLGRIND_TIMEOUT"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elsewhere_than_on_linux_the_error_names_what_works() {
        let error = Cause::NoValgrind { system: "macos" }.to_string();
        let (failure, help) = error.split_once("\nhelp: ").unwrap();
        assert_eq!(failure, "can't count the benchmarks: Valgrind does not run on macOS");
        assert_eq!(
            help,
            "run them natively with `cargo test --benches`, or count them in a container with `docker \
             build --tag iai-callgrind benches` once and then `docker run --rm --cap-add=sys_nice --volume \
             .:/project --volume iai-callgrind:/cache iai-callgrind cargo bench`"
        );
        let systems = ["windows", "freebsd"].map(system_name);
        assert_eq!(systems, ["Windows", "freebsd"]);
    }

    #[test]
    fn the_usual_time_depends_on_the_number_of_cpus() {
        let times = [1, 2, 4, 64].map(usual_time);
        assert_eq!(
            times[..2],
            [" (usually about 80 s on 1 CPU)", " (usually about 50 s on 2 CPUs)"]
        );
        assert_eq!(
            times[2..],
            [" (usually about 40 s on 4 CPUs)", " (usually about 20 s on 64 CPUs)"]
        );
    }
}
