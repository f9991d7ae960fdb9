//! The git repository of a package, and its revisions.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use iai_callgrind_base::console::one_line;

use crate::error::Result;
use crate::git::Checkout;
use crate::git::error::GitError;

/// The revision that is the merge base of this side and of the branch that it goes into.
const MERGE_BASE: &str = "@merge-base";

/// Variables of CI services with the branch that a change goes into.
const TARGET_BRANCHES: [&str; 2] = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"];

/// Number of branches that an error names.
const SHOWN_BRANCHES: usize = 5;

/// Default branches, the first one that exists counts.
const DEFAULT_BRANCHES: [&str; 5] =
    ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

/// The repository of the user's work tree.
pub struct Repository {
    /// The work tree of this side.
    pub checkout: Checkout,
}

/// Number of the first digits of a commit that name it.
pub(super) const SHORT: usize = 12;

/// A commit, and the words that the user called it by.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The id of the commit.
    pub id: String,
    name: String,
}

/// A commit with its description in the log.
#[derive(Debug, Clone)]
pub struct ListedCommit {
    /// The commit.
    pub commit: Commit,
    /// The day on which it was committed.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// Returns the commit with this id, which the user called by this name.
    pub fn new(id: String, name: &str) -> Self {
        Self { id, name: name.to_owned() }
    }

    /// Returns the first digits of the id.
    pub fn short(&self) -> &str {
        &self.id[..SHORT]
    }

    /// Returns the name with the id, if it has one.
    pub fn description(&self) -> String {
        if self.id.starts_with(&self.name) {
            self.short().to_owned()
        } else {
            format!("{} ({})", self.name, self.short())
        }
    }
}

impl Repository {
    /// Finds the repository that contains this directory.
    pub fn of(directory: &Path) -> Result<Self> {
        let no_repository = || {
            let own = directory.to_owned();
            match Checkout::problem(directory) {
                Some(output) => GitError::Unusable { directory: own, output },
                None => GitError::NoRepository { directory: own },
            }
        };
        Ok(Self { checkout: Checkout::find(directory).ok_or_else(no_repository)? })
    }

    /// Finds the commit of a branch, a tag, a commit or `@merge-base`.
    pub fn resolve(&self, revision: &str) -> Result<Commit> {
        let id = match revision {
            MERGE_BASE => self.merge_base()?,
            _ => self.commit(revision).ok_or_else(|| GitError::NoRevision {
                revision: revision.to_owned(),
                branches: self.branches(),
                is_shallow: self.is_shallow(),
            })?,
        };
        Ok(Commit { id, name: revision.to_owned() })
    }

