//! The work tree of the other revision.
//!
//! Its files stay after the run, so that cargo builds only differing ones the next time: git does
//! not touch the others, nor their modification times. It shares the user's repository, but is not
//! registered there: its index and its `HEAD` are in a directory next to it, which names the
//! repository's directory.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iai_callgrind_profile::files;
use iai_callgrind_store::{remove_file, replace_page};

use super::directories::{create_own, has_links, place_in};
use super::error::{AgainstError, Error, Result};
use super::mirror::Mirror;
use super::repository::{Commit, Repository};
use crate::git::{self, Checkout};

/// The directory with the index and `HEAD` of the work tree.
const GIT: &str = "git";

/// The file in a work tree that names this directory.
const LINK: &str = ".git";

/// The file in that directory with the path of the repository, next to what git knows.
const REPOSITORY: &str = "repository";

/// The directory in that directory with the repositories of submodules.
const MODULES: &str = "modules";

/// The lock of the index, which a git that was killed leaves.
const INDEX_LOCK: &str = "index.lock";

/// A work tree with a commit.
pub(super) struct Tree {
    /// A command's view of it: the work tree and its repository.
    pub(super) checkout: Checkout,
    mirror: Mirror,
}

impl Tree {
    /// Checks out a commit below this directory, which exists and is locked.
    pub(super) fn check_out(
        repository: &Repository,
        directory: &Path,
        commit: &Commit,
    ) -> Result<Self> {
        let mirror = Mirror::create(directory, &repository.checkout.top)?;
        let common = repository.checkout.common.clone();
        let own = directory.join(GIT);
        let checkout = Checkout { top: mirror.tree(), directory: own, common };
        let tree = Self { checkout, mirror };
        if !tree.is_of_repository() || has_links(&tree.checkout.directory) {
            tree.clear()?;
        }
        let has_modules = tree.checkout.directory.join(MODULES).is_dir();
        let mut checked_out = tree.update(commit);
        if has_modules && checked_out.is_err() {
            // A submodule can have moved to another repository
            tree.clear()?;
            checked_out = tree.update(commit);
        }
        checked_out?;
        Ok(tree)
    }

    /// Has git update the files.
    fn update(&self, commit: &Commit) -> Result<()> {
        create_own(&self.checkout.directory)?;
        self.name_repository(commit)?;
        remove_file(&self.checkout.directory.join(INDEX_LOCK))?;
        self.checkout.run(&["read-tree", "--reset", "-u", &commit.id])?;
        self.checkout.run(&["clean", "-ffdxq"])?;
        self.check_out_submodules()
    }

    /// Returns true if the files belong to another commit of this repository. Directories of
    /// results can be shared.
    fn is_of_repository(&self) -> bool {
        let Checkout { directory, common, .. } = &self.checkout;
        let repository = files::read(directory.join(REPOSITORY));
        repository.is_ok_and(|repository| repository == common.as_os_str().as_encoded_bytes())
    }

