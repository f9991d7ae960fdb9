//! The order of modules in all crates: modules import lower modules only, and files do not import each other in a
//! cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::document::root;
use crate::modules::{Source, Sources};

/// Root file of each crate, with its order of modules if it has one.
const CRATES: [(&str, &[&str]); 17] = [
    ("iai-callgrind/src/lib.rs", &[]),
    ("iai-callgrind-macros/src/lib.rs", MACROS),
    ("iai-callgrind-runner/src/lib.rs", RUNNER),
    ("crates/iai-callgrind-criterion/src/lib.rs", &[]),
    ("crates/iai-callgrind-divan/src/lib.rs", &[]),
    ("crates/iai-callgrind-divan-macros/src/lib.rs", &[]),
    ("crates/iai-callgrind-explain/src/lib.rs", &[]),
    ("crates/iai-callgrind-growth/src/lib.rs", &[]),
    ("crates/iai-callgrind-harness/src/lib.rs", HARNESS),
    ("crates/iai-callgrind-plan/src/lib.rs", &[]),
    ("crates/iai-callgrind-profile/src/lib.rs", &[]),
    ("crates/iai-callgrind-summary/src/lib.rs", &[]),
    ("tests/client-requests/src/main.rs", &[]),
    ("tests/end-to-end/src/lib.rs", &[]),
    ("xtask/src/lib.rs", &[]),
    ("xtask/src/main.rs", &[]),
    ("xtask/evaluations/src/main.rs", &[]),
];

/// Files that import each other, and the reason for it.
const CYCLES: [(&str, &str, &[&str], &str); 2] = [
    (
        "crates/iai-callgrind-harness/src/lib.rs",
        "surroundings/kernel.rs",
        &["surroundings/clock.rs", "surroundings/random.rs", "surroundings/waits.rs"],
        "`syscall` has to be in an object file that others need, or the linker would leave it out",
    ),
    (
        "crates/iai-callgrind-plan/src/lib.rs",
        "metric/kind.rs",
        &["counter.rs", "metric/derived.rs", "metric/values.rs"],
        "a row of the table has its formula, and a counter must not have the name of a metric",
    ),
];

/// Returns the sources of each crate by its root file.
fn crates() -> &'static BTreeMap<&'static str, Sources> {
    static CRATE_SOURCES: LazyLock<BTreeMap<&str, Sources>> = LazyLock::new(|| {
        let read = |(file, _)| (file, Sources::read(&root().join(file)));
        CRATES.into_iter().map(read).collect()
    });
    &CRATE_SOURCES
}

/// Modules of the runner, lowest first.
const RUNNER: &[&str] = &[
    "console",
    "invocation",
    "numbers",
    "similar",
    "fingerprint",
    "failure",
    "error",
    "outcome",
    "note",
    "ownership",
    "compare",
    "executable",
    "plan",
    "process",
    "stable_path",
    "valgrind",
    "time",
    "tool",
    "flamegraph",
    "git",
    "output",
    "snapshot",
    "explanation",
    "format",
    "options",
    "values",
    "samples",
    "settings",
    "environment",
    "against",
    "benchmark",
    "growth",
    "shard",
    "result",
    "report",
    "run",
    "cli",
    "stored",
    "history",
    "page",
    "commits",
    "exec",
    "fuzzing",
    "round_trip_tests",
];

/// Modules of the harness, lowest first.
const HARNESS: &[&str] = &[
    "arch",
    "client_requests",
    "requests",
    "surroundings",
    "layout",
    "instruction_cache",
    "addresses",
    "background",
    "platform",
    "counters",
    "error",
    "message",
    "sizes",
    "entry",
    "timing",
    "region",
    "config",
    "binary",
    "conversions",
    "suite",
    "walk",
    "sections",
    "serve",
    "commands",
    "registry",
    "listing",
    "lower",
    "launch",
    "test_mode",
    "criterion",
    "harness",
    "own_main",
];

/// Modules of the macros, lowest first.
const MACROS: &[&str] = &[
    "message",
    "errors",
    "tokens",
    "test_directory",
    "manifest",
    "text_file",
    "parameters",
    "library_path",
    "subject",
    "hooks",
    "constants",
    "integer",
    "range",
    "matrix",
    "inputs",
    "growth",
    "cases",
    "benchmark",
    "level",
    "body",
    "marker",
    "literals",
    "run",
    "amount",
    "data",
    "library",
    "binary",
    "group",
    "library_group",
    "binary_group",
    "suite",
];

/// A file, or its inline tests. These are a node of their own, because they import their file and only they
/// import modules of tests.
type Node<'a> = (&'a [String], bool);

/// The files that each file imports, with the imported paths.
type Graph<'a> = BTreeMap<Node<'a>, BTreeMap<Node<'a>, BTreeSet<String>>>;

#[test]
fn modules_import_lower_modules_only() {
    for (file, order) in CRATES.iter().filter(|(_, order)| !order.is_empty()) {
        let sources = &crates()[file];
        let modules: BTreeSet<_> =
            sources.modules.keys().filter_map(|module| module.first()).collect();
        let ordered: Vec<_> = order.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(modules, ordered.iter().collect(), "the modules of {file}");
        let violations = violations(sources, order);
        assert!(violations.is_empty(), "{file}: modules that are not lower: {violations:#?}");
    }
}

