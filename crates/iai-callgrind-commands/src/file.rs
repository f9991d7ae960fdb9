//! Reads a file of commands.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iai_callgrind_base::FileError;
use iai_callgrind_base::input::read_text;
use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{
    self as plan, Case, Compare, Config, Delay, DelayKind, Fixture, Flamegraph, Function, Group,
    Pipe, Stdin, Stdio, Subject, ToolConfig, Variable, encode,
};
use iai_callgrind_results::values::{
    parse_command, parse_flamegraph_kind, parse_limits, parse_metrics, parse_tool,
};
use iai_callgrind_tools::tool::TOOLS;

use crate::error::{CommandsError, Error, Result, ValueError};
use crate::model::{
    CommandEntry, CommandFile, CommandLine, ConfigEntry, DelayEntry, DelayKindEntry, GroupEntry,
    PipeEntry, StdinEntry, StdioEntry, ToolEntry,
};
use crate::parts::{Commands, GROUP, HookCommands, absolute, function, new_plan};

/// The default time between two checks of a delay, and that after which it fails.
const POLL: Duration = Duration::from_millis(10);
const TIMEOUT: Duration = Duration::from_secs(60);

/// Reads the commands of a file.
pub fn read(path: &Path) -> Result<Commands> {
    let text = read_text(path)?;
    let current = env::current_dir().map_err(FileError::io("use", Path::new(".")))?;
    parse(&text, &absolute(&current, path))
}

/// Parses the text of the file with this absolute path.
pub fn parse(text: &str, path: &Path) -> Result<Commands> {
    let failed = |source| CommandsError::File { path: path.to_owned(), source: Box::new(source) };
    let file: CommandFile = toml::from_str(text).map_err(failed)?;
    let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
    let mut reader = Reader { path, directory, hooks: HookCommands::new() };
    let hooks = reader.hooks(None, None, [file.setup, file.teardown]);
    let config = reader.config(file.config, "config")?;
    let ungrouped =
        GroupEntry { name: GROUP.to_owned(), command: file.command, ..GroupEntry::default() };
    let entries = Some(ungrouped).filter(|group| !group.command.is_empty());
    let entries = entries.into_iter().chain(file.group).enumerate();
    let groups = entries.map(|(number, entry)| reader.group(number, entry));
    let groups = groups.collect::<Result<_>>()?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let plan = plan::Plan { hooks, ..new_plan(stem, &reader.directory, config, groups) };
    Ok(Commands { plan, hooks: reader.hooks })
}

/// Converts the entries of a file.
struct Reader<'a> {
    path: &'a Path,
    /// The directory of the file.
    directory: PathBuf,
    /// The commands of the hooks so far.
    hooks: HookCommands,
}

