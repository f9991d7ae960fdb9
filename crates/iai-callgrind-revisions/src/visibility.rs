//! The way in which programs can see another revision: mounts that only they see need the system's permission.

use std::env;
use std::path::Path;

use iai_callgrind_process::{Mount, Mounts};

use super::builder::Builder;

/// A variable for tests: its value `mirror` has no mounts made.
const CHOICE: &str = "IAI_CALLGRIND_AGAINST_PLACE";

/// The path at which the programs see another revision.
#[derive(Debug, Clone, Copy)]
pub(super) enum Visibility {
    /// The path of the user's work tree.
    Same,
    /// Another path, below the output directory.
    Mirrored,
}

impl Visibility {
    /// Returns the best visibility that the system and the build allow for the work tree at `top`.
    pub(super) fn of(top: &Path, builder: &Builder) -> Self {
        let is_chosen = env::var_os(CHOICE).is_some_and(|choice| choice == "mirror");
        // What else is in the home directory could not be seen
        let is_home = env::var_os("HOME").is_some_and(|home| Path::new(&home).starts_with(top));
        if is_chosen || is_home || builder.needs_own_path() {
            return Self::Mirrored;
        }
        let probe = Mount { source: top.to_owned(), path: top.to_owned() };
        if Mounts(vec![probe]).are_possible(top) { Self::Same } else { Self::Mirrored }
    }
}
