//! Windows: handles. There is no runner, so no process is started.

use std::ffi::c_char;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, RawHandle};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Stream;

/// `true` if the runner can be built on this platform.
pub(crate) const HAS_RUNNER: bool = false;

unsafe extern "system" {
    fn GetStdHandle(stream: u32) -> RawHandle;
    fn SetStdHandle(stream: u32, handle: RawHandle) -> i32;
}

/// Stream before it was redirected.
pub(crate) struct Original {
    stream: Stream,
    handle: RawHandle,
}

/// Redirects a stream of this process to a file, which must stay open until [`restore`].
pub(crate) fn redirect(stream: Stream, file: &File) -> io::Result<Original> {
    // SAFETY: the function takes any number.
    let handle = unsafe { GetStdHandle(number(stream)) };
    set(stream, file.as_raw_handle())?;
    Ok(Original { stream, handle })
}

/// Ends the redirection of a stream.
pub(crate) fn restore(original: Original) -> io::Result<()> {
    set(original.stream, original.handle)
}

/// Copies a file. There are no numbers that code of the user could close.
pub(crate) fn beyond_limit(file: &File) -> io::Result<File> {
    file.try_clone()
}

/// Does nothing: there is no such signal.
pub(crate) fn report_ends_of_children() {}

/// No copies: there are no numbers that files of the user could get.
#[derive(Default)]
pub(crate) struct StandardStreams;

impl StandardStreams {
    pub(crate) fn of_this_process() -> Self {
        Self
    }

    pub(crate) fn reopen(&self) -> io::Result<()> {
        Ok(())
    }
}

fn set(stream: Stream, handle: RawHandle) -> io::Result<()> {
    // SAFETY: the function stores the handle, which is open.
    match unsafe { SetStdHandle(number(stream), handle) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Returns `STD_OUTPUT_HANDLE` or `STD_ERROR_HANDLE`.
fn number(stream: Stream) -> u32 {
    match stream {
        Stream::Stdout => u32::MAX - 10,
        Stream::Stderr => u32::MAX - 11,
    }
}

/// Returns the standard error output as a file, which a later redirection does not change.
pub(crate) fn copy_of_stderr() -> io::Result<File> {
    Ok(io::stderr().as_handle().try_clone_to_owned()?.into())
}

/// Returns no time: it is shown only where there is a runner.
pub(crate) fn cpu_time() -> Duration {
    Duration::ZERO
}

/// Returns the largest size of the main thread's stack in bytes, which linkers set.
pub(crate) fn stack_size() -> usize {
    1024 * 1024
}

/// Starts a process.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

/// Waits for the end of a process.
pub(crate) fn wait(mut child: Child) -> io::Result<ExitStatus> {
    child.wait()
}

/// Returns `None`, because no signal ends a process.
pub(crate) fn interruption(_: ExitStatus) -> Option<i32> {
    None
}

/// Returns `false`: without a runner no region is marked for the processes around it.
pub(crate) fn has_started_processes() -> bool {
    false
}

/// Does nothing, because no process is started.
pub(crate) fn wait_for_tick() {}

/// Returns the time since 1970.
pub(crate) fn time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the time since 1970 by the clock that file systems use.
pub(crate) use self::time as file_time;

/// Returns `false`: no tool writes files here.
///
/// # Safety
///
/// None is needed.
pub(crate) unsafe fn is_absent(_: *const c_char) -> bool {
    false
}
