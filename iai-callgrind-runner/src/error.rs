//! Errors of a run, in the words that the user reads: what failed, where, and what to do.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fmt, io};

use anstream::adapter::strip_str;
use iai_callgrind_plan::streams::StreamError;
use iai_callgrind_plan::{CounterNameError, VERSION};
use iai_callgrind_summary::ReadError;

use crate::console::one_line;
use crate::failure::{FILE_SIZE, Failure, UnknownInstruction};
use crate::fingerprint::{FingerprintChange, changes_text};

/// The help for a process or thread that can't start.
const MORE_PROCESSES: &str = "help: raise the limit of processes with `ulimit -u`, or run fewer benchmarks at \
                              once with --parallel=1";

/// Describes a benchmark file that no package has, or several.
fn benchmark_file(file: &str, packages: &[String]) -> String {
    if packages.is_empty() {
        format!(
            "there is no benchmark file `{file}` here\nhelp: start in the package or in its workspace"
        )
    } else {
        let packages = packages.join(", ");
        format!(
            "several packages have a benchmark file `{file}`: {packages}\nhelp: name one with --package"
        )
    }
}

/// Returns the help for a revision that git does not find.
fn revision_help(is_shallow: bool) -> &'static str {
    if is_shallow {
        "help: this clone has a part of the history; fetch all of it with `git fetch --unshallow`, or with \
         `fetch-depth: 0` for actions/checkout"
    } else {
        "help: name a branch, a tag or a commit; fetch it first if only another repository has it"
    }
}

