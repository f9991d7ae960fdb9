//! Checks the imports of the runner's sources: modules import lower modules only, and files import each other
//! without a cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Top-level modules, lowest first. A module imports only modules above it in this list. The causes of its errors, in
/// its file `error.rs`, are at the place of `error`, which joins them.
const ORDER: [&str; 39] = [
    "console",
    "fingerprint",
    "failure",
    "error",
    "outcome",
    "note",
    "ownership",
    "compare",
    "executable",
    "plan",
    "process",
    "stable_path",
    "valgrind",
    "tool",
    "flamegraph",
    "git",
    "output",
    "explanation",
    "format",
    "options",
    "values",
    "samples",
    "settings",
    "environment",
    "against",
    "benchmark",
    "growth",
    "shard",
    "result",
    "report",
    "run",
    "cli",
    "stored",
    "history",
    "page",
    "commits",
    "exec",
    "fuzzing",
    "round_trip_tests",
];

/// A path in a source file.
#[derive(Clone)]
struct Import {
    /// Segments from the root of the crate.
    path: Vec<String>,
    line: usize,
    in_tests: bool,
}

/// A file of the crate.
#[derive(Default)]
struct Source {
    file: PathBuf,
    imports: Vec<Import>,
    /// Paths of the items that `pub use` renames or passes on, by name.
    exports: BTreeMap<String, Vec<String>>,
}

/// All files by the path of their module.
type Sources = BTreeMap<Vec<String>, Source>;

#[test]
fn modules_import_lower_modules_only() {
    let sources = read_sources();
    let modules: BTreeSet<_> = sources.keys().filter_map(|module| module.first()).collect();
    assert_eq!(modules, ORDER.map(str::to_owned).iter().collect(), "ORDER lists each module");
    let position = |path: &[String]| {
        let is_error = path.get(1).is_some_and(|part| part == "error");
        let module = if is_error { "error" } else { &*path[0] };
        ORDER.iter().position(|name| *name == module)
    };
    let mut violations = Vec::new();
    for (module, source) in sources.iter().filter(|(module, _)| !module.is_empty()) {
        // Tests make the settings of a run from a command line
        let of_tests = module.iter().any(|name| name == "tests");
        let is_checked = |import: &&Import| {
            let is_allowed =
                (of_tests || import.in_tests) && import.path.starts_with(&["cli".to_owned()]);
            !import.path.is_empty() && !is_allowed
        };
        for Import { path, line, .. } in source.imports.iter().filter(is_checked) {
            if position(path) > position(module) {
                let (file, path) = (source.file.display(), path.join("::"));
                violations.push(format!("src/{file}:{line}: `{path}` is not in a lower module"));
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn files_import_each_other_without_a_cycle() {
    let sources = read_sources();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources.values() {
        for import in &source.imports {
            let from = node(&source.file, import.in_tests);
            let to = resolve(&sources, &import.path);
            if from != to {
                graph.entry(from).or_default().insert(to);
            }
        }
    }
    let cycle = find_cycle(&graph);
    assert!(cycle.is_none(), "files import each other: {}", cycle.unwrap_or_default().join(" -> "));
}

/// Files that name a standard stream, and why they don't print what others wrote.
const STREAMS: [(&str, &str); 3] = [
    ("console.rs", "it is the filter"),
    ("report/mod.rs", "the reporters put the filter before the streams that it passes to them"),
    ("against/cargo.rs", "it asks whether the standard error is a terminal"),
];

#[test]
fn everything_that_is_printed_passes_through_the_console() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let sources = read_sources();
    let files: BTreeSet<_> = sources.values().map(|source| &source.file).collect();
    assert!(STREAMS.iter().all(|(file, _)| files.contains(&PathBuf::from(file))));
    let mut violations = Vec::new();
    for file in
        files.iter().filter(|file| STREAMS.iter().all(|(path, _)| **file != Path::new(path)))
    {
        let text = fs::read_to_string(root.join(file)).unwrap();
        // Tests can print
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        for window in tokens(text).windows(5) {
            let [(path, _), (before, line), (first, _), (second, _), (third, _)] = window else {
                continue;
            };
            let is_macro = ["print", "println", "eprint", "eprintln", "dbg"].contains(first);
            let is_stream = ["stdout", "stderr"].contains(first) && [second, third] == [&"(", &")"];
            let is_own = [".", "fn"].contains(before) || [*path, *before] == ["console", "::"];
            if is_macro && *second == "!" || is_stream && !is_own {
                violations.push(format!("src/{}:{line}: `{first}`", file.display()));
            }
        }
    }
    assert!(violations.is_empty(), "use `console` instead: {violations:#?}");
}

/// Returns the name of a file in the graph. Inline tests are a node of their own, because they import their
/// file and nothing but tests imports them.
fn node(file: &Path, in_tests: bool) -> String {
    format!("{}{}", file.display(), if in_tests { " (tests)" } else { "" })
}

/// Returns the file that defines the item with this path.
fn resolve(sources: &Sources, path: &[String]) -> String {
    let length = (0..=path.len()).rev().find(|length| sources.contains_key(&path[..*length]));
    let (module, rest) = path.split_at(length.unwrap_or(0));
    let source = &sources[module];
    match rest {
        [name, rest @ ..] if source.exports.contains_key(name) => {
            let target = source.exports[name].iter().chain(rest).cloned();
            resolve(sources, &target.collect::<Vec<_>>())
        }
        [name, ..] => node(&source.file, name == "tests"),
        [] => node(&source.file, false),
    }
}

/// Returns the files of a cycle, the first of them again at the end.
fn find_cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        graph: &BTreeMap<String, BTreeSet<String>>,
        file: &String,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|other| other == file) {
            return Some(path[start..].iter().chain([file]).cloned().collect());
        }
        if done.contains(file) {
            return None;
        }
        path.push(file.clone());
        let cycle =
            graph.get(file).into_iter().flatten().find_map(|to| visit(graph, to, path, done));
        path.pop();
        done.insert(file.clone());
        cycle
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|file| visit(graph, file, &mut Vec::new(), &mut done))
}

