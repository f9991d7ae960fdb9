//! What is stored of a benchmark: which files there are, and in which slots they are.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::LOG;
use super::flamegraphs::is_flamegraph;
use super::{Files, Slot};
use crate::tool::{Tool, is_of};

impl Files {
    /// The files in this directory, if it is one of a benchmark: its name is the stem of theirs.
    pub(crate) fn in_directory(directory: &Path) -> Option<Self> {
        let stem = directory.file_name()?.to_str()?.to_owned();
        Some(Self { directory: directory.to_owned(), stem })
    }

    /// The directory that they are in.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The files of this tool with their slots, in the order of their names.
    pub(crate) fn of_tool(&self, tool: &Tool) -> Vec<(Slot, PathBuf)> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let slot = |path: PathBuf| Some((self.slot(tool, path.file_name()?.to_str()?)?, path));
        let mut files: Vec<_> = entries.filter_map(|entry| slot(entry.path())).collect();
        files.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
        files
    }

    /// The files of this tool in this slot.
    pub(crate) fn in_slot(&self, tool: &Tool, slot: &Slot) -> Vec<PathBuf> {
        let files = self.of_tool(tool).into_iter();
        files.filter_map(|(its, path)| (its == *slot).then_some(path)).collect()
    }

    /// The slot of the file with this name, if it is one of this tool.
    pub(crate) fn slot(&self, tool: &Tool, name: &str) -> Option<Slot> {
        let end = name.strip_prefix(tool.name)?.strip_prefix('.')?;
        let end = end.strip_prefix(&*self.stem)?.strip_prefix('.')?;
        let is_known = |extension: &str| {
            let mut known = tool.file.iter().chain(tool.extras).chain([&LOG]);
            known.any(|known| is_of(known, extension)) || is_flamegraph(extension)
        };
        if is_known(end) {
            return Some(Slot::Latest);
        }
        if end.strip_prefix("old.").is_some_and(is_known) {
            return Some(Slot::Old);
        }
        // Names of baselines can have dots, and extensions too
        let rest = end.strip_prefix("base@")?;
        let mut dots = rest.match_indices('.').map(|(dot, _)| dot);
        let dot = dots.find(|dot| is_known(&rest[dot + 1..]))?;
        Slot::baseline(&rest[..dot]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{CALLGRIND, MEMCHECK};

    #[test]
    fn files_are_told_apart_by_their_slots() {
        let files = Files::in_directory(Path::new("/out/f.id")).unwrap();
        let base = |name: &str| Some(Slot::Baseline(name.to_owned()));
        for (end, slot) in [
            ("out", Some(Slot::Latest)),
            ("log", Some(Slot::Latest)),
            ("Ir.flamegraph.svg", Some(Slot::Latest)),
            ("Ir.diff.base@v1.flamegraph.svg", Some(Slot::Latest)),
            ("old.out", Some(Slot::Old)),
            ("old.Ir.diff.old.flamegraph.svg", Some(Slot::Old)),
            ("base@v1.out", base("v1")),
            ("base@v1.2.out", base("v1.2")),
            ("base@v1.2.log", base("v1.2")),
            ("base@v1.out.log", base("v1.out")),
            ("base@v1.2.Ir.flamegraph.svg", base("v1.2")),
            ("base@v1.2.Ir.diff.base@v1.flamegraph.svg", base("v1.2")),
            ("base@v1.svg", None),
            ("other", None),
        ] {
            let name = format!("callgrind.f.id.{end}");
            assert_eq!(files.slot(&CALLGRIND, &name), slot, "{end}");
        }
        for other in ["summary.json", "callgrind.f.out", "dhat.f.id.out", "callgrind.f.ido.out"] {
            assert_eq!(files.slot(&CALLGRIND, other), None, "{other}");
        }
        let leak = "memcheck.f.id.base@main.xtleak.kcg.p2";
        assert_eq!(files.slot(&MEMCHECK, leak), base("main"));
    }
}
