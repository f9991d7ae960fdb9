//! The style of texts that neither typos nor clippy checks: first words of doc comments, words with a hyphen, and
//! references to a text elsewhere.

use std::process::Command;

use crate::document::{Document, root};

/// First words that start no sentence.
const STARTS: [&str; 9] = ["What", "Whether", "How", "Which", "Who", "Where", "Its", "It", "That"];

/// Words that end like a verb in third person, and are nouns.
const NOUNS: &str = "Allocations As Cases Costs Errors Events Files Inputs Lines Metrics Numbers \
    Options Pieces Pools Problems Ranges Results Seconds Sizes Steps Summaries Terms Threads Values";

/// Words before `fn` in a signature.
const QUALIFIERS: [&str; 5] = ["pub", "const", "async", "unsafe", "extern"];

/// References to a text outside of the repository, each divided so that it is not one itself.
const ELSEWHERE: [&str; 2] = [concat!("../", "shared"), concat!("the ", "specification")];

/// Terms with a hyphen that the glossary replaces in pages.
const HYPHENATED: [&str; 2] = ["set-up", "tear-down"];

/// A doc comment.
#[derive(Debug, PartialEq)]
struct Comment<'a> {
    /// Number of its first line.
    line: usize,
    first_word: &'a str,
    is_of_function: bool,
}

impl<'a> Comment<'a> {
    /// Returns the comments in a source file.
    fn all(text: &'a str) -> Vec<Self> {
        let mut comments: Vec<Self> = Vec::new();
        let mut is_open = false;
        for (line, number) in text.lines().map(str::trim_start).zip(1..) {
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            if let Some(comment) = comment.filter(|comment| !comment.starts_with('/')) {
                if !is_open {
                    let first_word = comment.split_whitespace().next().unwrap_or_default();
                    comments.push(Self { line: number, first_word, is_of_function: false });
                }
                is_open = true;
            } else if is_open && !line.starts_with("#[") {
                comments.last_mut().unwrap().is_of_function = is_function(line);
                is_open = false;
            }
        }
        comments
    }

    fn is_wrong(&self) -> bool {
        let word = self.first_word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_verb = word.ends_with('s') && word.chars().all(char::is_alphabetic);
        // In a macro, a comment can continue that of its caller
        if word.is_empty() {
            return false;
        }
        let is_noun = NOUNS.split(' ').any(|noun| noun == word);
        STARTS.contains(&word) || self.is_of_function && (!is_verb || is_noun)
    }
}

fn is_function(line: &str) -> bool {
    let is_qualifier =
        |word: &&str| word.starts_with("pub(") || *word == "\"C\"" || QUALIFIERS.contains(word);
    line.split_whitespace().find(|word| !is_qualifier(word)) == Some("fn")
}

/// Returns the tracked files with this pattern.
pub(crate) fn tracked(pattern: &str) -> Vec<Document> {
    let mut git = Command::new("git");
    let output = git.args(["ls-files", pattern]).current_dir(root()).output().unwrap();
    let paths = String::from_utf8(output.stdout).unwrap();
    paths.lines().filter(|path| root().join(path).is_file()).map(Document::read).collect()
}

#[test]
fn doc_comments_start_as_sentences_and_those_of_functions_with_a_verb() {
    let sources = tracked("*.rs");
    assert!(sources.len() > 800, "{} files", sources.len());
    let wrong = sources.iter().flat_map(|source| {
        let wrong = Comment::all(&source.text).into_iter().filter(Comment::is_wrong);
        wrong.map(|comment| {
            format!("{}:{}: {}", source.path.display(), comment.line, comment.first_word)
        })
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "first words of doc comments: {wrong:#?}");
}

#[test]
fn no_text_refers_to_one_elsewhere_and_no_page_has_a_replaced_term() {
    let mut wrong = Vec::new();
    for (files, terms) in
        [("*.rs", &ELSEWHERE[..]), ("*.md", &ELSEWHERE[..]), ("*.md", &HYPHENATED[..])]
    {
        for file in tracked(files) {
            let text = file.text.to_lowercase();
            let found = terms.iter().filter(|term| text.contains(**term));
            wrong.extend(found.map(|term| format!("{}: `{term}`", file.path.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_table_of_a_page_has_its_heading() {
    for document in tracked("*.md") {
        let lines = table_starts(&document.text);
        assert_eq!(lines, [0; 0], "{}: rows without a heading at these lines", document.name());
    }
}

/// Returns the numbers of the first lines of tables without a line of dashes below it.
fn table_starts(text: &str) -> Vec<usize> {
    let is_row = |line: &str| line.starts_with('|');
    let is_dashes =
        |line: &str| is_row(line) && line.chars().all(|character| "|:- ".contains(character));
    let mut is_code = false;
    let mut starts = Vec::new();
    let lines: Vec<_> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let is_start = is_row(line) && !(index > 0 && is_row(lines[index - 1]));
        if !is_code && is_start && !lines.get(index + 1).is_some_and(|next| is_dashes(next)) {
            starts.push(index + 1);
        }
    }
    starts
}

#[test]
fn rows_after_a_blank_line_are_no_table() {
    let table = "| a |\n| --- |\n| b |\n";
    assert_eq!(table_starts(table), [0; 0]);
    assert_eq!(table_starts(&format!("{table}\n| c |\n")), [5]);
    assert_eq!(table_starts("```text\n| c |\n```\n"), [0; 0]);
}

#[test]
fn the_first_word_and_the_function_of_a_comment_are_found() {
    let text = "//! How a\n\n/// Returns\n/// b\n#[test]\npub(crate) const unsafe fn b() {}\n//// c\n/// D\nstruct D;";
    let comment = |line, first_word, is_of_function| Comment { line, first_word, is_of_function };
    let comments = Comment::all(text);
    let expected = [comment(1, "How", false), comment(3, "Returns", true), comment(8, "D", false)];
    assert_eq!(comments, expected);
    let wrong = |word, is_of_function| comment(1, word, is_of_function).is_wrong();
    assert!(wrong("How", false) && wrong("The", true) && wrong("Lines", true));
    assert!(!wrong("The", false) && !wrong("Returns", true));
}
