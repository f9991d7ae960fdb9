//! The same numbers everywhere: all metrics of single-threaded benchmarks, in whichever surroundings.

use std::collections::BTreeMap;

use benchmark_tests::{Report, Suite, run};

type Values = BTreeMap<String, Vec<u64>>;

/// The numbers of `order.rs` as they come out of a plain run.
fn plain() -> Values {
    Suite::new("order").report(&[]).values()
}

#[test]
fn a_second_run_counts_the_same() {
    let order = Suite::new("order");
    let first = order.report(&[]);
    let second = order.report(&[]);
    assert_eq!(first.values(), second.values());
    for line in second.benchmarks.iter().flat_map(|benchmark| &benchmark.lines) {
        assert_eq!((line.old, &*line.change), (Some(line.new), "(No change)"));
    }
}

#[test]
fn it_does_not_matter_how_many_run_at_once() {
    let order = Suite::new("order");
    let plain = plain();
    for parallel in ["--parallel=1", "--parallel=8", "--parallel"] {
        assert_eq!(order.report(&[parallel]).values(), plain, "{parallel}");
    }
    let by_variable = run(order.command().env("IAI_CALLGRIND_PARALLEL", "3")).expect(0);
    assert_eq!(by_variable.report().values(), plain);
}

#[test]
fn it_does_not_matter_what_else_runs() {
    let order = Suite::new("order");
    let alone: Values = plain()
        .keys()
        .flat_map(|name| order.report(&[&format!("order::{name}")]).values())
        .collect();
    assert_eq!(alone, plain());
}

/// What a copy of the executable counts whose path is this long.
fn with_a_path_of(length: usize) -> Values {
    let order = Suite::new("order");
    let rest = length - order.root().as_os_str().len() - "/".len();
    order.with_copy(&"o".repeat(rest)).report(&[]).values()
}

#[test]
fn it_does_not_matter_where_the_executable_lies() {
    let short = with_a_path_of(60);
    for length in (61..160).step_by(7) {
        assert_eq!(with_a_path_of(length), short, "a path of {length} bytes");
    }
}

/// When a program starts, glibc reads `/proc/self/maps` into a buffer that grows with its lines, the
/// executable's path being the end of some. That moves what is allocated later, and so a few cache
/// lines.
#[test]
fn a_very_long_path_moves_no_instruction() {
    let instructions =
        |values: Values| -> Vec<u64> { values.into_values().map(|metrics| metrics[0]).collect() };
    assert_eq!(instructions(with_a_path_of(240)), instructions(with_a_path_of(60)));
}

#[test]
fn it_does_not_matter_where_the_results_go() {
    let order = Suite::new("order");
    let home = order.root().join("home".repeat(60));
    let run = run(order
        .bare()
        .arg("--bench")
        .env("IAI_CALLGRIND_HOME", &home)
        .env("IAI_CALLGRIND_RUNNER", benchmark_tests::runner()));
    assert_eq!(run.expect(0).report().values(), plain());
    assert!(home.join("benchmark-tests/order/numbers").is_dir());
}

#[test]
fn the_environment_does_not_matter() {
    let order = Suite::new("order");
    let mut command = order.command();
    command
        .env("HOME", "/nowhere/".repeat(30))
        .env("LANG", "tr_TR.UTF-8")
        .env("USER", "somebody else")
        .env("ONE_MORE", "x".repeat(5000))
        .env("VALGRIND_OPTS", "--cache-sim=no --I1=65536,1,128")
        .env("LD_LIBRARY_PATH", "/nowhere/lib");
    assert_eq!(run(&mut command).expect(0).report().values(), plain());

    let mut empty = order.command();
    empty.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    empty.env("IAI_CALLGRIND_RUNNER", benchmark_tests::runner());
    assert_eq!(run(&mut empty).expect(0).report().values(), plain());
}

#[test]
fn a_valgrindrc_does_not_matter() {
    let order = Suite::new("order");
    std::fs::write(order.root().join(".valgrindrc"), "--cache-sim=no\n--I1=65536,1,128\n").unwrap();
    let mut command = order.command();
    command.env("HOME", order.root());
    assert_eq!(run(&mut command).expect(0).report().values(), plain());
}

/// Other than the instructions, the caches can't be the same: the code lies elsewhere.
#[test]
fn the_order_of_declaration_does_not_matter() {
    let instructions = |name| Report::all_instructions(&Suite::new(name).report(&[]));
    assert_eq!(instructions("order"), instructions("order_reversed"));
}
