//! Cases from the lines of a file and from the items of an iterator.

use end_to_end_tests::{Suite, assert_snapshot, redact, run, shared_report, shared_run, tree};

/// Returns the names of the listed benchmarks.
fn list(items: &Suite, arguments: &[&str]) -> Vec<String> {
    let run = items.run(&[&["--list", "--format=terse"], arguments].concat()).expect(0);
    let names = run.stdout.lines().map(|line| line.strip_suffix(": benchmark").expect("a name"));
    names.map(ToOwned::to_owned).collect()
}

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
fn the_lines_of_a_file_print_as_other_benchmarks_do() {
    let run = Suite::new("items").run(&["files::text"]).expect(0);
    assert_snapshot(&redact(&run.stdout, &[]), "items_of_a_file.txt");
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

#[test]
fn each_line_has_a_name_to_filter_by_and_a_directory() {
    let items = Suite::new("items");
    let all = list(&items, &[]);
    assert_eq!(all.len(), 29);
    assert_eq!(all[..2], ["items::files::text::by_file_0", "items::files::text::by_file_1"]);
    let expected = ["files::text", "files::path", "both::sum_to"];
    let expected = expected.map(|function| format!("items::{function}::by_file_1"));
    assert_eq!(list(&items, &["::by_file_1"]), expected);

    let _ = items.report(&["::by_file_1"]);
    let files = tree(&items.directory()).into_keys();
    let files = files.filter(|path| path.rsplit('.').next() == Some("out"));
    let expected = ["both/sum_to", "files/path", "files/text"].map(|function| {
        let (_, name) = function.split_once('/').expect("a group");
        format!("{function}.by_file_1/callgrind.{name}.by_file_1.out")
    });
    assert_eq!(files.collect::<Vec<_>>(), expected);
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
