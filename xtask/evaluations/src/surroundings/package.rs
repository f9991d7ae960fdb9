//! The package with the file of benchmarks.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};

use crate::histories::subject::{SUBJECTS, Units};
use crate::surroundings::difference::Difference;

/// Name of the benchmark file.
pub(crate) const BENCH: &str = "surroundings";

/// Crates whose benchmarks of `cargo xtask histories` are in the file.
pub(crate) const CRATES: [&str; 7] =
    ["arrayvec", "base64", "httparse", "itoa", "semver", "textwrap", "unicode-segmentation"];

/// Versions that the benchmarks compile with.
const DEPENDENCIES: &str = r#"arrayvec = "=0.7.8"
base64 = "=0.23.1"
crc32fast = "=1.5.4"
httparse = "=1.10.1"
indexmap = "=2.14.2"
itoa = "=1.0.18"
memchr = "=2.8.3"
percent-encoding = "=2.3.2"
semver = "=1.0.28"
smallvec = "=1.15.1"
textwrap = "=0.16.4"
unicode-segmentation = "=1.13.3"
"#;

const UNUSED_DEPENDENCY: &str = "fnv = \"=1.0.7\"\n";

const STANDARD_LIBRARY: &str = include_str!("benches/std.rs");

const ADDED_BENCHMARK: &str = include_str!("benches/added.rs");

const ADDED_FUNCTION: &str = r#"
#[inline(never)]
pub fn unrelated(text: &str) -> String {
    let mut words: Vec<String> = text.split(',').map(|word| format!("<{word}>")).collect();
    words.sort();
    if words.is_empty() {
        panic!("an unrelated text");
    }
    words.join("an unrelated separator")
}

#[used]
static UNRELATED: fn(&str) -> String = unrelated;
"#;

/// Bytes of the name of the directory that others are longer than.
const NAME_BYTES: usize = 20;

/// Writes the package with benchmarks of these crates. Returns its directory.
pub(crate) fn write(
    work: &Path,
    crates: &[&str],
    units: Units,
    difference: Difference,
) -> Result<PathBuf, String> {
    let added = if let Difference::Directory(bytes) = difference { bytes } else { 0 };
    let package = work.join("packages").join("x".repeat(NAME_BYTES + added));
    if package.is_dir() {
        fs::remove_dir_all(&package).map_err(in_file(&package))?;
    }
    let files = [
        ("Cargo.toml", manifest(units, difference)),
        ("src/lib.rs", String::new()),
        (&*format!("benches/{BENCH}.rs"), benchmarks(crates, difference)),
    ];
    for (name, text) in files {
        let file = package.join(name);
        let parent = file.parent().expect("a file is in a directory");
        fs::create_dir_all(parent).map_err(in_file(parent))?;
        fs::write(&file, text).map_err(in_file(&file))?;
    }
    Ok(package)
}

fn manifest(units: Units, difference: Difference) -> String {
    let version = if difference == Difference::Version { "0.2.7" } else { "0.1.0" };
    let unused = if difference == Difference::UnusedDependency { UNUSED_DEPENDENCY } else { "" };
    let units = if units == Units::Default { "" } else { "codegen-units = 1\n" };
    let library = command::root().join("iai-callgrind").display().to_string();
    format!(
        "[package]\nname = \"surroundings\"\nversion = \"{version}\"\nedition = \"2024\"\n\n[dev-dependencies]\n\
         iai-callgrind = {{ path = {library:?} }}\n{DEPENDENCIES}{unused}\n[[bench]]\nname = \"{BENCH}\"\n\
         harness = false\n\n[profile.bench]\ndebug = 1\n{units}\n[workspace]\n"
    )
}

/// Returns the benchmark file: a module for each crate.
fn benchmarks(crates: &[&str], difference: Difference) -> String {
    let of_crates = SUBJECTS.iter().filter(|subject| crates.contains(&subject.name));
    let mut modules: Vec<_> = [("std", STANDARD_LIBRARY)]
        .into_iter()
        .chain(of_crates.map(|subject| (subject.name, subject.benchmarks)))
        .collect();
    let added = ("added", ADDED_BENCHMARK);
    let mut text = String::new();
    match difference {
        Difference::Function => text += ADDED_FUNCTION,
        Difference::FirstBenchmark => modules.insert(0, added),
        Difference::LastBenchmark => modules.push(added),
        _ => {}
    }
    let mut groups = Vec::new();
    for (name, benchmarks) in modules {
        let name = name.replace('-', "_");
        let group = format!("all_{name}");
        let benchmarks =
            benchmarks.replace(", main}", "}").replace("name = all;", &format!("name = {group};"));
        writeln!(text, "pub mod benches_{name} {{").expect("a string takes all");
        let is_kept = |line: &&str| !line.starts_with("//!") && !line.starts_with("main!(");
        for line in benchmarks.lines().filter(is_kept) {
            writeln!(text, "{line}").expect("a string takes all");
        }
        text += "}\n";
        groups.push(format!("benches_{name}::{group}"));
    }
    text + &format!("iai_callgrind::main!(library_benchmark_groups = {});\n", groups.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_module_and_a_group_for_each_crate() {
        let text = benchmarks(&["itoa", "unicode-segmentation"], Difference::LastBenchmark);
        let main = "iai_callgrind::main!(library_benchmark_groups = benches_std::all_std, benches_itoa::all_itoa, \
            benches_unicode_segmentation::all_unicode_segmentation, benches_added::all_added);\n";
        assert!(text.ends_with(main), "{text}");
        assert_eq!(text.matches("main!(").count(), 1);
        assert_eq!(text.matches("name = all_itoa;").count(), 1);
        assert!(!text.contains(", main}") && !text.contains("name = all;"), "{text}");
    }

    #[test]
    fn each_crate_has_benchmarks() {
        let has_benchmarks = |name: &str| SUBJECTS.iter().any(|subject| subject.name == name);
        assert!(CRATES.into_iter().all(has_benchmarks));
    }
}
