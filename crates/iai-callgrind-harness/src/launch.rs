//! Finds or installs the runner, sends it the plan and returns its exit code.
//!
//! A runner of exactly the library's version is looked up in `IAI_CALLGRIND_RUNNER`, then in `PATH`.
//! Otherwise cargo builds the runner next to the library (a path or git dependency), or installs the
//! published one into a directory that all projects share.
//!
//! With the name of a subcommand as the first argument, the runner gets the arguments instead of a plan.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::available_parallelism;

use iai_callgrind_plan::{
    COMMAND_VARIABLE, EXECUTABLE_VARIABLE, FILE_VARIABLE, Json, Plan, SUBCOMMANDS, VERSION, streams,
};

use crate::error::{Cause, RunnerProblem};
use crate::message::{self, AUTO_INSTALL_VARIABLE, RUNNER, RUNNER_VARIABLE};
use crate::platform;

/// Settings of the user's build that must not reach the runner's. They could be wrong for the runner,
/// and cargo would build it again for each project.
const FOREIGN_VARIABLES: [&str; 8] = [
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTC_BOOTSTRAP",
    "RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// Prefix of the variables with settings of the release profile, which must not reach it either.
const FOREIGN_PROFILE: &str = "CARGO_PROFILE_RELEASE_";

/// Runs a subcommand of the runner on the plan and returns the runner's exit code.
pub(crate) fn launch(
    plan: &Plan,
    sub_command: &str,
    arguments: &[OsString],
) -> Result<ExitCode, Cause> {
    streams::check().map_err(Cause::Streams)?;
    let runner = find()?;
    let failed = |error| Cause::StartRunner { runner: runner.clone(), error };
    let mut command = Command::new(&runner);
    command.arg(sub_command).args(arguments).stdin(Stdio::piped());
    command.env(COMMAND_VARIABLE, words(&plan.package_dir, &plan.file));
    let mut child = platform::start(&mut command).map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A runner that ends before it has read the plan reports the reason itself
        let _ = stdin.write_all(plan.to_json().as_bytes());
    }
    exit_code(platform::wait(child).map_err(failed)?)
}

/// Runs a subcommand of the runner that needs no plan, if the first argument is the name of one. Returns the runner's exit
/// code.
pub(crate) fn hand_over(
    package_dir: &str,
    file: &str,
    executable: &Path,
    arguments: &[OsString],
) -> Result<Option<ExitCode>, Cause> {
    let Some(arguments) = subcommand(arguments) else { return Ok(None) };
    streams::check().map_err(Cause::Streams)?;
    let runner = find()?;
    let mut command = Command::new(&runner);
    command
        .args(arguments)
        .env(COMMAND_VARIABLE, words(package_dir, file))
        .env(FILE_VARIABLE, file);
    command.env(EXECUTABLE_VARIABLE, executable);
    let failed = |error| Cause::StartRunner { runner: runner.clone(), error };
    let child = platform::start(&mut command).map_err(failed)?;
    exit_code(platform::wait(child).map_err(failed)?).map(Some)
}

/// Returns the arguments without cargo's, if the first one is exactly the name of a subcommand.
fn subcommand(arguments: &[OsString]) -> Option<&[OsString]> {
    let is_subcommand = |name: &OsString| SUBCOMMANDS.iter().any(|known| name == known);
    arguments.first().filter(|name| is_subcommand(name))?;
    // Cargo appends it. Elsewhere it is an option of the subcommand
    Some(match arguments {
        [arguments @ .., last] if last == "--bench" => arguments,
        _ => arguments,
    })
}

/// The executable that the user starts without cargo.
static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// Makes commands in the output start with this executable instead of cargo.
pub(crate) fn start_with_executable(executable: PathBuf) {
    let _ = EXECUTABLE.set(executable);
}

/// Returns the words before a subcommand that start the runner with it.
fn words(package_dir: &str, file: &str) -> String {
    if let Some(executable) = EXECUTABLE.get() {
        return executable.display().to_string();
    }
    format!("cargo bench --bench {} --", target_name(&Path::new(package_dir).join("benches"), file))
}

/// Returns the name that cargo has for the benchmark file of this crate in a directory: a crate has underscores in place of
/// dashes.
fn target_name(directory: &Path, crate_name: &str) -> String {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<_> = names.filter(|name| name.replace('-', "_") == crate_name).collect();
    // The name of the crate itself, if there is a file of that name too
    names.sort_unstable();
    names.pop().unwrap_or_else(|| crate_name.to_owned())
}

