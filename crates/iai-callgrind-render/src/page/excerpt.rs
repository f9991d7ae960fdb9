//! The source around the costliest changed line, with the lines that were removed.

use std::collections::{BTreeMap, HashMap};

use iai_callgrind_explain::{AnnotatedFile, AnnotatedLine, Annotation};
use iai_callgrind_summary::explanation::{Cause, LineChange, SourceExcerpt, SourceLine};

/// Number of lines before and after the costliest one.
const AROUND: usize = 6;

/// Maximum number of lines between the costliest one and the name of its function.
const HEAD: usize = 8;

/// Maximum number of lines by which a neighbouring changed line extends the excerpt.
const MOST: usize = 18;

/// The sources of a file on both sides.
pub(super) struct Sources<'a> {
    pub(super) new: &'a str,
    /// `None` if it is not known.
    pub(super) old: Option<&'a str>,
}

/// Returns the lines around the line of a cause; `None` if the file does not run, or its source
/// differs from that of the result.
pub(super) fn excerpt(
    cause: &Cause,
    annotation: &Annotation,
    sources: &Sources<'_>,
) -> Option<SourceExcerpt> {
    let file = annotation.files.iter().find(|file| Some(&file.path) == cause.file.as_ref())?;
    file.find_lines(sources.new)?;
    let texts: Vec<_> = sources.new.lines().collect();
    let old = sources.old.filter(|old| file.is_old_source(old));
    let old: Vec<_> = old.into_iter().flat_map(str::lines).collect();
    let removed = removed(file, &texts, &old);
    let guilty = if cause.is_removed_line {
        let is_guilty = |line: &&AnnotatedLine| Some(line.number) == cause.line;
        *removed.iter().find(|(_, lines)| lines.iter().any(is_guilty))?.0
    } else {
        (cause.line? as usize).checked_sub(1)?
    };
    let guilty = guilty.min(texts.len().checked_sub(1)?);
    let range = range(file, &texts, guilty);
    let running = file.lines.iter().filter(|line| !line.is_gone);
    let running: BTreeMap<_, _> = running.map(|line| (line.number, line)).collect();
    let mut lines = Vec::new();
    for index in range {
        let number = u32::try_from(index + 1).ok()?;
        let gone = removed.get(&index).into_iter().flatten();
        lines.extend(gone.map(|line| {
            let text = old.get((line.number as usize).wrapping_sub(1));
            source_line(annotation, Some(line), line.number, text.map(|text| (*text).to_owned()))
        }));
        let line = running.get(&number).copied();
        lines.push(source_line(annotation, line, number, Some(texts[index].to_owned())));
    }
    if !old.is_empty() {
        mark_added(&mut lines, &texts, &old);
    }
    Some(SourceExcerpt { file: file.path.clone(), lines })
}

/// Marks the lines without a cost, such as braces, next to added lines, if the new source has more of them.
fn mark_added(lines: &mut [SourceLine], new: &[&str], old: &[&str]) {
    let mut more: HashMap<&str, i64> = HashMap::new();
    for (texts, sign) in [(new, 1), (old, -1)] {
        let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        texts.for_each(|text| *more.entry(text).or_default() += sign);
    }
    let mut mark = |order: &mut dyn Iterator<Item = &mut SourceLine>| {
        let mut is_next_to_added = false;
        for line in order.filter(|line| line.change != LineChange::Removed) {
            let text = line.text.as_deref().unwrap_or_default().trim();
            let has_no_cost = line.new.is_none() && line.change == LineChange::None;
            match more.get_mut(text) {
                _ if line.change == LineChange::Added => is_next_to_added = true,
                Some(number) if is_next_to_added && has_no_cost && *number > 0 => {
                    line.change = LineChange::Added;
                    *number -= 1;
                }
                _ => is_next_to_added = false,
            }
        }
    };
    mark(&mut lines.iter_mut());
    mark(&mut lines.iter_mut().rev());
}

