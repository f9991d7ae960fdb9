//! The style of all texts in the repository: one term per concept, doc comments that start as sentences, links
//! that lead to a heading, and no reference to a text elsewhere.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ForeignItemFn, ImplItemFn, ItemFn, Lit, Meta, MetaNameValue, Signature,
    TraitItemFn,
};

use crate::document::{Document, root};

/// Words that no text and no identifier contains, joined so that none of them is a whole word here.
const WORDS: &str = "1told1tells1stands1anew1beside1shall1somebody1nobody1";

/// Words that no page contains in addition, joined in the same way.
const WORDS_OF_PAGES: &str = "1tell1besides1lies1overdue1mistake1mend1set-up1tear-down1";

/// Words with which no doc comment starts.
const STARTS: [&str; 9] = ["What", "Whether", "How", "Which", "Who", "Where", "Its", "It", "That"];

/// Words that end like a verb in third person, and are nouns.
const NOUNS: [&str; 24] = [
    "Allocations",
    "As",
    "Cases",
    "Costs",
    "Errors",
    "Events",
    "Files",
    "Inputs",
    "Lines",
    "Metrics",
    "Numbers",
    "Options",
    "Pieces",
    "Pools",
    "Problems",
    "Ranges",
    "Results",
    "Seconds",
    "Sizes",
    "Steps",
    "Summaries",
    "Terms",
    "Threads",
    "Values",
];

/// Languages of the fenced blocks that quote output.
const OUTPUT: [&str; 3] = ["console", "json", "text"];

/// References to a text outside of the repository.
const ELSEWHERE: &str = r"\.\./shared|(?i:\bthe\s+specification\b)";

/// A tracked file.
struct Source {
    /// Path from the repository's root.
    path: String,
    text: String,
}

impl Source {
    fn is_page(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "md")
    }

    /// Returns the text without quotes, in the same lines.
    fn prose(&self) -> String {
        if self.is_page() {
            without_code_spans(&without_blocks(&self.text, &OUTPUT))
        } else {
            self.text.clone()
        }
    }

    /// Returns the place and the text of each match.
    fn matches(&self, pattern: &Regex) -> Vec<String> {
        let prose = self.prose();
        let lines = prose.lines().zip(1..);
        let found = lines.flat_map(|(line, number)| {
            pattern.find_iter(line).map(move |found| (number, found.as_str()))
        });
        found.map(|(number, text)| format!("{}:{number}: `{text}`", self.path)).collect()
    }
}

/// Returns all tracked Rust files and pages.
fn sources() -> Vec<Source> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "*.rs", "*.md"]).current_dir(root());
    let output = git.output().expect("git can be run");
    assert!(output.status.success(), "{git:?}: {}", String::from_utf8_lossy(&output.stderr));
    let paths = String::from_utf8(output.stdout).unwrap();
    let paths = paths.split('\0').filter(|path| root().join(path).is_file());
    paths.map(|path| Source { path: path.to_owned(), text: Document::read(path).text }).collect()
}

/// Blanks the lines of the fenced blocks in these languages.
fn without_blocks(text: &str, languages: &[&str]) -> String {
    let mut language = None;
    let mut kept = String::new();
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), language) {
            (Some(_), Some(_)) => language = None,
            (Some(tag), None) => language = Some(tag.split(',').next().unwrap_or(tag)),
            (None, Some(inside)) if languages.contains(&inside) => {}
            (None, _) => kept.push_str(line),
        }
        kept.push('\n');
    }
    kept
}

/// Blanks code spans, which quote messages and names. A span can contain line ends but no empty line.
fn without_code_spans(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let ticks = Regex::new("`+").unwrap();
        let mut kept = String::new();
        let mut rest = paragraph;
        while let Some(open) = ticks.find(rest) {
            let inside = &rest[open.end()..];
            let close = ticks.find_iter(inside).find(|close| close.len() == open.len());
            let Some(close) = close else { break };
            kept.push_str(&rest[..open.start()]);
            kept.extend(inside[..close.start()].chars().filter(|c| *c == '\n'));
            rest = &inside[close.end()..];
        }
        kept + rest
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Returns a pattern that matches each of these joined words.
fn whole_words(joined: &str) -> Regex {
    let words = joined.split('1').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("|");
    Regex::new(&format!(r"(?i:\b(?:{words})\b)")).unwrap()
}

/// Returns the line and the first word of each doc comment that starts with one of [`STARTS`].
fn wrong_starts(text: &str) -> Vec<(usize, &str)> {
    let comment = Regex::new(r"^\s*//([/!])(?:\s+(\w+))?").unwrap();
    let mut previous = None;
    let mut wrong = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let found = comment.captures(line);
        let kind = found.as_ref().and_then(|found| found.get(1)).map(|kind| kind.as_str());
        let word = found.and_then(|found| found.get(2)).map_or("", |word| word.as_str());
        if kind != previous && STARTS.contains(&word) {
            wrong.push((number, word));
        }
        previous = kind;
    }
    wrong
}

