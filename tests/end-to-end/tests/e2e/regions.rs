//! The measured region: the benchmark with its threads and processes, nothing around it, each thing once.

use end_to_end_tests::{Report, Suite, here, shared_report, skip, tree};

/// Returns the report of `regions.rs` for one of its groups.
fn group(name: &str) -> Report {
    shared_report("regions", &[&format!("regions::{name}::")])
}

/// Returns a second run of the same.
fn group_again(name: &str) -> Report {
    shared_report("regions", &[&format!("::{name}::")])
}

/// Returns the instructions of the work that threads, pools and children of the other benchmarks do.
fn work() -> u64 {
    group("single").instructions("single::recursive::twenty")
}

#[track_caller]
fn assert_within(counted: u64, expected: u64, tolerance: u64) {
    assert!(counted.abs_diff(expected) <= tolerance, "{counted} is not about {expected}");
}

#[test]
fn an_empty_function_counts_its_return() {
    let report = group("single");
    assert_eq!(report.instructions("single::empty"), 1);
    assert_eq!(report.instructions("single::empty_too"), 1, "the body of another function");
}

#[test]
fn a_note_says_that_the_work_of_functions_is_gone() {
    let note = |arguments: &[&str]| Suite::new("regions").run(arguments).expect(0).stderr;
    let note_of_two = note(&["single::empty", "single::recursive::ten"]);
    let expected = "note: at most 3 instructions: regions::single::empty, regions::single::empty_too: the compiler removed \
                    the work, or did it at compile time\nhelp: put `black_box` around the input and return the result, ";
    assert!(note_of_two.starts_with(expected), "{note_of_two}");
    assert_eq!(note(&["single::empty", "--profile-note=no"]), "");
    assert_eq!(note(&["single::recursive::ten"]), "");
}

#[test]
fn an_empty_function_of_a_module_counts_its_return() {
    assert_eq!(group("first_module").instructions("first_module::same_name"), 1);
}

/// The instructions of a function that returns its argument, by architecture. On aarch64 the argument is in the register
/// of the result.
const RETURNS_ARGUMENT: [(&str, u64); 2] = [("x86_64", 2), ("aarch64", 1)];

#[test]
fn a_function_that_returns_its_argument_counts_its_machine_code() {
    let Some(expected) = here(&RETURNS_ARGUMENT) else {
        return skip("the machine code of another architecture is not known here");
    };
    assert_eq!(group("single").instructions("single::returns_argument::seven"), expected);
}

#[test]
fn a_recursive_function_counts_all_its_calls() {
    let report = group("single");
    let (ten, twenty) = (
        report.instructions("single::recursive::ten"),
        report.instructions("single::recursive::twenty"),
    );
    // As many calls in proportion; a few instructions don't recur
    let calls = |n| (1..n).fold((1_u64, 1_u64), |(a, b), _| (b, a + b)).1;
    assert_within(twenty / ten, calls(20) / calls(10), 1);
    assert_within(report.instructions("single::closure"), ten, 40);
    let other = group("second_module").instructions("second_module::same_name::ten");
    assert_within(other, ten, 40);
}

#[test]
fn an_argument_by_value_is_not_copied() {
    let report = group("single");
    let by_reference = report.instructions("single::by_reference::eight");
    assert!(by_reference > 8, "{by_reference}");
    assert_eq!(report.instructions("single::by_value::eight"), by_reference);
}

#[test]
fn a_benchmark_that_calls_itself_or_another_counts_it_all() {
    let report = group("calls");
    let another = report.instructions("calls::calls_another::ten");
    assert!(another > 50, "{another}");
    assert_eq!(report.instructions("calls::calls_itself::ten"), another);
    let by_value = report.instructions("calls::calls_itself_by_value::ten");
    assert!(by_value > 50, "{by_value}");
    assert_within(report.instructions("calls::calls_benchmarks"), 2 * another, 20);
}

