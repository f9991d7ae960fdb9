//! The terminal: everything that the runner prints passes through a [`Console`], which shows
//! control characters as text and prevents lines from being commands of a CI service.
//!
//! Names, subjects of commits, values and output come from other people's revisions, notes and
//! archives.

#![expect(clippy::disallowed_methods, reason = "this is the filter")]

mod section;
pub mod style;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

pub use self::section::{Section, indented};
use crate::text_width::wrapped;

/// The escape sequences of the styles, without their start and end.
const STYLES: [&str; 10] = ["0", "1", "31", "32", "34", "36", "90", "91", "92", "93"];

/// The end of all styles.
const RESET: &str = "\u{1b}[0m";

/// Text after which a CI service takes the rest of a line for a command, wherever it is in the
/// line. A word in lower case and a bracket follow: `##[`, `##vso[`, `##teamcity[`.
const COMMAND: &str = "##";

/// The start of a line that GitHub takes for a command.
const COMMAND_LINE: &str = "::";

/// The escape sequences that are not shown as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colors {
    /// Those of the runner's own styles.
    Own,
    /// All colours, as a benchmark prints them.
    All,
}

/// A stream to the user. It writes whole lines.
#[derive(Debug)]
pub struct Console<W: Write> {
    stream: W,
    /// The start of a line that has not ended.
    line: Vec<u8>,
    /// A part of the line was written.
    is_continued: bool,
    colors: Colors,
    /// Returns the width at which lines wrap, if there is one.
    width: Width,
}

/// A function that returns the current width of a terminal; `None` if the stream is not one.
pub type Width = fn() -> Option<usize>;

/// Returns the standard output.
pub fn stdout() -> Console<anstream::Stdout> {
    Console::new(anstream::stdout())
}

/// Returns the standard error, whose lines wrap between words on a terminal.
pub fn stderr() -> Console<anstream::Stderr> {
    Console::new(anstream::stderr()).wrapped_at(stderr_width)
}

/// Returns the current width of the terminal that the standard output is.
pub fn stdout_width() -> Option<usize> {
    columns(io::stdout())
}

/// Returns the current width of the terminal that the standard error is.
pub fn stderr_width() -> Option<usize> {
    columns(io::stderr())
}

/// Returns the columns of a terminal, also of one that has no rows, as on CI machines.
fn columns(terminal: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(terminal).ok()?;
    Some(size.ws_col.into()).filter(|columns| *columns > 0)
}

/// Returns true if the standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns true if the standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Writes a document to the standard output. [`visible_lines`] or [`visible_json`] made it visible
/// before.
pub fn write_document(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

impl<W: Write> Console<W> {
    /// Returns a stream that writes to another one.
    pub fn new(stream: W) -> Self {
        Self { stream, line: Vec::new(), is_continued: false, colors: Colors::Own, width: || None }
    }

    /// Returns the stream with lines that wrap between words at this width.
    #[must_use]
    pub fn wrapped_at(mut self, width: Width) -> Self {
        self.width = width;
        self
    }

    /// Writes the captured output of a benchmark, with its colours.
    pub fn write_captured(&mut self, output: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.colors = Colors::All;
        let written = self.write_all(output).and_then(|()| self.write_line());
        self.colors = Colors::Own;
        written?;
        if output.contains(&b'\x1b') { self.stream.write_all(RESET.as_bytes()) } else { Ok(()) }
    }

    /// Writes the pending start of a line.
    fn write_line(&mut self) -> io::Result<()> {
        if self.line.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        let mut visible = String::new();
        push_line(&mut visible, &String::from_utf8_lossy(&line), self.colors, !self.is_continued);
        self.is_continued = true;
        self.stream.write_all(visible.as_bytes())
    }
}

impl<W: Write> Write for Console<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        // A line is written in many pieces, of which only the last one ends it
        let end = if buffer.contains(&b'\n') {
            buffer.iter().rposition(|byte| *byte == b'\n')
        } else {
            None
        };
        let end = end.map(|end| self.line.len() + end + 1);
        self.line.extend_from_slice(buffer);
        let Some(end) = end else { return Ok(buffer.len()) };
        let rest = self.line.split_off(end);
        let lines = std::mem::replace(&mut self.line, rest);
        let mut visible = String::new();
        // What a benchmark prints stays as it is
        let width = if self.colors == Colors::Own { (self.width)() } else { None };
        for line in String::from_utf8_lossy(&lines).lines() {
            match width {
                Some(width) => {
                    let mut whole = String::new();
                    push_line(&mut whole, line, self.colors, !self.is_continued);
                    visible.push_str(&wrapped(&whole, width));
                }
                None => push_line(&mut visible, line, self.colors, !self.is_continued),
            }
            visible.push('\n');
            self.is_continued = false;
        }
        self.stream.write_all(visible.as_bytes())?;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.stream.flush()
    }
}

impl<W: Write> Drop for Console<W> {
    fn drop(&mut self) {
        // An error of the last line can't be reported anywhere
        let _ = self.flush();
    }
}

/// Returns a text in which control characters, and characters that hide or reorder text, are
/// visible escapes such as `\u{1b}`. Line breaks are escaped, too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(
        text,
        |character| is_hidden(character) || character == '\n',
        |character| character.escape_default().to_string(),
    )
}

