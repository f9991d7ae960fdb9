//! The parts of the plan of commands, and the reasons why there is none.

use std::path::{Path, PathBuf};

use iai_callgrind_plan::{
    self as plan, Case, Config, Function, Group, PLAN_VERSION, Plan, VERSION,
};
use iai_callgrind_store::COMMANDS_PACKAGE;

use crate::run::HookCommands;

/// The group of commands that are in no other one.
pub(super) const GROUP: &str = "commands";

/// Commands to run.
#[derive(Debug)]
pub(crate) struct Commands {
    pub(crate) plan: Plan,
    /// The commands of setups and teardowns.
    pub(crate) hooks: HookCommands,
}

/// The error of the parser of a value.
pub(crate) type ValueError = Box<dyn std::error::Error + Send + Sync>;

/// A reason why commands can't be made to a plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandsError {
    #[error("can't read the commands in {}: {source}", path.display())]
    File { path: PathBuf, source: Box<toml::de::Error> },
    #[error("can't use `{name}` in {}: `{key}`: {source}", path.display())]
    Entry { path: PathBuf, name: String, key: String, source: ValueError },
    #[error(
        "there are {names} names for {commands} commands\nhelp: give each command at most one --name"
    )]
    TooManyNames { names: usize, commands: usize },
    #[error(
        "can't run a command: there is no program\nhelp: write its name or its path after `--`"
    )]
    NoProgram,
}

/// Returns the plan of these groups of commands, which run in the directory without a sandbox by default.
pub(super) fn new_plan(file: String, directory: &Path, config: Config, groups: Vec<Group>) -> Plan {
    let mut defaults = Config { sandbox: Some(false), ..Config::default() };
    defaults.update(config);
    Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: COMMANDS_PACKAGE.to_owned(),
        package_dir: directory.to_string_lossy().into_owned(),
        file,
        executable: None,
        config: defaults,
        hooks: plan::Hooks::default(),
        groups,
    }
}

/// Returns a command with this name.
pub(super) fn function(name: String, case: Case) -> Function {
    Function { name: Some(name), config: Config::default(), cases: vec![case] }
}

/// Returns a path that starts in this directory, without `.`.
pub(super) fn absolute(directory: &Path, path: &Path) -> PathBuf {
    directory.join(path).components().collect()
}
