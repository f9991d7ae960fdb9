//! The flamegraphs of one benchmark: beside the results that they were made of, and never beside others.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Files, Slot};
use crate::error::{Error, Result};
use crate::flamegraph::Drawn;
use crate::metric::EventKind;
use crate::tool::Tool;

/// What the name of every flamegraph ends with.
const EXTENSION: &str = ".flamegraph.svg";

impl Files {
    /// Puts the flamegraphs of a new result in this slot into their place. Those of the result that was
    /// there before go with that to [`Slot::Old`], or are removed.
    pub(crate) fn replace_flamegraphs(
        &self,
        tool: &str,
        slot: &Slot,
        drawn: &[Drawn],
    ) -> Result<()> {
        if *slot == Slot::Latest {
            self.remove_flamegraphs(tool, &Slot::Old)?;
            for (path, extension) in self.flamegraphs_of(tool, slot) {
                if !extension.contains(".diff") {
                    let old = self.path(tool, &extension, &Slot::Old);
                    fs::rename(&path, &old).map_err(Error::io("replace", &old))?;
                }
            }
        }
        self.remove_flamegraphs(tool, slot)?;
        self.place_flamegraphs(tool, slot, drawn)
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

    fn remove_flamegraphs(&self, tool: &str, slot: &Slot) -> Result<()> {
        let mut stale: Vec<_> =
            self.flamegraphs_of(tool, slot).into_iter().map(|(path, _)| path).collect();
        if matches!(slot, Slot::Baseline(_)) {
            let comparison = format!(".diff{slot}{EXTENSION}");
            stale.extend(self.all().into_iter().filter(|path| name(path).ends_with(&comparison)));
        }
        for path in stale {
            super::files::optional(fs::remove_file(&path)).map_err(Error::io("remove", &path))?;
        }
        Ok(())
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
