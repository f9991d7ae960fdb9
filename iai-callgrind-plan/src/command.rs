//! The command of a binary benchmark.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use nanoserde::SerJson;

use super::decode;

/// A command, and how it is connected with what is around it. The rest of what it runs with is
/// configured, see [`super::Config`].
#[derive(Debug, Clone, Default, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Command {
    /// A name to look up in `PATH`, or a path. One that is not absolute starts where the command runs.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where its standard input comes from.
    pub stdin: Stdin,
    /// Where its standard output goes.
    pub stdout: Stdio,
    /// Where its standard error output goes.
    pub stderr: Stdio,
    /// What it waits for before it starts.
    pub delay: Option<Delay>,
}

impl Command {
    /// The program and the arguments, quoted as in a shell.
    #[must_use]
    pub fn line(&self) -> String {
        self.line_with(&decode(&self.program))
    }

    /// The program as it is given here, and the arguments.
    fn line_with(&self, program: &OsStr) -> String {
        let mut line = quote(&program.to_string_lossy());
        for arg in &self.args {
            line.push(' ');
            line += &quote(&decode(arg).to_string_lossy());
        }
        line
    }
}

/// The program's name without directories, and the arguments, quoted as in a shell.
impl fmt::Display for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = decode(&self.program);
        let name = Path::new(&program).file_name().unwrap_or(&program);
        formatter.write_str(&self.line_with(name))
    }
}

/// The word in double quotes if there is a character in it that can mean something to a shell.
fn quote(word: &str) -> String {
    // Those that POSIX names in the Shell Command Language, Quoting
    const SPECIAL: &str = "|&;<>()$`\\\"' *?[#~=%";
    if !word.is_empty() && !word.contains(|it: char| SPECIAL.contains(it) || it.is_control()) {
        return word.to_owned();
    }
    let mut quoted = String::from('"');
    for character in word.chars() {
        match character {
            '$' | '`' | '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted.extend(control.escape_default()),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Where a command's standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Stdin {
    /// It is empty
    #[default]
    Null,
    /// A file; the path starts where the command runs
    File {
        /// The file's path.
        path: String,
    },
    /// What the set-up prints while the command runs
    Setup {
        /// Which of its streams.
        pipe: Pipe,
    },
}

/// One of the streams that a process writes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Pipe {
    /// The standard output
    #[default]
    Stdout,
    /// The standard error output
    Stderr,
}

/// Where an output of a command goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Stdio {
    /// It is captured, and shown when the command fails or `--nocapture` is given
    #[default]
    Capture,
    /// It is captured and shown with the results
    Show,
    /// Nowhere
    Null,
    /// Into a file; the path starts where the command runs
    File {
        /// The file's path.
        path: String,
    },
}

/// What a command waits for before it starts.
#[derive(Debug, Clone, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Delay {
    /// What it is.
    pub kind: DelayKind,
    /// How many milliseconds pass between two looks at it.
    pub poll: u64,
    /// After how many milliseconds it is an error that it hasn't come.
    pub timeout: u64,
}

/// An event that a command waits for.
#[derive(Debug, Clone, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum DelayKind {
    /// Time goes by
    DurationElapse {
        /// This many milliseconds.
        milliseconds: u64,
    },
    /// Something has this path, which starts where the command runs
    PathExists {
        /// The path.
        path: String,
    },
    /// A connection can be made
    TcpConnect {
        /// With this address.
        address: String,
    },
    /// A request is answered
    UdpResponse {
        /// By this address.
        address: String,
        /// The request.
        request: Vec<u8>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_a_shell_is_quoted() {
        let command = |program: &str, args: &[&str]| {
            let args = args.iter().map(ToString::to_string).collect();
            Command { program: program.to_owned(), args, ..Command::default() }.to_string()
        };
        assert_eq!(
            command("/target/release/benchmark-tests-printargs", &["--foo=fixtures/test1.txt"]),
            "benchmark-tests-printargs \"--foo=fixtures/test1.txt\""
        );
        assert_eq!(command("echo", &["foo", "foo bar", ""]), "echo foo \"foo bar\" \"\"");
        assert_eq!(
            command("echo", &["a\"$b\\", "größer", "a\nb"]),
            r#"echo "a\"\$b\\" größer "a\nb""#
        );
    }
}
