//! The directory that a benchmark and its hooks run in.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use iai_callgrind_base::{FileError, hash};
use iai_callgrind_plan::{self as plan, Fixture};
use iai_callgrind_process::TemporaryDirectory;
use iai_callgrind_results::PlaceOptions;

use crate::error::{Error, LaunchError, Result};
use crate::fixtures::{copy, copy_contents};
use crate::note::print_link_of_fixture;

/// The prefix of the names of sandboxes.
const PREFIX: &str = "iai-callgrind-";

/// Lengths of the paths of sandboxes. The first one with room for a random name is used. Benchmarks
/// read and print the path, so its length must not vary.
const LENGTHS: [usize; 3] = [64, 128, 256];

/// Permissions of a sandbox: other users share its parent directory.
const PRIVATE: u32 = 0o700;

/// Minimum length of the random part of its name.
const RANDOM: usize = 6;

/// The directory that a benchmark runs in: a sandbox or the directory of the package.
#[derive(Debug)]
pub struct Place<'a> {
    /// The sandbox, `None` for the directory of the package.
    sandbox: Option<TemporaryDirectory>,
    package: &'a Path,
    options: &'a PlaceOptions,
}

impl<'a> Place<'a> {
    /// Creates the configured directory for this name. A sandbox starts as a copy of the
    /// `template`, which already contains its own fixtures.
    pub fn create(
        options: &'a PlaceOptions,
        package: &'a Path,
        template: Option<&Place<'_>>,
        name: &str,
    ) -> Result<Self> {
        let mut place = Self { sandbox: None, package, options };
        if !options.sandbox {
            return Ok(place);
        }
        let sandbox = TemporaryDirectory::create(|| named_directory(name))?;
        if let Some(template) = template {
            copy_contents(template.path(), sandbox.path())?;
        }
        let is_copied = |fixture: &Fixture| {
            template.is_some_and(|template| template.options.fixtures.contains(fixture))
        };
        for fixture in options.fixtures.iter().filter(|fixture| !is_copied(fixture)) {
            copy_fixture(fixture, package, sandbox.path())?;
        }
        place.sandbox = Some(sandbox);
        Ok(place)
    }

    /// Returns the directory that setup and teardown run in.
    pub fn path(&self) -> &Path {
        self.sandbox.as_ref().map_or(self.package, TemporaryDirectory::path)
    }

    /// Returns the directory of the benchmark.
    pub fn current_dir(&self) -> PathBuf {
        match &self.options.current_dir {
            current_dir if current_dir.as_os_str().is_empty() => self.path().to_owned(),
            current_dir => self.path().join(current_dir),
        }
    }

    /// Keeps the sandbox after the run, under another path, because the next run needs this one.
    /// Returns the path, or `None` without a sandbox.
    pub fn keep(&mut self) -> Option<&Path> {
        let sandbox = self.sandbox.as_mut()?;
        let moved = TemporaryDirectory::create(|| {
            let to = new_directory()?;
            fs::rename(sandbox.path(), &to).map_err(Error::io("rename", sandbox.path()))?;
            Ok::<_, Error>(to)
        });
        if let Ok(moved) = moved {
            *sandbox = moved;
        }
        sandbox.keep();
        Some(sandbox.path())
    }
}

/// Fails if this is not a directory.
pub fn check_directory(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    Err(LaunchError::NoDirectory { path: path.to_owned() }.into())
}

/// Creates a temporary directory with a random name. Its path has the same length on all machines.
pub fn new_directory() -> Result<PathBuf> {
    create_directory(None)
}

/// Creates a temporary directory whose path depends on this name alone. If another run has the
/// directory at the moment, only the length is the same.
pub fn named_directory(name: &str) -> Result<PathBuf> {
    create_directory(Some(name))
}

fn create_directory(name: Option<&str>) -> Result<PathBuf> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::StorageFull => FileError::Full { path: std::env::temp_dir() },
        _ => FileError::NoTemporaryDirectory { path: std::env::temp_dir(), source },
    };
    let parent = std::env::temp_dir().canonicalize().map_err(failed)?;
    let before = parent.as_os_str().len() + "/".len() + PREFIX.len();
    let random = LENGTHS.iter().filter_map(|length| length.checked_sub(before));
    let random = random.filter(|random| *random >= RANDOM).min().unwrap_or(RANDOM);
    if let Some(name) = name {
        let hash = hash(name.as_bytes());
        let digits = hash.chars().cycle().take(random);
        let path = parent.join(PREFIX.chars().chain(digits).collect::<String>());
        if DirBuilder::new().mode(PRIVATE).create(&path).is_ok() {
            return Ok(path);
        }
    }
    let mut directory = tempfile::Builder::new();
    directory.prefix(PREFIX).rand_bytes(random).permissions(Permissions::from_mode(PRIVATE));
    let directory = directory.tempdir_in(&parent);
    Ok(directory.map(tempfile::TempDir::keep).map_err(failed)?)
}

