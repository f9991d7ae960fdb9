//! Benchmarks that are `async`.

use end_to_end_tests::{FreshCrate, Report, run, runner};

const BENCHMARK: &str = r"
use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use iai_callgrind::{library_benchmark, main};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[library_benchmark(block_on = block_on)]
async fn nothing() {}

#[library_benchmark(block_on = block_on)]
#[benches::numbers(10, 110)]
async fn sum(number: u64) -> u64 {
    let mut sum = 0;
    for number in 0..number {
        sum += black_box(async { number }.await);
    }
    sum
}

// The same without an attribute for it
#[library_benchmark]
#[bench::numbers(10)]
fn by_hand(number: u64) -> u64 {
    block_on(async move {
        let mut sum = 0;
        for number in 0..number {
            sum += black_box(async { number }.await);
        }
        sum
    })
}

main!();
";

#[test]
fn an_executor_runs_the_body_and_counts() {
    let crate_ = FreshCrate::new("fresh-futures", BENCHMARK, "");
    let mut cargo = crate_.cargo_bench();
    cargo.args(["--bench", &crate_.file()]).env("IAI_CALLGRIND_RUNNER", runner());
    let report: Report = run(&mut cargo).expect(0).report();
    let nothing = report.instructions("functions::nothing");
    let sums = [0, 1].map(|id| report.instructions(&format!("functions::sum::numbers_{id}")));
    // The executor alone, which allocates a waker
    assert!((50..1000).contains(&nothing), "{nothing}");
    assert!(sums[0] > nothing && sums[1] >= sums[0] + 300, "{nothing} {sums:?}");
    assert_eq!(sums[0], report.instructions("functions::by_hand::numbers"));
}
