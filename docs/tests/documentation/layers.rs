//! The order of modules in `docs/architecture.md`: a module imports modules above it only. Once rooms are crates,
//! cargo holds this order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::document::{Document, root};

/// Sources whose modules the map lists, in the order of its lists.
const CRATES: [&str; 3] =
    ["crates/iai-callgrind-harness/src", "iai-callgrind-macros/src", "iai-callgrind-runner/src"];

/// Width of the column with the names of modules.
const COLUMN: usize = 28;

/// Returns the modules of each crate in the map.
fn orders() -> Vec<Vec<String>> {
    let map = Document::read("docs/architecture.md").text;
    let (_, section) = map.split_once("\n## Modules\n").expect("a section on modules");
    let (section, _) = section.split_once("\n## ").expect("a section after it");
    let blocks = section.split("```text\n").skip(1).filter_map(|block| block.split_once("```"));
    let order = |(block, _): (&str, _)| {
        let columns = block.lines().map(|line| line.get(..COLUMN).unwrap_or(line));
        columns.flat_map(|column| column.split([',', ' '])).map(str::to_owned).collect::<Vec<_>>()
    };
    blocks.map(|block| order(block).into_iter().filter(|name| !name.is_empty()).collect()).collect()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Returns the modules that a text imports from the root of its crate, each with `true` for its errors.
fn imports(text: &str) -> Vec<(String, bool)> {
    let import = Regex::new(r"\bcrate::(\w+)(?:::(error)\b)?|\bcrate::\{([^;]*)\};").unwrap();
    let first = Regex::new(r"(?:^|,)\s*(\w+)").unwrap();
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let found = import.captures_iter(&code).flat_map(|found| match found.get(1) {
        Some(name) => vec![(name.as_str().to_owned(), found.get(2).is_some())],
        None => first.captures_iter(&found[3]).map(|name| (name[1].to_owned(), false)).collect(),
    });
    found.collect()
}

#[test]
fn modules_import_modules_above_them_only() {
    let declaration = Regex::new(r"(?m)^(?:pub(?:\(crate\))? )?mod (\w+);").unwrap();
    let orders = orders();
    assert_eq!(orders.len(), CRATES.len());
    let (mut wrong, mut known) = (Vec::new(), 0);
    for (directory, order) in CRATES.iter().zip(&orders) {
        let is_runner = directory.contains("runner");
        let directory = root().join(directory);
        let library = fs::read_to_string(directory.join("lib.rs")).unwrap();
        let declared: BTreeSet<_> =
            declaration.captures_iter(&library).map(|found| found[1].to_owned()).collect();
        assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), declared, "{directory:?}");
        // In the runner, files of errors are at the place of `error`
        let position = |name: &str, is_error| {
            let name = if is_error && is_runner { "error" } else { name };
            order.iter().position(|other| other == name)
        };
        for file in files(&directory) {
            let path = file.strip_prefix(&directory).unwrap().with_extension("");
            let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
            let Some(place) = position(parts[0], parts.get(1) == Some(&"error")) else { continue };
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let is_test = |part: &&str| *part == "tests" || part.ends_with("_tests");
            // Tests make what they need with higher modules, and the error of a run joins those of all
            if parts.iter().any(is_test) || is_runner && parts == ["error"] {
                continue;
            }
            for (name, is_error) in imports(code) {
                let target = position(&name, is_error);
                known += usize::from(target.is_some());
                if target > Some(place) {
                    wrong.push(format!("{}: `crate::{name}`", file.display()));
                }
            }
        }
    }
    assert!(known > 300, "{known} imports");
    assert!(wrong.is_empty(), "imports of modules below: {wrong:#?}");
}

#[test]
fn imports_are_found_in_code() {
    let text = "use crate::a::error::B;\n// crate::comment\nuse crate::{b, c::{d, e}};\nlet x = crate::f::g();";
    let expected = [("a", true), ("b", false), ("c", false), ("e", false), ("f", false)];
    assert_eq!(imports(text), expected.map(|(name, is_error)| (name.to_owned(), is_error)));
}
