//! Installations on machines made of stubs.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::*;

/// The script of a package manager that works; `$0` is in the stubs' folder
const INSTALLS: &str = "[ \"$1\" = update ] || /bin/ln -sf /bin/true \"${0%/*}/valgrind\"";
const ROOT: (&str, &str) = ("id", "echo 0");
const USER: (&str, &str) = ("id", "echo 1000");
/// Runs the command for a user who has to type a password, with `-n` an error
const SUDO: (&str, &str) = ("sudo", "[ \"$1\" = -n ] && exit 1; exec \"$@\"");

/// A machine whose programs are shell scripts that first write down how they were called
struct Stubs {
    folder: TempDir,
    machine: Machine,
}

impl Stubs {
    fn new(programs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, body) in programs {
            write(&folder, name, body);
        }
        for system in ["env", "true"] {
            symlink(which::which(system).unwrap(), folder.path().join(system)).unwrap();
        }
        let machine = Machine { path: folder.path().into(), interactive: false };
        Self { folder, machine }
    }

    /// Returns the calls of all stubs but `id`, in their order.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default();
        calls.lines().filter(|line| !line.starts_with("id ")).map(Into::into).collect()
    }
}

/// Writes a stub from a process of its own. An executable can't start while it is open for writing,
/// and a fork of another test could inherit the open file from this process
fn write(folder: &TempDir, name: &str, body: &str) {
    let file = folder.path().join(name);
    let mut shell = Command::new("sh")
        .args(["-c", r#"cat >"$1" && chmod +x "$1""#, "sh"])
        .arg(file)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let log = "echo \"${0##*/} $*\" >>\"${0%/*}/calls\"";
    writeln!(shell.stdin.take().unwrap(), "#!/bin/sh\n{log}\n{body}").unwrap();
    assert!(shell.wait().unwrap().success());
}

#[test]
fn nothing_is_done_when_valgrind_is_there() {
    let stubs = Stubs::new(&[ROOT, ("apt-get", INSTALLS), ("valgrind", "")]);
    assert_eq!(valgrind(&stubs.machine), Ok(()));
    assert_eq!(stubs.calls(), [""; 0]);
}

#[test]
fn every_manager_of_the_table_installs_for_root() {
    for (program, lines) in MANAGERS {
        let stubs = Stubs::new(&[ROOT, (program, INSTALLS)]);
        assert_eq!(valgrind(&stubs.machine), Ok(()), "{program}");
        let typed = lines
            .iter()
            .map(|line| line.split_once("noninteractive ").map_or(*line, |both| both.1));
        assert_eq!(stubs.calls(), typed.collect::<Vec<_>>());
    }
}

#[test]
fn sudo_may_ask_where_a_user_can_answer() {
    let mut stubs = Stubs::new(&[USER, ("dnf", INSTALLS), SUDO]);
    let error = "Valgrind could not be installed; type this and start again:\n    \
                 sudo dnf install --assumeyes valgrind";
    assert_eq!(valgrind(&stubs.machine), Err(error.into()));
    stubs.machine.interactive = true;
    assert_eq!(valgrind(&stubs.machine), Ok(()));
    let dnf = "dnf install --assumeyes valgrind";
    assert_eq!(stubs.calls(), [&format!("sudo -n {dnf}"), &format!("sudo {dnf}"), dnf]);
}

#[test]
fn a_user_without_sudo_gets_the_commands_to_type() {
    let stubs = Stubs::new(&[USER, ("apt-get", INSTALLS)]);
    let error = valgrind(&stubs.machine).unwrap_err();
    assert!(error.contains("\n    sudo apt-get update && sudo env DEBIAN_FRONTEND="), "{error}");
    assert_eq!(stubs.calls(), [""; 0]);
}

#[test]
fn lists_that_cannot_be_refreshed_do_not_stop_the_installation() {
    let body = format!("[ \"$1\" != update ] || exit 100; {INSTALLS}");
    let stubs = Stubs::new(&[ROOT, ("apt-get", &body)]);
    assert_eq!(valgrind(&stubs.machine), Ok(()));
}

#[test]
fn a_system_without_a_known_manager_is_reported() {
    let stubs = Stubs::new(&[ROOT, ("emerge", INSTALLS)]);
    assert!(valgrind(&stubs.machine).unwrap_err().contains("https://valgrind.org"));
}
