//! A clone of a crate's repository, in the directory of this task.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::command::{self, in_file};

use crate::histories::diff::Diff;
use crate::histories::subject::Subject;
use crate::manifest;

/// Paths whose content a revision of the library consists of.
const PATHS: [&str; 3] = ["src", "Cargo.toml", "build.rs"];

/// The clone of a repository.
#[derive(Debug)]
pub(crate) struct Repository {
    directory: PathBuf,
}

impl Repository {
    /// Clones the repository of a crate, or uses the clone of an earlier run.
    pub(crate) fn open(
        subject: &Subject,
        directory: PathBuf,
        clones: Option<&Path>,
    ) -> Result<Self, String> {
        if !directory.join(".git").is_dir() {
            let source = clones.map(|clones| clones.join(&subject.name));
            let source = source.as_deref().unwrap_or(Path::new(&subject.repository));
            let mut clone = command::new("git");
            clone.args(["clone", "--quiet", "--no-checkout", "--"]).arg(source).arg(&directory);
            command::output(&mut clone).map_err(|error| format!("{}: {error}", subject.name))?;
        }
        Ok(Self { directory })
    }

    /// Returns the directory of the package.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns revisions that change the library, the oldest first.
    pub(crate) fn revisions(&self, end: &str, number: usize) -> Result<Vec<String>, String> {
        let number = format!("--max-count={number}");
        let list = ["log", "--first-parent", "--format=%H", &number, end, "--"];
        let output = self.git(&[&list[..], &PATHS].concat())?;
        Ok(output.lines().rev().map(str::to_owned).collect())
    }

    /// Returns the hash and the subject of a revision, for a table.
    pub(crate) fn title(&self, revision: &str) -> Result<String, String> {
        let title = self.git(&["log", "--max-count=1", "--format=%h %s", revision])?;
        Ok(title.trim().to_owned())
    }

    /// Replaces all files by those of a revision.
    pub(crate) fn check_out(&self, revision: &str) -> Result<(), String> {
        self.git(&["checkout", "--quiet", "--force", "--detach", revision])?;
        self.git(&["clean", "-ffdxq"]).map(drop)
    }

    /// Commits all files, so that a result names the commit that was measured.
    pub(crate) fn commit(&self, message: &str) -> Result<(), String> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]).map(drop)
    }

    /// Returns what changes from one revision to another.
    pub(crate) fn diff(&self, old: &str, new: &str) -> Result<Diff, String> {
        let options = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
        let rest = ["--ignore-all-space", "--unified=0", "--no-prefix", old, new, "--", "src"];
        let text = self.git(&[&options[..], &rest].concat())?;
        // A file that is not in a revision has no lines
        let content = |revision: &str, path: &str| {
            self.git(&["show", &format!("{revision}:{path}")]).unwrap_or_default()
        };
        let mut diff = Diff::parse(&text, |path| content(old, path), |path| content(new, path));
        let settings = |revision| {
            let manifest = manifest::build_settings(&content(revision, "Cargo.toml"))?;
            Ok::<_, String>([manifest, content(revision, "build.rs")])
        };
        diff.changes_build = settings(old)? != settings(new)?;
        Ok(diff)
    }

    /// Reads a file of the package.
    pub(crate) fn read(&self, name: &str) -> Result<String, String> {
        let file = self.directory.join(name);
        fs::read_to_string(&file).map_err(in_file(&file))
    }

    /// Runs git in the clone, without hooks and settings of the user.
    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(self.directory.join(".git"));
        git.arg("--work-tree").arg(&self.directory).current_dir(&self.directory);
        git.args(["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"]);
        git.args(["-c", "user.name=histories", "-c", "user.email=histories@localhost"]);
        command::output(git.args(arguments))
    }
}
