//! The chapter on troubleshooting lists the errors that a user can meet: all that the sources have, none
//! that they don't have, and only ones that a test provokes.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::document::{Block, Document, root};

/// The code in front of a message for users. Messages of parsers are not listed: all of them are part of one
/// sentence, which is.
const BEGINS: [&str; 4] = [
    r"Self::\w+(?: \{[^}]*\})? => (?:write!\(\s*formatter,|formatter\.write_str\()\s*",
    r"Error::Case\(",
    r"#\[error\(",
    r"eprintln!\(",
];

/// Output on the terminal that is not an error, and reasons in the sentence on the configuration of a benchmark
const NO_ERRORS: [&str; 13] = [
    "error: {",
    "{",
    "iai-callgrind: ",
    "linking layout {",
    "counting layout {",
    "profile: {",
    "note: skipping {",
    "note: {} help: {}, or silence",
    "all tools are disabled",
    "`cold_caches` is set",
    "`{tolerance}`",
    "`{change}`",
    "`{number}`",
];

/// Messages of other programs: cargo, rustc, clap, libtest, curl, Valgrind
const OF_OTHERS: [&str; 10] = [
    "Can't execute setuid/setgid/setcap",
    "Unrecognized option:",
    "unexpected argument",
    "cannot be used with",
    "the following required arguments were not provided:",
    "cannot find type",
    "expected type, found function",
    "function not found",
    "running 0 tests",
    "expected 1 argument",
];

/// Errors that no test can provoke, and why
const NOT_PROVOKED: [(&str, &str); 7] = [
    ("no random number: ", "getrandom fails"),
    ("another run kept the CPU", "needs a run that is suspended for minutes"),
    ("can't install the runner:", "nothing is published yet"),
    (
        "can't compile a client request for",
        "the build script of a target that needs cross compilers",
    ),
    ("neither CARGO_HOME nor HOME is set", "nothing is published yet"),
    ("path of constant length", "needs a file system from which nothing can be executed"),
    ("threads had real-time priority for", "takes two minutes"),
];

/// Returns the error messages that the chapter has, each as the texts between its `...`.
fn listed() -> Vec<Vec<String>> {
    let chapter = Document::read("docs/src/troubleshooting.md").text;
    let (chapter, _) = chapter.split_once("\n## Numbers").expect("a section that has no errors");
    let bold = Regex::new(r"(?s)\*\*(`.+?`)\*\*").unwrap();
    let messages = bold.captures_iter(chapter).map(|found| found[1].to_owned());
    messages.map(|message| parts(message.trim_matches(['`', ' ']), r"\.\.\.")).collect()
}

