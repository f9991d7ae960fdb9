//! Ids of processes and threads, which are the same in each run.

use std::fs;
use std::process::{self, Command};
use std::thread;

use iai_callgrind::{counter, library_benchmark, library_benchmark_group, main};

/// Returns the id of the thread that calls it.
fn thread_id() -> u64 {
    // SAFETY: a system call without arguments.
    u64::try_from(unsafe { libc::gettid() }).unwrap()
}

/// Reports ids by all ways to ask for them.
fn report() {
    counter("process", u64::from(process::id()));
    counter("thread", thread_id());
    counter("other thread", thread::spawn(thread_id).join().unwrap());
    // SAFETY: system calls without pointers.
    let [group, parent] = unsafe { [libc::getpgrp(), libc::getppid()] };
    counter("group", u64::from(group.unsigned_abs()));
    counter("parent", u64::from(parent.unsigned_abs()));
    let link = fs::read_link("/proc/self").unwrap();
    counter("in /proc", link.to_str().unwrap().parse::<u64>().unwrap());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_number = |name: &str| name.parse::<u32>().is_ok();
    let processes = processes.filter(|entry| entry.file_name().to_str().is_some_and(is_number));
    counter("processes", processes.count() as u64);
}

#[library_benchmark(teardown = |()| report())]
#[bench::first()]
#[bench::second()]
fn of_function() {}

/// Starts a process, and reports its id after it has exited.
#[library_benchmark]
fn of_child() -> u64 {
    let mut child = Command::new("/bin/true").spawn().unwrap();
    child.wait().unwrap();
    counter("child", u64::from(child.id()));
    u64::from(child.id())
}

/// Formats its own id, whose digits count.
#[library_benchmark]
fn digits() -> String {
    process::id().to_string()
}

/// Ends by a signal of its own.
#[library_benchmark]
fn signal() {
    process::abort();
}

/// Waits until the test has killed the first process of its namespace.
#[library_benchmark]
fn outlived() {
    Command::new("/bin/sleep").arg("61.5").status().unwrap();
}

/// Leaves a process, which must not outlive it.
#[library_benchmark]
fn daemon() -> u32 {
    Command::new("/bin/sleep").arg("1000.25").spawn().unwrap().id()
}

library_benchmark_group!(name = functions; benchmarks = of_function, of_child, digits);
library_benchmark_group!(name = bad_functions; benchmarks = signal, daemon);
library_benchmark_group!(name = killed_functions; benchmarks = outlived, of_function);

main!(library_benchmark_groups = functions, bad_functions, killed_functions);
