//! Pages that show the output of the same benchmarks have the same numbers.

use std::collections::BTreeSet;

use crate::counts;
use crate::document::{Document, documents};
use crate::lab::Lab;

/// The pages whose numbers of the Quickstart's benchmarks are compared with what its runs print.
const PRINTED: [&str; 2] = ["README.md", "docs/src/quickstart.md"];

/// Pages with a benchmark file, the group of its benchmarks, and what only this file has.
const FILES: [(&str, &str, &str); 3] = [
    ("docs/src/library-benchmarks.md", "sorting", "compare_by_id"),
    ("docs/src/metrics.md", "checksums", "IrPerByte"),
    ("docs/src/metrics.md", "compression", "counter("),
];

#[test]
fn all_pages_have_the_instructions_of_the_quickstart() {
    let printed = PRINTED.map(|page| Document::read(page).text);
    let printed: BTreeSet<_> = printed.iter().flat_map(|text| instructions(text)).collect();
    let mut shown = 0;
    for page in documents().iter().filter(|page| page.path.starts_with("docs/src")) {
        let instructions = instructions(&page.text);
        let wrong: Vec<_> = instructions.difference(&printed).collect();
        assert!(wrong.is_empty(), "{}: not printed: {wrong:?}", page.path.display());
        shown += instructions.len();
    }
    assert_eq!(printed.len(), 4, "{printed:?}");
    assert!(shown > 20, "{shown}");
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

/// Compares the instructions and what is computed from them, which do not depend on the layout of the executable.
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
        let [shown, printed] = [&text, &printed].map(|text| without_caches(counts(&title, text)));
        let wrong: Vec<_> = shown.difference(&printed).collect();
        assert!(!shown.is_empty() && wrong.is_empty(), "{page}: not printed: {wrong:#?}");
    }
    let rows = twelve.text.lines().filter(|line| line.starts_with("  words_"));
    let rows: Vec<_> = rows.filter_map(|row| counted(row).next()).collect();
    let is_printed = |row: &u64| printed.contains(&format!("  Instructions: {row:>19}|N/A "));
    let wrong: Vec<_> = rows.iter().filter(|row| !is_printed(row)).collect();
    assert!(rows.len() == 6 && wrong.is_empty(), "not printed: {wrong:?}\n{printed}");
}

/// Returns the lines of metrics that do not depend on caches, with their titles.
fn without_caches<'a>(mut lines: BTreeSet<(&'a str, &'a str)>) -> BTreeSet<(&'a str, &'a str)> {
    let caches = ["L1 Hits", "L2 Hits", "RAM Hits", "Estimated Cycles"];
    lines.retain(|(_, line)| !caches.iter().any(|start| line.trim_start().starts_with(start)));
    lines
}
