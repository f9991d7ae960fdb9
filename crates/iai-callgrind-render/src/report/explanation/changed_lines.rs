//! The lines that changed, in words.

use std::cmp::Reverse;

use iai_callgrind_explain::{ChangedLine, Difference, Edit, Entry, LineChange};
use iai_callgrind_summary::explanation::PossibleLine;

use super::LISTED;

/// Returns a line as text. A line of the old source is marked, because its number is that of the
/// old source.
pub(super) fn place(file: &str, line: u32, is_old: bool) -> String {
    let old = if is_old { "old " } else { "" };
    format!("{old}{file}:{line}")
}

/// Returns the changed lines, the edits with the largest changes first, as `your changes to these
/// lines (a.rs:3)`.
pub(super) fn changed_lines(difference: &Difference, all: &[ChangedLine]) -> String {
    let is_removal = all.iter().all(|line| !line.is_new);
    let which = if is_removal { "lines that you removed" } else { "your changes to these lines" };
    let places = places(difference, all);
    let more = if places.len() > LISTED { ", …" } else { "" };
    let shown = places.into_iter().take(LISTED);
    let shown = shown.map(|(file, line, is_new)| place(file, line, !is_new && !is_removal));
    format!("{which} ({}{more})", shown.collect::<Vec<_>>().join(", "))
}

/// Returns the changed lines in the order of their text.
pub(super) fn possible_lines(difference: &Difference, all: &[ChangedLine]) -> Vec<PossibleLine> {
    let possible = |(file, line, is_new): (&str, u32, bool)| PossibleLine {
        file: file.to_owned(),
        line,
        is_removed: !is_new,
    };
    places(difference, all).into_iter().map(possible).collect()
}

/// Returns the lines to name: one of each edit, then the others, without removed lines that new lines replace.
fn places<'a>(difference: &'a Difference, all: &'a [ChangedLine]) -> Vec<(&'a str, u32, bool)> {
    let mut edits: Vec<Edit<'_>> = difference.entries.iter().flat_map(Entry::edits).collect();
    edits.sort_by_key(|edit| Reverse(edit.change.unsigned_abs()));
    let of_edit = |line: &LineChange<'a>| (line.file, line.line, !line.is_gone);
    let first = edits.iter().filter_map(Edit::line).map(of_edit);
    let is_replaced = |line: &ChangedLine| {
        let is_new =
            |new: &ChangedLine| new.is_new && new.file == line.file && new.after == line.after;
        !line.is_new && all.iter().any(is_new)
    };
    let others = all.iter().filter(|line| !is_replaced(line));
    let others = others.map(|line| (&*line.file, line.line, line.is_new));
    let mut places: Vec<(&str, u32, bool)> = Vec::new();
    for place in first.chain(others) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use iai_callgrind_explain::{CodeChange, SiteChange, Verdict};

    use super::*;

    /// Returns the text about these lines of a function: file, number, the line before it, true for a new one, and its change.
    fn text(lines: &[(&str, u32, u32, bool, i64)]) -> String {
        let changed = lines.iter().map(|&(file, line, after, is_new, _)| ChangedLine {
            file: file.to_owned(),
            line,
            is_new,
            after,
        });
        let changed: Vec<_> = changed.collect();
        let sites = lines.iter().map(|&(file, line, _, is_new, change)| SiteChange {
            file: file.to_owned(),
            line,
            is_gone: !is_new,
            via: None,
            change,
        });
        let entry = Entry {
            owner: Some("f".to_owned()),
            file: String::new(),
            old: 0,
            new: 0,
            assumed: 0,
            calls: (0, 0),
            code: CodeChange::Other,
            changed_lines: changed.clone(),
            merged_lines: Vec::new(),
            sites: sites.collect(),
            callees: Vec::new(),
        };
        let difference = Difference {
            old: 1,
            new: 2,
            verdict: Verdict::Equal,
            entries: vec![entry],
            executed_in: Vec::new(),
            files: Vec::new(),
            has_debug_info: true,
            unseen_value: None,
        };
        changed_lines(&difference, &changed)
    }

    #[test]
    fn removed_and_changed_lines_are_both_named() {
        let (gone, added) = (("a.rs", 40, 3, false, -90), ("b.rs", 7, 5, true, 2));
        assert_eq!(text(&[gone, added]), "your changes to these lines (old a.rs:40, b.rs:7)");
        assert_eq!(text(&[gone]), "lines that you removed (a.rs:40)");
    }

    #[test]
    fn a_line_that_took_the_place_of_another_one_is_named_for_both() {
        // Lines above moved it
        let edited = [("b.rs", 6, 35, false, -9), ("b.rs", 36, 35, true, 12)];
        assert_eq!(text(&edited), "your changes to these lines (b.rs:36)");
        let elsewhere = [("b.rs", 36, 5, false, -9), ("b.rs", 36, 35, true, 12)];
        assert_eq!(text(&elsewhere), "your changes to these lines (b.rs:36, old b.rs:36)");
        let unrelated = [("b.rs", 6, 5, false, -900), ("b.rs", 7, 5, true, 12)];
        assert_eq!(text(&unrelated), "your changes to these lines (old b.rs:6, b.rs:7)");
    }

    #[test]
    fn the_edit_with_the_largest_change_comes_first() {
        let lines = [
            ("a.rs", 1, 0, false, -5000),
            ("a.rs", 1, 0, true, 5000),
            ("a.rs", 9, 8, true, 30),
            ("a.rs", 10, 8, true, 20),
        ];
        assert_eq!(text(&lines), "your changes to these lines (a.rs:9, a.rs:1, a.rs:10)");
    }
}
