//! Platform-specific code of this crate. Both files define the same names.

#[cfg_attr(not(unix), path = "platform/other.rs")]
mod unix;

pub(crate) use self::unix::{closed_stream, has_null_device, os_string};
