//! Annotated source: the user's lines with their costs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;

use end_to_end_tests::{FreshCrate, Run, run, runner, tree};

const LIBRARY: &str = include_str!("explained/lib.rs");
const BENCHMARK: &str = include_str!("explained/benchmark.rs");
/// For the crate alone, so that it has the dependencies of all crates.
const PROFILE: &str = "\n[profile.bench.package.NAME]\ndebug = 1\ncodegen-units = 1\n";

const NORMALIZED: &str = "    word.to_ascii_lowercase()\n";
const CHANGED: &str = "    word.chars().filter(|c| *c != ',').collect::<String>().to_lowercase()\n";

/// A line of a benchmark.
#[derive(Debug)]
struct Line {
    own: u64,
    change: Option<i64>,
    inclusive: u64,
    number: u32,
    text: String,
}

fn annotated(name: &'static str) -> FreshCrate {
    let benchmark = BENCHMARK.replace("explained", &name.replace('-', "_"));
    let crate_ = FreshCrate::new(name, &benchmark, &PROFILE.replace("NAME", name));
    crate_.write("src/lib.rs", LIBRARY);
    crate_
}

/// Runs the benchmarks of the crate with the arguments and this level of debug information.
fn bench(crate_: &FreshCrate, debug: &str, arguments: &[&str]) {
    let mut command = crate_.cargo_bench();
    command.arg(crate_.setting("debug", debug));
    command.args(["--bench", &crate_.file(), "--"]).args(arguments);
    command.env("IAI_CALLGRIND_RUNNER", runner());
    let _ = run(&mut command).expect(0);
}

/// Runs `annotate` in the directory of the crate.
fn annotate(crate_: &FreshCrate, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    let home = crate_.results();
    command
        .arg("annotate")
        .args(arguments)
        .env("IAI_CALLGRIND_HOME", home.parent().expect("a home"))
        .current_dir(crate_.cargo_bench().get_current_dir().expect("the crate"));
    run(&mut command)
}

/// Returns the lines of all files in the output of one benchmark.
fn lines(text: &str) -> Vec<Line> {
    let has_change = text.lines().any(|line| line.trim_start().starts_with("Self  Change"));
    let rows = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let own = number(words.next()?)?;
        let mut cost_end = || {
            words.next()?.parse::<f64>().ok()?;
            (words.next()? == "%").then_some(())?;
            let change = if has_change { Some(number(words.next()?)?) } else { None };
            Some((change, number::<u64>(words.next()?)?))
        };
        let (change, inclusive) = cost_end()?;
        let (_, number) = cost_end()?;
        let text = words.collect::<Vec<_>>().join(" ");
        Some(Line { own, change, inclusive, number: number.try_into().ok()?, text })
    });
    rows.collect()
}

/// Returns the total, and the costs that belong to no line.
fn totals(text: &str) -> (u64, u64) {
    let total = text.lines().nth(1).and_then(|line| line.split_whitespace().next());
    let (_, rest) = text.rsplit_once(" % (").expect("a closing line");
    let (no_line, _) = rest.split_once(')').expect("a number in parentheses");
    let number = |text| number(text).expect("a number");
    (number(total.expect("a total")), number(no_line))
}

/// Reads a number with separators.
fn number<N: FromStr>(text: &str) -> Option<N> {
    text.replace(',', "").parse().ok()
}

fn tables(crate_: &FreshCrate) -> Vec<PathBuf> {
    let results = crate_.results();
    let files = tree(&results).into_keys().map(|name| results.join(name));
    files.filter(|path| path.extension().is_some_and(|extension| extension == "table")).collect()
}

