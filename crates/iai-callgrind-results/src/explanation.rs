//! Explanations of changes, from the tables of two results.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use iai_callgrind_compare::WithinNoise;
use iai_callgrind_explain::{Difference, MachineValue, Revision, RunningFile, Table, Verdict};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::files;
use iai_callgrind_revisions::WorkTree;
use iai_callgrind_store::{Files, Slot};
use iai_callgrind_tools::tool::{Measurement, TABLE, Tool};

/// An explanation, or the reason why there is none.
pub type Explanation = Result<Explained, NoExplanation>;

/// An explanation of a difference.
#[derive(Debug)]
pub struct Explained {
    /// The difference of the tables.
    pub difference: Difference,
    /// The slots of the old and of the new result.
    pub slots: [Slot; 2],
    /// The changed files; `None` if they are not known.
    pub changed_files: Option<ChangedFiles>,
    /// Changes that are within the benchmark's learned noise.
    pub noise: Option<WithinNoise>,
    /// Texts of the costliest lines of the new source, by file and number, as far as the source
    /// still exists.
    pub sources: BTreeMap<(String, u32), String>,
}

impl Explained {
    /// Returns the values of the machine that are the reason for the difference. If the same
    /// program asks for none, they are in the data of its setup.
    pub fn machine_values(&self) -> Vec<&'static MachineValue> {
        match &self.difference.verdict {
            Verdict::MachineValues(values) => values.clone(),
            Verdict::Calls(_) => self.difference.unseen_value.into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Number of functions, and of lines of each, whose texts are in an explanation.
const SOURCE_FUNCTIONS: usize = 20;
const SOURCE_LINES: usize = 5;

/// The user's sources, and their states in git.
#[derive(Debug)]
pub struct Sources {
    work_tree: WorkTree,
    /// The directory that paths of sources are relative to.
    workspace: PathBuf,
    /// The contents of files; `None` for those that can't be read.
    files: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Returns the sources of this workspace.
    pub fn of(workspace: PathBuf) -> Self {
        Self { work_tree: WorkTree::of(&workspace), workspace, files: RefCell::default() }
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        let read = || files::read_to_string(self.workspace.join(path)).ok().map(Rc::from);
        self.files.borrow_mut().entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the texts of the lines with the largest changes, if the source of the new result
    /// still exists.
    fn texts(&self, difference: &Difference, new: &Table) -> BTreeMap<(String, u32), String> {
        let mut texts = BTreeMap::new();
        for entry in difference.entries.iter().take(SOURCE_FUNCTIONS) {
            for line in entry.lines().iter().filter(|line| !line.is_gone).take(SOURCE_LINES) {
                let Some(content) = self.read(line.file) else { continue };
                let lines = new.source_lines(line.file, &content).unwrap_or_default();
                let text = (line.line as usize).checked_sub(1).and_then(|index| lines.get(index));
                if let Some(text) = text {
                    texts.insert((line.file.to_owned(), line.line), (*text).to_owned());
                }
            }
        }
        texts
    }
}

/// The files that changed in the work tree between two results.
#[derive(Debug)]
pub struct ChangedFiles {
    /// The commit of the old result.
    pub old: String,
    /// The commit of the new result.
    pub new: String,
    /// The new result has changes that were not committed.
    pub is_uncommitted: bool,
    /// The files that run in the benchmark, then other sources and manifests, then the rest, each in the order of their
    /// paths.
    pub files: Vec<ChangedFile>,
}

/// A file that changed.
#[derive(Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path in the workspace, or in the work tree if it is elsewhere.
    pub path: String,
    /// The file runs in the benchmark; `None` if that is not known.
    pub runs: Option<bool>,
}

/// The reason why a table can't be used: it, or its profile, was changed on its own.
const OTHER_RESULT: &str = "it belongs to another result";

/// The reason why there is no explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum NoExplanation {
    /// The result was stored without a table.
    #[error("the {} result has no table of costs by function", side(*.is_old))]
    NoTable { is_old: bool },
    /// The table can't be read.
    #[error("the table of the {} result can't be used: {reason}", side(*.is_old))]
    Unreadable { is_old: bool, reason: String },
}

fn side(is_old: bool) -> &'static str {
    if is_old { "old" } else { "new" }
}

