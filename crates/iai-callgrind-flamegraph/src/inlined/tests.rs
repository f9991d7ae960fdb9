//! Small functions with inlined code, and simulated programs, whose functions cost the same with
//! and without frames of inlined functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use iai_callgrind_explain::Table;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::stacks::{SEPARATOR, stacks};

/// The user frames in a part of a function.
const PATHS: [&[&str]; 4] = [&[], &["own::a"], &["own::a", "own::b"], &["own::c"]];

/// Number of parts of a function: paths, each with and without a library.
const PARTS: usize = 2 * PATHS.len();

/// The costs of a program by function and part, and the calls of functions with the times and costs of both events.
#[derive(Default)]
struct Program {
    own: BTreeMap<(String, usize), [u64; 2]>,
    calls: BTreeMap<(String, usize, String), [u64; 2]>,
}

impl Program {
    fn add(&mut self, function: &str, part: usize, cost: [u64; 2]) {
        add(self.own.entry((function.to_owned(), part)).or_default(), cost);
    }

    fn call(&mut self, function: &str, part: usize, callee: &str, cost: [u64; 2]) {
        let key = (function.to_owned(), part, callee.to_owned());
        add(self.calls.entry(key).or_default(), cost);
    }

    /// Returns the call graph of callgrind's profile, which has no parts.
    fn graph(&self) -> CallGraph {
        let names: BTreeSet<_> = self.own.keys().map(|(function, _)| function).collect();
        let mut profile = "events: Ir Dr\n".to_owned();
        for name in names {
            let mut sum = [0; 2];
            let own = self.own.iter().filter(|((function, _), _)| function == name);
            own.for_each(|(_, cost)| add(&mut sum, *cost));
            writeln!(profile, "fn={name}\n1 {} {}", sum[0], sum[1]).unwrap();
            for ((caller, _, callee), [reads, writes]) in &self.calls {
                if caller == name {
                    writeln!(profile, "cfn={callee}\ncalls=1 1\n1 {reads} {writes}").unwrap();
                }
            }
        }
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("x.out");
        fs::write(&path, profile + "totals: 0\n").unwrap();
        CallGraph::read(&path).unwrap()
    }

    /// Returns the table, which has parts but no levels of a recursion.
    fn inlining(&self) -> Inlining {
        let mut texts: Vec<String> = Vec::new();
        let mut text = |name: &str| {
            texts.iter().position(|known| known == name).unwrap_or_else(|| {
                texts.push(name.to_owned());
                texts.len() - 1
            })
        };
        let (file, library) = (text("src/lib.rs"), text("core::library"));
        let mut functions: Vec<String> = Vec::new();
        let mut function = |name: &str| {
            let name = stable_name(name);
            functions.iter().position(|known| *known == name).unwrap_or_else(|| {
                functions.push(name);
                functions.len() - 1
            })
        };
        let (mut frames, mut stacks) = (Vec::new(), Vec::new());
        // Each row and each call has a stack of its own, whose first frame is the function itself if that is the user's
        let mut stack = |name: &str, part: usize| {
            let own = stable_name(name);
            let is_own = own.ends_with(['1', '3', '5']);
            let names = is_own.then_some(&*own).into_iter().chain(PATHS[part / 2].iter().copied());
            let mut indices = Vec::new();
            for name in names {
                frames.push(json!([text(name), file, 7, 0, 0]));
                indices.push(frames.len() - 1);
            }
            stacks.push(indices);
            stacks.len() - 1
        };
        let mut rows = Vec::new();
        let mut totals = [0; 2];
        for ((name, part), cost) in &self.own {
            add(&mut totals, *cost);
            rows.push((function(name), stack(name, *part), name, *part, *cost));
        }
        let edges: Vec<_> = self
            .calls
            .iter()
            .map(|((caller, part, callee), [inclusive, _])| {
                json!([function(caller), stack(caller, *part), function(callee), 1, inclusive])
            })
            .collect();
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(function, stack, name, part, cost)| {
                let innermost =
                    PATHS[part / 2].last().map_or(stable_name(name), |name| (*name).to_owned());
                let inner = if part % 2 == 1 { library } else { text(&innermost) };
                json!([function, stack, inner, cost])
            })
            .collect();
        let functions: Vec<_> = functions.iter().map(|name| json!([text(name), 1, 1])).collect();
        let table = json!({
            "version": 1, "events": ["Ir", "Dr"], "totals": totals, "has_debug_info": true,
            "environment": {}, "texts": texts, "functions": functions, "frames": frames,
            "stacks": stacks, "rows": rows, "edges": edges, "files": {},
        });
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(table.to_string().as_bytes()).unwrap();
        let table = Table::read(&encoder.finish().unwrap()).unwrap();
        Inlining::new(&table, [&table, &table]).unwrap()
    }
}

