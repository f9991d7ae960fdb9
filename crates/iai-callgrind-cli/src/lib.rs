//! The command line of the runner, the environment variables of its options, and the settings of a run.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "only the runner uses it, and the doc comments of options are its `--help`"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod arguments;
mod baselines;
mod benchmarks;
mod color;
mod commits;
mod error;
mod exec;
mod growth;
mod isolation;
mod output;
mod repetition;
mod reports;
mod results;
mod selection;
pub mod settings;
mod short_help;
mod snapshot;
mod switch;
mod time;
mod tools;
mod variables;

use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process;
use std::sync::LazyLock;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style, Styles};
use clap::error::ContextKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use iai_callgrind_base::invocation::program;
use iai_callgrind_base::{FileError, console};
use iai_callgrind_results::values::{parse_duration, parse_number_or};
use iai_callgrind_tools::valgrind::Arguments;

pub use self::arguments::measuring_arguments;
pub use self::baselines::Baselines;
pub use self::benchmarks::Benchmarks;
pub use self::color::color_choice;
pub use self::commits::{BisectArgs, CommitArgs, CommitsCommand, HistoryArgs};
pub use self::error::{Error, OptionsError, Result};
pub use self::exec::ExecArgs;
pub use self::growth::Growth;
pub use self::output::Output;
pub use self::repetition::Repetition;
pub use self::results::{
    AnnotateArgs, BaselineCommand, CompareArgs, ExplainArgs, ExportArgs, FlamegraphArgs, GroupBy,
    ImportArgs, ListArgs, PruneArgs, RemoveArgs, ReportArgs, Results, ResultsCommand,
    can_only_be_filter,
};
pub use self::selection::{ListFormat, Selection};
use self::short_help::short_help;
use self::snapshot::Snapshots;
use self::switch::{YES_OR_NO, complete_switch};
pub use self::time::Time;
pub use self::tools::{StoredLimits, Tools};

/// The version and the platform. The harness reads the first line.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\nplatform: {ARCH} {OS}\ncounts on: x86_64 linux, aarch64 linux")
});

/// The heading of options that make a run fail.
const LIMITS: &str = "Limits";

/// Styles of errors and of `--help`: the console sends no others.
const STYLES: Styles = {
    let bold = Style::new().bold();
    let styles = Styles::plain().header(bold).usage(bold).literal(bold).invalid(bold);
    styles.error(AnsiColor::Red.on_default().bold()).valid(AnsiColor::Green.on_default())
};

/// Runs benchmarks of iai-callgrind under Valgrind for `cargo bench`, and compares and exports stored results.
#[derive(Debug, Parser)]
#[command(
    name = "iai-callgrind-runner",
    version,
    long_version = LONG_VERSION.as_str(),
    styles = STYLES,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the benchmarks of a file under Valgrind and compare them with an earlier run
    #[command(
        long_about = "Run the benchmarks of this file under Valgrind and compare them with an earlier run",
        override_usage = "cargo bench [--bench NAME] -- [OPTIONS] [FILTER]...",
        disable_version_flag = true,
        after_help = "Options override environment variables, and both override the configuration in the \
                      benchmark file. IAI_CALLGRIND_COLOR=always|never|auto sets the colours (default: \
                      CARGO_TERM_COLOR), IAI_CALLGRIND_LOG=error|warn|info|debug|trace the log level.\n\n\
                      Subcommands of the runner: cargo bench --bench NAME -- \
                      list|compare|explain|annotate|flamegraph|report|export|import|baseline|prune|bisect|history|record|exec. \
                      Each has its own --help."
    )]
    Bench(Box<Bench>),
    /// Run any commands under Valgrind, without a benchmark file, and compare them with an earlier run
    #[command(
        long_about = "Run any commands under Valgrind, without a benchmark file, and compare them with an earlier \
                      run or with each other.\n\nA command runs in the current directory, as a binary benchmark \
                      does: in an empty environment, with an empty standard input and captured output.",
        override_usage = "iai-callgrind-runner exec [OPTIONS] -- PROGRAM [ARGUMENT]...\n       \
                          iai-callgrind-runner exec [OPTIONS] 'COMMAND' ['COMMAND']...\n       \
                          iai-callgrind-runner exec [OPTIONS] --file FILE",
        disable_version_flag = true,
        // They have no effect on commands, or are an error
        mut_args = |arg| match arg.get_id().as_str() {
            "against" | "against_benches" | "build" | "clock" | "own_path" | "profile_note" | "separate_targets" => {
                arg.hide(true)
            }
            _ => arg,
        },
        after_help = "Exit codes: 0, 1 if a command fails, 2 for a wrong option, 3 for a broken limit.\n\n\
                      Examples:\n  \
                      iai-callgrind-runner exec --save-baseline=main -- wc -l words.txt\n  \
                      iai-callgrind-runner exec --callgrind-limits=ir=1% --baseline=main -- wc -l words.txt\n  \
                      iai-callgrind-runner exec 'grep -c x words.txt' 'grep -F -c x words.txt'",
    )]
    Exec(Box<Exec>),
    #[command(flatten)]
    Results(ResultsCommand),
    #[command(flatten)]
    Commits(CommitsCommand),
    /// Run each command of a file once without Valgrind, with the output of libtest
    #[command(hide = true)]
    Test(Box<Test>),
}

