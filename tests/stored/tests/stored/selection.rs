//! The selection of benchmarks, and their listing.

use end_to_end_tests::{Suite, run};

/// Returns the names in a listing.
fn listed(order: &Suite, arguments: &[&str]) -> Vec<String> {
    let stdout = order.run(&[&["--list", "--format=terse"], arguments].concat()).expect(0).stdout;
    let name = |line: &str| line.strip_suffix(": benchmark").expect("a benchmark").to_owned();
    stdout.lines().map(name).collect()
}

#[test]
fn listing_runs_nothing_and_ends_with_the_number() {
    let order = Suite::new("order");
    let stdout = order.run(&["--list", "bubble_sort"]).expect(0).stdout;
    assert_eq!(
        stdout,
        "order::numbers::bubble_sort::ten: benchmark\n\
         order::numbers::bubble_sort::hundred: benchmark\n\n\
         0 tests, 2 benchmarks\n"
    );
    assert!(!order.home().exists());
}

#[test]
fn several_filters_select_what_any_of_them_does() {
    let order = Suite::new("order");
    let ten = "order::numbers::bubble_sort::ten";
    let hundred = "order::numbers::bubble_sort::hundred";
    assert_eq!(listed(&order, &["sort::ten", "*bubble*::hundred"]), [ten, hundred]);
    assert_eq!(listed(&order, &["--exact", hundred, "ten"]), [hundred]);
    assert_eq!(listed(&order, &["--filter-regex=^order::.*sort::ten"]), [ten]);
    assert_eq!(listed(&order, &["bubble", "--skip", "hundred"]), [ten]);
    assert!(listed(&order, &["--ignored"]).is_empty());
    let mut by_variable = order.command();
    by_variable.args(["--list", "--format", "terse"]).env("IAI_CALLGRIND_FILTER_REGEX", "::ten$");
    assert!(run(&mut by_variable).expect(0).stdout.contains(ten));
}

#[test]
fn what_is_selected_runs() {
    let order = Suite::new("order");
    let report = order.report(&["--filter-regex=sort::(ten|hundred)$", "--skip=ten"]);
    assert_eq!(report.names(), ["numbers::bubble_sort::hundred"]);
}

#[test]
fn libtests_options_do_not_disturb() {
    let order = Suite::new("order");
    let arguments = ["--test-threads=1", "--include-ignored", "-q", "--show-output", "ten"];
    assert_eq!(order.report(&arguments).benchmarks.len(), 1);
}

#[test]
fn mistakes_are_wrong_arguments() {
    let order = Suite::new("order");
    order.run(&["--filter-regex=("]).expect(2).complains(&["--filter-regex", "("]);
    order.run(&["--list", "--format=xml"]).expect(2).complains(&["xml", "terse"]);
}
