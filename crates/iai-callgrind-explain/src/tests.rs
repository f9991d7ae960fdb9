//! Differences of random tables, and the verdicts about small ones.

mod varying;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::machine_values::LOADER_CACHE;
use crate::sources::Line;
use crate::table::{Edge, File, Frame, Function, Row, Table};
use crate::{Callee, CodeChange, Difference, Verdict};

const NAMES: [&str; 6] =
    ["own::a", "own::b::{closure}", "own::c", "core::fmt::write", "malloc", "own::a::<u8>"];

/// Rows as function, stack, inner name and cost; edges as caller, stack, callee, times and inclusive cost.
type Parts = (Vec<(u32, u32, u32, u64)>, Vec<(u32, u32, u32, u64, u64)>, bool);

fn parts() -> impl Strategy<Value = Parts> {
    let row = (0..6_u32, 0..4_u32, 0..6_u32, 0..1_000_000_u64);
    let edge = (0..6_u32, 0..4_u32, 0..6_u32, 0..100_u64, 0..1_000_000_u64);
    (vec(row, 0..20), vec(edge, 0..30), any::<bool>())
}

/// Makes a table whose stacks are empty, `a`, `a` with `b`, and a closure alone.
fn table((rows, edges, has_debug_info): Parts) -> Table {
    let mut table = Table::new(vec!["Ir".to_owned()]);
    table.has_debug_info = has_debug_info;
    table.texts = NAMES.map(str::to_owned).to_vec();
    table.texts.push("src/lib.rs".to_owned());
    table.functions =
        (0..6).map(|name| Function { name, calls: 1, code: u64::from(name) + 1 }).collect();
    let frame = |name, line| Frame { name, file: 6, line, text: line + 100, pair: line + 200 };
    table.frames = vec![frame(0, 1), frame(1, 2), frame(2, 3)];
    table.stacks = vec![vec![], vec![0], vec![0, 1], vec![2]];
    let row = |(function, stack, inner, cost)| Row { function, stack, inner, counts: vec![cost] };
    table.rows = rows.into_iter().map(row).collect();
    let edge = |(caller, stack, callee, times, inclusive)| Edge {
        caller,
        stack,
        callee,
        times,
        inclusive,
    };
    table.edges = edges.into_iter().map(edge).collect();
    table.totals = table.sums().unwrap();
    table
}

/// Returns a function that is called nine times in place of three.
fn more_often(name: &str) -> Callee {
    Callee { name: name.to_owned(), old: 3, new: 9, is_moved: false }
}

proptest! {
    #[test]
    fn entries_add_up_to_the_difference(old in parts(), new in parts()) {
        let (old, new) = (table(old), table(new));
        prop_assert_eq!(&Table::read(&new.write().unwrap()).unwrap(), &new);
        let difference = Difference::new(&old, &new, None);
        let sum: i64 = difference.entries.iter().map(crate::Entry::change).sum();
        prop_assert_eq!(sum, i64::try_from(difference.new).unwrap() - i64::try_from(difference.old).unwrap());
        for entry in &difference.entries {
            let sites: i64 = entry.sites.iter().map(|site| site.change).sum();
            prop_assert_eq!(sites, entry.change(), "{:?}", entry);
        }
        let all = difference.most(1.0, usize::MAX);
        prop_assert!(all.1 > 0.999 || difference.entries.is_empty());
    }

    #[test]
    fn a_table_is_no_different_from_itself(parts in parts()) {
        let table = table(parts);
        let difference = Difference::new(&table, &table, None);
        prop_assert_eq!(difference.verdict, Verdict::Equal);
        prop_assert!(difference.entries.is_empty() && difference.executed_in.is_empty());
    }
}

/// Returns the function `a` with a cost in its own line 1, and `malloc`, which it calls.
fn calling(cost: u64, times: u64) -> Table {
    let parts =
        (vec![(0, 1, 0, cost), (4, 0, 4, times * 10)], vec![(0, 1, 4, times, times * 10)], true);
    let mut table = table(parts);
    let line = |text| Line { text, pair: text + 100 };
    table.files.insert("src/lib.rs".to_owned(), File::new(1, 1, &[line(101)]));
    table
}

fn verdict(old: &Table, new: &Table) -> Verdict {
    Difference::new(old, new, None).verdict
}

