//! Runs that several tests look at.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use crate::{Report, Run, Suite, tree, write_tree};

/// Identifies a run: the benchmark file and its arguments.
type Key = (&'static str, Vec<String>);

/// A run, and the files in its home directory after it.
struct Shared {
    run: Run,
    files: BTreeMap<String, Vec<u8>>,
}

/// Returns the first run of a benchmark file with these arguments, which takes place once per test process.
fn shared(file: &'static str, arguments: &[&str]) -> &'static Shared {
    static RUNS: OnceLock<Mutex<HashMap<Key, &'static OnceLock<Shared>>>> = OnceLock::new();
    let key = (file, arguments.iter().map(|&argument| argument.to_owned()).collect());
    let mut runs = RUNS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let shared: &'static OnceLock<_> = runs.entry(key).or_insert_with(|| Box::leak(Box::default()));
    // Other runs need not wait for this one
    drop(runs);
    shared.get_or_init(|| {
        let suite = Suite::new(file);
        let run = suite.run(arguments);
        Shared { run, files: tree(&suite.home()) }
    })
}

/// Returns the first run of a benchmark file with these arguments. The benchmarks run once per test
/// process, in a home directory of their own, whose files are removed after the run.
///
/// A test that reads files, or that needs a second run, makes a [`Suite`] with [`Suite::after`].
pub fn shared_run(file: &'static str, arguments: &[&str]) -> &'static Run {
    &shared(file, arguments).run
}

/// Returns the results of a [`shared_run`], which has to succeed.
#[must_use]
pub fn shared_report(file: &'static str, arguments: &[&str]) -> Report {
    shared_run(file, arguments).succeeded().report()
}

/// Arguments that print the results of [`Suite::with_two_baselines`] as those of a run, without running anything.
pub const LOADED: [&str; 2] = ["--load-baseline=b", "--baseline=a"];

impl Suite {
    /// Returns the benchmark file with a copy of the results of its first run with these arguments, and what the
    /// run printed. The run has to succeed, and takes place once per test process.
    ///
    /// A test that compares two runs, to see that they count the same, starts the second one itself.
    #[must_use]
    pub fn after(file: &'static str, arguments: &[&str]) -> (Self, Report) {
        let (suite, run) = Self::after_run(file, arguments);
        (suite, run.report())
    }

    /// Returns the same with all that the run printed.
    pub fn after_run(file: &'static str, arguments: &[&str]) -> (Self, &'static Run) {
        let Shared { run, files } = shared(file, arguments);
        let suite = Self::new(file);
        write_tree(&suite.home(), files);
        (suite, run.succeeded())
    }

    /// Returns the benchmark file `order` with two equal baselines, `a` and `b`, and what the first of the two runs
    /// printed, which take place once per test process.
    #[must_use]
    pub fn with_two_baselines() -> (Self, Report) {
        static FILES: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
            let (suite, _) = Suite::after("order", &["--save-baseline=a"]);
            let _ = suite.report(&["--save-baseline=b"]);
            tree(&suite.home())
        });
        let suite = Self::new("order");
        write_tree(&suite.home(), &FILES);
        (suite, shared_report("order", &["--save-baseline=a"]))
    }

    /// Prints the results of the [two baselines](Self::with_two_baselines) with these arguments.
    pub fn load(&self, arguments: &[&str]) -> Run {
        self.run(&[&LOADED, arguments].concat())
    }
}