impl Reader<'_> {
    fn group(&mut self, number: usize, entry: GroupEntry) -> Result<Group> {
        let GroupEntry { name, compare_by_id, max_parallel, setup, teardown, config, command } =
            entry;
        let mut functions: Vec<Function> = Vec::new();
        for (index, entry) in (0..).zip(command) {
            let (name, case) = self.case(number, index, entry)?;
            // Commands with the same name are cases of one function if they have ids
            let known = |function: &&mut Function| function.name.as_ref() == Some(&name);
            match functions.iter_mut().find(known).filter(|_| case.id.is_some()) {
                Some(function) => function.cases.push(case),
                None => functions.push(function(name, case)),
            }
        }
        Ok(Group {
            compare: if compare_by_id { Compare::ById } else { Compare::No },
            max_parallel,
            config: self.config(config, &name)?,
            hooks: self.hooks(Some(number), None, [setup, teardown]),
            ..Group::new(name, functions)
        })
    }

    /// Returns a command with its name.
    fn case(
        &mut self,
        group: usize,
        index: u64,
        mut entry: CommandEntry,
    ) -> Result<(String, Case)> {
        let config = entry.take_config();
        let CommandEntry { name, id, command, args, stdin, stdout, stderr, delay, .. } = entry;
        let words = match args {
            Some(args) if !command.is_empty() => Ok([vec![command.clone()], args].concat()),
            _ => parse_command(&command).map(|words| words.0),
        };
        let title = name.as_ref().unwrap_or(&command);
        let mut words = words.map_err(|error| self.error(title, "command", error))?;
        let program = words.remove(0);
        let mut command = plan::Command {
            program,
            args: words,
            stdin: self.stdin(stdin),
            stdout: stdio(stdout),
            stderr: stdio(stderr),
            delay: delay.map(self::delay),
        };
        let name = name.unwrap_or_else(|| command.line());
        let arguments = command.to_string();
        if command.program.contains('/') {
            let program = absolute(&self.directory, Path::new(&command.program));
            command.program = encode(program.as_os_str());
        }
        let config = self.config(config, &name)?;
        let hooks = self.hooks(Some(group), Some(index), [entry.setup, entry.teardown]);
        let subject = Subject::Binary { command, index, hooks };
        Ok((name, Case { config, ..Case::new(id, arguments, subject) }))
    }

    /// Adds the setup and the teardown of the file, of a group or of a command.
    fn hooks(
        &mut self,
        group: Option<usize>,
        case: Option<u64>,
        commands: [Option<CommandLine>; 2],
    ) -> plan::Hooks {
        let [setup, teardown] = [true, false].map(|is_setup| Hook { group, case, is_setup });
        let exists = commands.each_ref().map(Option::is_some);
        for (hook, command) in [setup, teardown].into_iter().zip(commands) {
            self.hooks.extend(command.map(|line| {
                let mut words = line.0.0;
                let program = words.remove(0);
                (hook, plan::Command { program, args: words, ..plan::Command::default() })
            }));
        }
        plan::Hooks { setup: exists[0], teardown: exists[1] }
    }

    /// Returns the configuration of the entry with this name.
    fn config(&self, entry: ConfigEntry, name: &str) -> Result<Config> {
        let passed = entry.pass_through_envs.into_iter().map(|name| Variable { name, value: None });
        let set = entry.env.into_iter().map(Variable::from);
        let has_fixtures = !entry.fixtures.is_empty();
        let mut config = Config {
            env_clear: entry.env_clear,
            envs: passed.chain(set).collect(),
            valgrind_args: entry.valgrind_args.0.0,
            // Fixtures are copied into it
            sandbox: entry.sandbox.or(has_fixtures.then_some(true)),
            current_dir: entry.current_dir.map(|path| encode(path.as_os_str())),
            exit_with: entry.exit_with,
            setup_parallel: entry.setup_parallel,
            ..Config::default()
        };
        config.fixtures.extend(entry.fixtures.iter().map(|path| Fixture {
            path: encode(path.as_os_str()),
            follow_symlinks: entry.follow_symlinks,
        }));
        let default_tool = entry.default_tool.map(|tool| parse_tool(&tool)).transpose();
        config.default_tool =
            default_tool.map_err(|error| self.error(name, "default_tool", error))?;
        config.tools = self.tools(entry.tool, name)?;
        Ok(config)
    }

    /// Returns the configuration of the tools of an entry, all of which run.
    fn tools(&self, entries: BTreeMap<String, ToolEntry>, name: &str) -> Result<Vec<ToolConfig>> {
        let convert = |(tool, entry): (String, ToolEntry)| {
            let failed = |key: &str, error: ValueError| {
                self.error(name, &format!("tool.{tool}{key}"), error)
            };
            let kind = parse_tool(&tool).map_err(|error| failed("", error.into()))?;
            let row = TOOLS.iter().find(|row| row.kind == kind);
            let set = row.map_or(TOOLS[0].metrics, |row| row.metrics);
            let metrics = entry.metrics.map(|text| parse_metrics(&text, set)).transpose();
            let limits = entry.limits.map(|text| parse_limits(&text, set)).transpose();
            let flamegraph = entry.flamegraph.map(|kind| parse_flamegraph_kind(&kind)).transpose();
            let flamegraph = flamegraph.map_err(|error| failed(".flamegraph", error.into()))?;
            Ok(ToolConfig {
                enable: Some(true),
                args: entry.args.0.0,
                entry_point: entry.entry_point.map(Into::into),
                limits: limits
                    .map_err(|error| failed(".limits", error.into()))?
                    .unwrap_or_default(),
                fail_fast: entry.fail_fast,
                metrics: metrics.map_err(|error| failed(".metrics", error.into()))?,
                flamegraph: flamegraph
                    .map(|kind| Flamegraph { kind: Some(kind), ..Flamegraph::default() }),
                frames: entry.frames,
                ..ToolConfig::new(kind)
            })
        };
        entries.into_iter().map(convert).collect()
    }

    fn stdin(&self, entry: StdinEntry) -> Stdin {
        match entry {
            StdinEntry::Null => Stdin::Null,
            StdinEntry::File(path) => {
                Stdin::File { path: encode(absolute(&self.directory, &path).as_os_str()) }
            }
            StdinEntry::Setup(PipeEntry::Stdout) => Stdin::Setup { pipe: Pipe::Stdout },
            StdinEntry::Setup(PipeEntry::Stderr) => Stdin::Setup { pipe: Pipe::Stderr },
        }
    }

    /// Returns the error of a value of the entry with this name.
    fn error(&self, name: &str, key: &str, source: impl Into<ValueError>) -> Error {
        let (path, source) = (self.path.to_owned(), source.into());
        CommandsError::Entry { path, name: name.to_owned(), key: key.to_owned(), source }.into()
    }
}

fn stdio(entry: StdioEntry) -> Stdio {
    match entry {
        StdioEntry::Pipe => Stdio::Capture,
        StdioEntry::Inherit => Stdio::Show,
        StdioEntry::Null => Stdio::Null,
        StdioEntry::File(path) => Stdio::File { path: encode(path.as_os_str()) },
    }
}

fn delay(entry: DelayEntry) -> Delay {
    let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let kind = match entry.kind {
        DelayKindEntry::DurationElapse(duration) => {
            DelayKind::DurationElapse { milliseconds: milliseconds(duration.0) }
        }
        DelayKindEntry::PathExists(path) => {
            DelayKind::PathExists { path: encode(path.as_os_str()) }
        }
        DelayKindEntry::TcpConnect(address) => {
            DelayKind::TcpConnect { address: address.to_string() }
        }
        DelayKindEntry::UdpResponse(address, request) => {
            DelayKind::UdpResponse { address: address.to_string(), request: request.into_bytes() }
        }
    };
    let poll = milliseconds(entry.poll.map_or(POLL, |poll| poll.0)).max(1);
    let timeout = milliseconds(entry.timeout.map_or(TIMEOUT, |timeout| timeout.0));
    Delay { kind, poll, timeout }
}
