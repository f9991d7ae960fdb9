//! Titles, comparisons, limits, baselines, selection and reports.

use std::fs;

use iai_callgrind_cli::OptionsError;
use iai_callgrind_plan::Compare;

use super::*;

#[test]
fn results_come_in_the_order_of_declaration_and_are_compared() {
    let lab = Lab::new();
    let (tally, printed) = lab.run(CASES, &[]).unwrap();
    let expected = [
        "file::group::first id:(1, \"a\")",
        "  Instructions:                 100|N/A             (*********)",
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 200|N/A             (*********)",
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
    ];
    assert_eq!(lines(&printed), expected);
    assert_eq!((tally.finished, tally.failed, tally.regressed), (3, 0, 0));

    let (_, printed) =
        lab.run([StoredCase::of(100), StoredCase::of(100), StoredCase::of(450)], &[]).unwrap();
    let expected = [
        "file::group::first id:(1, \"a\")",
        "  Instructions:                 100|100             (No change)",
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 100|200             (-50.0000%) [-2.00000x]",
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 450|300             (+50.0000%) [+1.50000x]",
    ];
    assert_eq!(lines(&printed), expected);
    assert!(lab.stored("third", ".out").exists() && lab.stored("third", ".old.out").exists());
}

#[test]
fn only_changes_are_shown_on_request() {
    let lab = Lab::new();
    lab.run(CASES, &["--skip=third"]).unwrap();
    let cases = [StoredCase::of(100), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=changed", "--callgrind-limits=ir=1%"]).unwrap();
    let regressed = "Instructions +5 % (limit +1 %): 200 → 210";
    let end = [
        "",
        "compared with the old results: 1 exceeded a limit, 1 new, 1 unchanged",
        "",
        "Regressions:",
        "",
        "  file::group::second id:(1, \"a\")",
        &format!("    {regressed}"),
    ];
    let shown = [
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 210|200             (+5.00000%) [+1.05000x]",
        &format!("limit exceeded: {regressed}"),
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
    ];
    assert_eq!(lines(&printed)[..5], shown);
    let explained = lines(&printed)[5..12].to_vec();
    assert_eq!(explained, end);

    let cases = [StoredCase::of(101), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=summary"]).unwrap();
    let end = ["", "compared with the old results: 1 worse, 2 unchanged"];
    assert_eq!(lines(&printed)[..2], end);
    let cases = [StoredCase::of(102), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=changed", "--tolerance=1"]).unwrap();
    assert_eq!(lines(&printed), ["", "compared with the old results: 3 unchanged"]);
}

#[test]
fn a_limit_is_checked_against_the_old_result() {
    let lab = Lab::new();
    lab.run(CASES, &[]).unwrap();
    let slower = [StoredCase::of(110), StoredCase::of(200), StoredCase::of(400)];
    let (tally, printed) = lab.run(slower, &["--callgrind-limits=ir=20%|350"]).unwrap();
    assert_eq!((tally.finished, tally.regressed), (3, 1));
    for line in [
        "limit exceeded: Instructions +33.3 % (limit +20 %): 300 → 400",
        "limit exceeded: Instructions 400 (limit 350)",
        "\nRegressions:\n\n  file::group::third id:(1, \"a\")\n",
        "Iai-Callgrind result: Regressed. 3 benchmarks ran, 1 regressed",
    ] {
        assert!(printed.contains(line), "no {line:?} in {printed}");
    }
}

#[test]
fn baselines_are_saved_compared_and_loaded() {
    let lab = Lab::new();
    let error = lab.run(CASES, &["--baseline=main"]).unwrap_err().to_string();
    assert!(error.contains("`main`") && error.contains("--save-baseline=main"), "{error}");
    lab.run(CASES, &["--save-baseline=main"]).unwrap();
    assert!(lab.stored("first", ".base@main.out").exists());
    let faster = [StoredCase::of(50), StoredCase::of(200), StoredCase::of(300)];
    lab.run(faster, &["--save-baseline=faster"]).unwrap();
    for options in [&["--baseline=main"][..], &["--load-baseline=faster", "--baseline=main"]] {
        let (_, printed) = lab.run(faster, options).unwrap();
        let expected =
            "  Instructions:                  50|100             (-50.0000%) [-2.00000x]";
        assert_eq!(lines(&printed)[1], expected, "{options:?}");
    }
    lab.run(CASES, &["--save-baseline=partial", "first"]).unwrap();
    let (tally, printed) = lab.run(CASES, &["--load-baseline=partial", "--baseline=main"]).unwrap();
    assert_eq!((tally.finished, tally.failed), (3, 2));
    let error = "error: file::group::third id:(1, \"a\"): not in the baseline `partial`\n";
    assert!(printed.contains(error), "{printed}");
    let same = lab.run(CASES, &["--load-baseline=main", "--baseline=main"]);
    assert!(matches!(same, Err(Error::Options(OptionsError::SameBaseline { .. }))));
}

#[test]
fn only_selected_benchmarks_run() {
    let lab = Lab::new();
    for (options, selected) in [
        (&["second"][..], &["second"][..]),
        (&["*::*ir*::id"], &["first", "third"]),
        (&["--exact", "file::group::third::id"], &["third"]),
        (&["--skip=first", "--filter-regex=ir"], &["third"]),
        (&["none"], &[]),
    ] {
        let (tally, printed) = lab.run(CASES, options).unwrap();
        assert_eq!((tally.selected, tally.finished), (selected.len(), selected.len()));
        for name in ["first", "second", "third"] {
            assert_eq!(printed.contains(name), selected.contains(&name), "{options:?}: {printed}");
        }
    }
}

#[test]
fn benchmarks_with_the_same_id_are_compared() {
    let mut lab = Lab::new();
    lab.group.compare = Compare::ById;
    let (_, printed) = lab.run(CASES, &[]).unwrap();
    let expected = [
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
        "  Comparison with first id:(1, \"a\")",
        "  Instructions:                 100|300             (-66.6667%) [-3.00000x]",
        "  Comparison with second id:(1, \"a\")",
        "  Instructions:                 200|300             (-33.3333%) [-1.50000x]",
        "",
        "Groups:",
        "",
        "  file::group: Instructions of each function and input",
        "              id",
        "    first   *100",
        "    second   200",
        "    third    300",
    ];
    assert_eq!(lines(&printed)[6..], expected);
    let (_, only) = lab.run(CASES, &["--show-only-comparison"]).unwrap();
    assert!(!only.contains("N/A") && only.matches("Comparison with").count() == 3, "{only}");
}

#[test]
fn seeds_show_their_spread_and_the_first_one_is_stored() {
    let lab = Lab::new();
    let (tally, printed) = lab.run(CASES, &["--seeds=3", "--seed=5", "first"]).unwrap();
    assert_eq!(tally.finished, 1);
    let expected = [
        "  Minimum, median, maximum of 3 seeds",
        "  Instructions:                 100              100              100",
        "  Mean, standard deviation of 3 seeds",
        "  Instructions:               100.0              0.0",
    ];
    assert_eq!(lines(&printed)[2..], expected);
    let options = ["--seeds=3", "--seed=5", "--aggregates-only", "first"];
    let (_, printed) = lab.run(CASES, &options).unwrap();
    assert_eq!(lines(&printed)[1..], expected, "without the values of the first seed");
    assert!(fs::read_to_string(lab.stored("first", ".out")).unwrap().contains("totals: 100\n"));
}

#[test]
fn the_run_in_the_middle_is_stored_and_checked() {
    let lab = Lab::new();
    let varying = [StoredCase { step: 10, ..StoredCase::of(100) }, CASES[1], CASES[2]];
    lab.run(CASES, &["first"]).unwrap();
    let options = ["--repeat=4", "--callgrind-limits=ir=5%", "first"];
    let (tally, printed) = lab.run(varying, &options).unwrap();
    assert_eq!((tally.finished, tally.regressed), (1, 1));
    let expected = [
        "  Instructions:                 110|100             (+10.0000%) [+1.10000x]",
        "  Minimum, median, maximum of 4 runs",
        "  Instructions:                 100              110              130",
    ];
    assert_eq!(lines(&printed)[1..4], expected);
    assert!(fs::read_to_string(lab.stored("first", ".out")).unwrap().contains("totals: 110\n"));
    let (_, printed) = lab.run(varying, &["--repeat=2", "--seeds=2", "first"]).unwrap();
    let expected = [
        "  Instructions:                 100|110             (-9.09091%) [-1.10000x]",
        "  Minimum, median, maximum of 4 runs with 2 seeds",
    ];
    assert_eq!(lines(&printed)[1..3], expected);
    let left = fs::read_dir(lab.home.path()).unwrap().flatten().map(|entry| entry.file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("staging")));
}

#[test]
fn captured_output_is_shown_on_request() {
    let lab = Lab::new();
    let (_, printed) = lab.run(CASES, &["--nocapture", "first"]).unwrap();
    assert_eq!(lines(&printed)[1..3], ["output of 0", "- end of stdout/stderr"]);
    let (_, printed) = lab.run(CASES, &["first"]).unwrap();
    assert!(!printed.contains("output of"), "{printed}");
}

#[test]
fn reports_are_written_to_files() {
    let lab = Lab::new();
    let path = lab.home.path().join("report.json");
    let option = format!("--report=json:{}", path.display());
    lab.run([CASES[0], StoredCase::failed(0), CASES[2]], &[&option]).unwrap();
    let summaries =
        iai_callgrind_summary::Summary::read_all(&fs::read_to_string(path).unwrap()).unwrap();
    let results: Vec<_> = summaries
        .iter()
        .map(|summary| {
            let total = summary.tools.first().map(|tool| tool.total["Ir"].new);
            (&*summary.name, total.flatten())
        })
        .collect();
    let count = |count| Some(iai_callgrind_summary::Value::Count(count));
    let expected = [
        ("file::group::first::id", count(100)),
        ("file::group::second::id", None),
        ("file::group::third::id", count(300)),
    ];
    assert_eq!(results, expected);
}

#[test]
fn results_that_were_stored_before_a_limit_ended_the_run_are_reported() {
    let lab = Lab::new();
    // The last one ends first
    let cases = [StoredCase::of(400), StoredCase::of(200), StoredCase::of(300)];
    let options = ["--callgrind-limits=ir=350", "--regression-fail-fast"];
    let (tally, printed) = lab.run(cases, &options).unwrap();
    let names = lines(&printed).into_iter().filter_map(|line| line.strip_prefix("file::group::"));
    let names: Vec<_> = names.filter_map(|line| line.split_once(' ')).map(|name| name.0).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!((tally.finished, tally.regressed), (3, 1));
    for function in names {
        assert!(lab.stored(function, ".out").exists(), "{function}");
    }
}
