//! Features that benchmark files of other harnesses use.

use end_to_end_tests::Suite;

#[test]
fn classes_of_characters_select_benchmarks() {
    let list = |pattern: &str| {
        let arguments = ["--list", "--format=terse", pattern];
        Suite::new("migrated").run(&arguments).expect(0).stdout.lines().count()
    };
    assert_eq!(list("*::attribute::echo::more_[0-9]"), 2);
    assert_eq!(list("*::attribute::echo::more_[!0]"), 1);
    assert_eq!(list("*::attribute::[eo]*::?"), 2);
    assert_eq!(list("attribute::[eo]*::?"), 0, "a pattern matches the whole name");
}
