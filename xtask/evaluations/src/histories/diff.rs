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
    /// Reads the headers of hunks in the output of `git diff --unified=0 --no-prefix`. `old` and `new` return a file before
    /// and after the commit.
    pub(crate) fn parse(
        text: &str,
        old: impl Fn(&str) -> String,
        new: impl Fn(&str) -> String,
    ) -> Self {
        let mut diff = Self::default();
        let mut path = "";
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                path = rest.rsplit(' ').next().unwrap_or(rest);
            } else if let Some((ranges, _)) =
                line.strip_prefix("@@ -").and_then(|header| header.split_once(" @@"))
            {
                for (side, range) in
                    [&mut diff.old, &mut diff.new].into_iter().zip(ranges.split(" +"))
                {
                    side.add(path, range);
                }
            }
        }
        diff.old.read_files(old);
        diff.new.read_files(new);
        diff
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

impl Side {
    /// Adds a range of lines such as `12,3`, if the file is a source.
    fn add(&mut self, path: &str, range: &str) {
        let (start, number) = range.split_once(',').unwrap_or((range, "1"));
        let is_source =
            path.starts_with("src/") && Path::new(path).extension() == Some("rs".as_ref());
        if let (true, Ok(start), Ok(number)) =
            (is_source, start.parse::<u32>(), number.parse::<u32>())
        {
            self.changed.entry(path.to_owned()).or_default().extend(start..start + number);
        }
    }

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
            let texts: Vec<_> = source.lines().collect();
            let text = |line: u32| texts.get(line as usize - 1).copied().unwrap_or_default();
            lines.retain(|line| *line < start && is_code(text(*line)));
            let functions = functions(&source);
            self.changes_declarations |= lines
                .iter()
                .any(|line| innermost(&functions, *line).is_none() && declares(text(*line)));
            self.functions.insert(path.clone(), functions);
            !lines.is_empty()
        });
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

    /// Returns the change of a line for a benchmark that executes these.
    fn touched(line: u32, executed: &[u32]) -> Touched {
        let content = |_: &str| OLD.to_owned();
        let diff = format!("diff --git src/lib.rs src/lib.rs\n@@ -{line} +{line} @@\n-a\n+b\n");
        let diff = Diff::parse(&diff, content, content);
        let lines = Lines::from([("src/lib.rs".to_owned(), executed.iter().copied().collect())]);
        diff.touched(&lines, &lines)
    }

    #[test]
    fn functions_have_their_attributes_and_their_bodies() {
        assert_eq!(functions(OLD), [4..=10, 12..=14, 17..=17]);
        let source = "macro_rules! m {\n    ($t:ty) => {\n        fn f(x: $t) -> [u8; 2] {\n        }\n    };\n}\n\
                      trait T {\n    fn a();\n    fn b() {\n        x();\n    }\n}\n";
        assert_eq!(functions(source), [3..=4, 9..=11]);
    }

    #[test]
    fn a_changed_line_belongs_to_its_function() {
        assert_eq!(touched(8, &[5, 6, 7]), Touched::Executed);
        assert_eq!(touched(8, &[12, 13]), Touched::OtherFunctions);
        // The attribute
        assert_eq!(touched(4, &[6]), Touched::Executed);
    }

    #[test]
    fn constants_are_declarations_and_comments_and_tests_nothing() {
        assert_eq!(touched(2, &[6]), Touched::Declarations);
        assert_eq!(touched(1, &[6]), Touched::Nothing);
        assert_eq!(touched(17, &[6]), Touched::Nothing);
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
