//! The tool runner: a program that starts Valgrind, such as in a container or an emulator.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::ValgrindError;
use crate::Result;

/// Variables that describe a run to the tool runner.
const DESTINATION: &str = "IAI_CALLGRIND_TR_DEST_DIR";
const HOME: &str = "IAI_CALLGRIND_TR_HOME";
const WORKSPACE: &str = "IAI_CALLGRIND_TR_WORKSPACE_ROOT";
const ALLOW_ASLR: &str = "IAI_CALLGRIND_ALLOW_ASLR";

/// A program that starts Valgrind. Paths can have other names where Valgrind runs.
#[derive(Debug, Clone, Default)]
pub struct ToolRunner {
    /// The path of the program.
    pub program: PathBuf,
    /// Arguments before the path of Valgrind, with `${NAME}` for the value of a variable.
    pub arguments: Vec<String>,
    /// Path of the directory of the tool's files, where Valgrind runs.
    pub destination: Option<PathBuf>,
    /// Path of the workspace, where Valgrind runs.
    pub root: Option<PathBuf>,
    /// The directory of all results.
    pub home: PathBuf,
    /// The directory of the workspace.
    pub workspace: PathBuf,
}

impl ToolRunner {
    /// Finds the program, which can be in `PATH`.
    pub fn find(self) -> Result<Self> {
        match which::which(&self.program) {
            Ok(program) => Ok(Self { program, ..self }),
            Err(_) => Err(ValgrindError::NoToolRunner { program: self.program }.into()),
        }
    }

    /// Returns the variables for a tool that writes its files to this directory.
    pub(super) fn variables(
        &self,
        directory: &Path,
        allow_aslr: bool,
    ) -> [(OsString, OsString); 4] {
        let allow_aslr = if allow_aslr { "yes" } else { "no" };
        [
            (DESTINATION, directory.as_os_str()),
            (HOME, self.home.as_os_str()),
            (WORKSPACE, self.workspace.as_os_str()),
            (ALLOW_ASLR, OsStr::new(allow_aslr)),
        ]
        .map(|(name, value)| (name.into(), value.to_owned()))
    }

    /// Returns the arguments of the tool runner, with the values of these variables, or of this
    /// process's.
    pub(super) fn arguments(
        &self,
        variables: &BTreeMap<OsString, OsString>,
    ) -> Result<Vec<OsString>> {
        let value = |name: &str| {
            let value = variables.get(OsStr::new(name)).cloned().or_else(|| env::var_os(name));
            let unknown = || ValgrindError::UnknownVariable { name: name.to_owned() };
            Ok(value.ok_or_else(unknown)?)
        };
        self.arguments.iter().map(|argument| interpolate(argument, value)).collect()
    }

    /// Returns the path of the directory of the tool's files where Valgrind runs.
    pub(super) fn directory(&self, directory: &Path) -> PathBuf {
        self.destination.clone().unwrap_or_else(|| self.path(directory))
    }

    /// Returns a path where Valgrind runs.
    fn path(&self, path: &Path) -> PathBuf {
        let rest = path.strip_prefix(&self.workspace).ok();
        let moved = self.root.as_ref().zip(rest).map(|(root, rest)| root.join(rest));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Returns an argument of the user, which can contain a path: `--name=PATH`.
    pub fn argument(&self, argument: &str) -> String {
        let path = |path: &str| self.path(Path::new(path)).to_string_lossy().into_owned();
        match argument.split_once('=') {
            Some((name, value)) if name.starts_with('-') => format!("{name}={}", path(value)),
            _ => path(argument),
        }
    }
}

/// Replaces each `${NAME}` in a text. Other dollar signs stay.
fn interpolate(text: &str, value: impl Fn(&str) -> Result<OsString>) -> Result<OsString> {
    let (mut rest, mut result) = (text, OsString::new());
    while let Some((before, (name, after))) = rest
        .split_once("${")
        .and_then(|(before, variable)| Some((before, variable.split_once('}')?)))
    {
        result.push(before);
        result.push(value(name)?);
        rest = after;
    }
    result.push(rest);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner() -> ToolRunner {
        ToolRunner {
            arguments: vec![
                "--mount=${IAI_CALLGRIND_TR_HOME}:/home".to_owned(),
                "$A${A}".to_owned(),
            ],
            root: Some("/inside".into()),
            home: "/project/target/iai".into(),
            workspace: "/project".into(),
            ..ToolRunner::default()
        }
    }

    #[test]
    fn variables_are_replaced() {
        let mut variables: BTreeMap<_, _> =
            runner().variables(Path::new("/project/x"), false).into_iter().collect();
        assert_eq!(variables[OsStr::new("IAI_CALLGRIND_ALLOW_ASLR")], "no");
        let error = runner().arguments(&variables).unwrap_err().to_string();
        assert!(error.contains("`A`"), "{error}");
        variables.insert("A".into(), "a${A}".into());
        let expected = ["--mount=/project/target/iai:/home", "$Aa${A}"].map(OsString::from);
        assert_eq!(runner().arguments(&variables).unwrap(), expected);
        assert_eq!(interpolate("${", |_| unreachable!()).unwrap(), "${");
    }

    #[test]
    fn paths_in_the_workspace_have_another_root() {
        let runner = runner();
        for (path, moved) in
            [("/project/a", "/inside/a"), ("/projects/a", "/projects/a"), ("/project", "/inside/")]
        {
            assert_eq!(runner.path(Path::new(path)), Path::new(moved));
            assert_eq!(runner.directory(Path::new(path)), Path::new(moved));
        }
        assert_eq!(runner.argument("--suppressions=/project/a"), "--suppressions=/inside/a");
        assert_eq!(runner.argument("--branch-sim=yes"), "--branch-sim=yes");
        let destination = ToolRunner { destination: Some("/results".into()), ..runner };
        assert_eq!(destination.directory(Path::new("/project/a")), Path::new("/results"));
    }
}