/// The table of a result.
#[derive(Debug)]
pub enum ResultTable {
    /// The result is stored without one.
    Missing,
    /// Bytes of a stored table.
    Bytes(Vec<u8>),
    /// The reason why a stored table can't be read.
    Unreadable(String),
    /// A table that this run made.
    Made(Box<Table>),
}

impl ResultTable {
    /// Reads the table of a stored result.
    pub fn read(files: &Files, tool: &Tool, slot: &Slot) -> Self {
        match files::read(files.path(tool.name, TABLE, slot)) {
            Ok(bytes) => Self::Bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// Parses the table of a result with these instructions.
    pub fn parse(&self, instructions: u64, is_old: bool) -> Result<Table, NoExplanation> {
        let unreadable = |reason| NoExplanation::Unreadable { is_old, reason };
        let table = match self {
            Self::Missing => return Err(NoExplanation::NoTable { is_old }),
            Self::Unreadable(reason) => return Err(unreadable(reason.clone())),
            Self::Bytes(bytes) => {
                Table::read(bytes).map_err(|error| unreadable(error.to_string()))?
            }
            Self::Made(table) => Table::clone(table),
        };
        if table.total(MetricKind::Ir.name()) != Some(instructions) {
            return Err(unreadable(OTHER_RESULT.to_owned()));
        }
        Ok(table)
    }
}

/// A result with its table.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The slot of the result.
    pub slot: &'a Slot,
    /// The table of the result.
    pub table: &'a ResultTable,
    /// The result itself.
    pub result: &'a Measurement,
}

/// Explains the difference of two results by their tables; `None` if they have no instructions. The
/// count varies by up to `spread` without any change.
pub fn explain(
    old: Side<'_>,
    new: Side<'_>,
    spread: Option<u64>,
    sources: &Sources,
) -> Option<Explanation> {
    let sides = [old, new];
    let [before, after] = sides.map(|side| side.result.total.count(MetricKind::Ir));
    let (before, after) = (before?, after?);
    let old = old.table.parse(before, true);
    let tables = old.and_then(|old| Ok([old, new.table.parse(after, false)?]));
    Some(tables.map(|mut tables| {
        let fingerprints = sides.map(|side| side.result.fingerprint.as_deref());
        if let [Some(old), Some(new)] = fingerprints {
            for (table, fingerprint) in tables.iter_mut().zip([old, new]) {
                table.environment.extend(fingerprint.entries().clone());
            }
        }
        explain_tables(tables, sides.map(|side| side.slot.clone()), spread, sources)
    }))
}

fn explain_tables(
    mut tables: [Table; 2],
    slots: [Slot; 2],
    spread: Option<u64>,
    sources: &Sources,
) -> Explained {
    let revisions = tables.each_ref().map(|table| table.revision.clone());
    let changed = match &revisions {
        [Some(old), Some(new)] => {
            sources.work_tree.changed(old, new).map(|paths| (old, new, paths))
        }
        _ => None,
    };
    if let Some((old, new, paths)) = &changed {
        add_other_versions(&mut tables, [old, new], paths, sources);
    }
    let [old, new] = &tables;
    let difference = Difference::new(old, new, spread);
    let changed_files = changed.map(|(old, new, paths)| {
        let files = changed_files(&paths, &difference.files, difference.has_debug_info, new);
        let is_uncommitted = !new.uncommitted.is_empty();
        ChangedFiles { old: old.commit.clone(), new: new.commit.clone(), is_uncommitted, files }
    });
    let sources = sources.texts(&difference, new);
    Explained { difference, slots, changed_files, noise: None, sources }
}

/// Adds the other versions of the files that run in one of the results only, as far as git has them. The lines that changed
/// in such a file are not known without them.
fn add_other_versions(
    [old, new]: &mut [Table; 2],
    revisions: [&Revision; 2],
    changed: &BTreeSet<String>,
    sources: &Sources,
) {
    add_versions(old, new, revisions[0], changed, sources);
    add_versions(new, old, revisions[1], changed, sources);
}

/// Adds the files that only run in the other result to this one, of this revision.
fn add_versions(
    table: &mut Table,
    other: &Table,
    revision: &Revision,
    changed: &BTreeSet<String>,
    sources: &Sources,
) {
    for path in other.source_paths() {
        if table.has_source(path) {
            continue;
        }
        let in_work_tree = format!("{}{path}", revision.prefix);
        if !changed.contains(&in_work_tree) {
            table.add_source(path, None, other);
        } else if let Some(text) = sources.work_tree.text(revision, &in_work_tree) {
            table.add_source(path, Some(&text), other);
        }
    }
}

/// Returns the files that changed according to the work tree or to their contents.
fn changed_files(
    changed: &BTreeSet<String>,
    running: &[RunningFile],
    has_debug_info: bool,
    revision: &Revision,
) -> Vec<ChangedFile> {
    let is_changed = |file: &&RunningFile| {
        let in_work_tree = || changed.contains(&format!("{}{}", revision.prefix, file.path));
        file.differs.unwrap_or_else(in_work_tree)
    };
    let run: BTreeSet<_> =
        running.iter().filter(is_changed).map(|file| file.path.as_str()).collect();
    let known: BTreeSet<_> = running.iter().map(|file| file.path.as_str()).collect();
    let paths = changed.iter().map(|path| path.strip_prefix(&*revision.prefix).unwrap_or(path));
    let others = paths.filter(|path| !known.contains(path));
    let (built, rest): (Vec<&str>, Vec<_>) = others.partition(|path| is_built(path));
    let others = built.into_iter().chain(rest);
    let file = |runs| move |path: &str| ChangedFile { path: path.to_owned(), runs };
    // Without debug information, any other file can run
    let other = has_debug_info.then_some(false);
    run.into_iter().map(file(Some(true))).chain(others.map(file(other))).collect()
}

/// Returns true for a source file, and for a file that decides how sources are compiled.
fn is_built(path: &str) -> bool {
    const NAMES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "rust-toolchain", "rust-toolchain.toml"];
    let path = Path::new(path);
    path.extension().is_some_and(|extension| extension == "rs")
        || path.ends_with(".cargo/config.toml")
        || NAMES.iter().any(|name| path.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_run_come_first() {
        let changed = ["README.md", "rust/src/lib.rs", "rust/src/same.rs", "rust/src/z.rs"];
        let changed = changed.map(str::to_owned).into();
        let running =
            [("src/lib.rs", Some(true)), ("src/same.rs", Some(false)), ("src/a.rs", None)];
        let running = running.map(|(path, differs)| RunningFile { path: path.to_owned(), differs });
        let revision = Revision { prefix: "rust/".to_owned(), ..Revision::default() };
        let find = |running: &[_], has_debug_info| {
            let files = changed_files(&changed, running, has_debug_info, &revision);
            files.into_iter().map(|file| (file.path, file.runs)).collect::<Vec<_>>()
        };
        let expected = |files: &[(&str, Option<bool>)]| {
            files.iter().map(|(path, runs)| ((*path).to_owned(), *runs)).collect::<Vec<_>>()
        };
        let (runs, idle) = (Some(true), Some(false));
        // Git also lists a file that was changed and restored, which is the same in both results
        let files = expected(&[("src/lib.rs", runs), ("src/z.rs", idle), ("README.md", idle)]);
        assert_eq!(find(&running, true), files);
        // Of one side only
        let files = expected(&[("src/lib.rs", runs), ("src/z.rs", None), ("README.md", None)]);
        assert_eq!(find(&running, false), files);
    }
}
