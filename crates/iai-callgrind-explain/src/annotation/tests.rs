//! Lines of small tables, and of simulated programs.

use proptest::prelude::*;

use super::*;
use crate::table::{File, Function, Row};

const SOURCE: &str = "fn a() {\n    b();\n    b();\n    c();\n}\n";

/// Returns a table whose functions are `f0` to `f9` and whose stacks are those of these line numbers.
fn table(stacks: &[&[u32]], source: &str) -> Table {
    let mut table = Table::new(["Ir", "Dr"].map(str::to_owned).to_vec());
    table.texts = (0..10).map(|index| format!("f{index}")).collect();
    table.texts.push("src/lib.rs".to_owned());
    table.functions = (0..10).map(|name| Function { name, calls: 0, code: 1 }).collect();
    let source = Source::new(source);
    for stack in stacks {
        let mut frames = Vec::new();
        for line in *stack {
            let known = (*line as usize).checked_sub(1).and_then(|index| source.lines.get(index));
            let Line { text, pair } = known.copied().unwrap_or_default();
            table.frames.push(Frame { name: 0, file: 10, line: *line, text, pair });
            frames.push(u32::try_from(table.frames.len() - 1).unwrap());
        }
        table.stacks.push(frames);
    }
    if let Some(hash) = source.hash {
        table.files.insert("src/lib.rs".to_owned(), File::new(hash, source.code, &source.lines));
    }
    table
}

fn add_row(table: &mut Table, function: u32, stack: u32, counts: &[u64]) {
    table.rows.push(Row { function, stack, inner: function, counts: counts.to_vec() });
    table.totals = table.sums().unwrap();
}

/// Adds calls with their number and their inclusive cost.
fn add_calls(table: &mut Table, from: u32, stack: u32, to: u32, (times, inclusive): (u64, u64)) {
    table.edges.push(Edge { caller: from, stack, callee: to, times, inclusive });
}

fn annotate(new: &Table, old: Option<&Table>) -> Annotation {
    Annotation::new(new, old, "Ir").unwrap()
}

/// Returns the number, the self cost and the inclusive cost of each line, all as in the new result.
fn new_costs(annotation: &Annotation) -> Vec<(u32, u64, u64)> {
    let lines = annotation.files.iter().flat_map(|file| &file.lines);
    lines.map(|line| (line.number, line.self_cost.new, line.inclusive.new)).collect()
}

#[test]
fn a_cost_belongs_to_the_innermost_line_and_is_in_those_around_it() {
    let mut table = table(&[&[], &[2], &[2, 4], &[2, 0], &[0]], SOURCE);
    add_row(&mut table, 0, 1, &[10, 1]);
    add_row(&mut table, 0, 2, &[20]);
    // Made up by the compiler
    add_row(&mut table, 0, 3, &[3]);
    add_row(&mut table, 0, 4, &[4]);
    add_row(&mut table, 1, 0, &[100, 7]);
    add_calls(&mut table, 0, 2, 1, (5, 100));
    let annotation = annotate(&table, None);
    assert_eq!(new_costs(&annotation), [(2, 13, 133), (4, 20, 120)]);
    assert_eq!((annotation.total.new, annotation.no_line.new), (137, 104));
    assert_eq!(annotation.files[0].self_cost(), LineCost { new: 33, old: 0 });

    let reads = Annotation::new(&table, None, "Dr").unwrap();
    assert!(annotation.has_inclusive && !reads.has_inclusive);
    assert_eq!((reads.no_line.new, new_costs(&reads)), (7, vec![(2, 1, 0)]));
    assert!(Annotation::new(&table, None, "Dw").is_none());
}

#[test]
fn a_line_on_several_levels_of_a_recursion_counts_once() {
    // `f0` calls `f1`, which calls itself nine times in line 2 and does the rest in line 4
    let mut table = table(&[&[1], &[2], &[4]], SOURCE);
    add_row(&mut table, 0, 0, &[1]);
    add_row(&mut table, 1, 1, &[9 * 5]);
    add_row(&mut table, 1, 2, &[10 * 10]);
    add_calls(&mut table, 0, 0, 1, (1, 145));
    let of_levels = (1..10).map(|level| 145 - level * 15).sum();
    add_calls(&mut table, 1, 1, 1, (9, of_levels));
    // All but line 4 of the first call
    assert_eq!(new_costs(&annotate(&table, None)), [(1, 1, 146), (2, 45, 135), (4, 100, 100)]);
}

