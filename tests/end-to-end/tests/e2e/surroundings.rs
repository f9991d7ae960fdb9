//! Bad surroundings get one clear error, and nothing is lost.

use std::process::Command;

use end_to_end_tests::{Run, Suite, assert_unchanged, run, tree};

/// Asserts that there is one error on stderr and no result.
fn one_error(run: &Run) {
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
}

/// Runs a command of `order.rs` after a good run, whose results have to stay.
fn after_a_good_run(change: impl FnOnce(&Suite, &mut Command)) -> Run {
    let (order, _) = Suite::after("order", &[]);
    let before = tree(&order.directory());
    let mut command = order.command();
    change(&order, &mut command);
    let run = run(&mut command).expect(1);
    assert_unchanged(&before, &tree(&order.directory()));
    one_error(&run);
    run
}

#[test]
fn without_valgrind() {
    let no_valgrind = |order: &Suite, command: &mut Command| {
        command.env("PATH", order.subdirectory("none"));
    };
    after_a_good_run(no_valgrind).complains(&["`valgrind`", "PATH", "apt install valgrind"]);
}

#[test]
fn with_a_valgrind_that_does_not_work() {
    let broken = |order: &Suite, command: &mut Command| {
        let directory = order.subdirectory("broken");
        let lines = "echo 'out of memory today' >&2; exit 1";
        end_to_end_tests::script(&directory.join("valgrind"), lines);
        command.env("PATH", directory);
    };
    after_a_good_run(broken).complains(&["broken/valgrind", "out of memory today"]);
}