/// Returns the indices of the lines to show: those around the guilty one, from the name of the function if it is near, with
/// changed lines next to them.
fn range(file: &AnnotatedFile, texts: &[&str], guilty: usize) -> std::ops::Range<usize> {
    let before = guilty.saturating_sub(HEAD)..=guilty;
    let head = before.rev().find(|index| is_head(texts[*index]));
    let mut start = head.unwrap_or(guilty.saturating_sub(AROUND));
    let mut end = (guilty + AROUND + 1).min(texts.len());
    let changed = file.lines.iter().filter(|line| line.is_changed && !line.is_gone);
    let changed: Vec<_> = changed.map(|line| line.number as usize).collect();
    for number in changed {
        let last = (number + 1).min(texts.len());
        if number > end && number <= end + AROUND && last - start <= MOST {
            end = last;
        }
    }
    let is_blank = |index: usize| texts[index].trim().is_empty();
    while start < guilty && is_blank(start) {
        start += 1;
    }
    // The next function is not of interest
    let next = (guilty + 1..end).find(|index| is_head(texts[*index]));
    end = next.unwrap_or(end);
    let is_above_next = |index: usize| {
        let text = texts[index].trim();
        text.is_empty() || text.starts_with("//") || text.starts_with("#[")
    };
    while end > guilty + 1 && is_above_next(end - 1) {
        end -= 1;
    }
    start..end
}

fn is_head(text: &str) -> bool {
    let text = text.trim_start();
    !text.starts_with("//") && (text.starts_with("fn ") || text.contains(" fn "))
}

/// Returns the lines that were removed, by the index of the new line that they are shown before.
fn removed<'a>(
    file: &'a AnnotatedFile,
    texts: &[&str],
    old: &[&str],
) -> BTreeMap<usize, Vec<&'a AnnotatedLine>> {
    let mut removed: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for line in file.lines.iter().filter(|line| line.is_gone && line.is_changed) {
        let index = (line.number as usize).saturating_sub(1);
        removed.entry(place_of(index, texts, old)).or_default().push(line);
    }
    removed
}

/// Returns the index of the new line that an old line is shown before: the one after the nearest lines before it that both
/// sources have.
fn place_of(index: usize, texts: &[&str], old: &[&str]) -> usize {
    let before = old.get(..index).unwrap_or_default().iter().enumerate().rev();
    let mut before = before.filter(|(_, text)| text.contains(char::is_alphanumeric));
    let place = before.find_map(|(number, text)| {
        let same = (0..texts.len()).filter(|new| texts[*new] == *text);
        let same = same.min_by_key(|new| new.abs_diff(number))?;
        // Lines such as a brace follow in both sources
        let following = old[number + 1..index].iter().zip(&texts[same + 1..]);
        Some(same + 1 + following.take_while(|(old, new)| old == new).count())
    });
    place.unwrap_or(index)
}

fn source_line(
    annotation: &Annotation,
    line: Option<&AnnotatedLine>,
    number: u32,
    text: Option<String>,
) -> SourceLine {
    let cost = |line: &AnnotatedLine| {
        if annotation.has_inclusive { line.inclusive } else { line.self_cost }
    };
    let change = match line {
        Some(line) if line.is_changed && line.is_gone => LineChange::Removed,
        Some(line) if line.is_changed => LineChange::Added,
        _ => LineChange::None,
    };
    let cost = line.map(cost);
    SourceLine {
        number,
        text,
        change,
        old: cost.map(|cost| cost.old),
        new: cost.map(|cost| cost.new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_without_a_cost_are_marked() {
        let old = ["fn f() {", "    b();", "}"];
        let new = [
            "fn f() {",
            "    if a() {",
            "        c();",
            "        continue;",
            "    }",
            "",
            "    b();",
            "}",
        ];
        let with_cost = [1, 2, 3, 7, 8];
        let added = [2, 3];
        let line = |(number, text): (u32, &&str)| SourceLine {
            number,
            text: Some((*text).to_owned()),
            change: if added.contains(&number) { LineChange::Added } else { LineChange::None },
            old: None,
            new: with_cost.contains(&number).then_some(1),
        };
        let mut lines: Vec<_> = (1..).zip(&new).map(line).collect();
        mark_added(&mut lines, &new, &old);
        let marked = lines.iter().filter(|line| line.change == LineChange::Added);
        assert_eq!(marked.map(|line| line.number).collect::<Vec<_>>(), [2, 3, 4, 5]);
    }

    #[test]
    fn a_removed_line_is_after_the_lines_that_both_sources_have() {
        let old = ["fn f() {", "    if a {", "        b();", "    }", "    old();", "}"];
        let new = ["fn f() {", "    if a {", "        b();", "    }", "    new();", "}"];
        assert_eq!(place_of(4, &new, &old), 4);
        let shifted = [&["use c;", ""], &new[..]].concat();
        assert_eq!(place_of(4, &shifted, &old), 6);
        let without_brace = ["fn f() {", "    if a {", "        b();", "    new();", "}"];
        assert_eq!(place_of(4, &without_brace, &old), 3);
        assert_eq!(place_of(0, &new, &old), 0);
        assert_eq!(place_of(9, &new, &old), 9, "the old source is shorter");
    }
}
