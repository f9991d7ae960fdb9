//! The `main` function of a benchmark file: fork server, test mode, or start of the runner.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use iai_callgrind_plan::protocol::{Hook, Measuring, NativeCase, ServerEnvironment};

use crate::binary::Action;
use crate::commands::GroupCommands;
use crate::error::Cause;
use crate::launch::{hand_over, launch};
use crate::lower::lower;
use crate::region::Region;
use crate::registry;
use crate::serve::{entry, serve};
use crate::suite::{LibraryCase, Suite};
use crate::{message, platform, test_mode};

/// Runs a benchmark file.
///
/// `cargo bench` starts it with `--bench`. Otherwise (`cargo test --benches`) each case runs once and
/// natively, and fails if it panics.
#[must_use]
pub fn main(suite: &Suite) -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    main_with_arguments(suite, &arguments)
}

/// Runs a benchmark file with these arguments in place of those of the process, see [`main`].
#[must_use]
pub fn main_with_arguments(suite: &Suite, arguments: &[OsString]) -> ExitCode {
    // Before any allocation: the fork server must start the same everywhere
    let result = match ServerEnvironment::of_this_process() {
        Some(environment) => {
            serve(&environment, suite.walk).map(|()| ExitCode::SUCCESS).map_err(Cause::Server)
        }
        None => start(suite, arguments),
    };
    result.unwrap_or_else(|cause| {
        eprintln!("error: {cause}");
        cause.exit_code()
    })
}

fn start(suite: &Suite, arguments: &[OsString]) -> Result<ExitCode, Cause> {
    platform::use_library();
    let suite = &registry::complete(suite);
    if let Some(hook) = Hook::of_this_process() {
        return run_hook(suite, hook);
    }
    if let Some(case) = NativeCase::of_this_process() {
        return run_case(suite, case);
    }
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    if let Some(code) = hand_over_of_process(suite.package_dir, suite.file, is_bench)? {
        return Ok(code);
    }
    registry::print_notes(suite);
    if !is_bench {
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        return test_mode::run(suite, &executable()?, arguments.collect());
    }
    check_counting()?;
    launch(&lower(suite, &executable()?)?, "bench", arguments)
}

/// Hands the arguments of this process over to the runner if they are a subcommand. In test mode, where the first argument
/// is a filter, they never are.
pub(crate) fn hand_over_of_process(
    package_dir: &str,
    file: &str,
    is_bench: bool,
) -> Result<Option<ExitCode>, Cause> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    if is_bench { hand_over(package_dir, file, &executable()?, &arguments) } else { Ok(None) }
}

/// Returns an error if benchmarks of this executable can't be counted, and prints a note if they count with the surroundings
/// of the system.
pub(crate) fn check_counting() -> Result<(), Cause> {
    if !platform::COUNTS {
        return Err(Cause::NoValgrind { system: env::consts::OS });
    }
    match env!("IAI_CALLGRIND_SANITIZER") {
        "" => {}
        name => return Err(Cause::Sanitizer { name }),
    }
    if cfg!(not(fixed_surroundings)) {
        eprintln!("{}", message::SYSTEM_SURROUNDINGS);
    }
    Ok(())
}

pub(crate) fn executable() -> Result<PathBuf, Cause> {
    env::current_exe().map_err(Cause::NoExecutable)
}

/// Runs the hook that the runner asks for. A panic ends this process as it ends any other.
fn run_hook(suite: &Suite, hook: Hook) -> Result<ExitCode, Cause> {
    let action = action(suite, hook).ok_or(Cause::NoHook(hook))?;
    action.run(&enter_directory);
    Ok(ExitCode::SUCCESS)
}

/// Runs the case that the runner asks for. A panic ends this process as it ends any other.
fn run_case(suite: &Suite, native: NativeCase) -> Result<ExitCode, Cause> {
    let case = library_case(suite, native.entry).ok_or(Cause::NoCase(native))?;
    enter_directory();
    let item = usize::try_from(native.item).unwrap_or(0);
    (case.run)(&mut Region::new(Measuring::DEFAULT), item);
    Ok(ExitCode::SUCCESS)
}

/// Returns the case with this [`entry`].
fn library_case(suite: &Suite, wanted: u64) -> Option<&'static LibraryCase> {
    for group in suite.groups {
        for function in group.library_functions() {
            if let Some(case) = function.cases.iter().find(|case| entry(case) == wanted) {
                return Some(case);
            }
        }
    }
    None
}

/// Enters the directory that the runner names.
fn enter_directory() {
    let directory = env::var_os(Hook::DIRECTORY);
    let entered = directory.map_or(Ok(()), env::set_current_dir);
    entered.unwrap_or_else(|error| panic!("{}", message::place(&error)));
}

/// Returns the code of a hook.
fn action(suite: &Suite, hook: Hook) -> Option<Action> {
    let group = hook.group.map(|index| suite.groups.get(index));
    if let Some(index) = hook.case {
        let cases = GroupCommands::collect(group??, suite.file)?.into_cases();
        let case = cases.get(usize::try_from(index).ok()?)?;
        return if hook.is_setup { case.setup } else { case.teardown };
    }
    let hooks = match group {
        None => suite.hooks,
        Some(group) => group?.hooks,
    };
    let run = if hook.is_setup { hooks.setup } else { hooks.teardown };
    run.map(Action::Plain)
}