/// Options of a run without Valgrind.
#[derive(Debug, Args)]
#[command(mut_args = complete_switch)]
pub struct Test {
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub run: Run,

    /// Number of benchmarks that are not in the plan
    #[arg(long, default_value = "0")]
    pub filtered_out: usize,
}

/// Converts to the options of a benchmark run with the same output and processes.
impl From<Test> for Bench {
    fn from(Test { output, run, .. }: Test) -> Self {
        Self { output, run, ..Self::default() }
    }
}

/// Options of a run of commands.
#[derive(Debug, Args)]
#[command(mut_args = complete_switch)]
pub struct Exec {
    // First: the others take their values out
    #[command(flatten)]
    repetition: Repetition,
    #[command(flatten)]
    pub commands: ExecArgs,
    #[command(flatten)]
    baselines: Baselines,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    benchmarks: Benchmarks,
    #[command(flatten)]
    tools: Tools,
    #[command(flatten)]
    pub run: Run,
}

/// Converts to the options of a benchmark run.
impl From<Exec> for Bench {
    fn from(
        Exec { repetition, commands, baselines, output, benchmarks, tools, run }: Exec,
    ) -> Self {
        let selection = Selection::of_filters(commands.filters, commands.list);
        Self { repetition, selection, baselines, output, benchmarks, tools, run, ..Self::default() }
    }
}

/// Options of a benchmark run.
#[derive(Debug, Default, Args)]
#[command(mut_args = complete_switch)]
pub struct Bench {
    // First: the others take their values out
    #[command(flatten)]
    repetition: Repetition,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub baselines: Baselines,
    #[command(flatten)]
    snapshots: Snapshots,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub benchmarks: Benchmarks,
    #[command(flatten)]
    pub tools: Tools,
    #[command(flatten)]
    pub growth: Growth,
    #[command(flatten)]
    pub time: Time,
    #[command(flatten)]
    pub run: Run,
    #[command(flatten)]
    _libtest: Libtest,
}

