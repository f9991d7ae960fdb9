//! Variables without an option, which clap does not check.

use std::env;

use clap::error::{Error, ErrorKind};

/// The variables with the values that they can have.
const VARIABLES: [(&str, &[&str]); 2] = [
    ("IAI_CALLGRIND_COLOR", &["always", "never", "auto"]),
    ("IAI_CALLGRIND_LOG", &["off", "error", "warn", "info", "debug", "trace"]),
];

/// Returns the error of the first variable with another value, in the form of those of options.
pub(crate) fn check(command: &mut clap::Command) -> Result<(), Error> {
    for (name, values) in VARIABLES {
        let Some(value) = env::var_os(name) else { continue };
        if !values.iter().any(|known| value == *known) {
            let (value, values) = (value.to_string_lossy(), values.join(", "));
            let message =
                format!("invalid value '{value}' for '{name}'\n  [possible values: {values}]");
            return Err(command.error(ErrorKind::InvalidValue, message));
        }
    }
    Ok(())
}
