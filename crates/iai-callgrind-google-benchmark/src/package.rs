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
    let package = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
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
