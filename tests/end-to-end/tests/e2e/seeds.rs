//! Randomness comes from a seed, and its effect on the counts is shown.

use end_to_end_tests::{Report, Suite, shared_report};

/// Returns the lines of a spread: label, minimum, median, maximum.
fn spread(stdout: &str, title: &str) -> Vec<(String, [u64; 3])> {
    let lines = stdout.lines().skip_while(|line| !line.starts_with(title));
    let lines = lines.skip_while(|line| !line.starts_with("  Minimum, median, maximum of "));
    let parse = |line: &str| {
        let (label, values) = line.strip_prefix("  ")?.split_once(':')?;
        let values: Vec<u64> =
            values.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        Some((label.to_owned(), values.try_into().ok()?))
    };
    lines.skip(1).map_while(parse).collect()
}

fn without_spread(stdout: &str) -> Report {
    let mut is_spread = false;
    let kept = stdout.lines().filter(|line| {
        is_spread = line.starts_with("  Minimum, ") || (is_spread && line.starts_with("  "));
        !is_spread
    });
    Report::parse(&(kept.collect::<Vec<_>>().join("\n") + "\n"))
}

#[test]
fn hash_maps_count_the_same_in_every_run() {
    let inside = Suite::new("inside");
    let first = shared_report("inside", &["hash_map"]).values();
    assert_eq!(inside.report(&["hash_map"]).values(), first);
}

#[test]
fn a_seed_decides_what_is_counted() {
    let inside = Suite::new("inside");
    let shared = |argument: &str| shared_report("inside", &[argument, "hash_map"]).values();
    assert_eq!(shared("--seed=0"), shared_report("inside", &["hash_map"]).values());
    assert_ne!(shared("--seed=1"), shared("--seed=0"));
    let random = || inside.report(&["--seed=random", "hash_map"]).values();
    assert_ne!(random(), random());
    inside.run(&["--seed=x"]).expect(2).complains(&["a number, or `random`"]);
}

#[test]
fn the_spread_of_several_seeds_is_shown() {
    let inside = Suite::new("inside");
    let title = "inside::finds::hash_map large:5000";
    let plain = shared_report("inside", &["hash_map"]).values();
    let stdout = inside.run(&["--seeds=3", "hash_map"]).expect(0).stdout;
    assert!(stdout.contains("  Minimum, median, maximum of 3 seeds\n"), "{stdout}");
    // What is kept is the result of the first seed, as without the others
    assert_eq!(without_spread(&stdout).values(), plain);

    let one_by_one: Vec<u64> = (0..3)
        .map(|seed| {
            let seed = format!("--seed={seed}");
            let report = shared_report("inside", &[&seed, "hash_map"]);
            report.instructions("finds::hash_map::large")
        })
        .collect();
    let mut sorted = one_by_one.clone();
    sorted.sort_unstable();
    let (label, instructions) = &spread(&stdout, title)[0];
    assert_eq!(label, "Instructions");
    assert_eq!(*instructions, [sorted[0], sorted[1], sorted[2]]);
    assert!(sorted[0] < sorted[2], "{one_by_one:?}");
    inside.run(&["--seeds=0"]).expect(2).complains(&["--seeds"]);
}

#[test]
fn of_repeated_runs_the_one_in_the_middle_is_stored() {
    let suite = Suite::new("surroundings");
    let title = "surroundings::randomness::function";
    // Its count is one of a million, so that no two of them are the same
    let arguments = ["--repeat=3", "--seed=random", "randomness::function"];
    let stdout = suite.run(&arguments).expect(0).stdout;
    assert!(stdout.contains("  Minimum, median, maximum of 3 runs\n"), "{stdout}");
    let (_, [minimum, median, maximum]) = spread(&stdout, title)[0];
    assert!(minimum < median && median < maximum, "{stdout}");
    let shown = without_spread(&stdout).instructions("randomness::function");
    assert_eq!(shown, median);
    // The stored result is the old one of the next run
    let next = suite.run(&["randomness::function"]).expect(0).stdout;
    assert!(next.contains(&format!("|{median} ")), "{next}");
    suite.run(&["--repeat=0"]).expect(2).complains(&["--repeat"]);
}
