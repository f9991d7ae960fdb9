//! Copies fixtures into a sandbox.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Copies a file or a directory with its contents.
///
/// Symbolic links are copied as links or, with `follow`, replaced by copies of their targets. Links with a
/// target outside of the fixture are added to `out`.
pub(crate) fn copy(from: &Path, to: &Path, follow: bool, out: &mut Vec<PathBuf>) -> Result<()> {
    let root = from.canonicalize().map_err(Error::io("copy", from))?;
    let mut copier = Copier { root: &root, follow, out, ancestors: Vec::new() };
    copier.copy(&root, to)
}

/// Copies the contents of a directory.
pub(crate) fn copy_contents(from: &Path, to: &Path) -> Result<()> {
    let mut out = Vec::new();
    let mut copier = Copier { root: from, follow: false, out: &mut out, ancestors: Vec::new() };
    copier.copy_entries(from, to)
}

struct Copier<'a> {
    root: &'a Path,
    follow: bool,
    out: &'a mut Vec<PathBuf>,
    /// The parent directories of the copied one, to detect links to them.
    ancestors: Vec<PathBuf>,
}

impl Copier<'_> {
    fn copy(&mut self, from: &Path, to: &Path) -> Result<()> {
        let kind = fs::symlink_metadata(from).map_err(Error::io("copy", from))?.file_type();
        if kind.is_symlink() {
            return if self.follow { self.copy_target(from, to) } else { copy_link(from, to) };
        }
        if kind.is_dir() {
            fs::create_dir(to).map_err(Error::io("create the directory", to))?;
            self.ancestors.push(from.to_owned());
            self.copy_entries(from, to)?;
            self.ancestors.pop();
            return Ok(());
        }
        if kind.is_file() {
            return fs::copy(from, to).map(drop).map_err(Error::io("copy", from));
        }
        let what = "it is neither a file nor a directory nor a symbolic link";
        Err(Error::io("copy", from)(io::Error::other(what)))
    }

    fn copy_entries(&mut self, from: &Path, to: &Path) -> Result<()> {
        for entry in fs::read_dir(from).map_err(Error::io("read the directory", from))? {
            let entry = entry.map_err(Error::io("read the directory", from))?;
            self.copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    }

    fn copy_target(&mut self, link: &Path, to: &Path) -> Result<()> {
        let target = link.canonicalize().map_err(Error::io("follow", link))?;
        if !target.starts_with(self.root) {
            self.out.push(link.to_owned());
        }
        if self.ancestors.contains(&target) {
            let what = "the symbolic link leads to a directory that it is in";
            return Err(Error::io("follow", link)(io::Error::other(what)));
        }
        self.copy(&target, to)
    }
}

fn copy_link(link: &Path, to: &Path) -> Result<()> {
    let target = fs::read_link(link).map_err(Error::io("copy", link))?;
    symlink(target, to).map_err(Error::io("copy", link))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("fixtures/inner")).unwrap();
        fs::write(root.join("fixtures/file"), "inside").unwrap();
        fs::write(root.join("outside"), "outside").unwrap();
        symlink("../file", root.join("fixtures/inner/link")).unwrap();
        symlink("../outside", root.join("fixtures/out")).unwrap();
        directory
    }

    fn content(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn links_stay_links() {
        let directory = tree();
        let to = directory.path().join("deep/sandbox");
        fs::create_dir(to.parent().unwrap()).unwrap();
        let mut out = Vec::new();
        copy(&directory.path().join("fixtures"), &to, false, &mut out).unwrap();
        assert_eq!(fs::read_link(to.join("inner/link")).unwrap(), Path::new("../file"));
        assert_eq!(fs::read_link(to.join("out")).unwrap(), Path::new("../outside"));
        assert!(out.is_empty() && !to.join("out").exists());
    }

    #[test]
    fn followed_links_become_their_targets_and_those_that_lead_out_are_reported() {
        let directory = tree();
        let to = directory.path().join("sandbox");
        let mut out = Vec::new();
        copy(&directory.path().join("fixtures"), &to, true, &mut out).unwrap();
        for (file, expected) in [("inner/link", "inside"), ("out", "outside")] {
            assert!(to.join(file).symlink_metadata().unwrap().is_file());
            assert_eq!(content(&to.join(file)), expected);
        }
        assert_eq!(out.len(), 1);
        assert!(out[0].ends_with("fixtures/out"));
    }

    #[test]
    fn a_link_that_is_named_is_followed() {
        let directory = tree();
        let to = directory.path().join("file");
        copy(&directory.path().join("fixtures/out"), &to, false, &mut Vec::new()).unwrap();
        assert!(to.symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn files_that_can_not_be_copied_are_reported() {
        let directory = tree();
        let root = directory.path();
        symlink("..", root.join("fixtures/inner/up")).unwrap();
        let error = copy(&root.join("fixtures"), &root.join("a"), true, &mut Vec::new());
        assert!(error.unwrap_err().to_string().contains("leads to a directory that it is in"));
        copy(&root.join("fixtures"), &root.join("b"), false, &mut Vec::new()).unwrap();
        assert!(copy(&root.join("none"), &root.join("c"), false, &mut Vec::new()).is_err());
    }
}
