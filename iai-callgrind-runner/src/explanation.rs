//! Explanations of changes, from the tables of two results.

use std::fmt;
use std::fs;
use std::io;

use iai_callgrind_explain::{Difference, Table};

use crate::error::{Error, Result};
use crate::output::{Files, Slot};
use crate::tool::{TABLE, Tool};

/// An explanation, or the reason why there is none.
pub(crate) type Explanation = std::result::Result<Difference, NoExplanation>;

/// The reason why there is no explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoExplanation {
    /// The result was stored without a table.
    NoTable { is_old: bool },
    /// The table can't be read.
    Unreadable { is_old: bool, reason: String },
}

impl fmt::Display for NoExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |is_old: bool| if is_old { "old" } else { "new" };
        match self {
            Self::NoTable { is_old } => {
                write!(f, "the {} result has no table of costs by function", side(*is_old))
            }
            Self::Unreadable { is_old, reason } => {
                write!(f, "the table of the {} result can't be used: {reason}", side(*is_old))
            }
        }
    }
}

/// The bytes of the table of a result; `None` if it has none.
pub(crate) type StoredTable = Option<Vec<u8>>;

/// Reads the table of a stored result.
pub(crate) fn stored_table(files: &Files, tool: &Tool, slot: &Slot) -> Result<StoredTable> {
    let path = files.path(tool.name, TABLE, slot);
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", &path)(error)),
    }
}

/// Explains the difference of two results by their tables. A change up to `spread` is one that the count has without
/// any change.
pub(crate) fn explain(old: &StoredTable, new: &StoredTable, spread: Option<u64>) -> Explanation {
    let table = |stored: &StoredTable, is_old| {
        let bytes = stored.as_ref().ok_or(NoExplanation::NoTable { is_old })?;
        Table::read(bytes)
            .map_err(|error| NoExplanation::Unreadable { is_old, reason: error.to_string() })
    };
    Ok(Difference::new(&table(old, true)?, &table(new, false)?, spread))
}
