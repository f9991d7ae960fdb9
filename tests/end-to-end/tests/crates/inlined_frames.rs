//! Flamegraphs with frames of the functions that the compiler inlined.

use std::process::Command;

use end_to_end_tests::{Flamegraph, FreshCrate, objects, run, runner};

const LIBRARY: &str = include_str!("explained/lib.rs");
const BENCHMARK: &str = include_str!("explained/benchmark.rs");
/// For the crate alone, so that it has the dependencies of all crates.
const PROFILE: &str = "\n[profile.bench.package.inlined-frames]\ndebug = 1\ncodegen-units = 1\n";

/// The function that the compiler inlines.
const INLINED: &str = "inlined_frames::normalized";

/// Runs the benchmark with the words and returns its instructions.
fn bench(crate_: &FreshCrate, debug: &str, arguments: &[&str]) -> u64 {
    let mut command = crate_.cargo_bench();
    command
        .arg(crate_.setting("debug", debug))
        .args(["--bench", &crate_.file(), "--", "most_frequent", "--output-format=json"])
        .args(arguments)
        .env("IAI_CALLGRIND_RUNNER", runner());
    let run = run(&mut command).expect(0);
    objects(&run.stdout)[0]["tools"][0]["total"]["Ir"]["new"].as_u64().expect("a count")
}

/// Returns the flamegraph with this end of its name.
fn flamegraph(crate_: &FreshCrate, end: &str) -> Flamegraph {
    let name = format!("group/most_frequent.short/callgrind.most_frequent.short{end}.svg");
    let flamegraph = Flamegraph::read(&crate_.results().join(crate_.file()).join(name));
    assert!(flamegraph.is_sound(), "{end}");
    flamegraph
}

/// Returns the name and the width of each frame.
fn frames(flamegraph: &Flamegraph) -> Vec<(&str, u64)> {
    flamegraph.frames.iter().map(|frame| (&*frame.name, frame.cost)).collect()
}

#[test]
fn functions_that_the_compiler_inlined_are_frames() {
    let crate_ = FreshCrate::new(
        "inlined-frames",
        &BENCHMARK.replace("explained", "inlined_frames"),
        PROFILE,
    );
    crate_.write("src/lib.rs", LIBRARY);
    let old = bench(&crate_, "1", &["--flamegraph=regular", "--save-baseline=main"]);
    let with_frames = flamegraph(&crate_, ".base@main.Ir.flamegraph");
    assert_eq!(with_frames.total(), old);
    let cost = *with_frames.costs().get(INLINED).expect("a frame of the inlined function");
    assert!(cost > 0 && cost < old, "{with_frames:?}");

    let more = LIBRARY.replace("word.to_ascii_lowercase()", "word.to_ascii_lowercase().repeat(2)");
    crate_.write("src/lib.rs", &more);
    let new = bench(&crate_, "1", &["--flamegraph=all", "--baseline=main"]);
    let difference = flamegraph(&crate_, ".Ir.diff.base@main.flamegraph");
    assert_eq!(difference.total(), new);
    let frame = difference.frames.iter().find(|frame| frame.name == INLINED).expect("a frame");
    assert!(frame.color[0] > frame.color[2], "red for more than before: {frame:?}");
    let is_function = |name: &str| !name.starts_with('[');
    assert!(frames(&difference).iter().all(|(name, _)| is_function(name)), "{difference:?}");

    // The same from the stored results
    let mut command = Command::new(runner());
    let results = crate_.results();
    command
        .args(["flamegraph", "--baseline=main", "--filter=inlined_frames*most_frequent*"])
        .env("IAI_CALLGRIND_HOME", results.parent().expect("a home"));
    let _ = run(&mut command).expect(0);
    assert_eq!(frames(&flamegraph(&crate_, ".Ir.diff.base@main.flamegraph")), frames(&difference));

    // Without a table or without debug information on one side, both sides have only what was not inlined
    let _ = bench(&crate_, "1", &["--flamegraph=all", "--baseline=main", "--explain=none"]);
    for end in [".Ir.flamegraph", ".Ir.diff.base@main.flamegraph"] {
        let without = flamegraph(&crate_, end);
        assert_eq!(without.total(), new);
        assert_eq!(without.costs().get(INLINED), None, "{end}");
    }
    let less = bench(&crate_, "0", &["--flamegraph=all", "--baseline=main"]);
    for end in [".Ir.flamegraph", ".Ir.diff.base@main.flamegraph"] {
        let without = flamegraph(&crate_, end);
        assert_eq!(without.total(), less);
        assert!(!frames(&without).iter().any(|(name, _)| name.contains("normalized")), "{end}");
    }
}