fn copy_fixture(fixture: &Fixture, package: &Path, sandbox: &Path) -> Result<()> {
    let path = find(Path::new(&plan::decode(&fixture.path)), package)?;
    let to = sandbox.join(path.file_name().unwrap_or(OsStr::new("fixtures")));
    if to.symlink_metadata().is_ok() {
        return Err(LaunchError::FixtureExists { path }.into());
    }
    let mut out = Vec::new();
    copy(&path, &to, fixture.follow_symlinks, &mut out)?;
    for link in out {
        print_link_of_fixture(&link);
    }
    Ok(())
}

/// Finds a fixture in the directory of the package or of its workspace.
fn find(path: &Path, package: &Path) -> Result<PathBuf> {
    // Cargo writes the lock file where the workspace is
    let workspace = package.ancestors().find(|directory| directory.join("Cargo.lock").is_file());
    let places = [Some(package), workspace];
    let found = places.into_iter().flatten().map(|directory| directory.join(path));
    found
        .clone()
        .find(|path| path.symlink_metadata().is_ok())
        .ok_or_else(|| LaunchError::NoFixture { places: found.collect() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(fixtures: &[&str]) -> PlaceOptions {
        let fixture = |path: &&str| Fixture { path: (*path).to_owned(), follow_symlinks: false };
        let fixtures = fixtures.iter().map(fixture).collect();
        PlaceOptions { sandbox: true, fixtures, current_dir: PathBuf::new() }
    }

    #[test]
    fn each_sandbox_is_new_with_a_path_of_the_same_length_and_goes() {
        let package = tempfile::tempdir().unwrap();
        let options = options(&[]);
        let create = || Place::create(&options, package.path(), None, "each sandbox").unwrap();
        let (one, two) = (create(), create());
        assert_ne!(one.path(), two.path());
        assert_eq!(one.path().as_os_str().len(), two.path().as_os_str().len());
        assert!(LENGTHS.contains(&one.path().as_os_str().len()));
        fs::create_dir_all(one.path().join("a/b")).unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists());
        let mut again = create();
        assert_eq!(again.path(), path);
        fs::write(again.path().join("file"), "kept").unwrap();
        let kept = again.keep().unwrap().to_owned();
        assert_ne!(kept, path);
        drop(again);
        assert_eq!(create().path(), path);
        assert_eq!(fs::read(kept.join("file")).unwrap(), b"kept");
        fs::remove_dir_all(kept).unwrap();
    }

    #[test]
    fn fixtures_are_found_in_the_package_and_in_the_workspace() {
        let workspace = tempfile::tempdir().unwrap();
        let package = workspace.path().join("member");
        fs::create_dir(&package).unwrap();
        fs::write(workspace.path().join("Cargo.lock"), "").unwrap();
        fs::write(workspace.path().join("both"), "workspace").unwrap();
        fs::write(workspace.path().join("above"), "workspace").unwrap();
        fs::write(package.join("both"), "package").unwrap();
        let both = options(&["both", "above"]);
        let place = Place::create(&both, &package, None, "both").unwrap();
        let read = |name| fs::read_to_string(place.path().join(name)).unwrap();
        assert_eq!((read("both"), read("above")), ("package".into(), "workspace".into()));
        for fixtures in [&["none"][..], &["both", "./both"]] {
            assert!(
                Place::create(&options(fixtures), &package, None, "fails").is_err(),
                "{fixtures:?}"
            );
        }
    }

    #[test]
    fn a_template_is_copied_with_its_fixtures() {
        let package = tempfile::tempdir().unwrap();
        for name in ["common", "own"] {
            fs::write(package.path().join(name), name).unwrap();
        }
        let template_options = options(&["common"]);
        let template = Place::create(&template_options, package.path(), None, "template").unwrap();
        fs::write(template.path().join("common"), "changed").unwrap();
        fs::write(template.path().join("made"), "made").unwrap();
        let options = options(&["common", "own"]);
        let place = Place::create(&options, package.path(), Some(&template), "place").unwrap();
        let read = |name| fs::read_to_string(place.path().join(name)).unwrap();
        assert_eq!(["common", "own", "made"].map(read), ["changed", "own", "made"]);
    }
}
