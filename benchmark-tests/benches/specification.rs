//! Documented examples of library benchmarks, each in a module of its own. The code that
//! is between `// as documented` and the end of a block's item is unchanged; what is missing to
//! make it whole is added around it. Blocks that are whole files are benchmark files of their own:
//! `quickstart`, `compare`, `prints` and `bench_file`.

#![allow(clippy::pedantic, reason = "the code is that of the documentation")]
#![allow(dead_code, reason = "in the documentation too")]

use iai_callgrind::{LibraryBenchmarkConfig, main};

fn bubble_sort(mut array: Vec<i32>) -> Vec<i32> {
    for end in (1..array.len()).rev() {
        for index in 0..end {
            if array[index] > array[index + 1] {
                array.swap(index, index + 1);
            }
        }
    }
    array
}

fn fibonacci(n: u64) -> u64 {
    match n {
        0 => 1,
        1 => 1,
        n => fibonacci(n - 1) + fibonacci(n - 2),
    }
}

mod setup_in_the_arguments {
    use std::hint::black_box;

    use iai_callgrind::{library_benchmark, library_benchmark_group};

    use super::fibonacci;

    // as documented
    fn some_setup_func(value: u64) -> u64 {
        value
    }

    #[library_benchmark]
    #[bench::long(some_setup_func(30))]
    fn bench_fibonacci(value: u64) -> u64 {
        black_box(fibonacci(value))
    }

    library_benchmark_group!(name = setup_in_the_arguments; benchmarks = bench_fibonacci);
}

mod a_bench {
    use iai_callgrind::{library_benchmark, library_benchmark_group};

    // as documented, with a body
    #[library_benchmark]
    #[bench::first(21)]
    fn my_bench(value: u64) -> u64 {
        // benchmark something
        value
    }

    library_benchmark_group!(name = my_group; benchmarks = my_bench);
}

mod setup {
    use iai_callgrind::{library_benchmark, library_benchmark_group};

    // as documented
    fn my_setup(value: u64) -> String {
        format!("{value}")
    }

    fn my_other_setup(value: u64) -> String {
        format!("{}", value + 10)
    }

    #[library_benchmark(setup = my_setup)]
    #[bench::first(21)]
    #[benches::multiple(42, 84)]
    #[bench::last(args = (102), setup = my_other_setup)]
    fn my_bench(value: String) {
        println!("{value}");
    }

    library_benchmark_group!(name = setup; benchmarks = my_bench);
}

mod teardown {
    use std::hint::black_box;

    use iai_callgrind::{library_benchmark, library_benchmark_group};

    // as documented
    fn my_teardown(value: usize) {
        println!("The length of the input string was: {value}");
    }

    fn my_other_teardown(value: usize) {
        if value != 3 {
            panic!("The length of the input string was: {value} but expected it to be 3");
        }
    }

    #[library_benchmark(teardown = my_teardown)]
    #[bench::first("1")]
    #[benches::multiple("42", "84")]
    #[bench::last(args = ("104"), teardown = my_other_teardown)]
    fn my_bench(value: &str) -> usize {
        // Let's benchmark the `len` function
        black_box(value.len())
    }

    library_benchmark_group!(name = teardown; benchmarks = my_bench);
}

mod benches {
    use std::hint::black_box;

    use iai_callgrind::{library_benchmark, library_benchmark_group};

    use super::bubble_sort;

    // as documented
    fn setup_worst_case_array(start: i32) -> Vec<i32> {
        if start.is_negative() { (start..0).rev().collect() } else { (0..start).rev().collect() }
    }

    #[library_benchmark]
    #[benches::multiple(vec![1], vec![5])]
    #[benches::with_setup(args = [1, 5], setup = setup_worst_case_array)]
    fn bench_bubble_sort_with_benches_attribute(input: Vec<i32>) -> Vec<i32> {
        black_box(bubble_sort(input))
    }

    library_benchmark_group!(
        name = short_form;
        benchmarks = bench_bubble_sort_with_benches_attribute
    );

    pub(super) mod written_out {
        use std::hint::black_box;

        use iai_callgrind::{library_benchmark, library_benchmark_group};

        use super::{bubble_sort, setup_worst_case_array};

        // as documented, where the last two attributes have a `)` too many
        #[library_benchmark]
        #[bench::multiple_0(vec![1])]
        #[bench::multiple_1(vec![5])]
        #[bench::with_setup_0(setup_worst_case_array(1))]
        #[bench::with_setup_1(setup_worst_case_array(5))]
        fn bench_bubble_sort_with_benches_attribute(input: Vec<i32>) -> Vec<i32> {
            black_box(bubble_sort(input))
        }

        library_benchmark_group!(
            name = written_out;
            benchmarks = bench_bubble_sort_with_benches_attribute
        );
    }
}

mod configuration {
    use iai_callgrind::{LibraryBenchmarkConfig, library_benchmark, library_benchmark_group};

    // as documented, with functions
    #[library_benchmark(config = LibraryBenchmarkConfig::default())]
    fn of_function() -> u64 {
        1
    }

    #[library_benchmark]
    #[bench::some_id(args = (1, 2), config = LibraryBenchmarkConfig::default())]
    fn of_bench(first: u64, second: u64) -> u64 {
        first + second
    }

    // as documented, where it says `library_benchmark_groups!`
    library_benchmark_group!(
        name = some_name;
        config = LibraryBenchmarkConfig::default();
        benchmarks = of_function, of_bench
    );
}

mod no_cache_simulation {
    use iai_callgrind::{LibraryBenchmarkConfig, library_benchmark, library_benchmark_group};

    fn config() -> LibraryBenchmarkConfig {
        // as documented
        LibraryBenchmarkConfig::default()
            .raw_callgrind_args(["--cache-sim=no"])
            // a value instead of a reference
            .into()
    }

    #[library_benchmark(config = config())]
    fn only_instructions() -> u64 {
        1
    }

    library_benchmark_group!(name = no_cache_simulation; benchmarks = only_instructions);
}

// as documented, with the groups
main!(
    config = LibraryBenchmarkConfig::default();
    library_benchmark_groups = setup_in_the_arguments::setup_in_the_arguments,
        a_bench::my_group, setup::setup, teardown::teardown, benches::short_form,
        benches::written_out::written_out, configuration::some_name,
        no_cache_simulation::no_cache_simulation
);