#[test]
fn the_first_verdict_that_applies_counts() {
    let old = calling(50, 3);
    let mut new = calling(70, 3);
    assert_eq!(verdict(&old, &new), Verdict::Calls(Vec::new()));
    new.functions[0].code = 99;
    assert_eq!(verdict(&old, &new), Verdict::CodeGeneration { several_units: false });
    assert_eq!(Difference::new(&old, &new, Some(20)).verdict, Verdict::Spread);
    new.environment.insert("codegen units".to_owned(), "several".to_owned());
    assert_eq!(verdict(&old, &new), Verdict::CodeGeneration { several_units: true });

    let mut old = old;
    old.packages.insert("member".to_owned(), 1);
    new.packages.insert("member".to_owned(), 2);
    let packages = vec!["member".to_owned()];
    assert_eq!(verdict(&old, &new), Verdict::OtherFiles { packages, several_units: true });

    let file = new.files.get_mut("src/lib.rs").unwrap();
    file.hash = 2;
    assert!(matches!(verdict(&old, &new), Verdict::OtherFiles { .. }), "a comment is not code");
    new.files.get_mut("src/lib.rs").unwrap().code = 2;
    let files = vec!["src/lib.rs".to_owned()];
    assert_eq!(verdict(&old, &new), Verdict::OtherInFile { files, several_units: false });

    let more = calling(50, 9);
    let calls = Verdict::Calls(vec![more_often("malloc")]);
    assert_eq!(verdict(&old, &more), calls);

    new.frames[0].text = 999;
    let difference = Difference::new(&old, &new, None);
    let Verdict::ChangedLines(lines) = &difference.verdict else { panic!("{difference:?}") };
    assert!(lines.iter().any(|line| line.is_new && line.line == 1), "{lines:?}");

    new.environment.insert("compiler".to_owned(), "2".to_owned());
    old.environment.insert("compiler".to_owned(), "1".to_owned());
    let changed = ("compiler".to_owned(), "1".to_owned(), "2".to_owned());
    assert_eq!(verdict(&old, &new), Verdict::Environment(vec![changed]));
}

#[test]
fn other_libraries_of_the_loader_explain_what_no_line_does() {
    let (mut old, mut new) = (calling(50, 3), calling(70, 3));
    for (table, cache) in [(&mut old, "1"), (&mut new, "2")] {
        table.environment.insert(LOADER_CACHE.to_owned(), cache.to_owned());
    }
    let changed = (LOADER_CACHE.to_owned(), "1".to_owned(), "2".to_owned());
    assert_eq!(verdict(&old, &new), Verdict::Environment(vec![changed]));
    new.files.get_mut("src/lib.rs").unwrap().code = 2;
    new.frames[0].text = 999;
    assert!(matches!(verdict(&old, &new), Verdict::ChangedLines(_)));
}

#[test]
fn a_file_that_runs_is_named_if_only_accesses_differ() {
    let [mut old, mut new] = [calling(50, 3), calling(50, 3)];
    for (table, writes) in [(&mut old, 73), (&mut new, 74)] {
        table.events.push("Dw".to_owned());
        table.rows[0].counts.push(writes);
        table.totals.push(writes);
    }
    new.functions[0].code = 99;
    new.files.get_mut("src/lib.rs").unwrap().code = 2;
    for (table, code) in [(&mut old, 1), (&mut new, 2)] {
        table.packages.insert("member".to_owned(), code);
    }
    let files = vec!["src/lib.rs".to_owned()];
    assert_eq!(verdict(&old, &new), Verdict::OtherInFile { files, several_units: false });
}

#[test]
fn only_caches_moved() {
    let [mut old, mut new] = [calling(50, 3), calling(50, 3)];
    for (table, misses) in [(&mut old, 1), (&mut new, 2)] {
        table.events.push("I1mr".to_owned());
        table.rows[0].counts.push(misses);
        table.totals.push(misses);
    }
    assert_eq!(verdict(&old, &new), Verdict::Caches);

    // Another executable can have other data
    for (table, cache) in [(&mut old, "1"), (&mut new, "2")] {
        table.environment.insert(LOADER_CACHE.to_owned(), cache.to_owned());
    }
    assert_eq!(verdict(&old, &new), Verdict::Caches);
    for table in [&mut old, &mut new] {
        table.object_files = 1;
    }
    let Verdict::Environment(changes) = verdict(&old, &new) else { panic!("no environment") };
    assert_eq!(changes[0].0, LOADER_CACHE);
}

