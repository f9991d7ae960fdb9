//! The object that runs all benchmarks.

use std::env;
use std::ffi::OsString;
use std::process::{self, ExitCode};
use std::time::Duration;

use iai_callgrind_harness::__private::{Hooks, Suite, main_with_arguments};
use iai_callgrind_plan::protocol::ServerEnvironment;

use crate::arguments::{self, Arguments};
use crate::counter::{BytesFormat, IntoCounter, count_methods};
use crate::options::without_effect;
use crate::walk::{self, Ignored, Selection};

// The code of `main` can print before it comes to the benchmarks
#[used]
#[cfg(unix)]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static INITIALIZER: extern "C" fn() = iai_callgrind_harness::__private::claim_pipes;

/// Runs the registered benchmarks.
///
/// Settings about time are accepted and have no effect on counts.
#[derive(Debug, Default)]
pub struct Divan {
    action: Action,
    /// Words of the command line.
    words: Vec<OsString>,
    selection: Selection,
}

/// Action of [`Divan::main`].
#[derive(Debug, Clone, Copy, Default)]
enum Action {
    /// Counts the benchmarks.
    #[default]
    Bench,
    /// Runs each benchmark natively.
    Test,
    /// Lists the benchmarks.
    List,
}

count_methods!(Divan);

impl Divan {
    /// Reads the command line.
    #[must_use]
    pub fn from_args() -> Self {
        Self::default().config_with_args()
    }

    /// Reads the command line, which overrides the settings.
    #[must_use]
    pub fn config_with_args(mut self) -> Self {
        let arguments = Arguments::parse(env::args_os().skip(1));
        self.action = match arguments.has("--bench") {
            _ if arguments.has("--list") => Action::List,
            true => Action::Bench,
            false => Action::Test,
        };
        if arguments.ignored != Ignored::default() {
            self.selection.ignored = arguments.ignored;
        }
        self.selection.throughput = arguments.throughput.or(self.selection.throughput);
        self.words.extend(arguments.words);
        self
    }

    /// Does what the command line says: runs, tests or lists the benchmarks. Ends the process if one fails.
    pub fn main(&self) {
        self.run(self.action);
    }

    /// Counts the benchmarks.
    pub fn run_benches(&self) {
        self.run(Action::Bench);
    }

    /// Runs each benchmark once and natively.
    pub fn test_benches(&self) {
        self.run(Action::Test);
    }

    /// Lists the benchmarks.
    pub fn list_benches(&self) {
        self.run(Action::List);
    }

    /// Includes ignored benchmarks.
    #[must_use]
    pub fn run_ignored(mut self) -> Self {
        self.selection.ignored = Ignored::Included;
        self
    }

    /// Runs ignored benchmarks only.
    #[must_use]
    pub fn run_only_ignored(mut self) -> Self {
        self.selection.ignored = Ignored::Only;
        self
    }

    /// Leaves out the benchmarks that match a regular expression.
    #[must_use]
    pub fn skip_regex(mut self, filter: impl ToString) -> Self {
        self.words.extend(["--skip".into(), filter.to_string().into()]);
        self
    }

    /// Leaves out the benchmark with this path.
    #[must_use]
    pub fn skip_exact(mut self, filter: impl Into<String>) -> Self {
        self.selection.skipped.push(filter.into());
        self
    }

    /// Sets a number of what one call of each benchmark processes.
    #[must_use]
    pub fn counter<C: IntoCounter>(mut self, counter: C) -> Self {
        self.selection.throughput.insert(counter);
        self
    }

    without_effect! {
        /// Colours the output.
        color(impl Into<Option<bool>>);
        /// Sets the number of samples.
        sample_count(u32);
        /// Sets the number of calls in a sample.
        sample_size(u32);
        /// Sets the numbers of threads.
        threads<T: IntoIterator<Item = usize>>(T);
        /// Sets the time for all samples at least.
        min_time(Duration);
        /// Sets the time for all samples at most.
        max_time(Duration);
        /// Leaves the time outside of the routine out of the others.
        skip_ext_time(bool);
        /// Sets the base of the units of bytes.
        bytes_format(BytesFormat);
    }

    fn run(&self, action: Action) {
        let Some(target) = walk::target() else { return };
        let is_server = ServerEnvironment::of_this_process().is_some();
        walk::select(if is_server { Selection::of_all() } else { self.selection.clone() });
        let suite = Suite {
            package: target.package,
            package_dir: target.package_dir,
            file: target.name,
            config: None,
            hooks: Hooks { setup: None, teardown: None },
            groups: &[],
            walk: Some(walk::walk),
        };
        let code = main_with_arguments(&suite, &self.arguments(action));
        // The code after this call is for the process that the user started
        if is_server || code != ExitCode::SUCCESS {
            let number = (0..=u8::MAX).find(|number| ExitCode::from(*number) == code);
            process::exit(number.map_or(1, i32::from));
        }
    }

    /// Returns the arguments of iai-callgrind for this action.
    fn arguments(&self, action: Action) -> Vec<OsString> {
        let mut words = self.words.clone();
        let has = |words: &[OsString], word: &str| words.iter().any(|other| other == word);
        if has(&words, "--help") {
            println!("{}", arguments::help());
        }
        match action {
            Action::Bench if !has(&words, "--bench") => words.push("--bench".into()),
            Action::Test => words.retain(|word| word != "--bench"),
            Action::List if !has(&words, "--list") => words.push("--list".into()),
            Action::Bench | Action::List => {}
        }
        words
    }
}
