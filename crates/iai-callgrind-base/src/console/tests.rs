//! Tests of what reaches a terminal.

use rustix::termios::{Winsize, tcsetwinsize};

use super::*;

/// Returns what a stream gets if these pieces are written.
fn written(pieces: &[&str]) -> String {
    let mut output = Vec::new();
    let mut console = Console::new(&mut output);
    for piece in pieces {
        console.write_all(piece.as_bytes()).unwrap();
    }
    drop(console);
    String::from_utf8(output).unwrap()
}

#[test]
fn control_characters_are_shown() {
    for (text, expected) in [
        ("plain\ttext # äöü 👩‍👩‍👧\n", "plain\ttext # äöü 👩‍👩‍👧\n"),
        ("\u{1b}]0;x\u{7}\n", "\\u{1b}]0;x\\u{7}\n"),
        ("a\rb\u{8}\u{7f}\n", "a\\rb\\u{8}\\u{7f}\n"),
        ("\u{9b}31m\u{85}\n", "\\u{9b}31m\\u{85}\n"),
        ("a\u{202e}b\u{2066}c\u{200b}\u{feff}\n", "a\\u{202e}b\\u{2066}c\\u{200b}\\u{feff}\n"),
        ("a\u{2028}b\u{e0041}\n", "a\\u{2028}b\\u{e0041}\n"),
        ("line\r\n", "line\n"),
        ("no end\u{1b}", "no end\\u{1b}"),
    ] {
        assert_eq!(written(&[text]), expected);
    }
    let mut output = Vec::new();
    Console::new(&mut output).write_all(b"\x9b2J\xff\n").unwrap();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "\u{fffd}2J\u{fffd}\n",
        "bytes that are not UTF-8"
    );
}

#[test]
fn only_the_own_styles_are_sent() {
    assert_eq!(
        written(&["\u{1b}[1m\u{1b}[91mred\u{1b}[0m\n"]),
        "\u{1b}[1m\u{1b}[91mred\u{1b}[0m\n"
    );
    for other in ["\u{1b}[8mhidden\n", "\u{1b}[2J\n", "\u{1b}[1;31m\n", "\u{1b}[1\n", "\u{1b}\n"] {
        assert!(!written(&[other]).contains('\u{1b}'), "{other:?}");
    }
}

#[test]
fn captured_output_keeps_its_colours_and_nothing_else() {
    let mut output = Vec::new();
    let mut console = Console::new(&mut output);
    console.write_captured(b"\x1b[1;38;5;8mred\x1b[2J\n\x1b[31m::error::x").unwrap();
    console.write_all(b"\nown \x1b[35m\n").unwrap();
    drop(console);
    let expected =
        "\u{1b}[1;38;5;8mred\\u{1b}[2J\n\u{1b}[31m\\::error::x\u{1b}[0m\nown \\u{1b}[35m\n";
    assert_eq!(String::from_utf8(output).unwrap(), expected);
}

#[test]
fn no_line_is_a_command_of_a_ci_service() {
    for (pieces, expected) in [
        (&["::error::x\n"][..], "\\::error::x\n"),
        (&["a\n", " \t:", ":warning::x\n"], "a\n \t\\::warning::x\n"),
        (&["\u{1b}[32m", "::error::\u{1b}[0m\n"], "\u{1b}[32m\\::error::\u{1b}[0m\n"),
        (&[":\u{1b}[0m:error::x\n"], "\\:\u{1b}[0m:error::x\n"),
        (&["a::b ::c\n"], "a::b ::c\n"),
        (&["x ##vso[task.setvariable]\n"], "x #\\#vso[task.setvariable]\n"),
        (&["###[error]x ##teamcity[a]\n"], "##\\#[error]x #\\#teamcity[a]\n"),
        (&["#\u{1b}[0m#[group]\n"], "#\u{1b}[0m\\#[group]\n"),
        (&["## Total\n", "## pid: 1 [x]\n"], "## Total\n## pid: 1 [x]\n"),
    ] {
        assert_eq!(written(pieces), expected);
        let whole = pieces.concat();
        assert_eq!(visible_lines(&whole), expected);
    }
}

#[test]
fn a_line_that_was_flushed_goes_on() {
    let mut output = Vec::new();
    let mut console = Console::new(&mut output);
    for piece in ["a", "::b\n::", "c\n"] {
        console.write_all(piece.as_bytes()).unwrap();
        console.flush().unwrap();
    }
    drop(console);
    assert_eq!(String::from_utf8(output).unwrap(), "a::b\n\\::c\n");
}

#[test]
fn a_field_is_one_line() {
    assert_eq!(one_line("a\n::error::\r\u{1b}"), "a\\n::error::\\r\\u{1b}");
    assert!(matches!(one_line("größer"), Cow::Borrowed(_)));
    let twice = one_line("\u{202e}\n").into_owned();
    assert_eq!(one_line(&twice), twice);
}

#[test]
fn json_keeps_its_meaning() {
    let value = serde_json::json!({
        "\u{9b}": "\u{1b}]0;x\u{7}\r\n::error::x\u{7f}\u{202e}\u{e0041} ##vso[x] ###[y]",
    });
    let pretty = format!("{value:#}\n");
    let visible = visible_json(&pretty);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&visible).unwrap(), value);
    assert!(visible.chars().all(|c| c == '\n' || !is_hidden(c)), "{visible}");
    assert!(!visible.contains("##"), "{visible}");
    assert!(matches!(visible_json("{\"a\": \"::b\"}"), Cow::Borrowed(_)));
}

#[test]
fn a_terminal_without_rows_has_a_width() {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/ptmx").unwrap();
    let size = |ws_col| Winsize { ws_row: 0, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
    for (columns, width) in [(80, Some(80)), (0, None)] {
        tcsetwinsize(&terminal, size(columns)).unwrap();
        assert_eq!(super::columns(&terminal), width);
    }
}
