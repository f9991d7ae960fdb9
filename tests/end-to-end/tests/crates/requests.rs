//! Client requests of a crate whose library depends on their definitions alone.

use end_to_end_tests::{FreshCrate, checkout, run, runner};

// The benchmarks have the harness too
#[test]
fn requests_are_made_with_their_feature_only() {
    // The harness is built for this test alone
    let manifest = format!(
        "\n[dependencies.iai-callgrind]\npath = \"{}\"\ndefault-features = false\n\
         features = [\"client_requests_defs\"]\n\n\
         [profile.bench.package.iai-callgrind-harness]\nopt-level = 0\n",
        checkout().join("iai-callgrind").display()
    );
    let crate_ = FreshCrate::new("fresh-requests", include_str!("fresh/requests.rs"), &manifest);
    let counts = |arguments: &[&str]| {
        let mut cargo = crate_.cargo_bench();
        cargo.args(["--bench", &crate_.file()]).args(arguments);
        let report = run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0).report();
        ["of_ten", "of_many"].map(|id| report.instructions(&format!("group::part::{id}")))
    };

    // The loop, and not even an instruction more
    let [ten, many] = counts(&[]);
    assert_eq!((many - ten) % (10_000 - 10), 0, "{ten} {many}");
    assert!(many > ten);

    let [ten, many] = counts(&["--features", "iai-callgrind/client_requests"]);
    assert!(many.abs_diff(ten) < 1_000, "{ten} {many}");
}
