//! The end-to-end tests under a newer Valgrind than the one that the system installs.
//!
//! The package of Debian's release after the oldest supported one is unpacked into the target directory.
//! Nothing is installed.

use std::env::{self, consts::ARCH};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::command;
use xtask::outcome::Outcome;
use xtask::quiet;

/// The package and its SHA-256
const PACKAGE: &str = "valgrind_3.24.0-3_amd64.deb";
const SHA256: &str = "0359e30820ccee7ee5c8d4c951ca276e3978b18f157d71bd77981de05b344907";
const POOL: &str = "http://deb.debian.org/debian/pool/main/v/valgrind";

/// The tests whose results depend on Valgrind: its counts, its files, its logs
const TESTS: &[&str] = &[
    "by_hand::",
    "commands::all_processes_and_threads_count",
    "commands::an_entry_point_counts_less",
    "commands::what_came_before_a_fork_counts_once",
    "counts::",
    "files::",
    "metrics::allocations",
    "regions::",
    "tools::",
];

/// The one that compares two versions, which builds a crate
const BUILT: &str = "counts_files::another_valgrind_is_named_before_any_number";

/// Tests among these that look at the runner alone, or that repeat what others show
const SKIPPED: &[&str] = &[
    "baselines_limits_and_metrics",
    "however_many_run_at_once",
    "it_does_not_matter_how_many_run_at_once",
    "nothing_of_a_run_with_failures_is_left",
    "options_of_a_tool_that_does_not_run",
    "output_is_shown_of_the_default_tools_run",
    "results_lie_in_the_target_directory",
    "results_name_the_executable_by_its_path",
    "the_order_of_declaration_does_not_matter",
    "the_working_directory_does_not_matter",
    "what_a_killed_run_left_is_removed",
    "where_the_results_go",
];

/// Runs the tests, if this machine can have the package
pub(crate) fn check() -> Outcome {
    let root = match unpacked() {
        Ok(root) => root,
        Err(reason) => return Outcome::Skipped(format!("no {PACKAGE}: {reason}")),
    };
    // The variable for Valgrind's path is among those that the tests hide from benchmarks
    let path = env::var_os("PATH").unwrap_or_default();
    let paths = [root.join("usr/bin")].into_iter().chain(env::split_paths(&path));
    let path = match env::join_paths(paths) {
        Ok(path) => path,
        Err(error) => return Outcome::Failed(vec![error.to_string()]),
    };
    let mut tests = command::cargo(["test", "--test", "e2e", "--"]);
    tests.args(TESTS).args(SKIPPED.iter().flat_map(|name| ["--skip", name]));
    // By its whole name, because others of this executable may run in another check
    let mut built = command::cargo(["test", "--test", "crates", "--", "--exact", BUILT]);
    let run = |tests: &mut Command| {
        quiet::set_threads(tests);
        tests.env("PATH", &path).env("VALGRIND_LIB", root.join("usr/libexec/valgrind"));
        quiet::outcome(tests)
    };
    run(&mut tests).and(run(&mut built))
}

/// Returns the folder that the package is unpacked in.
fn unpacked() -> Result<PathBuf, String> {
    if ARCH != "x86_64" {
        return Err(format!("it is not for {ARCH}"));
    }
    let folder = command::target().join("xtask/valgrind");
    let root = folder.join("root");
    if root.join("usr/bin/valgrind").exists() {
        return Ok(root);
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let package = folder.join(PACKAGE);
    // Part of every apt: downloads, and compares the hash
    let mut download = command::new("/usr/lib/apt/apt-helper");
    download.args(["download-file", &format!("{POOL}/{PACKAGE}")]).arg(&package);
    command::output(download.arg(format!("SHA256:{SHA256}")))?;
    extract(&package, &root)?;
    Ok(root)
}

/// Unpacks it next to its place first, so that an incomplete Valgrind is never there
fn extract(package: &Path, root: &Path) -> Result<(), String> {
    let partial = root.with_extension("partial");
    let mut extract = command::new("dpkg-deb");
    command::output(extract.arg("--extract").args([package, &partial]))?;
    fs::rename(&partial, root).map_err(|error| format!("{}: {error}", root.display()))
}
