//! Text that fits the width of a terminal.

use std::borrow::Cow;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The start of a line with a command to copy, which stays whole.
const COMMAND: &str = "next: ";

/// Smallest width to wrap at. Lines for a narrower terminal are left to it.
const LEAST: usize = 40;

/// Smallest width of shortened names next to columns.
const LEAST_NAME: usize = 30;

/// The mark of a part that was left out.
pub const ELLIPSIS: char = '…';

/// Returns the width of a text on a terminal, without that of its styles.
pub fn text_width(text: &str) -> usize {
    if text.contains('\u{1b}') {
        anstream::adapter::strip_str(text).to_string().width()
    } else {
        text.width()
    }
}

/// Returns a text without styles that has at most this width: the middle of a longer one is left out.
pub fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    let Some(Range { start, end }) = surplus(text, width) else { return Cow::Borrowed(text) };
    Cow::Owned(format!("{}{ELLIPSIS}{}", &text[..start], &text[end..]))
}

/// Returns a name for a line of its own, behind columns of this width on a terminal with a width: the middle of a longer one
/// is left out.
pub fn name_above(name: &str, before: usize, width: Option<usize>) -> Cow<'_, str> {
    width.map_or(Cow::Borrowed(name), |width| shortened(name, width.saturating_sub(before)))
}

/// Smallest width of a last column.
const LEAST_LAST: usize = 12;

/// Returns the text of the last column behind columns of this width, without styles: the end of a text that does not fit a
/// terminal with a width is left out.
pub fn last_column(text: &str, before: usize, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width else { return Cow::Borrowed(text) };
    let room = width.saturating_sub(before).max(LEAST_LAST);
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used < room
    };
    Cow::Owned(text.chars().take_while(fits).chain([ELLIPSIS]).collect())
}

/// Ends a text of which the rest is left out already.
const CUT: &str = "...";

/// Returns the range of bytes of the middle that is left out of a text; `None` for one that has at most this width. If the
/// end of the text is left out already, more of the end is.
pub fn surplus(text: &str, width: usize) -> Option<Range<usize>> {
    if text.width() <= width {
        return None;
    }
    let room = width.saturating_sub(1);
    let end_of = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        let fits = |character: &char| {
            used += character.width().unwrap_or(0);
            used <= room
        };
        characters.take_while(fits).map(char::len_utf8).sum::<usize>()
    };
    let room_of_head = if text.ends_with(CUT) { room } else { room / 3 };
    let head = end_of(&mut text.chars(), room_of_head);
    let tail = end_of(&mut text.chars().rev(), room - text[..head].width());
    Some(head..text.len() - tail)
}

/// Returns the width for names next to columns of this width, on a terminal with a width. `None` if
/// the columns leave too little for the names.
pub fn name_width(longest: usize, columns: usize, width: Option<usize>) -> Option<usize> {
    let Some(width) = width else { return Some(longest) };
    let room = width.saturating_sub(columns);
    (room >= longest.min(LEAST_NAME)).then_some(longest.min(room))
}

/// Number of blanks that separate fields of a line. A field stays on one line if it fits there.
const GAP: usize = 3;

/// Units that stay on the line of their number.
const UNITS: [&str; 8] = ["%", "ns", "µs", "ms", "s", "KiB", "MiB", "GiB"];

/// The mark before a remark about a line of source, such as `← changed`.
const REMARK: &str = "←";

/// The arrow from an old to a new value.
const ARROW: &str = "→";

/// Returns true if a line must not break between two words: a number and its unit or what it counts, the sides of an arrow,
/// an arrow and the remark after it, a name and its change, `at` and the size.
fn belong_together(first: &str, second: &str) -> bool {
    let plain = |word: &str| anstream::adapter::strip_str(word).to_string();
    let (first, second) = (plain(first), plain(second));
    let unit = second.trim_end_matches([',', ')', ':', '.', ';', ']']);
    let is_change = || {
        let number = second.strip_prefix(['+', '-']);
        number.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
    };
    let is_number = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.ends_with(|last: char| last.is_ascii_digit())
            && word.chars().all(|next| next.is_ascii_digit() || matches!(next, ',' | '.'))
    };
    first == REMARK
        || [&first, &second].into_iter().any(|word| word == ARROW)
        || (first == "at" && second.starts_with(|first: char| first.is_ascii_digit()))
        || (is_number(&first) && second.starts_with(char::is_alphabetic))
        || (first.ends_with(char::is_alphabetic) && is_change())
        || (first.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&unit))
}

/// Splits a text at the blanks where a line can break. Several blanks in a row are empty words.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    let mut end = 0;
    for word in text.split(' ') {
        let start = end;
        end += word.len() + 1;
        match words.last_mut() {
            Some(last) if belong_together(last.rsplit(' ').next().unwrap_or(last), word) => {
                *last = &text[start - 1 - last.len()..start + word.len()];
            }
            _ => words.push(word),
        }
    }
    words
}

/// Returns the width of the field that starts with these words.
fn field_width(words: &[&str]) -> usize {
    let end = words.windows(GAP - 1).position(|next| next.iter().all(|word| word.is_empty()));
    let field = words[..end.unwrap_or(words.len())].iter();
    field.map(|word| text_width(word) + 1).sum::<usize>().saturating_sub(1)
}

