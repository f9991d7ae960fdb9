//! A benchmark executable with a home directory of its own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::built::unoptimized_benchmark;
use crate::{Report, benchmark, runner};

/// A benchmark executable, and the temporary directory that it runs in and that everything that it
/// writes should stay in.
#[derive(Debug)]
pub struct Suite {
    name: &'static str,
    executable: PathBuf,
    root: TempDir,
}

impl Suite {
    /// Returns the benchmark file with this name.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        Self { name, executable: benchmark(name).to_owned(), root }
    }

    /// Returns one of the files of Criterion or its twins, built without optimizations.
    #[must_use]
    pub fn unoptimized(name: &'static str) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        Self { name, executable: unoptimized_benchmark(name).to_owned(), root }
    }

    /// Returns the same with a copy of the executable at this path below [`Self::root`].
    #[must_use]
    pub fn with_copy(mut self, path: &str) -> Self {
        let copy = self.root().join(path);
        fs::create_dir_all(copy.parent().expect("a directory")).expect("it can be created");
        copy_executable(&self.executable, &copy);
        self.executable = copy;
        self
    }

    /// Returns the directory that it runs in.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns the argument of `--home`.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Returns the directory of the benchmark file's results.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.home().join("benchmark-tests").join(self.name)
    }

    /// Returns a result of a benchmark that is named by group, function and, if it has one, id.
    #[must_use]
    pub fn result(&self, benchmark: &str, extension: &str) -> PathBuf {
        let (group, name) = benchmark.split_once("::").expect("a group");
        let name = name.replace("::", ".");
        self.directory().join(group).join(&name).join(format!("callgrind.{name}.{extension}"))
    }

    /// Replaces the last result of a benchmark with one of a function that counts this many instructions, and nothing
    /// else.
    pub fn pretend(&self, benchmark: &str, instructions: u64) {
        self.pretend_in(benchmark, "out", instructions);
    }

    /// Does the same with the result that has this extension.
    pub fn pretend_in(&self, benchmark: &str, extension: &str, instructions: u64) {
        let result = self.result(benchmark, extension);
        let profile = fs::read_to_string(&result).expect("a result");
        let header = profile.split_inclusive('\n').take_while(|line| !line.starts_with("fn="));
        let header: String = header.filter(|line| !line.starts_with("summary:")).collect();
        assert!(header.contains("events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"), "{header}");
        let costs = format!("{instructions} 0 0 0 0 0 0 0 0");
        fs::write(&result, format!("{header}fn=other\n1 {costs}\n\ntotals: {costs}\n"))
            .expect("the result can be written");
    }

    /// Returns the command that cargo runs, with nothing in its environment that changes what it does.
    #[must_use]
    pub fn bare(&self) -> Command {
        let mut command = Command::new(&self.executable);
        clean(&mut command).current_dir(self.root()).env("STORED_FILE", self.name);
        command
    }

    /// Returns the command that benchmarks into the home directory.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = self.bare();
        command.env("IAI_CALLGRIND_RUNNER", runner()).arg("--bench").arg("--home").arg(self.home());
        command
    }

    /// Runs the benchmarks with these arguments.
    pub fn run(&self, arguments: &[&str]) -> Run {
        run(self.command().args(arguments))
    }

    /// Runs the benchmarks with these arguments, all of which have to succeed.
    #[must_use]
    pub fn report(&self, arguments: &[&str]) -> Report {
        self.run(arguments).expect(0).report()
    }

    /// Returns an empty directory in the root.
    #[must_use]
    pub fn subdirectory(&self, name: &str) -> PathBuf {
        let directory = self.root().join(name);
        fs::create_dir(&directory).expect("a new directory");
        directory
    }
}

/// Writes a shell script that can be executed.
pub fn script(path: &Path, lines: &str) {
    let mut write = Command::new("sh");
    write.args([
        "-c",
        "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"",
        "sh",
        lines,
    ]);
    write_executable(write.arg(path));
}

/// Copies an executable.
pub fn copy_executable(from: &Path, to: &Path) {
    write_executable(Command::new("cp").arg(from).arg(to));
}

/// Runs a command that writes an executable. This process must not write it: a child that another thread forks
/// meanwhile has the file open for writing until its exec, and the kernel does not run such a file.
fn write_executable(command: &mut Command) {
    let status = command.status().expect("the command can be run");
    assert!(status.success(), "{command:?} failed, see above");
}

/// The exit code and the output of a command.
#[derive(Debug, Clone)]
#[must_use]
pub struct Run {
    /// The exit code, if no signal ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error output without the lines of progress.
    pub stderr: String,
    /// The lines that a run prints every ten seconds.
    pub progress: Vec<String>,
}

impl Run {
    /// Demands this exit code.
    pub fn expect(self, code: i32) -> Self {
        self.assert_code(code);
        self
    }

    /// Demands that the command succeeded.
    pub fn succeeded(&self) -> &Self {
        self.assert_code(0);
        self
    }

    #[track_caller]
    fn assert_code(&self, expected: i32) {
        let Self { code, stdout, stderr, .. } = self;
        assert_eq!(*code, Some(expected), "exit code\n--- stderr\n{stderr}--- stdout\n{stdout}");
    }

    /// Returns the results on the standard output.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::parse(&self.stdout)
    }

    /// Demands that each of these is part of the standard error output.
    pub fn complains(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} on stderr:\n{}", self.stderr);
        }
    }

    /// Returns the error of the benchmark with this title, which is reported once.
    ///
    /// # Panics
    ///
    /// If there is none, or more than one.
    #[must_use]
    pub fn error_of(&self, title: &str) -> &str {
        let start = format!("error: {title}:");
        let mut found = self.stderr.match_indices(&start);
        let (Some((at, _)), None) = (found.next(), found.next()) else {
            panic!("{title} is not reported once:\n{}", self.stderr)
        };
        let rest = &self.stderr[at + start.len()..];
        rest.split("\nerror: ").next().unwrap_or(rest)
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Run {
    let output = command.stdin(Stdio::null()).output().expect("the command can be run");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (progress, stderr) = split_progress(&text(output.stderr));
    Run { code: output.status.code(), stdout: text(output.stdout), stderr, progress }
}

/// Separates the lines of progress, which most tests see on a slow machine only.
#[must_use]
pub fn split_progress(stderr: &str) -> (Vec<String>, String) {
    let is_progress = |line: &&str| {
        let is_running = line.starts_with("running: ") && line.contains(" done after ");
        is_running || line.starts_with("waiting for the threads of another run, ")
    };
    let (progress, others): (Vec<_>, Vec<_>) = stderr.split_inclusive('\n').partition(is_progress);
    (progress.into_iter().map(|line| line.trim_end().to_owned()).collect(), others.concat())
}

/// Runs a subcommand of the runner on the results in this directory, with neither Valgrind nor cargo.
pub fn stored(home: &Path, arguments: &[&str]) -> Run {
    run(&mut stored_command(home, arguments))
}

/// Returns the command of [`stored`].
#[must_use]
pub fn stored_command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(runner());
    clean(&mut command).args(arguments).env("IAI_CALLGRIND_HOME", home);
    command.env("PATH", "/missing").env("CARGO", "/missing/cargo");
    command
}

/// Removes variables that change what a benchmark executable does from the command's environment.
pub fn clean(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("IAI_CALLGRIND_") {
            command.env_remove(name);
        }
    }
    command
        .env("CARGO_TERM_COLOR", "never")
        .env("RUST_BACKTRACE", "0")
        .env_remove("CARGO_TARGET_DIR")
}
