//! The output of a run on the terminal.

use end_to_end_tests::{LOADED, Suite, run, shared_report};

// The parser of [`Report`] checks the format; these tests check that it finds all lines.
#[test]
fn each_title_is_directly_followed_by_its_lines() {
    let order = Suite::new("order");
    let stdout = order.run(&["--parallel=2"]).expect(0).stdout;
    let lines: Vec<_> = stdout.lines().collect();
    let [results @ .., blank, summary] = &*lines else { panic!("{stdout}") };
    assert_eq!(results.len(), 8 * 7, "{stdout}");
    for benchmark in results.chunks(7) {
        let [title, metrics @ ..] = benchmark else { unreachable!("chunks are not empty") };
        assert!(title.starts_with("order::"), "{title}");
        assert_eq!(metrics.len(), 6, "{benchmark:?}");
        for metric in metrics {
            assert!(metric.starts_with("  ") && !metric.starts_with("   "), "{metric}");
            assert!(metric.ends_with("|N/A             (*********)"), "{metric}");
        }
    }
    assert_eq!(*blank, "");
    assert!(summary.starts_with("Iai-Callgrind result: Ok. 8 benchmarks ran, 0 regressed, in "));
}

#[test]
fn results_print_in_the_order_of_declaration() {
    let expected = [
        "numbers::fibonacci::five",
        "numbers::fibonacci::fifteen",
        "numbers::bubble_sort::ten",
        "numbers::bubble_sort::hundred",
        "numbers::standard_sort::thousand",
        "texts::string::hundred",
        "texts::tree::pangram",
        "texts::copy::kilobyte",
    ];
    assert_eq!(shared_report("order", &["--parallel=8"]).names(), expected);
    let mut reversed = Suite::new("order_reversed").report(&["--parallel=8"]).names();
    reversed.reverse();
    assert_eq!(reversed, expected);
}

#[test]
fn titles_have_the_arguments_shortened_to_what_fits() {
    let (order, _) = Suite::with_two_baselines();
    let report = order.load(&["pangram"]).expect(0).report();
    assert_eq!(
        report.benchmarks[0].title,
        "order::texts::tree pangram:\"the quick brown fox jumps over the l..."
    );
}

#[test]
fn a_filter_selects_by_name() {
    let (order, _) = Suite::with_two_baselines();
    let names = |filter: &str| order.load(&[filter]).expect(0).report().names();
    assert_eq!(
        names("sort"),
        [
            "numbers::bubble_sort::ten",
            "numbers::bubble_sort::hundred",
            "numbers::standard_sort::thousand"
        ]
    );
    assert_eq!(names("order::numbers::fibonacci::five").len(), 1);
    assert_eq!(names("*::fibonacci::fi?e"), ["numbers::fibonacci::five"]);
    let nothing = order.report(&["no such benchmark"]);
    assert!(nothing.names().is_empty());
    assert!(nothing.summary.starts_with("Ok. 0 benchmarks ran"), "{}", nothing.summary);
}

#[test]
fn colours_are_a_matter_of_the_environment() {
    const ESCAPE: char = '\u{1b}';
    let (order, _) = Suite::with_two_baselines();
    for (variable, value, colourful) in [
        ("CARGO_TERM_COLOR", "always", true),
        ("IAI_CALLGRIND_COLOR", "always", true),
        ("IAI_CALLGRIND_COLOR", "never", false),
        // The output is no terminal
        ("IAI_CALLGRIND_COLOR", "auto", false),
    ] {
        let run = run(order.command().args(LOADED).arg("five").env(variable, value)).expect(0);
        assert_eq!(run.stdout.contains(ESCAPE), colourful, "{variable}={value}");
        assert_eq!(run.stderr, "");
    }
}
