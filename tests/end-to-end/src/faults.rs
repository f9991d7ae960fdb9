//! The fault suite: breaks runs in the middle and looks at what is left of results.
//!
//! The tests are in `tests/e2e/faults.rs`.

mod at_once;
mod disk;
mod killed;
mod kills;
mod reference;
mod renames;

use std::fmt;

pub use at_once::at_once;
pub use disk::full_disk;
pub use kills::kills;
pub use renames::{imports_killed_at_renames, kills_at_renames};

use crate::{Suite, clean, runner, tree};

/// The number of times that a property held, and the failures.
#[derive(Debug)]
pub struct Figure {
    what: String,
    passed: usize,
    failures: Vec<Vec<String>>,
    /// Why it could not be looked at here.
    skipped: Option<String>,
}

impl Figure {
    fn new(what: &str) -> Self {
        Self { what: what.to_owned(), passed: 0, failures: Vec::new(), skipped: None }
    }

    fn count(&mut self, problems: Vec<String>) {
        if problems.is_empty() {
            self.passed += 1;
        } else {
            self.failures.push(problems);
        }
    }

    /// Returns true if the property was violated at least once.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }
}

/// `what: N passed, N failed`, and what failed below it.
impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, passed, failures, skipped } = self;
        if let Some(reason) = skipped {
            return write!(formatter, "{what}: skipped, because {reason}");
        }
        write!(formatter, "{what}: {passed} passed, {} failed", failures.len())?;
        failures.iter().flatten().try_for_each(|problem| write!(formatter, "\n  {problem}"))
    }
}

/// Two runs that count differently.
const SIZES: [u32; 2] = [50, 80];

/// Returns the arguments of a run of this size: two tools, one of which has several files for a benchmark. The order of
/// processes needs a right that a run on a disk of its own does not have.
fn arguments(size: u32) -> [String; 3] {
    ["--tools=dhat".to_owned(), "--native=path,cpus".to_owned(), format!("--envs=SIZE={size}")]
}

/// Reads the stored results as a user does, which changes nothing. Then starts a run that selects no benchmark, which
/// restores what a killed run left. Returns the problems.
fn list_and_restore(suite: &Suite) -> Option<String> {
    let before = tree(&suite.home());
    let mut command = std::process::Command::new(runner());
    let listed = crate::run(clean(&mut command).arg("list").arg("--home").arg(suite.home()));
    let is_same = tree(&suite.home()) == before;
    let restored = suite.run(&["no::such::benchmark"]);
    let is_right = listed.code == Some(0) && restored.code == Some(0) && is_same;
    (!is_right).then(|| format!("{listed:?} {restored:?}, reading changed nothing: {is_same}"))
}
