//! Processes and directories that end with the run, whatever ends it.

mod group;
mod guardian;
mod interruption;
mod temporary;

pub(crate) use self::group::{Group, RunningProcess};
pub(crate) use self::interruption::{interrupted, pause, watch};
pub(crate) use self::temporary::{JOURNAL, STAGING, TemporaryDirectory, is_staging, journals};
