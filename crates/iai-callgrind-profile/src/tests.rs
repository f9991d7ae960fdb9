//! Profiles of any functions and costs: merging keeps each cost.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::MetricKind::{Dr, Ir};
use iai_callgrind_plan::metric::Metrics;
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{CallGraph, Profile, ProfileDetails};

/// Number of functions; calls lead to any of them.
const FUNCTIONS: usize = 5;

/// A line of costs: the line, instructions and reads.
type Costs = (u64, u64, u64);

/// A function with self cost.
#[derive(Debug, Clone)]
struct SampleFunction {
    /// Number in its name.
    index: usize,
    own: Vec<Costs>,
    /// Costs of code that was inlined from another file.
    inlined: Vec<Costs>,
    /// The called function, the number of calls, and their cost.
    calls: Vec<(usize, u64, Costs)>,
}

fn costs() -> impl Strategy<Value = Costs> {
    (0..1000_u64, 1..1_u64 << 40, 0..1_u64 << 40)
}

fn function() -> impl Strategy<Value = SampleFunction> {
    let calls = vec((0..FUNCTIONS, 1..1000_u64, costs()), 0..3);
    (0..FUNCTIONS, vec(costs(), 1..4), vec(costs(), 0..3), calls)
        .prop_map(|(index, own, inlined, calls)| SampleFunction { index, own, inlined, calls })
}

/// Writes a profile as callgrind does: names in full once, or always; lines absolute, or relative to the
/// last line with self cost.
fn write(functions: &[SampleFunction], with_ids: bool, relative: bool, path: &Path) {
    let (mut body, mut named, mut last) = (String::new(), [false; FUNCTIONS], 0);
    let mut name = |index: usize| {
        let is_known = with_ids && std::mem::replace(&mut named[index], true);
        match (with_ids, is_known) {
            (false, _) => format!("f{index}"),
            (true, false) => format!("({}) f{index}", index + 7),
            (true, true) => format!("({})", index + 7),
        }
    };
    let place = |line: u64, last: u64| match line.checked_sub(last) {
        Some(0) if relative => "*".to_owned(),
        Some(more) if relative => format!("+{more}"),
        None if relative => format!("-{}", last - line),
        _ => line.to_string(),
    };
    let mut self_costs = |costs: &[Costs], body: &mut String| {
        for (line, ir, dr) in costs {
            writeln!(body, "{} {ir} {dr}", place(*line, last)).unwrap();
            last = *line;
        }
        last
    };
    let (mut instructions, mut reads) = (0, 0);
    for SampleFunction { index, own, inlined, calls } in functions {
        writeln!(body, "\nfl=a.rs\nfn={}", name(*index)).unwrap();
        let last = self_costs(own, &mut body);
        for (target, count, (line, ir, dr)) in calls {
            let target = name(*target);
            let place = place(*line, last);
            writeln!(body, "cfn={target}\ncalls={count} {line}\n{place} {ir} {dr}").unwrap();
        }
        body.push_str("fi=b.rs\n");
        self_costs(inlined, &mut body);
        for (_, ir, dr) in own.iter().chain(inlined) {
            (instructions, reads) = (instructions + ir, reads + dr);
        }
    }
    let header = "version: 1\npid: 7\ncmd: x\npositions: line\nevents: Ir Dr\n";
    fs::write(path, format!("{header}{body}totals: {instructions} {reads}\n")).unwrap();
}

/// Costs of functions with the file that code was inlined from, or with the called function.
type Graph = BTreeMap<(String, Option<String>), (u64, u64)>;

fn graph(path: &Path) -> Graph {
    let graph = CallGraph::read(path).unwrap();
    let pair = |metrics: Metrics| [Ir, Dr].map(|kind| metrics.count(kind).unwrap());
    let mut found = Graph::new();
    let mut add = |from: &str, to: Option<String>, [ir, dr]: [u64; 2]| {
        let sum = found.entry((from.to_owned(), to)).or_default();
        (sum.0, sum.1) = (sum.0 + ir, sum.1 + dr);
    };
    for function in &graph.functions {
        for (file, row) in &function.own {
            add(&function.name, file.clone(), pair(graph.metrics(*row)));
        }
        for (target, row) in &function.calls {
            let target = format!("-> {}", graph.functions[*target].name);
            add(&function.name, Some(target), pair(graph.metrics(*row)));
        }
    }
    found
}

fn sum(graphs: impl IntoIterator<Item = Graph>) -> Graph {
    let mut all = Graph::new();
    for (key, (ir, dr)) in graphs.into_iter().flatten() {
        let sum = all.entry(key).or_default();
        (sum.0, sum.1) = (sum.0 + ir, sum.1 + dr);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn every_cost_stays_where_it_was(
        profiles in vec((vec(function(), 1..6), any::<bool>(), any::<bool>()), 1..4),
    ) {
        let directory = TempDir::new().unwrap();
        let paths: Vec<PathBuf> =
            (0..profiles.len()).map(|number| directory.path().join(number.to_string())).collect();
        for ((functions, with_ids, relative), path) in profiles.iter().zip(&paths) {
            write(functions, *with_ids, *relative, path);
        }
        let to = directory.path().join("merged");
        let details = ProfileDetails { call_graph: true, heap_calls: true, ..ProfileDetails::default() };
        let merged = super::merge(&paths, &to, details).unwrap();
        prop_assert_eq!(&Profile::read(&to, details).unwrap(), &merged);
        let expected = sum(paths.iter().map(|path| graph(path)));
        prop_assert_eq!(&graph(&to), &expected);

        // Merging a merged profile keeps it
        let again = directory.path().join("again");
        prop_assert_eq!(&super::merge(&[to], &again, details).unwrap().total, &merged.total);
        prop_assert_eq!(&graph(&again), &expected);
    }
}