/// Returns the function `a` with a loop in line 1, a line 3, and a closure in line 5 that is inlined at line 1. Line 1 has
/// the text `outer`, and line 5 `inner`, which costs as much as this; it does not run if it costs nothing.
fn with_closure(outer: u32, (inner, cost): (u32, u64)) -> Table {
    let mut table = table((Vec::new(), Vec::new(), true));
    table.texts[1] = "own::a::{closure}".to_owned();
    let texts = [outer, 30, inner];
    table.frames = [(0, 1), (0, 3), (1, 5)]
        .into_iter()
        .zip(texts)
        .map(|((name, line), text)| Frame { name, file: 6, line, text, pair: text + 200 })
        .collect();
    table.stacks = vec![vec![0], vec![1], vec![0, 2]];
    let row = |stack, cost| Row { function: 0, stack, inner: 0, counts: vec![cost] };
    table.rows = vec![row(0, 100 - cost), row(1, 7), row(2, cost)];
    table.rows.retain(|row| row.counts[0] > 0);
    table.totals = table.sums().unwrap();
    let lines = texts.map(|text| Line { text, pair: text + 200 });
    let code = u64::from(outer + inner);
    table.files.insert("src/lib.rs".to_owned(), File::new(code, code, &lines));
    table
}

#[test]
fn a_closure_without_lines_of_its_own_can_have_the_line_that_calls_it() {
    let merged = |old: Table, mut new: Table| {
        new.rows[0].counts[0] += 50;
        new.totals[0] += 50;
        let difference = Difference::new(&old, &new, None);
        let [entry] = &*difference.entries else { panic!("{difference:?}") };
        entry.edits().iter().map(|edit| entry.is_merged(edit)).collect::<Vec<_>>()
    };
    let old = || with_closure(10, (50, 40));
    assert_eq!(merged(old(), with_closure(11, (51, 0))), [true, false]);
    assert_eq!(merged(with_closure(11, (51, 0)), old()), [false, true]);
    assert_eq!(merged(old(), with_closure(11, (51, 40))), [false, false], "both run");
    assert_eq!(merged(old(), with_closure(11, (50, 40))), [false], "the closure is the same");
    assert_eq!(merged(old(), with_closure(10, (51, 0))), [false], "the call is the same");
}

/// Changes the line that runs.
fn change_line(table: &mut Table) {
    table.frames[0].text = 999;
    let line = Line { text: 999, pair: 1099 };
    table.files.insert("src/lib.rs".to_owned(), File::new(2, 2, &[line]));
}

#[test]
fn the_same_count_is_not_always_the_same_code() {
    let with_reads = |reads: u64| {
        let mut table = calling(50, 3);
        table.events.push("Dr".to_owned());
        table.rows[0].counts.push(reads);
        table.totals.push(reads);
        table
    };
    let (old, mut new) = (with_reads(20), with_reads(30));
    change_line(&mut new);
    let Verdict::ChangedLines(lines) = verdict(&old, &new) else { panic!("no changed lines") };
    assert!(lines.iter().all(|line| line.line == 1), "{lines:?}");

    // Other instructions with the same sums, and another cause for what the caches do
    let mut other = with_reads(20);
    other.functions[0].code = 99;
    other.events.push("D1mr".to_owned());
    other.totals.push(1);
    other.rows[0].counts.push(1);
    assert_eq!(verdict(&old, &other), Verdict::CodeGeneration { several_units: false });
    other.functions[0].code = old.functions[0].code;
    assert_eq!(verdict(&old, &other), Verdict::Caches);
}

