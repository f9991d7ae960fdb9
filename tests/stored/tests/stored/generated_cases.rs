//! Cases from the lines of a file and from the items of an iterator.

use end_to_end_tests::{Suite, assert_snapshot, redact, tree};

/// Returns the names of the listed benchmarks.
fn list(items: &Suite, arguments: &[&str]) -> Vec<String> {
    let run = items.run(&[&["--list", "--format=terse"], arguments].concat()).expect(0);
    let names = run.stdout.lines().map(|line| line.strip_suffix(": benchmark").expect("a name"));
    names.map(ToOwned::to_owned).collect()
}

#[test]
fn the_lines_of_a_file_print_as_other_benchmarks_do() {
    let run = Suite::new("items").run(&["files::text"]).expect(0);
    assert_snapshot(&redact(&run.stdout, &[]), "items_of_a_file.txt");
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
