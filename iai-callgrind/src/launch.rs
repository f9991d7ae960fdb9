//! Finds or installs the runner, hands over the plan and passes its exit code on.
//!
//! A runner of exactly the library's version is looked for in `IAI_CALLGRIND_RUNNER`, then in `PATH`.
//! Otherwise cargo gets it: it builds the one that lies beside the library (a path or git
//! dependency), or installs the published one into a folder of its own that all projects share.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use iai_callgrind_plan::{Plan, VERSION};
use nanoserde::SerJson;

use crate::signals;

const RUNNER: &str = "iai-callgrind-runner";
const RUNNER_VARIABLE: &str = "IAI_CALLGRIND_RUNNER";
const AUTO_INSTALL_VARIABLE: &str = "IAI_CALLGRIND_AUTO_INSTALL";

/// Settings of the user's build that are not meant for the runner's: what the benchmarks are built
/// for and with need not suit it, and would have cargo build it anew for each project.
const FOREIGN_VARIABLES: [&str; 5] = [
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// What variables with settings of the release profile begin with, which are not meant for it either.
const FOREIGN_PROFILE: &str = "CARGO_PROFILE_RELEASE_";

/// Has the runner carry out this command on the plan with these arguments. The exit code is the runner's.
pub(crate) fn launch(
    plan: &Plan,
    command: &str,
    arguments: &[OsString],
) -> Result<ExitCode, String> {
    let runner = find()?;
    let failed = |error| format!("can't run {}: {error}", runner.display());
    let mut runner_command = Command::new(&runner);
    runner_command.arg(command).args(arguments).stdin(Stdio::piped());
    let mut child = signals::start(&mut runner_command).map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A runner that ends before it has read the plan says why by itself
        let _ = stdin.write_all(plan.serialize_json().as_bytes());
    }
    exit_code(child.wait().map_err(failed)?)
}

/// What this process exits with if the runner ended so.
fn exit_code(status: ExitStatus) -> Result<ExitCode, String> {
    let number = |it: i32| u8::try_from(it).map_or(ExitCode::FAILURE, Into::into);
    match (status.code(), status.signal()) {
        (Some(code), _) => Ok(number(code)),
        // It came before the runner could tell what had finished
        (None, Some(signal)) if signals::SIGNALS.contains(&signal) => Ok(number(128 + signal)),
        (None, _) => Err(format!(
            "the runner did not come to its end: {status}.\nIf nobody has killed it, memory may have run out. \
             What was stored is still there: run it again"
        )),
    }
}

fn find() -> Result<PathBuf, String> {
    if let Some(given) = env::var_os(RUNNER_VARIABLE).filter(|given| !given.is_empty()) {
        return given_runner(given.into());
    }
    if let Some(runner) = in_path() {
        return Ok(runner);
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    let beside = workspace.join(RUNNER);
    // In a folder of vendored crates there is a runner too, but no workspace, and nothing to build in
    if workspace.join("Cargo.toml").is_file() && beside.is_dir() {
        allowed_to_install(&format!("cargo install --path {}", beside.display()))?;
        return build(&beside);
    }
    let root = cargo_home()?.join("iai-callgrind").join(VERSION);
    let runner = root.join("bin").join(RUNNER);
    if version(&runner).as_deref() == Ok(VERSION) {
        return Ok(runner);
    }
    allowed_to_install(&install_command())?;
    install(&root)?;
    Ok(runner)
}

/// The runner that the user chose: it has to be the right one.
fn given_runner(runner: PathBuf) -> Result<PathBuf, String> {
    let problem = match version(&runner) {
        Ok(version) if version == VERSION => return Ok(runner),
        Ok(version) => format!("is version {version} but this is iai-callgrind {VERSION}"),
        Err(problem) => problem,
    };
    Err(format!(
        "the runner {} in {RUNNER_VARIABLE} {problem}.\nUnset {RUNNER_VARIABLE} to have the right one \
         installed, or let it point to a runner of version {VERSION}",
        runner.display()
    ))
}

/// A runner of the right version in `PATH`.
fn in_path() -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|directory| directory.join(RUNNER))
        .find(|path| path.is_file() && version(path).as_deref() == Ok(VERSION))
}

/// The version of this runner, or what is wrong with it.
fn version(runner: &Path) -> Result<String, String> {
    let output = Command::new(runner)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("can't be run: {error}"))?;
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .strip_prefix(RUNNER)
        .map(|version| version.trim().to_owned())
        .ok_or_else(|| "does not tell its version".to_owned())
}

/// An error that tells how to get the runner by hand, if it shall not be got.
fn allowed_to_install(by_hand: &str) -> Result<(), String> {
    let answer = env::var(AUTO_INSTALL_VARIABLE).unwrap_or_default();
    if ["no", "false", "0"].iter().any(|no| answer.eq_ignore_ascii_case(no)) {
        return Err(format!(
            "no {RUNNER} of version {VERSION} in PATH or {RUNNER_VARIABLE}, and {AUTO_INSTALL_VARIABLE} \
             forbids to get it.\nInstall it with `{by_hand}`"
        ));
    }
    Ok(())
}

/// The command that installs the published runner.
fn install_command() -> String {
    format!("cargo install --version ={VERSION} {RUNNER}")
}

/// Has cargo build the runner in this directory, which is quick when it is fresh.
fn build(directory: &Path) -> Result<PathBuf, String> {
    let mut cargo = cargo();
    cargo
        .args(["build", "--release", "--message-format=json-render-diagnostics"])
        .current_dir(directory)
        .stdout(Stdio::piped());
    if directory.join("../target/release").join(RUNNER).is_file() {
        cargo.arg("--quiet");
    } else {
        eprintln!("iai-callgrind: building the runner {VERSION}, once");
    }
    let output = cargo.output().map_err(|error| format!("can't run cargo: {error}"))?;
    let executable = String::from_utf8_lossy(&output.stdout).lines().find_map(message::executable);
    executable.filter(|_| output.status.success()).map(PathBuf::from).ok_or_else(|| {
        format!("can't build the runner in {}, see cargo's message above", directory.display())
    })
}

#[expect(clippy::question_mark, reason = "in the derived code")]
mod message {
    //! Cargo's messages, a line each.

    use nanoserde::DeJson;

    #[derive(DeJson)]
    struct Artifact {
        executable: Option<String>,
    }

    /// The executable that this message tells of.
    pub(super) fn executable(line: &str) -> Option<String> {
        Artifact::deserialize_json(line).ok()?.executable
    }
}

/// Has cargo install the runner of exactly this version below `root`.
fn install(root: &Path) -> Result<(), String> {
    eprintln!("iai-callgrind: installing the runner {VERSION} into {}, once", root.display());
    let status = cargo()
        .args([OsStr::new("install"), RUNNER.as_ref(), "--locked".as_ref()])
        .args(["--version", &format!("={VERSION}")])
        .arg("--root")
        .arg(root)
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("can't run cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "can't install the runner, see cargo's message above.\nWithout a network, install it by hand: \
         `{}`",
        install_command()
    ))
}

/// The cargo that builds these benchmarks, without the settings that are for them alone.
fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if FOREIGN_VARIABLES.contains(&&*name) || name.starts_with(FOREIGN_PROFILE) {
            cargo.env_remove(&*name);
        }
    }
    cargo.stdin(Stdio::null());
    cargo.stderr(Stdio::inherit());
    cargo
}

fn cargo_home() -> Result<PathBuf, String> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("CARGO_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cargo")))
        .ok_or_else(|| "neither CARGO_HOME nor HOME is set to an absolute path".to_owned())
}
