//! Arguments of cargo that build one benchmark file with options for its compiler.

use std::ffi::{OsStr, OsString};

/// Flags that decide about the build of a file.
const BUILDING: [&str; 5] =
    ["--all-features", "--no-default-features", "--locked", "--offline", "--frozen"];

/// Options that decide about the build of a file, each with a value.
const BUILDING_WITH: [&str; 8] =
    ["--features", "-F", "--profile", "--target", "--config", "-Z", "-j", "--jobs"];

/// Returns the arguments of `cargo rustc` for a benchmark file: of the arguments of `cargo bench` those that decide about its
/// build.
pub(super) fn layout_arguments<'a>(
    arguments: &'a [OsString],
    package: &'a str,
    target: &'a str,
) -> Vec<&'a OsStr> {
    let mut kept: Vec<_> =
        ["rustc", "--package", package, "--bench", target].map(OsStr::new).into();
    let mut rest = arguments.iter().map(|word| &**word);
    let mut has_profile = false;
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let (option, is_joined) =
            text.split_once('=').map_or((&*text, false), |(option, _)| (option, true));
        has_profile |= option == "--profile";
        if BUILDING.contains(&option) {
            kept.push(word);
        } else if BUILDING_WITH.contains(&option) {
            kept.push(word);
            kept.extend(rest.next().filter(|_| !is_joined));
        }
    }
    if !has_profile {
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
