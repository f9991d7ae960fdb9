//! The package with the file of benchmarks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use xtask::package;

use crate::harness::{self, Profile};
use crate::histories::subject::subjects;
use crate::surroundings::difference::Difference;

/// Name of the benchmark file.
pub(crate) const BENCH: &str = "surroundings";

/// Crates whose benchmarks of `cargo xtask histories` are in the file.
pub(crate) const CRATES: [&str; 5] =
    ["httparse", "itoa", "semver", "textwrap", "unicode-segmentation"];

/// Versions that the benchmarks compile with.
const DEPENDENCIES: &str = r#"crc32fast = "=1.5.4"
httparse = "=1.10.1"
itoa = "=1.0.18"
memchr = "=2.8.3"
semver = "=1.0.28"
smallvec = "=1.15.1"
textwrap = "=0.16.4"
unicode-segmentation = "=1.13.3"
"#;

const UNUSED_DEPENDENCY: &str = "fnv = \"=1.0.7\"\n";

const STANDARD_LIBRARY: &str = include_str!("../benches/std.rs");

const ADDED_BENCHMARK: &str = include_str!("../benches/added.rs");

const ADDED_FUNCTION: &str = include_str!("../benches/unrelated.rs");

/// Bytes of the name of the directory that others are longer than.
const NAME_BYTES: usize = 20;

/// Writes the package with benchmarks of these crates. Returns its directory.
pub(crate) fn write(
    work: &Path,
    crates: &[&str],
    profile: Profile,
    difference: Difference,
) -> Result<PathBuf, String> {
    let added = if let Difference::Directory(bytes) = difference { bytes } else { 0 };
    let package = work.join("packages").join("x".repeat(NAME_BYTES + added));
    harness::remove(&package)?;
    let version = if difference == Difference::Version { "0.2.7" } else { "0.1.0" };
    let unused = if difference == Difference::UnusedDependency { UNUSED_DEPENDENCY } else { "" };
    let dependencies = DEPENDENCIES.to_owned() + unused;
    let manifest = format!(
        "[package]\nname = \"surroundings\"\nversion = \"{version}\"\nedition = \"2024\"\n\n"
    ) + &package::benchmarks(&dependencies, &[BENCH], profile.lines());
    let benchmarks = benchmarks(crates, difference)?;
    let file = format!("benches/{BENCH}.rs");
    package::write(
        &package,
        &[("Cargo.toml", &manifest), ("src/lib.rs", ""), (&file, &benchmarks)],
    )?;
    Ok(package)
}

/// Returns the benchmark file: a module for each crate.
fn benchmarks(crates: &[&str], difference: Difference) -> Result<String, String> {
    let subjects = subjects()?;
    let subjects = subjects.iter().filter(|subject| crates.contains(&&*subject.name));
    let mut modules: Vec<_> = [("std", STANDARD_LIBRARY)]
        .into_iter()
        .chain(subjects.map(|subject| (&*subject.name, &*subject.benchmarks)))
        .collect();
    let added = ("added", ADDED_BENCHMARK);
    let mut text = String::new();
    match difference {
        Difference::Function => text += ADDED_FUNCTION,
        Difference::FirstBenchmark => modules.insert(0, added),
        Difference::LastBenchmark => modules.push(added),
        _ => {}
    }
    for (name, benchmarks) in modules {
        let is_kept = |line: &&str| !line.starts_with("//!") && !line.starts_with("main!(");
        let benchmarks: Vec<_> = benchmarks.lines().filter(is_kept).collect();
        let name = name.replace('-', "_");
        writeln!(text, "pub mod benches_{name} {{\n{}\n}}", benchmarks.join("\n"))
            .expect("a string takes all");
    }
    Ok(text + "iai_callgrind::main!();\n")
}
