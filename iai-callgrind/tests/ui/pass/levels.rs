//! `config`, `setup` and `teardown` of `main!` and groups, and `config` of functions and cases.

#![deny(warnings)]
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use iai_callgrind::__private::{Hooks, LibraryBenchmark, LibraryBenchmarkGroup};
use iai_callgrind::{Callgrind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group};

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn hook() {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

fn generic<T: Default>() -> T {
    hook();
    T::default()
}

fn add(number: usize) -> usize {
    (0..number).for_each(|_| hook());
    number
}

fn configured() -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config.env("A", "b");
    config
}

#[library_benchmark(config = configured())]
#[bench::default(args = (1), config = LibraryBenchmarkConfig::default())]
#[bench::builder(args = (2), config = LibraryBenchmarkConfig::default().env("A", "b").env_clear(false))]
#[bench::block(args = (3), config = { let mut config = configured(); config.env("C", "d"); config })]
#[bench::nothing_else(config = configured(), setup = || 4)]
#[benches::several(args = [5, 6], config = configured(), setup = |number| number, teardown = |_| {})]
#[bench::none(7)]
fn function(number: u64) -> u64 {
    number
}

#[library_benchmark(setup = || 1, config = configured(), teardown = drop)]
fn without_annotation(number: u64) -> u64 {
    number
}

mod module {
    use super::{configured, hook};

    iai_callgrind::library_benchmark_group!(
        name = paths;
        config = configured();
        setup = hook;
        teardown = super::generic::<()>;
        benchmarks = super::function, super::without_annotation
    );
}

library_benchmark_group!(name = closures; setup = || hook(); teardown = || { hook(); 1 }; benchmarks = function);
library_benchmark_group!(name = calls, setup = add(5), teardown = { hook(); add(2) }, benchmarks = [function]);
library_benchmark_group!(benchmarks = function; teardown = ((hook)); name = parentheses);
library_benchmark_group!(name = moved; setup = move || drop(String::new()); benchmarks = function);

mod with_all {
    use super::*;
    iai_callgrind::main!(
        config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--branch-sim=yes"]));
        setup = hook;
        teardown = hook(),
        library_benchmark_groups = [module::paths, closures, calls, parentheses, moved]
    );
    pub fn use_main() {
        let _: fn() -> std::process::ExitCode = main;
    }
}

macro_rules! generated {
    ($name:ident, $config:expr, $setup:expr, $teardown:path) => {
        library_benchmark_group!(
            name = $name;
            config = $config;
            setup = $setup;
            teardown = $teardown;
            benchmarks = function
        );
    };
}

generated!(from_a_macro, configured(), hook, hook);

/// Counts the calls of `hook` by the hooks of a group.
fn calls<G: LibraryBenchmarkGroup>() -> [Option<usize>; 2] {
    let Hooks { setup, teardown } = G::GROUP.hooks;
    [setup, teardown].map(|hook| {
        let before = CALLS.load(Ordering::Relaxed);
        hook?();
        Some(CALLS.load(Ordering::Relaxed) - before)
    })
}

fn main() {
    let function = <function as LibraryBenchmark>::FUNCTION;
    assert_eq!(function.config.unwrap()(), configured().into());
    let configs: Vec<_> = function.cases.iter().map(|case| case.config.map(|it| it())).collect();
    let or_default = |index: usize| configs[index].clone().unwrap();
    let plain = |config: &mut LibraryBenchmarkConfig| LibraryBenchmarkConfig::from(config).into();
    assert_eq!(or_default(0), LibraryBenchmarkConfig::default().into());
    assert_eq!(or_default(1), plain(configured().env_clear(false)));
    assert_eq!(or_default(2), plain(configured().env("C", "d")));
    assert!(configs[3..6].iter().all(|config| *config == Some(configured().into())));
    assert_eq!(configs[6], None);
    assert!(<without_annotation as LibraryBenchmark>::FUNCTION.config.is_some());

    assert_eq!(module::paths::GROUP.config.unwrap()(), configured().into());
    assert!(closures::GROUP.config.is_none());
    assert_eq!(calls::<module::paths>(), [Some(1), Some(1)]);
    assert_eq!(calls::<closures>(), [Some(1), Some(1)]);
    assert_eq!(calls::<calls>(), [Some(5), Some(3)]);
    assert_eq!(calls::<parentheses>(), [None, Some(1)]);
    assert_eq!(calls::<moved>(), [Some(0), None]);
    assert_eq!(calls::<from_a_macro>(), [Some(1), Some(1)]);
    with_all::use_main();
}
