//! Benchmarks that write a line for each of their calls, with the process and the tool that it runs under.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;
use std::{env, process};

use iai_callgrind::client_requests::valgrind::running_on_valgrind;
use iai_callgrind::{Command, binary_benchmark, library_benchmark, main};

/// Returns the names of this process and of those that it comes from.
fn ancestors() -> String {
    let mut names = Vec::new();
    let mut pid = process::id();
    while pid > 1 {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { break };
        let (name, fields) = stat.rsplit_once(')').unwrap();
        names.push(name.split_once('(').unwrap().1.replace(' ', "_"));
        pid = fields.split_whitespace().nth(1).unwrap().parse().unwrap();
    }
    names.join(",")
}

fn write_line(line: &str) {
    let path = env::var("PROFILED").unwrap();
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

#[library_benchmark(setup = |milliseconds: u64| vec![milliseconds])]
#[bench::ten(10)]
fn sleeps(milliseconds: Vec<u64>) -> Vec<u64> {
    sleep(Duration::from_millis(milliseconds[0]));
    write_line(&format!("{} {} {}", process::id(), running_on_valgrind(), ancestors()));
    milliseconds
}

#[library_benchmark]
fn panics() {
    panic!("not today");
}

#[binary_benchmark]
fn command() -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo $$ >>\"$PROFILED\""]);
    command.build()
}

main!();
