//! The code that a commit changes: lines of functions that a benchmark executes, other code, or none.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The lines of the library's files, by path.
pub(crate) type Lines = BTreeMap<String, BTreeSet<u32>>;

/// The change of a commit, as a benchmark sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Touched {
    /// No code: comments, tests, documentation, the version.
    Nothing,
    /// Functions that the benchmark does not execute.
    OtherFunctions,
    /// Code outside of functions: types, constants, macros. The benchmark can use them.
    Declarations,
    /// The edition, features, dependencies or the build script.
    Build,
    /// Lines of functions that the benchmark executes.
    Executed,
}

impl Touched {
    pub(crate) const ALL: [Self; 5] =
        [Self::Nothing, Self::OtherFunctions, Self::Declarations, Self::Build, Self::Executed];

    /// Returns the words of a table.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::OtherFunctions => "functions that do not run",
            Self::Declarations => "types, constants, macros",
            Self::Build => "edition, features, dependencies",
            Self::Executed => "lines of functions that run",
        }
    }
}

/// One side of a commit.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// The changed lines of code.
    changed: Lines,
    /// The lines of each function of the changed files.
    functions: BTreeMap<String, Vec<RangeInclusive<u32>>>,
    /// A changed line is outside of functions.
    changes_declarations: bool,
}

/// The changes of a commit.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    old: Side,
    new: Side,
    /// The manifest or a build script changes how the library is compiled.
    pub(crate) changes_build: bool,
}

impl Diff {
    /// Reads the output of `git diff --unified=0 --no-prefix`. `content` returns a file before or after the commit.
    pub(crate) fn parse(text: &str, content: impl Fn(&str, IsOld) -> String) -> Self {
        let mut diff = Self::default();
        let mut path = "";
        let mut hunk = Hunk::default();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                diff.add(path, std::mem::take(&mut hunk));
                path = rest.rsplit(' ').next().unwrap_or(rest);
            } else if let Some(header) = line.strip_prefix("@@ -") {
                diff.add(path, std::mem::take(&mut hunk));
                hunk = Hunk::new(header);
            } else if hunk.is_open {
                hunk.push(line);
            }
        }
        diff.add(path, hunk);
        for (side, is_old) in [(&mut diff.old, IsOld::Yes), (&mut diff.new, IsOld::No)] {
            side.read_files(|path| content(path, is_old));
        }
        diff
    }

    fn add(&mut self, path: &str, hunk: Hunk<'_>) {
        let is_source =
            path.starts_with("src/") && Path::new(path).extension() == Some("rs".as_ref());
        if !is_source || hunk.is_formatting() {
            return;
        }
        for (side, lines) in [(&mut self.old, hunk.old), (&mut self.new, hunk.new)] {
            let code =
                lines.into_iter().filter(|(_, text)| is_code(text)).map(|(number, _)| number);
            let code: BTreeSet<_> = code.collect();
            if !code.is_empty() {
                side.changed.entry(path.to_owned()).or_default().extend(code);
            }
        }
    }

    /// Returns what the commit changes for a benchmark that executes these lines before and after it.
    pub(crate) fn touched(&self, old: &Lines, new: &Lines) -> Touched {
        if self.old.touches(old) || self.new.touches(new) {
            Touched::Executed
        } else if self.changes_build {
            Touched::Build
        } else if self.old.changes_declarations || self.new.changes_declarations {
            Touched::Declarations
        } else if !self.old.changed.is_empty() || !self.new.changed.is_empty() {
            Touched::OtherFunctions
        } else {
            Touched::Nothing
        }
    }
}

/// The side of a commit that a file is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsOld {
    Yes,
    No,
}

impl Side {
    /// Returns true if a changed line, or a line of the function around it, is executed.
    fn touches(&self, executed: &Lines) -> bool {
        self.changed.iter().any(|(path, changed)| {
            let Some(executed) = executed.get(path) else { return false };
            let functions = self.functions.get(path).map_or(&[][..], Vec::as_slice);
            changed.iter().any(|line| {
                executed.contains(line)
                    || innermost(functions, *line)
                        .is_some_and(|lines| executed.range(lines.clone()).next().is_some())
            })
        })
    }

