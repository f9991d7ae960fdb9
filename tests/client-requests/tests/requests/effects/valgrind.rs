//! Runs the program of this package under Valgrind.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// The output of a scenario that succeeded
pub(crate) struct Run {
    /// The answers of requests, line by line
    pub(crate) answers: String,
    /// Valgrind's log
    pub(crate) log: String,
    directory: TempDir,
}

/// Runs a scenario natively.
pub(crate) fn native(scenario: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_probe")).arg(scenario).output().unwrap();
    assert!(output.status.success(), "{scenario}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a scenario under a tool with these options. Files go to a directory of its own: that is the current one.
pub(crate) fn run(tool: &str, options: &[&str], scenario: &str) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("valgrind")
        .args([&format!("--tool={tool}"), "--log-file=log"])
        .args(options)
        .args([env!("CARGO_BIN_EXE_probe"), scenario])
        .current_dir(directory.path())
        .env_remove("VALGRIND_OPTS")
        .output()
        .expect("Valgrind is installed");
    let log = fs::read_to_string(directory.path().join("log")).unwrap_or_default();
    assert!(output.status.success(), "{tool} {scenario}: {output:?}\n{log}");
    Run { answers: String::from_utf8(output.stdout).unwrap(), log, directory }
}

/// Returns the version of the installed Valgrind.
pub(crate) fn version() -> (u32, u32) {
    let output = Command::new("valgrind").arg("--version").output().expect("Valgrind is installed");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.trim_start_matches("valgrind-").split('.');
    let mut next = || numbers.next().and_then(|number| number.parse().ok()).expect("a version");
    (next(), next())
}

impl Run {
    /// Returns the files whose names start with this, by their names.
    pub(crate) fn files(&self, prefix: &str) -> Vec<(String, String)> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let chosen = paths.filter(|path| name(path).starts_with(prefix));
        let mut files: Vec<_> =
            chosen.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect();
        files.sort();
        files
    }

    /// Returns the number of errors in the tool's log.
    pub(crate) fn errors(&self) -> u32 {
        let (_, rest) = self.log.rsplit_once("ERROR SUMMARY: ").expect("an error summary");
        rest.split(' ').next().unwrap().parse().unwrap()
    }

    /// Asserts that the log contains this text.
    #[track_caller]
    pub(crate) fn assert_log(&self, text: &str) {
        assert!(self.log.contains(text), "no {text:?} in:\n{}", self.log);
    }
}
