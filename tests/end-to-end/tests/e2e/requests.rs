//! Client requests in benchmark functions.

use std::fs;

use end_to_end_tests::{FreshCrate, Suite, checkout, run, runner, shared_report};

#[test]
fn a_part_of_a_function_can_be_left_out() {
    let report = shared_report("requests", &["requests::parts"]);
    let of = |name: &str| report.instructions(&format!("parts::{name}"));
    for function in ["part", "zeroed"] {
        let (ten, many) = (of(&format!("{function}::of_ten")), of(&format!("{function}::of_many")));
        assert_eq!(ten, many, "{function}: what the requests leave out has no influence");
        // The loop that counts, and few instructions of the requests themselves
        let whole = of("whole::of_ten");
        assert!((whole..whole + 50).contains(&ten), "{function}: {ten}, without requests {whole}");
    }
}

#[test]
fn dumps_in_a_function_lose_nothing() {
    let report = shared_report("requests", &["requests::parts"]);
    let of = |name: &str| report.instructions(&format!("parts::{name}"));
    let dumped = of("dumped::of_many") - of("dumped::of_ten");
    assert_eq!(dumped, of("whole::of_many") - of("whole::of_ten"));
}

#[test]
fn a_part_of_a_thread_can_be_left_out() {
    let report = Suite::new("requests").report(&["requests::parts::threads"]);
    let of = |id: &str| report.instructions(&format!("parts::threads::{id}"));
    // Starting a thread does not always take the same way, but the loop has 40000 instructions
    assert!(of("of_many").abs_diff(of("of_ten")) < 1_000);
}

#[test]
fn prints_are_in_the_log() {
    let suite = Suite::new("requests");
    assert_eq!(suite.report(&["requests::parts::prints"]).names(), ["parts::prints"]);
    let log = fs::read_to_string(suite.result("parts::prints", "log")).unwrap();
    assert!(log.contains("** from a benchmark\n"), "{log}");
}

// A crate whose library depends on the definitions alone, and whose benchmarks have the harness too
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
