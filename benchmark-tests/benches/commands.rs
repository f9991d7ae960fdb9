//! Binary benchmarks in the attribute form, for each thing that a command can be given.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use iai_callgrind::{
    BinaryBenchmarkConfig, Callgrind, Command, Delay, EntryPoint, ExitWith, OutputFormat, Pipe,
    Sandbox, Stdin, Stdio, binary_benchmark, binary_benchmark_group, main,
};

const CAT: &str = env!("CARGO_BIN_EXE_benchmark-tests-cat");
const ECHO: &str = env!("CARGO_BIN_EXE_benchmark-tests-echo");
const ENV: &str = env!("CARGO_BIN_EXE_benchmark-tests-env");
const EXIT_WITH: &str = env!("CARGO_BIN_EXE_benchmark-tests-exit-with");
const FORKS: &str = env!("CARGO_BIN_EXE_benchmark-tests-forks");
const PRINTARGS: &str = env!("CARGO_BIN_EXE_benchmark-tests-printargs");
const SORT: &str = env!("CARGO_BIN_EXE_benchmark-tests-sort");
const SUBPROCESSES: &str = env!("CARGO_BIN_EXE_benchmark-tests-subprocesses");
const THREADS: &str = env!("CARGO_BIN_EXE_benchmark-tests-threads");

// Where the program is

#[binary_benchmark]
fn without_a_case() -> Command {
    Command::new(ECHO).arg("no case").build()
}

#[binary_benchmark]
#[bench::of_the_package(ECHO)]
#[bench::in_path("echo")]
#[bench::absolute("/bin/echo")]
#[bench::in_the_sandbox(args = ("./copied/echo"), setup = copy_echo())]
fn programs(program: &str) -> Command {
    Command::new(program).args(["a", "b"]).build()
}

fn copy_echo() {
    fs::create_dir("copied").unwrap();
    fs::copy(ECHO, "copied/echo").unwrap();
}

binary_benchmark_group!(name = places; benchmarks = without_a_case, programs);

// Arguments, and who gets them

#[binary_benchmark]
#[bench::blank("a b")]
#[benches::each("1", "2")]
#[benches::of_file(file = "benchmark-tests/fixtures/lines.txt")]
#[benches::of_iter(iter = ["x", "y"].map(|it| it.repeat(2)).iter().map(String::as_str).collect::<Vec<_>>())]
#[bench::cut("the third of many words that do not fit into a title")]
fn arguments(argument: &str) -> Command {
    Command::new(PRINTARGS).arg(argument).build()
}

/// Finds what the set-up wrote, and leaves it to the tear-down.
#[binary_benchmark(setup = write, teardown = is_there)]
#[bench::first("first.txt", "first")]
#[bench::second(args = ("second.txt", "second"), teardown = |path, _| assert!(Path::new(path).exists()))]
#[bench::other(args = ("other.txt", ""), setup = fs::write("other.txt", "text").unwrap())]
#[bench::locked(args = ("locked.txt", ""), setup = write_and_lock)]
#[bench::closure(args = ("closure.txt", ""), setup = || fs::write("closure.txt", "text").unwrap())]
fn set_up(path: &str, text: &str) -> Command {
    assert!(text.len() < 10);
    Command::new(CAT).arg(path).build()
}

fn write(path: &str, text: &str) {
    assert_eq!(fs::read_dir(".").unwrap().count(), 0, "the sandbox is new");
    fs::write(path, text).unwrap();
}

/// Leaves a directory that can't be removed as it is, unless by the superuser.
fn write_and_lock(path: &str, text: &str) {
    write(path, text);
    fs::create_dir("locked").unwrap();
    fs::write("locked/file", "").unwrap();
    fs::set_permissions("locked", fs::Permissions::from_mode(0o000)).unwrap();
}

fn is_there(path: &str, text: &str) {
    let content = fs::read_to_string(path).unwrap();
    assert!(content == text || content == "text");
}

binary_benchmark_group!(name = inputs; benchmarks = arguments, set_up);

// Streams

#[binary_benchmark]
#[bench::empty(Stdin::Inherit)]
#[bench::null(Stdin::Null)]
#[bench::pipe(Stdin::Pipe)]
#[bench::file(Stdin::File("fixtures/lines.txt".into()))]
#[bench::setup(args = (Stdin::Setup(Pipe::Stdout)), setup = { println!("b\na"); eprintln!("c"); })]
#[bench::setup_stderr(args = (Stdin::Setup(Pipe::Stderr)), setup = { println!("b\na"); eprintln!("c"); })]
#[bench::setup_late(
    args = (Stdin::Setup(Pipe::Stdout)),
    setup = { thread::sleep(Duration::from_millis(700)); println!("late"); }
)]
fn input(stdin: Stdin) -> Command {
    Command::new(SORT).stdin(stdin).build()
}

