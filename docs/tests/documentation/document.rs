//! Documents in Markdown: their fenced blocks, the commands in these, and their links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A document of this repository
#[derive(Clone)]
pub(crate) struct Document {
    /// From the repository's root
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// A fenced block
pub(crate) struct Block {
    /// The number of its first line within the fence
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A line that a reader types, and what is shown below it
pub(crate) struct Command {
    pub(crate) number: usize,
    pub(crate) line: String,
    pub(crate) output: String,
}

/// Returns the repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns all documents that have something to check.
pub(crate) fn documents() -> Vec<Document> {
    let fixed = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "schemas/README.md"];
    let mut paths: Vec<PathBuf> = fixed.into_iter().map(PathBuf::from).collect();
    for directory in ["docs", "docs/decisions", "docs/src"] {
        for entry in fs::read_dir(root().join(directory)).unwrap() {
            let name = entry.unwrap().file_name();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                paths.push(Path::new(directory).join(name));
            }
        }
    }
    paths.sort();
    paths.into_iter().map(Document::read).collect()
}

impl Document {
    pub(crate) fn read(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let text = fs::read_to_string(root().join(&path)).unwrap();
        Self { path, text }
    }

    /// Returns the file's name as an identifier.
    pub(crate) fn name(&self) -> String {
        let name = self.path.with_extension("").to_string_lossy().to_lowercase();
        name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    }

    /// Returns the blocks that are marked as in this language.
    pub(crate) fn blocks(&self, language: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().zip(1..);
        while let Some((line, number)) = lines.next() {
            let Some(found) = line.strip_prefix("```") else { continue };
            let inside = lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```");
            let text: String = inside.flat_map(|line| [line, "\n"]).collect();
            assert!(!found.is_empty(), "{}:{number}: no language", self.path.display());
            if found == language {
                blocks.push(Block { line: number + 1, text });
            }
        }
        blocks
    }

    /// Returns the files that a reader creates, with their paths: blocks in the language `text,file=path`, or
    /// `rust,file=path` if they are benchmarks.
    pub(crate) fn files(&self) -> Vec<(&str, Block)> {
        let fences = self.text.lines().filter_map(|line| line.strip_prefix("```"));
        let languages = fences.filter_map(|it| Some((it.split_once(",file=")?.1, it)));
        let files = |(path, language)| self.blocks(language).into_iter().map(move |it| (path, it));
        languages.flat_map(files).collect()
    }

    /// Returns the targets of links that lead to files of this repository.
    pub(crate) fn links(&self) -> Vec<&str> {
        let targets = self.text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let targets = targets.map(|(target, _)| target);
        targets.filter(|target| !target.is_empty() && !target.contains("://")).collect()
    }

    /// Returns the anchors of its headings, as mdBook and GitHub name them.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let outside = self.text.split("```").step_by(2);
        let headings = outside.flat_map(str::lines).filter(|line| line.starts_with('#'));
        let (mut uses, mut anchors) = (BTreeMap::new(), Vec::new());
        for heading in headings {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            let anchor = kept.collect::<String>().replace(' ', "-");
            let same = uses.entry(anchor.clone()).and_modify(|number| *number += 1).or_insert(0);
            anchors.push(if *same == 0 { anchor } else { format!("{anchor}-{same}") });
        }
        anchors
    }
}

impl Block {
    /// Returns the commands, each of which begins with `$ `.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for (line, number) in self.text.lines().zip(self.line..) {
            if let Some(typed) = line.strip_prefix("$ ") {
                let (line, output) = (typed.to_owned(), String::new());
                commands.push(Command { number, line, output });
            } else {
                let command = commands.last_mut().expect("a console block begins with a command");
                command.output.extend([line, "\n"]);
            }
        }
        commands
    }
}