/// Returns a line with breaks between its fields and words so that no part is wider than this, except for long
/// words. Continued parts start two columns to the right of the first one.
pub fn wrapped(line: &str, width: usize) -> Cow<'_, str> {
    let text = line.trim_start_matches(' ');
    if width < LEAST || text_width(line) <= width || text.starts_with(COMMAND) {
        return Cow::Borrowed(line);
    }
    let indentation = " ".repeat((line.len() - text.len() + 2).min(width / 2));
    let mut parts = line[..line.len() - text.len()].to_owned();
    let mut used = parts.len();
    // The blanks before the second word are between the two
    let mut blanks = 0;
    let mut is_first = true;
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        if word.is_empty() {
            blanks += 1;
            continue;
        }
        let word_width = text_width(word);
        let field_width = if blanks == GAP { field_width(&words[index..]) } else { 0 };
        let is_field = field_width > 0 && field_width <= width - indentation.len();
        let needed = if is_field { field_width } else { word_width };
        if !is_first && used + blanks + needed > width {
            parts.push('\n');
            parts.push_str(&indentation);
            used = indentation.len();
        } else {
            parts.push_str(&" ".repeat(blanks));
            used += blanks;
        }
        parts.push_str(word);
        used += word_width;
        (blanks, is_first) = (1, false);
    }
    Cow::Owned(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_column_fits_the_terminal() {
        let subject = "Merge pull request #363 from fix";
        assert_eq!(last_column(subject, 50, None), subject);
        assert_eq!(last_column(subject, 48, Some(80)), subject);
        assert_eq!(last_column(subject, 58, Some(80)), "Merge pull request #3…");
        assert_eq!(last_column(subject, 79, Some(80)), "Merge pull …", "a part at least");
        assert_eq!(last_column("日本語の件名が長い時", 66, Some(80)), "日本語の件名…");
    }

    #[test]
    fn the_middle_of_a_name_is_left_out() {
        assert_eq!(shortened("sort::ten", 9), "sort::ten");
        assert_eq!(shortened("numbers::bubble_sort ten:10", 20), "number…e_sort ten:10");
        assert_eq!(shortened("inline:\"a text that...", 14), "inline:\"a tex…");
        for width in 1..30 {
            assert!(text_width(&shortened("numbers::bubble_sort ten:10", width)) <= width);
            assert!(text_width(&shortened("größe::漢字漢字漢字漢字漢字漢字 é", width)) <= width);
        }
    }

    #[test]
    fn names_keep_a_part_next_to_columns() {
        assert_eq!(name_width(50, 30, None), Some(50));
        assert_eq!(name_width(50, 30, Some(80)), Some(50));
        assert_eq!(name_width(60, 30, Some(80)), Some(50), "shortened");
        assert_eq!(name_width(60, 60, Some(80)), None);
        assert_eq!(name_width(20, 60, Some(80)), Some(20));
    }

    #[test]
    fn lines_break_between_words() {
        let line = "    caused by \u{1b}[1mparse_header\u{1b}[0m, which is called 12 times more often than before";
        assert_eq!(
            wrapped(line, 60),
            "    caused by \u{1b}[1mparse_header\u{1b}[0m, which is called 12 times more\n      often than before"
        );
        assert_eq!(wrapped(line, 100), line);
        assert_eq!(wrapped(line, 20), line, "a terminal that is narrower than any text");
        let command = format!("  next: cargo bench -- annotate {}", "x".repeat(90));
        assert_eq!(wrapped(&command, 80), command);
    }

    #[test]
    fn numbers_keep_their_units_and_arrows_their_remarks() {
        let line = "  scan_hrule now calls memcpy: 18 benchmarks, \u{1b}[31m+0.499 %\u{1b}[0m to +85.3 %, ← changed";
        for width in LEAST..100 {
            let parts = wrapped(line, width).into_owned();
            for part in parts.lines() {
                let start = anstream::adapter::strip_str(part.trim_start()).to_string();
                assert!(!start.starts_with(['%', 'c']), "{width}: {parts}");
                assert!(!part.ends_with(REMARK), "{width}: {parts}");
            }
        }
        assert_eq!(words("a  1 % 2"), ["a", "", "1 %", "2"]);
        let changes = "f instead: Instructions +11,500 %, Estimated Cycles -7 %, +3";
        let kept = ["f", "instead:", "Instructions +11,500 %,", "Estimated", "Cycles -7 %,", "+3"];
        assert_eq!(words(changes), kept);
    }

    #[test]
    fn a_residual_keeps_its_size() {
        assert_eq!(words("+81 % at 8192, at a"), ["+81 %", "at 8192,", "at", "a"]);
    }

    #[test]
    fn a_number_keeps_what_it_counts() {
        let verdict = ["2 worse,", "1,234 unchanged"];
        assert_eq!(words("2 worse, 1,234 unchanged"), verdict);
        let calls = "f: called 2 → 196.1 times by g";
        assert_eq!(words(calls), ["f:", "called", "2 → 196.1 times", "by", "g"]);
        assert_eq!(words("2, a 3.5 %"), ["2,", "a", "3.5 %"]);
    }

    #[test]
    fn lines_break_between_fields() {
        let line = "    Estimated Cycles: 9.193 n log n + 140.55 n   O(n log n)   R² 0.99994   max. residual 0.96 %";
        assert_eq!(
            wrapped(line, 80),
            "    Estimated Cycles: 9.193 n log n + 140.55 n   O(n log n)   R² 0.99994\n      max. residual 0.96 %"
        );
        let long = format!("  label   {}", "a word ".repeat(20));
        let code = "       +876    src/store/array_store/mod.rs:351  for index in 0..slice.len() {";
        assert!(wrapped(code, 70).starts_with("       +876    src/store"), "a column, not a field");
        assert!(wrapped(&long, 60).starts_with("  label   a word "), "one that fits no line");
    }

    #[test]
    fn no_part_is_wider_than_the_terminal() {
        let line = format!("  a label:   {}", "word and 漢字 ".repeat(40));
        for width in LEAST..120 {
            let parts = wrapped(&line, width).into_owned();
            assert!(parts.lines().all(|part| text_width(part) <= width), "{parts}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&parts), words(&line));
        }
    }
}
