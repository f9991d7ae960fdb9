//! Holds the order of the modules: a module imports only from lower ones.

use std::fs;
use std::path::Path;

/// Modules from the lowest to the highest.
const MODULES: [&str; 31] = [
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
    "library",
    "binary",
    "group",
    "library_group",
    "binary_group",
    "suite",
    "layers",
];

#[test]
fn a_module_imports_only_from_lower_ones() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let root = fs::read_to_string(source.join("lib.rs")).unwrap();
    let declared = root.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let (mut declared, mut ordered): (Vec<_>, _) = (declared.collect(), MODULES.to_vec());
    declared.sort_unstable();
    ordered.sort_unstable();
    assert_eq!(declared, ordered, "the modules of lib.rs");

    let mut imports = 0;
    for (place, module) in MODULES.iter().enumerate() {
        let text = fs::read_to_string(source.join(module).with_extension("rs")).unwrap();
        for name in imported_modules(&text) {
            let imported = MODULES.iter().position(|module| *module == name);
            let imported = imported.unwrap_or_else(|| panic!("`{module}` imports `{name}`"));
            assert!(imported < place, "`{module}` imports from `{name}`, which is not lower");
            imports += 1;
        }
    }
    assert!(imports > 50, "{imports} imports");
}

/// Returns the names after `crate::`, also in braces.
fn imported_modules(text: &str) -> impl Iterator<Item = &str> {
    // The closing quote of this string follows in this file
    let paths = text.split(" crate::").skip(1).filter(|path| !path.starts_with('"'));
    paths.flat_map(|path| match path.strip_prefix('{') {
        Some(list) => {
            list.split('}').next().unwrap_or_default().split(',').map(first_name).collect()
        }
        None => vec![first_name(path)],
    })
}

fn first_name(path: &str) -> &str {
    let path = path.trim_start();
    path.split(|next: char| !next.is_alphanumeric() && next != '_').next().unwrap_or_default()
}
