//! Plan, command line and environment resolved into what the run does.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{Bench, Shown};
use crate::compare::Limits;
use crate::error::{Error, Result};
use crate::output::Slot;
use crate::plan::Plan;
use crate::surroundings::Surroundings;
use crate::valgrind::Arguments;

/// What the run does.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The directory that holds the results of this benchmark file.
    pub(crate) directory: PathBuf,
    /// How many benchmarks run at once.
    pub(crate) jobs: usize,
    /// Run only benchmarks whose name contains this.
    pub(crate) filter: Option<String>,
    /// Where results come from and go to.
    pub(crate) mode: Mode,
    /// Which of the benchmarks' output is shown.
    pub(crate) shown: Shown,
    /// What the user passes on to Valgrind.
    pub(crate) arguments: Vec<OsString>,
    /// What the results are held against.
    pub(crate) limits: Limits,
    /// Whether the first broken limit ends the run.
    pub(crate) fail_fast: bool,
    /// What is not the same everywhere.
    pub(crate) surroundings: Surroundings,
}

/// Where results come from and go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mode {
    /// Whether the benchmarks run. If not, the new results are those in `new`.
    pub(crate) run: bool,
    /// Where the new results are, or go.
    pub(crate) new: Slot,
    /// What they are compared with. When it is the slot of the new results this means what was there
    /// before the run.
    pub(crate) old: Slot,
}

impl Settings {
    /// Resolves the settings of a run.
    pub(crate) fn new(plan: &Plan, options: Bench) -> Result<Self> {
        let mode = Mode::new(&options)?;
        let home = match options.home {
            Some(home) => absolute(&home)?,
            None => target_directory(Path::new(&plan.executable))?.join("iai"),
        };
        Ok(Self {
            directory: home.join(&plan.package).join(&plan.file),
            jobs: options.parallel.jobs(),
            filter: options.filter,
            mode,
            shown: options.nocapture,
            arguments: [options.valgrind_args, options.callgrind_args]
                .iter()
                .flatten()
                .flat_map(Arguments::allowed)
                .collect(),
            limits: options
                .regression
                .unwrap_or_default()
                .overridden_by(options.callgrind_limits.unwrap_or_default()),
            fail_fast: options.regression_fail_fast,
            surroundings: options.surroundings,
        })
    }
}

impl Mode {
    fn new(options: &Bench) -> Result<Self> {
        let named = |name: &Option<String>| name.as_deref().map(Slot::baseline).transpose();
        let (save, compare, load) = (
            named(&options.save_baseline)?,
            named(&options.baseline)?,
            named(&options.load_baseline)?,
        );
        let mode = match (save, load, compare) {
            (Some(save), _, _) => Self { run: true, new: save.clone(), old: save },
            (None, Some(new), Some(old)) => Self { run: false, new, old },
            (None, _, Some(old)) => Self { run: true, new: Slot::Latest, old },
            (None, _, None) => Self { run: true, new: Slot::Latest, old: Slot::Latest },
        };
        if !mode.run && mode.new == mode.old {
            return Err(Error::Baseline(
                "--load-baseline and --baseline name the same baseline: there is nothing to \
                 compare.\nGive two different names"
                    .to_owned(),
            ));
        }
        Ok(mode)
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(Error::io("use", path))
}

/// Cargo's target directory, found from where the executable lies, which takes every way to configure
/// it into account. `CARGO_TARGET_DIR` says it too, but where it is relative not relative to what.
fn target_directory(executable: &Path) -> Result<PathBuf> {
    if let Some(directory) = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from) {
        if directory.is_absolute() {
            return Ok(directory);
        }
    }
    executable
        .ancestors()
        .find(|directory| directory.join("CACHEDIR.TAG").is_file())
        .map_or_else(|| absolute(Path::new("target")), |directory| Ok(directory.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(save: Option<&str>, compare: Option<&str>, load: Option<&str>) -> Result<Mode> {
        let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
        Mode::new(&Bench {
            save_baseline: owned(save),
            baseline: owned(compare),
            load_baseline: owned(load),
            ..Bench::default()
        })
    }

    #[test]
    fn modes_are_values() {
        let base = |name: &str| Slot::Baseline(name.to_owned());
        let run = |new, old| Mode { run: true, new, old };
        assert_eq!(mode(None, None, None).unwrap(), run(Slot::Latest, Slot::Latest));
        assert_eq!(mode(Some("a"), None, None).unwrap(), run(base("a"), base("a")));
        assert_eq!(mode(None, Some("a"), None).unwrap(), run(Slot::Latest, base("a")));
        let load = Mode { run: false, new: base("b"), old: base("a") };
        assert_eq!(mode(None, Some("a"), Some("b")).unwrap(), load);
    }

    #[test]
    fn a_baseline_is_not_compared_with_itself() {
        assert!(mode(None, Some("a"), Some("a")).is_err());
    }

    #[test]
    fn the_target_directory_is_where_cargo_put_its_tag() {
        let root = tempfile::tempdir().unwrap();
        let deps = root.path().join("there/x86_64-unknown-linux-gnu/release/deps");
        std::fs::create_dir_all(&deps).unwrap();
        std::fs::write(root.path().join("there/CACHEDIR.TAG"), "").unwrap();
        if env::var_os("CARGO_TARGET_DIR").is_none() {
            let found = target_directory(&deps.join("bench-0123")).unwrap();
            assert_eq!(found, root.path().join("there"));
        }
    }
}