    /// Finds the functions of the changed files, and leaves out modules of tests, which no benchmark is built with.
    fn read_files(&mut self, content: impl Fn(&str) -> String) {
        self.changed.retain(|path, lines| {
            if path.contains("/tests") || path.ends_with("/test.rs") {
                return false;
            }
            let source = content(path);
            // The last item of a file, as is usual
            let start = start_of_tests(&source).unwrap_or(u32::MAX);
            lines.retain(|line| *line < start);
            let functions = functions(&source);
            let texts: Vec<_> = source.lines().collect();
            self.changes_declarations |= lines.iter().any(|line| {
                let text = texts.get(*line as usize - 1);
                innermost(&functions, *line).is_none() && text.is_some_and(|text| declares(text))
            });
            self.functions.insert(path.clone(), functions);
            !lines.is_empty()
        });
    }
}

/// The changed lines of a part of a file.
#[derive(Debug, Default)]
struct Hunk<'a> {
    old: Vec<(u32, &'a str)>,
    new: Vec<(u32, &'a str)>,
    next: [u32; 2],
    is_open: bool,
}

impl<'a> Hunk<'a> {
    /// Reads a header without its start: `12,3 +12 @@ fn name()`.
    fn new(header: &str) -> Self {
        let start =
            |text: &str| text.split([',', ' ']).next().and_then(|number| number.parse().ok());
        let (old, new) = header.split_once(" +").unwrap_or((header, ""));
        let next = [old, new].map(|text| start(text).unwrap_or(0));
        Self { next, is_open: true, ..Self::default() }
    }

    fn push(&mut self, line: &'a str) {
        let [old, new] = &mut self.next;
        let (lines, next) = match line.as_bytes().first() {
            Some(b'-') => (&mut self.old, old),
            Some(b'+') => (&mut self.new, new),
            _ => return,
        };
        lines.push((*next, &line[1..]));
        *next += 1;
    }

    /// Returns true if both sides differ in white space and commas before a bracket only.
    fn is_formatting(&self) -> bool {
        let normalized = |lines: &[(u32, &str)]| -> String {
            let text: String = lines.iter().flat_map(|(_, line)| line.split_whitespace()).collect();
            text.replace(",)", ")").replace(",}", "}").replace(",]", "]")
        };
        normalized(&self.old) == normalized(&self.new)
    }
}

/// Returns true if the line is not empty or a comment.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty()
        && !["//", "/*", "* ", "*/", "#![doc", "#[doc"].iter().any(|start| line.starts_with(start))
}

/// Returns true for a line outside of functions that can decide how other code is compiled.
fn declares(line: &str) -> bool {
    let line = line.trim_start();
    let is_other = |start: &str| line.starts_with(start);
    line.contains(char::is_alphanumeric)
        && !["use ", "pub use ", "mod ", "impl", "unsafe impl"].iter().any(|start| is_other(start))
}

/// Returns the line where the module of tests starts, with its attributes.
fn start_of_tests(source: &str) -> Option<u32> {
    let mut start = None;
    for (number, line) in (1..).zip(source.lines().map(str::trim)) {
        if line == "#[cfg(test)]" {
            start = Some(number);
        } else if start.is_some() && line.starts_with("mod ") && line.ends_with('{') {
            return start;
        } else if !line.starts_with("#[") && is_code(line) {
            start = None;
        }
    }
    None
}

/// Returns the smallest of the functions that the line is in.
fn innermost(functions: &[RangeInclusive<u32>], line: u32) -> Option<&RangeInclusive<u32>> {
    let around = functions.iter().filter(|lines| lines.contains(&line));
    around.min_by_key(|lines| lines.end() - lines.start())
}

