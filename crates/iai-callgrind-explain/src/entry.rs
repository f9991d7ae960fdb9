//! The change of a user function, of its machine code and of its lines.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A user function with its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The function, or the crate without debug information; `None` for costs without an owner.
    pub owner: Option<String>,
    /// The source file of the line with the largest change; empty if it is not known.
    pub file: String,
    /// The old cost.
    pub old: u64,
    /// The new cost.
    pub new: u64,
    /// The part of both costs that was split between several callers.
    pub assumed: u64,
    /// The old and the new number of calls of its machine code; zero for a function that is inlined or has closures only.
    pub calls: (u64, u64),
    /// The change of its machine code.
    pub code: CodeChange,
    /// The lines that run and that the other source file does not contain, by number.
    pub changed_lines: Vec<ChangedLine>,
    /// The changed lines that can have the cost of another edit: its lines were inlined there, and nothing runs in their place.
    pub merged_lines: Vec<ChangedLine>,
    /// The changes of its lines, the largest first.
    pub sites: Vec<SiteChange>,
    /// The functions that it calls more often or less often, those without a name last.
    pub callees: Vec<Callee>,
}

/// A function that another one calls more often or less often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callee {
    /// The name of the called function.
    pub name: String,
    /// The old number of calls.
    pub old: u64,
    /// The new number of calls.
    pub new: u64,
    /// True if the calls are in another function now: all functions together do not call it more often if these
    /// calls are more, nor less often if they are fewer.
    pub is_moved: bool,
}

/// The change of the machine code of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeChange {
    /// The function is new in this benchmark.
    New,
    /// The function is no longer executed.
    Gone,
    /// Only the code that it calls changed.
    None,
    /// The instructions of the function, of the functions that contain it, and of its callees are
    /// the same.
    Same,
    /// The function consists of other instructions.
    Other,
    /// The function is now a part of its callers.
    Inlined,
    /// The function was a part of its callers.
    NoLongerInlined,
    /// The function was and is a part of its callers.
    InCallers,
    /// There is no owner, or the machine code is not known.
    Unknown,
}

/// The change of a line of user code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteChange {
    /// The source file; empty if it is not known.
    pub file: String,
    /// The number of the line, in the new source if it is there.
    pub line: u32,
    /// True if only the old result has a cost of the line. The number is then that of the old
    /// source.
    pub is_gone: bool,
    /// The function that the line calls, if the cost is spent there.
    pub via: Option<String>,
    /// The new cost minus the old one.
    pub change: i64,
}

/// The change of a line with all functions that it calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange<'a> {
    /// The source file; empty if it is not known.
    pub file: &'a str,
    /// The number of the line, in the new source if it is there.
    pub line: u32,
    /// True if only the old result has a cost of the line. The number is then that of the old
    /// source.
    pub is_gone: bool,
    /// The called function with the largest change, if that is larger than the change of the line itself.
    pub via: Option<&'a str>,
    /// The new cost minus the old one.
    pub change: i64,
    /// True if the other source does not contain the line.
    pub is_changed: bool,
}

/// The changed lines of a function between the same lines of the old and the new source: an edited
/// line before and after the edit, or lines that were only added or only removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The new cost of its lines minus the old one.
    pub change: i64,
    /// The lines, those with the largest changes first.
    pub lines: Vec<LineChange<'a>>,
}

/// A removed line is named instead of the new ones at its place if it cost more than this number of
/// times as much as each of them: they can be unrelated.
const MORE: u64 = 4;

impl<'a> Edit<'a> {
    /// Returns the line that names the edit: the costliest new one, or the costliest removed one.
    #[must_use]
    pub fn line(&self) -> Option<&LineChange<'a>> {
        let find = |is_gone| self.lines.iter().find(|line| line.is_gone == is_gone);
        let (new, gone) = (find(false), find(true));
        let Some((new_line, gone_line)) = new.zip(gone) else { return new.or(gone) };
        let [size, gone_size] = [new_line, gone_line].map(|line| line.change.unsigned_abs());
        if gone_size > size.saturating_mul(MORE) { gone } else { new }
    }
}

/// A line that runs in one of two results, and that the other source does not contain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangedLine {
    /// The source file.
    pub file: String,
    /// The number of the line.
    pub line: u32,
    /// True for a line of the new source, false for one of the old source.
    pub is_new: bool,
    /// Number in the new source of the last preceding line that runs and that both sources contain;
    /// 0 without one.
    pub after: u32,
}

impl Entry {
    /// Returns the new cost minus the old one.
    #[must_use]
    pub fn change(&self) -> i64 {
        signed(self.new) - signed(self.old)
    }

    /// Returns the edits of its lines, the largest change first.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit<'_>> {
        let lines = self.lines();
        let mut edits: BTreeMap<_, Edit<'_>> = BTreeMap::new();
        for ChangedLine { file, line, is_new, after } in &self.changed_lines {
            let is_same = |it: &&LineChange<'_>| {
                it.line == *line && it.is_gone != *is_new && it.file == *file
            };
            let change = lines.iter().find(is_same).cloned().unwrap_or(LineChange {
                file,
                line: *line,
                is_gone: !is_new,
                via: None,
                change: 0,
                is_changed: true,
            });
            let empty = || Edit { change: 0, lines: Vec::new() };
            let edit = edits.entry((file, *after)).or_insert_with(empty);
            edit.change += change.change;
            edit.lines.push(change);
        }
        let mut edits: Vec<_> = edits.into_values().collect();
        for edit in &mut edits {
            edit.lines.sort_by_key(|line| Reverse(line.change.unsigned_abs()));
        }
        edits.sort_by_key(|edit| Reverse(edit.change.unsigned_abs()));
        edits
    }

    /// Returns true if an edit can have the cost of another one.
    #[must_use]
    pub fn is_merged(&self, edit: &Edit<'_>) -> bool {
        self.merged_lines.iter().any(|merged| {
            let is_same = |line: &LineChange<'_>| merged.is_at(line.file, line.line, !line.is_gone);
            edit.lines.iter().any(is_same)
        })
    }

    /// Returns the changes of its lines, the largest first.
    #[must_use]
    pub fn lines(&self) -> Vec<LineChange<'_>> {
        let mut lines: BTreeMap<_, LineChange<'_>> = BTreeMap::new();
        // The sites with the largest changes come first
        for SiteChange { file, line, is_gone, via, change } in &self.sites {
            let is_changed = |changed: &ChangedLine| changed.is_at(file, *line, !is_gone);
            let entry = lines.entry((file, line, is_gone)).or_insert_with(|| LineChange {
                file,
                line: *line,
                is_gone: *is_gone,
                via: via.as_deref(),
                change: 0,
                is_changed: self.changed_lines.iter().any(is_changed),
            });
            entry.change += change;
        }
        let mut lines: Vec<_> = lines.into_values().filter(|line| line.change != 0).collect();
        lines.sort_by_key(|line| Reverse(line.change.unsigned_abs()));
        lines
    }
}

impl ChangedLine {
    /// Returns true for the line with this number in the new or the old source of a file.
    pub(crate) fn is_at(&self, file: &str, line: u32, is_new: bool) -> bool {
        self.line == line && self.is_new == is_new && self.file == file
    }
}

pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
