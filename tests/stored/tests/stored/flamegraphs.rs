//! Flamegraphs: their widths are what was counted, their colours what changed, and no stale one is left.

use std::fs;

use end_to_end_tests::{Flamegraph, Suite, annotated_functions, skip};

const CHANGE: &str = "changes::change::from_environment";

/// The largest number of instructions that callgrind counts in calls but in no function: a thread or process
/// executes them at its very end. The total, which is printed, is without it.
const INEXACT: u64 = 20;

/// Returns the number of threads or processes that the benchmark starts.
fn tasks(benchmark: &str) -> u64 {
    match benchmark {
        "concurrent::threads" | "concurrent::processes::several" => 3,
        "concurrent::processes::one" => 1,
        "concurrent::processes::many" => 11,
        _ => 0,
    }
}

#[test]
fn widths_are_what_callgrind_counted() {
    let suite = Suite::new("flamegraphs");
    let report = suite.report(&["::calls::", "::concurrent::"]);
    assert_eq!(report.benchmarks.len(), 10);
    for name in report.names() {
        let flamegraph = Flamegraph::read(&suite.result(&name, "Ir.flamegraph.svg"));
        assert_eq!(flamegraph.total(), report.instructions(&name), "{name}");
        assert!(flamegraph.is_sound(), "{name}");

        let profile = suite.result(&name, "out");
        let Some(annotated) = annotated_functions(&profile, "--inclusive=yes") else {
            skip("there is no callgrind_annotate");
            return;
        };
        let drawn = flamegraph.costs();
        let mut annotated: Vec<_> = annotated.into_iter().collect();
        annotated.sort_by_key(|(_, costs)| std::cmp::Reverse(costs.iter().copied().max()));
        // It executed nothing itself and is only mentioned in the profile
        annotated.retain(|(function, _)| function != "flamegraphs::main");
        let inexact = INEXACT * tasks(&name);
        for (function, costs) in annotated.iter().take(10) {
            let function = &function.replace(';', ",");
            let drawn = drawn.get(&**function).copied().unwrap_or_default();
            let (largest, sum) = (costs.iter().copied().max().unwrap(), costs.iter().sum::<u64>());
            if function.ends_with("'2") {
                // Each level of the recursion counts the deeper ones again
                assert!(
                    drawn > 0 && drawn <= largest.min(flamegraph.total()),
                    "{name}: {function}"
                );
            } else {
                // Nothing calls the benchmark function, which callgrind_annotate then splits by files
                let is_near = |cost: u64| (cost.saturating_sub(inexact)..=cost).contains(&drawn);
                assert!(is_near(sum) || is_near(largest), "{name}: {function}: {drawn}, {costs:?}");
            }
        }
    }
}

#[test]
fn derived_events_have_the_printed_totals() {
    let suite = Suite::new("flamegraphs");
    let report = suite.report(&["derived"]);
    let benchmark = report.get("events::derived");
    for (event, label) in [("L1hits", "L1 Hits"), ("EstimatedCycles", "Estimated Cycles")] {
        let file = suite.result("events::derived", &format!("{event}.flamegraph.svg"));
        let flamegraph = Flamegraph::read(&file);
        let line = benchmark.lines.iter().find(|line| line.label == label).unwrap();
        assert_eq!(flamegraph.total(), line.new, "{event}");
        assert_eq!(flamegraph.titles, ["flamegraphs::events::derived", label]);
        assert!(flamegraph.is_sound());
    }
    suite
        .run(&["derived", "--callgrind-args=--cache-sim=no"])
        .expect(1)
        .complains(&["can't draw a flamegraph of `L1hits`: callgrind did not count it"]);
}

/// Returns the red minus the blue of the colour of a function's widest frame: positive for more than before, negative
/// for less.
fn heat(flamegraph: &Flamegraph, function: &str) -> i16 {
    let frames = flamegraph.frames.iter().filter(|frame| frame.name == function);
    let widest = frames.max_by_key(|frame| frame.cost).expect("the function is drawn");
    i16::from(widest.color[0]) - i16::from(widest.color[2])
}