/// Replaces a text by [`one_line`] of it.
pub fn make_one_line(text: &mut String) {
    if let Cow::Owned(visible) = one_line(text) {
        *text = visible;
    }
}

/// Returns a text of several lines with visible escapes for control characters.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden, |character| character.escape_default().to_string())
}

/// Returns a text of several lines with visible escapes for control characters, in which no line is a command of a CI service.
pub fn visible_lines(text: &str) -> String {
    let mut visible = String::new();
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n');
        push_line(&mut visible, content.unwrap_or(line), Colors::Own, true);
        visible.extend(content.map(|_| '\n'));
    }
    visible
}

/// Returns JSON with the same meaning, in which control characters are escaped and no line has a command of a CI service.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let escaped = escape(json, is_hidden, |character| match *character.encode_utf16(&mut [0; 2]) {
        [unit] => format!("\\u{unit:04x}"),
        [ref high, ref low] => format!("\\u{high:04x}\\u{low:04x}"),
        _ => String::new(),
    });
    if escaped.contains(COMMAND) { escaped.replace(COMMAND, "#\\u0023").into() } else { escaped }
}

/// Replaces characters.
fn escape(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    replacement: impl Fn(char) -> String,
) -> Cow<'_, str> {
    if !text.contains(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_replaced(character) {
            escaped += &replacement(character);
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Returns true for a character that a terminal acts on, or that makes a text look like another
/// one, except for line breaks and tabs.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks of direction, overrides and isolates
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Line ends that only some programs know
        | '\u{2028}' | '\u{2029}'
        // Zero width. Joiners are a part of words and pictures
        | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        character => character.is_control(),
    }
}

/// Returns true for a line that is shown unchanged, as nearly all are: printable ASCII with styles,
/// without the start of a command. It takes a fraction of the time of a look at each character.
fn is_plain(line: &str, colors: Colors) -> bool {
    let is_text = |text: &str| {
        // A style can be within the start of a command
        !text.trim_start().starts_with(':')
            && text.bytes().all(|byte| matches!(byte, b' '..=b'"' | b'$'..=b'~'))
    };
    let mut rest = line;
    while let Some(start) = rest.find('\u{1b}') {
        let Some(style) = style(&rest[start..], colors) else { return false };
        if !is_text(&rest[..start]) {
            return false;
        }
        rest = &rest[start + style.len()..];
    }
    is_text(rest)
}

/// Appends a line without its end.
fn push_line(visible: &mut String, line: &str, colors: Colors, is_start: bool) {
    if is_plain(line, colors) {
        visible.push_str(line);
        return;
    }
    let line = line.strip_suffix('\r').unwrap_or(line);
    let tokens = tokens(line, colors);
    // A style is not a part of the text, because services remove it
    let text: Vec<(usize, char)> = tokens.iter().enumerate().filter_map(Token::in_text).collect();
    let commands = commands(&text, is_start);
    for (index, token) in tokens.iter().enumerate() {
        if commands.contains(&index) {
            visible.push('\\');
        }
        match token {
            Token::Style(style) => visible.push_str(style),
            Token::Character(character) if is_hidden(*character) => {
                visible.extend(character.escape_default());
            }
            Token::Character(character) => visible.push(*character),
        }
    }
}

/// A part of a line.
enum Token<'a> {
    Style(&'a str),
    Character(char),
}

impl Token<'_> {
    /// Returns the character of a token that is not a style, with its index.
    fn in_text((index, token): (usize, &Self)) -> Option<(usize, char)> {
        match token {
            Token::Style(_) => None,
            Token::Character(character) => Some((index, *character)),
        }
    }
}

fn tokens(line: &str, colors: Colors) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let style = style(rest, colors);
        let length = style.map_or(character.len_utf8(), str::len);
        tokens.push(style.map_or(Token::Character(character), Token::Style));
        rest = &rest[length..];
    }
    tokens
}

/// Returns the escape sequence of a style at the start of a text.
fn style(text: &str, colors: Colors) -> Option<&str> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
    let is_allowed = colors == Colors::All || STYLES.contains(&&parameters[..end]);
    (is_allowed && parameters[end..].starts_with('m')).then(|| &text[..end + 3])
}

/// Returns the indices of the tokens that begin, or are in the middle of, a command of a CI service.
fn commands(text: &[(usize, char)], is_start: bool) -> Vec<usize> {
    let mut commands = Vec::new();
    let is_at = |start: usize, pattern: &str| {
        let characters = text[start..].iter().map(|(_, character)| *character);
        characters.take(pattern.len()).eq(pattern.chars())
    };
    let first = text.iter().position(|(_, character)| !character.is_whitespace());
    if let Some(first) = first.filter(|first| is_start && is_at(*first, COMMAND_LINE)) {
        commands.push(text[first].0);
    }
    for start in (0..text.len()).filter(|start| is_at(*start, COMMAND)) {
        let mut rest = text[start + COMMAND.len()..].iter().map(|(_, character)| character);
        if rest.find(|character| !character.is_ascii_alphanumeric()) == Some(&'[') {
            commands.push(text[start + 1].0);
        }
    }
    commands
}

#[cfg(test)]
mod tests;
