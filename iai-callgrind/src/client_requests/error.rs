//! What can go wrong when a program prints through Valgrind.

use core::fmt;

/// Why a text was not printed, or only its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientRequestError {
    /// The text has a zero byte, which is the end of a text for Valgrind. What stands before it is
    /// printed.
    ZeroByte,
    /// An implementation of [`Display`](fmt::Display) or its like returned an error.
    Format,
}

impl fmt::Display for ClientRequestError {
    // No code unless it is used
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroByte => "a text with a zero byte can't be printed by Valgrind",
            Self::Format => "a value that Valgrind shall print could not be formatted",
        })
    }
}

impl core::error::Error for ClientRequestError {}
