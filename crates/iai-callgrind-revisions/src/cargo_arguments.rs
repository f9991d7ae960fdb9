//! Arguments of cargo, split into options with their values.
//!
//! Everything is kept as it was written, except for what this file names.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Options with a value of their own, or in the next word.
const WITH_VALUE: [&str; 21] = [
    "--bench",
    "--bin",
    "--color",
    "--config",
    "--example",
    "--exclude",
    "--features",
    "--jobs",
    "--lockfile-path",
    "--manifest-path",
    "--message-format",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "--test",
    "-C",
    "-F",
    "-Z",
    "-j",
    "-p",
];

/// Options that the other build has with other values, or that do not matter to a build without a run. Cargo is in the
/// directory of `-C` already.
const REPLACED: [&str; 6] = ["--message-format", "--no-run", "--quiet", "--target-dir", "-C", "-q"];

/// Options that name a target or a package, which another revision may not have.
pub(super) const SELECTING: [&str; 4] = ["--bench", "-p", "--package", "--exclude"];

/// Options of `cargo bench` that select what is built, instead of deciding how.
const SELECTION: [&str; 17] = [
    "--all",
    "--all-targets",
    "--bench",
    "--benches",
    "--bin",
    "--bins",
    "--example",
    "--examples",
    "--exclude",
    "--lib",
    "--manifest-path",
    "--no-fail-fast",
    "--package",
    "--test",
    "--tests",
    "--workspace",
    "-p",
];

/// Options of every subcommand with which cargo reads its configuration.
const CONFIGURING: [&str; 2] = ["--config", "-Z"];

/// An option with its value, or another word, whose name is empty.
#[derive(Debug)]
pub(super) struct CargoOption {
    pub(super) name: String,
    pub(super) value: Option<OsString>,
    /// The words as they were written.
    pub(super) words: Vec<OsString>,
}

impl CargoOption {
    fn is_one_of(&self, names: &[&str]) -> bool {
        names.contains(&&*self.name)
    }
}

/// Splits arguments into options with their values and other words.
pub(super) fn grouped(arguments: &[OsString]) -> Vec<CargoOption> {
    let mut options = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        options.extend(options_of(word));
        let Some(CargoOption { name, value: value @ None, words }) = options.last_mut() else {
            continue;
        };
        let is_value = |next: &&OsString| !next.as_bytes().starts_with(b"-");
        if WITH_VALUE.contains(&&**name) {
            *value = rest.next_if(is_value).cloned();
            words.extend(value.clone());
        }
    }
    options
}

/// Splits a word, in which short options can be joined.
fn options_of(word: &OsString) -> Vec<CargoOption> {
    let option = |name: &[u8], value: Option<&[u8]>, word: &[u8]| CargoOption {
        name: String::from_utf8_lossy(name).into_owned(),
        value: value.map(|value| OsStr::from_bytes(value).to_owned()),
        words: vec![OsString::from_vec(word.to_owned())],
    };
    let bytes = word.as_bytes();
    if bytes.starts_with(b"--") {
        return vec![match bytes.iter().position(|byte| *byte == b'=') {
            Some(end) => option(&bytes[..end], Some(&bytes[end + 1..]), bytes),
            None => option(bytes, None, bytes),
        }];
    }
    let Some(mut letters) = bytes.strip_prefix(b"-").filter(|letters| !letters.is_empty()) else {
        return vec![option(b"", None, bytes)];
    };
    let mut options = Vec::new();
    while let [letter, rest @ ..] = letters {
        let name = [b'-', *letter];
        let has_value = WITH_VALUE.iter().any(|known| known.as_bytes() == name);
        if has_value && !rest.is_empty() {
            let value = rest.strip_prefix(b"=").unwrap_or(rest);
            options.push(option(&name, Some(value), &[&name, rest].concat()));
            break;
        }
        options.push(option(&name, None, &name));
        letters = rest;
    }
    options
}

/// Returns the words of options.
pub(super) fn words(options: impl IntoIterator<Item = CargoOption>) -> Vec<OsString> {
    options.into_iter().flat_map(|option| option.words).collect()
}

/// Returns the value of an option.
pub(super) fn value_of(arguments: &[OsString], name: &str) -> Option<OsString> {
    grouped(arguments).into_iter().find(|option| option.name == name)?.value
}

