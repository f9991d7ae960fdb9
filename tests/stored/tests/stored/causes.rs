//! The text for people: a line for each benchmark on a terminal, and causes of changes.

use std::path::Path;

use end_to_end_tests::{LOADED, Run, Suite, on_terminal_of_width, run, runner};

/// Runs the benchmarks of `order` on a terminal.
fn on_terminal(suite: &Suite, arguments: &str, variables: &[(&str, &str)]) -> Run {
    on_terminal_of(140, suite, arguments, variables)
}

/// Runs the benchmarks of `order` on a terminal of this width.
fn on_terminal_of(
    columns: usize,
    suite: &Suite,
    arguments: &str,
    variables: &[(&str, &str)],
) -> Run {
    let mut command = suite.command();
    command.args(arguments.split_whitespace()).envs(variables.iter().copied());
    run(&mut on_terminal_of_width(&command, columns))
}

/// Returns the lines on the terminal that stay, without those of the progress.
fn lines(run: &Run) -> Vec<String> {
    let visible = |line: &str| {
        let line = line.trim_end_matches('\r');
        line.rsplit("\u{1b}[2K").next().unwrap_or(line).replace("\u{1b}[1A", "")
    };
    run.stdout.split('\n').map(visible).collect()
}

#[test]
fn a_terminal_has_a_line_for_each_benchmark() {
    let suite = Suite::new("order");
    let first = on_terminal(&suite, "fibonacci", &[]).expect(0);
    let text = lines(&first);
    assert_eq!(first.stdout.matches("first run").count(), 1, "{text:#?}");
    assert!(!first.stdout.contains("no earlier results"), "said once: {text:#?}");
    assert!(!first.stdout.contains("N/A") && !first.stdout.contains('|'), "{text:#?}");
    assert!(text.contains(&"numbers::fibonacci".to_owned()), "the function of both: {text:#?}");
    let is_row = |line: &&String| line.starts_with("  fi");
    let rows: Vec<_> = text.iter().filter(is_row).collect();
    assert_eq!(rows.len(), 2, "{text:#?}");
    let ends: Vec<_> = rows.iter().map(|row| row.chars().count()).collect();
    assert!(ends.iter().all(|end| *end == ends[0]), "aligned: {text:#?}");

    let second = on_terminal(&suite, "fibonacci", &[]).expect(0);
    let text = lines(&second);
    assert!(text.iter().any(|line| line.contains("compared with the last run")), "{text:#?}");
    let rows = text.iter().filter(is_row);
    assert!(rows.clone().all(|row| row.matches(" 0 %").count() == 2), "{text:#?}");
    let end = format!("compared with the last run: {} unchanged", rows.count());
    assert!(text.contains(&end), "{text:#?}");
}

#[test]
fn columns_have_names_only_above_rows() {
    let (order, _) = Suite::with_two_baselines();
    let text = |arguments: &str| {
        let arguments = format!("{} {arguments}", LOADED.join(" "));
        on_terminal(&order, &arguments, &[]).expect(0).stdout
    };
    assert!(!text("--show=summary").contains("Est. cycles"));
    assert!(!text("--show=changed").contains("Est. cycles"));
    assert_eq!(text("").matches("Est. cycles").count(), 1);
}

#[test]
fn percentages_of_the_rows_have_the_same_digits() {
    let (order, _) = Suite::with_two_baselines();
    for (benchmark, old) in [("numbers::bubble_sort::ten", 634), ("texts::tree::pangram", 3000)] {
        order.pretend_in(benchmark, "base@a.out", old);
    }
    let text = lines(&on_terminal(&order, &LOADED.join(" "), &[]).expect(0)).join("\n");
    assert!(text.contains("  0 %") && text.contains("+30.5 %"), "{text}");
}

#[test]
fn curves_with_few_sizes_are_one_entry() {
    let suite = Suite::new("growth");
    let text = lines(&on_terminal(&suite, "::sizes::", &[]).expect(0)).join("\n");
    let entry =
        "\n  fewer than the 4 sizes that a formula needs\n    growth::sizes::wrong_sizes one (1)\n";
    assert!(text.contains(entry), "{text}");
    assert!(!text.contains("1 size, and a fit needs 4"), "{text}");
}

#[test]
fn the_end_has_the_number_of_benchmarks_that_vary() {
    let suite = Suite::new("inside");
    let text = |arguments: &str| lines(&on_terminal(&suite, arguments, &[]).expect(0)).join("\n");
    let seeds = text("--seeds=3 --seed=7 hash_map::small");
    assert!(seeds.contains("\n    Instructions from "), "{seeds}");
    assert!(seeds.contains("\n3 seeds: counts of 1 benchmark vary\n"), "{seeds}");
    let repeated = text("--repeat=2 --seed=7 hash_map::small");
    assert!(repeated.contains("\n2 runs: no count varies\n"), "{repeated}");
    assert!(!text("--seed=7 hash_map::small").contains("varies"));
}