/// Returns the lines of each function, with its attributes. Macros can contain functions too, so that the text is
/// searched for brackets: strings and characters with brackets move an end, which makes a function longer or shorter.
fn functions(source: &str) -> Vec<RangeInclusive<u32>> {
    let mut all = Vec::new();
    // Start and depth of the functions around the line
    let mut open: Vec<(u32, Option<i32>)> = Vec::new();
    let (mut depth, mut attributes) = (0, None);
    for (number, line) in (1..).zip(source.lines()) {
        let code = line.split("//").next().unwrap_or(line).trim();
        if code.starts_with("#[") {
            attributes = attributes.or(Some(number));
        } else if is_function(code) {
            open.push((attributes.take().unwrap_or(number), None));
        } else if !code.is_empty() && !code.starts_with(')') {
            attributes = None;
        }
        for character in code.chars() {
            match character {
                '{' => {
                    if let Some((_, body @ None)) = open.last_mut() {
                        *body = Some(depth);
                    }
                    depth += 1;
                }
                '}' => {
                    depth -= 1;
                    if open.last().is_some_and(|(_, body)| *body == Some(depth)) {
                        all.extend(open.pop().map(|(start, _)| start..=number));
                    }
                }
                // A function of a trait without a body
                ';' if open.last().is_some_and(|(_, body)| body.is_none())
                    && !code.contains('[') =>
                {
                    open.pop();
                }
                _ => {}
            }
        }
    }
    all
}

fn is_function(code: &str) -> bool {
    let mut words = code.split_whitespace().skip_while(|word| {
        ["const", "async", "unsafe", "extern", "default", "\"C\""].contains(word)
            || word.starts_with("pub")
            || *word == "crate)"
            || *word == "super)"
    });
    words.next() == Some("fn") && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "// a\nconst N: u32 = 1;\n\n#[inline]\npub fn f() {\n    g();\n    h(\n        1,\n    );\n}\n\n\
                       fn g() {\n    {}\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";

    fn touched(diff: &str, executed: &[u32]) -> Touched {
        let diff = Diff::parse(diff, |_, _| OLD.to_owned());
        let lines = Lines::from([("src/lib.rs".to_owned(), executed.iter().copied().collect())]);
        diff.touched(&lines, &lines)
    }

    fn hunk(header: &str, lines: &str) -> String {
        format!(
            "diff --git src/lib.rs src/lib.rs\n--- src/lib.rs\n+++ src/lib.rs\n@@ -{header} @@\n{lines}"
        )
    }

    #[test]
    fn functions_have_their_attributes_and_their_bodies() {
        assert_eq!(functions(OLD), [4..=10, 12..=14, 17..=17]);
        let source = "macro_rules! m {\n    ($t:ty) => {\n        fn f(x: $t) -> [u8; 2] {\n        }\n    };\n}\n\
                      trait T {\n    fn a();\n    fn b() {\n        x();\n    }\n}\n";
        assert_eq!(functions(source), [3..=4, 9..=11]);
    }

    #[test]
    fn a_changed_argument_belongs_to_its_function() {
        let change = hunk("8 +8", "-        1,\n+        2,\n");
        assert_eq!(touched(&change, &[5, 6, 7]), Touched::Executed);
        assert_eq!(touched(&change, &[12, 13]), Touched::OtherFunctions);
        let attribute = hunk("4 +4", "-#[inline]\n+#[cold]\n");
        assert_eq!(touched(&attribute, &[6]), Touched::Executed);
    }

    #[test]
    fn constants_are_declarations_and_comments_nothing() {
        let constant = hunk("2 +2", "-const N: u32 = 1;\n+const N: u32 = 2;\n");
        assert_eq!(touched(&constant, &[6]), Touched::Declarations);
        let comment = hunk("1 +1", "-// a\n+// b\n");
        assert_eq!(touched(&comment, &[6]), Touched::Nothing);
        let test = hunk("17 +17", "-    fn t() {}\n+    fn u() {}\n");
        assert_eq!(touched(&test, &[6]), Touched::Nothing);
        let format = hunk("7,3 +7", "-    h(\n-        1,\n-    );\n+    h(1);\n");
        assert_eq!(touched(&format, &[6, 7]), Touched::Nothing);
        let readme = hunk("7 +7", "-a\n+b\n").replace("src/lib.rs", "README.md");
        assert_eq!(touched(&readme, &[7]), Touched::Nothing);
    }

    #[test]
    fn manifests_can_change_the_build() {
        let diff = Diff { changes_build: true, ..Diff::default() };
        assert_eq!(diff.touched(&Lines::new(), &Lines::new()), Touched::Build);
    }

    #[test]
    fn tests_start_at_a_module_with_a_body() {
        assert_eq!(start_of_tests(OLD), Some(15));
        let elsewhere = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nuse a;\nfn f() {}\n";
        assert_eq!(start_of_tests(elsewhere), None);
    }
}
