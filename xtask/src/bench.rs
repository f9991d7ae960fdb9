//! `cargo xtask bench`: from a fresh machine to the first benchmark's numbers, with the crate of the README.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use xtask::command;
use xtask::install;
use xtask::machine::Machine;

/// The path of the library in the README
const LIBRARY: &str = "../iai-callgrind/iai-callgrind";

/// The manifest that `cargo new` writes, as a workspace of its own
const PACKAGE: &str =
    "[package]\nname = \"my-crate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n";

/// Runs the README's benchmark with `arguments` and ends as it does
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let directory = command::target().join("my-crate");
    write_crate(&directory)?;
    let mut bench = command::cargo(["bench"]);
    bench.current_dir(&directory).env("CARGO_TARGET_DIR", directory.join("target"));
    if !arguments.is_empty() {
        bench.arg("--").args(arguments);
    }
    let status = command::run(&mut bench)?;
    if status.success() {
        println!("{}", next_step(&directory));
    }
    Ok(command::exit_code(status))
}

/// The line that a reader of the README adds
const CHANGE: &str = "2 => 2,";

/// Returns what to do after a run
fn next_step(directory: &Path) -> String {
    let file = directory.join("benches/my_benchmark.rs");
    let is_changed = fs::read_to_string(&file).is_ok_and(|text| text.contains(CHANGE));
    let file = file.display();
    let step = if is_changed {
        format!(
            "Next: keep these results as a baseline, remove the line again from {file}, and see how a limit fails\n\
             $ cargo xtask bench -- --save-baseline=main\n\
             $ cargo xtask bench -- --baseline=main --callgrind-limits=ir=5%"
        )
    } else {
        format!(
            "Next: add `{CHANGE}` below `0 | 1 => 1,` in {file}, and compare\n$ cargo xtask bench"
        )
    };
    format!("\n{step}\nThe guide explains each step: docs/src/quickstart.md")
}

/// Writes the crate of the README. Files that are there stay, because the reader changes them
fn write_crate(directory: &Path) -> Result<(), String> {
    let read = |name: &str| {
        let path = command::root().join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let readme = read("README.md")?;
    let library = command::root().join("iai-callgrind");
    let sections = block(&readme, "toml")?.replace(LIBRARY, &library.display().to_string());
    for (name, text) in [
        ("Cargo.toml", PACKAGE.to_owned() + &sections),
        // The versions of the workspace, so that nothing else is downloaded
        ("Cargo.lock", read("Cargo.lock")?),
        ("src/lib.rs", String::new()),
        ("benches/my_benchmark.rs", block(&readme, "rust")?.to_owned()),
    ] {
        let path = directory.join(name);
        if path.exists() {
            continue;
        }
        let parent = path.parent().unwrap_or(directory);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the first code block in this language
fn block<'a>(document: &'a str, language: &str) -> Result<&'a str, String> {
    let start = format!("\n```{language}\n");
    let rest = document.split_once(&start).map(|(_, rest)| rest);
    let text = rest.and_then(|rest| rest.split_once("```")).map(|(text, _)| text);
    text.ok_or_else(|| format!("README.md has no block of {language}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_is_that_of_the_readme_and_changes_of_the_reader_stay() {
        let directory = tempfile::tempdir().unwrap();
        write_crate(directory.path()).unwrap();
        let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        let manifest = read("Cargo.toml");
        assert!(manifest.contains("name = \"my_benchmark\"") && !manifest.contains(LIBRARY));
        let benchmark = read("benches/my_benchmark.rs");
        assert!(benchmark.contains("0 | 1 => 1,") && benchmark.ends_with("main!();\n"));
        fs::write(directory.path().join("benches/my_benchmark.rs"), "changed").unwrap();
        write_crate(directory.path()).unwrap();
        assert_eq!(read("benches/my_benchmark.rs"), "changed");
    }
}