fn add(sum: &mut [u64; 2], cost: [u64; 2]) {
    *sum = [sum[0] + cost[0], sum[1] + cost[1]];
}

/// Returns the stacks of a flamegraph with frames of inlined functions.
fn divided(graph: &CallGraph, inlining: &Inlining, kind: MetricKind) -> Vec<(String, u64)> {
    let mut flow = Flow::new(graph, kind).unwrap();
    divide(&mut flow, graph, inlining, kind);
    readable_stacks(&flow)
}

fn readable_stacks(flow: &Flow<'_>) -> Vec<(String, u64)> {
    let stacks = stacks(flow, 0).into_iter();
    stacks.map(|(stack, cost)| (stack.replace(SEPARATOR, ";"), cost)).collect()
}

#[track_caller]
fn assert_stacks(found: &[(String, u64)], expected: &[(&str, u64)]) {
    let found: Vec<_> = found.iter().map(|(stack, cost)| (stack.as_str(), *cost)).collect();
    assert_eq!(found, expected);
}

/// Returns `f1` with two inlined functions, both of which call `f2`; one of them calls `f4`.
fn small() -> Program {
    let mut program = Program::default();
    for (part, cost) in [(0, 5), (2, 10), (3, 4), (4, 20)] {
        program.add("f1", part, [cost, 1]);
    }
    program.call("f1", 2, "f2", [6, 3]);
    program.call("f1", 4, "f2", [3, 3]);
    program.call("f1", 4, "f4", [8, 2]);
    program.add("f2", 0, [9, 6]);
    program.add("f4", 0, [8, 2]);
    program
}

#[test]
fn inlined_functions_are_frames() {
    let program = small();
    let (graph, inlining) = (program.graph(), program.inlining());
    let expected = [
        ("f1", 5),
        ("f1;own::a", 10),
        ("f1;own::a;[core::library]", 4),
        ("f1;own::a;f2", 6),
        ("f1;own::a;own::b", 20),
        ("f1;own::a;own::b;f2", 3),
        ("f1;own::a;own::b;f4", 8),
    ];
    assert_stacks(&divided(&graph, &inlining, MetricKind::Ir), &expected);
    // Both inlined functions call `f2`, and the table has no reads of calls
    let expected = [
        ("f1", 1),
        ("f1;f2", 6),
        ("f1;own::a", 1),
        ("f1;own::a;[core::library]", 1),
        ("f1;own::a;own::b", 1),
        ("f1;own::a;own::b;f4", 2),
    ];
    assert_stacks(&divided(&graph, &inlining, MetricKind::Dr), &expected);
}

#[test]
fn calls_of_small_inlined_functions_are_those_of_the_function() {
    let mut program = Program::default();
    program.add("f1", 0, [5, 0]);
    for part in [2, 6] {
        program.add("f1", part, [2, 0]);
        program.call("f1", part, "f2", [5, 0]);
    }
    program.add("f2", 0, [10, 0]);
    let (graph, inlining) = (program.graph(), program.inlining());
    let mut flow = Flow::new(&graph, MetricKind::Ir).unwrap();
    divide(&mut flow, &graph, &inlining, MetricKind::Ir);
    let stacks = stacks(&flow, 8).into_iter();
    let stacks: Vec<_> =
        stacks.map(|(stack, cost)| (stack.replace(SEPARATOR, ";"), cost)).collect();
    assert_stacks(&stacks, &[("f1", 9), ("f1;f2", 10)]);
}

#[test]
fn a_function_that_is_another_one_in_the_table_is_not_divided() {
    let graph = small().graph();
    let mut other = small();
    other.add("f1", 2, [1, 0]);
    let undivided = [("f1", 39), ("f1;f2", 9), ("f1;f4", 8)];
    assert_stacks(&divided(&graph, &other.inlining(), MetricKind::Ir), &undivided);
    let mut other_call = small();
    other_call.call("f1", 2, "f4", [1, 0]);
    let stacks = divided(&graph, &other_call.inlining(), MetricKind::Ir);
    assert!(stacks.contains(&("f1;f4".to_owned(), 8)), "{stacks:?}");
    assert!(stacks.contains(&("f1;own::a;f2".to_owned(), 6)), "{stacks:?}");
}

