//! The command of a binary benchmark.

use crate::json::{json_enum, json_struct};
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use super::decode;

/// A command with its streams. [`super::Config`] has its other options.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Command {
    /// Name to look up in `PATH`, or a path. A relative path starts in the working directory.
    pub program: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Source of the standard input.
    pub stdin: Stdin,
    /// Destination of the standard output.
    pub stdout: Stdio,
    /// Destination of the standard error output.
    pub stderr: Stdio,
    /// Event to wait for before the start.
    pub delay: Option<Delay>,
}

impl Command {
    /// Returns the program and the arguments, quoted as in a shell.
    #[must_use]
    pub fn line(&self) -> String {
        self.line_with(&decode(&self.program))
    }

    /// Returns this program and the arguments.
    fn line_with(&self, program: &OsStr) -> String {
        let mut line = quote(&program.to_string_lossy());
        for arg in &self.args {
            line.push(' ');
            line += &quote(&decode(arg).to_string_lossy());
        }
        line
    }
}

/// Writes the program's name without directories, and the arguments, quoted as in a shell.
impl fmt::Display for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = decode(&self.program);
        let name = Path::new(&program).file_name().unwrap_or(&program);
        formatter.write_str(&self.line_with(name))
    }
}

/// Puts the word in double quotes if it contains a special character of the shell.
fn quote(word: &str) -> String {
    // Those that POSIX names in the Shell Command Language, Quoting
    const SPECIAL: &str = "|&;<>()$`\\\"' *?[#~=%";
    if !word.is_empty() && !word.contains(|c: char| SPECIAL.contains(c) || c.is_control()) {
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

/// The source of a command's standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Stdin {
    /// An empty input.
    #[default]
    Null,
    /// A file. A relative path starts in the working directory.
    File {
        /// Path of the file.
        path: String,
    },
    /// The output of the setup, which runs at the same time.
    Setup {
        /// Stream of the setup.
        pipe: Pipe,
    },
}

/// One of the streams that a process writes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Pipe {
    /// The standard output.
    #[default]
    Stdout,
    /// The standard error output.
    Stderr,
}

/// The destination of a stream of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Stdio {
    /// Captured, and shown when the command fails or with `--nocapture`.
    #[default]
    Capture,
    /// Captured, and shown with the results.
    Show,
    /// Discarded.
    Null,
    /// Written to a file. A relative path starts in the working directory.
    File {
        /// Path of the file.
        path: String,
    },
}

/// A wait before the start of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Delay {
    /// Event to wait for.
    pub kind: DelayKind,
    /// Milliseconds between two checks.
    pub poll: u64,
    /// Timeout in milliseconds.
    pub timeout: u64,
}

/// An event that a command waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum DelayKind {
    /// The time has passed.
    DurationElapse {
        /// Duration.
        milliseconds: u64,
    },
    /// The path exists. A relative one starts in the working directory.
    PathExists {
        /// Path to check.
        path: String,
    },
    /// A server accepts connections.
    TcpConnect {
        /// Address of the server.
        address: String,
    },
    /// A server answers a request.
    UdpResponse {
        /// Address of the server.
        address: String,
        /// Bytes of the request.
        request: Vec<u8>,
    },
}

json_struct!(Command { program, args, stdin, stdout, stderr, delay });
json_enum!(Stdin { Null, File { path }, Setup { pipe } });
json_enum!(Pipe { Stdout, Stderr });
json_enum!(Stdio { Capture, Show, Null, File { path } });
json_struct!(Delay { kind, poll, timeout });
json_enum!(DelayKind { DurationElapse { milliseconds }, PathExists { path }, TcpConnect { address }, UdpResponse { address, request } });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_of_the_shell_are_quoted() {
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
