//! Executables that baselines keep. A later executable is compared with one of them at once, as
//! with that of a revision.
//!
//! They are in cargo's build directory, because a directory of results can come from others, and
//! nothing in it is started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_launch::new_directory;
use iai_callgrind_plan::Plan;
use iai_callgrind_process::{Limit, TemporaryDirectory};
use iai_callgrind_profile::files;
use iai_callgrind_revisions::read_plan;
use iai_callgrind_store::{Slot, create_sibling, read_if_exists, replace_page};
use iai_callgrind_tools::executable::profile_directory;

use super::copies::copy_program;
use super::sides::LoadedSide;
use crate::error::{Error, Result};
use crate::plan;
use crate::run::error::RunError;
use iai_callgrind_base::hash;

/// Directory of kept executables, next to cargo's executables.
const DIRECTORY: &str = "iai-callgrind";

/// Returns the place for the executable of a baseline; `None` if this executable is not in a
/// directory of cargo.
fn place(executable: &Path, settings: &Settings, slot: &Slot) -> Option<PathBuf> {
    let profile = profile_directory(executable)?;
    let of_file = settings.directory.strip_prefix(&settings.home).ok()?;
    Some(profile.join(DIRECTORY).join(of_file).join(format!("executable{slot}")))
}

/// Keeps a copy of this executable, if a baseline is saved.
pub(super) fn keep(executable: &Path, settings: &Settings) -> Result<()> {
    let slot = &settings.mode.new;
    let is_saved = matches!(slot, Slot::Baseline(_));
    let Some(path) = place(executable, settings, slot).filter(|_| is_saved) else { return Ok(()) };
    let failed = || Error::io("write", &path);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed())?;
    let copy = create_sibling(&path).map_err(failed())?;
    copy_program(executable, copy.path())?;
    let hash = hash(&files::read(copy.path()).map_err(failed())?);
    copy.persist(&path).map_err(|error| failed()(error.error))?;
    replace_page(&hash_file(&path), hash.as_bytes()).map_err(failed())
}

/// Returns the file with the hash of a kept executable.
fn hash_file(executable: &Path) -> PathBuf {
    let mut path = executable.as_os_str().to_owned();
    path.push(".hash");
    path.into()
}

/// Returns an error if a kept executable was changed. A shell would run a file that the kernel does
/// not recognise as a program.
fn check(executable: &Path) -> Result<()> {
    let content = files::read(executable).map_err(Error::io("read", executable))?;
    let path = executable.to_owned();
    match read_if_exists(&hash_file(executable))? {
        Some(expected) if expected == hash(&content).as_bytes() => Ok(()),
        Some(_) => Err(RunError::DamagedExecutable { path }.into()),
        None => Err(RunError::NoHash { path }.into()),
    }
}

/// Loads the executable that a baseline keeps of the benchmark file of this plan.
pub(super) fn load(plan: &Plan, settings: &Settings, slot: &Slot) -> Result<LoadedSide> {
    let executable = plan.executable.as_ref().map(|executable| Path::new(&executable.path));
    let kept = executable.and_then(|executable| place(executable, settings, slot));
    let no_executable = || RunError::NoExecutable {
        baseline: slot.name().to_owned(),
        package: plan.package.clone(),
        file: plan.file.clone(),
    };
    let kept = kept.filter(|kept| kept.is_file()).ok_or_else(no_executable)?;
    check(&kept)?;
    let directory = TemporaryDirectory::create(new_directory)?;
    let mut command = Command::new(&kept);
    command.current_dir(&plan.package_dir).stdin(Stdio::null()).stdout(Stdio::null());
    let limit = Limit::of_benchmark(settings.timeout, false);
    let old = read_plan(&mut command, directory.path(), limit)?;
    LoadedSide::kept(plan::read(&old.ok_or_else(no_executable)?)?, &kept, settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_executable_is_not_started() {
        let directory = tempfile::tempdir().unwrap();
        let executable = directory.path().join("executable");
        fs::write(&executable, "\u{7f}ELF content").unwrap();
        let error = check(&executable).unwrap_err().to_string();
        assert!(error.contains("executable was saved by an older version\nhelp: save"), "{error}");
        let known = hash(&fs::read(&executable).unwrap());
        fs::write(hash_file(&executable), known).unwrap();
        check(&executable).unwrap();
        fs::write(&executable, "\u{7f}ELF contend").unwrap();
        let error = check(&executable).unwrap_err().to_string();
        assert!(error.contains("is damaged") && error.contains("--save-baseline"), "{error}");
    }
}
