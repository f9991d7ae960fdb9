//! Compilers that another process runs. A server of sccache, for example, does not see the mounts of its client, and
//! would compile the files of the user's work tree as those of the other revision.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use iai_callgrind_profile::files;
use toml::{Table, Value};

/// Variables with a program that runs the compiler.
const VARIABLES: [&str; 6] = [
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
];

/// Starts of the names of variables with a compiler of C or C++.
const COMPILERS: [&str; 8] =
    ["CC", "CXX", "HOST_CC", "HOST_CXX", "TARGET_CC", "TARGET_CXX", "CMAKE_C_", "CMAKE_CXX_"];

/// Keys of the table `build` with such a program.
const KEYS: [&str; 3] = ["rustc", "rustc-wrapper", "rustc-workspace-wrapper"];

/// The names of the files with cargo's configuration in a directory.
const FILES: [&str; 2] = [".cargo/config.toml", ".cargo/config"];

/// Returns true if another program than the compiler may run it, by the environment, the arguments and the configuration
/// of a call of cargo in this directory.
pub(super) fn is_used(
    directory: &Path,
    environment: &[(OsString, OsString)],
    arguments: &[OsString],
) -> bool {
    let is_set = |(name, value): &(OsString, OsString)| is_wrapper(name, value);
    let is_given = |word: &OsString| word.as_encoded_bytes().starts_with(b"--config");
    let home = |name: &str| environment.iter().find(|(known, _)| known == name);
    let cargo_home = home("CARGO_HOME").map(|(_, value)| Path::new(value).to_owned());
    let default = || home("HOME").map(|(_, value)| Path::new(value).join(".cargo"));
    let configured = cargo_home.or_else(default).is_some_and(|home| {
        ["config.toml", "config"].iter().any(|name| names_wrapper(&home.join(name)))
    });
    configured
        || environment.iter().any(is_set)
        || arguments.iter().any(is_given)
        || directory.ancestors().any(is_configured_in)
}

/// Returns true if the configuration in this directory names such a program.
pub(super) fn is_configured_in(directory: &Path) -> bool {
    FILES.iter().any(|name| names_wrapper(&directory.join(name)))
}

fn is_wrapper(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
    let is_compiler = COMPILERS.iter().any(|start| name.starts_with(start));
    let is_wrapped = value.trim().contains(' ') || name.ends_with("_COMPILER_LAUNCHER");
    let is_rust = VARIABLES.contains(&&*name) && !value.is_empty();
    is_rust || (is_compiler && is_wrapped && !value.is_empty())
}

fn names_wrapper(file: &Path) -> bool {
    let text = files::read_to_string(file).unwrap_or_default();
    let Ok(table) = text.parse::<Table>() else { return false };
    let build = table.get("build").and_then(Value::as_table);
    let variables = table.get("env").and_then(Value::as_table);
    let text = |value: &Value| {
        let value = value.get("value").unwrap_or(value);
        value.as_str().unwrap_or_default().to_owned()
    };
    let mut variables = variables.into_iter().flatten();
    table.contains_key("include")
        || build.is_some_and(|build| KEYS.iter().any(|key| build.contains_key(*key)))
        || variables.any(|(name, value)| is_wrapper(OsStr::new(name), OsStr::new(&text(value))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn programs_around_the_compiler_are_found() {
        let top = tempfile::tempdir().unwrap();
        let member = top.path().join("member");
        fs::create_dir_all(member.join(".cargo")).unwrap();
        let used = |environment: &[(&str, &str)], arguments: &[&str]| {
            let home = [("CARGO_HOME", "/nowhere")];
            let environment = home.iter().chain(environment);
            let environment: Vec<_> =
                environment.map(|(name, value)| (name.into(), value.into())).collect();
            let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
            is_used(&member, &environment, &arguments)
        };
        assert!(!used(&[("CC", "gcc"), ("RUSTC_WRAPPER", "")], &["bench"]));
        assert!(used(&[("RUSTC_WRAPPER", "sccache")], &[]));
        assert!(used(&[("CC_x86_64_unknown_linux_gnu", "sccache cc")], &[]));
        assert!(used(&[("CMAKE_C_COMPILER_LAUNCHER", "sccache")], &[]));
        assert!(used(&[], &["bench", "--config=build.rustc-wrapper='sccache'"]));
        let configured = |text: &str| {
            fs::write(member.join(FILES[0]), text).unwrap();
            assert_eq!(is_configured_in(&member), used(&[], &[]));
            used(&[], &[])
        };
        assert!(configured("build.rustc-wrapper = 'sccache'"));
        assert!(configured("[env]\nCC = { value = 'sccache cc', force = true }"));
        assert!(configured("include = 'other.toml'"));
        assert!(!configured("[build]\ntarget-dir = 'x'\n[env]\nCC = 'clang'"));
    }
}