#[test]
fn an_unchanged_curve_is_one_line() {
    let suite = Suite::new("growth");
    let growth = |arguments: &str| {
        let lines = lines(&on_terminal(&suite, arguments, &[]).expect(0));
        let start = lines.iter().position(|line| line == "Growth:");
        lines[start.map_or(lines.len(), |start| start + 1)..].join("\n")
    };
    let first = growth("classes");
    assert!(first.contains("growth::classes::linear n\n    Instructions:  "), "{first}");
    assert!(first.contains("no class fits\n      residuals"), "{first}");
    let second = growth("classes");
    let title = "\n  unchanged; --output-format=default prints the formulas\n";
    assert!(second.starts_with(title), "{second}");
    let is_line = |start: &str, end: &str| {
        second.lines().any(|line| line.trim_start().starts_with(start) && line.ends_with(end))
    };
    assert!(is_line("growth::classes::linear n ", "   O(n)"), "{second}");
    assert!(is_line("growth::classes::irregular n ", "   no class fits"), "{second}");
    assert!(!second.contains("Instructions: "), "{second}");
    assert_eq!(growth("classes --show=changed"), "", "nor did a curve without a formula change");
    assert!(growth("classes --output-format=default").contains("\n    Instructions:  "));
}

#[test]
fn lines_fit_the_width_of_the_terminal() {
    let (order, _) = Suite::with_two_baselines();
    for (benchmark, old) in [("numbers::bubble_sort::ten", 100), ("texts::tree::pangram", 1000)] {
        order.pretend_in(benchmark, "base@a.out", old);
    }
    let arguments = format!("{} --callgrind-limits=ir=300%", LOADED.join(" "));
    for (columns, has_cycles) in [(50, false), (80, false), (100, true), (140, true)] {
        let text = lines(&on_terminal_of(columns, &order, &arguments, &[]).expect(3));
        for line in &text {
            assert!(line.chars().count() <= columns, "{columns}: {line:?} in {text:#?}");
        }
        let heading = text.iter().find(|line| line.contains("Instructions")).unwrap();
        assert_eq!(heading.contains("Est. cycles"), has_cycles, "{columns}: {text:#?}");
        let sort = text.iter().position(|line| line == "numbers::bubble_sort").unwrap();
        assert!(text[sort + 1].starts_with("  ten:10"), "{text:#?}");
        let pangram = text.iter().position(|line| line.starts_with("texts::tree p"));
        let pangram = pangram.unwrap_or_else(|| panic!("{columns}: {text:#?}"));
        let values = &text[pangram + usize::from(columns == 50)];
        assert!(values.contains("3,915") && values.contains("+292 %"), "{columns}: {text:#?}");
        assert_eq!(text[pangram].contains('…'), columns < 140, "{columns}: {text:#?}");
    }
}

#[test]
fn a_limit_below_a_row_does_not_repeat_its_numbers() {
    let (order, _) = Suite::with_two_baselines();
    order.pretend_in("numbers::bubble_sort::ten", "base@a.out", 100);
    let limits = "--callgrind-limits=ir=300%,totalrw=1";
    let arguments = format!("{} {limits} bubble_sort::ten", LOADED.join(" "));
    let text = lines(&on_terminal(&order, &arguments, &[]).expect(3));
    let row = text.iter().position(|line| line.contains("+534 %")).expect("a row");
    let line = "    limit exceeded: Instructions (limit +300 %), old 100";
    assert_eq!(text[row + 1], line, "{text:#?}");
    let hidden = "    limit exceeded: Total read+write 791 (limit 1)";
    assert_eq!(text[row + 2], hidden, "the row does not have it: {text:#?}");
}

#[test]
fn a_person_reads_where_reports_are() {
    let (order, _) = Suite::with_two_baselines();
    let reports = "--report=markdown:report.md --report=html:pages";
    let arguments = format!("{} {reports}", LOADED.join(" "));
    let text = lines(&on_terminal_of(300, &order, &arguments, &[]).expect(0));
    let written = text.iter().filter(|line| line.starts_with("wrote "));
    let written: Vec<_> = written.filter_map(|line| line.split_once(": ")).collect();
    let [(pages, page), (report, path)] = *written else { panic!("{text:#?}") };
    assert_eq!((report, pages), ("wrote the markdown report", "wrote the pages of 8 benchmarks"));
    assert!(Path::new(path).is_file() && path.ends_with("/report.md"), "{text:#?}");
    assert!(Path::new(page).is_file() && page.ends_with("pages/index.html"), "{text:#?}");
    let piped = order.load(&["--report=markdown:report.md"]).expect(0);
    assert!(!piped.stdout.contains("wrote"), "{}", piped.stdout);
}