/// The result of an operation that can fail.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a run, or one of its benchmarks, failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("can't read the plan: {0}")]
    Plan(#[from] serde_json::Error),
    #[error(
        "can't read the plan: version {found}, but iai-callgrind-runner {VERSION} reads version {readable}\n\
         help: use the runner of version {library}, the version of the library"
    )]
    PlanVersion { found: u32, readable: u32, library: String },
    #[error("can't use the plan: `{name}` is not a valid name of a {what}")]
    PlanName { what: &'static str, name: String },
    #[error(
        "can't use --against with commands: there is no benchmark file to build\nhelp: save a baseline in a \
         checkout of the revision, and compare with --baseline"
    )]
    AgainstCommands,
    #[error("can't use the plan: it has functions, but no benchmark executable")]
    NoExecutable,
    #[error("there is an empty id in {path}\nhelp: give each benchmark an id")]
    EmptyId { path: String },
    #[error("{name} is declared twice: ids must be unique within a group")]
    DuplicateName { name: String },
    #[error(
        "{name} has no command\nhelp: name one for the group, as in `benchmark = |\"name\", group: &mut \
         BinaryBenchmarkGroup| ..`, or for the run, with `Run::with_cmd`"
    )]
    NoCommand { name: String },
    #[error("can't read the commands in {}: {source}", path.display())]
    CommandFile { path: PathBuf, source: Box<toml::de::Error> },
    #[error("can't use `{name}` in {}: {what}", path.display())]
    CommandEntry { path: PathBuf, name: String, what: String },
    #[error(
        "there are {names} names for {commands} commands\nhelp: give each command at most one --name"
    )]
    TooManyNames { names: usize, commands: usize },
    #[error("can't {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "{}:{line}: {what}: the file is truncated or not from a known version of {tool}\nhelp: remove it to \
         start again without it", path.display()
    )]
    Malformed { path: PathBuf, line: usize, what: String, tool: &'static str },
    #[error(transparent)]
    NoProfile(iai_callgrind_profile::Error),
    #[error(
        "can't find `valgrind` in PATH\nhelp: install it with the package manager, for example \
         `apt install valgrind` or `dnf install valgrind`"
    )]
    NoValgrind,
    #[error(
        "can't find the program {}\nhelp: set --valgrind-path or IAI_CALLGRIND_VALGRIND_PATH to the path of \
         `valgrind`", program.display()
    )]
    NotValgrind { program: PathBuf },
    #[error(
        "{} is not Valgrind: `--version` printed {}\nhelp: set --valgrind-path or IAI_CALLGRIND_VALGRIND_PATH to \
         the path of `valgrind`", program.display(), first_line(printed)
    )]
    OtherProgram { program: PathBuf, printed: String },
    #[error(
        "{} does not run: {message}\nhelp: install Valgrind with its tools, and check the variable VALGRIND_LIB if it \
         is set", program.display()
    )]
    BrokenValgrind { program: PathBuf, message: String },
    #[error(
        "can't find the program {}\nhelp: set --tool-runner or IAI_CALLGRIND_TOOL_RUNNER to a program in PATH or \
         to its path", program.display()
    )]
    NoToolRunner { program: PathBuf },
    #[error(
        "can't use --tool-runner-args: there is no variable `{name}`\nhelp: set it in the environment or with \
         --envs"
    )]
    UnknownVariable { name: String },
    #[error("can't run {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("{0}")]
    Streams(StreamError),
    #[error("can't start a thread: {0}\n{MORE_PROCESSES}")]
    Thread(io::Error),
    #[error("can't start a process for the benchmarks: {0}\n{MORE_PROCESSES}")]
    Fork(io::Error),
    #[error(
        "can't run benchmarks: the limit of open files is {limit}\nhelp: raise it to at least {least} with \
         `ulimit -n {least}`"
    )]
    OpenFiles { limit: u64, least: u64 },
    #[error(
        "can't write results to {}: the path has more than {most} bytes, the limit of Valgrind\nhelp: choose \
         another directory with --home", path.display()
    )]
    PathTooLong { path: PathBuf, most: usize },
    #[error(
        "can't run benchmarks in {path:?}: a line break in a path makes the files of Valgrind unreadable\n\
         help: move the project, or choose other directories with --home and CARGO_TARGET_DIR"
    )]
    LineBreak { path: PathBuf },
    #[error("{}", ServerEnded { program, status: *status, instruction: instruction.as_ref() })]
    ServerEnded {
        program: PathBuf,
        status: Option<ExitStatus>,
        instruction: Option<UnknownInstruction>,
    },
    #[error("{cause}{}{}", Sections(.sections), help_line(*.help))]
    WithOutput { cause: Box<Error>, sections: Vec<Section>, help: Option<&'static str> },
    #[error("{tool}: {cause}")]
    UnderTool { tool: &'static str, cause: Box<Error> },
    #[error("the directory {} was removed while the benchmark ran\n{cause}", path.display())]
    StagingRemoved { path: PathBuf, cause: Box<Error> },
    #[error(
        "the file system of {} is full\nhelp: remove files or choose another directory with --home",
        path.display()
    )]
    DiskFull { path: PathBuf },
    #[error(
        "can't use `{name}` as the name of a baseline\nhelp: use up to 64 letters, digits, `-`, `_` and `.`, \
         without a `.` at the start"
    )]
    BaselineName { name: String },
    #[error(
        "none of these benchmarks has a baseline `{name}`\nhelp: save one with \
         --save-baseline={name}"
    )]
    NoBaseline { name: String },
    #[error(
        "can't compare the baseline `{name}` with itself\nhelp: give --load-baseline and --baseline different \
         names"
    )]
    SameBaseline { name: String },
    #[error(
        "the old results are from another environment: {}\nhelp: measure both in the same one, or allow it with \
         --strict-environment=no", changes_text(.changes)
    )]
    EnvironmentDiffers { changes: Vec<FingerprintChange> },
    #[error(
        "the environment of {number} old results is not known\nhelp: measure them again with this version, or allow \
         it with --strict-environment=no"
    )]
    EnvironmentUnknown { number: usize },
    #[error(
        "can't find the commits: {} is not in a git work tree\nhelp: keep results in a baseline, see --save-baseline",
        directory.display()
    )]
    NoRepository { directory: PathBuf },
    #[error("can't find the revision `{revision}`\n{}", revision_help(*.is_shallow))]
    NoRevision { revision: String, is_shallow: bool },
    #[error(
        "can't find the default branch for @merge-base: there is neither origin/HEAD, origin/main, origin/master, main \
         nor master\nhelp: name the revision, or set the branch with `git remote set-head origin --auto`"
    )]
    NoDefaultBranch,
    #[error(
        "can't find a common commit of HEAD and {branch} for @merge-base\n{}", revision_help(*.is_shallow)
    )]
    NoMergeBase { branch: String, is_shallow: bool },
    #[error(
        "can't put `{}` into the other revision: the path leads out of it\nhelp: leave out --against-benches=here, or \
         compare with a revision without a symbolic link there", path.display()
    )]
    OutsideOfRevision { path: PathBuf },
    #[error("`git {command}` failed\n{output}")]
    Git { command: String, output: String },
    #[error(
        "can't build another revision: cargo did not start this run\nhelp: run the benchmarks with `cargo bench`"
    )]
    NoCargo,
    #[error(
        "`cargo metadata` failed in the other revision\n{output}\nhelp: a path that leads out of the repository is that of \
         your work tree; put the missing file there, or compare with another revision"
    )]
    CargoMetadata { output: String },
    #[error(
        "can't build the benchmark file `{file}` of {revision}: the errors of cargo are above\nhelp: \
         --against-benches=here builds it with the benchmark files of this side"
    )]
    BuildRevision { file: String, revision: String },
    #[error(
        "the benchmarks of {revision} failed ({status}): their errors are above\nhelp: leave a benchmark out with a \
         filter or --skip, or compare with a revision whose library has these options"
    )]
    RunRevision { revision: String, status: ExitStatus },
    #[error("can't measure {revision}: it does not build, or it has none of the benchmarks")]
    NotMeasured { revision: String },
    #[error("{good} is not an ancestor of {bad}\nhelp: name the older commit first")]
    NotAncestor { good: String, bad: String },
    #[error("no count changed between {good} and {bad}")]
    NoChange { good: String, bad: String },
    #[error("`{range}` is not a range of commits\nhelp: write it as `A..B`, such as `v1.0..HEAD`")]
    NotARange { range: String },
    #[error(
        "no recorded commit has the metric `{metric}` of a selected benchmark\nhelp: record results with \
         `iai-callgrind-runner record`, or fetch them with `git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind`"
    )]
    NoHistory { metric: &'static str },
    #[error(
        "can't record results of {commit}: they were measured with changes that are not in it: {}\nhelp: commit them \
         and run the benchmarks again, or mark the results with `iai-callgrind-runner record --allow-dirty`",
        first(.files, *.number)
    )]
    Uncommitted { commit: String, files: Vec<String>, number: usize },
    #[error(
        "can't record {benchmark}: the commit that it was measured at is not known\nhelp: run the benchmark again in a \
         git work tree, where `git` is in PATH"
    )]
    CommitUnknown { benchmark: String },
    #[error(
        "can't record {benchmark}: it was measured at {commit}, which is not in this repository\nhelp: fetch the \
         commit, or run the benchmark again"
    )]
    CommitMissing { benchmark: String, commit: String },
    #[error(
        "can't record results: the repository {} has no commit\nhelp: commit the code, and run the benchmarks again",
        top.display()
    )]
    NoCommit { top: PathBuf },
    #[error(
        "no recorded benchmark matches {}\nhelp: {}", quoted(.filters), nearest_names(.nearest)
    )]
    NoRecordedBenchmark { filters: Vec<String>, nearest: Vec<String> },
    #[error(
        "can't search for changes of `{name}`: it is not a single metric\nhelp: name one, such as `ir`"
    )]
    SeveralMetrics { name: String },
    #[error("{}", benchmark_file(.file, .packages))]
    BenchmarkFile { file: String, packages: Vec<String> },
    #[error("in the configuration of {benchmark}: {what}")]
    Config { benchmark: String, what: String },
    #[error("interrupted by {}", signal_name(*.signal))]
    Interrupted { signal: i32 },
    #[error("{0}")]
    Failure(#[from] Failure),
    #[error(
        "can't write results to {}: not a directory\nhelp: remove it or choose another directory with --home",
        path.display()
    )]
    NotADirectory { path: PathBuf },
    #[error(
        "can't use {}: it belongs to another user\nhelp: choose a directory of your own with --home, or remove it", path.display()
    )]
    OtherOwner { path: PathBuf },
    #[error(
        "can't write to {}: a symbolic link below the output directory\nhelp: remove the link or choose another \
         directory, with --home for results", path.display()
    )]
    LinkBelow { path: PathBuf },
    #[error(
        "can't write to {}: it belongs to {owner}\nhelp: choose another directory, with --home for results, or take \
         this one over with `sudo chown -R {user} {}`", path.display(), home.display()
    )]
    ForeignDirectory { path: PathBuf, owner: String, home: PathBuf, user: String },
    #[error(
        "can't undo the renames of a killed run: {}: {source}\nhelp: choose another directory with --home, or remove \
         the directory {} if it has no results that you need",
        journal.display(), journal.parent().unwrap_or(journal).display()
    )]
    ForeignJournal { journal: PathBuf, source: JournalError },
    #[error("can't write results to {}: {source}\nhelp: remove it or choose another directory with --home",
        directory.display())]
    Unreplaceable { directory: PathBuf, source: JournalError },
    #[error(
        "can't use the results in {}: format {found:?}, but iai-callgrind-runner {VERSION} uses format \
         \"{readable}\"\nhelp: use the runner that wrote them or choose another directory with --home",
        home.display()
    )]
    ResultsVersion { home: PathBuf, found: String, readable: u32 },
    #[error("can't write the report {}: not a file", path.display())]
    NotAFile { path: PathBuf },
    #[error(
        "can't overwrite {}: not a report of these benchmarks\nhelp: remove it, or write one report for each \
         benchmark file with {{file}} in the path", path.display()
    )]
    ForeignReport { path: PathBuf },
    #[error(
        "can't write pages into {}: the directory has other files\nhelp: name an empty or a new directory, or that of \
         an earlier report", directory.display()
    )]
    ForeignSite { directory: PathBuf },
    #[error("can't write {}: the file exists\nhelp: overwrite it with --force", path.display())]
    FileExists { path: PathBuf },
    #[error(
        "can't import the baseline `{name}`: {} exists\nhelp: overwrite it with --force", path.display()
    )]
    BaselineExists { name: String, path: PathBuf },
    #[error("can't import {}: {source}\nnote: nothing was imported", path.display())]
    InvalidArchive { path: PathBuf, source: ArchiveError },
    #[error(
        "can't import {}: it has another result of {benchmark} under {tool} than {}\nnote: nothing was imported",
        second.display(), first.display()
    )]
    ConflictingResults { benchmark: String, tool: &'static str, first: PathBuf, second: PathBuf },
    #[error(
        "can't import {}: it has results of all benchmarks of {file}, but {} those of a shard\nnote: nothing was \
         imported", whole.display(), shard.display()
    )]
    NotAShard { file: String, whole: PathBuf, shard: PathBuf },
    #[error(
        "can't import {} with {}: they divide the benchmarks of {file} differently\nhelp: run all shards with the \
         same filters, and with the same baseline to compare with", second.display(), first.display()
    )]
    OtherPartition { file: String, first: PathBuf, second: PathBuf },
    #[error(
        "can't import the baseline `{name}` without {}\nhelp: name the archives of all shards, or import without \
         them with --allow-missing", missing.join(", ")
    )]
    MissingShards { name: String, missing: Vec<String> },
    #[error("can't read {}: {source}", path.display())]
    InvalidSummary { path: PathBuf, source: ReadError },
    #[error("no results in {}", home.display())]
    NoResults { home: PathBuf },
    #[error("no results match the filter in {}", home.display())]
    NoMatch { home: PathBuf },
    #[error(
        "no results in {}: no such directory\nhelp: run the benchmarks first or choose another directory with \
         --home", home.display()
    )]
    NoHome { home: PathBuf },
    #[error(
        "can't find the target directory: `cargo metadata` failed\nhelp: run this command in a package or \
         choose the directory of the results with --home"
    )]
    NoTargetDirectory,
    #[error(
        "no benchmark has a result `{name}`\nhelp: `iai-callgrind-runner list` shows the results of each \
         benchmark"
    )]
    NoSuchResult { name: String },
    #[error("the result has no event `{name}`\nhelp: use one of {known}")]
    NoEvent { name: String, known: String },
    #[error("{0}")]
    Limit(String),
    #[error(
        "can't check limits in summaries of runs, which have checked their own\nhelp: check stored results, without \
         files as arguments"
    )]
    LimitsOfFiles,
    #[error("{0}")]
    Metric(#[from] MetricError),
    #[error("{benchmark}: {cause}")]
    OfBenchmark { benchmark: String, cause: Box<Error> },
    #[error("{}", Several(.0))]
    Several(Vec<Error>),
}

