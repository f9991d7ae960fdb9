//! Configuration and hooks on all levels, in modules that have functions of the same name.

use std::env;

use iai_callgrind::{LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};

/// Prints that it runs, and fails if the environment names it.
fn hook(name: &str) {
    println!("hook: {name}");
    assert!(env::var("LEVELS_FAIL").as_deref() != Ok(name), "{name} fails");
}

/// Returns a configuration that differs from the others.
fn level(name: &str) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().env("LEVEL", name).into()
}

mod first {
    use super::{hook, level};

    #[iai_callgrind::library_benchmark(config = level("function"))]
    #[bench::one(args = (1), config = level("bench"))]
    #[benches::two(args = [2, 3], config = level("benches"))]
    #[benches::items(iter = [4, 5], config = level("iter"))]
    #[bench::plain(6)]
    pub(super) fn same_name(number: u64) -> u64 {
        number
    }

    fn set_up() {
        hook("first set-up");
    }

    iai_callgrind::library_benchmark_group!(
        name = group_x;
        config = level("group");
        setup = set_up;
        teardown = || hook("first tear-down");
        benchmarks = same_name
    );
}

mod second {
    use super::hook;

    #[iai_callgrind::library_benchmark]
    pub(super) fn same_name() -> u64 {
        1
    }

    iai_callgrind::library_benchmark_group!(
        name = group_y,
        setup = {
            let name = String::from("second set-up");
            hook(&name);
        },
        teardown = hook("second tear-down"),
        benchmarks = same_name
    );
}

#[library_benchmark]
fn without_hooks() {}

library_benchmark_group!(name = plain; benchmarks = without_hooks);

fn call<F: Fn(&str)>(hook: F, name: &str) {
    hook(name);
}

main!(
    config = LibraryBenchmarkConfig::default().env("LEVEL", "file").env_clear(false);
    setup = call::<fn(&str)>(hook, "set-up");
    teardown = (|| hook("tear-down"));
    library_benchmark_groups = [first::group_x, second::group_y, plain]
);