/// Reads the crate from `lib.rs` on.
fn read_sources() -> Sources {
    let mut sources = Sources::new();
    read_module(Path::new("lib.rs"), &[], &mut sources);
    assert!(sources.len() > 100, "{} files", sources.len());
    sources
}

/// Reads a file and the files of its modules.
fn read_module(file: &Path, module: &[String], sources: &mut Sources) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = fs::read_to_string(root.join(file)).unwrap();
    let tokens = tokens(&text);
    let mut children = Vec::new();
    for (index, window) in tokens.windows(3).enumerate() {
        let [("mod", _), (name, _), (";", _)] = window else { continue };
        if *name == "layers" {
            // This file, whose quotes look like texts in code
            continue;
        }
        let named = |path: &str| file.with_file_name(path);
        let path = match &tokens[..index] {
            [.., ("path", _), ("=", _), (path, _), ("]", _)] => named(path.trim_matches('"')),
            _ if file.ends_with("mod.rs") || file.ends_with("lib.rs") => {
                named(&format!("{name}.rs"))
            }
            _ => file.with_extension("").join(format!("{name}.rs")),
        };
        let path =
            if root.join(&path).exists() { path } else { path.with_extension("").join("mod.rs") };
        children.push((*name, path));
    }
    let names: Vec<_> = children.iter().map(|(name, _)| *name).collect();
    let mut source = Reader { tokens: &tokens, module, aliases: aliases(module, &names) }.read();
    file.clone_into(&mut source.file);
    sources.insert(module.to_vec(), source);
    for (name, path) in children {
        let module: Vec<_> = module.iter().cloned().chain([name.to_owned()]).collect();
        read_module(&path, &module, sources);
    }
}

/// Returns the paths of the modules that a file declares, by their names.
fn aliases(module: &[String], children: &[&str]) -> BTreeMap<String, Vec<String>> {
    let path = |name: &str| module.iter().cloned().chain([name.to_owned()]).collect();
    children.iter().map(|name| ((*name).to_owned(), path(name))).collect()
}