    /// Removes the files and the submodules.
    fn clear(&self) -> Result<()> {
        let Checkout { top, directory, .. } = &self.checkout;
        for path in [top, directory] {
            match fs::remove_dir_all(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::io("remove", path)(error));
                }
                _ => create_own(path)?,
            }
        }
        Ok(())
    }

    /// Notes in the index that these files belong to the work tree, so that each has a state of its own in a result.
    pub(super) fn add(&self, files: &[PathBuf]) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let add = ["add", "--force", "--intent-to-add", "--"];
        let mut command = self.checkout.command(&add);
        git::run(command.args(files), add[0]).map(drop)
    }

    /// Links the directories above, for programs that see the work tree where it is.
    pub(super) fn link(&self) {
        self.mirror.link();
    }

    /// Names the repository by the path under which programs see it.
    pub(super) fn rename_repository(&self, path: &Path) -> Result<()> {
        let file = self.checkout.directory.join("commondir");
        replace_page(&file, &line(path)).map_err(Error::io("write", &file))
    }

    /// Returns an error of cargo with the user's paths.
    pub(super) fn with_own_paths(&self, error: Error) -> Error {
        match error {
            Error::Against(AgainstError::CargoMetadata { output }) => {
                AgainstError::CargoMetadata { output: self.mirror.original(&output) }.into()
            }
            other => other,
        }
    }

    /// Writes the files by which git, cargo and build scripts find the repository and the commit.
    fn name_repository(&self, commit: &Commit) -> Result<()> {
        let Checkout { top, directory, common } = &self.checkout;
        let link = top.join(LINK);
        let files = [
            (directory.join(REPOSITORY), common.as_os_str().as_encoded_bytes().to_owned()),
            (directory.join("HEAD"), format!("{}\n", commit.id).into_bytes()),
            (directory.join("commondir"), line(common)),
            (directory.join("gitdir"), line(&link)),
            (link, [&b"gitdir: "[..], &line(directory)].concat()),
        ];
        let write = |(path, content): (PathBuf, Vec<u8>)| {
            replace_page(&path, &content).map_err(Error::io("write", &path))
        };
        files.into_iter().try_for_each(write)
    }

    /// Checks out the submodules. `--init` would write to the configuration of the user's repository.
    fn check_out_submodules(&self) -> Result<()> {
        if !self.checkout.top.join(".gitmodules").is_file() {
            return Ok(());
        }
        let all = ["-c", "submodule.active=."];
        let update = ["submodule", "--quiet", "update", "--recursive", "--force"];
        let mut command = self.checkout.command(&[&all[..], &update].concat());
        git::run(&mut command, update[0])?;
        self.name_submodules()
    }

    /// Has submodules name their repositories by absolute paths, because programs can see the work tree at another path.
    fn name_submodules(&self) -> Result<()> {
        let print = "printf '%s\\0' \"$displaypath\"";
        let paths = ["submodule", "--quiet", "foreach", "--recursive", print];
        let paths = self.checkout.run(&paths)?;
        for path in paths.split_terminator('\0') {
            let Some(link) = place_in(&self.checkout.top, Path::new(path)) else { continue };
            let link = link.join(LINK);
            let text = files::read_to_string(&link).unwrap_or_default();
            let Some(named) = text.strip_prefix("gitdir: ").map(str::trim_end) else { continue };
            let repository = link.with_file_name(named).canonicalize();
            if let Ok(repository) = repository {
                let text = [&b"gitdir: "[..], &line(&repository)].concat();
                replace_page(&link, &text).map_err(Error::io("write", &link))?;
            }
        }
        Ok(())
    }
}

fn line(path: &Path) -> Vec<u8> {
    [path.as_os_str().as_encoded_bytes(), b"\n"].concat()
}

impl Drop for Tree {
    fn drop(&mut self) {
        // It is not a repository among the user's files between two runs
        let _ = fs::remove_file(self.checkout.top.join(LINK));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    fn git(top: &Path, arguments: &[&str]) {
        let user = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        git::forget_selection(command.current_dir(top).args(user).args(arguments));
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    }

    #[test]
    fn git_does_not_write_through_links_in_its_directory() {
        let root = tempfile::tempdir().unwrap();
        let [top, against] = ["top", "against"].map(|name| root.path().join(name));
        fs::create_dir(&top).unwrap();
        fs::create_dir(&against).unwrap();
        git(&top, &["init", "--quiet"]);
        for content in ["first", "second"] {
            fs::write(top.join("file"), content).unwrap();
            git(&top, &["add", "."]);
            git(&top, &["commit", "--quiet", "--message", content]);
        }
        fs::write(top.join("staged"), "work").unwrap();
        git(&top, &["add", "."]);

        let index = top.join(".git/index");
        let before = fs::read(&index).unwrap();
        let repository = Repository::of(&top).unwrap();
        let check_out = |revision| {
            let commit = repository.resolve(revision).unwrap();
            let tree = Tree::check_out(&repository, &against, &commit).unwrap();
            fs::read_to_string(tree.checkout.top.join("file")).unwrap()
        };
        assert_eq!(check_out("HEAD"), "second");
        let link = against.join(GIT).join("index");
        fs::remove_file(&link).unwrap();
        symlink(&index, &link).unwrap();
        assert_eq!(check_out("HEAD~1"), "first");
        assert!(!link.is_symlink());
        assert_eq!(fs::read(&index).unwrap(), before);
    }
}
