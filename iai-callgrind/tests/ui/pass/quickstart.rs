//! The first example of the guide, with `main!` in a module, because the test has its own `main`.

#![deny(warnings)]

mod fibonacci {
    use std::hint::black_box;

    use iai_callgrind::{library_benchmark, library_benchmark_group, main};

    fn fibonacci(n: u64) -> u64 {
        match n {
            0 => 1,
            1 => 1,
            n => fibonacci(n - 1) + fibonacci(n - 2),
        }
    }

    #[library_benchmark]
    #[bench::short(10)]
    #[bench::long(30)]
    pub fn bench_fibonacci(value: u64) -> u64 {
        black_box(fibonacci(value))
    }

    library_benchmark_group!(
        name = bench_fibonacci_group;
        benchmarks = bench_fibonacci
    );

    main!(library_benchmark_groups = bench_fibonacci_group);

    pub fn main_of_the_module() -> fn() -> std::process::ExitCode {
        main
    }
}

use iai_callgrind::__private::{LibraryBenchmark, LibraryBenchmarkGroup};

fn main() {
    let function = <fibonacci::bench_fibonacci as LibraryBenchmark>::FUNCTION;
    assert_eq!(function.name, "bench_fibonacci");
    assert_eq!((function.owner)(), concat!(module_path!(), "::fibonacci::bench_fibonacci"));
    let cases: Vec<_> = function.cases.iter().map(|case| (case.id, case.arguments)).collect();
    assert_eq!(cases, [(Some("short"), "10"), (Some("long"), "30")]);

    let group = <fibonacci::bench_fibonacci_group as LibraryBenchmarkGroup>::GROUP;
    assert_eq!(group.name, "bench_fibonacci_group");
    let iai_callgrind::__private::Functions::Library(functions) = group.functions else { panic!() };
    assert_eq!(functions.len(), 1);

    // The function is still there
    assert_eq!(fibonacci::bench_fibonacci(3), 3);
    let _ = fibonacci::main_of_the_module();
}
