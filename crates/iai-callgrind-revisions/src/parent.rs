//! The call of cargo that started this run, read from its process.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cargo::CargoCall;
use super::cargo_arguments::{configuring, subcommand};
use super::error::{AgainstError, Result};

/// Commands of cargo that do not run benchmarks, and cargo's own aliases of them.
const OTHER_COMMANDS: [&str; 6] = ["b", "build", "r", "run", "t", "test"];

/// Maximum number of aliases that are aliases of each other.
const MOST_ALIASES: usize = 16;

/// An alias, as cargo's configuration has it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Alias {
    Text(String),
    Words(Vec<String>),
}

impl CargoCall {
    /// Returns the call of the cargo that started the benchmark executable, and this process with it.
    pub fn of_parents() -> Result<Self> {
        let mut process = parent_id();
        while process > 1 {
            let directory = PathBuf::from(format!("/proc/{process}"));
            let program = fs::read_link(directory.join("exe")).unwrap_or_default();
            if program.file_name() == Some(OsStr::new("cargo")) {
                let call = Self::of_process(&directory, program).ok_or(AgainstError::NoCargo)?;
                return call.expanded();
            }
            process = parent_of(&directory).ok_or(AgainstError::NoCargo)?;
        }
        Err(AgainstError::NoCargo.into())
    }

    /// Reads the call with all of its arguments from the directory of a process.
    fn of_process(process: &Path, program: PathBuf) -> Option<Self> {
        let words = |name: &str| Some(split(&fs::read(process.join(name)).ok()?));
        let variable = |word: OsString| {
            let bytes = word.as_bytes();
            let end = bytes.iter().position(|byte| *byte == b'=')?;
            let [name, value] = [&bytes[..end], &bytes[end + 1..]].map(OsStr::from_bytes);
            Some((name.to_owned(), value.to_owned()))
        };
        Some(Self {
            program,
            arguments: words("cmdline")?.into_iter().skip(1).collect(),
            target: None,
            directory: fs::read_link(process.join("cwd")).ok()?,
            environment: words("environ")?.into_iter().filter_map(variable).collect(),
        })
    }

    /// Returns the call of `cargo bench` that this one means: without aliases, and without the arguments of the benchmarks,
    /// which an alias can have as well.
    fn expanded(mut self) -> Result<Self> {
        for _ in 0..MOST_ALIASES {
            let index = subcommand(&self.arguments).ok_or(AgainstError::NoCargo)?;
            let name = self.arguments[index].to_string_lossy().into_owned();
            if name == "bench" {
                let words: Vec<_> =
                    self.arguments.iter().take_while(|word| *word != "--").cloned().collect();
                return Ok(self.with_arguments(&words));
            }
            let is_other = OTHER_COMMANDS.contains(&&*name);
            let words = self.alias(&name, index).map_err(|output| {
                if is_other { AgainstError::NoCargo } else { AgainstError::Alias { name, output } }
            })?;
            self.arguments.splice(index..=index, words);
        }
        Err(AgainstError::NoCargo.into())
    }

    /// Has cargo read an alias from its configuration. Returns its output if there is no such alias.
    fn alias(&self, name: &str, index: usize) -> Result<Vec<OsString>, String> {
        let mut command = self.command();
        // The subcommand is not stable: without it, the run ends with an error
        command.env("RUSTC_BOOTSTRAP", "1").current_dir(&self.directory);
        command.args(configuring(&self.arguments[..index]));
        command.args(["-Zunstable-options", "config", "get", "--format=json-value"]);
        let output = iai_callgrind_process::output(command.arg(format!("alias.{name}")));
        let output = output.map_err(|error| error.to_string())?;
        let alias = serde_json::from_slice(&output.stdout).ok();
        match alias.filter(|_| output.status.success()) {
            Some(Alias::Text(text)) => Ok(text.split_whitespace().map(Into::into).collect()),
            Some(Alias::Words(words)) => Ok(words.into_iter().map(Into::into).collect()),
            None => Err(iai_callgrind_process::error_text(&output)),
        }
    }
}

/// Splits the words of a process, each of which ends with a zero. A word can be empty.
fn split(text: &[u8]) -> Vec<OsString> {
    let words = text.split_inclusive(|byte| *byte == 0);
    let words = words.map(|word| word.strip_suffix(b"\0").unwrap_or(word));
    words.map(|word| OsString::from_vec(word.to_owned())).collect()
}

/// Returns the parent of the process with this directory.
fn parent_of(process: &Path) -> Option<u32> {
    let text = fs::read_to_string(process.join("stat")).ok()?;
    // The name of the program, in brackets, can contain any character
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_a_parent() {
        let parent = parent_of(Path::new("/proc/self")).unwrap();
        assert_eq!(parent, parent_id());
    }

    #[test]
    fn empty_words_are_kept() {
        assert_eq!(
            split(b"cargo\0--features\0\0--bench\0"),
            ["cargo", "--features", "", "--bench"]
        );
        assert!(split(b"").is_empty());
    }

    /// Returns the arguments of the call that cargo makes of these in a directory with this configuration.
    fn expanded(configuration: &str, arguments: &[&str]) -> Result<Vec<OsString>> {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(".cargo")).unwrap();
        fs::write(directory.path().join(".cargo/config.toml"), configuration).unwrap();
        let mut call = CargoCall::new(directory.path(), &[]);
        call.arguments = arguments.iter().map(OsString::from).collect();
        Ok(call.expanded()?.arguments)
    }

    #[test]
    fn aliases_are_those_of_cargo() {
        let configuration = "[alias]\nmine = 'bench --features x -- --against=HEAD'\n\
                             words = ['bench', '--features', 'x y', '-pone']\n\
                             nested = ['--config', 'a.b=1', 'words', '-Fz']\nt = 'bench -Fa'\n";
        for (arguments, expected) in [
            (&["mine", "--bench", "b"][..], &["bench", "--features", "x"][..]),
            (&["words", "-q", "--", "x"], &["bench", "--features", "x y", "-pone"]),
            (
                &["--color", "never", "nested", "--features", ""],
                &[
                    "--color",
                    "never",
                    "--config",
                    "a.b=1",
                    "bench",
                    "--features",
                    "x y",
                    "-pone",
                    "-Fz",
                    "--features",
                    "",
                ],
            ),
            (&["t"], &["bench", "-Fa"]),
            (
                &["--config", "alias.given='bench -Fg'", "given"],
                &["--config", "alias.given='bench -Fg'", "bench", "-Fg"],
            ),
        ] {
            assert_eq!(expanded(configuration, arguments).unwrap(), expected, "{arguments:?}");
        }
        for (arguments, error) in [
            (&["test"][..], "cargo did not start this run"),
            (&["r"], "cargo did not start this run"),
            (&["missing", "x"], "can't find out what `cargo missing` does"),
            (&["--version"], "cargo did not start this run"),
        ] {
            let found = expanded(configuration, arguments).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
