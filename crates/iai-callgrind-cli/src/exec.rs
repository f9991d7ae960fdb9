//! Options of commands that need no benchmark file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use iai_callgrind_plan::ExitWith;
use iai_callgrind_results::values::{parse_command, parse_exit};
use iai_callgrind_tools::valgrind::Arguments;

/// Options that select commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Commands")]
pub struct ExecArgs {
    /// Commands, each in one argument: 'grep -c x words.txt'
    ///
    /// The text is split like words in a shell, but no shell runs: write "sh -c '...'" for pipes, redirections and
    /// patterns of file names. Several commands are compared with each other.
    #[arg(
        value_name = "COMMAND", help_heading = None::<&str>, value_parser = parse_command, conflicts_with_all = ["command", "file"],
        required_unless_present_any = ["command", "file"]
    )]
    pub lines: Vec<Arguments>,

    /// A single command: its program and its arguments, as they are
    #[arg(
        value_name = "PROGRAM", help_heading = None::<&str>, last = true, conflicts_with = "file"
    )]
    pub command: Vec<OsString>,

    /// Run the commands of this TOML file
    ///
    /// Its keys are in the chapter "Commands without a benchmark file" of the guide. Paths in it start in its
    /// directory.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Name of the command, under which results are stored [default: the command]
    ///
    /// Can be repeated: the first name is that of the first command.
    #[arg(
        long = "name", short = 'n', value_name = "NAME", conflicts_with = "file",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub names: Vec<String>,

    /// Read the standard input of the commands from this file [default: empty]
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub stdin: Option<PathBuf>,

    /// Expected exit of the commands: success, failure, an exit code, or 'signal 6'
    #[arg(
        long, value_name = "EXIT", default_value = "success", value_parser = parse_exit,
        conflicts_with = "file"
    )]
    pub exit_with: ExitWith,

    /// Run only commands whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// List the names of the commands instead of running them
    #[arg(long)]
    pub(crate) list: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::{Cli, Command};

    fn exec(arguments: &[&str]) -> Result<ExecArgs, clap::Error> {
        let words = ["iai-callgrind-runner", "exec"].iter().chain(arguments);
        Cli::try_parse_from(words).map(|cli| match cli.command {
            Command::Exec(exec) => exec.commands,
            _ => unreachable!("the first word is `exec`"),
        })
    }

    #[test]
    fn commands_are_texts_or_the_words_after_two_dashes() {
        let texts = exec(&["--name=a", "grep -c 'x y' f", "true"]).unwrap();
        let words: Vec<_> = texts.lines.into_iter().map(|words| words.0).collect();
        assert_eq!(words, [vec!["grep", "-c", "x y", "f"], vec!["true"]]);
        let words = exec(&["--list", "--", "a b", "--list", "|"]).unwrap();
        assert_eq!(words.command, ["a b", "--list", "|"]);
        assert!(words.lines.is_empty() && words.list);
        for wrong in [
            &[][..],
            &[""],
            &["'a"],
            &["cat f | sort"],
            &["a", "--", "b"],
            &["--file=f", "a"],
            &["--file=f", "--", "a"],
            &["--file=f", "--name=a"],
            &["--name=", "a"],
        ] {
            assert!(exec(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_exit_is_a_word_a_code_or_a_signal() {
        for (text, exit) in [
            ("success", ExitWith::Success),
            ("failure", ExitWith::Failure),
            ("3", ExitWith::Code(3)),
            ("signal 6", ExitWith::Signal(6)),
        ] {
            assert_eq!(exec(&["--exit-with", text, "a"]).unwrap().exit_with, exit);
        }
        for wrong in ["", "signal", "signal x", "signal 0", "signal 65", "code", "256", "-1"] {
            assert!(exec(&["--exit-with", wrong, "a"]).is_err(), "{wrong}");
        }
    }
}
