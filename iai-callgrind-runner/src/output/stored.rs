//! What is stored of a benchmark: which files there are, and in which slots they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Files, Slot};

/// What the name of a baseline stands before, in files that every result has.
const SURE_EXTENSIONS: [&str; 2] = [".out", ".log"];

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
    pub(crate) fn of_tool(&self, tool: &str) -> Vec<(Slot, PathBuf)> {
        let prefix = format!("{tool}.{}.", self.stem);
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.filter(|name| name.starts_with(&prefix)).collect();
        names.sort_unstable();
        let baselines: BTreeSet<_> =
            names.iter().filter_map(|name| baseline(&name[prefix.len()..])).collect();
        let slot = |name: &String| slot(&name[prefix.len()..], &baselines);
        names.iter().map(|name| (slot(name), self.directory.join(name))).collect()
    }

    /// The files of this tool in this slot.
    pub(crate) fn in_slot(&self, tool: &str, slot: &Slot) -> Vec<PathBuf> {
        let files = self.of_tool(tool).into_iter();
        files.filter_map(|(its, path)| (its == *slot).then_some(path)).collect()
    }
}

/// The baseline that a file surely belongs to whose name ends like this.
fn baseline(end: &str) -> Option<&str> {
    let name = end.strip_prefix("base@")?;
    SURE_EXTENSIONS.into_iter().find_map(|extension| name.strip_suffix(extension))
}

/// The slot of a file whose name ends like this. The name of a baseline can have dots, and so can what
/// follows it.
fn slot(end: &str, baselines: &BTreeSet<&str>) -> Slot {
    if end.starts_with("old.") {
        return Slot::Old;
    }
    let Some(name) = end.strip_prefix("base@") else { return Slot::Latest };
    let is_it = |known: &&&str| name.strip_prefix(**known).is_some_and(|it| it.starts_with('.'));
    let known = baselines.iter().filter(is_it).max_by_key(|known| known.len());
    let first = || name.split('.').next().unwrap_or_default();
    Slot::Baseline(known.copied().unwrap_or_else(first).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_slots() {
        let output = tempfile::tempdir().unwrap();
        let directory = output.path().join("f.id");
        fs::create_dir(&directory).unwrap();
        for end in [
            "out",
            "log",
            "Ir.flamegraph.svg",
            "old.out",
            "base@v1.out",
            "base@v1.2.out",
            "base@v1.2.log",
            "base@v1.2.Ir.flamegraph.svg",
            "base@lonely.svg",
        ] {
            fs::write(directory.join(format!("callgrind.f.id.{end}")), "").unwrap();
        }
        for other in ["summary.json", "callgrind.f.out", "dhat.f.id.out"] {
            fs::write(directory.join(other), "").unwrap();
        }
        let files = Files::in_directory(&directory).unwrap();
        let ends = |slot: &Slot| -> Vec<String> {
            let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap()[15..].to_owned();
            files.in_slot("callgrind", slot).into_iter().map(name).collect()
        };
        let base = |name: &str| Slot::Baseline(name.to_owned());
        assert_eq!(ends(&Slot::Latest), ["Ir.flamegraph.svg", "log", "out"]);
        assert_eq!(ends(&Slot::Old), ["old.out"]);
        assert_eq!(ends(&base("v1")), ["base@v1.out"]);
        let expected = ["base@v1.2.Ir.flamegraph.svg", "base@v1.2.log", "base@v1.2.out"];
        assert_eq!(ends(&base("v1.2")), expected);
        assert_eq!(ends(&base("lonely")), ["base@lonely.svg"]);
        assert_eq!(files.of_tool("callgrind").len(), 9);
    }
}
