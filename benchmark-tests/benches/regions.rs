//! Code that belongs to a benchmark, and code that doesn't: empty functions, threads, processes, set-up and
//! tear-down.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hint::black_box;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn fibonacci(n: u64) -> u64 {
    if n < 2 { 1 } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[library_benchmark]
fn empty() {}

#[library_benchmark]
fn empty_too() {}

#[library_benchmark]
#[bench::seven(7)]
fn returns_argument(number: u64) -> u64 {
    number
}

#[library_benchmark]
#[bench::ten(10)]
#[bench::twenty(20)]
fn recursive(n: u64) -> u64 {
    fibonacci(n)
}

/// Formats a value. There is a function for each type; its symbol has the type's name in it.
#[library_benchmark]
#[bench::number(42)]
#[bench::text("forty-two")]
fn generic<T: Debug>(value: T) -> String {
    format!("{value:?}")
}

#[inline(never)]
fn sum(numbers: &[u64; 8]) -> u64 {
    black_box(numbers).iter().sum()
}

/// Takes an argument by value, which stays where the caller put it.
#[library_benchmark]
#[bench::eight([3; 8])]
fn by_value(numbers: [u64; 8]) -> u64 {
    sum(&numbers)
}

#[library_benchmark]
#[bench::eight(&[3; 8])]
fn by_reference(numbers: &[u64; 8]) -> u64 {
    sum(numbers)
}

/// Calls a closure, which has the benchmark's name in its own.
#[library_benchmark]
fn closure() -> u64 {
    let call = black_box(|n| fibonacci(n) + 1);
    call(black_box(10))
}

fn count_down(n: u64) -> u64 {
    if n == 0 { 0 } else { black_box(n) + count_down(n - 1) }
}

/// Calls itself with an argument of its own.
#[library_benchmark]
#[bench::ten([10, 0])]
fn calls_itself_by_value([n, result]: [u64; 2]) -> u64 {
    if n == 0 { result } else { black_box(1) + calls_itself_by_value([n - 1, result]) }
}

/// Calls a function that does the same as itself.
#[library_benchmark]
#[bench::ten(10)]
fn calls_another(n: u64) -> u64 {
    if n == 0 { 0 } else { black_box(n) + count_down(n - 1) }
}

#[library_benchmark]
#[bench::ten(10)]
fn calls_itself(n: u64) -> u64 {
    if n == 0 { 0 } else { black_box(n) + calls_itself(n - 1) }
}

#[library_benchmark]
fn calls_benchmarks() -> u64 {
    calls_another(black_box(10)) + calls_itself(black_box(10))
}

/// Makes two maps, whose keys come from the system's randomness.
#[library_benchmark]
fn hash_maps() -> usize {
    let map = |step: u64| (0..100).map(|n| (n * step, n)).collect::<HashMap<_, _>>();
    map(black_box(7919)).len() + map(black_box(104_729)).len()
}

mod sub {
    pub(crate) mod one {
        use iai_callgrind::library_benchmark;

        #[library_benchmark]
        pub(crate) fn same_name() {}
    }

    pub(crate) mod two {
        use iai_callgrind::library_benchmark;

        #[library_benchmark]
        #[bench::ten(10)]
        pub(crate) fn same_name(n: u64) -> u64 {
            crate::fibonacci(n)
        }
    }
}

/// Starts three threads that do what `recursive::twenty` does.
#[library_benchmark]
fn threads() -> u64 {
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(|| fibonacci(black_box(20)))).collect();
    threads.into_iter().filter_map(|thread| thread.join().ok()).sum()
}

/// A thread that takes orders.
struct Pool {
    orders: Sender<u64>,
    results: Receiver<u64>,
}

impl Pool {
    /// Starts the thread, which is busy from the start on.
    fn new() -> Self {
        let (orders, incoming) = channel();
        let (outgoing, results) = channel();
        thread::spawn(move || {
            for n in [20].into_iter().chain(incoming) {
                if outgoing.send(fibonacci(n)).is_err() {
                    break;
                }
            }
        });
        // Until it has ended what it began with
        let _ = results.recv();
        Self { orders, results }
    }

    fn compute(&self, n: u64) -> Option<u64> {
        self.orders.send(n).ok()?;
        self.results.recv().ok()
    }
}

#[library_benchmark(setup = Pool::new)]
#[bench::dropped()]
#[bench::busy_after(teardown = more_work)]
fn pool(pool: Pool) -> Pool {
    black_box(pool.compute(black_box(20)));
    pool
}

/// Makes the pool work after the benchmark.
fn more_work(pool: Pool) {
    black_box(pool.compute(20));
    drop(pool);
}

/// Returns true if `/bin/true` succeeds.
fn run_true() -> bool {
    Command::new("/bin/true").status().is_ok_and(|status| status.success())
}

#[library_benchmark]
fn process() -> bool {
    run_true()
}

#[library_benchmark]
fn two_processes() -> bool {
    run_true() & run_true()
}

/// Counts without the processes around the benchmark.
#[library_benchmark]
#[bench::ten(setup = || { run_true(); 10 }, teardown = |_: u64| run_true())]
fn processes_around(n: u64) -> u64 {
    fibonacci(n)
}

/// Does `before`, then forks a child that does `within`, and waits for it.
fn fork(before: fn(), within: fn()) {
    before();
    // SAFETY: this is the process's only thread, and the child ends without returning from here.
    unsafe {
        match libc::fork() {
            0 => {
                within();
                libc::_exit(0);
            }
            child => {
                assert_eq!(libc::waitpid(child, std::ptr::null_mut(), 0), child);
            }
        }
    }
}

/// Does the work of `recursive::twenty`.
fn work() {
    black_box(fibonacci(black_box(20)));
}

#[library_benchmark]
#[bench::idle(|| (), || ())]
#[bench::busy_child(|| (), work)]
#[bench::busy_before(work, || ())]
fn forks(before: fn(), within: fn()) {
    fork(before, within);
}

/// Forks before and after the call, for less time than a tick of the clock.
#[library_benchmark]
#[bench::ten(setup = || { fork(|| (), || ()); 10 }, teardown = |_: u64| fork(|| (), || ()))]
fn children_around(n: u64) -> u64 {
    fibonacci(n)
}

library_benchmark_group!(
    name = single;
    benchmarks =
        empty, empty_too, returns_argument, recursive, generic, by_value, by_reference, closure
);
library_benchmark_group!(
    name = calls;
    benchmarks = calls_another, calls_itself, calls_itself_by_value, calls_benchmarks
);
library_benchmark_group!(name = random; benchmarks = hash_maps);
library_benchmark_group!(name = first_module; benchmarks = sub::one::same_name);
library_benchmark_group!(name = second_module; benchmarks = sub::two::same_name);
library_benchmark_group!(name = concurrent; benchmarks = threads, pool);
library_benchmark_group!(
    name = processes;
    benchmarks = process, two_processes, processes_around, children_around, forks
);

main!(
    library_benchmark_groups = single,
    calls,
    random,
    first_module,
    second_module,
    concurrent,
    processes
);