#[test]
fn a_library_function_depends_on_the_address_of_its_data() {
    let searching = |instructions: u64| {
        let mut table = calling(50, 3);
        table.rows[1].counts[0] = instructions;
        table.totals = table.sums().unwrap();
        table
    };
    let old = searching(131 * 3);
    assert_eq!(verdict(&old, &searching(227 * 3)), Verdict::DataAddresses);
    assert_eq!(verdict(&old, &searching(900 * 3)), Verdict::Calls(Vec::new()), "other data");
    let changed = |change: fn(&mut Table)| {
        let mut new = searching(227 * 3);
        change(&mut new);
        verdict(&old, &new)
    };
    assert_ne!(changed(|new| new.functions[4].code = 99), Verdict::DataAddresses);
    assert_ne!(changed(|new| new.edges[0].times = 4), Verdict::DataAddresses);
    assert!(matches!(changed(change_line), Verdict::ChangedLines(_)));
    let mut unknown = [old.clone(), searching(227 * 3)];
    for table in &mut unknown {
        table.functions.iter_mut().for_each(|function| function.code = 0);
    }
    assert_ne!(verdict(&unknown[0], &unknown[1]), Verdict::DataAddresses, "unknown code");
}

#[test]
fn the_size_of_the_code_is_not_another_environment() {
    let [mut old, mut new] = [calling(50, 3), calling(70, 3)];
    for (table, units) in [(&mut old, "1"), (&mut new, "several")] {
        table.environment.insert("codegen units".to_owned(), units.to_owned());
    }
    assert_eq!(verdict(&old, &new), Verdict::Calls(Vec::new()));
}

#[test]
fn changed_lines_come_before_another_dependency() {
    let [mut old, mut new] = [calling(50, 3), calling(70, 3)];
    for (table, version) in [(&mut old, "0.3.1"), (&mut new, "0.3.2")] {
        table.environment.insert("dependency smawk".to_owned(), version.to_owned());
    }
    let Verdict::Environment(changes) = verdict(&old, &new) else { panic!("no environment") };
    assert_eq!(changes[0].0, "dependency smawk");
    change_line(&mut new);
    assert!(matches!(verdict(&old, &new), Verdict::ChangedLines(_)));
}

#[test]
fn the_dependency_whose_functions_differ_is_named() {
    let [mut old, mut new] = [calling(50, 3), calling(50, 4)];
    for (table, versions) in [(&mut old, "1.0.0"), (&mut new, "1.0.1")] {
        for package in ["fast-heap", "heap", "another"] {
            table.environment.insert(format!("dependency {package}"), versions.to_owned());
        }
    }
    let named = |old: &Table, new: &Table| {
        let Verdict::Environment(changes) = verdict(old, new) else { panic!("no environment") };
        changes.into_iter().map(|(name, ..)| name).collect::<Vec<_>>()
    };
    assert_eq!(named(&old, &new).len(), 3, "inlined functions are not known");
    for table in [&mut old, &mut new] {
        table.texts[4] = "<fast_heap::Heap as own::heap::Alloc>::alloc".to_owned();
    }
    assert_eq!(named(&old, &new), ["dependency fast-heap"]);
}