/// The name of a metric or of a group that a tool does not have.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MetricError {
    #[error("there is no metric `{name}`: take one of {known}")]
    NoMetric { name: String, known: String },
    #[error("there is no group `@{name}` of metrics: take one of {known}")]
    NoGroup { name: String, known: String },
    #[error("`{name}` is not the name of a counter: {reason}")]
    CounterName { name: String, reason: CounterNameError },
}

/// A reason why a journal of renames is not one that the runner has written for this directory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JournalError {
    #[error("it belongs to {owner}")]
    Owner { owner: String },
    #[error("all users can write to it")]
    Shared,
    #[error("it is not a file in a directory")]
    NotAFile,
    #[error("it is truncated")]
    Truncated,
    #[error("{path:?} is not a path of a result or in its directory")]
    Path { path: PathBuf },
    #[error("it renames {from:?} to {to:?}, which no run does")]
    Rename { from: PathBuf, to: PathBuf },
    #[error("{path:?} is neither a regular file nor missing, or a symbolic link leads there")]
    Kind { path: PathBuf },
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl JournalError {
    /// Returns the error for a path that no run renames.
    pub(crate) fn path(path: &Path) -> Self {
        Self::Path { path: path.to_owned() }
    }
}

/// The cause of a failed import.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("invalid manifest: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the archive does not start with a manifest")]
    NoManifest,
    #[error("version {found}, but iai-callgrind-runner {VERSION} reads version {readable}")]
    Version { found: u32, readable: u32 },
    #[error("unpacked size too large for an archive of {size} bytes")]
    TooLarge { size: u64 },
    #[error("the content is larger than listed in the manifest")]
    LargerThanListed,
    #[error("{path} is not a file of a baseline")]
    ForeignFile { path: String },
    #[error("invalid record of the shards of {file}")]
    Shards { file: String },
    #[error("`{path}` is missing")]
    Missing { path: String },
    #[error("`{path}` has a different checksum")]
    Checksum { path: String },
    #[error("the manifest does not list all files")]
    Unlisted,
    #[error("{} is a directory", path.display())]
    Directory { path: PathBuf },
}