/// A token of a source file with the number of its line.
type Token<'a> = (&'a str, usize);

/// Collects the paths of a file.
struct Reader<'a> {
    tokens: &'a [Token<'a>],
    module: &'a [String],
    /// Modules that the file declares, and names that it imports.
    aliases: BTreeMap<String, Vec<String>>,
}

impl Reader<'_> {
    fn read(mut self) -> Source {
        let mut source = Source::default();
        let uses = self.uses();
        for (range, is_public) in &uses {
            let (module, in_tests) = self.module_at(range.start);
            let mut leaves = Vec::new();
            self.tree(range.start + 1, &module, &mut leaves);
            for (name, path, line) in leaves {
                if *is_public {
                    source.exports.insert(name.clone(), path.clone());
                }
                // Passing on an item of a child is not a dependency
                if !is_public || !path.starts_with(self.module) {
                    source.imports.push(Import { path: path.clone(), line, in_tests });
                }
                self.aliases.insert(name, path);
            }
        }
        for index in 0..self.tokens.len() {
            let (token, line) = self.tokens[index];
            let next = self.tokens.get(index + 1).map_or("", |(next, _)| *next);
            let is_path = next == "::" || source.exports.contains_key(token) && is_use(token, next);
            let starts = index == 0 || !["::", ".", "$"].contains(&self.tokens[index - 1].0);
            if is_path && starts && !uses.iter().any(|(range, _)| range.contains(&index)) {
                let (module, in_tests) = self.module_at(index);
                let mut leaves = Vec::new();
                self.tree(index, &module, &mut leaves);
                let paths = leaves.into_iter().map(|(_, path, _)| path);
                source.imports.extend(paths.map(|path| Import { path, line, in_tests }));
            }
        }
        source
    }

    /// Returns the tokens of each `use` declaration, with `true` for a public one.
    fn uses(&self) -> Vec<(Range<usize>, bool)> {
        let is_use = |index: &usize| self.tokens[*index].0 == "use";
        let starts = (0..self.tokens.len()).filter(is_use);
        starts
            .map(|start| {
                let length = self.tokens[start..].iter().position(|(token, _)| *token == ";");
                let before = self.tokens[..start].last().map_or("", |(token, _)| *token);
                (start..start + length.unwrap(), [")", "pub"].contains(&before))
            })
            .collect()
    }

    /// Returns the module of a token, with `true` for one of tests.
    fn module_at(&self, index: usize) -> (Vec<String>, bool) {
        let mut blocks = Vec::new();
        for index in 0..index {
            match self.tokens[index].0 {
                "{" if index >= 2 && self.tokens[index - 2].0 == "mod" => {
                    blocks.push(Some(self.tokens[index - 1].0.to_owned()));
                }
                "{" => blocks.push(None),
                "}" => drop(blocks.pop()),
                _ => {}
            }
        }
        let inline: Vec<_> = blocks.into_iter().flatten().collect();
        let in_tests = inline.iter().any(|name| name == "tests");
        (self.module.iter().cloned().chain(inline).collect(), in_tests)
    }

    /// Adds the leaves of the path or use tree that starts with this token: name, path in the crate, line.
    /// Paths of other crates are left out.
    fn tree(
        &self,
        index: usize,
        module: &[String],
        leaves: &mut Vec<(String, Vec<String>, usize)>,
    ) {
        let (first, _) = self.tokens[index];
        let mut path = match first {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module[..module.len() - 1].to_vec(),
            name => match self.aliases.get(name) {
                Some(path) => path.clone(),
                None => return,
            },
        };
        let mut index = index + 1;
        while self.tokens[index].0 == "::" && self.tokens[index + 1].0 == "super" {
            path.pop();
            index += 2;
        }
        self.rest(index, path, leaves);
    }

    /// Adds the leaves of what follows a path.
    fn rest(
        &self,
        mut index: usize,
        mut path: Vec<String>,
        leaves: &mut Vec<(String, Vec<String>, usize)>,
    ) {
        while let [("::", _), (name, line), ..] = self.tokens[index..] {
            if name == "{" {
                return self.branches(index + 1, &path, leaves);
            }
            if name == "*" || name == "<" {
                return leaves.push(("*".to_owned(), path, line));
            }
            path.push(name.to_owned());
            index += 2;
        }
        let line = self.tokens[index - 1].1;
        let name = match self.tokens[index..] {
            [("as", _), (name, _), ..] => name.to_owned(),
            _ => path.last().cloned().unwrap_or_default(),
        };
        leaves.push((name, path, line));
    }

    /// Adds the leaves of a list in braces.
    fn branches(
        &self,
        start: usize,
        path: &[String],
        leaves: &mut Vec<(String, Vec<String>, usize)>,
    ) {
        let mut depth = 0;
        for index in start.. {
            let (token, line) = self.tokens[index];
            match token {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
            let is_start = depth == 1 && ["{", ","].contains(&self.tokens[index - 1].0);
            if !is_start || token == "}" || index == start {
                continue;
            }
            match token {
                "self" => self.rest(index + 1, path.to_vec(), leaves),
                "*" => leaves.push(("*".to_owned(), path.to_vec(), line)),
                name => {
                    let path = path.iter().cloned().chain([name.to_owned()]).collect();
                    self.rest(index + 1, path, leaves);
                }
            }
        }
    }
}

