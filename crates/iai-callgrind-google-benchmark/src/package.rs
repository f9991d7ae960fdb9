//! The directories of a build of C++.

use std::env;
use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_harness::__private::Origin;

/// The variables of the runner's path and of the directory of results.
const RUNNER: &str = "IAI_CALLGRIND_RUNNER";
const HOME: &str = "IAI_CALLGRIND_HOME";

/// The file of `CMake` that marks a build directory.
const CACHE: &str = "CMakeCache.txt";

/// Names the runner of the prefix that a header is in, unless the user names another one.
pub(crate) fn find_runner(header: Option<&CStr>) {
    if env::var_os(RUNNER).is_some() {
        return;
    }
    let header = header.map(|header| PathBuf::from(&*header.to_string_lossy()));
    let prefix = header.as_deref().and_then(|header| header.ancestors().nth(3));
    let runner = prefix.map(|prefix| prefix.join("bin/iai-callgrind-runner"));
    if let Some(runner) = runner.filter(|runner| runner.is_absolute() && runner.is_file()) {
        set(RUNNER, &runner);
    }
}

/// Returns the package of the executable: the project of `CMake`, or the directory of the executable. Its results are in the build
/// directory, unless the user names another one.
pub(crate) fn origin() -> Origin {
    let executable = env::current_exe().unwrap_or_default();
    let build = executable.ancestors().skip(1).find(|directory| directory.join(CACHE).is_file());
    let directory = executable.parent().unwrap_or(Path::new("/"));
    let source = build.and_then(source_directory).unwrap_or_else(|| directory.to_owned());
    if env::var_os(HOME).is_none() {
        set(HOME, &build.unwrap_or(directory).join("iai"));
    }
    let package = package_name(&source.file_name().unwrap_or_default().to_string_lossy());
    Origin::Other { package, directory: source.to_string_lossy().into_owned() }
}

/// Returns the directory of the sources that are built here.
fn source_directory(build: &Path) -> Option<PathBuf> {
    let cache = fs::read_to_string(build.join(CACHE)).ok()?;
    let mut lines = cache.lines();
    lines.find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL=")).map(PathBuf::from)
}

/// Sets a variable for the runner.
fn set(name: &str, value: &Path) {
    // SAFETY: `main` calls this before it starts threads.
    unsafe { env::set_var(name, value) };
}

/// Returns a directory's name as the runner accepts it: not hidden, and with visible characters only.
fn package_name(directory: &str) -> String {
    let allowed = |character: char| {
        let is_allowed = character.is_alphanumeric() || "-_.+ ".contains(character);
        if is_allowed { character } else { '_' }
    };
    let name: String = directory.trim_start_matches('.').chars().map(allowed).collect();
    if name.is_empty() { "project".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_a_name_in_any_directory() {
        for (directory, name) in [
            ("json", "json"),
            ("c++ 20", "c++ 20"),
            (".build", "build"),
            ("a::b", "a__b"),
            ("a\n\u{202e}", "a__"),
            ("..", "project"),
            ("", "project"),
        ] {
            assert_eq!(package_name(directory), name);
        }
    }
}
