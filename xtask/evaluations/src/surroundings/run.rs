//! Runs of the executables, on this machine or on an emulated one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use iai_callgrind_summary::Summary;
use xtask::command::{self, in_file, quoted};

use crate::harness;
use crate::histories::record::Counts;
use crate::surroundings::build::{Built, Linker};
use crate::surroundings::difference::Difference;
use crate::surroundings::place::Place;

/// The counts of each benchmark of a build.
pub(crate) type Results = BTreeMap<String, Counts>;

/// The directory for files that an emulated machine sends back.
const MACHINE_OUTPUT: &str = "/tmp/out";

/// The start of the script: a function that runs an executable in the directory of its package, without earlier results.
const SCRIPT: &str = r#"
run() {
    rm -rf "$IAI_CALLGRIND_HOME"
    mkdir -p "$2"
    cp "$1" "$2/benchmarks"
    (cd "$2" && ./benchmarks --bench --output-format=json --profile-note=no) >"$OUTPUT/$1.json" 2>"$OUTPUT/$1.errors" ||
        { cat "$OUTPUT/$1.errors"; exit 1; }
    echo "$1"
}
"#;

/// The place where executables run, and what they need there.
pub(crate) struct Runs {
    place: Place,
    runner: PathBuf,
    /// The directory that the place gets.
    directory: PathBuf,
}

impl Runs {
    /// Builds the runner.
    pub(crate) fn new(place: Place, work: &Path) -> Result<Self, String> {
        Ok(Self { place, runner: place.runner()?, directory: work.join("runs") })
    }

    /// Runs all builds with a linker.
    pub(crate) fn run(
        &self,
        builds: &[Built],
        linker: Linker,
    ) -> Result<Vec<(Difference, Results)>, String> {
        if self.directory.is_dir() {
            fs::remove_dir_all(&self.directory).map_err(in_file(&self.directory))?;
        }
        let outputs = self.directory.join("outputs");
        fs::create_dir_all(&outputs).map_err(in_file(&outputs))?;
        let copy = |file: &Path, name: &str| {
            fs::copy(file, self.directory.join(name)).map(drop).map_err(in_file(file))
        };
        copy(&self.runner, "runner")?;
        for build in builds {
            copy(&build.executables.join(linker.name()), &build.difference.id())?;
        }
        let script = self.directory.join("run");
        fs::write(&script, self.script(builds, &outputs)).map_err(in_file(&script))?;
        let outputs = match self.place {
            Place::Here => {
                harness::run(Command::new("sh").arg(&script))?;
                outputs
            }
            Place::Machine => {
                let mut machine = command::cargo(["xtask", "vm", "--script"]);
                if !command::run(machine.arg(&self.directory))?.success() {
                    return Err("the machine has no results".to_owned());
                }
                command::target().join("vm/results")
            }
        };
        builds
            .iter()
            .map(|build| Ok((build.difference, read(&outputs, build.difference)?)))
            .collect()
    }

    fn script(&self, builds: &[Built], outputs: &Path) -> String {
        let path = |path: &Path| quoted(&path.display().to_string()).into_owned();
        let outputs =
            if self.place == Place::Machine { Path::new(MACHINE_OUTPUT) } else { outputs };
        let mut text = format!(
            "cd {} || exit 1\nOUTPUT={}\nexport IAI_CALLGRIND_RUNNER=$PWD/runner IAI_CALLGRIND_HOME=$PWD/home\n{SCRIPT}",
            path(&self.directory),
            path(outputs)
        );
        for build in builds {
            writeln!(text, "run {} {}", build.difference.id(), path(&build.package))
                .expect("a string takes all");
        }
        text
    }
}

/// Reads the results of a build.
fn read(outputs: &Path, difference: Difference) -> Result<Results, String> {
    let file = outputs.join(format!("{}.json", difference.id()));
    let text = fs::read_to_string(&file).map_err(in_file(&file))?;
    let summaries = Summary::read_all(&text).map_err(in_file(&file))?;
    Ok(summaries.iter().map(|summary| (summary.name.clone(), harness::counts(summary))).collect())
}
