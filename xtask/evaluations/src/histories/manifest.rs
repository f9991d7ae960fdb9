//! The manifest of a revision, with the benchmark file in the place of the crate's own ones.

use std::path::Path;

use toml::{Table, Value};

use crate::histories::subject::{Harness, Units};

/// Name of the benchmark file.
pub(crate) const BENCH: &str = "histories";

/// Sections that need dependencies of their own, or change how the library is built.
const REMOVED: [&str; 10] = [
    "badges",
    "bench",
    "dev-dependencies",
    "example",
    "lints",
    "patch",
    "profile",
    "replace",
    "test",
    "workspace",
];

/// Returns the manifest with the benchmark file under a harness.
pub(crate) fn with_benchmarks(
    manifest: &str,
    harness: Harness,
    units: Units,
    checkout: &Path,
) -> Result<String, String> {
    let mut table = library(manifest)?;
    let library = checkout.join(harness.package()).display().to_string();
    let dependency = match harness.version() {
        Some(version) => format!("{:?}", format!("={version}")),
        None => format!("{{ path = {library:?} }}"),
    };
    let units = match units {
        Units::Default => "",
        Units::One | Units::Aligned => "codegen-units = 1\n",
    };
    let added = format!(
        "[workspace]\n\n[dev-dependencies]\n{} = {dependency}\n\n[[bench]]\nname = {BENCH:?}\nharness = false\n\n\
         [profile.bench]\ndebug = 1\n{units}",
        harness.package()
    );
    table.extend(added.parse::<Table>().map_err(|error| error.to_string())?);
    Ok(table.to_string())
}

/// Returns what decides how the library is compiled: all but the version of the package.
pub(crate) fn build_settings(manifest: &str) -> Result<String, String> {
    let mut table = library(manifest)?;
    let package = table.remove("package");
    let edition = package.as_ref().and_then(|package| package.get("edition"));
    Ok(format!("{}\n{table}", edition.map(Value::to_string).unwrap_or_default()))
}

/// Returns the parts of a manifest that the library needs.
fn library(manifest: &str) -> Result<Table, String> {
    let mut table: Table =
        manifest.parse().map_err(|error: toml::de::Error| format!("Cargo.toml: {error}"))?;
    table.retain(|name, _| !REMOVED.contains(&name));
    let targets = table.get_mut("target").and_then(Value::as_table_mut);
    for target in targets.into_iter().flat_map(|targets| targets.iter_mut()) {
        if let Some(target) = target.1.as_table_mut() {
            target.remove("dev-dependencies");
        }
    }
    if let Some(library) = table.get_mut("lib").and_then(Value::as_table_mut) {
        library.remove("bench");
    }
    if let Some(package) = table.get_mut("package").and_then(Value::as_table_mut) {
        package
            .retain(|name, _| !["metadata", "readme", "rust-version", "workspace"].contains(&name));
        for name in ["autobenches", "autobins", "autoexamples", "autotests"] {
            package.insert(name.to_owned(), Value::Boolean(false));
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"a\"\nversion = \"1.0.0\"\nedition = \"2018\"\nreadme = \"README.md\"\n\
        [lib]\nbench = false\n[features]\ndefault = [\"std\"]\nstd = []\n[dependencies]\nb = \"1\"\n\
        [dev-dependencies]\ncriterion = \"0.5\"\n[target.'cfg(unix)'.dev-dependencies]\nc = \"1\"\n\
        [[bench]]\nname = \"own\"\nharness = false\n[profile.bench]\nlto = true\n";

    #[test]
    fn only_the_library_is_kept() {
        let checkout = Path::new("/checkout");
        let text = with_benchmarks(MANIFEST, Harness::Ours, Units::One, checkout).unwrap();
        let table: Table = text.parse().unwrap();
        for removed in ["criterion", "own", "lto", "\"c\"", "readme"] {
            assert!(!text.contains(removed), "{text}");
        }
        assert_eq!(
            table["dev-dependencies"]["iai-callgrind"]["path"].as_str(),
            Some("/checkout/iai-callgrind")
        );
        assert_eq!(table["dependencies"]["b"].as_str(), Some("1"));
        assert_eq!(table["profile"]["bench"]["codegen-units"].as_integer(), Some(1));
        let text = with_benchmarks(MANIFEST, Harness::Gungraun, Units::Default, checkout).unwrap();
        assert!(
            text.contains("gungraun = \"=0.20.0\"") && !text.contains("codegen-units"),
            "{text}"
        );
    }

    #[test]
    fn a_release_changes_no_build_settings() {
        let settings = |text: String| build_settings(&text).unwrap();
        let before = settings(MANIFEST.to_owned());
        assert_eq!(settings(MANIFEST.replace("1.0.0", "1.0.1")), before);
        assert_ne!(settings(MANIFEST.replace("2018", "2021")), before);
        assert_ne!(settings(MANIFEST.replace("b = \"1\"", "b = \"2\"")), before);
    }
}
