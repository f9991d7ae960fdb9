//! Benchmark files of gungraun that run perf.

use end_to_end_tests::{FreshCrate, Run, run, runner};

const BENCHMARK: &str = include_str!("fresh/perf.rs");

fn notes(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.contains("Perf")).collect()
}

#[test]
fn options_of_perf_compile_and_a_note_says_what_measures_the_time() {
    let crate_ = FreshCrate::new("fresh-perf", BENCHMARK, "");
    crate_.rename_library("gungraun");
    let bench = |arguments: &[&str]| {
        let mut cargo = crate_.cargo_bench();
        cargo.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", &crate_.file(), "--"]);
        run(cargo.args(arguments)).expect(0)
    };
    let without = "without an effect: `alpha`, `args`, `disable_entry_point`, `event_set`, `fail_fast`, `hard_limits`, \
                   `min_pcnt_running`, `non_zero_metrics`, `record`, `record_args`, `sample_duration`, `soft_limits`";
    let counted = bench(&[]);
    let note = "note: 2 benchmarks with `Perf`, which does not run: `--time` measures the time";
    assert_eq!(notes(&counted), [format!("{note}; {without}")]);
    assert_eq!(counted.stdout.matches("  Instructions: ").count(), 4, "{}", counted.stdout);
    assert_eq!(
        notes(&bench(&["::timed"])),
        ["note: 1 benchmark with `Perf`, which does not run: `--time` measures the time"]
    );
    for filter in ["::plain", "disabled"] {
        assert_eq!(notes(&bench(&[filter])), [""; 0], "{filter}");
    }
    let time = |filter| bench(&["--time", "--time-budget=50ms", filter]);
    let timed = time("::timed");
    assert!(timed.stdout.contains(" ns"), "{}", timed.stdout);
    assert_eq!(notes(&timed), [""; 0]);
    let note = "note: 1 benchmark with `Perf`, which does not run; ";
    assert_eq!(notes(&time("::part")), [format!("{note}{without}")]);
}
