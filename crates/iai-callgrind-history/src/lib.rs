//! Results of commits in git notes: counts do not depend on the machine, so that they belong to the commit, whoever
//! measured them.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod attribution;
mod environments;
mod error;
mod gaps;
mod limits;
mod missing;
mod noise;
mod note;
mod note_text;
mod notes;
mod record;
mod series;
mod show;

pub use self::error::{Error, HistoryError, NoCommit, Result};
pub use self::limits::learn_limits;
pub use self::missing::missing;
pub use self::note_text::CommitResults;
#[cfg(any(test, feature = "fuzzing"))]
pub use self::note_text::rewrite_note;
pub use self::record::{RecordOptions, check_repository, record, record_commit, record_run};
pub use self::series::{Point, Series, SeriesKey, collect};
pub use self::show::{Recorded, Selection, show};
