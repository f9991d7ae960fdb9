//! Benchmarks that write to the pipe of the harness, between ones that do not. A timer interrupts the process that they are
//! forked from.

use std::hint::black_box;
use std::mem;
use std::ptr;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// The descriptor of the harness.
const PIPE: i32 = 201;

extern "C" fn ignore(_: i32) {}

/// Handles a signal that arrives each 5 ms. System calls that it interrupts are not restarted.
extern "C" fn start_timer() {
    let every = libc::timeval { tv_sec: 0, tv_usec: 5000 };
    let timer = libc::itimerval { it_interval: every, it_value: every };
    // SAFETY: zeros are valid for the action, and the pointers are valid during the calls.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = ignore as extern "C" fn(i32) as usize;
        libc::sigaction(libc::SIGALRM, &raw const action, ptr::null_mut());
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static START_TIMER: extern "C" fn() = start_timer;

fn work() -> u64 {
    (0..1000_u64).map(black_box).sum()
}

fn write(bytes: &[u8]) {
    // SAFETY: the buffer is as long as the call says.
    unsafe { libc::write(PIPE, bytes.as_ptr().cast(), bytes.len()) };
}

/// Returns a message of this kind, with the process id of this process and of one that there is always.
fn message(kind: u8, words: [i32; 3]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[0] = kind;
    for (place, word) in words.into_iter().enumerate() {
        bytes[4 + 4 * place..][..4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[library_benchmark]
fn good_before() -> u64 {
    work()
}

#[library_benchmark]
fn nonsense() -> u64 {
    write(&[0xff; 77]);
    work()
}

#[library_benchmark]
fn text() -> u64 {
    write(b"ok\n");
    work()
}

#[library_benchmark]
fn flood() -> u64 {
    for _ in 0..3000 {
        write(&[0xab; 4096]);
    }
    work()
}

#[library_benchmark]
fn one_byte() -> u64 {
    write(&[1]);
    work()
}

#[library_benchmark]
fn part_and_pause() {
    write(&[1, 0, 0]);
    loop {
        // SAFETY: a system call without arguments.
        unsafe { libc::pause() };
    }
}

#[library_benchmark]
fn zeros() -> u64 {
    write(&[0; 32]);
    work()
}

#[library_benchmark]
#[bench::all(0, [1, 0, 1])]
#[bench::negative(0, [1, 0, -2])]
#[bench::ends(0, [-1, 0, 0])]
#[bench::region(1, [1, 0, 0])]
#[bench::time(2, [1, 1, 0])]
fn forged(kind: u8, words: [i32; 3]) -> u64 {
    write(&message(kind, words));
    work()
}

/// Returns twice: a copy of the process comes back from the benchmark, too, and is not a foreign one.
#[library_benchmark]
fn comes_back_twice() -> u64 {
    // SAFETY: the process has a single thread.
    let child = unsafe { libc::fork() };
    let done = work();
    if child > 0 {
        // SAFETY: a system call whose pointer is null.
        unsafe { libc::waitpid(child, ptr::null_mut(), 0) };
    }
    done
}

#[library_benchmark]
fn good_after() -> u64 {
    work()
}

library_benchmark_group!(
    name = group;
    benchmarks = good_before, nonsense, text, flood, one_byte, part_and_pause, zeros, forged, comes_back_twice,
        good_after
);
main!(library_benchmark_groups = group);
