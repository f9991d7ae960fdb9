//! Commands: shown as a user would type them, run in the workspace's root.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Returns the directory of the workspace.
///
/// # Panics
///
/// Panics if no directory above the package has a `Cargo.lock`.
#[must_use]
pub fn root() -> PathBuf {
    // Cargo sets it at run time; the value at build time may belong to another checkout that shares
    // the target directory
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    let mut directories = Path::new(&package).ancestors();
    let root = directories.find(|directory| directory.join("Cargo.lock").is_file());
    root.expect("tasks lie in the workspace").to_owned()
}

/// Returns the folder that cargo builds in.
#[must_use]
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns `cargo`, the one that started this program.
pub fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Returns a command in the workspace's root.
pub fn new(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Shows the command and runs it
pub fn run(command: &mut Command) -> Result<ExitStatus, String> {
    println!("$ {}", line(command));
    command.status().map_err(|error| format!("`{}` can't be started: {error}", line(command)))
}

/// Returns true if the command succeeds; its output is not shown
pub fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Returns the output of the command; the error is the last line of its error output
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} can't be started: {error}", program(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.trim_end().lines().last().unwrap_or("no output");
    Err(format!("{}: {last}", program(command)))
}

/// Returns the exit code of this program after a command with this status.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    // A command that a signal ended has no code
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Returns the command as it is typed into a shell in the workspace's root.
#[must_use]
pub fn line(command: &Command) -> String {
    // The directories of programs are left out
    let shown = command.get_envs().filter(|(name, _)| *name != "PATH");
    let variables = shown.filter_map(|(name, value)| {
        let value = quoted(&value?.to_string_lossy()).into_owned();
        Some(format!("{}={value}", name.to_string_lossy()))
    });
    let arguments = command.get_args().map(|word| quoted(&word.to_string_lossy()).into_owned());
    let words = variables.chain([program(command)]).chain(arguments);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the program's name. The variable for cargo has its whole path, which users do not type.
fn program(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Quotes `word` so that a shell takes it as one.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

/// Returns a function that adds the path of a file to an error.
pub fn in_file<E: Display>(file: &Path) -> impl Fn(E) -> String + '_ {
    move |error| format!("{}: {error}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_typed() {
        let mut command = new("/usr/bin/cargo");
        command.args(["doc", "--flag=a b", "it's"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line(&command), r"RUSTDOCFLAGS='-D warnings' cargo doc '--flag=a b' 'it'\''s'");
    }

    #[test]
    fn a_complaint_is_the_last_line_of_stderr() {
        let error = output(new("sh").args(["-c", "echo one >&2; echo two >&2; exit 1"]));
        assert_eq!(error.unwrap_err(), "sh: two");
    }
}
