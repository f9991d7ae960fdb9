//! Walks through files with their own `main`: from the first object of the other harness to the end of the process.
//!
//! The harness can't call such a `main`, so the process itself is the walk. Natively, it lists the benchmarks and then starts
//! the runner. Under Valgrind, it is the fork server.

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::process::{self, ExitCode};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use iai_callgrind_plan::protocol::ServerEnvironment;

use crate::error::Cause;
use crate::harness::{check_counting, executable, hand_over_of_process};
use crate::launch::{self, launch};
use crate::listing::Listing;
use crate::lower::lower_walked;
use crate::region::Region;
use crate::suite::{Hooks, Suite};
use crate::test_mode::{self, End};
use crate::{platform, serve, walk};

thread_local! {
    /// The end of the walk that this thread is on. A pointer has no destructor, so that it is there when those of the thread
    /// have run.
    static END: Cell<*mut End> = const { Cell::new(ptr::null_mut()) };
}

/// Id of the process that started the walk.
static WALKER: AtomicU32 = AtomicU32::new(0);

/// `true` if the benchmarks run natively in this process, and its exit code is that of the file's `main` after them.
static IS_TEST: AtomicBool = AtomicBool::new(false);

/// `true` if the code of the file panicked.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// Starts the walk of a file with its own `main`. Without effect if a walk has started in this process.
pub fn begin_walk(arguments: impl FnOnce() -> Vec<OsString>) {
    begin_walk_of(|| Origin::OfCargo, arguments, &mut serve::empty_benchmark);
}

/// The package that a file with its own `main` belongs to.
#[derive(Debug, Clone)]
pub enum Origin {
    /// The one that cargo's variables name.
    OfCargo,
    /// Another build system's.
    Other {
        /// Name of the package.
        package: String,
        /// Directory of its sources.
        directory: String,
    },
}

/// Starts the walk of a file of this package, see [`begin_walk`]. The fork server asks for neither: what reads the paths of a
/// checkout leaves a heap that depends on their length. It runs `empty` once, the front end's code around a benchmark without a
/// body, so that Valgrind does not translate this code in each child.
pub fn begin_walk_of(
    origin: impl FnOnce() -> Origin,
    arguments: impl FnOnce() -> Vec<OsString>,
    empty: &mut dyn FnMut(&mut Region),
) {
    if !walk::is_first() {
        return;
    }
    let begun = match ServerEnvironment::of_this_process() {
        Some(environment) => serve(&environment, empty),
        None => natively(origin(), arguments()),
    };
    match begun {
        Ok(end) => {
            END.set(Box::into_raw(Box::new(end)));
            WALKER.store(process::id(), Ordering::Relaxed);
            platform::at_exit(finish);
        }
        Err(cause) => fail(&cause),
    }
}

/// Notes that the code of the file panics.
pub fn note_panic() {
    HAS_PANICKED.store(true, Ordering::Relaxed);
}

fn serve(
    environment: &ServerEnvironment,
    empty: &mut dyn FnMut(&mut Region),
) -> Result<End, Cause> {
    let end = serve::begin(environment, empty).map_err(Cause::Server)?;
    Ok(Box::new(move |panicked| end(panicked).map(|()| ExitCode::SUCCESS).map_err(Cause::Server)))
}

fn natively(origin: Origin, arguments: Vec<OsString>) -> Result<End, Cause> {
    platform::use_library();
    let file = file()?;
    if !arguments.iter().any(|argument| argument == "--bench") {
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        IS_TEST.store(true, Ordering::Relaxed);
        return test_mode::begin(file, arguments.collect());
    }
    let package_dir = match &origin {
        Origin::OfCargo => env::var("CARGO_MANIFEST_DIR").unwrap_or_default(),
        Origin::Other { directory, .. } => directory.clone(),
    };
    let is_of_cargo = matches!(origin, Origin::OfCargo);
    if !is_of_cargo {
        launch::start_with_executable(executable()?);
    }
    if let Some(code) = hand_over_of_process(&package_dir, file, true)? {
        platform::end(number(code));
    }
    check_counting()?;
    let (package, package_dir) = origin.names()?;
    let hooks = Hooks { setup: None, teardown: None };
    let suite = Suite { package, package_dir, file, config: None, hooks, groups: &[], walk: None };
    let listing = Listing::start()?;
    walk::enter(&listing.list);
    Ok(Box::new(move |panicked| {
        let walked = listing.finish(!panicked, file)?;
        let mut plan = lower_walked(&suite, &executable()?, walked)?;
        if !is_of_cargo {
            // The name of the package, which is that of a directory, would move variables to other cache lines
            plan.config.envs.clear();
        }
        launch(&plan, "bench", &arguments)
    }))
}

impl Origin {
    /// Returns the name and the directory of the package, which live as long as the process.
    fn names(self) -> Result<(&'static str, &'static str), Cause> {
        Ok(match self {
            Self::OfCargo => (variable("CARGO_PKG_NAME")?, variable("CARGO_MANIFEST_DIR")?),
            Self::Other { package, directory } => (package.leak(), directory.leak()),
        })
    }
}

/// Returns the name of the benchmark file: that of the executable without the hash that cargo adds.
fn file() -> Result<&'static str, Cause> {
    let executable = executable()?;
    let name = executable.file_stem().unwrap_or_default().to_string_lossy();
    Ok(crate_name(&name).replace('-', "_").leak())
}

fn crate_name(executable: &str) -> &str {
    match executable.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|it| it.is_ascii_hexdigit()) => {
            name
        }
        _ => executable,
    }
}

/// Returns the value of a variable that cargo sets.
fn variable(name: &'static str) -> Result<&'static str, Cause> {
    env::var(name).map(|value| &*value.leak()).map_err(|_| Cause::NoPackage { name })
}

extern "C" fn finish() {
    let end = END.replace(ptr::null_mut());
    // A benchmark that calls `exit` ends a child
    if end.is_null() || WALKER.load(Ordering::Relaxed) != process::id() {
        return;
    }
    // SAFETY: `begin_walk` made it of a box, and it is taken once.
    let end = unsafe { Box::from_raw(end) };
    match end(HAS_PANICKED.load(Ordering::Relaxed)) {
        // What else is registered for the end of the process runs as well, such as the check for leaks of a sanitizer
        Ok(ExitCode::SUCCESS) if IS_TEST.load(Ordering::Relaxed) => platform::flush(),
        Ok(code) => platform::end(number(code)),
        Err(cause) => fail(&cause),
    }
}

fn fail(cause: &Cause) -> ! {
    eprintln!("error: {cause}");
    platform::end(number(cause.exit_code()))
}

fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_without_the_hash_of_cargo() {
        for (executable, name) in [
            ("my_file-0123456789abcdef", "my_file"),
            ("my-file-0123456789abcdef", "my-file"),
            ("my-file", "my-file"),
            ("file-0123456789abcdeg", "file-0123456789abcdeg"),
        ] {
            assert_eq!(crate_name(executable), name);
        }
    }

    #[test]
    fn a_code_is_the_number_that_it_was_made_of() {
        for code in [0, 1, 3, 101, 255] {
            assert_eq!(number(code.into()), code);
        }
    }
}