/// Returns the imports from modules that are not lower.
fn violations(sources: &Sources, order: &[&str]) -> Vec<String> {
    // In the runner, the causes of a module's errors are at the place of `error`, which joins them
    let position = |module: &[String]| {
        let is_error = order == RUNNER && module.get(1).is_some_and(|part| part == "error");
        let module = if is_error { Some("error") } else { module.first().map(String::as_str) };
        order.iter().position(|name| module == Some(*name))
    };
    let mut violations = Vec::new();
    for (module, Source { file, imports, .. }) in
        sources.modules.iter().filter(|(module, _)| !module.is_empty())
    {
        for import in imports {
            let (target, _) = sources.resolve(&import.path);
            // Tests make the settings of a run from a command line
            let in_tests = import.in_tests || module.iter().any(|name| name == "tests");
            if in_tests && target.first().is_some_and(|module| module == "cli") {
                continue;
            }
            if position(target) > position(module) {
                violations.push(format!("{}: `{}`", file.display(), import.path.join("::")));
            }
        }
    }
    violations
}

#[test]
fn files_import_each_other_without_a_cycle() {
    let (mut cycles, mut files) = (Vec::new(), 0);
    for (root, sources) in crates() {
        files += sources.modules.len();
        let mut graph = graph(sources);
        for (_, file, imported, _) in CYCLES.iter().filter(|(of, ..)| of == root) {
            for imported in *imported {
                remove(sources, &mut graph, file, imported);
            }
        }
        let found = cycles_of(&graph);
        cycles.extend(
            found.iter().map(|cycle| format!("{root}: {}", cycle_text(sources, &graph, cycle))),
        );
    }
    assert!(files > 500, "{files} files");
    assert!(cycles.is_empty(), "files that import each other: {cycles:#?}");
}

/// Removes the imports of a file from another one, which must exist.
fn remove(sources: &Sources, graph: &mut Graph<'_>, file: &str, imported: &str) {
    let is_file =
        |(module, _): &Node<'_>, file: &str| sources.modules[*module].file == Path::new(file);
    let is_removed =
        graph.iter_mut().filter(|(node, _)| is_file(node, file)).any(|(_, targets)| {
            let before = targets.len();
            targets.retain(|target, _| !is_file(target, imported));
            targets.len() < before
        });
    assert!(is_removed, "{file} does not import {imported}");
}

/// Returns the files of a cycle and what each imports from the next one.
fn cycle_text(sources: &Sources, graph: &Graph<'_>, cycle: &[Node<'_>]) -> String {
    let mut text = String::new();
    for (from, to) in cycle.iter().zip(&cycle[1..]) {
        let (file, paths) = (sources.modules[from.0].file.display(), &graph[from][to]);
        let paths = paths.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        write!(text, "{file} --({paths})-> ").unwrap();
    }
    text + &sources.modules[cycle[0].0].file.display().to_string()
}

/// Returns the files that each file imports.
fn graph(sources: &Sources) -> Graph<'_> {
    let mut graph = Graph::new();
    for (module, source) in &sources.modules {
        for import in &source.imports {
            let from = (module.as_slice(), import.in_tests);
            let to = sources.resolve(&import.path);
            if from != to {
                let targets = graph.entry(from).or_default();
                targets.entry(to).or_default().insert(import.path.join("::"));
            }
        }
    }
    graph
}

/// Returns a cycle for each import that closes one, with its first file again at the end.
fn cycles_of<'a>(graph: &Graph<'a>) -> Vec<Vec<Node<'a>>> {
    fn visit<'a>(
        graph: &Graph<'a>,
        node: Node<'a>,
        path: &mut Vec<Node<'a>>,
        done: &mut BTreeSet<Node<'a>>,
        cycles: &mut Vec<Vec<Node<'a>>>,
    ) {
        if let Some(start) = path.iter().position(|other| *other == node) {
            cycles.push(path[start..].iter().chain([&node]).copied().collect());
        } else if !done.contains(&node) {
            path.push(node);
            for to in graph.get(&node).into_iter().flat_map(BTreeMap::keys) {
                visit(graph, *to, path, done, cycles);
            }
            path.pop();
            done.insert(node);
        }
    }
    let (mut done, mut cycles) = (BTreeSet::new(), Vec::new());
    for node in graph.keys() {
        visit(graph, *node, &mut Vec::new(), &mut done, &mut cycles);
    }
    cycles
}

#[test]
fn every_crate_with_modules_is_in_the_table() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(workspace.contains("crates/*"));
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let directory = root().join("crates").join(&name).join("src");
        let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
        let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let has_modules = files.filter(|path| is_rust(path)).count() > 1;
        let file = format!("crates/{name}/src/lib.rs");
        assert!(!has_modules || CRATES.iter().any(|(other, _)| *other == file), "{file}");
    }
}
