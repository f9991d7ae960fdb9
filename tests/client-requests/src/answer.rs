//! Output of the answers to requests.

use std::fmt::Debug;

/// Prints the answer to a request.
pub(crate) fn show(name: &str, value: impl Debug) {
    println!("{name}: {value:?}");
}
