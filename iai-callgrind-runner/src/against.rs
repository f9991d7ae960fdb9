//! The other revision of a run.

use std::path::Path;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::settings::{AgainstBenches, Settings};
use iai_callgrind_environment::fingerprint;
use iai_callgrind_plan::Plan;
use iai_callgrind_process::Limit;
use iai_callgrind_revisions::{
    AgainstError, BuildCommand, Builder, CargoCall, MeasuringArguments, OtherSide, Repository,
    Revisions,
};
use iai_callgrind_tools::valgrind::Valgrind;

use crate::error::Result;

/// Finds the other revision of the run of this plan, if the settings name one.
pub(crate) fn other_side<'a>(
    plan: &'a Plan,
    settings: &Settings,
    arguments: impl FnOnce() -> MeasuringArguments,
) -> Result<Option<OtherSide<'a>>> {
    let Some(revision) = &settings.against else { return Ok(None) };
    let executable = plan.executable.as_ref().ok_or(AgainstError::Commands)?;
    let package = Path::new(&plan.package_dir);
    let repository = Repository::of(package)?;
    let commit = repository.resolve(&revision.name)?;
    let valgrind = Valgrind::find(settings.valgrind.as_deref(), settings.tool_runner.clone())?;
    let path = Some(Path::new(&executable.path));
    let fingerprint =
        fingerprint(&settings.surroundings(package, path, valgrind.version.as_deref()));
    let builder = match (&revision.build, path) {
        (Some(command), Some(path)) => Builder::Command(BuildCommand::new(command, path, package)?),
        _ => Builder::Cargo(CargoCall::of_parents()?),
    };
    let revisions = Revisions {
        repository,
        builder,
        home: settings.home.clone(),
        flags: Some(executable.build.flags.clone()),
        workspace: workspace_directory(package),
        benches_of_here: revision.benches == AgainstBenches::Here,
        arguments: arguments(),
        fingerprint: serde_json::to_string(&fingerprint).unwrap_or_default(),
        compared: Some(fingerprint),
    };
    let limit = Limit::of_benchmark(settings.timeout, false);
    Ok(Some(OtherSide::new(plan, revisions, commit, limit)))
}
