//! All that the runner prints passes through its module `console`.

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use crate::document::root;
use crate::modules::Sources;

/// Files that name a standard stream, and why they don't print what others wrote.
const STREAMS: [(&str, &str); 3] = [
    ("console.rs", "it is the filter"),
    ("report.rs", "the reporters put the filter before the streams that it passes to them"),
    ("against/cargo.rs", "it asks whether the standard error is a terminal"),
];

/// Macros that write to a standard stream.
const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

#[test]
fn everything_that_is_printed_passes_through_the_console() {
    let directory = root().join("iai-callgrind-runner/src");
    let sources = Sources::read(&directory.join("lib.rs"));
    let files: Vec<_> = sources.modules.values().map(|source| source.file.as_path()).collect();
    assert!(STREAMS.iter().all(|(file, _)| files.contains(&Path::new(file))));
    let mut violations = Vec::new();
    for file in files {
        let is_exempt = STREAMS.iter().any(|(path, _)| file == Path::new(path));
        // Tests can print
        let is_test = file.components().any(|part| part.as_os_str() == "tests");
        if !is_exempt && !is_test && !file.ends_with("tests.rs") {
            let text = fs::read_to_string(directory.join(file)).unwrap();
            let found = streams(text.parse().unwrap());
            violations.extend(found.iter().map(|name| format!("{}: `{name}`", file.display())));
        }
    }
    assert!(violations.is_empty(), "use `console` instead: {violations:#?}");
}

/// Returns the names of the macros and functions that write to a standard stream, apart from inline tests.
fn streams(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let text = |index: Option<usize>| {
        index.and_then(|index| tokens.get(index)).map(ToString::to_string).unwrap_or_default()
    };
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let [third, second, first] = [3, 2, 1].map(|distance| text(index.checked_sub(distance)));
        match token {
            TokenTree::Group(group) if [&*second, &*first] != ["mod", "tests"] => {
                found.extend(streams(group.stream()));
            }
            TokenTree::Ident(name) => {
                let (name, next) = (name.to_string(), text(Some(index + 1)));
                let is_macro = MACROS.contains(&&*name) && next == "!";
                let is_own = [".", "fn"].contains(&&*first)
                    || [&*third, &*second, &*first] == ["console", ":", ":"];
                let is_stream = ["stdout", "stderr"].contains(&&*name) && next == "()";
                if is_macro || is_stream && !is_own {
                    found.push(name);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn streams_are_found_outside_of_tests() {
    let text = r#"
        fn a() { println!("{}", { io::stdout() }); console::stderr(); child.stdout(); let print = 1; }
        fn stdout() {}
        mod tests { fn b() { dbg!(1); } }
    "#;
    assert_eq!(streams(text.parse().unwrap()), ["println", "stdout"]);
}