#[test]
fn all_levels_of_a_recursion_are_divided() {
    let mut program = Program::default();
    for (name, own) in [("f1", 4), ("f1'2", 12)] {
        program.add(name, 0, [own, 0]);
        program.add(name, 2, [own / 2, 0]);
    }
    program.call("f1", 2, "f1'2", [18, 0]);
    program.call("f1'2", 2, "f1'2", [30, 0]);
    let stacks = divided(&program.graph(), &program.inlining(), MetricKind::Ir);
    let expected =
        [("f1", 4), ("f1;own::a", 2), ("f1;own::a;f1'2", 12), ("f1;own::a;f1'2;own::a", 6)];
    assert_stacks(&stacks, &expected);
}

/// Runs a program whose steps are numbers: pushes functions on a stack, pops them, and continues
/// with other parts.
fn simulate(steps: &[(u32, usize, u64)]) -> Program {
    let mut program = Program::default();
    // Functions with the part that is executed
    let mut path: Vec<(usize, String, usize)> = vec![(0, "f0".to_owned(), 0)];
    for (kind, choice, cost) in steps {
        let last = path.len() - 1;
        match kind {
            0 if last > 0 => {
                path.pop();
            }
            1 if last < 12 => {
                let function = choice % 6;
                let is_on_stack = path.iter().any(|(other, ..)| *other == function);
                let mark = if is_on_stack { "'2" } else { "" };
                path.push((function, format!("f{function}{mark}"), 0));
            }
            _ => path[last].2 = choice % PARTS,
        }
        let cost = [*cost, cost % 3];
        let (_, name, part) = &path[path.len() - 1];
        program.add(name, *part, cost);
        for pair in path.windows(2) {
            program.call(&pair[0].1, pair[0].2, &pair[1].1, cost);
        }
    }
    program
}

fn is_function(name: &str) -> bool {
    name.starts_with('f')
}

/// Returns the cost of each function of the profile with all that it called, and its self cost.
fn costs_of_functions(stacks: &[(String, u64)]) -> BTreeMap<&str, (u64, u64)> {
    let mut costs: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for (stack, cost) in stacks {
        let names: Vec<_> = stack.split(';').filter(|name| is_function(name)).collect();
        for name in &names {
            costs.entry(*name).or_default().0 += cost;
        }
        costs.entry(names.last().copied().unwrap_or_default()).or_default().1 += cost;
    }
    costs
}

/// Returns the self cost of each part of each function, whatever the level of recursion.
fn costs_of_parts(stacks: &[(String, u64)]) -> BTreeMap<(String, String), u64> {
    let mut costs = BTreeMap::new();
    for (stack, cost) in stacks {
        let names: Vec<_> = stack.split(';').collect();
        let last = names.iter().rposition(|name| is_function(name)).unwrap();
        let part = (stable_name(names[last]), names[last + 1..].join(";"));
        *costs.entry(part).or_default() += cost;
    }
    costs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn functions_cost_the_same_as_without_inlined_frames(
        steps in proptest::collection::vec((0..4_u32, 0..48_usize, 1..30_u64), 1..300)
    ) {
        let program = simulate(&steps);
        let (graph, inlining) = (program.graph(), program.inlining());
        for (event, kind) in [MetricKind::Ir, MetricKind::Dr].into_iter().enumerate() {
            let before = readable_stacks(&Flow::new(&graph, kind).unwrap());
            let after = divided(&graph, &inlining, kind);
            prop_assert_eq!(costs_of_functions(&before), costs_of_functions(&after));

            let mut expected: BTreeMap<_, u64> = BTreeMap::new();
            for ((function, part), cost) in program.own.iter().filter(|(_, cost)| cost[event] > 0) {
                let library = (part % 2 == 1).then_some("[core::library]");
                let names: Vec<_> = PATHS[part / 2].iter().copied().chain(library).collect();
                *expected.entry((stable_name(function), names.join(";"))).or_default() += cost[event];
            }
            prop_assert_eq!(costs_of_parts(&after), expected);
        }
    }
}
