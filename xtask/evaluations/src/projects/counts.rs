//! Instruction counts in the output of a harness, and their comparison.

use std::collections::BTreeSet;

use crate::projects::record::Count;

/// The largest difference of equal counts, as a share of the original one.
const TOLERANCE: f64 = 0.01;

/// A benchmark with both counts.
#[derive(Debug, PartialEq)]
pub(crate) struct Pair<'a> {
    pub(crate) benchmark: &'a str,
    pub(crate) original: Option<u64>,
    pub(crate) ours: Option<u64>,
}

/// Returns the counts in this output, in order, by the names of functions and the ids of cases.
pub(crate) fn by_function(output: &str) -> Vec<Count> {
    parse(output, function_and_id)
}

/// Returns the counts in this output, in order, by the titles of benchmarks.
pub(crate) fn by_title(output: &str) -> Vec<Count> {
    parse(output, str::to_owned)
}

/// Returns the counts in this output. All harnesses print the name in a line, and `Instructions:` in one of the lines that follow, indented by two spaces.
fn parse(output: &str, name: fn(&str) -> String) -> Vec<Count> {
    let mut counts = Vec::new();
    let mut title = "";
    for line in output.lines() {
        if !line.starts_with(' ') {
            title = line.trim_end();
        } else if let Some(instructions) = instructions(line) {
            counts.push(Count { benchmark: name(title), instructions: Some(instructions) });
        }
    }
    counts
}

/// Returns the benchmarks that a harness lists with `--list`, without counts.
///
/// Criterion writes a line for each, with `benchmark` after the name, or `bench` in old versions. Divan draws a tree whose
/// leaves are functions.
pub(crate) fn listed(output: &str) -> Vec<Count> {
    let is_branch = |character| " │├╰─".contains(character);
    let depth = |line: &str| line.chars().take_while(|character| is_branch(*character)).count();
    let mut names = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let name = line.strip_suffix(": benchmark").or_else(|| line.strip_suffix(": bench"));
        if let Some(name) = name {
            names.push(name);
        } else if depth(line) > 0 && lines.peek().is_none_or(|next| depth(next) <= depth(line)) {
            names.push(line.trim_start_matches(is_branch));
        }
    }
    names.into_iter().map(|name| Count { benchmark: name.to_owned(), instructions: None }).collect()
}

/// Returns the number of functions that were counted with at least one argument.
pub(crate) fn functions(counts: &[Count]) -> usize {
    let function = |count: &Count| count.benchmark.split('/').next().map(str::to_owned);
    counts.iter().map(function).collect::<BTreeSet<_>>().len()
}

/// Pairs the counts of equal names, the n-th with the n-th, in the order of the original.
pub(crate) fn pair<'a>(original: &'a [Count], ours: &'a [Count]) -> Vec<Pair<'a>> {
    let mut rest: Vec<_> = ours.iter().collect();
    let mut pairs = Vec::new();
    for count in original {
        let position = rest.iter().position(|other| other.benchmark == count.benchmark);
        pairs.push(Pair {
            benchmark: &count.benchmark,
            original: count.instructions,
            ours: position.and_then(|position| rest.remove(position).instructions),
        });
    }
    let additional = rest.into_iter().map(|count| Pair {
        benchmark: &count.benchmark,
        original: None,
        ours: count.instructions,
    });
    pairs.extend(additional);
    pairs
}

impl Pair<'_> {
    /// Returns true if both counts exist and differ by at most 1 %.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    pub(crate) fn is_equal(&self) -> bool {
        let (Some(original), Some(ours)) = (self.original, self.ours) else { return false };
        original.abs_diff(ours) as f64 <= original as f64 * TOLERANCE
    }
}

fn instructions(line: &str) -> Option<u64> {
    // Fitted curves are indented deeper
    let value = line.strip_prefix("  Instructions:")?.trim_start();
    let digits = value.split(|c: char| !c.is_ascii_digit() && c != ',').next()?;
    digits.replace(',', "").parse().ok()
}

/// Returns the name of the function and the id in the title of a benchmark.
fn function_and_id(title: &str) -> String {
    let (path, case) = title.split_once(' ').unwrap_or((title, ""));
    let function = path.rsplit("::").next().unwrap_or(path);
    let id = case.split(':').next().unwrap_or("");
    format!("{function} {id}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(benchmark: &str, instructions: u64) -> Count {
        Count { benchmark: benchmark.to_owned(), instructions: Some(instructions) }
    }

    #[test]
    fn counts_of_all_harnesses_are_found() {
        let iai =
            "bench_short\n  Instructions:                1735 (No change)\n  L1 Accesses: 2364\n";
        assert_eq!(parse(iai, function_and_id), [count("bench_short", 1735)]);
        let newer = "file::group::bench_sort worst:vec![\"a::b\", 1]\n  \
                     Instructions:                 345|N/A             (*********)\n  L1 Hits: 1|N/A\n";
        assert_eq!(parse(newer, function_and_id), [count("bench_sort worst", 345)]);
        let with_tool = "file::group::f\n  ======= CALLGRIND =====\n  Instructions: 1,345|1 (x)\n";
        assert_eq!(parse(with_tool, function_and_id), [count("f", 1345)]);
        let curve = "Growth of 5 sizes\n\n  file::group::f\n    Instructions: 6 n + 10   O(n)\n";
        assert_eq!(parse(curve, function_and_id), []);
    }

    #[test]
    fn lists_of_criterion_and_divan_are_read() {
        let output = "sort/10: benchmark\nsort: bench\n\n2 benchmarks\nspsc\n├─ send only\n│  ├─ flume\n│  ╰─ ring\n\
                      ╰─ other\n\n";
        let names: Vec<_> = listed(output).into_iter().map(|count| count.benchmark).collect();
        assert_eq!(names, ["sort/10", "sort", "flume", "ring", "other"]);
        let titles = ["spsc::send only::flume/1", "spsc::send only::flume/2", "spsc::other"];
        assert_eq!(functions(&titles.map(|title| count(title, 1))), 2);
    }

    #[test]
    fn equal_names_are_paired_in_order() {
        let original = [count("a", 100), count("a", 200), count("b", 300)];
        let ours = [count("c", 1), count("a", 101), count("a", 203)];
        let pairs = pair(&original, &ours);
        let values: Vec<_> = pairs.iter().map(|pair| (pair.original, pair.ours)).collect();
        let expected =
            [(Some(100), Some(101)), (Some(200), Some(203)), (Some(300), None), (None, Some(1))];
        assert_eq!(values, expected);
        let equal: Vec<_> = pairs.iter().map(Pair::is_equal).collect();
        assert_eq!(equal, [true, false, false, false]);
    }
}