#[test]
fn colours_tell_what_changed() {
    const CHANGED: &str = "flamegraphs::leaf";
    const UNCHANGED: &str = "flamegraphs::fibonacci";
    let suite = Suite::new("flamegraphs");
    let file = suite.result(CHANGE, "Ir.diff.old.flamegraph.svg");
    let run = |amount| {
        let report = suite.report(&["change", &format!("--envs=AMOUNT={amount}")]);
        report.instructions(CHANGE)
    };
    let _ = run(50);
    assert!(!file.exists());
    let more = run(500);
    let flamegraph = Flamegraph::read(&file);
    assert!(flamegraph.is_sound());
    assert_eq!(flamegraph.total(), more);
    assert_eq!(flamegraph.titles[1], "Instructions, compared with the result before");
    assert!(heat(&flamegraph, CHANGED) > 0, "{flamegraph:?}");
    assert_eq!(heat(&flamegraph, UNCHANGED), 0);
    let _ = run(100);
    let flamegraph = Flamegraph::read(&file);
    assert!(heat(&flamegraph, CHANGED) < 0, "{flamegraph:?}");
    assert_eq!(heat(&flamegraph, UNCHANGED), 0);
}

/// Returns the flamegraphs of the changing benchmark, with what they have behind its name.
fn flamegraphs(suite: &Suite) -> Vec<String> {
    let profile = suite.result(CHANGE, "out");
    let entries = fs::read_dir(profile.parent().unwrap()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter_map(|name| {
            let name = name.strip_prefix("callgrind.change.from_environment")?;
            Some(name.strip_suffix(".flamegraph.svg")?.to_owned())
        })
        .collect();
    names.sort();
    names
}

#[test]
fn flamegraphs_are_next_to_their_results_and_no_others() {
    let suite = Suite::new("flamegraphs");
    let run = |arguments: &[&str]| {
        let _ = suite.report(&[&["change"], arguments].concat());
        flamegraphs(&suite)
    };
    assert_eq!(run(&[]), [".Ir"]);
    assert_eq!(run(&["--flamegraph=regular"]), [".Ir", ".old.Ir"]);
    assert_eq!(run(&["--flamegraph"]), [".Ir", ".Ir.diff.old", ".old.Ir"]);
    assert_eq!(run(&["--flamegraph=none"]), [".old.Ir"]);
    assert_eq!(run(&["--flamegraph=differential"]), [".Ir.diff.old"]);

    assert_eq!(run(&["--save-baseline=a"]), [".Ir.diff.old", ".base@a.Ir"]);
    let with_baselines = [".Ir", ".Ir.diff.base@a", ".base@a.Ir"];
    assert_eq!(run(&["--baseline=a"]), with_baselines);
    // What compares with the baseline is stale when that is overwritten
    assert_eq!(run(&["--save-baseline=a"]), [".Ir", ".base@a.Ir", ".base@a.Ir.diff.old"]);
    assert_eq!(run(&["--save-baseline=b", "--flamegraph=none"]).len(), 3);
    let loaded = run(&["--load-baseline=b", "--baseline=a"]);
    assert_eq!(loaded[3..], [".base@b.Ir", ".base@b.Ir.diff.base@a"]);
}

#[test]
fn without_an_event_there_is_none() {
    let suite = Suite::new("flamegraphs");
    for arguments in [&["events::none"][..], &["events::none", "--flamegraph=all"]] {
        let _ = suite.report(arguments);
        let files = end_to_end_tests::tree(&suite.directory());
        assert!(suite.result("events::none", "out").is_file());
        assert!(files.keys().all(|name| !name.contains(".flamegraph.")), "{:?}", files.keys());
    }
}

#[test]
fn without_being_asked_for_there_are_none() {
    let (order, _) = Suite::after("order", &[]);
    let has_any = |suite: &Suite| {
        let files = end_to_end_tests::tree(&suite.directory());
        files.keys().any(|name| name.contains(".flamegraph."))
    };
    assert!(!has_any(&order));
    let _ = order.report(&["--flamegraph=regular"]);
    assert!(has_any(&order));
    order.run(&["--flamegraph=large"]).expect(2).complains(&["expected `all`, `regular`"]);
}