/// Returns `true` if a name before this token is a type or is called.
fn is_use(name: &str, next: &str) -> bool {
    name.starts_with(char::is_uppercase) || next == "("
}

/// Splits a source into words, strings, `::` and single characters, without comments and characters.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").unwrap() + 2,
            '"' => string(rest, 1, "\"", true),
            'r' if rest.starts_with("r\"") => string(rest, 2, "\"", false),
            'r' if rest.starts_with("r#\"") => string(rest, 3, "\"#", false),
            '\'' if rest[1..].starts_with('\\') => rest[3..].find('\'').unwrap() + 4,
            '\'' if rest.chars().nth(2) == Some('\'') => {
                2 + rest.chars().nth(1).unwrap().len_utf8()
            }
            ':' if rest.starts_with("::") => 2,
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let token = &rest[..length];
        let is_comment = token.starts_with("//") || token.starts_with("/*");
        if !is_comment && !token.starts_with('\'') && !first.is_whitespace() {
            tokens.push((token, line));
        }
        line += token.matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of a string literal.
fn string(text: &str, start: usize, end: &str, has_escapes: bool) -> usize {
    let mut index = start;
    while !text[index..].starts_with(end) {
        let is_escape = has_escapes && text[index..].starts_with('\\');
        let characters = text[index..].chars().take(1 + usize::from(is_escape));
        index += characters.map(char::len_utf8).sum::<usize>();
    }
    index + end.len()
}

#[test]
fn paths_are_found() {
    let text = r##"
        mod child;
        use crate::{a::{self, B as C}, d};
        pub(crate) use self::child::Passed;
        use std::fmt; // crate::comment
        fn f<'a>() { let _ = ("crate::string", r#"crate::raw"#, '"', crate::e::F::new); child::g(); d::h(); Passed; }
        mod tests { use super::*; fn f() { super::super::i(); } }
    "##;
    let module = ["m".to_owned()];
    let tokens = tokens(text);
    let aliases = aliases(&module, &["child"]);
    let source = Reader { tokens: &tokens, module: &module, aliases }.read();
    let found: Vec<_> =
        source.imports.iter().map(|import| (import.path.join("::"), import.line)).collect();
    let expected = [
        ("a", 3),
        ("a::B", 3),
        ("d", 3),
        ("m", 7),
        ("e::F::new", 6),
        ("m::child::g", 6),
        ("d::h", 6),
        ("m::child::Passed", 6),
        ("i", 7),
    ];
    assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    assert!(source.imports.iter().all(|import| import.in_tests == (import.line == 7)));
    assert_eq!(source.exports["Passed"].join("::"), "m::child::Passed");
}