#[test]
fn a_verdict_names_the_worst_change() {
    let (order, _) = Suite::with_two_baselines();
    for (benchmark, old) in [("numbers::bubble_sort::ten", 100), ("texts::tree::pangram", 5000)] {
        order.pretend_in(benchmark, "base@a.out", old);
    }
    let text = |arguments: &str| {
        let arguments = format!("{} {arguments}", LOADED.join(" "));
        lines(&on_terminal(&order, &arguments, &[])).join("\n")
    };
    let worse = text("");
    let verdict = "\ncompared with the baseline `a`: 1 worse, 1 better, 6 unchanged\n  worst: \
                   order::numbers::bubble_sort ten:10, Instructions +534 %";
    assert!(worse.contains(verdict), "{worse}");
    assert!(worse.contains("result: Ok, 1 worse. 8 benchmarks ran, 0 regressed"), "{worse}");
    let broken = text("--callgrind-limits=ir=10%");
    assert!(broken.contains(": 1 exceeded a limit, 1 better, 6 unchanged\n  worst: "), "{broken}");
    assert!(broken.contains("result: Regressed. "), "{broken}");
}

#[test]
fn failures_are_repeated_at_the_end() {
    let suite = Suite::new("panics");
    let text = lines(&on_terminal(&suite, "", &[]).expect(1)).join("\n");
    let (_, end) = text.split_once("\nFailures:\n\n").expect("a list");
    assert!(end.starts_with("  panics::group::panics always"), "{text}");
    assert!(end.contains("\n\nIai-Callgrind result: Failed. "), "{text}");
}

#[test]
fn blocks_stay_where_programs_parse_them() {
    let suite = Suite::new("order");
    for (arguments, variables) in
        [("five", &[("CI", "true")][..]), ("--output-format=default five", &[])]
    {
        let run = on_terminal(&suite, arguments, variables).expect(0);
        let text = lines(&run);
        assert!(text.contains(&"order::numbers::fibonacci five:5".to_owned()), "{text:#?}");
        assert!(text.iter().any(|line| line.starts_with("  Estimated Cycles: ")), "{text:#?}");
    }
    let piped = suite.run(&["--output-format=lines", "five"]).expect(0);
    let (heading, rest) = piped.stdout.split_once('\n').expect("lines");
    assert!(heading.starts_with("order: 1 benchmark"), "{}", piped.stdout);
    assert!(rest.contains("\nnumbers::fibonacci five:5 "), "{}", piped.stdout);
}

#[test]
fn a_filter_that_matches_nothing_names_similar_benchmarks() {
    let suite = Suite::new("order");
    let run = suite.run(&["fibonaci"]).expect(0);
    run.complains(&[
        "note: `fibonaci` matches none of the ",
        "help: did you mean `order::numbers::fibonacci",
    ]);
    let none = suite.run(&["xyz"]).expect(0);
    none.complains(&["note: `xyz` matches none of the "]);
    assert!(!none.stderr.contains("help:"), "{}", none.stderr);
    // Another benchmark file with the same directory of results
    let filter = "bubble_sort::ten";
    let growth = Suite::new("growth");
    let run_other = |arguments: &[&str]| {
        let mut command = growth.bare();
        command.arg("--bench").args(arguments).env("IAI_CALLGRIND_RUNNER", runner());
        command.env("IAI_CALLGRIND_HOME", suite.home());
        end_to_end_tests::run(&mut command).expect(0)
    };
    run_other(&[filter]).complains(&["note: `bubble_sort::ten` matches none of the "]);
    let _ = suite.report(&[filter]);
    assert_eq!(run_other(&[filter]).stderr, "", "the other file has a benchmark that matches");
    // On a terminal the closing line of each file says it
    let lines = run_other(&["--output-format=lines", "xyz"]);
    assert_eq!(lines.stderr, "", "no similar name");
    assert!(lines.stdout.contains("result: Ok. 0 of "), "{}", lines.stdout);
    assert!(lines.stdout.contains(" benchmarks ran, 0 regressed, in "), "{}", lines.stdout);
    let _ = suite.report(&["--save-baseline=main", "five"]);
    let run = suite.run(&["--baseline=mian", "five"]).expect(1);
    run.complains(&["a baseline `mian`", "help: did you mean `main`? or save one with"]);
}
