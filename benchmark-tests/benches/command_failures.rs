//! Commands that fail in each of the ways there are, between such that don't.

use std::time::Duration;

use iai_callgrind::{
    BinaryBenchmarkConfig, Command, Delay, ExitWith, Fixtures, Pipe, Stdin, binary_benchmark,
    binary_benchmark_group, main,
};

const ECHO: &str = env!("CARGO_BIN_EXE_benchmark-tests-echo");
const EXIT_WITH: &str = env!("CARGO_BIN_EXE_benchmark-tests-exit-with");

#[binary_benchmark]
#[bench::before("before")]
#[bench::after("after")]
fn good(word: &str) -> Command {
    Command::new(ECHO).arg(word).build()
}

#[binary_benchmark]
#[bench::code("3", ExitWith::Success)]
#[bench::reason("3: File exists", ExitWith::Success)]
#[bench::other_code("3", ExitWith::Code(100))]
#[bench::no_failure("0", ExitWith::Failure)]
#[bench::killed("SIGKILL", ExitWith::Failure)]
#[bench::crashed("SIGSEGV", ExitWith::Success)]
fn ends(argument: &str, exit_with: ExitWith) -> Command {
    Command::new(EXIT_WITH).arg(argument).exit_with(exit_with).build()
}

#[binary_benchmark]
#[bench::in_path("no-such-program")]
#[bench::path("./no/such/program")]
#[bench::not_executable("/etc/passwd")]
fn not_found(program: &str) -> Command {
    Command::new(program).arg("argument").build()
}

fn panic() {
    println!("output of the set-up");
    panic!("no way in");
}

#[binary_benchmark]
#[bench::setup(setup = panic)]
#[bench::teardown(teardown = panic!("no way out"))]
fn hooks() -> Command {
    Command::new(ECHO).arg("text").build()
}

#[binary_benchmark(setup = panic())]
#[bench::parallel(true, Stdin::Null)]
#[bench::pipe(false, Stdin::Setup(Pipe::Stdout))]
fn hooks_next_to_others(parallel: bool, stdin: Stdin) -> Command {
    Command::new(ECHO)
        .setup_parallel(parallel)
        .stdin(stdin)
        .delay(Delay::from_path("never").timeout(Duration::from_secs(20)))
        .build()
}

#[binary_benchmark]
#[bench::path(Delay::from_path("never").timeout(Duration::from_millis(100)))]
#[bench::tcp(Delay::from_tcp_socket(([127, 0, 0, 1], 9)).timeout(Duration::from_millis(100)))]
#[bench::udp(Delay::from_udp_request(([127, 0, 0, 1], 9), [1]).timeout(Duration::from_millis(100)))]
fn delays(delay: Delay) -> Command {
    Command::new(ECHO).delay(delay).build()
}

#[binary_benchmark]
#[bench::entry_point(config = BinaryBenchmarkConfig::default().entry_point("no_such_crate::main"))]
#[bench::fixture(config = BinaryBenchmarkConfig::default().fixtures(Fixtures::new("no/such/fixture")))]
#[bench::directory(config = BinaryBenchmarkConfig::default().current_dir("no/such/directory"))]
fn configurations() -> Command {
    Command::new(ECHO).arg("text").build()
}

#[binary_benchmark]
fn stdin_file() -> Command {
    Command::new(ECHO).stdin(Stdin::File("no/such/input".into())).build()
}

#[binary_benchmark]
fn no_setup() -> Command {
    Command::new(ECHO).stdin(Stdin::Setup(Pipe::Stdout)).build()
}

/// Leaves a process behind.
#[binary_benchmark]
fn leaves_a_process() -> Command {
    Command::new("sh").args(["-c", "sleep 100 &"]).build()
}

binary_benchmark_group!(
    name = group;
    benchmarks =
        good, ends, not_found, hooks, hooks_next_to_others, delays, configurations, stdin_file, no_setup,
        leaves_a_process
);

main!(binary_benchmark_groups = group);