/// Returns the parts of an identifier in lower case: `snake_case` and `CamelCase` have two each.
fn identifier_parts(identifier: &str) -> impl Iterator<Item = String> + '_ {
    let part = |text: &str| text.to_lowercase();
    identifier.split('_').flat_map(move |word| {
        let starts = word.char_indices().filter(|(_, c)| c.is_uppercase()).map(|(start, _)| start);
        let mut bounds: Vec<_> = starts.chain([0, word.len()]).collect();
        bounds.sort_unstable();
        bounds.windows(2).map(|pair| part(&word[pair[0]..pair[1]])).collect::<Vec<_>>()
    })
}

/// Returns the line and the text of each identifier with one of [`WORDS`] in it.
fn wrong_identifiers(text: &str) -> Vec<(usize, &str)> {
    let words: Vec<_> = WORDS.split('1').filter(|word| !word.is_empty()).collect();
    let identifier = Regex::new(r"[A-Za-z_]\w*").unwrap();
    let found = text.lines().zip(1..).flat_map(|(line, number)| {
        identifier.find_iter(line).map(move |found| (number, found.as_str()))
    });
    let is_wrong = |name: &str| identifier_parts(name).any(|part| words.contains(&&*part));
    found.filter(|(_, name)| is_wrong(name)).collect()
}

/// Collects the first words of the doc comments of functions that are not verbs in third person.
#[derive(Default)]
struct FunctionComments {
    wrong: Vec<String>,
}

impl FunctionComments {
    fn check(&mut self, attributes: &[Attribute], signature: &Signature) {
        let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let mut texts = lines.filter_map(|line| match &line.meta {
            Meta::NameValue(MetaNameValue { value: Expr::Lit(value), .. }) => match &value.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
        let first = texts.find_map(|text| text.split_whitespace().next().map(str::to_owned));
        if let Some(first) = first {
            let word = first.trim_end_matches(|c: char| !c.is_alphanumeric());
            let is_verb = word.ends_with('s') && word.chars().all(char::is_alphabetic);
            if !is_verb || NOUNS.contains(&word) {
                self.wrong.push(format!("`{}`: {first}", signature.ident));
            }
        }
    }
}

impl<'ast> Visit<'ast> for FunctionComments {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.check(&item.attrs, &item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.check(&item.attrs, &item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.check(&item.attrs, &item.sig);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_foreign_item_fn(&mut self, item: &'ast ForeignItemFn) {
        self.check(&item.attrs, &item.sig);
    }
}

/// Returns the anchors of a page, as mdBook and GitHub name them.
fn anchors(text: &str) -> Vec<String> {
    let text = without_blocks(text, &languages(text));
    let heading = Regex::new(r"^#+ (.+)$").unwrap();
    let mut uses = BTreeMap::new();
    let headings = text.lines().filter_map(|line| heading.captures(line));
    let anchors = headings.map(|found| {
        let anchor = anchor(&found[1]);
        let number = uses.entry(anchor.clone()).and_modify(|number| *number += 1).or_insert(0);
        if *number == 0 { anchor } else { format!("{anchor}-{number}") }
    });
    anchors.collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.flat_map(char::to_lowercase).collect::<String>().replace(' ', "-")
}

/// Returns the languages of all fenced blocks.
fn languages(text: &str) -> Vec<&str> {
    let tags = text.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
    tags.map(|tag| tag.split(',').next().unwrap_or(tag)).collect()
}

/// Returns the line, the path and the anchor of each link to a heading.
fn links_to_headings(text: &str) -> Vec<(usize, String, String)> {
    let text = without_blocks(text, &languages(text));
    let link = Regex::new(r"\]\(([^)#\s:]*)#([^)\s]*)\)").unwrap();
    let found = text.lines().zip(1..).flat_map(|(line, number)| {
        link.captures_iter(line)
            .map(move |found| (number, found[1].to_owned(), found[2].to_owned()))
    });
    found.collect()
}

/// Resolves a link relative to the page that contains it.
fn target(page: &str, link: &str) -> String {
    if link.is_empty() {
        return page.to_owned();
    }
    let mut path = PathBuf::new();
    for component in Path::new(page).parent().unwrap().join(link).components() {
        match component {
            Component::ParentDir => {
                assert!(path.pop(), "{page}: {link} leads out of the repository");
            }
            other => path.push(other),
        }
    }
    path.to_str().unwrap().to_owned()
}

#[test]
fn texts_use_the_terms_of_the_glossary() {
    let (everywhere, in_pages) = (whole_words(WORDS), whole_words(WORDS_OF_PAGES));
    let mut wrong = Vec::new();
    for source in sources() {
        wrong.extend(source.matches(&everywhere));
        if source.is_page() {
            wrong.extend(source.matches(&in_pages));
        }
    }
    assert!(wrong.is_empty(), "words that the glossary replaces: {wrong:#?}");
}

#[test]
fn doc_comments_start_as_sentences() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !source.is_page()) {
        let starts = wrong_starts(&source.text).into_iter();
        wrong.extend(starts.map(|(line, word)| format!("{}:{line}: `{word}`", source.path)));
    }
    assert!(wrong.is_empty(), "first words of doc comments: {wrong:#?}");
}

#[test]
fn identifiers_use_the_terms_of_the_glossary() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !source.is_page()) {
        let found = wrong_identifiers(&source.text).into_iter();
        wrong.extend(found.map(|(line, name)| format!("{}:{line}: `{name}`", source.path)));
    }
    assert!(wrong.is_empty(), "identifiers with words that the glossary replaces: {wrong:#?}");
}

