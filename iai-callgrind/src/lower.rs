//! From the static suite to the plan.

use std::path::Path;

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
        groups: suite.groups.iter().map(group).collect(),
    })
}

fn group(group: &suite::Group) -> Group {
    Group {
        name: group.name.to_owned(),
        compare_by_id: group.compare_by_id,
        functions: group.functions.iter().map(function).collect(),
    }
}

fn function(function: &suite::Function) -> Function {
    Function {
        name: function.name.to_owned(),
        owner: (function.owner)().to_owned(),
        cases: function.cases.iter().map(case).collect(),
    }
}

fn case(case: &suite::Case) -> Case {
    Case {
        id: case.id.map(ToOwned::to_owned),
        arguments: case.arguments.to_owned(),
        entry: entry(case),
    }
}