    /// Returns the names of the branches that were changed last, with those of remotes, which a clone in CI has only; `None` if
    /// there are none.
    fn branches(&self) -> Option<String> {
        let names = self.checkout.ask(&[
            "for-each-ref",
            "--sort=-committerdate",
            "--format=%(symref)`%(refname:short)`",
            "refs/heads",
            "refs/remotes",
        ])?;
        // The default branch of a remote is another name of one of these
        let names = names.lines().filter(|name| name.starts_with('`'));
        let names: Vec<_> = names.take(SHOWN_BRANCHES).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the commit that is checked out.
    pub fn head(&self) -> Result<Commit> {
        let id = self.commit("HEAD").ok_or_else(|| self.checkout.problem_of_head())?;
        Ok(Commit { id, name: "HEAD".to_owned() })
    }

    /// Returns the hash of the files in a commit.
    pub fn tree_of(&self, id: &str) -> Option<String> {
        let tree = format!("{id}^{{tree}}");
        let options = ["rev-parse", "--verify", "--quiet", "--end-of-options", &tree];
        Some(self.checkout.ask(&options)?.trim().to_owned())
    }

    /// Returns true if a commit is the other one, or in its history.
    pub fn is_ancestor(&self, commit: &Commit, of: &Commit) -> bool {
        let is_before = ["merge-base", "--is-ancestor", &commit.id, &of.id];
        self.checkout.ask(&is_before).is_some()
    }

    /// Lists the commits after one up to another one, by first parents, the oldest first.
    pub fn list(&self, after: &Commit, last: &Commit) -> Result<Vec<ListedCommit>> {
        if !self.is_ancestor(after, last) {
            let [good, bad] = [after, last].map(Commit::description);
            return Err(GitError::NotAncestor { good, bad }.into());
        }
        self.log(&["--first-parent", "--reverse", &format!("{}..{}", after.id, last.id)])
    }

    /// Lists the commits of a range, or all commits up to `HEAD`, the oldest first. Each one follows from the one before:
    /// of merged branches, the merge is listed.
    pub fn history(&self, range: Option<&str>) -> Result<Vec<ListedCommit>> {
        let Some(range) = range else {
            return self.log(&["--reverse", "--first-parent", &self.head()?.id]);
        };
        let (first, last) = ends_of_range(range)?;
        let (first, last) = (self.resolve(first)?, self.resolve(last)?);
        let after = self.list(&first, &last)?;
        Ok([self.listed(&first)?].into_iter().chain(after).collect())
    }

    /// Returns a commit with its date and subject.
    pub fn listed(&self, commit: &Commit) -> Result<ListedCommit> {
        let listed = self.log(&["--max-count=1", &commit.id])?.pop();
        let none = || GitError::Failed { command: "log".to_owned(), output: commit.id.clone() };
        Ok(listed.ok_or_else(none)?)
    }

    /// Returns the content of a file of the work tree in the commit with this id.
    pub fn file(&self, id: &str, path: &Path) -> Option<String> {
        let top = self.checkout.top.canonicalize().ok()?;
        // The file may be gone, its directory less often
        let directory = path.parent()?.canonicalize().ok()?;
        let directory = directory.strip_prefix(top).ok()?.join(path.file_name()?);
        let mut name = OsString::from(format!("{id}:"));
        name.push(directory);
        self.checkout.ask(&[OsStr::new("cat-file"), OsStr::new("blob"), &name])
    }

    fn log(&self, arguments: &[&str]) -> Result<Vec<ListedCommit>> {
        let options = ["log", "--format=%H%x09%cs%x09%s", "--no-show-signature"];
        let output = self.checkout.run(&[&options, arguments, &["--"]].concat())?;
        let commits = output.lines().filter_map(|line| {
            let mut fields = line.splitn(3, '\t').map(|field| one_line(field).into_owned());
            let id = fields.next()?;
            let commit = Commit { name: id.clone(), id };
            Some(ListedCommit { commit, date: fields.next()?, subject: fields.next()? })
        });
        Ok(commits.collect())
    }

    fn commit(&self, revision: &str) -> Option<String> {
        let commit = format!("{revision}^{{commit}}");
        let options = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        Some(self.checkout.ask(&options)?.trim().to_owned())
    }

    fn merge_base(&self) -> Result<String> {
        let set = TARGET_BRANCHES.iter().find_map(|name| env::var(name).ok());
        let set = set.filter(|name| !name.is_empty()).map(|name| format!("origin/{name}"));
        let branch = match set {
            Some(branch) if self.commit(&branch).is_some() => branch,
            Some(branch) => {
                return Err(
                    GitError::NoTargetBranch { branch, is_shallow: self.is_shallow() }.into()
                );
            }
            None => DEFAULT_BRANCHES
                .into_iter()
                .find(|branch| self.commit(branch).is_some())
                .ok_or(GitError::NoDefaultBranch)?
                .to_owned(),
        };
        let base = self.checkout.ask(&["merge-base", "--end-of-options", "HEAD", &branch]);
        let no_base = || GitError::NoMergeBase { branch, is_shallow: self.is_shallow() };
        Ok(base.ok_or_else(no_base)?.trim().to_owned())
    }

    fn is_shallow(&self) -> bool {
        let answer = self.checkout.ask(&["rev-parse", "--is-shallow-repository"]);
        answer.is_some_and(|answer| answer.trim() == "true")
    }
}

/// Returns the ends of `A..B`. Without `B` the last one is `HEAD`.
pub fn ends_of_range(range: &str) -> Result<(&str, &str)> {
    let not_a_range = || GitError::NotARange { range: range.to_owned() };
    let (first, last) = range.split_once("..").ok_or_else(not_a_range)?;
    Ok((first, if last.is_empty() { "HEAD" } else { last }))
}
