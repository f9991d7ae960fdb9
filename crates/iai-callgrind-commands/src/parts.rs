//! The parts of the plan of commands.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{
    self as plan, Case, Config, Function, Group, PLAN_VERSION, Plan, VERSION,
};
use iai_callgrind_store::COMMANDS_PACKAGE;

/// The commands of hooks.
pub type HookCommands = HashMap<Hook, plan::Command>;

/// The group of commands that are in no other one.
pub const GROUP: &str = "commands";

/// Commands to run.
#[derive(Debug)]
pub struct Commands {
    /// The plan, which has no benchmark executable.
    pub plan: Plan,
    /// The commands of setups and teardowns.
    pub hooks: HookCommands,
}

/// Returns the plan of these groups of commands, which run in the directory without a sandbox by default.
pub fn new_plan(file: String, directory: &Path, config: Config, groups: Vec<Group>) -> Plan {
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
pub fn function(name: String, case: Case) -> Function {
    Function { name: Some(name), config: Config::default(), cases: vec![case] }
}

/// Returns a path that starts in this directory, without `.`.
pub(crate) fn absolute(directory: &Path, path: &Path) -> PathBuf {
    directory.join(path).components().collect()
}
