//! Other revisions of the user's project. They are checked out in a work tree, cargo builds their
//! benchmarks, and the results of a run are a baseline, named after the commit and everything else
//! that the results depend on.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod arguments;
mod builder;
mod cargo;
mod cargo_arguments;
mod directories;
mod error;
mod files;
mod git;
mod kept_results;
mod large_files;
mod layouts;
mod mirror;
mod note;
mod other_side;
mod packages;
mod parent;
mod place;
mod repository;
mod revisions;
mod target;
mod tree;
mod visibility;
mod wrapper;

pub use self::arguments::MeasuringArguments;
pub use self::builder::{BuildCommand, Builder};
pub use self::cargo::{BenchmarkFile, CargoCall};
pub use self::error::{AgainstError, Error, Result};
pub use self::git::error::GitError;
pub use self::git::{
    Checkout, MeasuredCommit, WorkTree, WorkTreeState, forget_selection, head, is_id, run, state,
};
pub use self::kept_results::{commit_of_kept, kept_baselines};
pub use self::layouts::count_layouts;
pub use self::note::RevisionNote;
pub use self::other_side::{BuiltSide, OtherSide, SidePrograms, read_plan};
pub use self::packages::targets_of_packages;
pub use self::repository::{Commit, ListedCommit, Repository, ends_of_range};
pub use self::revisions::{RevisionResults, Revisions, note_features};
pub use self::target::{build_directory, target_directory};
