//! Output directories that can't be written to, or not where it seems: a clear error, and nothing that was
//! there is touched.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use end_to_end_tests::order::prepared;
use end_to_end_tests::{Run, Suite, assert_unchanged, clean, is_empty, run, runner, tree};

/// Runs all, of which those in the group `texts` can't have results, and nothing else goes wrong.
fn fails_for_texts(order: &Suite, parts: &[&str]) -> Run {
    let run = order.run(&[]).expect(1);
    run.complains(parts);
    let report = run.report();
    assert_eq!(report.names().len(), 5);
    assert!(report.names().iter().all(|name| name.starts_with("numbers::")), "{report:?}");
    assert!(report.summary.starts_with("Failed. 8 benchmarks ran, 0 regressed, 3 failed"));
    run
}

#[test]
fn a_file_where_a_directory_should_be() {
    let order = prepared();
    let texts = order.directory().join("texts");
    fs::remove_dir_all(&texts).unwrap();
    fs::write(&texts, "not a result").unwrap();
    let _ = fails_for_texts(&order, &["order/texts: not a directory"]);
    assert_eq!(fs::read_to_string(&texts).unwrap(), "not a result");

    // And in the place of all of the file's
    fs::remove_dir_all(order.directory()).unwrap();
    fs::write(order.directory(), "not a result").unwrap();
    let run = order.run(&[]).expect(1);
    run.complains(&["benchmark-tests/order: not a directory", "--home"]);
    assert_eq!(fs::read_to_string(order.directory()).unwrap(), "not a result");
}

#[test]
fn a_directory_where_a_file_should_be() {
    let order = prepared();
    let old = order.result("texts::tree::pangram", "old.out");
    fs::remove_file(&old).unwrap();
    fs::create_dir(&old).unwrap();
    fs::write(old.join("precious"), "precious").unwrap();
    let texts = old.parent().unwrap();
    let before = tree(texts);
    let run = order.run(&["tree"]).expect(1);
    run.complains(&["error: order::texts::tree pangram", "can't write", "old.out"]);
    assert_unchanged(&before, &tree(texts));
}

#[test]
fn a_link_that_leads_out() {
    let order = prepared();
    let outside = order.subdirectory("outside");
    let texts = order.directory().join("texts");
    fs::remove_dir_all(&texts).unwrap();
    symlink(&outside, &texts).unwrap();
    let _ = fails_for_texts(&order, &["order/texts: a symbolic link below the output directory"]);
    assert!(is_empty(&outside));

    fs::remove_dir_all(order.directory()).unwrap();
    symlink(&outside, order.directory()).unwrap();
    let run = order.run(&[]).expect(1);
    run.complains(&["benchmark-tests/order: a symbolic link below the output directory", "--home"]);
    assert!(is_empty(&outside));
}

#[test]
fn results_of_another_version() {
    let order = prepared();
    let version = order.home().join(".format-version");
    assert_eq!(fs::read_to_string(&version).unwrap(), "1\n");
    fs::write(&version, "2\n").unwrap();
    let before = tree(&order.home());
    let expected = ["format `2`, but iai-callgrind-runner", "--home"];
    order.run(&[]).expect(1).complains(&expected);
    let mut list = Command::new(runner());
    run(clean(&mut list).arg("list").arg("--home").arg(order.home()))
        .expect(1)
        .complains(&expected);
    assert_unchanged(&before, &tree(&order.home()));

    // Older versions did not tell
    fs::remove_file(&version).unwrap();
    let _ = order.report(&[]);
    assert_eq!(fs::read_to_string(&version).unwrap(), "1\n");
}
