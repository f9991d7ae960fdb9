//! The flamegraphs of one benchmark: beside the results that they were made of, and never beside others.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::EventKind;

use super::{Files, Slot};
use crate::error::{Error, Result};
use crate::flamegraph::Drawn;
use crate::tool::Tool;

/// What the name of every flamegraph ends with.
const EXTENSION: &str = ".flamegraph.svg";

impl Files {
    /// The flamegraphs of the last result that go with it to [`Slot::Old`], with what their names have behind
    /// the slot: not those that compare it with that.
    pub(super) fn kept_flamegraphs(&self, tool: &str) -> Vec<(String, PathBuf)> {
        let all = self.flamegraphs_of(tool, &Slot::Latest).into_iter();
        all.filter(|(_, extension)| !extension.contains(".diff"))
            .map(|(path, extension)| (extension, path))
            .collect()
    }

    /// Puts flamegraphs of the result in this slot into their place.
    pub(crate) fn place_flamegraphs(&self, tool: &str, slot: &Slot, drawn: &[Drawn]) -> Result<()> {
        for Drawn { extension, file } in drawn {
            let to = self.path(tool, extension, slot);
            fs::rename(file, &to).map_err(Error::io("write", &to))?;
        }
        Ok(())
    }

    /// The flamegraphs of the result in this slot, in the order of their names.
    pub(crate) fn flamegraphs(&self, tool: &Tool, slot: &Slot) -> Vec<PathBuf> {
        let mut files = self.in_slot(tool, slot);
        files.retain(|path| name(path).ends_with(EXTENSION));
        files
    }

    /// The flamegraphs that tell nothing any more when the result in this slot goes.
    pub(super) fn stale_flamegraphs(&self, tool: &str, slot: &Slot) -> Vec<PathBuf> {
        let mut stale: Vec<_> =
            self.flamegraphs_of(tool, slot).into_iter().map(|(path, _)| path).collect();
        if matches!(slot, Slot::Baseline(_)) {
            let comparison = format!(".diff{slot}{EXTENSION}");
            stale.extend(self.all().into_iter().filter(|path| name(path).ends_with(&comparison)));
        }
        // One that compares the baseline with itself stands there twice
        stale.sort_unstable();
        stale.dedup();
        stale
    }

    /// The flamegraphs of the result in this slot, with what their names have behind the slot.
    fn flamegraphs_of(&self, tool: &str, slot: &Slot) -> Vec<(PathBuf, String)> {
        let behind_slot = |path: PathBuf| {
            let name = name(&path);
            let extensions = name.match_indices('.').map(|(at, _)| &name[at + 1..]);
            let mut extensions = extensions.filter(|it| it.ends_with(EXTENSION));
            let extension = extensions.find(|it| self.path(tool, it, slot) == path)?.to_owned();
            Some((path, extension))
        };
        self.all()
            .into_iter()
            .filter_map(behind_slot)
            .filter(|(_, it)| starts_with_event(it))
            .collect()
    }

    /// The benchmark's files.
    fn all(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// Whether a file is a flamegraph whose name has this behind the slot.
pub(super) fn is_flamegraph(extension: &str) -> bool {
    extension.ends_with(EXTENSION) && starts_with_event(extension)
}

/// In the last result's slot, which has no name, every name of a slot looks like an extension.
fn starts_with_event(extension: &str) -> bool {
    extension
        .split('.')
        .next()
        .is_some_and(|event| EventKind::ALL.iter().any(|kind| kind.name() == event))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
