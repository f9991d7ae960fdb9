//! The user's source files and their lines.

use iai_callgrind_profile::files;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::Hasher;
use std::path::Path;

use fnv::FnvHasher;
use iai_callgrind_debuginfo::Roots;
use iai_callgrind_profile::code_hash;

/// A user source file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// The hash of the file; `None` if it can't be read.
    pub(crate) hash: Option<u64>,
    /// The hash of its lines of code.
    pub(crate) code: u64,
    /// The hashes of its lines.
    pub(crate) lines: Vec<Line>,
    /// The lines with more than comments and brackets.
    statements: Vec<bool>,
    /// The lines with the name of a function.
    heads: Vec<bool>,
    /// The lines on which an attribute starts.
    attribute_starts: Vec<bool>,
    /// The lines with an attribute that decides how a function is compiled, by the line of code after it.
    attributes: BTreeMap<u32, Vec<u32>>,
}

/// The hashes of a line; 0 if they are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The hash of its text.
    pub(crate) text: u32,
    /// Hash of its text and of the line of code before it.
    pub(crate) pair: u32,
}

/// The source files that were read.
#[derive(Debug)]
pub(crate) struct Sources {
    roots: Roots,
    files: Vec<Source>,
    /// The indices of the files by their stored paths.
    indices: HashMap<String, usize>,
    packages: OnceCell<BTreeMap<String, u32>>,
}

impl Sources {
    pub(crate) fn new(roots: Roots) -> Self {
        let (files, indices) = (Vec::new(), HashMap::new());
        Self { roots, files, indices, packages: OnceCell::new() }
    }

    /// Returns the stored path of a user file, `None` for another one.
    pub(crate) fn own<'a>(&self, file: &'a str) -> Option<&'a str> {
        self.roots.own(file)
    }

    /// Returns the hashes of the code of all packages in the workspace, by their directories.
    pub(crate) fn packages(&self) -> &BTreeMap<String, u32> {
        self.packages.get_or_init(|| {
            let mut packages =
                Packages { roots: &self.roots, code: BTreeMap::new(), rest: MOST_FILES };
            let is_complete = packages.add(&self.roots.workspace, "").is_some();
            if is_complete { packages.code } else { BTreeMap::new() }
        })
    }

    /// Returns a file by its stored path.
    pub(crate) fn get(&mut self, own: &str) -> &Source {
        let index = self.index(own);
        &self.files[index]
    }

    /// Returns the index of a file by its stored path.
    pub(crate) fn index(&mut self, own: &str) -> usize {
        if let Some(known) = self.indices.get(own) {
            return *known;
        }
        let text = files::read_to_string(self.roots.workspace.join(own));
        self.files.push(text.map_or_else(|_| Source::default(), |text| Source::new(&text)));
        self.indices.insert(own.to_owned(), self.files.len() - 1);
        self.files.len() - 1
    }

    /// Returns the hashes of a line of a file.
    pub(crate) fn line(&self, index: usize, number: u32) -> Line {
        let line = (number as usize).checked_sub(1);
        line.and_then(|line| self.files[index].lines.get(line)).copied().unwrap_or_default()
    }
}

/// Maximum number of files and directories of a workspace that are read.
const MOST_FILES: usize = 20_000;

/// The hashes of packages while they are computed.
struct Packages<'a> {
    roots: &'a Roots,
    code: BTreeMap<String, u32>,
    /// Number of files that can still be read.
    rest: usize,
}

