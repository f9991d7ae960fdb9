//! The files of results: names, slots, and changes to them that a killed run cannot leave half done.

mod amounts;
mod charts;
mod directory;
pub(crate) mod error;
mod file_system;
mod files;
#[cfg(test)]
mod fixtures;
mod flamegraphs;
mod journal;
mod names;
mod slot;
mod times;
mod transaction;
mod version;

pub(crate) use self::amounts::{AMOUNTS, write_amounts};
pub(crate) use self::charts::{is_chart_of, list_charts, write_chart};
pub(crate) use self::directory::{
    OutputDirectory, ReadDirectory, await_imports, is_in_use, lock_file, settle_imports,
    staging_directory,
};
pub(crate) use self::file_system::{
    create_below, create_sibling, is_full, read_if_exists, remove_file, replace_file, replace_page,
};
pub(crate) use self::files::{Files, NewFiles};
pub(crate) use self::names::{COMMANDS_PACKAGE, decode_name, encode_name, file_name, shorten};
pub(crate) use self::slot::Slot;
pub(crate) use self::times::StoredTime;
pub(crate) use self::transaction::Transaction;
