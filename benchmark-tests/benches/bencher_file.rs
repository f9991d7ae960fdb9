//! A file for bencher, as its documentation has them.

#[macro_use]
extern crate bencher;

use bencher::{Bencher, TDynBenchFn, TestDesc, TestDescAndFn, TestFn, black_box};

fn a(bench: &mut Bencher) {
    bench.iter(|| (0..1000).fold(0, |x, y| black_box(x + y)));
}

fn b(bench: &mut Bencher) {
    const N: usize = 1024;
    bench.iter(|| vec![0_u8; N]);
    bench.bytes = N as u64;
}

fn nothing(bench: &mut Bencher) {
    let numbers: Vec<u64> = (0..100).collect();
    black_box(&numbers);
    bench.iter(|| ());
}

mod inner {
    use bencher::Bencher;

    pub(crate) fn counts_nothing(_: &mut Bencher) {}

    pub(crate) fn counts_twice(bench: &mut Bencher) {
        bench.iter(|| ());
        bench.iter(|| ());
    }
}

/// A benchmark with a value.
struct UpTo(u64);

impl TDynBenchFn for UpTo {
    fn run(&self, harness: &mut Bencher) {
        harness.iter(|| (0..self.0).for_each(|number| _ = black_box(number)));
    }
}

fn objects() -> Vec<TestDescAndFn> {
    let benchmark = |number: u64, ignore: bool| TestDescAndFn {
        desc: TestDesc { name: format!("up to {number}").into(), ignore },
        testfn: TestFn::DynBenchFn(Box::new(UpTo(number))),
    };
    vec![benchmark(10, false), benchmark(20, false), benchmark(30, true)]
}

benchmark_group!(benches, a, b, nothing);
benchmark_group!(failures, inner::counts_nothing, inner::counts_twice,);
benchmark_main!(benches, objects, failures);
