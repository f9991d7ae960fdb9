//! Repositories of users.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::skip::need;
use crate::suite::{Suite, run};
use crate::tree::tree as tree_of;

/// Runs git in this directory as a user without a configuration. Returns what it printed.
#[must_use]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    need("git");
    let mut command = Command::new("git");
    let configuration = [
        "user.name=me",
        "user.email=me@localhost",
        "commit.gpgsign=false",
        "init.defaultBranch=main",
    ];
    command.current_dir(directory).args(configuration.iter().flat_map(|entry| ["-c", *entry]));
    command.args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    run(&mut command).expect(0).stdout
}

impl Suite {
    /// Marks the results as measured at the commit that is checked out in a repository, without
    /// changes.
    pub fn measured_at(&self, repository: &Path) {
        let id = |revision| git(repository, &["rev-parse", revision]).trim().to_owned();
        let (commit, tree) = (id("HEAD"), id("HEAD^{tree}"));
        let content =
            format!("{{\"commit\":{commit:?},\"tree\":{tree:?},\"uncommitted\":0,\"files\":[]}}");
        for path in tree_of(&self.home()).keys() {
            if let Some(stem) = path.strip_suffix(".fingerprint.json") {
                let path = self.home().join(format!("{stem}.commit.json"));
                fs::write(path, &content).expect("a file");
            }
        }
    }
}