/// Returns the exit code of this process after a runner with this status.
fn exit_code(status: ExitStatus) -> Result<ExitCode, Cause> {
    let number = |code: i32| u8::try_from(code).map_or(ExitCode::FAILURE, Into::into);
    match (status.code(), platform::interruption(status)) {
        (Some(code), _) => Ok(number(code)),
        // The signal arrived before the runner could handle it
        (None, Some(signal)) => Ok(number(128 + signal)),
        (None, None) => Err(Cause::RunnerEnded(status)),
    }
}

fn find() -> Result<PathBuf, Cause> {
    platform::report_ends_of_children();
    if let Some(chosen) = env::var_os(RUNNER_VARIABLE).filter(|chosen| !chosen.is_empty()) {
        return check_chosen(chosen.into());
    }
    if let Some(runner) = find_in_path() {
        return Ok(runner);
    }
    // A checkout has this crate in `crates`
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("/"));
    let package = workspace.join(RUNNER);
    // A directory of vendored crates has a runner too, but it is not a workspace
    if workspace.join("Cargo.toml").is_file() && package.is_dir() {
        check_installation_allowed(|| format!("cargo install --path {}", package.display()))?;
        return build(&package);
    }
    let root = cargo_home()?.join("iai-callgrind").join(VERSION);
    let runner = root.join("bin").join(RUNNER);
    if is_right_version(&runner) {
        return Ok(runner);
    }
    check_installation_allowed(message::install_command)?;
    install(&root)?;
    Ok(runner)
}

/// Checks the version of the runner that the user chose.
fn check_chosen(runner: PathBuf) -> Result<PathBuf, Cause> {
    let problem = match version(&runner) {
        Ok(version) if version == VERSION => return Ok(runner),
        Ok(version) => RunnerProblem::OtherVersion(version),
        Err(problem) => problem,
    };
    Err(Cause::ChosenRunner { runner, problem })
}

/// Returns a runner of the right version in `PATH`.
fn find_in_path() -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|directory| directory.join(RUNNER))
        .find(|path| path.is_file() && is_right_version(path))
}

fn is_right_version(runner: &Path) -> bool {
    version(runner).is_ok_and(|version| version == VERSION)
}

fn version(runner: &Path) -> Result<String, RunnerProblem> {
    let output = Command::new(runner)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(RunnerProblem::Start)?;
    // The other lines are for people
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(RUNNER))
        .map(|version| version.trim().to_owned())
        .ok_or(RunnerProblem::NoVersion)
}

/// Returns an error with the command that installs the runner, if the user forbids the installation.
fn check_installation_allowed(command: impl FnOnce() -> String) -> Result<(), Cause> {
    let answer = env::var(AUTO_INSTALL_VARIABLE).unwrap_or_default();
    // A word that is neither is more likely to mean no
    if !["", "yes", "true", "1"].iter().any(|yes| answer.eq_ignore_ascii_case(yes)) {
        return Err(Cause::InstallationForbidden { command: command() });
    }
    Ok(())
}

/// Builds the runner in this directory. Cargo does nothing if the runner is up to date.
fn build(directory: &Path) -> Result<PathBuf, Cause> {
    let mut cargo = cargo();
    cargo
        .args(["build", "--release", "--message-format=json-render-diagnostics"])
        .current_dir(directory)
        .stdout(Stdio::piped());
    if directory.join("../target/release").join(RUNNER).is_file() {
        cargo.arg("--quiet");
    } else {
        announce(&mut cargo, &message::building_runner(cpus()), io::stderr().is_terminal());
    }
    let output = cargo.output().map_err(Cause::StartCargo)?;
    let executable = String::from_utf8_lossy(&output.stdout).lines().find_map(executable);
    executable
        .filter(|_| output.status.success())
        .map(PathBuf::from)
        .ok_or_else(|| Cause::Build(directory.to_owned()))
}

/// Prints what cargo is about to do. A terminal shows cargo's progress bar too; a log contains only this line and
/// cargo's errors, without a line for each crate.
fn announce(cargo: &mut Command, message: &str, is_terminal: bool) {
    eprintln!("{message}");
    if !is_terminal {
        cargo.arg("--quiet");
    }
}

fn cpus() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Returns the path of the executable in a message of cargo, which is a line of JSON. In a string of JSON each
/// quotation mark is escaped, so only a key can look like this one.
fn executable(message: &str) -> Option<String> {
    let (_, text) = message.split_once("\"executable\":\"")?;
    let (mut path, mut rest) = (String::new(), text.chars());
    loop {
        match rest.next()? {
            '"' => return Some(path),
            '\\' => path.push(rest.next().filter(|escaped| matches!(escaped, '"' | '\\'))?),
            other => path.push(other),
        }
    }
}

