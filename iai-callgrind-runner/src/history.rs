//! Results of commits in git notes: counts do not depend on the machine, so that they belong to the commit, whoever
//! measured them.

mod attribution;
mod environments;
pub(crate) mod error;
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

pub(crate) use self::limits::learn_limits;
pub(crate) use self::missing::missing;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::note_text::rewrite_note;
pub(crate) use self::record::{check_repository, record, record_commit, record_run};
pub(crate) use self::series::{Point, Series, SeriesKey, collect};
pub(crate) use self::show::{Recorded, Selection, show};
