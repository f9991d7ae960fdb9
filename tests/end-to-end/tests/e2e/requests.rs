//! Client requests in benchmark functions.

use std::fs;

use end_to_end_tests::{Suite, shared_report};

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