/// The settings of the workspace's release profile that change how long the build takes.
const PROFILE: [&str; 3] = ["opt-level = 0", "panic = \"abort\"", "lto = \"off\""];

/// The crates that the workspace's release profile optimizes.
const OPTIMIZED: [&str; 7] = [
    "anstream",
    "anstyle-parse",
    "iai-callgrind-debuginfo",
    "iai-callgrind-growth",
    "iai-callgrind-profile",
    "miniz_oxide",
    "rustc-demangle",
];

/// Installs the runner of exactly this version into the directory `root`. Without optimization of the others, the
/// build takes a third of the time, and a run hardly longer.
fn install(root: &Path) -> Result<(), Cause> {
    let optimized = OPTIMIZED.iter().map(|name| format!("package.{name}.opt-level=2"));
    let profile = PROFILE.iter().map(|setting| (*setting).to_owned()).chain(optimized);
    let profile = profile.map(|setting| format!("profile.release.{setting}"));
    let mut cargo = cargo();
    cargo
        .args([OsStr::new("install"), RUNNER.as_ref(), "--locked".as_ref()])
        .args(profile.flat_map(|setting| ["--config".to_owned(), setting]))
        .args(["--version", &format!("={VERSION}")])
        .arg("--root")
        .arg(root)
        .stdout(Stdio::null());
    announce(&mut cargo, &message::installing_runner(root, cpus()), io::stderr().is_terminal());
    let status = cargo.status().map_err(Cause::StartCargo)?;
    if status.success() { Ok(()) } else { Err(Cause::Install) }
}

/// Returns the cargo that builds these benchmarks, without the settings of the benchmarks' build.
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

fn cargo_home() -> Result<PathBuf, Cause> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("CARGO_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cargo")))
        .ok_or(Cause::NoCargoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_shows_its_progress_on_a_terminal_only() {
        for (is_terminal, arguments) in [(true, &["build"][..]), (false, &["build", "--quiet"])] {
            let mut cargo = Command::new("cargo");
            announce(cargo.arg("build"), "building", is_terminal);
            assert_eq!(cargo.get_args().collect::<Vec<_>>(), arguments);
        }
    }

    #[test]
    fn only_the_first_argument_is_a_subcommand() {
        let split = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (arguments, expected) in [
            ("list --bench", Some("list")),
            ("list", Some("list")),
            ("history a..b --bench x --bench", Some("history a..b --bench x")),
            ("history a..b --bench=x --bench", Some("history a..b --bench=x")),
            ("--bench", None),
            ("lists --bench", None),
            ("some list --bench", None),
            ("-- list --bench", None),
            ("--bench list", None),
        ] {
            let arguments = split(arguments);
            assert_eq!(subcommand(&arguments).map(<[_]>::to_vec), expected.map(split));
        }
    }

    #[test]
    fn cargo_finds_a_target_by_the_name_of_its_file() {
        let directory =
            env::temp_dir().join(format!("iai-callgrind-targets-{}", std::process::id()));
        for name in ["my-dash.rs", "one_more.rs", "one-more.rs", "a-b_c/main.rs"] {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let names = ["my_dash", "one_more", "a_b_c", "elsewhere"];
        let found = names.map(|name| target_name(&directory, name));
        assert_eq!(found, ["my-dash", "one_more", "a-b_c", "elsewhere"]);
        assert_eq!(target_name(&directory.join("none"), "my_dash"), "my_dash");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn an_installed_runner_has_the_profile_of_the_workspace() {
        let manifest = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"));
        let (_, profile) = manifest.split_once("[profile.release]\n").unwrap();
        let (profile, rest) = profile.split_once("\n[profile.bench]\n").unwrap();
        for setting in PROFILE {
            assert!(profile.lines().any(|line| line == setting), "{setting}");
        }
        let optimized = rest.split("[profile.release.package.").skip(1);
        let mut optimized: Vec<_> =
            optimized.map(|it| it.split_once("]\nopt-level = 2\n").unwrap().0).collect();
        optimized.sort_unstable();
        assert_eq!(optimized, OPTIMIZED);
    }

    #[test]
    fn cargo_names_the_executable() {
        let message = r#"{"reason":"compiler-artifact","filenames":["/a"],"executable":"/a \"b\" \\/c","fresh":true}"#;
        assert_eq!(executable(message).unwrap(), r#"/a "b" \/c"#);
        let without = r#"{"reason":"compiler-artifact","executable":null,"fresh":true}"#;
        for wrong in [without, r#"{"executable":"/a"#, r#"{"executable":"\u0000"}"#, "text"] {
            assert_eq!(executable(wrong), None, "{wrong}");
        }
    }
}
