//! Support for the end-to-end tests in `tests/e2e` and `tests/crates`: builds the benchmark files of the package
//! `benchmark-tests`, the runner, and crates as users have them, runs them under Valgrind, and reads what they print
//! and write.
//!
//! The package is apart from `benchmark-tests` so that the dependencies of the tests are not built with
//! optimizations. `SNAPSHOTS=overwrite cargo test -p end-to-end-tests` writes the snapshots.

#![allow(clippy::missing_panics_doc, reason = "what panics here is a failed test")]

mod annotate;
mod architecture;
mod browser;
mod built;
mod documented;
pub mod failures;
pub mod faults;
mod flamegraph;
mod fresh;
mod git;
mod group;
pub mod growth;
mod json;
pub mod lines;
mod mounts;
pub mod order;
mod processes;
mod refusal;
mod report;
mod schema;
mod shared;
mod skip;
mod snapshot;
mod suite;
mod terminal;
mod tree;

pub use annotate::annotated_functions;
pub use architecture::here;
pub use browser::{Browser, axe_core};
pub use built::{benchmark, checkout, runner, target_directory};
pub use documented::{documented, skip_unknown};
pub use flamegraph::{Flamegraph, Frame};
pub use fresh::FreshCrate;
pub use git::git;
pub use group::{ProcessGroup, kill};
pub use json::objects;
pub use mounts::has_namespaces;
pub use processes::{is_empty, kill_processes_with, processes_of, processes_with, soon};
pub use refusal::refuse;
pub use report::{Benchmark, LABELS, Line, Report, grouped};
pub use schema::Schema;
pub use shared::{LOADED, shared_report, shared_run};
pub use skip::{need, skip};
pub use snapshot::{assert_snapshot, redact};
pub use suite::{
    Run, Suite, clean, copy_executable, run, script, split_progress, stored, stored_command,
};
pub use terminal::on_terminal_of_width;
pub use tree::{assert_unchanged, names_of_results, tree, write_tree};

/// The version of the library and of the runner that belongs to it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