/// Returns the index of the subcommand, before which there are only options.
pub(super) fn subcommand(arguments: &[OsString]) -> Option<usize> {
    let mut index = 0;
    loop {
        let CargoOption { name, value, .. } = options_of(arguments.get(index)?).pop()?;
        if name.is_empty() {
            return Some(index);
        }
        let has_next = value.is_none() && WITH_VALUE.contains(&&*name);
        index += if has_next { 2 } else { 1 };
    }
}

/// Returns the arguments without those that are set for the other build or have no effect on it.
pub(super) fn without_replaced(arguments: &[OsString]) -> Vec<OsString> {
    let options = grouped(arguments).into_iter();
    words(options.filter(|option| !option.is_one_of(&REPLACED)))
}

/// Returns the arguments with which cargo reads its configuration.
pub(super) fn configuring(arguments: &[OsString]) -> Vec<OsString> {
    words(grouped(arguments).into_iter().filter(|option| option.is_one_of(&CONFIGURING)))
}

/// Returns the arguments of `cargo rustc` for a benchmark file: those of `cargo bench` that affect
/// its build.
pub(super) fn layout_arguments(
    arguments: &[OsString],
    package: &str,
    target: &str,
) -> Vec<OsString> {
    let own = ["rustc", "--package", package, "--bench", target].map(OsString::from);
    let is_kept = |option: &CargoOption| !option.name.is_empty() && !option.is_one_of(&SELECTION);
    let kept = words(grouped(arguments).into_iter().filter(is_kept));
    let profile = value_of(arguments, "--profile").is_none().then_some(["--profile", "bench"]);
    let profile = profile.into_iter().flatten().map(OsString::from);
    own.into_iter().chain(kept).chain(profile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn joined(words: &[OsString]) -> String {
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn no_word_is_lost() {
        for arguments in [
            "bench -Fx -pone -j2 --features= --features a,b -F=c filter",
            "bench -vvF x --bench --package one --target --timings=html --new-option value",
            "--config build.jobs=1 -Zunstable-options bench -Z x --features  -",
        ] {
            let given = split(arguments);
            let kept = joined(&words(grouped(&given)));
            assert_eq!(kept, arguments.replace("-vvF", "-v -v -F"));
        }
        assert_eq!(words(grouped(&[OsString::new()])), [""]);
        let given = ["--features", ""].map(OsString::from);
        assert_eq!(words(grouped(&given)), given);
    }

    #[test]
    fn joined_and_separate_values_are_the_same() {
        for form in ["-Fx", "-F=x", "-F x", "-vFx", "-vF x"] {
            assert_eq!(value_of(&split(form), "-F").unwrap(), "x", "{form}");
        }
        assert_eq!(value_of(&split("--features --bench x"), "--features"), None);
        assert_eq!(value_of(&split("--features= x"), "--features").unwrap(), "");
    }

    #[test]
    fn the_subcommand_is_the_first_word_that_is_no_value() {
        for (arguments, index) in [
            ("bench --x", Some(0)),
            ("--config a=b -Zx -q mine bench", Some(4)),
            ("-Z x --color=always mine", Some(3)),
            ("-vqv mine --x", Some(1)),
            ("--version", None),
        ] {
            assert_eq!(subcommand(&split(arguments)), index, "{arguments}");
        }
    }

    #[test]
    fn what_is_set_for_the_other_build_is_replaced() {
        let given = "--config x bench -qFx --target-dir=y --no-run -C /z --message-format json a";
        assert_eq!(joined(&without_replaced(&split(given))), "--config x bench -Fx a");
        assert_eq!(joined(&configuring(&split("--config x bench -Zy -F z"))), "--config x -Zy");
    }

    #[test]
    fn arguments_that_decide_about_the_build_are_kept() {
        let words = |given: &str| joined(&layout_arguments(&split(given), "one", "my-bench"));
        let start = "rustc --package one --bench my-bench";
        assert_eq!(words("bench --workspace --bench other"), format!("{start} --profile bench"));
        assert_eq!(
            words("bench --features a,b --locked --target=x --benches --manifest-path m filter"),
            format!("{start} --features a,b --locked --target=x --profile bench")
        );
        assert_eq!(words("bench --profile small -Fc"), format!("{start} --profile small -Fc"));
        assert_eq!(
            words("--config a bench -pone --ignore-rust-version"),
            format!("{start} --config a --ignore-rust-version --profile bench")
        );
    }
}