/// Options for the run and its results.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub struct Run {
    /// Number of benchmarks that run in parallel
    ///
    /// The default is the number of cores for functions and 1 for commands, which may share files or ports. The
    /// counts are the same with any number. Results are printed in the order of declaration.
    #[arg(
        long, value_name = "N|auto", num_args = 0..=1, require_equals = true,
        default_missing_value = "auto", env = "IAI_CALLGRIND_PARALLEL",
        value_parser = |text: &str| parse_number_or(text, "auto", cores())
    )]
    pub parallel: Option<usize>,

    /// Kill a benchmark after this time, such as 10s, 500ms or 2m
    ///
    /// The benchmark fails, the others run. The limit also applies to each setup and teardown. Without a limit,
    /// a benchmark that is still running is reported each minute.
    #[arg(long, value_name = "DURATION", env = "IAI_CALLGRIND_TIMEOUT", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Keep the temporary directories of commands and print their paths
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_KEEP_SANDBOX")]
    pub keep_sandbox: bool,

    /// Store results in this directory instead of target/iai
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_HOME")]
    pub home: Option<PathBuf>,

    /// Store the results of each target in a directory of its own
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_SEPARATE_TARGETS")]
    pub(crate) separate_targets: bool,

    /// Argument of the benchmark executable, whose front end does not know it; can be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true, hide = true)]
    pub(crate) program_argument: Vec<OsString>,

    /// Path of Valgrind [default: `valgrind` in PATH]
    #[arg(
        long,
        value_name = "PROGRAM",
        env = "IAI_CALLGRIND_VALGRIND_PATH",
        alias = "valgrind-bin"
    )]
    pub(crate) valgrind_path: Option<PathBuf>,

    /// Start Valgrind with this program, such as in a container or an emulator
    ///
    /// Its arguments are those of --tool-runner-args, the path of Valgrind, and the arguments of Valgrind. It passes
    /// standard streams and environment on. The guide lists the variables that it gets.
    #[arg(long, value_name = "PROGRAM", env = "IAI_CALLGRIND_TOOL_RUNNER")]
    pub tool_runner: Option<PathBuf>,

    /// Pass these arguments to the tool runner
    ///
    /// The text is split like words in a shell. ${NAME} is the value of a variable. Can be repeated.
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true, requires = "tool_runner",
        env = "IAI_CALLGRIND_TOOL_RUNNER_ARGS", value_parser = Arguments::parse
    )]
    pub(crate) tool_runner_args: Vec<Arguments>,

    /// Path that the directory of the tool's files has where the tool runs
    #[arg(
        long,
        value_name = "DIRECTORY",
        requires = "tool_runner",
        env = "IAI_CALLGRIND_TOOL_RUNNER_DEST"
    )]
    pub(crate) tool_runner_dest: Option<PathBuf>,

    /// Path that the workspace has where the tool runs
    #[arg(
        long,
        value_name = "DIRECTORY",
        requires = "tool_runner",
        env = "IAI_CALLGRIND_TOOL_RUNNER_ROOT"
    )]
    pub(crate) tool_runner_root: Option<PathBuf>,

    /// Directory of the workspace [default: the directory of Cargo.lock]
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_WORKSPACE_ROOT")]
    pub workspace_root: Option<PathBuf>,
}

