//! A setup, a command and a parallel server that take so long that a test can cancel them.

use std::io::Write;
use std::thread;
use std::time::Duration;

use iai_callgrind::{Command, Pipe, Stdin, binary_benchmark, binary_benchmark_group, main};

/// Creates a file next to the sandboxes when it runs.
fn started() {
    if let Some(path) = std::env::var_os("STARTED") {
        std::fs::File::create(path).unwrap().write_all(b"started").unwrap();
    }
}

fn sleep() {
    started();
    thread::sleep(Duration::from_secs(100));
}

#[binary_benchmark(setup = sleep())]
fn set_up() -> Command {
    Command::new("true")
}

#[binary_benchmark(setup = started())]
fn command() -> Command {
    Command::new("sh").args(["-c", "sleep 100 & sleep 100"]).build()
}

#[binary_benchmark(setup = sleep())]
fn server() -> Command {
    Command::new("sleep").arg("100").stdin(Stdin::Setup(Pipe::Stdout)).build()
}

binary_benchmark_group!(name = group; benchmarks = set_up, command, server);

main!(binary_benchmark_groups = group);