#[test]
fn a_call_that_costs_more_than_all_functions_is_cut() {
    let mut table = table(&[&[], &[2]], SOURCE);
    add_row(&mut table, 0, 1, &[1]);
    add_row(&mut table, 1, 0, &[3]);
    add_calls(&mut table, 0, 1, 1, (1, 5));
    assert_eq!(new_costs(&annotate(&table, None)), [(2, 1, 4)]);
}

/// Returns the numbers of the lines with their new and old self costs.
fn changes(annotation: &Annotation) -> Vec<(u32, bool, u64, u64)> {
    let lines = annotation.files.iter().flat_map(|file| &file.lines);
    lines.map(|line| (line.number, line.is_gone, line.self_cost.new, line.self_cost.old)).collect()
}

/// Returns a table in which line `n` costs `10 + n`.
fn all_lines(lines: &[u32], source: &str) -> Table {
    let stacks: Vec<_> = lines.iter().map(std::slice::from_ref).collect();
    let mut table = table(&stacks, source);
    for (stack, line) in (0..).zip(lines) {
        add_row(&mut table, 0, stack, &[u64::from(10 + line)]);
    }
    table
}

#[test]
fn a_line_that_moves_is_compared_with_itself() {
    let old = all_lines(&[2, 3, 4], SOURCE);
    let moved = format!("use x;\n\n{}", SOURCE.replace("    c();\n", "  c();\n"));
    let new = all_lines(&[4, 5, 6], &moved);
    let annotation = annotate(&new, Some(&old));
    assert_eq!(changes(&annotation), [(4, false, 14, 12), (5, false, 15, 13), (6, false, 16, 14)]);
    assert_eq!(annotation.total, LineCost { new: 45, old: 39 });
    let texts = annotation.files[0].find_lines(&moved).unwrap();
    assert_eq!(texts, [Some((4, "    b();")), Some((5, "    b();")), Some((6, "  c();"))]);
    assert_eq!(annotation.files[0].find_lines(SOURCE), None);
}

#[test]
fn changed_lines_have_no_partner() {
    let old = all_lines(&[2, 3, 4], SOURCE);
    let changed = SOURCE.replace("c()", "d()");
    // The first line 2 no longer runs
    let annotation = annotate(&all_lines(&[3, 4], &changed), Some(&old));
    let expected = [(2, true, 0, 12), (3, false, 13, 13), (4, false, 14, 0), (4, true, 0, 14)];
    assert_eq!(changes(&annotation), expected);
    let texts = annotation.files[0].find_lines(&changed).unwrap();
    assert_eq!(texts, [Some((2, "    b();")), Some((3, "    b();")), Some((4, "    d();")), None]);

    let removed = annotate(&all_lines(&[], ""), Some(&old));
    assert_eq!(changes(&removed), [(2, true, 0, 12), (3, true, 0, 13), (4, true, 0, 14)]);
    assert_eq!(removed.files[0].find_lines("").unwrap(), [None, None, None]);
}

#[test]
fn a_removed_line_is_not_found_in_another_function() {
    let source = "fn f() {\n    a();\n    b();\n}\nfn g() {\n    a();\n    b();\n    c();\n}\n";
    let old = all_lines(&[6, 7, 8], source);
    let changed = source.replace("b();\n    c()", "d();\n    c()");
    let annotation = annotate(&all_lines(&[6, 7, 8], &changed), Some(&old));
    let expected = [(6, false, 16, 16), (7, false, 17, 0), (7, true, 0, 17), (8, false, 18, 18)];
    assert_eq!(changes(&annotation), expected);
    let texts = annotation.files[0].find_lines(&changed).unwrap();
    assert_eq!(texts[2], None);
    // It no longer runs, but is still there
    let with_return =
        source.replace("    a();\n    b();\n    c()", "    a();\n    e();\n    b();\n    c()");
    let annotation = annotate(&all_lines(&[6, 7, 9], &with_return), Some(&old));
    let texts = annotation.files[0].find_lines(&with_return).unwrap();
    assert_eq!(texts[2], Some((8, "    b();")));
}

#[test]
fn without_hashes_numbers_match() {
    let [mut old, mut new] = [&[2, 3][..], &[3, 9]].map(|lines| all_lines(lines, SOURCE));
    old.files.clear();
    new.files.clear();
    let annotation = annotate(&new, Some(&old));
    assert_eq!(changes(&annotation), [(2, true, 0, 12), (3, false, 13, 13), (9, false, 19, 0)]);
    assert_eq!(annotation.files[0].find_lines(SOURCE), None);
}