/// Output of a process with the name under which an error shows it.
pub(crate) type Section = (&'static str, String);

impl From<iai_callgrind_profile::Error> for Error {
    fn from(error: iai_callgrind_profile::Error) -> Self {
        use iai_callgrind_profile::Error as Profile;
        match error {
            Profile::Io { action, path, source } => Self::io(action, &path)(source),
            Profile::Malformed { path, line, what } => {
                Self::Malformed { path, line, what, tool: "callgrind" }
            }
            Profile::NoDump { .. } => Self::NoProfile(error),
        }
    }
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull { path: path.to_owned() },
            _ => Self::Io { action, path: path.to_owned(), source },
        }
    }

    /// Returns the error of writing to the standard output. A closed pipe is none: its reader has read enough, and
    /// it must not end the run and lose results.
    pub(crate) fn of_output(result: io::Result<()>) -> Result<()> {
        match result {
            Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
                Err(Self::Io { action: "write to", path: "the standard output".into(), source })
            }
            _ => Ok(()),
        }
    }

    /// Returns an error with all of these, if there are any.
    pub(crate) fn all(errors: Vec<Self>) -> Result<()> {
        if errors.is_empty() { Ok(()) } else { Err(Self::Several(errors)) }
    }

    /// Names the benchmark that the error is about.
    pub(crate) fn of_benchmark(self, benchmark: String) -> Self {
        Self::OfBenchmark { benchmark, cause: Box::new(self) }
    }

    /// Adds output after that which the error already shows.
    pub(crate) fn with_output(self, more: Vec<Section>) -> Self {
        match self {
            Self::WithOutput { cause, mut sections, help } => {
                sections.extend(more);
                Self::WithOutput { cause, sections, help }
            }
            cause => Self::WithOutput { cause: Box::new(cause), sections: more, help: None },
        }
    }

    /// Adds help that refers to the output, after it.
    pub(crate) fn with_help(self, help: Option<&'static str>) -> Self {
        match self {
            error if help.is_none() => error,
            Self::WithOutput { cause, sections, .. } => Self::WithOutput { cause, sections, help },
            cause => Self::WithOutput { cause: Box::new(cause), sections: Vec::new(), help },
        }
    }

    /// Adds output before that which the error already shows.
    pub(crate) fn with_output_before(self, section: Section) -> Self {
        match self {
            Self::WithOutput { cause, mut sections, help } => {
                sections.insert(0, section);
                Self::WithOutput { cause, sections, help }
            }
            cause => cause.with_output(vec![section]),
        }
    }
}

