//! Pages that show the output of the same benchmarks have the same numbers.

use std::collections::BTreeSet;
use std::fmt::Debug;

use crate::counts;
use crate::document::{Document, documents};
use crate::lab::Lab;

/// The pages whose numbers of the Quickstart's benchmarks are compared with what its runs print.
const PRINTED: [&str; 2] = ["README.md", "docs/src/quickstart.md"];

/// The group whose accesses to caches differ between two directories.
const LAYOUT_DEPENDENT: &str = "compression";

/// The labels of callgrind's metrics.
const LABELS: [&str; 6] =
    ["Instructions", "L1 Hits", "L2 Hits", "RAM Hits", "Total read+write", "Estimated Cycles"];

/// Pages with a benchmark file, the group of its benchmarks, and what only this file has.
const FILES: [(&str, &str, &str); 3] = [
    ("docs/src/library-benchmarks.md", "sorting", "compare_by_id"),
    ("docs/src/metrics.md", "checksums", "IrPerByte"),
    ("docs/src/metrics.md", "compression", "counter("),
];

#[test]
fn all_pages_have_the_instructions_of_the_quickstart() {
    let (printed, shown) = assert_pages_agree(instructions);
    assert_eq!(printed.len(), 4, "{printed:?}");
    assert!(shown > 20, "{shown}");
}

/// Demands that no page of the guide has a value that the printed pages lack. Returns the values of these, and the number of
/// values on the others.
fn assert_pages_agree<T: Ord + Debug>(
    values: impl Fn(&str) -> BTreeSet<T>,
) -> (BTreeSet<T>, usize) {
    let printed = PRINTED.map(|page| values(&Document::read(page).text));
    let printed: BTreeSet<_> = printed.into_iter().flatten().collect();
    let mut shown = 0;
    for page in documents().iter().filter(|page| page.path.starts_with("docs/src")) {
        let values = values(&page.text);
        let wrong: Vec<_> = values.difference(&printed).collect();
        assert!(wrong.is_empty(), "{}: not printed: {wrong:?}", page.path.display());
        shown += values.len();
    }
    (printed, shown)
}

/// Returns the numbers in lines with the instructions of the Quickstart's benchmarks.
fn instructions(text: &str) -> BTreeSet<u64> {
    let (mut is_below, mut numbers) = (false, BTreeSet::new());
    for line in text.lines() {
        let case = ["short", "long"].into_iter().find_map(|case| {
            let start = ["::", " "].map(|space| format!("functions::bench_fibonacci{space}{case}"));
            start.iter().find_map(|start| line.split_once(start)).map(|(_, rest)| rest)
        });
        is_below = case.is_some() || (is_below && line.starts_with(' '));
        let below = Some(line).filter(|_| is_below && line.trim().starts_with("Instructions"));
        numbers.extend(case.or(below).into_iter().flat_map(counted));
    }
    numbers
}

#[test]
fn all_pages_have_the_metrics_of_the_quickstart() {
    let owned = |(case, label, value): (&str, &str, u64)| {
        [case, label, &value.to_string()].map(str::to_owned)
    };
    let (_, shown) = assert_pages_agree(|text| metrics(text).into_iter().map(owned).collect());
    assert!(shown > 40, "{shown}");
}

/// Returns the values in the blocks and rows of the Quickstart's benchmarks: the case, the label, and the new or the old
/// value. Other tools than callgrind have labels of their own.
fn metrics(text: &str) -> BTreeSet<(&str, &str, u64)> {
    let (mut case, mut metrics) = (None, BTreeSet::new());
    for line in text.lines() {
        metrics.extend(row(line).into_iter().flatten());
        if let Some((_, rest)) = line.split_once("functions::bench_fibonacci") {
            case = ["short", "long"]
                .into_iter()
                .find(|case| rest.trim_start_matches([':', ' ']).starts_with(*case));
            continue;
        }
        case = case.filter(|_| line.starts_with(' '));
        let value = line.trim().split_once(':').filter(|(label, _)| LABELS.contains(label));
        let Some((case, (label, values))) = case.zip(value) else { continue };
        let values = values.split(['|', '(']).map(str::trim).take(2);
        let counts = values.filter_map(|value| value.parse().ok());
        metrics.extend(counts.map(|value| (case, label, value)));
    }
    metrics
}

/// Returns the instructions and the estimated cycles in a row of a terminal.
fn row(line: &str) -> Option<[(&str, &str, u64); 2]> {
    let (name, values) = line.trim_start().split_once("  ")?;
    let case = name.rsplit(' ').next()?;
    let case = ["short", "long"].into_iter().find(|name| case.starts_with(&format!("{name}:")))?;
    let mut counts = counted(values);
    Some([(case, "Instructions", counts.next()?), (case, "Estimated Cycles", counts.next()?)])
}

