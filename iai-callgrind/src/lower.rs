//! From the static suite to the plan.

use std::env;
use std::path::Path;

use iai_callgrind_runner::plan;
use iai_callgrind_runner::plan::{Case, Function, Group, PLAN_VERSION, Plan, VERSION};

use crate::serve::entry;
use crate::suite::{self, Suite};

/// The plan of this suite for this executable; an error if that has no UTF-8 path.
pub(crate) fn lower(suite: &Suite, executable: &Path) -> Result<Plan, String> {
    let executable = executable
        .to_str()
        .ok_or_else(|| format!("{} is not a path in UTF-8", executable.display()))?;
    Ok(Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: suite.package.to_owned(),
        package_dir: suite.package_dir.to_owned(),
        file: suite.file.to_owned(),
        executable: executable.to_owned(),
        target: target(),
        config: with_default_tool(config(suite.config)),
        hooks: hooks(suite.hooks),
        groups: suite.groups.iter().map(|it| group(it, suite.file)).collect(),
    })
}

fn group(group: &suite::Group, file: &str) -> Group {
    let path = format!("{file}::{}", group.name);
    Group {
        name: group.name.to_owned(),
        compare_by_id: group.compare_by_id,
        config: config(group.config),
        hooks: hooks(group.hooks),
        functions: group.functions.iter().map(|it| function(it, &path)).collect(),
    }
}

fn function(function: &suite::Function, group: &str) -> Function {
    let path = format!("{group}::{}", function.name);
    Function {
        name: function.name.to_owned(),
        owner: (function.owner)().to_owned(),
        config: config(function.config),
        cases: function.cases.iter().flat_map(|it| cases(it, &path)).collect(),
    }
}

fn cases(case: &suite::Case, function: &str) -> impl Iterator<Item = Case> + use<> {
    let (entry, config) = (entry(case), config(case.config));
    case.runs(function).enumerate().map(move |(item, run)| Case {
        id: run.id,
        arguments: run.arguments.to_owned(),
        entry,
        item: item as u64,
        config: config.clone(),
    })
}

/// The target triple as far as the compiler's settings tell it, which is enough to keep the results of
/// targets apart.
fn target() -> String {
    let arch = match env::consts::ARCH {
        "x86" => "i686",
        "riscv64" => "riscv64gc",
        "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
        arch => arch,
    };
    let vendor = if cfg!(target_vendor = "apple") { "apple" } else { "unknown" };
    let abi = if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "gnu") {
        "-gnu"
    } else {
        ""
    };
    let float = if cfg!(target_abi = "eabihf") { "eabihf" } else { "" };
    format!("{arch}-{vendor}-{}{abi}{float}", env::consts::OS)
}

fn config(config: suite::Config) -> plan::Config {
    config.map(|config| config().into()).unwrap_or_default()
}

/// The cargo feature `cachegrind` makes that the tool that runs if nothing else is configured.
fn with_default_tool(mut config: plan::Config) -> plan::Config {
    if cfg!(feature = "cachegrind") {
        config.default_tool.get_or_insert(plan::ValgrindTool::Cachegrind);
    }
    config
}

fn hooks(hooks: suite::Hooks) -> plan::Hooks {
    plan::Hooks { setup: hooks.setup.is_some(), teardown: hooks.teardown.is_some() }
}