/// Quotes the first line of a text.
fn first_line(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("{:?}", line.chars().take(LONGEST).collect::<String>()),
        None => "nothing".to_owned(),
    }
}

/// Writes texts in backticks.
fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the help for a name that nothing has.
fn nearest_names(names: &[String]) -> String {
    if names.is_empty() {
        "`iai-callgrind-runner history` without a filter shows all".to_owned()
    } else {
        format!("similar names are {}", quoted(names))
    }
}

/// Lists the first of this number of files.
fn first(files: &[String], number: usize) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<_> = files.iter().take(SHOWN).map(|file| one_line(file)).collect();
    let more = number.saturating_sub(shown.len());
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}

/// The end of Valgrind before all benchmarks ran.
struct ServerEnded<'a> {
    program: &'a Path,
    status: Option<ExitStatus>,
    instruction: Option<&'a UnknownInstruction>,
}

impl fmt::Display for ServerEnded<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ended before the benchmarks did", self.program.display())?;
        self.status.map_or(Ok(()), |status| write!(formatter, " ({status})"))?;
        if self.status.and_then(|status| status.signal()) == Some(libc::SIGXFSZ) {
            write!(formatter, ": {FILE_SIZE}")?;
        }
        if self.status.is_some_and(|status| status.success()) {
            formatter.write_str(
                "\nhelp: a wrapper of Valgrind must pass on the standard input and output",
            )?;
        }
        self.instruction.map_or(Ok(()), |instruction| write!(formatter, ": {instruction}"))
    }
}

/// Several errors, each after the first one with its own start of a line.
struct Several<'a>(&'a [Error]);

impl fmt::Display for Several<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            let start = if number == 0 { "" } else { "\nerror: " };
            write!(formatter, "{start}{error}")?;
        }
        Ok(())
    }
}

/// Returns the line of a help after the output.
fn help_line(help: Option<&str>) -> String {
    help.map(|help| format!("\nhelp: {help}")).unwrap_or_default()
}

/// The output of a process, each section indented under its name; empty sections are left out.
struct Sections<'a>(&'a [Section]);

impl fmt::Display for Sections<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, text) in self.0.iter().filter(|(_, text)| !text.trim().is_empty()) {
            write!(formatter, "\n  {name}:")?;
            // Colours would be shown as text, as other control characters are
            for line in strip_str(text).to_string().trim_end().lines() {
                write!(formatter, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
