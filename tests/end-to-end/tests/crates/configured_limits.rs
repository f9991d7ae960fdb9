//! Limits in the benchmark file.

use std::fs;

use end_to_end_tests::{FreshCrate, run};

#[test]
fn a_meaningless_limit_is_an_error_that_names_the_benchmark() {
    let benchmark = "
        use iai_callgrind::{
            Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark,
            library_benchmark_group, main,
        };

        #[library_benchmark]
        #[bench::fine()]
        #[bench::wrong(
            config = LibraryBenchmarkConfig::default()
                .tool(Callgrind::default().soft_limits([(EventKind::Ir, f64::NAN)]))
        )]
        fn nothing() {}

        library_benchmark_group!(name = limits; benchmarks = nothing);
        main!(library_benchmark_groups = limits);
    ";
    let wrong = FreshCrate::new("wrong-limit", benchmark, "");
    let name = format!("{}::limits::nothing::wrong", wrong.file());
    let run = run(&mut wrong.cargo_bench()).expect(1);
    run.complains(&[&format!("in the configuration of {name}: `NaN%` is not a limit of Ir")]);
    assert!(!fs::exists(wrong.results().join("limits")).unwrap(), "nothing ran");
}