impl Packages<'_> {
    /// Adds the files in a directory, which belongs to this package unless it has a manifest. Returns `None` if there are
    /// too many.
    fn add(&mut self, directory: &Path, package: &str) -> Option<()> {
        let manifest = directory.join("Cargo.toml");
        let relative = directory.strip_prefix(&self.roots.workspace).ok().and_then(Path::to_str);
        let package = relative.filter(|_| manifest.is_file()).unwrap_or(package);
        // A directory that can't be read has no code
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            self.rest = self.rest.checked_sub(1)?;
            let path = entry.path();
            let name = entry.file_name();
            let is_hidden = name.to_string_lossy().starts_with('.');
            if is_hidden || self.roots.foreign.contains(&path) {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                // The target directory of a package can be in the package
                if !path.join("CACHEDIR.TAG").is_file() {
                    self.add(&path, package)?;
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let Ok(text) = files::read_to_string(&path) else { continue };
                let mut hasher = FnvHasher::default();
                let name = path.strip_prefix(&self.roots.workspace).unwrap_or(&path);
                hasher.write(name.as_os_str().as_encoded_bytes());
                hasher.write_u64(code_hash(&text));
                // Directories are read in any order
                let hash = self.code.entry(package.to_owned()).or_default();
                let code = hasher.finish();
                // Short, because each table contains all of them
                *hash = hash.wrapping_add((code ^ (code >> 32)) as u32);
            }
        }
        Some(())
    }
}

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        let is_comment =
            |line: &str| line.is_empty() || line.starts_with("//") || line.starts_with("#[");
        let is_statement = |line: &str| !is_comment(line) && line.contains(char::is_alphanumeric);
        let is_head =
            |line: &str| !is_comment(line) && (line.starts_with("fn ") || line.contains(" fn "));
        let heads = text.lines().map(|line| is_head(line.trim())).collect();
        let attribute_starts = text.lines().map(|line| line.trim().starts_with("#[")).collect();
        let statements = text.lines().map(|line| is_statement(line.trim())).collect();
        let mut before = "";
        let lines = text.lines().map(|line| {
            let line = line.trim();
            let hashes = Line { text: hash(&[line]), pair: hash(&[before, line]) };
            if !is_comment(line) {
                before = line;
            }
            hashes
        });
        let mut lines: Vec<_> = lines.collect();
        // The same attribute of another function is another line
        let mut attributes: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let (mut after, mut number_after) = ("", 0);
        let numbered = (1..).zip(text.lines().map(str::trim)).collect::<Vec<_>>();
        for (hashes, (number, line)) in lines.iter_mut().zip(numbered).rev() {
            if is_attribute(line) {
                hashes.text = hash(&[line, name_in(after)]);
                attributes.entry(number_after).or_default().push(number);
            } else if !is_comment(line) {
                (after, number_after) = (line, number);
            }
        }
        let mut hasher = FnvHasher::default();
        hasher.write(text.as_bytes());
        let (hash, code) = (Some(hasher.finish()), code_hash(text));
        Self { hash, code, lines, statements, heads, attribute_starts, attributes }
    }

    /// Returns the line with the name of the function that contains this line, the last one before
    /// it. For an attribute, the name follows.
    pub(crate) fn head(&self, line: u32) -> Option<u32> {
        let index = (line as usize).checked_sub(1)?;
        let heads = self.heads.get(..line as usize).filter(|_| !self.attribute_starts[index])?;
        heads.iter().rposition(|is_head| *is_head).map(|index| index as u32 + 1)
    }

    /// Returns the lines above the name of a function with attributes that decide how it is compiled, and their hashes.
    pub(crate) fn attributes(&self, head: u32) -> impl Iterator<Item = (u32, Line)> {
        let lines = self.attributes.get(&head).into_iter().flatten();
        lines.map(|line| (*line, self.lines[*line as usize - 1]))
    }

    /// Returns the hashes of a line with this number, unless it is a comment or only has brackets.
    pub(crate) fn statement(&self, line: u32) -> Option<Line> {
        let index = (line as usize).checked_sub(1)?;
        self.lines.get(index).copied().filter(|_| self.statements[index])
    }
}

/// Returns the name of the function in a line, or the line.
fn name_in(line: &str) -> &str {
    let (_, name) = line.split_once("fn ").unwrap_or(("", line));
    name.split(['(', '<']).next().unwrap_or(name)
}

/// Returns true for an attribute that decides how a function is compiled.
fn is_attribute(line: &str) -> bool {
    const NAMES: [&str; 4] = ["inline", "cold", "target_feature", "track_caller"];
    line.starts_with("#[") && NAMES.iter().any(|name| line.contains(name))
}