#[test]
fn metrics_have_the_case_above_them() {
    let text = "functions::bench_fibonacci short:10\n  L1 Hits:  7|8  (x)\n  Errors:  1|2\n\nother\n  L1 Hits: 4|5\n\
                functions::bench_fibonacci long:30\n  RAM Hits:  9|N/A  (*)\n  long:30      1,234     +5 %   5,678    0 %\n";
    let expected = [
        ("long", "Estimated Cycles", 5678),
        ("long", "Instructions", 1234),
        ("long", "RAM Hits", 9),
        ("short", "L1 Hits", 7),
        ("short", "L1 Hits", 8),
    ];
    assert_eq!(metrics(text), BTreeSet::from(expected));
}

/// Returns the counts in a line: whole numbers of three digits or more.
fn counted(line: &str) -> impl Iterator<Item = u64> {
    let words = line.split(|c: char| c.is_whitespace() || c == '|');
    let numbers = words.filter_map(|word| word.replace(',', "").parse().ok());
    numbers.filter(|number| *number >= 100)
}

#[test]
fn instructions_are_read_in_each_form() {
    let text = "my_benchmark::functions::bench_fibonacci short:10\n  Instructions:  1734|1244  (+39.3%)\n  \
                L1 Hits:  7000|8000\nother\n  Instructions: 4444\nf 5555\n\
                functions::bench_fibonacci::long | Instructions | 26,214,734\n";
    assert_eq!(instructions(text), BTreeSet::from([1244, 1734, 26_214_734]));
}

/// Compares all values, those of caches too, apart from the file whose accesses depend on the layout of its executable.
#[test]
#[ignore = "guide"]
fn pages_with_a_benchmark_file_have_its_counts() {
    let lab = Lab::new("examples", &[]);
    for (page, group, own) in FILES {
        let mut blocks = Document::read(page).blocks("rust").into_iter();
        let block = blocks.find(|block| block.text.contains(group) && block.text.contains(own));
        lab.add_benchmark(group, &block.expect("a file with this group").text);
    }
    let twelve = Document::read("docs/src/twelve-benchmarks.md");
    lab.add_benchmark("text", &twelve.blocks("rust")[0].text);
    let printed = lab.run("cargo bench --quiet").unwrap_or_else(|error| panic!("{error}"));
    // A new version of the compiler can need other numbers on these pages
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    for (page, group, _) in FILES {
        let text = Document::read(page).text.replace("my_benchmark::", &format!("{group}::"));
        let title = format!("{group}::{group}::");
        let [mut shown, mut printed] = [&text, &printed].map(|text| counts(&title, text));
        if group == LAYOUT_DEPENDENT {
            remove_caches(&mut shown);
            remove_caches(&mut printed);
        }
        let wrong: Vec<_> = shown.difference(&printed).collect();
        assert!(!shown.is_empty() && wrong.is_empty(), "{page}: not printed: {wrong:#?}");
    }
    let rows = twelve.text.lines().filter(|line| line.starts_with("  words_"));
    let rows: Vec<Vec<_>> = rows.map(|row| counted(row).collect()).collect();
    let values = |label: &str| {
        let lines = printed.lines().filter_map(|line| line.trim_start().strip_prefix(label));
        lines.filter_map(|line| counted(line).next()).collect::<BTreeSet<_>>()
    };
    let (instructions, cycles) = (values("Instructions:"), values("Estimated Cycles:"));
    // The paths of the library's files are constants of the executable. In another directory they have another
    // length, and what lies behind them is elsewhere in the caches
    let is_near = |value: u64| cycles.range(value - value / 10_000..=value + value / 10_000);
    let is_wrong = |row: &&Vec<u64>| match row[..] {
        [count, estimate] => !instructions.contains(&count) || is_near(estimate).next().is_none(),
        _ => true,
    };
    let wrong: Vec<_> = rows.iter().filter(is_wrong).collect();
    assert!(rows.len() == 6 && wrong.is_empty(), "not printed: {wrong:?}\n{printed}");
}

/// Removes the lines of metrics that depend on caches.
fn remove_caches(lines: &mut BTreeSet<(&str, &str)>) {
    let caches = ["L1 Hits", "L2 Hits", "RAM Hits", "Estimated Cycles"];
    lines.retain(|(_, line)| !caches.iter().any(|start| line.trim_start().starts_with(start)));
}
