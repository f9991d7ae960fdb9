//! Explanations of changes, from the tables of two results.

use std::fmt;
use std::fs;
use std::io;

use iai_callgrind_explain::{Difference, Table};
use iai_callgrind_plan::metric::MetricKind;

use crate::output::{Files, Slot};
use crate::tool::{TABLE, Tool};

/// An explanation, or the reason why there is none.
pub(crate) type Explanation = Result<Difference, NoExplanation>;

/// The reason why a table can't be used that was changed on its own, or whose profile was.
const OTHER_RESULT: &str = "it belongs to another result";

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

/// The table of a stored result.
#[derive(Debug)]
pub(crate) enum StoredTable {
    Missing,
    Bytes(Vec<u8>),
    Unreadable(String),
}

impl StoredTable {
    /// Reads the table of a stored result.
    pub(crate) fn read(files: &Files, tool: &Tool, slot: &Slot) -> Self {
        match fs::read(files.path(tool.name, TABLE, slot)) {
            Ok(bytes) => Self::Bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// Parses the table of a result with these instructions.
    fn parse(&self, instructions: u64, is_old: bool) -> Result<Table, NoExplanation> {
        let unreadable = |reason| NoExplanation::Unreadable { is_old, reason };
        let table = match self {
            Self::Missing => return Err(NoExplanation::NoTable { is_old }),
            Self::Unreadable(reason) => return Err(unreadable(reason.clone())),
            Self::Bytes(bytes) => {
                Table::read(bytes).map_err(|error| unreadable(error.to_string()))?
            }
        };
        if table.total(MetricKind::Ir.name()) != Some(instructions) {
            return Err(unreadable(OTHER_RESULT.to_owned()));
        }
        Ok(table)
    }
}

/// Explains the difference of two results by their tables and instructions. A change up to `spread` is one that the
/// count has without any change.
pub(crate) fn explain(
    old: (&StoredTable, u64),
    new: (&StoredTable, u64),
    spread: Option<u64>,
) -> Explanation {
    Ok(Difference::new(&old.0.parse(old.1, true)?, &new.0.parse(new.1, false)?, spread))
}
