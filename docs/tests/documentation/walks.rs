//! The walks of a value in `docs/architecture.md`: each file and each function of a table exists.

use std::collections::BTreeSet;
use std::fs;

use syn::{ImplItem, Item, ItemImpl, Type};

use crate::document::{Document, root};

const RUNNER: &str = "iai-callgrind-runner/src";

/// A row of a table.
struct Hop {
    number: usize,
    file: String,
    /// The functions that it names: `function`, or `Type::function`.
    functions: Vec<String>,
    /// The types of the values that it hands on.
    types: Vec<String>,
}

/// Returns the hops of the section with this title.
fn walk(title: &str) -> Vec<Hop> {
    let document = Document::read("docs/architecture.md");
    let start = format!("### {title}\n");
    let (_, section) = document.text.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
    let section = section.split("\n###").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.contains("---"));
    rows.skip(1).map(hop).collect()
}

fn hop(row: &str) -> Hop {
    let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [number, file, functions, rest @ ..] = &*cells else { panic!("{row}") };
    let types = rest.first().map(|types| code(types)).unwrap_or_default();
    let file = code(file).remove(0);
    let is_in_runner = root().join(RUNNER).join(&file).is_file();
    let file = if is_in_runner { format!("{RUNNER}/{file}") } else { file };
    Hop { number: number.parse().unwrap(), file, functions: code(functions), types }
}

/// Returns the texts between backticks.
fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The functions and types that a file defines.
#[derive(Default)]
struct Definitions {
    functions: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl Definitions {
    fn read(file: &str) -> Self {
        let text = fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("no {file}"));
        let mut definitions = Self::default();
        definitions.add(&syn::parse_file(&text).unwrap().items);
        definitions
    }

    fn add(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(item) => drop(self.functions.insert(item.sig.ident.to_string())),
                Item::Struct(item) => drop(self.types.insert(item.ident.to_string())),
                Item::Enum(item) => drop(self.types.insert(item.ident.to_string())),
                Item::Impl(item) => self.add_methods(item),
                Item::Mod(item) => item.content.iter().for_each(|(_, items)| self.add(items)),
                _ => {}
            }
        }
    }

    fn add_methods(&mut self, item: &ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let owner = &path.path.segments.last().expect("a type has a name").ident;
        for method in &item.items {
            if let ImplItem::Fn(method) = method {
                self.functions.insert(format!("{owner}::{}", method.sig.ident));
            }
        }
    }
}

/// The titles of the walks.
const WALKS: [&str; 3] = [
    "From a dump to the terminal",
    "From the command line to a limit",
    "From an attribute to the child",
];

#[test]
fn each_hop_is_a_function_of_its_file() {
    for title in WALKS {
        let hops = walk(title);
        assert!(!hops.is_empty(), "{title} has no table");
        for (number, hop) in (1..).zip(&hops) {
            assert_eq!(hop.number, number, "{title}");
            let defined = Definitions::read(&hop.file).functions;
            let is_defined = |name: &&String| defined.contains(&**name);
            assert!(
                hop.functions.iter().any(|name| is_defined(&name)),
                "{} has none of {:?}",
                hop.file,
                hop.functions
            );
            let qualified = hop.functions.iter().filter(|name| name.contains("::"));
            let missing: Vec<_> = qualified.filter(|name| !is_defined(name)).collect();
            assert!(missing.is_empty(), "{} has no {missing:?}", hop.file);
        }
    }
}

// A walk that gets longer needs a reason
#[test]
fn the_walks_pass_25_files() {
    let hops: Vec<_> = WALKS.into_iter().flat_map(walk).collect();
    let files: BTreeSet<_> = hops.iter().map(|hop| &hop.file).collect();
    assert_eq!(files.len(), 25, "{files:#?}");
}

#[test]
fn a_count_passes_eight_files_and_six_types() {
    let hops = walk("From a dump to the terminal");
    let files: BTreeSet<_> = hops.iter().map(|hop| &hop.file).collect();
    assert_eq!((hops.len(), files.len()), (8, 8));
    let types: BTreeSet<_> = hops.iter().flat_map(|hop| &hop.types).collect();
    assert_eq!(types.len(), 6, "{types:?}");
    let others = [
        "render/src/report/event",
        "results/src/result",
        "profile/src/profile",
        "plan/src/metric/values",
        "tools/src/tool/measurement",
    ];
    let others = others.map(|file| format!("crates/iai-callgrind-{file}.rs"));
    let defined: BTreeSet<_> =
        others.iter().flat_map(|file| Definitions::read(file).types).collect();
    let missing: Vec<_> = types.iter().filter(|name| !defined.contains(**name)).collect();
    assert!(missing.is_empty(), "no file defines {missing:?}");
}
