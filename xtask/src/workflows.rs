//! `cargo xtask test workflows`: actionlint reads the workflows of this repository, of the examples and of the guide.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xtask::command;
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::tally;

/// The package. Go's tool checks what it downloads.
const PACKAGE: &str = "github.com/rhysd/actionlint/cmd/actionlint";
const VERSION: &str = "v1.7.12";

/// The start of a block of the guide that is a workflow.
const BLOCK: &str = "\n```yaml,file=.github/workflows/";

/// Checks all workflows, if this machine has Go.
pub(crate) fn check() -> Outcome {
    let program = match installed() {
        Ok(program) => program,
        Err(reason) => return Outcome::Skipped(reason),
    };
    match workflows() {
        // Shell scripts are checked where shellcheck is installed, which would be another outcome on each machine
        Ok(files) => {
            tally::outcome(command::new(program).args(["-shellcheck=", "-pyflakes="]).args(files))
        }
        Err(error) => Outcome::Failed(vec![format!("the workflows can't be collected: {error}")]),
    }
}

/// Returns the path of actionlint, which is built if it is missing.
fn installed() -> Result<PathBuf, String> {
    let directory = command::target().join("tools").join(format!("actionlint-{VERSION}"));
    let program = directory.join("actionlint");
    if !program.is_file() {
        let machine = Machine::this();
        if machine.find("go").is_none() {
            return Err("Go is not installed, which builds actionlint".to_owned());
        }
        let mut install = machine.command("go", ["install", &format!("{PACKAGE}@{VERSION}")]);
        command::output(install.env("GOBIN", &directory))?;
    }
    Ok(program)
}

/// Returns the files of all workflows. Those of the guide are written into the target directory.
fn workflows() -> io::Result<Vec<PathBuf>> {
    let root = command::root();
    let mut files = files_in(&root.join(".github/workflows"))?;
    files.push(root.join("examples/limits-in-ci/workflow.yml"));
    let directory = command::target().join("xtask/workflows");
    fs::create_dir_all(&directory)?;
    for chapter in files_in(&root.join("docs/src"))? {
        if chapter.extension().is_some_and(|extension| extension == "md") {
            for (name, workflow) in blocks(&fs::read_to_string(&chapter)?) {
                let file = directory.join(name);
                fs::write(&file, workflow)?;
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn files_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let files: io::Result<Vec<_>> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect();
    files.map(|mut files| {
        files.sort();
        files
    })
}

/// Returns the workflows of a chapter with the names of their files.
fn blocks(chapter: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = chapter.split(BLOCK).skip(1);
    blocks.filter_map(|block| block.split_once("\n```")?.0.split_once('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_workflows_have_names() {
        let chapter = "a\n```yaml,file=.github/workflows/b.yml\non: push\n```\n```text\nc\n```\n";
        assert_eq!(blocks(chapter).collect::<Vec<_>>(), [("b.yml", "on: push")]);
    }
}
