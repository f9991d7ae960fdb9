//! Arguments of cargo, split into options with their values.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Options whose values are those of the other build, each with a value.
const REPLACED: [&str; 2] = ["--target-dir", "--message-format"];

/// Flags that do not matter to a build without a run.
const DROPPED: [&str; 3] = ["--no-run", "-q", "--quiet"];

/// Options that name a target or a package, which another revision may not have.
pub(super) const SELECTING: [&str; 4] = ["--bench", "-p", "--package", "--exclude"];

/// Flags that decide about the build of a file.
const BUILDING: [&str; 5] =
    ["--all-features", "--no-default-features", "--locked", "--offline", "--frozen"];

/// Options that decide about the build of a file, each with a value.
const BUILDING_WITH: [&str; 8] =
    ["--features", "-F", "--profile", "--target", "--config", "-Z", "-j", "--jobs"];

/// Returns the options of cargo with a value, as far as they matter here.
fn has_value(option: &str) -> bool {
    let known = [&REPLACED[..], &SELECTING, &BUILDING_WITH, &["--manifest-path"]];
    known.iter().any(|options| options.contains(&option))
}

/// Splits arguments into options with their values and other words, each with the name of the option.
pub(super) fn grouped(arguments: &[OsString]) -> impl Iterator<Item = (String, &[OsString])> {
    let mut rest = arguments;
    std::iter::from_fn(move || {
        let text = rest.first()?.to_string_lossy();
        let (option, is_joined) = match text.split_once('=') {
            Some((option, _)) => (option.to_owned(), true),
            None => (text.into_owned(), false),
        };
        let length = if !is_joined && has_value(&option) && rest.len() > 1 { 2 } else { 1 };
        let (words, others) = rest.split_at(length);
        rest = others;
        Some((option, words))
    })
}

/// Returns the value of an option.
pub(super) fn value_of(arguments: &[OsString], name: &str) -> Option<PathBuf> {
    let (_, words) = grouped(arguments).find(|(option, _)| option == name)?;
    let value = words.last()?.as_bytes();
    let joined = value.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    Some(OsStr::from_bytes(joined.unwrap_or(value)).into())
}

/// Returns the target directory that the arguments name.
pub(super) fn target_directory(arguments: &[OsString]) -> Option<PathBuf> {
    value_of(arguments, "--target-dir")
}

/// Returns the arguments without those that are set for the other build or do not matter to it.
pub(super) fn without_replaced(arguments: &[OsString]) -> Vec<OsString> {
    let is_kept = |option: &str| !REPLACED.contains(&option) && !DROPPED.contains(&option);
    let kept = grouped(arguments).filter(|(option, _)| is_kept(option));
    kept.flat_map(|(_, words)| words.to_vec()).collect()
}

/// Returns the arguments of `cargo rustc` for a benchmark file: of the arguments of `cargo bench` those that decide about its
/// build.
pub(super) fn layout_arguments<'a>(
    arguments: &'a [OsString],
    package: &'a str,
    target: &'a str,
) -> Vec<&'a OsStr> {
    let mut kept: Vec<_> =
        ["rustc", "--package", package, "--bench", target].map(OsStr::new).into();
    let is_kept = |option: &str| BUILDING.contains(&option) || BUILDING_WITH.contains(&option);
    let options = grouped(arguments).filter(|(option, _)| is_kept(option));
    kept.extend(options.flat_map(|(_, words)| words).map(OsString::as_os_str));
    if value_of(arguments, "--profile").is_none() {
        kept.extend(["--profile", "bench"].map(OsStr::new));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_decide_about_the_build_are_kept() {
        let words = |given: &str| {
            let given: Vec<OsString> = given.split(' ').map(OsString::from).collect();
            let words = layout_arguments(&given, "one", "my-bench");
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        let start = "rustc --package one --bench my-bench";
        assert_eq!(words("bench --workspace --bench other -q"), format!("{start} --profile bench"));
        assert_eq!(
            words("bench --features a,b --locked --target=x --benches --manifest-path m"),
            format!("{start} --features a,b --locked --target=x --profile bench")
        );
        assert_eq!(words("bench --profile small -F c"), format!("{start} --profile small -F c"));
    }
}
