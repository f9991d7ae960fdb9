//! Reads the plan from JSON.

use std::collections::HashSet;

use iai_callgrind_base::console::{make_one_line, one_line};
use iai_callgrind_plan::{self as plan, Group, PLAN_VERSION, Plan, Subject, VERSION};
use serde::Deserialize;

use crate::error::Result;

/// A reason why the runner can't use a plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error("can't read the plan: {0}")]
    Json(serde_json::Error),
    #[error(
        "can't read the plan: version {found}, but iai-callgrind-runner {VERSION} reads version {readable}\n\
         help: use the runner of version {library}, the version of the library"
    )]
    Version { found: u32, readable: u32, library: String },
    #[error("can't use the plan: `{name}` is not a valid name of a {what}")]
    Name { what: &'static str, name: String },
    #[error("there is an empty id in {path}\nhelp: give each benchmark an id")]
    EmptyId { path: String },
    #[error(
        "{name} is declared twice: ids must be unique within a group\nhelp: give one of them another name or id"
    )]
    DuplicateName { name: String },
    #[error(
        "{name} has no command\nhelp: name one for the group, as in `benchmark = |\"name\", group: &mut \
         BinaryBenchmarkGroup| ..`, or for the run, with `Run::with_cmd`"
    )]
    NoCommand { name: String },
    #[error("can't use the plan: it has functions, but no benchmark executable")]
    NoExecutable,
}

/// Reads a plan.
pub(crate) fn read(json: &str) -> Result<Plan> {
    let plan = serde_json::from_str(json);
    let is_of_this_version = |plan: &Plan| plan.plan_version == PLAN_VERSION;
    if !plan.as_ref().is_ok_and(is_of_this_version) {
        check_version(json)?;
    }
    let mut plan = plan.map_err(PlanError::Json)?;
    make_visible(&mut plan);
    check_names(&plan)?;
    Ok(plan)
}

/// Returns an error if a plan has another version, because everything else can differ then.
fn check_version(json: &str) -> Result<(), PlanError> {
    #[derive(Deserialize)]
    struct Versions {
        plan_version: u32,
        library_version: String,
    }
    let Versions { plan_version: found, library_version: library } =
        serde_json::from_str(json).map_err(PlanError::Json)?;
    match found {
        PLAN_VERSION => Ok(()),
        _ => Err(PlanError::Version { found, readable: PLAN_VERSION, library }),
    }
}

/// Makes each name that is printed or filtered one line without control characters.
pub(crate) fn make_visible(plan: &mut Plan) {
    for function in plan.groups.iter_mut().flat_map(|group| &mut group.functions) {
        let names = function.cases.iter_mut().flat_map(|case| {
            let optional = [&mut case.id, &mut case.external_id, &mut case.curve];
            optional.into_iter().flatten().chain([&mut case.arguments])
        });
        names.chain(&mut function.name).for_each(make_one_line);
    }
}

/// Returns an error if a name cannot be the name of a directory, or a part of the names of benchmarks.
pub(crate) fn check_names(plan: &Plan) -> Result<()> {
    let groups = plan.groups.iter().map(|group| ("group", &group.name));
    let others = [("package", &plan.package), ("benchmark file", &plan.file)];
    let target = plan.executable.iter().map(|executable| ("target", &executable.build.target));
    for (what, name) in others.into_iter().chain(target).chain(groups) {
        let is_path = name.starts_with('.') || name.contains(['/', '\0']);
        let is_visible = one_line(name) == *name;
        if name.is_empty() || is_path || name.contains("::") || !is_visible {
            return Err(PlanError::Name { what, name: name.clone() }.into());
        }
    }
    plan.groups.iter().try_for_each(|group| check_group(group, &plan.file))
}

/// Checks that all cases have a command and a unique name, which identifies them in titles, filters
/// and directories.
fn check_group(group: &Group, file: &str) -> Result<()> {
    let mut names = HashSet::new();
    for function in &group.functions {
        let path = plan::path(file, &group.name, function.name.as_deref());
        let own_path = function.name.as_ref().map(|_| path.clone());
        let ids = function.cases.iter().map(|case| case.id.as_deref());
        let ids = ids.filter(|id| id.is_some() || function.name.is_none());
        for name in own_path.into_iter().chain(ids.map(|id| plan::name(&path, id.or(Some(""))))) {
            if name.ends_with("::") {
                return Err(PlanError::EmptyId { path }.into());
            }
            if let Some(name) = names.replace(name) {
                return Err(PlanError::DuplicateName { name }.into());
            }
        }
        for case in &function.cases {
            if matches!(&case.subject, Subject::Binary { command, .. } if command.program.is_empty())
            {
                let name = plan::name(&path, case.id.as_deref());
                return Err(PlanError::NoCommand { name }.into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Json;
    use iai_callgrind_plan::{
        Build, Case, Config, Executable, Function, Group, Hooks, Subject, VERSION,
    };

    use super::*;

    fn plan(package: &str, file: &str, target: &str, group: &str) -> Plan {
        Plan {
            plan_version: PLAN_VERSION,
            library_version: VERSION.to_owned(),
            package: package.to_owned(),
            package_dir: "/package".to_owned(),
            file: file.to_owned(),
            executable: Some(Executable {
                path: "/executable".to_owned(),
                build: Build { target: target.to_owned(), ..Build::default() },
            }),
            config: Config::default(),
            hooks: Hooks::default(),
            groups: vec![Group::new(group.to_owned(), Vec::new())],
        }
    }

    #[test]
    fn a_name_cannot_leave_the_output_directory() {
        assert!(read(&plan("a-b", "file", "x86_64-unknown-linux-gnu", "g").to_json()).is_ok());
        for name in
            ["", ".", "..", "../up", "/etc", "a/b", ".hidden", "a\0b", "a::b", "a\nb", "\u{202e}a"]
        {
            for plan in [
                plan(name, "file", "target", "group"),
                plan("package", name, "target", "group"),
                plan("package", "file", name, "group"),
                plan("package", "file", "target", name),
            ] {
                let error = read(&plan.to_json()).unwrap_err().to_string();
                assert!(error.contains("is not a valid name of a"), "{error}");
            }
        }
    }

    #[test]
    fn a_benchmark_has_a_name() {
        let case = |id: Option<&str>| {
            let (owner, function) = ("o".to_owned(), "f".to_owned());
            let subject = Subject::Library { owner, function, entry: 0, item: 0 };
            Case::new(id.map(ToOwned::to_owned), String::new(), subject)
        };
        for (name, id, is_right) in [
            (Some("f"), None, true),
            (Some("f"), Some(""), false),
            (None, Some("id"), true),
            (None, None, false),
            (None, Some(""), false),
            (Some(""), Some("id"), false),
        ] {
            let mut plan = plan("package", "file", "target", "group");
            let name = name.map(ToOwned::to_owned);
            let function = Function { name, config: Config::default(), cases: vec![case(id)] };
            plan.groups[0].functions.push(function.clone());
            assert_eq!(read(&plan.to_json()).is_ok(), is_right, "{plan:?}");
            plan.groups[0].functions.push(function);
            assert!(read(&plan.to_json()).is_err(), "declared twice: {plan:?}");
        }
    }

    #[test]
    fn the_version_is_checked_first() {
        let error = read(r#"{"plan_version":99,"library_version":"9.0.0"}"#).unwrap_err();
        assert!(error.to_string().starts_with("can't read the plan: version 99, but "), "{error}");
    }
}
