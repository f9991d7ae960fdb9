//! The frame of each page, and the components of all pages. Head, style and script are in the page
//! itself, which needs no other file.

use std::borrow::Cow;

use iai_callgrind_base::console::visible_text;
use iai_callgrind_plan::VERSION;
use iai_callgrind_summary::explanation::LineChange;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const GENERATOR: &str = "iai-callgrind-runner";
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing is loaded from anywhere, and nothing is sent.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'";

/// Returns the start of the element that names the program in each page. Earlier pages are
/// recognized by it.
pub(super) fn generator() -> String {
    format!("<meta name=\"generator\" content=\"{GENERATOR} ")
}

/// Returns a whole page.
pub(super) fn page(title: &str, header: &Markup, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(format!("{GENERATOR} {VERSION}"));
                title { (title) }
                style { (PreEscaped(STYLE)) }
                // Before the tables are laid out
                script { (PreEscaped("document.documentElement.className='script'")) }
            }
            body {
                header { (header) }
                main { (content) }
                footer { "Written by iai-callgrind " (VERSION) "." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    // Names, sources and messages can come from others
    let page = page.into_string();
    match visible_text(&page) {
        Cow::Borrowed(_) => page,
        Cow::Owned(visible) => visible,
    }
}

/// Returns a text that keeps its direction to itself.
pub(super) fn name(text: &str) -> Markup {
    html! { bdi { (text) } }
}

/// Returns a text with the name of a benchmark or a function that breaks between its parts, and between the words of a part.
pub(super) fn path(text: &str) -> Markup {
    let words = text.split_inclusive("::").flat_map(|part| part.split_inclusive('_'));
    html! { bdi { @for word in words { (word) wbr; } } }
}

/// Returns a text in which percentages keep their signs on their line.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// Returns the explanation of a benchmark's change as the terminal has it.
pub(super) fn terminal_text(benchmark: &str, lines: &[String]) -> Markup {
    scroll(&format!("Explanation of {benchmark}"), &html! { pre { (lines.join("\n")) } })
}

/// Returns a part with this label that scrolls alone.
pub(super) fn scroll(label: &str, content: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// Returns the header of a table: the names of those columns that it has, with their classes.
pub(super) fn header<'a>(columns: impl IntoIterator<Item = Option<(&'a str, &'a str)>>) -> Markup {
    let columns = columns.into_iter().flatten();
    html! { thead { tr { @for (name, class) in columns {
        th class=[Some(class).filter(|class| !class.is_empty())] scope="col" { (name) }
    } } } }
}

/// Returns the class of a source line that only one side has.
pub(super) fn line_class(change: LineChange) -> Option<&'static str> {
    match change {
        LineChange::None => None,
        LineChange::Added => Some("added"),
        LineChange::Removed => Some("removed"),
    }
}

/// Returns the cell of a source line, whose text can be unknown for this reason.
pub(super) fn code_cell(change: LineChange, text: Option<&str>, unknown: &str) -> Markup {
    let (sign, words) = match change {
        LineChange::None => ("", ""),
        LineChange::Added => ("+", "changed"),
        LineChange::Removed => ("−", "removed"),
    };
    html! { td {
        span.sign title=(words) { (sign) }
        @match text {
            Some(text) => code { bdi { (text) } },
            None if !unknown.is_empty() => i { (unknown) },
            None => {},
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_breaks_between_its_words() {
        let text = path("a_b::c").into_string();
        assert_eq!(text, "<bdi>a_<wbr>b::<wbr>c<wbr></bdi>");
    }
}
