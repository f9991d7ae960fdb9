//! Arguments for Valgrind from the configuration and the command line.

use std::borrow::Cow;

use iai_callgrind_plan::EntryPoint;

/// Options that the runner sets, such as output files and their assignment to processes and threads, and
/// those that print something instead of running the program.
const RESERVED: [&str; 29] = [
    "--bb-out-file",
    "--cachegrind-out-file",
    "--callgrind-out-file",
    "--child-silent-after-fork",
    "--combine-dumps",
    "--command-line-only",
    "--dhat-out-file",
    "--dump-every-bb",
    "--help",
    "--help-debug",
    "--help-dyn-options",
    "--instr-at-start",
    "--instr-atstart",
    "--log-fd",
    "--log-file",
    "--log-socket",
    "--massif-out-file",
    "--pc-out-file",
    "--quiet",
    "--separate-threads",
    "--tool",
    "--trace-children",
    "--version",
    "--vgdb",
    "--xml",
    "--xtree-leak-file",
    "--xtree-memory-file",
    "-h",
    "-q",
];

/// Options that start and stop the collection of costs. They are reserved if there is an entry point.
const COLLECTION: [&str; 2] = ["--collect-atstart", "--toggle-collect"];

/// Arguments for Valgrind or for one of its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<String>);

impl Arguments {
    /// Splits a text by the rules of a POSIX shell.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = shlex::split(text).ok_or("a quotation mark or a backslash has no end")?;
        Ok(Self(words))
    }
}

/// Splits arguments into allowed and reserved ones. Adds missing dashes.
pub fn partition(
    arguments: impl IntoIterator<Item = String>,
    entry_point: &EntryPoint,
) -> (Vec<String>, Vec<String>) {
    let is_allowed = |argument: &String| {
        let name = without_tool(argument.split_once('=').map_or(argument, |(name, _)| name));
        let is_collection = COLLECTION.contains(&&*name) && *entry_point != EntryPoint::None;
        !is_collection && !RESERVED.contains(&&*name)
    };
    arguments.into_iter().map(with_dashes).partition(is_allowed)
}

/// Removes the tool from the name of an option: `--callgrind:log-file` is `--log-file` under callgrind.
fn without_tool(name: &str) -> Cow<'_, str> {
    name.split_once(':').map_or(Cow::Borrowed(name), |(_, name)| format!("--{name}").into())
}

fn with_dashes(argument: String) -> String {
    if argument.starts_with('-') { argument } else { format!("--{argument}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str, entry_point: &EntryPoint) -> Vec<String> {
        partition(Arguments::parse(text).unwrap().0, entry_point).0
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let arguments = "--cache-sim=no  '--suppressions=a b' -v branch-sim=yes";
        assert_eq!(
            allowed(arguments, &EntryPoint::Default),
            ["--cache-sim=no", "--suppressions=a b", "-v", "--branch-sim=yes"]
        );
        assert_eq!(Arguments::parse(" "), Ok(Arguments::default()));
        assert!(Arguments::parse("'--a").unwrap_err().contains("has no end"));
    }

    #[test]
    fn reserved_options_are_not_allowed() {
        let arguments = "--log-file=x tool=dhat --branch-sim=yes --quiet --callgrind-out-file=y";
        assert_eq!(allowed(arguments, &EntryPoint::Default), ["--branch-sim=yes"]);
    }

    #[test]
    fn options_of_a_tool_and_options_that_only_print_are_reserved_too() {
        let arguments = "--callgrind:log-file=x memcheck:quiet --help -h --version \
                         --callgrind:dump-instr=yes --time-stamp=yes";
        assert_eq!(
            allowed(arguments, &EntryPoint::Default),
            ["--callgrind:dump-instr=yes", "--time-stamp=yes"]
        );
    }

    #[test]
    fn collection_can_be_configured_without_an_entry_point() {
        let arguments = "--toggle-collect=f --collect-atstart=no";
        assert!(allowed(arguments, &EntryPoint::Default).is_empty());
        assert!(allowed(arguments, &EntryPoint::Custom("g".to_owned())).is_empty());
        assert_eq!(allowed(arguments, &EntryPoint::None).len(), 2);
    }
}
