//! Commands instead of a benchmark file: the plan of commands on the command line, or in a file.

mod command_line;
#[cfg(test)]
mod tests;

use iai_callgrind_cli::ExecArgs;
use iai_callgrind_commands::{Commands, HookCommands, read};

use crate::error::Result;
use crate::note::Note;
use crate::plan::{check_names, make_visible};

/// Returns the commands on the command line, or those in the file that it names.
pub(crate) fn commands(options: &ExecArgs) -> Result<Commands> {
    let mut commands = match &options.file {
        Some(path) => {
            let commands = read(path)?;
            if commands.plan.groups.is_empty() {
                Note::NoCommands { file: path }.print();
            }
            commands
        }
        None => Commands { plan: command_line::new(options)?, hooks: HookCommands::new() },
    };
    make_visible(&mut commands.plan);
    check_names(&commands.plan)?;
    Ok(commands)
}