#[test]
fn randomness_is_the_same_in_every_run() {
    let maps = group("random").values();
    for _ in 1..3 {
        assert_eq!(group_again("random").values(), maps);
    }
}

#[test]
fn each_instance_of_a_generic_function_counts() {
    let report = group("single");
    let number = report.instructions("single::generic::number");
    let text = report.instructions("single::generic::text");
    assert!(number > 100 && text > 100 && number != text, "{number} {text}");
}

#[test]
fn threads_count() {
    let (first, second) = (group("concurrent"), group_again("concurrent"));
    let threads = first.instructions("concurrent::threads");
    assert!(threads > 3 * work(), "{threads}");
    assert!(threads < 4 * work(), "{threads}");
    assert_within(second.instructions("concurrent::threads"), threads, threads / 100);
}

#[test]
fn a_pool_counts_what_it_does_for_the_benchmark() {
    let (first, second) = (group("concurrent"), group_again("concurrent"));
    for name in ["concurrent::pool::dropped", "concurrent::pool::busy_after"] {
        let pool = first.instructions(name);
        assert!(pool > work(), "{name} does not have the pool's work: {pool}");
        assert!(pool < work() + work() / 2, "{name} has work of set-up or tear-down: {pool}");
        assert_within(second.instructions(name), pool, pool / 100);
    }
}

#[test]
fn processes_count() {
    let report = group("processes");
    let one = report.instructions("processes::process");
    let two = report.instructions("processes::two_processes");
    assert!(one > 20_000, "the dynamic loader alone needs more: {one}");
    assert_within(two, 2 * one, one / 50);
}

#[test]
fn processes_of_set_up_and_tear_down_do_not_count() {
    let ten = group("single").instructions("single::recursive::ten");
    // The process of the teardown starts so soon after the benchmark that it is now and then taken for a part of it
    let alone = Suite::new("regions").report(&["processes_around"]);
    for report in [group("processes"), group_again("processes"), alone] {
        let around = report.instructions("processes::processes_around::ten");
        assert_within(around, ten, 40);
    }
}

#[test]
fn a_forked_child_counts_once() {
    let report = group("processes");
    let idle = report.instructions("processes::forks::idle");
    assert!(idle < 2000, "{idle}");
    for id in ["busy_child", "busy_before"] {
        let forks = report.instructions(&format!("processes::forks::{id}"));
        assert_within(forks, idle + work(), 100);
    }
}

/// Checks children whose logs are created within the tick of the clock in which the function starts or returns.
#[test]
fn a_child_that_ends_at_once_counts_in_every_run() {
    let ten = group("single").instructions("single::recursive::ten");
    let idle = group("processes").instructions("processes::forks::idle");
    for (benchmark, count) in [("::children_around::", ten), ("::forks::idle", idle)] {
        let run = Suite::new("regions").run(&["--repeat=20", benchmark]).expect(0);
        let (_, spread) = run.stdout.split_once("maximum of 20 runs\n").expect("a spread");
        let line = spread.lines().next().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let count = count.to_string();
        assert_eq!(line.unwrap_or_default(), ["Instructions:", &count, &count, &count], "{spread}");
    }
}

#[test]
fn nothing_of_the_library_counts_in_a_forked_child() {
    let regions = Suite::new("regions");
    let _ = regions.report(&["::forks::idle"]);
    let files = tree(&regions.directory());
    let (_, profile) =
        files.iter().find(|(path, _)| path.rsplit('.').next() == Some("out")).expect("a profile");
    let profile = String::from_utf8_lossy(profile);
    let is_function = |line: &&str| line.starts_with("fn=");
    let functions: Vec<_> = profile.lines().filter(is_function).collect();
    assert!(functions.iter().any(|name| name.contains("fork")), "{functions:?}");
    let own = functions.iter().find(|name| name.contains("iai_callgrind::"));
    assert_eq!(own, None, "a function of the library has costs");
}

#[test]
fn processes_count_the_same_in_every_run() {
    assert_eq!(group_again("processes").values(), group("processes").values());
}
