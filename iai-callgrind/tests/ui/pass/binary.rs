//! Forms of `#[binary_benchmark]` and `binary_benchmark_group!`, and the data of their expansions.

use std::sync::atomic::{AtomicUsize, Ordering};

use iai_callgrind::__private::{BinaryBenchmarkFunction, BinaryBenchmarkGroupData, Functions};
use iai_callgrind::{
    Arg, Bench, BinaryBenchmark, BinaryBenchmarkConfig, Command, Run, binary_benchmark,
    binary_benchmark_group,
};

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn hook() {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

fn add(number: usize) {
    CALLS.fetch_add(number, Ordering::Relaxed);
}

fn length(text: &str) {
    add(text.len());
}

#[binary_benchmark(config = BinaryBenchmarkConfig::default(), setup = hook)]
fn no_case() -> Command {
    Command::new("echo")
}

#[binary_benchmark(setup = length, teardown = hook())]
#[bench::one("a")]
#[bench::expression(args = ("ab"), setup = add(5))]
#[bench::block(args = ("ab"), setup = { hook(); add(6); })]
#[bench::closure(args = ("abc"), setup = |text| add(text.len()))]
#[bench::typed_closure(args = ("abc"), setup = |text: &str| add(text.len()))]
#[bench::closure_without_parameters(args = ("abc"), setup = || add(1))]
#[bench::borrowed(&String::from("abcd"))]
#[benches::several("a", "b")]
#[benches::iter(iter = ["a", "bb"])]
pub(crate) fn cases(text: &str) -> Command {
    Command::new("echo").arg(text).build()
}

#[iai_callgrind::binary_benchmark]
#[bench::two(1, "b")]
#[benches::tuples((1, "b"), pair())]
fn two(number: u8, text: &'static str) -> iai_callgrind::Command {
    let mut command = Command::new("echo");
    command.arg(number.to_string());
    command.arg(text);
    command
}

fn pair() -> (u8, &'static str) {
    (2, "c")
}

mod inner {
    #[iai_callgrind::binary_benchmark]
    pub fn other() -> iai_callgrind::Command {
        iai_callgrind::Command::new("echo")
    }
}

binary_benchmark_group!(name = plain; benchmarks = no_case, cases, two, inner::other);
binary_benchmark_group!(
    benchmarks = [cases], name = levels, compare_by_id = true,
    config = BinaryBenchmarkConfig::default().sandbox(false), setup = hook; teardown = add(2)
);
binary_benchmark_group!(
    name = filled;
    setup = hook;
    benchmarks = |group: &mut BinaryBenchmarkGroup| {
        group.binary_benchmark(
            BinaryBenchmark::new("a").bench(Bench::new("b").command(Command::new("c"))),
        )
    }
);
binary_benchmark_group!(name = untyped; benchmarks = |group| { group.bench(Run::with_cmd("a", Arg::empty("b"))); });
binary_benchmark_group!(name = by_function; benchmarks = |group| fill(group));
binary_benchmark_group!(
    name = runs;
    before = hook, bench = true;
    setup = hook;
    teardown = add(2), bench = true, after = hook,
    benchmark = |"cat", group: &mut BinaryBenchmarkGroup| fill(group);
);
binary_benchmark_group!(name = empty; benchmark = |"cat", group: &mut BinaryBenchmarkGroup| {});

fn fill(group: &mut iai_callgrind::BinaryBenchmarkGroup) {
    group.bench(Run::with_arg(Arg::new("id", ["a"])));
}

mod main {
    use super::*;
    iai_callgrind::main!(
        config = BinaryBenchmarkConfig::default();
        binary_benchmark_groups = plain, levels, filled, untyped, by_function, runs, empty
    );
    pub fn use_main() {
        let _: fn() -> std::process::ExitCode = main;
    }
}

/// Returns the increase of the count by the setup of each case.
fn set_ups(function: iai_callgrind::__private::BinaryFunction) -> Vec<usize> {
    let count = |case: &iai_callgrind::__private::BinaryCase| {
        let before = CALLS.load(Ordering::Relaxed);
        if let Some(setup) = case.setup {
            // Before the first counted call
            setup(0, &|| assert_eq!(CALLS.load(Ordering::Relaxed), before));
        }
        CALLS.load(Ordering::Relaxed) - before
    };
    function.cases.iter().map(count).collect()
}

fn main() {
    let function = <cases as BinaryBenchmarkFunction>::FUNCTION;
    let ids: Vec<_> = function.cases.iter().map(|case| case.id.unwrap()).collect();
    assert_eq!(ids[7..], ["several_0", "several_1", "iter"]);
    assert_eq!(set_ups(function), [1, 5, 7, 3, 3, 1, 4, 1, 1, 1]);
    assert!(function.cases.iter().all(|case| case.teardown.is_some()));
    assert_eq!((function.cases[9].command)(1), *Command::new("echo").arg("bb"));
    assert_eq!(set_ups(<no_case as BinaryBenchmarkFunction>::FUNCTION), [1]);
    assert!(<no_case as BinaryBenchmarkFunction>::FUNCTION.config.is_some());
    let function = <two as BinaryBenchmarkFunction>::FUNCTION;
    assert_eq!((function.cases[2].command)(0), *Command::new("echo").args(["2", "c"]));

    assert!(matches!(plain::GROUP.functions, Functions::Binary([_, _, _, _])));
    assert!(levels::GROUP.compare_by_id && levels::GROUP.config.is_some());
    let Functions::Filled(filled_by) = filled::GROUP.functions else { panic!() };
    assert!(filled::GROUP.hooks.setup.is_some() && filled_by.command_hooks.setup.is_none());
    assert!(!filled_by.hooks_in_sandbox);
    let Functions::Filled(filled_by) = runs::GROUP.functions else { panic!() };
    assert!(filled_by.hooks_in_sandbox && filled_by.command_hooks.setup.is_some());
    assert_eq!((filled_by.program, filled_by.measured_hooks.len()), (Some("cat"), 2));
    assert_eq!(filled_by.measured_hooks[0].1.cases[0].id, Some("hook"));
    main::use_main();
}
