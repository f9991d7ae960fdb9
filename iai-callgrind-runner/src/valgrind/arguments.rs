//! Arguments that the user passes on to Valgrind.

use std::ffi::OsString;

/// What the runner decides itself: where output goes, which processes and
/// threads a file is of, and when counting begins and ends.
const OURS: [&str; 18] = [
    "--callgrind-out-file",
    "--child-silent-after-fork",
    "--collect-atstart",
    "--combine-dumps",
    "--command-line-only",
    "--dump-every-bb",
    "--instr-atstart",
    "--log-fd",
    "--log-file",
    "--log-socket",
    "--quiet",
    "--separate-threads",
    "--toggle-collect",
    "--tool",
    "--trace-children",
    "--vgdb",
    "--xml",
    "-q",
];

/// Arguments for Valgrind or for one of its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arguments(Vec<String>);

impl Arguments {
    /// Splits the text by the rules of a POSIX shell.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let words = shlex::split(text).ok_or("a quotation mark or a backslash has no end")?;
        match words.iter().find(|word| !word.starts_with('-')) {
            Some(word) => Err(format!("`{word}` is no option: write `--option=value`")),
            None => Ok(Self(words)),
        }
    }

    /// Those that the user may decide on. A warning tells about each of the others.
    pub(crate) fn allowed(&self) -> Vec<OsString> {
        let is_ours = |argument: &str| {
            let name = argument.split_once('=').map_or(argument, |(name, _)| name);
            OURS.contains(&name)
        };
        let (ours, allowed): (Vec<_>, Vec<_>) =
            self.0.iter().partition(|argument| is_ours(argument));
        for argument in ours {
            log::warn!("ignored `{argument}`: the runner needs that option itself");
        }
        allowed.into_iter().map(OsString::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_in_a_shell() {
        let arguments = Arguments::parse("--cache-sim=no  '--suppressions=a b' -v").unwrap();
        assert_eq!(arguments.allowed(), ["--cache-sim=no", "--suppressions=a b", "-v"]);
        assert_eq!(Arguments::parse(" "), Ok(Arguments::default()));
    }

    #[test]
    fn what_the_runner_needs_is_ignored() {
        let arguments = "--log-file=x --tool=dhat --branch-sim=yes --quiet --callgrind-out-file=y";
        assert_eq!(Arguments::parse(arguments).unwrap().allowed(), ["--branch-sim=yes"]);
    }

    #[test]
    fn mistakes() {
        for (wrong, told) in [("'--a", "has no end"), ("--a b", "`b` is no option")] {
            assert!(Arguments::parse(wrong).unwrap_err().contains(told));
        }
    }
}
