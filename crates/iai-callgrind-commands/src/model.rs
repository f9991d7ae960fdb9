//! The keys of a file of commands. Their names are those of the builders in benchmark files.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use iai_callgrind_plan::ExitWith;
use iai_callgrind_results::values::{parse_command, parse_exit};
use iai_callgrind_tools::valgrind::Arguments;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A file of commands.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CommandFile {
    /// Commands that run before and after all others, in the directory of the file.
    pub(crate) setup: Option<CommandLine>,
    pub(crate) teardown: Option<CommandLine>,
    /// Configuration of all commands.
    pub(crate) config: ConfigEntry,
    /// Commands that are in no group.
    pub(crate) command: Vec<CommandEntry>,
    pub(crate) group: Vec<GroupEntry>,
}

/// A group of commands.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupEntry {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) compare_by_id: bool,
    #[serde(default)]
    pub(crate) max_parallel: u64,
    /// Commands that run before and after those of the group, in the directory of the file.
    pub(crate) setup: Option<CommandLine>,
    pub(crate) teardown: Option<CommandLine>,
    /// Configuration of the commands of the group.
    #[serde(default)]
    pub(crate) config: ConfigEntry,
    #[serde(default)]
    pub(crate) command: Vec<CommandEntry>,
}

/// Declares a configuration, and a command with the same keys next to its own. With serde's `flatten`, an error would
/// name no line, and unknown keys would be accepted.
macro_rules! entries {
    (
        config { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }
        command { $($(#[$own_attribute:meta])* $own:ident: $own_type:ty,)* }
    ) => {
        /// The configuration of commands.
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct ConfigEntry {
            $($(#[$attribute])* pub(crate) $field: $type,)*
        }

        /// A command.
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct CommandEntry {
            $($(#[$own_attribute])* pub(crate) $own: $own_type,)*
            $($(#[$attribute])* $field: $type,)*
        }

        impl CommandEntry {
            /// Takes the configuration out of the keys.
            pub(crate) fn take_config(&mut self) -> ConfigEntry {
                ConfigEntry { $($field: mem::take(&mut self.$field),)* }
            }
        }
    };
}

entries! {
    config {
        env: BTreeMap<String, String>,
        pass_through_envs: Vec<String>,
        env_clear: Option<bool>,
        sandbox: Option<bool>,
        fixtures: Vec<PathBuf>,
        follow_symlinks: bool,
        current_dir: Option<PathBuf>,
        #[serde(deserialize_with = "exit_with")]
        exit_with: Option<ExitWith>,
        setup_parallel: Option<bool>,
        valgrind_args: ArgumentText,
        default_tool: Option<String>,
        /// Options of each tool, by its name.
        tool: BTreeMap<String, ToolEntry>,
    }
    command {
        name: Option<String>,
        id: Option<String>,
        /// The program, and its arguments if `args` is missing.
        command: String,
        args: Option<Vec<String>>,
        stdin: StdinEntry,
        stdout: StdioEntry,
        stderr: StdioEntry,
        delay: Option<DelayEntry>,
        /// Commands that run before and after the command, in its sandbox.
        setup: Option<CommandLine>,
        teardown: Option<CommandLine>,
    }
}

/// Options of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ToolEntry {
    pub(crate) args: ArgumentText,
    pub(crate) entry_point: Option<String>,
    pub(crate) limits: Option<String>,
    pub(crate) metrics: Option<String>,
    pub(crate) fail_fast: Option<bool>,
    pub(crate) flamegraph: Option<String>,
    pub(crate) frames: Vec<String>,
}

/// The source of the standard input.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StdinEntry {
    #[default]
    Null,
    File(PathBuf),
    Setup(PipeEntry),
}

/// A stream of the setup.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PipeEntry {
    Stdout,
    Stderr,
}

/// The destination of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StdioEntry {
    #[default]
    Pipe,
    Inherit,
    Null,
    File(PathBuf),
}

/// A wait before the start of a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DelayEntry {
    pub(crate) kind: DelayKindEntry,
    pub(crate) poll: Option<Span>,
    pub(crate) timeout: Option<Span>,
}

/// The event that a command waits for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DelayKindEntry {
    DurationElapse(Span),
    PathExists(PathBuf),
    TcpConnect(SocketAddr),
    UdpResponse(SocketAddr, String),
}

/// A command and its arguments in one text.
#[derive(Debug)]
pub(crate) struct CommandLine(pub(crate) Arguments);

impl<'de> Deserialize<'de> for CommandLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_command(&text).map(Self).map_err(Error::custom)
    }
}

/// Arguments in one text.
#[derive(Debug, Default)]
pub(crate) struct ArgumentText(pub(crate) Arguments);

impl<'de> Deserialize<'de> for ArgumentText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Arguments::parse(&text).map(Self).map_err(Error::custom)
    }
}

/// A duration with a unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span(pub(crate) Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let expected = || D::Error::custom("expected a duration such as `10s`, `500ms` or `2m`");
        humantime::parse_duration(&text).map(Self).map_err(|_| expected())
    }
}

/// Reads the expected exit: an exit code, or a text.
fn exit_with<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ExitWith>, D::Error> {
    struct Exit;

    impl Visitor<'_> for Exit {
        type Value = ExitWith;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an exit code or a text")
        }

        fn visit_i64<E: Error>(self, code: i64) -> Result<ExitWith, E> {
            parse_exit(&code.to_string()).map_err(E::custom)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<ExitWith, E> {
            parse_exit(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_any(Exit).map(Some)
}
