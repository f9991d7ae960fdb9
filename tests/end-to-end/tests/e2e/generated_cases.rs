//! Cases from the lines of a file and from the items of an iterator.

use end_to_end_tests::{Suite, assert_snapshot, run, shared_report, shared_run};

#[test]
fn titles_show_lines_as_they_are_and_where_items_come_from() {
    let run = shared_run("items", &[]).succeeded();
    let titles = run.stdout.lines().filter(|line| line.starts_with("items::"));
    let titles: String = titles.flat_map(|title| [title, "\n"]).collect();
    assert_snapshot(&titles, "items_titles.txt");
    assert_eq!(
        run.stderr,
        "note: items::both::sum_to::empty has no cases: its `iter` has no items\n"
    );
}

#[test]
fn arguments_lines_and_items_count_the_same() {
    let counts = shared_report("items", &[]).all_instructions();
    for index in [0, 1] {
        let count = |group: &str, of: &str| counts[&format!("{group}::{of}_{index}")];
        for of in ["by_file", "closure", "by_iter"] {
            assert_eq!(count("both::sum_to", of), count("both::sum_to", "by_args"), "{of}");
        }
        for function in ["iterators::split", "iterators::split_at"] {
            assert_eq!(count(function, "by_iter"), count(function, "by_args"), "{function}");
        }
    }
    assert!(counts["both::sum_to::by_iter_1"] > 2000, "{counts:?}");
    let by_consts = |index: u8| counts[&format!("iterators::sum_to_constant::by_consts_{index}")];
    assert!(by_consts(0) < 200 && by_consts(1) > 2000, "{counts:?}");
    let split_at = |id: &str| counts[&format!("iterators::split_at::{id}")];
    assert_eq!(split_at("by_array"), split_at("by_args_0"));
    let length = |id: &str| counts[&format!("iterators::length::{id}")];
    assert_eq!(length("of_a_setup_0"), length("of_the_environment_0"));
}

// The benchmarks' environment is empty, and so the iterator is another one there.
#[test]
fn an_item_that_is_gone_when_its_case_runs_fails_the_case() {
    let items = Suite::new("items");
    let mut command = items.command();
    command.arg("of_the_environment").env("ITEMS_ANOTHER", "two");
    run(&mut command).expect(1).complains(&[
        "items::iterators::length of_the_environment_1",
        "`iter` had an item with the index 1 when its items were counted",
        "benchmark-tests/benches/items.rs",
    ]);
}
