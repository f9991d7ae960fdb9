//! The plan of the commands on the command line.

use iai_callgrind_cli::ExecArgs;
use iai_callgrind_commands::{CommandsError, GROUP, function, new_plan};
use iai_callgrind_plan::{
    self as plan, Case, Compare, Config, Group, Plan, Stdin, Subject, encode,
};

use crate::error::Result;
use crate::stored::current_directory;

/// Name of the results, instead of a benchmark file's.
const FILE: &str = "exec";

/// Returns the plan of the commands on the command line.
pub(super) fn new(options: &ExecArgs) -> Result<Plan> {
    let ExecArgs { lines, command, names, stdin, exit_with, .. } = options;
    let directory = current_directory()?;
    let lines = lines.iter().map(|line| line.0.clone());
    let words = command.iter().map(|word| encode(word)).collect();
    let commands: Vec<Vec<String>> = if command.is_empty() { lines.collect() } else { vec![words] };
    if commands.iter().any(|words| words.first().is_none_or(String::is_empty)) {
        return Err(CommandsError::NoProgram.into());
    }
    if names.len() > commands.len() {
        return Err(
            CommandsError::TooManyNames { names: names.len(), commands: commands.len() }.into()
        );
    }
    let stdin = match stdin {
        Some(path) => Stdin::File { path: encode(directory.join(path).as_os_str()) },
        None => Stdin::Null,
    };
    let compare = if commands.len() > 1 { Compare::All } else { Compare::No };
    let functions = commands.into_iter().enumerate().map(|(index, mut words)| {
        let program = words.remove(0);
        let stdin = stdin.clone();
        let command = plan::Command { program, args: words, stdin, ..plan::Command::default() };
        let name = names.get(index).cloned().unwrap_or_else(|| command.line());
        let arguments = command.to_string();
        let hooks = plan::Hooks::default();
        let subject = Subject::Binary { command, index: index as u64, hooks };
        function(name, Case::new(None, arguments, subject))
    });
    let group = Group { compare, ..Group::new(GROUP.to_owned(), functions.collect()) };
    let config = Config { exit_with: Some(exit_with.clone()), ..Config::default() };
    Ok(new_plan(FILE.to_owned(), &directory, config, vec![group]))
}