/// Returns a number of 20 bits for a text; never 0.
fn hash(lines: &[&str]) -> u32 {
    let mut hasher = FnvHasher::default();
    for line in lines {
        hasher.write(line.as_bytes());
        hasher.write_u8(b'\n');
    }
    let hash = hasher.finish();
    let folded = ((hash >> 44) ^ hash) & 0xf_ffff;
    u32::try_from(folded).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_moves_keeps_its_hashes() {
        let lines = |text| Source::new(text).lines;
        let before = lines("fn f() {\n    g();\n}\nfn h() {\n    g();\n}\n");
        let after = lines("use a;\n\nfn f() {\n  // note\n  g();\n}\nfn h() {\n  g();\n}\n");
        assert_eq!([before[1], before[3], before[4]], [after[4], after[6], after[7]]);
        assert_eq!(before[1].text, before[4].text);
        assert_ne!(before[1].pair, before[4].pair);
        assert_ne!(Source::new("a").hash, Source::new("a\n").hash);
    }

    #[test]
    fn statements_have_more_than_brackets() {
        let source = Source::new("fn f() {\n    // note\n    #[a]\n    g(\n        );\n\n}\n");
        let is_statement = |line| source.statement(line).is_some();
        assert_eq!((0..9).filter(|line| is_statement(*line)).collect::<Vec<_>>(), [1, 4]);
        let source = Source::new("use a;\n// A fn of mine\npub fn f() {\n    g();\n}\nfn g() {}\n");
        assert_eq!(
            (1..8).map(|line| source.head(line)).collect::<Vec<_>>(),
            [None, None, Some(3), Some(3), Some(3), Some(6), None]
        );
        let source = Source::new("fn setup() {\n    a();\n}\n#[bench]\nfn f() {}\n");
        assert_eq!([3, 4, 5].map(|line| source.head(line)), [Some(1), None, Some(5)]);
    }

    #[test]
    fn an_attribute_belongs_to_its_function() {
        let source = |text| Source::new(text);
        let old = source("#[inline]\nfn f() {}\n\n#[must_use]\nfn g() {}\n");
        let new = source("fn f() {}\n\n#[inline]\n// Note\n#[must_use]\npub fn g() {}\n");
        let attributes = |source: &Source, head| source.attributes(head).collect::<Vec<_>>();
        let [(1, of_f)] = attributes(&old, 2)[..] else { panic!("{old:?}") };
        let [(3, of_g)] = attributes(&new, 6)[..] else { panic!("{new:?}") };
        assert_ne!(of_f.text, of_g.text);
        assert_eq!(attributes(&old, 5), []);
        let signature = source("#[inline]\npub fn f<T>(value: T) {}\n");
        assert_eq!(attributes(&signature, 2)[0].1.text, of_f.text);
    }

    #[test]
    fn comments_are_not_code() {
        let code = |text| Source::new(text).code;
        assert_eq!(
            code("fn f() {\n    g();\n}\n"),
            code("/// F.\nfn f() {\n\n  // note\n  g();\n}")
        );
        assert_ne!(code("#[inline]\nfn f() {}"), code("fn f() {}"));
    }

    #[test]
    fn packages_change_with_their_code() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let packages = || {
            let workspace = directory.path().to_owned();
            let foreign = vec![workspace.join("target")];
            Sources::new(Roots { workspace, foreign }).packages().clone()
        };
        for (name, text) in [
            ("Cargo.toml", ""),
            ("src/lib.rs", "mod a;"),
            ("member/Cargo.toml", ""),
            ("member/src/lib.rs", "fn f() {}"),
        ] {
            write(name, text);
        }
        let before = packages();
        assert_eq!(before.keys().collect::<Vec<_>>(), ["", "member"]);
        for (name, text) in [
            ("src/lib.rs", "// Note\nmod a;"),
            ("target/a.rs", "fn g() {}"),
            (".git/a.rs", "fn g() {}"),
            ("build/CACHEDIR.TAG", ""),
            ("build/a.rs", "fn g() {}"),
            ("README.md", "text"),
        ] {
            write(name, text);
        }
        assert_eq!(packages(), before);
        write("member/src/b.rs", "const B: u8 = 1;");
        let after = packages();
        assert_eq!(after[""], before[""]);
        assert_ne!(after["member"], before["member"]);
    }
}
