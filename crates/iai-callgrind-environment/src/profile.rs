//! The settings of the profile that cargo built with, from the files that define it.

use iai_callgrind_profile::files;
use iai_callgrind_tools::executable::profile_directory;
use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use toml::{Table, Value};

/// Settings that have no effect on counts, or are the links between profiles.
const IGNORED: [&str; 4] = ["debug", "inherits", "split-debuginfo", "strip"];

/// Maximum number of profiles that inherit from each other.
const MOST_PARENTS: usize = 16;

/// Returns the settings that differ from cargo's defaults, by name, of the profile that built this
/// executable; `None` if the manifest of the workspace is missing, or the executable is not where
/// cargo put it.
pub(super) fn settings(
    workspace: &Path,
    package: &Path,
    executable: &Path,
    cargo_home: Option<&Path>,
) -> Option<BTreeMap<String, String>> {
    let manifest = workspace.join("Cargo.toml");
    if !manifest.is_file() {
        return None;
    }
    let manifest = profiles(&manifest);
    // The file in the deepest directory precedes the others, the user's is the last, and all
    // precede the manifest
    let directories = package.ancestors().map(|directory| directory.join(".cargo"));
    let configurations =
        directories.chain(cargo_home.map(Path::to_owned)).filter_map(|directory| {
            ["config.toml", "config"].iter().find_map(|name| profiles(&directory.join(name)))
        });
    let sources: Vec<_> = configurations.chain(manifest).collect();
    let mut settings = BTreeMap::new();
    let built_with = profile_name(executable)?;
    let is_known = |name: &str| {
        built_in_parent(name).is_some()
            || sources.iter().any(|source| source.contains_key(name))
            || variables(name).next().is_some()
    };
    if !is_known(&built_with) {
        return None;
    }
    let mut name = Some(built_with);
    for _ in 0..MOST_PARENTS {
        let Some(profile) = name else { break };
        for (setting, value) in variables(&profile) {
            settings.entry(setting).or_insert(value);
        }
        let tables = || sources.iter().filter_map(|source| source.get(&profile)?.as_table());
        for (setting, value) in tables().flatten() {
            settings.entry(setting.clone()).or_insert_with(|| text(value));
        }
        let inherited = tables().find_map(|table| table.get("inherits")?.as_str());
        name = inherited.or(built_in_parent(&profile)).map(str::to_owned);
    }
    settings.retain(|setting, _| !IGNORED.contains(&&**setting));
    Some(settings)
}

/// Reads the profiles of a manifest or of a configuration file. Cargo has read them before, without an error.
fn profiles(path: &Path) -> Option<Table> {
    let text = files::read_to_string(path).ok()?;
    text.parse::<Table>().ok()?.remove("profile")?.try_into().ok()
}

/// Returns the profile of the directory with cargo's executables. `cargo bench` uses `bench`.
fn profile_name(executable: &Path) -> Option<String> {
    let directory = profile_directory(executable)?.file_name()?.to_string_lossy();
    let name = match &*directory {
        "release" => "bench",
        "debug" => "test",
        other => other,
    };
    Some(name.to_owned())
}

fn built_in_parent(profile: &str) -> Option<&'static str> {
    match profile {
        "bench" => Some("release"),
        "test" => Some("dev"),
        _ => None,
    }
}

/// Returns the settings of a profile in environment variables.
fn variables(profile: &str) -> impl Iterator<Item = (String, String)> + use<> {
    let prefix = format!("CARGO_PROFILE_{}_", profile.to_uppercase().replace('-', "_"));
    env::vars_os().filter_map(move |(name, value)| {
        let setting = name.to_str()?.strip_prefix(&prefix)?.to_lowercase().replace('_', "-");
        Some((setting, value.into_string().ok()?))
    })
}

/// Returns a value as text. Strings have no quotes, because a number in a variable is one, too.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Table(table) => {
            let entries: Vec<_> =
                table.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(text).collect();
            format!("[{}]", values.join(","))
        }
        Value::Integer(number) => number.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Datetime(time) => time.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn profiles_inherit() {
        let workspace = tempfile::tempdir().unwrap();
        let path = workspace.path();
        let manifest = "[profile.release]\nlto = 'thin'\ncodegen-units = 4\ndebug = 1\n\
                        [profile.bench]\ncodegen-units = 1\n[profile.bench.package.x]\nopt-level = 's'\n\
                        [profile.quick]\ninherits = 'bench'\nlto = false\n";
        fs::write(path.join("Cargo.toml"), manifest).unwrap();
        fs::create_dir_all(path.join("member/.cargo")).unwrap();
        let configuration = "[profile.quick]\noverflow-checks = true\nlto = 'fat'\n";
        fs::write(path.join("member/.cargo/config.toml"), configuration).unwrap();
        let home = path.join("home");
        fs::create_dir(&home).unwrap();
        let configuration = "[profile.quick]\npanic = 'abort'\nlto = true\n";
        fs::write(home.join("config.toml"), configuration).unwrap();
        let of = |executable: &str| {
            let home = Some(&*home);
            let settings =
                settings(path, &path.join("member"), Path::new(executable), home).unwrap();
            let settings: Vec<_> =
                settings.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            settings.join(", ")
        };
        let bench = "codegen-units: 1, lto: thin, package: {x={opt-level=s}}";
        assert_eq!(of("/t/release/deps/file-0"), bench);
        let quick = "codegen-units: 1, lto: fat, overflow-checks: true, package: {x={opt-level=s}}, \
                     panic: abort";
        assert_eq!(of("/t/quick/deps/file-0"), quick);
        assert_eq!(of("/t/debug/deps/file-0"), "");
    }

    #[test]
    fn profiles_that_inherit_from_each_other_end() {
        let workspace = tempfile::tempdir().unwrap();
        let manifest = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'\nlto = true\n";
        fs::write(workspace.path().join("Cargo.toml"), manifest).unwrap();
        let path = workspace.path();
        let settings = settings(path, path, Path::new("/t/a/deps/x"), None).unwrap();
        assert_eq!(settings["lto"], "true");
    }

    #[test]
    fn the_profile_is_not_known_without_a_manifest() {
        let workspace = tempfile::tempdir().unwrap();
        let path = workspace.path();
        assert_eq!(settings(path, path, Path::new("/t/release/deps/x"), None), None);
    }

    #[test]
    fn the_profile_of_a_copy_elsewhere_is_not_known() {
        let workspace = tempfile::tempdir().unwrap();
        let manifest = "[profile.bench]\ncodegen-units = 1\n";
        fs::write(workspace.path().join("Cargo.toml"), manifest).unwrap();
        let path = workspace.path();
        let settings = |executable: &str| settings(path, path, Path::new(executable), None);
        assert_eq!(settings("/t/release/deps/x").unwrap()["codegen-units"], "1");
        for copy in ["/srv/programs/x", "/programs/x", "/x"] {
            assert_eq!(settings(copy), None, "{copy}");
        }
    }
}
