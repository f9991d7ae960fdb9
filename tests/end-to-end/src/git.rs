//! Repositories of users.

use std::path::Path;
use std::process::Command;

use crate::skip::need;
use crate::suite::run;

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
