//! The files of results: their names, slots, and atomic changes, even if the run is killed.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod amounts;
mod archive;
mod benchmarks;
mod charts;
mod declared;
mod directory;
mod error;
mod file_system;
mod files;
mod flamegraphs;
mod journal;
mod names;
mod note;
mod ownership;
mod partition;
mod shards;
mod slot;
#[cfg(test)]
mod test_trees;
mod times;
mod transaction;
mod version;

pub use self::amounts::{AMOUNTS, write_amounts};
pub use self::archive::{Export, Import, export, import};
pub use self::benchmarks::{
    SelectedBenchmarks, StoredBenchmark, check_exists, check_results, find_benchmarks, find_names,
    find_to_write, find_unused, lock_benchmarks, matches_filters, select_benchmarks,
};
pub use self::charts::{is_chart_of, list_charts, write_chart};
pub use self::declared::DeclaredBenchmarks;
pub use self::directory::{
    OutputDirectory, ReadDirectory, await_imports, is_in_use, lock_file, settle_imports,
    staging_directory,
};
pub use self::error::{
    ArchiveError, Error, ExchangeError, JournalError, OutputError, Result, SelectionError,
};
pub use self::file_system::{
    create_below, create_sibling, is_full, read_if_exists, remove_file, replace_file, replace_page,
};
pub use self::files::{COMMIT, Files, NewFiles};
pub use self::names::{COMMANDS_PACKAGE, decode_name, encode_name, file_name, shorten};
pub use self::ownership::is_own;
pub use self::partition::{ShardUnit, divide_into_shards};
pub use self::shards::{MOST_SHARDS, ShardRecord, find_records, is_benchmark_file, mixed_hash};
pub use self::slot::Slot;
pub use self::times::StoredTime;
pub use self::transaction::Transaction;
