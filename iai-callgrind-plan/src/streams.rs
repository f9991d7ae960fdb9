//! The standard streams that were closed when this process started.
//!
//! Rust opens `/dev/null` in their place before `main`, so that everything that is written there is lost. The check
//! therefore runs earlier, as an initializer of the executable.

use crate::platform::closed_stream;

/// Returns the name of an output stream that was closed when this process started.
#[must_use]
pub fn closed() -> Option<&'static str> {
    closed_stream()
}
