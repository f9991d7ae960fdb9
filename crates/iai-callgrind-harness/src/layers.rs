//! Holds the order of the modules: a module imports only from lower ones.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the lowest to the highest. `client_requests` and `surroundings` are not part of the harness.
const MODULES: [&str; 31] = [
    "arch",
    "client_requests",
    "requests",
    "surroundings",
    "layout",
    "instruction_cache",
    "background",
    "platform",
    "counters",
    "error",
    "message",
    "sizes",
    "entry",
    "region",
    "config",
    "binary",
    "inputs",
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
    "layers",
];

#[test]
fn a_module_imports_only_from_lower_ones() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let root = fs::read_to_string(source.join("lib.rs")).unwrap();
    let declaration = |line: &str| {
        let name =
            line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    };
    let (mut declared, mut ordered): (Vec<_>, _) =
        (root.lines().filter_map(declaration).collect(), MODULES.to_vec());
    declared.sort_unstable();
    ordered.sort_unstable();
    assert_eq!(declared, ordered, "the modules of lib.rs");

    let mut imports = 0;
    for (place, module) in MODULES.iter().enumerate() {
        for file in files(&source, module) {
            let text = fs::read_to_string(&file).unwrap();
            for name in imported_modules(&text) {
                // The other names are those that lib.rs exports
                let imported = MODULES.iter().position(|module| *module == name);
                let is_lower = imported.is_none_or(|imported| imported <= place);
                assert!(is_lower, "{} imports from `{name}`, which is higher", file.display());
                imports += usize::from(imported.is_some());
            }
        }
    }
    assert!(imports > 50, "{imports} imports");
}

/// Returns the source files of a module.
fn files(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut pending = vec![source.join(module), source.join(module).with_extension("rs")];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            files.push(path);
        }
    }
    assert!(!files.is_empty(), "{module}");
    files
}

/// Returns the names after `crate::` in code, also those in braces.
fn imported_modules(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1)).flat_map(|path| {
        match path.strip_prefix('{') {
            Some(list) => list.split(',').map(first_name).collect(),
            None => vec![first_name(path)],
        }
    })
}

fn first_name(path: &str) -> &str {
    let path = path.trim_start();
    path.split(|next: char| !next.is_alphanumeric() && next != '_').next().unwrap_or_default()
}