#[test]
fn lines_have_their_costs_and_what_changed() {
    let crate_ = annotated("annotated");
    bench(&crate_, "1", &["--save-baseline=base"]);
    // The lines after the first one move
    let changed = format!("//! A line.\n{}", LIBRARY.replace(NORMALIZED, CHANGED));
    crate_.write("src/lib.rs", &changed);
    bench(&crate_, "1", &[]);

    let new = annotate(&crate_, &["annotated*most_frequent*", "--lines=all"]).expect(0).stdout;
    assert!(new.starts_with("annotated_benchmark::group::most_frequent::short\n"), "{new}");
    let (total, no_line) = totals(&new);
    let found = lines(&new);
    assert!(found.iter().all(|line| line.change.is_none() && line.inclusive <= total), "{new}");
    assert_eq!(found.iter().map(|line| line.own).sum::<u64>() + no_line, total, "{new}");
    let of = |lines: &[Line], text: &str| {
        let line = lines.iter().position(|line| line.text == text.trim());
        line.unwrap_or_else(|| panic!("{text}: {lines:?}"))
    };
    // Inlined code has its costs where it was written, and the calls are in the line that calls
    let (caller, inlined) =
        (of(&found, "*counts.entry(normalized(word)).or_insert(0) += 1;"), of(&found, CHANGED));
    assert_eq!((found[caller].number, found[inlined].number), (10, 18));
    assert!(found[inlined].own > 0 && found[inlined].inclusive > found[inlined].own, "{new}");
    assert!(found[caller].inclusive > found[inlined].inclusive, "{new}");
    let file = lines(new.split("\n\n").nth(1).expect("a file"));
    assert!(file.len() > 5 && file.is_sorted_by(|a, b| a.own >= b.own), "{new}");

    let arguments = ["annotated*most_frequent*", "--baseline=base", "--lines=all"];
    let compared = annotate(&crate_, &arguments).expect(0).stdout;
    let found = lines(&compared);
    let change = |text: &str| found[of(&found, text)].change.expect("a change");
    assert_eq!(change(CHANGED), i64::try_from(found[of(&found, CHANGED)].own).unwrap());
    // It moved, and is the same otherwise
    assert_eq!(change("pub fn most_frequent(text: &str) -> Vec<(String, usize)> {"), 0);
    assert_eq!(found.iter().filter(|line| line.text == "(removed line)").count(), 1, "{compared}");
    let first = [arguments[0], arguments[1], "--lines=1", "--sort=change"];
    let first = annotate(&crate_, &first).expect(0).stdout;
    assert_eq!(lines(&first)[0].text, CHANGED.trim(), "{first}");

    let reads = annotate(&crate_, &["annotated*most_frequent*", "--event=dr"]).expect(0).stdout;
    assert!(reads.contains(" Dr\n") && !reads.contains("Inclusive"), "{reads}");
    let unknown = annotate(&crate_, &["annotated*most_frequent*", "--event=x"]).expect(2);
    unknown.complains(&["the result has no event `x`\nhelp: use one of Ir, Dr, Dw"]);
    annotate(&crate_, &["annotated", "--baseline=x"]).expect(1).complains(&["has a result `x`"]);
    annotate(&crate_, &["annotated", "--lines=0"]).expect(2).complains(&["greater than 0"]);
    let several = annotate(&crate_, &["annotated*areas", "annotated*checksums*"]).expect(0).stdout;
    assert_eq!(several.matches("annotated_benchmark::group::").count(), 2, "{several}");

    crate_.write("src/lib.rs", &changed.replace("A line", "Another line"));
    let other = annotate(&crate_, &["annotated*most_frequent*"]).expect(0).stdout;
    let reason = "  src/lib.rs: the source changed since the run, only line numbers are shown\n";
    assert!(other.contains(reason) && !other.contains("counts.entry"), "{other}");
    let source = crate_.cargo_bench().get_current_dir().unwrap().join("src/lib.rs");
    fs::remove_file(source).expect("it can be removed");
    let gone = annotate(&crate_, &["annotated*most_frequent*"]).expect(0).stdout;
    assert!(gone.contains("src/lib.rs: the source is gone, only line numbers"), "{gone}");
    assert_eq!(totals(&gone), (total, no_line));
}

#[test]
fn what_is_missing_is_named() {
    let crate_ = annotated("annotated-less");
    bench(&crate_, "0", &["--save-baseline=none"]);
    bench(&crate_, "1", &[]);
    let areas = "annotated_less*areas";
    let without = annotate(&crate_, &[areas, "--load-baseline=none"]).expect(0).stdout;
    let expected =
        "  no lines: no debug information of the executable was found\n  help: set `debug = 1`";
    assert!(without.contains(expected), "{without}");
    let old = annotate(&crate_, &[areas, "--baseline=none"]).expect(0).stdout;
    let expected = "  no comparison: no debug information of the old executable was found\n";
    assert!(old.contains(expected) && !lines(&old).is_empty(), "{old}");

    for table in tables(&crate_) {
        fs::write(table, "no table").expect("it can be written");
    }
    let damaged = annotate(&crate_, &[areas]).expect(0).stdout;
    let expected = "  no lines: the table of the new result can't be used: it is damaged: ";
    assert!(damaged.contains(expected), "{damaged}");
    for table in tables(&crate_) {
        fs::remove_file(table).expect("it can be removed");
    }
    let missing = annotate(&crate_, &[areas]).expect(0).stdout;
    let expected = "  no lines: the new result has no table of costs by function\n";
    assert!(missing.ends_with(expected), "{missing}");
    for profile in tree(&crate_.results()).into_keys().filter(|name| name.ends_with("areas.out")) {
        fs::remove_file(crate_.results().join(profile)).expect("it can be removed");
    }
    let none = annotate(&crate_, &[areas]).expect(0).stdout;
    assert!(none.ends_with("  no lines: callgrind has no result `@last`\n"), "{none}");
}