/// The stacks of user frames of a simulated program, by which each function has its own lines: function `f` executes
/// its costs in the stacks `3 f` to `3 f + 2`.
const STACKS: [&[u32]; 18] = [
    &[1],
    &[2],
    &[1, 7],
    &[3],
    &[4, 7],
    &[4, 8],
    &[],
    &[5],
    &[5, 5],
    &[6],
    &[6, 9],
    &[],
    &[],
    &[],
    &[7],
    &[10],
    &[10, 1],
    &[11],
];

/// A profile of a random program, and its exact costs.
struct Simulated {
    table: Table,
    /// The cost while each line is on the stack.
    inclusive: BTreeMap<u32, u64>,
}

/// Runs a program whose steps are numbers. Without recursion, functions only call higher numbers.
fn simulate(steps: &[(u32, u32, u64)], with_recursion: bool) -> Simulated {
    let mut costs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut calls: BTreeMap<(u32, u32, u32), (u64, u64)> = BTreeMap::new();
    let mut inclusive: BTreeMap<u32, u64> = BTreeMap::new();
    // Functions with the stack in which they call the next one
    let mut path: Vec<(u32, u32)> = vec![(0, 0)];
    for (kind, choice, cost) in steps {
        let last = path.len() - 1;
        let (function, stack) = path[last];
        match kind {
            0 if last > 0 => {
                path.pop();
            }
            1 | 2 => {
                let (stack, callee) = (3 * function + choice % 3, choice / 3 % 6);
                if last < 12 && (with_recursion || callee > function) {
                    path[last].1 = stack;
                    path.push((callee, 3 * callee));
                    calls.entry((function, stack, callee)).or_default().0 += 1;
                }
            }
            _ => path[last].1 = if stack % 3 == 2 { stack - 2 } else { stack + 1 },
        }
        let (function, stack) = path[path.len() - 1];
        *costs.entry((function, stack)).or_default() += cost;
        for pair in path.windows(2) {
            calls.entry((pair[0].0, pair[0].1, pair[1].0)).or_default().1 += cost;
        }
        let lines = path.iter().flat_map(|(_, stack)| STACKS[*stack as usize]);
        for line in lines.collect::<BTreeSet<_>>() {
            *inclusive.entry(*line).or_default() += cost;
        }
    }
    let mut table = table(&STACKS, SOURCE);
    for ((function, stack), cost) in costs {
        add_row(&mut table, function, stack, &[cost]);
    }
    for ((caller, stack, callee), calls) in calls {
        add_calls(&mut table, caller, stack, callee, calls);
    }
    Simulated { table, inclusive }
}

fn steps() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    proptest::collection::vec((0..4_u32, 0..18_u32, 1..30_u64), 1..200)
}

proptest! {
    #[test]
    fn inclusive_costs_are_exact_without_recursion(steps in steps()) {
        let Simulated { table, inclusive } = simulate(&steps, false);
        // A stack can have a line of several functions in both
        let unique = |line: &u32| ![1, 7].contains(line);
        for (line, _, found) in new_costs(&annotate(&table, None)) {
            if unique(&line) {
                prop_assert_eq!(found, inclusive[&line], "line {}", line);
            }
        }
    }

    #[test]
    fn self_costs_are_the_total_and_no_inclusive_cost_is_more(
        (new, old) in (steps(), steps()),
        with_recursion in any::<bool>(),
    ) {
        let new = simulate(&new, with_recursion);
        let old = simulate(&old, with_recursion);
        let annotation = annotate(&new.table, Some(&old.table));
        let mut sum = annotation.no_line;
        for line in annotation.files.iter().flat_map(|file| &file.lines) {
            sum.add(line.self_cost);
            for (own, inclusive, total) in [
                (line.self_cost.new, line.inclusive.new, new.table.totals[0]),
                (line.self_cost.old, line.inclusive.old, old.table.totals[0]),
            ] {
                prop_assert!(own <= inclusive && inclusive <= total, "{:?}", line);
            }
        }
        prop_assert_eq!(sum, LineCost { new: new.table.totals[0], old: old.table.totals[0] });
        let same = annotate(&new.table, Some(&new.table));
        let has_change = |line: &AnnotatedLine| line.inclusive.change() != 0 || line.self_cost.change() != 0;
        prop_assert!(!same.files.iter().flat_map(|file| &file.lines).any(has_change));
    }
}
