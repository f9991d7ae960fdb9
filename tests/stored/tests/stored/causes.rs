//! The text for people: a line for each benchmark on a terminal, and causes of changes.

use std::process::Command;

use end_to_end_tests::{Run, Suite, run};

/// Runs the benchmarks of `order` on a terminal.
fn on_terminal(suite: &Suite, arguments: &str, variables: &[(&str, &str)]) -> Run {
    let command = suite.command();
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{} {arguments}", words.join(" ")), "/dev/null"]);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    script.env_remove("CI").envs(variables.iter().copied()).current_dir(suite.root());
    run(&mut script)
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
    assert!(!first.stdout.contains("N/A") && !first.stdout.contains('|'), "{text:#?}");
    let rows: Vec<_> = text.iter().filter(|line| line.starts_with("numbers::")).collect();
    let count = first.stdout.matches("numbers::fibonacci").count();
    assert!(!rows.is_empty() && rows.len() <= count, "{text:#?}");
    let ends: Vec<_> = rows.iter().map(|row| row.chars().count()).collect();
    assert!(ends.iter().all(|end| *end == ends[0]), "aligned: {text:#?}");

    let second = on_terminal(&suite, "fibonacci", &[]).expect(0);
    let text = lines(&second);
    assert!(text.iter().any(|line| line.contains("compared with the last run")), "{text:#?}");
    let rows = text.iter().filter(|line| line.starts_with("numbers::"));
    assert!(rows.clone().all(|row| row.matches(" 0 %").count() == 2), "{text:#?}");
    let end = format!("compared with the old results: {} unchanged", rows.count());
    assert!(text.contains(&end), "{text:#?}");
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
    let _ = suite.report(&["--save-baseline=main", "five"]);
    let run = suite.run(&["--baseline=mian", "five"]).expect(1);
    run.complains(&["a baseline `mian`", "help: did you mean `main`? or save one with"]);
}
