//! Arguments of libtest.

use iai_callgrind_plan::filter::selects;

use crate::error::Cause;

/// Options of libtest without a value that have no effect here.
const FLAGS: [&str; 11] = [
    "--bench",
    "--ensure-time",
    "--include-ignored",
    "--no-capture",
    "--nocapture",
    "--quiet",
    "--report-time",
    "--show-output",
    "--shuffle",
    "--test",
    "-q",
];

/// Options of libtest with a value that have no effect here, except for `--format`.
const OPTIONS: [&str; 6] =
    ["--color", "--logfile", "--shuffle-seed", "--test-threads", "--format", "-Z"];

/// Selection of cases and the action on them.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are libtest's flags")]
pub(super) struct Arguments {
    /// Lists the cases instead of running them.
    pub(super) list: bool,
    /// Lists without a summary.
    pub(super) terse: bool,
    exact: bool,
    /// Selects ignored cases only. These need the runner on a platform that does not have it.
    ignored: bool,
    filters: Vec<String>,
    skip: Vec<String>,
}

impl Arguments {
    /// Parses libtest's arguments. Any other argument is an error.
    pub(super) fn parse(words: Vec<String>) -> Result<Self, Cause> {
        let mut words = words.into_iter();
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name, Some(value.to_owned())),
                _ => (&*word, None),
            };
            match name {
                "--list" => arguments.list = true,
                "--exact" => arguments.exact = true,
                "--ignored" => arguments.ignored = true,
                "--skip" => arguments.skip.extend(value.or_else(|| words.next())),
                _ if OPTIONS.contains(&name) => {
                    let value = value.or_else(|| words.next());
                    arguments.terse |= name == "--format" && value.as_deref() == Some("terse");
                }
                _ if FLAGS.contains(&name) => {}
                _ if name.starts_with('-') => return Err(Cause::Argument(word)),
                _ => arguments.filters.push(word),
            }
        }
        Ok(arguments)
    }

    /// Returns `true` if the case with this name is selected.
    pub(super) fn selects(&self, name: &str) -> bool {
        self.selects_one_of(&[name])
    }

    /// Returns `true` if the case with these names is selected.
    pub(super) fn selects_one_of(&self, names: &[&str]) -> bool {
        !self.ignored && self.selects_ignored(names)
    }

    /// Returns `true` if the case with these names is selected, although it can't run here.
    pub(super) fn selects_ignored(&self, names: &[&str]) -> bool {
        let matches = |filter: &String| {
            names.iter().any(|name| if self.exact { filter == name } else { selects(filter, name) })
        };
        let is_wanted = self.filters.is_empty() || self.filters.iter().any(matches);
        is_wanted && !self.skip.iter().any(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, Cause> {
        Arguments::parse(words.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn arguments_of_nextest() {
        let list = parse(&["--list", "--format", "terse", "--ignored"]).unwrap();
        assert!(list.list && list.terse && !list.selects("a::b::c"));
        let run = parse(&["--exact", "a::b::c", "--nocapture"]).unwrap();
        assert!(run.selects("a::b::c") && !run.selects("a::b::cc"));
    }

    #[test]
    fn filters_and_skipped_ones() {
        let some = parse(&["b", "*::x", "--skip", "c", "--test-threads=1", "-q"]).unwrap();
        assert!(some.selects("a::b") && some.selects("a::x"));
        assert!(!some.selects("a::b::c") && !some.selects("a::y"));
    }

    #[test]
    fn another_argument_is_an_error() {
        let Err(Cause::Argument(argument)) = parse(&["--parallel=2"]) else { panic!() };
        assert_eq!(argument, "--parallel=2");
    }
}