#[test]
fn doc_comments_of_functions_start_with_a_verb() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    for source in sources().iter().filter(|source| !source.is_page()) {
        // Tests of the macros' errors contain code that is not Rust
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut comments = FunctionComments::default();
        comments.visit_file(&file);
        wrong.extend(comments.wrong.iter().map(|text| format!("{}: {text}", source.path)));
        files += 1;
    }
    assert!(files > 800, "{files} files");
    assert!(wrong.is_empty(), "first words that are not a verb in third person: {wrong:#?}");
}

#[test]
fn a_module_with_children_is_next_to_their_directory() {
    let sources = sources();
    let wrong: Vec<_> = sources
        .iter()
        .map(|source| &source.path)
        .filter(|path| path.ends_with("/mod.rs"))
        .collect();
    assert!(wrong.is_empty(), "`foo.rs` instead of `foo/mod.rs`: {wrong:#?}");
}

#[test]
fn no_text_refers_to_one_outside_of_the_repository() {
    let pattern = Regex::new(ELSEWHERE).unwrap();
    let sources = sources();
    let wrong: Vec<_> = sources.iter().flat_map(|source| source.matches(&pattern)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn links_to_headings_lead_to_one() {
    let sources = sources();
    let pages = sources.iter().filter(|source| source.is_page());
    let anchors: BTreeMap<_, _> =
        pages.clone().map(|page| (&page.path, anchors(&page.text))).collect();
    let (mut wrong, mut links) = (Vec::new(), 0);
    for page in pages {
        for (line, link, anchor) in links_to_headings(&page.text) {
            let target = target(&page.path, &link);
            let is_there = anchors.get(&target).is_some_and(|anchors| anchors.contains(&anchor));
            if !is_there {
                wrong.push(format!("{}:{line}: {link}#{anchor}", page.path));
            }
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
    assert!(wrong.is_empty(), "no such heading: {wrong:#?}");
}

#[test]
fn whole_words_are_found_outside_of_quotes_only() {
    let word = WORDS.split('1').nth(1).unwrap();
    let text = format!(
        "{word}\n```text\n{word}\n```\n\n```rust\n// {word}\n```\n`{word}\nin` a{word}\n{}",
        word.to_uppercase()
    );
    let found = |path: &str| {
        let source = Source { path: path.to_owned(), text: text.clone() };
        let found = source.matches(&whole_words(WORDS));
        found.iter().map(|place| place.split(':').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("a.md"), ["1", "7", "11"]);
    assert_eq!(found("a.rs"), ["1", "3", "7", "9", "11"]);
}

#[test]
fn only_the_first_word_of_a_doc_comment_matters() {
    let [first, second, ..] = STARTS;
    let text = format!(
        "//! {first} a\n\n/// Returns\n/// {second} b\nfn f() {{\n    /// {second} c\n    //// {first} d\n    // {first} e"
    );
    assert_eq!(wrong_starts(&text), [(1, first), (6, second)]);
}

#[test]
fn parts_of_identifiers_are_words() {
    let word = WORDS.split('1').nth(1).unwrap();
    let camel = word[..1].to_uppercase() + &word[1..];
    let text = format!("let is_{word} = {word}x;\n{camel}Value x{word}_{word}y");
    let found = wrong_identifiers(&text);
    assert_eq!(found, [(1, &*format!("is_{word}")), (2, &*format!("{camel}Value"))]);
}

#[test]
fn only_verbs_in_third_person_start_comments_of_functions() {
    let text = "/// Returns a.\nfn a() {}\n/// The b.\nfn b() {}\n/// Lines of c.\nfn c() {}\n/// The d.\nstruct D;";
    let mut comments = FunctionComments::default();
    comments.visit_file(&syn::parse_file(text).unwrap());
    assert_eq!(comments.wrong, ["`b`: The", "`c`: Lines"]);
}

#[test]
fn anchors_are_those_of_the_headings() {
    let text = "# A `code`: one-two\n```text\n# none\n```\n## Same\n## Same\n";
    assert_eq!(anchors(text), ["a-code-one-two", "same", "same-1"]);
    let links = links_to_headings("a\n[b](c.md#d) [e](#f) [g](h.md) [i](https://j#k)");
    let expected = [(2, "c.md", "d"), (2, "", "f")];
    assert_eq!(
        links,
        expected.map(|(line, path, anchor)| (line, path.to_owned(), anchor.to_owned()))
    );
    assert_eq!(target("docs/src/a.md", "../../schemas/b.md"), "schemas/b.md");
    assert_eq!(target("docs/src/a.md", ""), "docs/src/a.md");
}
