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

/// What a copy of the executable counts whose path is this long and consists of this letter.
fn with_a_path_of(length: usize, letter: &str) -> Values {
    let order = Suite::new("order");
    let rest = length - order.root().as_os_str().len() - "/".len();
    order.with_copy(&letter.repeat(rest)).report(&[]).values()
}

#[test]
fn it_does_not_matter_what_the_executables_directory_is_called() {
    for length in [60, 100, 150] {
        assert_eq!(with_a_path_of(length, "a"), with_a_path_of(length, "b"), "{length} bytes");
    }
}

/// What the loader and the C library do with the path at the start depends on its length, and leaves
/// other lines in the caches. It moves no instruction, and no access.
#[test]
fn the_length_of_the_path_moves_no_instruction() {
    let counted = |length| -> Vec<[u64; 2]> {
        let values = with_a_path_of(length, "a").into_values();
        values.map(|metrics| [metrics[0], metrics[4]]).collect()
    };
    let short = counted(60);
    for length in [61, 82, 100, 150, 240] {
        assert_eq!(counted(length), short, "a path of {length} bytes");
    }
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
