//! Errors of results that do not meet a condition of the user.

use iai_callgrind_tools::fingerprint::{FingerprintChange, changes_text};

/// A condition of the user that the results of a run do not meet.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    #[error(
        "the old results are from another environment: {}\nhelp: measure both in the same one, or allow it with \
         --strict-environment=no", changes_text(.changes)
    )]
    EnvironmentDiffers { changes: Vec<FingerprintChange> },
    #[error(
        "the environment of {number} old results is not known\nhelp: measure them again with this version, or allow \
         it with --strict-environment=no"
    )]
    EnvironmentUnknown { number: usize },
}