/// Options of libtest without an effect. `cargo bench` passes the same arguments to all benchmark executables,
/// and some of these use libtest's harness.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are libtest's flags")]
struct Libtest {
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    #[arg(long, hide = true)]
    test: bool,
    #[arg(long, hide = true)]
    include_ignored: bool,
    #[arg(long, hide = true)]
    show_output: bool,
    #[arg(long, short, hide = true)]
    quiet: bool,
    #[arg(long, hide = true)]
    test_threads: Option<String>,
    #[arg(long, hide = true)]
    logfile: Option<String>,
    #[arg(short = 'Z', hide = true)]
    unstable: Option<String>,
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

impl Cli {
    /// Parses the command line of this process. Exits with code 2 on an error.
    pub fn parse_arguments(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let mut command = Self::command().bin_name(program());
        if arguments.iter().any(|argument| argument == "-h") {
            command = short_help(command);
        }
        let matches = command.try_get_matches_from_mut(arguments);
        // After that: the library asks for the version, whatever the user's variables are
        let matches = matches.and_then(|matches| variables::check(&mut command).map(|()| matches));
        let parsed = matches.and_then(|mut matches| Self::from_arg_matches_mut(&mut matches));
        parsed.unwrap_or_else(|mut error| {
            // After `cargo bench --`, clap's advice to add a second `--` is wrong
            error.remove(ContextKind::Suggested);
            if error.use_stderr() {
                // Others can choose arguments and variables, such as the name of a branch
                let _ = write!(console::stderr(), "{}", error.render().ansi());
                process::exit(error.exit_code());
            }
            // A help or the version
            let mut output = console::stdout();
            let written = write!(output, "{}", error.render().ansi()).and_then(|()| output.flush());
            if let Err(error) = FileError::of_output(written) {
                let _ = writeln!(console::stderr(), "error: {error}");
                process::exit(1);
            }
            process::exit(error.exit_code())
        })
    }
}

#[cfg(test)]
fn bench(arguments: &[&str]) -> Result<Bench, clap::Error> {
    let words = ["iai-callgrind-runner", "bench"].iter().chain(arguments);
    Cli::try_parse_from(words).map(|cli| match cli.command {
        Command::Bench(bench) => *bench,
        _ => unreachable!("the first word is `bench`"),
    })
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::SUBCOMMANDS;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_harness_knows_all_subcommands() {
        let command = Cli::command();
        let names = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<_> = names.map(|command| command.get_name().to_owned()).collect();
        names.retain(|name| name != "bench");
        names.sort_unstable();
        assert_eq!(names, SUBCOMMANDS);
        let mut bench = Cli::command().find_subcommand("bench").expect("a subcommand").clone();
        let help = bench.render_long_help().to_string();
        assert!(SUBCOMMANDS.iter().all(|name| help.contains(name)), "{help}");
    }

    #[test]
    fn the_usage_of_a_comparison_has_one_base_and_perhaps_others() {
        let mut compare = Cli::command().find_subcommand("compare").expect("a subcommand").clone();
        let usage = compare.render_usage().to_string();
        assert!(usage.ends_with(" [OPTIONS] <BASE> [OTHER]..."), "{usage}");
    }

    #[test]
    fn options_of_a_project_have_variables_with_their_names() {
        // Options of a single call: they select benchmarks, or cargo knows the colour
        const OF_A_CALL: [&str; 8] =
            ["color", "exact", "filter", "format", "help", "list", "skip", "time-baseline"];
        let command = Cli::command();
        let bench = command.find_subcommand("bench").expect("a subcommand");
        for argument in bench.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let Some(name) = argument.get_long().filter(|name| !OF_A_CALL.contains(name)) else {
                continue;
            };
            let variable = format!("IAI_CALLGRIND_{}", name.to_uppercase().replace('-', "_"));
            assert_eq!(argument.get_env(), Some(variable.as_ref()), "--{name}");
        }
    }

    #[test]
    fn parallel_takes_a_number_or_auto() {
        assert_eq!(bench(&["--parallel"]).unwrap().run.parallel, Some(cores()));
        assert_eq!(bench(&["--parallel=3"]).unwrap().run.parallel, Some(3));
        assert!(bench(&["--parallel=0"]).is_err());
    }

    #[test]
    fn a_timeout_has_a_unit() {
        let timeout = |text: &str| bench(&["--timeout", text]).map(|bench| bench.run.timeout);
        for (text, milliseconds) in
            [("10s", 10_000), ("500ms", 500), ("2m", 120_000), ("1m 30s", 90_000), ("1.5s", 1500)]
        {
            let expected = Duration::from_millis(milliseconds);
            assert_eq!(timeout(text).unwrap(), Some(expected), "{text}");
        }
        for wrong in ["10", "0s", "-1s", "s", "", "10 parsecs", "9999999999999999h"] {
            assert!(timeout(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn libtests_options_are_accepted() {
        let arguments =
            ["--bench", "--test-threads", "1", "--include-ignored", "-q", "-Z", "unstable-options"];
        assert!(bench(&arguments).is_ok());
    }
}
