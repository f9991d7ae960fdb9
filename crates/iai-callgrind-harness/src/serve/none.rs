//! Replaces the fork server where processes can't fork.

use std::io;

use iai_callgrind_plan::protocol::ServerEnvironment;

use crate::region::Region;
use crate::suite::LibraryCase;

/// Returns 0, because no runner asks for a case.
pub(crate) fn entry(_: &LibraryCase) -> u64 {
    0
}

/// Returns an error: no runner starts a server here.
pub(crate) fn serve(_: &ServerEnvironment, _: Option<fn()>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, as [`serve`] does.
pub(crate) fn begin(
    _: &ServerEnvironment,
    _: &mut dyn FnMut(&mut Region),
) -> io::Result<fn(bool) -> io::Result<()>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has no effect, because no server rehearses.
pub(crate) fn empty_benchmark(_: &mut Region) {}