#[test]
fn what_a_function_calls_belongs_to_it() {
    let difference = Difference::new(&calling(50, 3), &calling(50, 9), None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!((entry.owner.as_deref(), entry.change()), (Some("own::a"), 60));
    assert_eq!((entry.code, entry.assumed), (CodeChange::Same, 0));
    assert_eq!(entry.sites[0].via.as_deref(), Some("malloc"));
    assert_eq!(entry.callees, [more_often("malloc")]);
    assert_eq!(difference.executed_in, [("malloc".to_owned(), 60)]);
}

#[test]
fn a_call_that_another_function_made_before_is_moved() {
    // `a` calls the allocator by way of a function of a library, or directly
    let rows = |cost| vec![(0, 1, 0, 50), (3, 1, 3, cost), (4, 1, 4, 90)];
    let through = |times| table((rows(20), vec![(0, 1, 3, 9, 110), (3, 0, 4, times, 90)], true));
    let directly = table((rows(40), vec![(0, 1, 4, 9, 90)], true));
    let allocator = |old: &Table, new: &Table| {
        let difference = Difference::new(old, new, None);
        let callees = difference.entries.iter().flat_map(|entry| entry.callees.clone());
        callees.into_iter().find(|callee| callee.name == "malloc").unwrap()
    };
    let callee = |old, new, is_moved| Callee { name: "malloc".to_owned(), old, new, is_moved };
    assert_eq!(allocator(&through(9), &directly), callee(0, 9, true));
    assert_eq!(allocator(&directly, &through(9)), callee(9, 0, true));
    assert_eq!(allocator(&through(3), &directly), callee(0, 9, false));
    assert_eq!(allocator(&directly, &through(3)), callee(9, 0, false));
}

#[test]
fn a_called_function_without_a_symbol_is_named_by_its_file() {
    let [mut old, mut new] = [calling(50, 3), calling(50, 9)];
    old.texts[4] = "0x0000000000117310 in libz.so.1".to_owned();
    new.texts[4] = "0x0000000000117350 in libz.so.1".to_owned();
    let difference = Difference::new(&old, &new, None);
    let name = "a function without a name in libz.so.1".to_owned();
    assert_eq!(difference.entries[0].sites[0].via.as_ref(), Some(&name));
    assert_eq!(difference.entries[0].callees, [more_often(&name)]);
    assert_eq!(difference.executed_in, [(name, 60)]);
}

#[test]
fn an_inlined_function_with_a_closure_of_its_own_has_the_code_of_its_callers() {
    // `b` is a part of `a`, and its closure has machine code of its own
    let table = |in_a: u64, code_of_a: u64| {
        let mut table = table((vec![(0, 2, 1, in_a), (1, 3, 1, 10)], vec![], true));
        table.frames[1].name = 7;
        table.texts.push("own::b".to_owned());
        table.functions[0].code = code_of_a;
        table.functions[1].calls = 10;
        table.totals = table.sums().unwrap();
        table
    };
    let change = |old: &Table, new: &Table| {
        let difference = Difference::new(old, new, None);
        let entry =
            difference.entries.into_iter().find(|entry| entry.owner.as_deref() == Some("own::b"));
        let entry = entry.expect("the cost of the inlined code is that of the function");
        (entry.code, entry.calls)
    };
    assert_eq!(change(&table(50, 1), &table(60, 1)), (CodeChange::Same, (0, 0)));
    assert_eq!(change(&table(50, 1), &table(60, 99)), (CodeChange::InCallers, (0, 0)));
    assert_eq!(change(&table(50, 1), &table(60, 0)), (CodeChange::Unknown, (0, 0)));
}

#[test]
fn instructions_without_a_line_belong_to_the_function_that_they_are_in() {
    // `a` calls `c`, of which some instructions have no line
    let table = |nameless: u64| {
        let rows = vec![(0, 1, 0, 10), (2, 3, 2, 20), (2, 0, 2, nameless)];
        let mut table = table((rows, vec![(0, 1, 2, 1, 20 + nameless)], true));
        table.frames[2].name = 2;
        table
    };
    let difference = Difference::new(&table(5), &table(7), None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!((entry.owner.as_deref(), entry.change()), (Some("own::c"), 2));
}

#[test]
fn calls_of_a_closure_are_not_those_of_its_function() {
    let table = |cost| table((vec![(1, 3, 1, cost)], vec![], true));
    let difference = Difference::new(&table(50), &table(60), None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!(entry.calls, (0, 0));
}

#[test]
fn without_debug_information_crates_are_the_owners() {
    let [mut old, mut new] = [calling(50, 3), calling(70, 3)];
    old.has_debug_info = false;
    new.has_debug_info = false;
    let difference = Difference::new(&old, &new, None);
    assert!(!difference.has_debug_info);
    assert_eq!(difference.entries[0].owner.as_deref(), Some("crate own"));
}

/// Returns a table with one user function of this name and these lines in a file, which contains other lines too.
fn function(name: &str, file: &str, texts: &[u32]) -> Table {
    let mut table = Table::new(vec!["Ir".to_owned()]);
    table.has_debug_info = true;
    table.texts = vec![name.to_owned(), file.to_owned()];
    table.functions = vec![Function { name: 0, calls: 1, code: 1 }];
    let frame = |(line, text): (u32, &u32)| Frame { name: 0, file: 1, line, text: *text, pair: 0 };
    table.frames = (1..).zip(texts).map(frame).collect();
    table.stacks = (0..).take(texts.len()).map(|frame| vec![frame]).collect();
    let row = |stack| Row { function: 0, stack, inner: 0, counts: vec![10] };
    table.rows = (0..).take(texts.len()).map(row).collect();
    table.totals = table.sums().unwrap();
    let line = |text: &u32| Line { text: *text, pair: 0 };
    let code = texts.iter().map(|text| u64::from(*text)).sum();
    let lines: Vec<_> = texts.iter().map(line).collect();
    table.files.insert(file.to_owned(), File::new(code, code, &lines));
    table
}

#[test]
fn a_function_in_another_module_is_the_same_one() {
    let old = function("own::a::f", "src/a.rs", &[1, 2, 3]);
    let mut new = function("own::b::f", "src/b.rs", &[9, 2, 3, 4]);
    // The old file exists without the function
    new.files.insert("src/a.rs".to_owned(), File::new(5, 5, &[]));
    let difference = Difference::new(&old, &new, None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!((entry.owner.as_deref(), entry.change()), (Some("own::b::f"), 10));
    // Only the line with the name is not in the new file
    let Verdict::ChangedLines(lines) = &difference.verdict else { panic!("{difference:?}") };
    assert_eq!(lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1]);

    let other = function("own::b::f", "src/b.rs", &[1, 7, 8, 9]);
    let difference = Difference::new(&old, &other, None);
    assert_eq!(difference.entries.len(), 2, "only the first line is the same");
}

#[test]
fn instances_of_a_default_method_are_one_function() {
    let old = function("own::T::f", "src/a.rs", &[1, 2, 3]);
    let mut new = function("<own::A as own::T>::f", "src/a.rs", &[1, 2, 3]);
    new.texts.push("<own::B as own::T>::f".to_owned());
    for line in 0..3 {
        new.frames.push(Frame { name: 2, ..new.frames[line].clone() });
        new.stacks.push(vec![3 + u32::try_from(line).unwrap()]);
        new.rows.push(Row { stack: new.rows[line].stack + 3, ..new.rows[line].clone() });
    }
    new.totals = new.sums().unwrap();
    let difference = Difference::new(&old, &new, None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!((entry.owner.as_deref(), entry.change()), (Some("own::T::f"), 30));
}

#[test]
fn a_function_that_calls_back_is_split_by_the_number_of_calls() {
    // `a` calls `core::fmt::write`, which calls `c`, which calls `core::fmt::write` too
    let table = |own: u64| {
        let rows = vec![(0, 1, 0, 10), (2, 3, 2, own), (3, 0, 3, 100)];
        let inclusive = own + 60;
        table((
            rows,
            vec![(0, 1, 3, 1, inclusive), (3, 0, 2, 1, inclusive), (2, 3, 3, 1, 50)],
            true,
        ))
    };
    let difference = Difference::new(&table(20), &table(2000), None);
    let [entry] = &*difference.entries else { panic!("{difference:?}") };
    assert_eq!((entry.owner.as_deref(), entry.change()), (Some("own::c"), 1980));
}

#[test]
fn calls_are_counted_if_an_inlined_function_has_the_same_last_name() {
    let with = |times| {
        let mut table = calling(50, times);
        // `lib::malloc` is a part of `a`
        table.texts.push("lib::malloc".to_owned());
        table.rows.push(Row { function: 0, stack: 1, inner: 7, counts: vec![1] });
        table.totals = table.sums().unwrap();
        table
    };
    let calls = Verdict::Calls(vec![more_often("malloc")]);
    assert_eq!(verdict(&with(3), &with(9)), calls);
}

#[test]
fn a_changed_line_without_code_belongs_to_the_line_before() {
    let [old, mut new] = [10_u8, 20].map(|cost| {
        let mut table = function("own::f", "src/a.rs", &[1, 3]);
        table.implied = vec![Frame { line: 7, text: u32::from(cost), ..table.frames[0].clone() }];
        let line = |text| Line { text, pair: 0 };
        let file = File::new(cost.into(), cost.into(), &[1, cost.into(), 3].map(line));
        table.files.insert("src/a.rs".to_owned(), file);
        table.rows[0].counts = vec![cost.into()];
        table.totals = table.sums().unwrap();
        table
    });
    let Verdict::ChangedLines(lines) = verdict(&old, &new) else { panic!("no changed lines") };
    assert!(lines.iter().any(|line| line.is_new && line.line == 7), "{lines:?}");
    new.implied.clear();
    let Verdict::ChangedLines(lines) = verdict(&old, &new) else { panic!("no changed lines") };
    assert!(lines.iter().all(|line| !line.is_new), "{lines:?}");
}
