//! Errors of a plan.

use iai_callgrind_plan::VERSION;

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
    #[error("{name} is declared twice: ids must be unique within a group")]
    DuplicateName { name: String },
    #[error(
        "{name} has no command\nhelp: name one for the group, as in `benchmark = |\"name\", group: &mut \
         BinaryBenchmarkGroup| ..`, or for the run, with `Run::with_cmd`"
    )]
    NoCommand { name: String },
    #[error("can't use the plan: it has functions, but no benchmark executable")]
    NoExecutable,
}
