//! `cargo xtask test examples`: the commands in the READMEs of `examples` print the lines below them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xtask::command;
use xtask::outcome::Outcome;

/// The directories of the crates.
const EXAMPLES: [&str; 4] = ["first-benchmark", "criterion-file", "awk-command", "limits-in-ci"];

/// Runs the commands of all examples.
pub(crate) fn check() -> Outcome {
    let outcomes = EXAMPLES.into_iter().map(|name| {
        run(name).map_or_else(|problem| Outcome::Failed(vec![problem]), |()| Outcome::Passed)
    });
    outcomes.fold(Outcome::Passed, Outcome::and)
}

/// Runs the commands of one example up to the first one that prints something else.
fn run(name: &str) -> Result<(), String> {
    let directory = command::root().join("examples").join(name);
    let readme = directory.join("README.md");
    let readme = fs::read_to_string(&readme).map_err(command::in_file(&readme))?;
    prepare(&directory).map_err(command::in_file(&directory))?;
    for (line, expected) in commands(&readme) {
        println!("{} $ {line}", directory.display());
        let mut shell = command::new("sh");
        shell.args(["-c", line]).current_dir(&directory);
        shell.env("CARGO_TARGET_DIR", target()).env("IAI_CALLGRIND_HOME", results());
        let output = command::output(&mut shell)?;
        if let Some(missing) = missing(&output, expected) {
            print!("{output}");
            return Err(format!("cd examples/{name} && {line}\n        no line `{missing}`"));
        }
    }
    Ok(())
}

/// Removes the results of other examples, and has cargo use the versions of the workspace.
fn prepare(directory: &Path) -> io::Result<()> {
    if results().exists() {
        fs::remove_dir_all(results())?;
    }
    fs::copy(command::root().join("Cargo.lock"), directory.join("Cargo.lock")).map(drop)
}

/// Returns the target directory of all examples, which have the same dependencies.
fn target() -> PathBuf {
    command::target().join("examples")
}

fn results() -> PathBuf {
    target().join("iai")
}

/// Returns the commands in the `console` blocks of a README, with the lines below them.
fn commands(readme: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = readme.split("```console\n$ ").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    blocks
        .flat_map(|block| block.split("\n$ "))
        .map(|text| text.split_once('\n').unwrap_or((text, "")))
}

/// Returns the first expected line that does not follow the earlier ones in the output. A README can leave out lines.
fn missing<'a>(output: &str, expected: &'a str) -> Option<&'a str> {
    let mut lines = output.lines().map(shape);
    expected.lines().find(|line| !lines.any(|other| other == shape(line)))
}

/// Returns the line without the numbers, which depend on the compiler and on the time.
fn shape(line: &str) -> String {
    if line.starts_with("exit code ") {
        return line.to_owned();
    }
    // The changes of a metric can be of another sign or none
    let is_metric = line.starts_with("  ") && line.contains('|');
    let line = if is_metric { line.split(':').next().unwrap_or(line) } else { line };
    let is_number = |character: char| character.is_ascii_digit() || ".,+-".contains(character);
    line.split(is_number).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_lines_below_them() {
        let readme = "# A\n\n```console\n$ a b\none\n$ c\n```\ntext\n```sh\nd\n```\n```console\n$ e\ntwo\n```\n";
        assert_eq!(
            commands(readme).collect::<Vec<_>>(),
            [("a b", "one"), ("c", ""), ("e", "two\n")]
        );
    }

    #[test]
    fn lines_can_be_left_out_and_numbers_differ() {
        let output = "a::b c:1\n  Instructions:     1,234|N/A   (***)\n  L1 Hits:  1|2\n\n2 ran, in 1.2 s\nexit code 3\n";
        let expected = "a::b c:1\n  Instructions:    99|98 (+1%)\n\n2 ran, in 3 s\nexit code 3\n";
        assert_eq!(missing(output, expected), None);
        assert_eq!(missing(output, "exit code 0"), Some("exit code 0"));
        assert_eq!(missing(output, "2 ran, in 1 s\na::b c:1\n"), Some("a::b c:1"));
    }
}
