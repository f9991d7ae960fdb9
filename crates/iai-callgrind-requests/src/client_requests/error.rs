//! Error of a program that prints to Valgrind's log.

use core::fmt;

/// Reason why a text was not printed, or only a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientRequestError {
    /// The text has a zero byte, which ends a text for Valgrind. The part before it is printed.
    ZeroByte,
    /// An implementation of [`Display`](fmt::Display) or its like returned an error.
    Format,
}

impl fmt::Display for ClientRequestError {
    // No code in executables that do not use it
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroByte => "a text with a zero byte can't be printed by Valgrind",
            Self::Format => "a value for Valgrind's log can't be formatted",
        })
    }
}

impl core::error::Error for ClientRequestError {}