/// Returns the texts between what the pattern matches, white space made the same.
fn parts(text: &str, between: &str) -> Vec<String> {
    let text = flat(text);
    let parts =
        Regex::new(between).unwrap().split(&text).map(ToOwned::to_owned).collect::<Vec<_>>();
    parts.into_iter().filter(|part| part.trim().len() > 3).collect()
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a Rust source without the line ends and escapes of its strings.
fn unfolded(source: &str) -> String {
    let mut lines = source.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    let joined = lines.fold(first, |joined, line| joined + line.trim_start());
    flat(&joined.replace("\\n", " ").replace("\\\"", "\""))
}

/// Returns all files below these directories that the end of the name selects.
fn files(directories: &[&str], end: &str) -> Vec<PathBuf> {
    let mut pending: Vec<_> = directories.iter().map(|directory| root().join(directory)).collect();
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    files
}

/// Returns the sources of what users run, each without its tests, and the tests.
fn sources_and_tests() -> (Vec<String>, String) {
    let crates = [
        "iai-callgrind/src",
        "crates/iai-callgrind-base/src",
        "crates/iai-callgrind-bencher/src",
        "crates/iai-callgrind-compare/src",
        "crates/iai-callgrind-criterion/src",
        "crates/iai-callgrind-divan/src",
        "crates/iai-callgrind-cli/src",
        "crates/iai-callgrind-environment/src",
        "crates/iai-callgrind-explain/src",
        "crates/iai-callgrind-flamegraph/src",
        "crates/iai-callgrind-google-benchmark/src",
        "crates/iai-callgrind-growth/src",
        "crates/iai-callgrind-harness/src",
        "iai-callgrind-macros/src",
        "crates/iai-callgrind-history/src",
        "crates/iai-callgrind-plan/src",
        "crates/iai-callgrind-process/src",
        "crates/iai-callgrind-profile/src",
        "iai-callgrind-runner/src",
        "crates/iai-callgrind-render/src",
        "crates/iai-callgrind-results/src",
        "crates/iai-callgrind-revisions/src",
        "crates/iai-callgrind-store/src",
        "crates/iai-callgrind-summary/src",
        "crates/iai-callgrind-commands/src",
        "crates/iai-callgrind-launch/src",
        "crates/iai-callgrind-timing/src",
        "crates/iai-callgrind-tools/src",
    ];
    let (mut sources, mut tests) = (Vec::new(), String::new());
    let is_of_parser = |path: &PathBuf| path.ends_with("malformed.rs");
    let sources_of_crates = files(&crates, ".rs").into_iter().filter(|path| !is_of_parser(path));
    for path in sources_of_crates.chain(files(&["valgrind-shim"], "build.rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let is_test = path.to_string_lossy().ends_with("tests.rs");
        let end = if is_test {
            0
        } else {
            text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len())
        };
        sources.push(text[..end].to_owned());
        tests.push_str(&text[end..]);
    }
    let others = files(
        &[
            "tests/end-to-end/src/faults",
            "tests/end-to-end/tests",
            "tests/stored/tests",
            "docs/tests",
            "iai-callgrind/tests",
            "crates/valgrind-shim/tests",
        ],
        "",
    );
    for path in others.iter().filter(|path| **path != this_file()) {
        tests.push_str(&fs::read_to_string(path).unwrap_or_default());
    }
    (sources, unfolded(&tests))
}

fn this_file() -> PathBuf {
    root().join(Path::new(file!()))
}

/// Returns true if the text has three of these words in a row: tests and sources put different values between
/// others
fn says(text: &str, part: &str) -> bool {
    let words: Vec<_> = part.split(' ').filter(|word| !word.is_empty()).collect();
    let mut rows = words.windows(words.len().min(3)).map(|row| row.join(" "));
    rows.any(|row| text.contains(row.trim_matches('`')))
}

#[test]
fn what_the_chapter_lists_is_said_and_tested() {
    let (sources, tests) = sources_and_tests();
    let sources = unfolded(&sources.concat());
    let listed = listed();
    assert!(listed.len() > 60, "{}", listed.len());
    let mut wrong = Vec::new();
    for message in &listed {
        if OF_OTHERS.iter().any(|text| message.iter().any(|it| it.contains(text))) {
            continue;
        }
        let unknown = message.iter().filter(|part| !says(&sources, part));
        wrong.extend(unknown.map(|part| format!("no source says {part:?}")));
        let is_provoked = message.iter().any(|part| says(&tests, part));
        let is_excused =
            NOT_PROVOKED.iter().any(|(text, _)| message.iter().any(|it| it.contains(text)));
        if is_provoked == is_excused {
            wrong.push(format!("tested: {is_provoked}, excused: {is_excused}: {message:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_the_sources_say_the_chapter_lists() {
    let (sources, _) = sources_and_tests();
    let chapter = flat(&Document::read("docs/src/troubleshooting.md").text);
    let begins = BEGINS.join("|");
    let string = r#""((?:[^"\\]|\\(?s:.))*)""#;
    let text = Regex::new(&format!(r#"(?:{begins})[^";]{{0,80}}?{string}"#)).unwrap();
    let (mut missing, mut found) = (Vec::new(), 0);
    for source in &sources {
        for text in text.captures_iter(source) {
            let text = unfolded(&text[1]);
            let texts = parts(&text, r"\{[^}]*\}");
            if texts.is_empty() || NO_ERRORS.iter().any(|start| text.starts_with(start)) {
                continue;
            }
            found += 1;
            let starts = texts.iter().map(|part| {
                let part = part.trim_start_matches("error: ").trim_start_matches("note: ");
                let start: String = part.trim_matches(['`', ' ']).chars().take(25).collect();
                start.trim().to_owned()
            });
            // What is shorter could stand anywhere
            let starts: Vec<_> = starts.filter(|start| start.len() > 7).collect();
            let is_listed = starts.is_empty() || starts.iter().any(|it| chapter.contains(it));
            if !is_listed {
                missing.push(text);
            }
        }
    }
    assert!(found > 30, "{found}");
    assert!(missing.is_empty(), "the chapter lacks {missing:#?}");
}

#[test]
fn the_error_on_other_systems_has_the_commands_of_the_chapter_on_containers() {
    let message = root().join("crates/iai-callgrind-harness/src/message.rs");
    let message = unfolded(&fs::read_to_string(message).unwrap());
    let blocks = Document::read("docs/src/containers.md").blocks("console");
    let commands = blocks.iter().flat_map(Block::commands).map(|command| command.line);
    let commands: Vec<_> = commands.filter(|line| line.starts_with("docker ")).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    for command in commands {
        assert!(message.contains(&command), "{command}");
    }
}
