//! The flamegraphs of one benchmark, which are kept next to the result that they show.

use std::fs::{self, DirEntry};
use std::path::PathBuf;

use iai_callgrind_base::StagedFile;
use iai_callgrind_tools::tool::Tool;

use super::file_system::create_below;
use super::files::Files;
use super::names::{FLAMEGRAPH, file_name, is_flamegraph};
use super::slot::Slot;
use crate::{Error, Result};

impl Files {
    /// Lists the flamegraphs of the last result that move with it to [`Slot::Old`], with their
    /// extensions. Differential flamegraphs do not move: they compare with the result that is
    /// replaced there.
    pub(super) fn kept_flamegraphs(
        &self,
        entries: &[DirEntry],
        tool: &str,
    ) -> Vec<(String, PathBuf)> {
        let mut flamegraphs = self.flamegraphs_of(entries, tool, &Slot::Latest);
        flamegraphs.retain(|(extension, _)| !extension.contains(".diff"));
        flamegraphs
    }

    /// Renames new flamegraphs of the result in this slot into place.
    pub fn place_flamegraphs(&self, tool: &str, slot: &Slot, drawn: &[StagedFile]) -> Result<()> {
        create_below(self.output(), self.directory())?;
        for StagedFile { extension, file } in drawn {
            let to = self.path(tool, extension, slot);
            fs::rename(file, &to).map_err(Error::io("write", &to))?;
        }
        Ok(())
    }

    /// Lists the flamegraphs of the result in this slot, sorted by name.
    pub fn flamegraphs(&self, tool: &Tool, slot: &Slot) -> Vec<PathBuf> {
        let mut files = self.slot_files(tool, slot);
        files.retain(|path| file_name(path).ends_with(FLAMEGRAPH));
        files
    }

    /// Lists the flamegraphs that become stale when the result in this slot is replaced.
    pub(super) fn stale_flamegraphs(
        &self,
        entries: &[DirEntry],
        tool: &str,
        slot: &Slot,
    ) -> Vec<PathBuf> {
        let mut stale: Vec<_> =
            self.flamegraphs_of(entries, tool, slot).into_iter().map(|(_, path)| path).collect();
        if matches!(slot, Slot::Baseline(_)) {
            let comparison = format!(".diff{slot}{FLAMEGRAPH}");
            stale.extend(
                entries
                    .iter()
                    .map(DirEntry::path)
                    .filter(|path| file_name(path).ends_with(&comparison)),
            );
        }
        // A flamegraph that compares the baseline with itself is in both lists
        stale.sort_unstable();
        stale.dedup();
        stale
    }

    /// Lists the flamegraphs of the result in this slot with their extensions.
    fn flamegraphs_of(
        &self,
        entries: &[DirEntry],
        tool: &str,
        slot: &Slot,
    ) -> Vec<(String, PathBuf)> {
        let with_extension = |path: PathBuf| {
            let name = file_name(&path);
            let mut extensions = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
            let extension = extensions.find(|extension| {
                is_flamegraph(extension) && self.path(tool, extension, slot) == path
            })?;
            Some((extension.to_owned(), path))
        };
        entries.iter().map(DirEntry::path).filter_map(with_extension).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::charts::write_chart;
    use super::*;

    #[test]
    fn nothing_is_written_through_a_link_to_the_directory_of_a_group() {
        let root = tempfile::tempdir().unwrap();
        let (output, outside) = (root.path().join("file"), root.path().join("outside"));
        fs::create_dir(&output).unwrap();
        fs::create_dir_all(outside.join("f")).unwrap();
        symlink(&outside, output.join("group")).unwrap();
        let file = root.path().join("drawn");
        fs::write(&file, "<svg/>").unwrap();
        let drawn = [StagedFile { extension: "Ir.flamegraph.svg".to_owned(), file }];
        let files = Files::new(&output, "group", Some("f"), None);
        assert!(files.place_flamegraphs("callgrind", &Slot::Latest, &drawn).is_err());
        assert!(write_chart(files.group_directory(), ["f", "", "Ir"], "<svg/>").is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_dir(outside.join("f")).unwrap().count(), 0);
    }
}
