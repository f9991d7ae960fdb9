//! What takes so long that a test can interrupt it: a set-up, a command and a server beside a command.

use std::io::Write;
use std::thread;
use std::time::Duration;

use iai_callgrind::{Command, Pipe, Stdin, binary_benchmark, binary_benchmark_group, main};

/// Tells that it runs by a file beside the sandboxes.
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
fn beside() -> Command {
    Command::new("sleep").arg("100").stdin(Stdin::Setup(Pipe::Stdout)).build()
}

binary_benchmark_group!(name = group; benchmarks = set_up, command, beside);

main!(binary_benchmark_groups = group);