/// Reads nothing of a lot.
#[binary_benchmark(setup = (0..100_000).for_each(|line| println!("{line}")))]
fn unread_input() -> Command {
    Command::new(ECHO).stdin(Stdin::Setup(Pipe::Stdout)).build()
}

#[binary_benchmark]
#[bench::file(
    args = (Stdio::File("out.txt".into())),
    teardown = assert_eq!(fs::read_to_string("out.txt").unwrap(), "text\n")
)]
#[bench::null(Stdio::Null)]
#[bench::pipe(Stdio::Pipe)]
#[bench::inherit(Stdio::Inherit)]
fn output(stdout: Stdio) -> Command {
    Command::new(ECHO).arg("text").stdout(stdout).build()
}

#[binary_benchmark(teardown = assert_eq!(
    fs::read_to_string("errors.txt").unwrap(), "error output before the end: 0\n"
))]
fn error_output() -> Command {
    Command::new(EXIT_WITH).arg("0").stderr(Path::new("errors.txt")).build()
}

binary_benchmark_group!(
    name = streams;
    config = BinaryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["benchmark-tests/fixtures"]));
    benchmarks = input, unread_input, output, error_output
);

// The environment

#[binary_benchmark]
#[bench::cleared("HIGH=1")]
#[bench::configured(
    args = ("HIGH=2"),
    config = BinaryBenchmarkConfig::default().envs(["LOW=2", "HIGH=2"])
)]
fn environment(expected: &str) -> Command {
    let mut command = Command::new(ENV);
    command.args([expected, "OWN=a b"]).env("OWN", "a b");
    if expected == "HIGH=2" {
        command.arg("LOW=2");
    }
    command
}

#[binary_benchmark(config = BinaryBenchmarkConfig::default().pass_through_env("PASSED"))]
fn passed_through() -> Command {
    Command::new(ENV).args(["HIGH=1", "PASSED=here"]).build()
}

binary_benchmark_group!(
    name = environments;
    config = BinaryBenchmarkConfig::default().env("HIGH", "1");
    benchmarks = environment, passed_through
);

// How it ends

#[binary_benchmark]
#[bench::success("0", ExitWith::Success)]
#[bench::failure("3", ExitWith::Failure)]
#[bench::code("100", ExitWith::Code(100))]
#[bench::code_0("0", ExitWith::Code(0))]
fn ends(code: &str, exit_with: ExitWith) -> Command {
    Command::new(EXIT_WITH).arg(code).exit_with(exit_with).build()
}

binary_benchmark_group!(name = endings; benchmarks = ends);

// What counts

#[binary_benchmark]
#[bench::none("0")]
#[bench::one("1")]
#[bench::three("3")]
#[bench::named(
    args = ("1"),
    config = BinaryBenchmarkConfig::default()
        .output_format(OutputFormat::default().separate_processes(true))
        .process_name("client", "*/benchmark-tests-subprocesses 1")
        .process_name("server", "*/benchmark-tests-subprocesses 0")
        .pass_through_env("STEPS")
)]
fn subprocesses(depth: &str) -> Command {
    Command::new(SUBPROCESSES).arg(depth).build()
}

#[binary_benchmark]
#[bench::none("0")]
#[bench::one("1")]
#[bench::four("4")]
fn forks(number: &str) -> Command {
    Command::new(FORKS).arg(number).build()
}

#[binary_benchmark]
#[bench::one("1")]
#[bench::two("2")]
#[bench::five("5")]
fn threads(number: &str) -> Command {
    Command::new(THREADS).arg(number).build()
}

#[binary_benchmark]
#[bench::all()]
#[bench::main(config = BinaryBenchmarkConfig::default().entry_point("benchmark_tests_sort::main"))]
#[bench::tool(config = BinaryBenchmarkConfig::default().tool(
    Callgrind::default().entry_point(EntryPoint::Custom("benchmark_tests_sort::main".to_owned()))
))]
fn entry_points() -> Command {
    Command::new(SORT).build()
}

binary_benchmark_group!(name = counted; benchmarks = subprocesses, forks, threads, entry_points);

// Where it runs

#[binary_benchmark]
#[bench::sandbox()]
#[bench::below(config = BinaryBenchmarkConfig::default().current_dir("fixtures"))]
#[bench::package(config = BinaryBenchmarkConfig::default().sandbox(false))]
#[bench::absolute(config = BinaryBenchmarkConfig::default().current_dir("/"))]
fn current_dir() -> Command {
    Command::new("pwd").stdout(Stdio::Inherit).build()
}

#[binary_benchmark(setup = std::os::unix::fs::symlink("there", "link").unwrap())]
fn delayed() -> Command {
    Command::new(ECHO).delay(Delay::from_path("link").timeout(Duration::from_secs(1))).build()
}

binary_benchmark_group!(
    name = directories;
    config = BinaryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["fixtures"]));
    benchmarks = current_dir, delayed
);

main!(
    binary_benchmark_groups = places,
    inputs,
    streams,
    environments,
    endings,
    counted,
    directories
);
