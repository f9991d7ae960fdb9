//! Benchmarks that harm the harness or their own process, between ones that do not.

use std::env;
use std::fs;
use std::hint::black_box;
use std::io;
use std::process::{abort, exit};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn good_before() -> u64 {
    black_box(1)
}

/// Starts a daemon: a process of its own session, whose parent has exited.
fn start_daemon(run: impl FnOnce()) {
    // SAFETY: this process has one thread, and the others exit without its handlers.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::setsid();
            if libc::fork() == 0 {
                run();
            }
            libc::_exit(0);
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
    }
}

#[library_benchmark]
fn leaves_daemon() {
    start_daemon(|| thread::sleep(Duration::from_secs(1000)));
}

/// Leaves a daemon that exits while the benchmark runs.
#[library_benchmark]
fn leaves_exited_daemon() {
    start_daemon(|| fs::write("exited", "").unwrap());
    while !fs::exists("exited").unwrap() {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(500));
}

/// Waits for a daemon that does not exit.
#[library_benchmark]
fn waits_for_daemon() {
    start_daemon(|| {
        fs::write("started", "").unwrap();
        thread::sleep(Duration::from_secs(1000));
    });
    thread::sleep(Duration::from_secs(1000));
}

/// Closes every descriptor, those of the harness among them.
#[library_benchmark]
fn closes_descriptors() -> u64 {
    for descriptor in 0..1024 {
        // SAFETY: nothing in this process uses a descriptor after this.
        unsafe { libc::close(descriptor) };
    }
    black_box(2)
}

/// Puts its standard output in the place of the harness's pipe. Without a message, its child would not count.
#[library_benchmark]
fn replaces_descriptors() -> bool {
    let status = std::process::Command::new("true").status().unwrap();
    // SAFETY: system calls without pointers.
    unsafe { libc::dup2(1, 201) };
    status.success()
}

/// Continues as a user who may not write to the output directory.
#[library_benchmark]
fn changes_user() -> u64 {
    // SAFETY: a system call without pointers.
    if unsafe { libc::setuid(65534) } != 0 {
        abort();
    }
    black_box(3)
}

/// Continues in a file system without the output directory.
#[library_benchmark]
fn changes_root() -> u64 {
    // SAFETY: the path ends with a zero byte.
    if unsafe { libc::chroot(c"/usr".as_ptr()) } != 0 {
        abort();
    }
    black_box(4)
}

/// Prevents further writes of files.
#[library_benchmark]
fn limits_files() -> u64 {
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is valid for the duration of the call.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
    black_box(5)
}

/// Sends a signal to the process that started this one, unless that has ended: the runner is the parent then.
fn signal_parent(signal: i32) {
    // SAFETY: system calls without pointers.
    let [own, parent] = unsafe { [libc::getpid(), libc::getppid()] };
    let program = |process| fs::read(format!("/proc/{process}/comm")).ok();
    if program(own) == program(parent) {
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(parent, signal) };
    }
}

/// Ends the process that started it.
#[library_benchmark]
fn ends_parent() -> u64 {
    signal_parent(libc::SIGTERM);
    black_box(6)
}

/// Kills the process that started it.
#[library_benchmark]
fn kills_parent() -> u64 {
    signal_parent(libc::SIGKILL);
    black_box(7)
}

#[library_benchmark]
fn good_after() -> u64 {
    black_box(8)
}

library_benchmark_group!(
    name = group;
    benchmarks =
        good_before, leaves_daemon, leaves_exited_daemon, closes_descriptors, replaces_descriptors,
        changes_user, changes_root, limits_files, ends_parent, kills_parent, good_after
);

library_benchmark_group!(name = endless; benchmarks = waits_for_daemon);

/// Waits until the other benchmark runs too.
fn meet(own: &str, other: &str) {
    fs::write(own, "").unwrap();
    while !fs::exists(other).unwrap() {
        thread::sleep(Duration::from_millis(10));
    }
}

#[library_benchmark]
fn exits() {
    meet("exits", "aborts");
    eprintln!("can't listen: {}", io::Error::from_raw_os_error(libc::EADDRINUSE));
    exit(3);
}

#[library_benchmark]
fn aborts() {
    meet("aborts", "exits");
    abort();
}

library_benchmark_group!(name = meeting; benchmarks = exits, aborts);

/// Has so many threads at once.
fn start_threads(number: usize) -> usize {
    let barrier = Barrier::new(number);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..number).map(|_| scope.spawn(|| barrier.wait())).collect();
        threads.into_iter().filter(|_| black_box(true)).count()
    })
}

#[library_benchmark]
#[bench::ten(10)]
#[bench::hundred(100)]
fn threads(number: usize) -> usize {
    start_threads(number)
}

/// Starts a process that has the threads.
#[library_benchmark]
#[bench::hundred(100)]
fn threads_of_process(number: usize) {
    let mut status = 0;
    // SAFETY: this process has one thread.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(i32::from(start_threads(number) != number));
        }
        libc::waitpid(child, &raw mut status, 0);
    }
    assert_eq!(status, 0);
}

library_benchmark_group!(name = crowd; benchmarks = threads, threads_of_process);

/// Removes the program that this is a copy of.
#[library_benchmark]
fn removes_program() {
    if let Some(program) = env::var_os("PROGRAM") {
        let _ = fs::remove_file(program);
    }
}

library_benchmark_group!(name = removal; benchmarks = removes_program);

main!(library_benchmark_groups = group, endless, meeting, crowd, removal);
