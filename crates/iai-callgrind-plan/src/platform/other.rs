//! Systems without a runner: paths and arguments are only shown.

use std::ffi::OsString;

/// Returns `None`, because nothing is written for another program.
pub(crate) fn closed_stream() -> Option<&'static str> {
    None
}

/// Returns true, because no program is started.
pub(crate) fn has_null_device() -> bool {
    true
}

/// Returns these bytes as text, with a replacement character for each sequence that is not UTF-8.
pub(crate) fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
