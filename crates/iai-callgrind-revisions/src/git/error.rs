//! Errors of git: its commands, repositories and revisions.

use std::path::PathBuf;

use iai_callgrind_base::console::one_line;

/// A reason why a commit can't be found.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum GitError {
    #[error(
        "can't find the commits: {} is not in a git work tree\nhelp: keep results in a baseline, see --save-baseline",
        directory.display()
    )]
    NoRepository { directory: PathBuf },
    #[error("can't use the git repository of {}\n{output}", directory.display())]
    Unusable { directory: PathBuf, output: String },
    #[error(
        "can't find the revision `{revision}`\n{}{}", revision_help(*.is_shallow),
        branches.as_ref().map_or_else(String::new, |all| format!(" (branches here: {all})"))
    )]
    NoRevision { revision: String, branches: Option<String>, is_shallow: bool },
    #[error(
        "can't find the default branch for @merge-base: there is neither origin/HEAD, origin/main, origin/master, main \
         nor master\nhelp: name the revision, or set the branch with `git remote set-head origin --auto`"
    )]
    NoDefaultBranch,
    #[error(
        "can't find the branch {branch} for @merge-base, which a variable of the CI service names\n{}",
        target_branch_help(*.is_shallow)
    )]
    NoTargetBranch { branch: String, is_shallow: bool },
    #[error(
        "can't find a common commit of HEAD and {branch} for @merge-base\n{}", revision_help(*.is_shallow)
    )]
    NoMergeBase { branch: String, is_shallow: bool },
    #[error("{good} is not an ancestor of {bad}\nhelp: name the older commit first")]
    NotAncestor { good: String, bad: String },
    #[error("`{range}` is not a range of commits\nhelp: write it as `A..B`, such as `v1.0..HEAD`")]
    NotARange { range: String },
    #[error(
        "can't find a commit: the repository {} has none\nhelp: commit the code, and run the benchmarks again",
        top.display()
    )]
    NoCommit { top: PathBuf },
    #[error(
        "can't read the commit that is checked out in {}: {}\nhelp: run `git fsck`, and check out an undamaged commit",
        top.display(), one_line(.output)
    )]
    DamagedHead { top: PathBuf, output: String },
    #[error("`git {command}` failed\n{output}")]
    Failed { command: String, output: String },
}

/// Returns the help for a branch of the remote `origin` that is not in this clone.
fn target_branch_help(is_shallow: bool) -> &'static str {
    if is_shallow {
        "help: fetch it with its history, with `fetch-depth: 0` for actions/checkout, or `GIT_DEPTH: \"0\"` for GitLab"
    } else {
        "help: fetch it with `git fetch origin`, or name the revision, such as `--against=main`"
    }
}

/// Returns the help for a revision that git does not find.
fn revision_help(is_shallow: bool) -> &'static str {
    if is_shallow {
        "help: this clone has a part of the history; fetch all of it with `git fetch --unshallow`, or with \
         `fetch-depth: 0` for actions/checkout"
    } else {
        "help: name a branch, a tag or a commit; fetch it first if only another repository has it"
    }
}
