//! Executables that baselines keep. A later executable is compared with one of them at once, as with that of a revision.
//!
//! They are below the directory in which cargo built them: a directory of results can be that of others, and nothing in it is
//! started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_plan::Plan;

use super::sides::LoadedSide;
use crate::against::read_plan;
use crate::error::{Error, Result};
use crate::output::{Slot, create_sibling};
use crate::process::{Limit, TemporaryDirectory};
use crate::run::sandbox::new_directory;
use crate::settings::Settings;
use crate::time::error::TimeError;

/// The directory for them, next to the one with the executables of cargo.
const DIRECTORY: &str = "iai-callgrind";

/// Returns the place for the executable of a baseline; `None` if this one is in no directory of cargo.
fn place(executable: &Path, settings: &Settings, slot: &Slot) -> Option<PathBuf> {
    let profile = executable.parent()?.parent()?;
    let of_file = settings.directory.strip_prefix(&settings.home).ok()?;
    Some(profile.join(DIRECTORY).join(of_file).join(format!("executable{slot}")))
}

/// Keeps a copy of this executable, if a baseline is saved.
pub(super) fn keep(executable: &Path, settings: &Settings) -> Result<()> {
    let slot = &settings.mode.new;
    let is_saved = matches!(slot, Slot::Baseline(_));
    let Some(path) = place(executable, settings, slot).filter(|_| is_saved) else { return Ok(()) };
    let keep = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let copy = create_sibling(&path)?;
        fs::copy(executable, copy.path())?;
        copy.persist(&path)?;
        Ok(())
    };
    keep().map_err(Error::io("write", &path))
}

/// Loads the executable that a baseline keeps of the benchmark file of this plan.
pub(super) fn load(plan: &Plan, settings: &Settings, slot: &Slot) -> Result<LoadedSide> {
    let executable = plan.executable.as_ref().map(|executable| Path::new(&executable.path));
    let kept = executable.and_then(|executable| place(executable, settings, slot));
    let no_executable = || TimeError::NoExecutable {
        baseline: slot.name().to_owned(),
        package: plan.package.clone(),
        file: plan.file.clone(),
    };
    let kept = kept.filter(|kept| kept.is_file()).ok_or_else(no_executable)?;
    let directory = TemporaryDirectory::create(new_directory)?;
    let mut command = Command::new(&kept);
    command.current_dir(&plan.package_dir).stdin(Stdio::null()).stdout(Stdio::null());
    let limit = Limit::of_benchmark(settings.timeout, false);
    let old = read_plan(&mut command, directory.path(), limit)?;
    LoadedSide::kept(old.ok_or_else(no_executable)?, &kept, settings)
}
