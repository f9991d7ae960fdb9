//! `cargo xtask vm`: the end-to-end tests in a virtual machine of another architecture or with another Valgrind.

mod architecture;
mod build;
mod disk;
mod image;
mod packages;
mod qemu;
mod stop;
mod suites;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use xtask::command::{self, in_file};
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;

use crate::vm::architecture::{ARCHITECTURES, Architecture, Cpu, Kvm, RELEASES, Release};
use crate::vm::build::Built;
use crate::vm::image::Image;
use crate::vm::qemu::Qemu;
use crate::vm::stop::Stop;
use crate::vm::suites::Suites;

/// The tests of the short form: the Quickstart, exact counts and a case for each tool. They start Valgrind ten times.
const SHORT: &[&str] = &[
    "--exact",
    "quickstart::the_instructions_are_those_of_the_documentation",
    "regions::a_function_that_returns_its_argument_counts_its_machine_code",
    "regions::an_argument_by_value_is_not_copied",
    "regions::an_empty_function_counts_its_return",
    "tools::each_tool_has_its_results",
];

/// The benchmark files of these tests. All of them would take three times as long to build.
const SHORT_BENCHMARKS: &[&str] = &["quickstart", "regions", "tools"];

/// Time limits of a machine.
const SHORT_LIMIT: Duration = Duration::from_secs(8 * 60);
const LONG_LIMIT: Duration = Duration::from_secs(4 * 60 * 60);

/// The machine and the tests that run in it.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Debian's name of the architecture
    #[arg(long, default_value = ARCHITECTURES[0].name, value_parser = architectures())]
    arch: String,
    /// Version of Valgrind, which is that of a release of Debian
    #[arg(long, default_value = RELEASES[0].valgrind, value_parser = releases())]
    valgrind: String,
    /// CPU of the machine, by default the architecture's first one
    #[arg(long)]
    cpu: Option<String>,
    /// Emulate the CPU even if KVM could run it
    ///
    /// The KVM of a virtual machine can lack what a machine in it needs.
    #[arg(long)]
    emulate: bool,
    /// Run all tests, and the short form on the architecture's other CPUs
    #[arg(long)]
    full: bool,
    /// Give the machine the files of this directory, and run the script `run` of it instead of tests
    ///
    /// Files that the script writes to /tmp/out are in vm/results of the target directory afterwards.
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["full", "tests"])]
    script: Option<PathBuf>,
    /// Suites, other parts of names of tests, and options of libtest; by default the short form
    #[arg(last = true, value_name = "TESTS")]
    tests: Vec<String>,
}

fn architectures() -> PossibleValuesParser {
    PossibleValuesParser::new(ARCHITECTURES.iter().map(|architecture| architecture.name))
}

fn releases() -> PossibleValuesParser {
    PossibleValuesParser::new(RELEASES.iter().map(|release| release.valgrind))
}

/// Runs the tests. The exit code is 1 if one failed.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    let architecture = Architecture::find(&options.arch).ok_or("no such architecture")?;
    let release = Release::find(&options.valgrind).ok_or("no such release")?;
    let cpu = architecture.cpu(options.cpu.as_deref())?;
    let kvm = if options.emulate { Kvm::Never } else { Kvm::IfPossible };
    if let Some(script) = &options.script {
        let script = std::path::absolute(script).map_err(in_file(script))?;
        let prepared = Prepared::new(architecture, release, kvm).map_err(|stop| match stop {
            Stop::Missing(reason) | Stop::Failed(reason) => reason,
        })?;
        return prepared.script(cpu, &script);
    }
    let tests: Vec<_> = options.tests.iter().map(|test| &**test).collect();
    let mut runs = Vec::new();
    if options.full {
        runs.push((cpu, tests, LONG_LIMIT));
        let others = architecture.cpus.iter().filter(|other| other.name != cpu.name);
        runs.extend(others.map(|other| (other, SHORT.to_vec(), SHORT_LIMIT)));
    } else if tests.is_empty() {
        runs.push((cpu, SHORT.to_vec(), SHORT_LIMIT));
    } else {
        runs.push((cpu, tests, LONG_LIMIT));
    }
    let is_short = runs.iter().all(|(_, tests, _)| tests == SHORT);
    let benchmarks = if is_short { SHORT_BENCHMARKS } else { &[] };
    let outcome = match Prepared::with_tests(architecture, release, kvm, benchmarks) {
        Ok((prepared, built)) => runs
            .into_iter()
            .map(|(cpu, tests, limit)| prepared.run(&built, cpu, &tests, limit))
            .fold(Outcome::Passed, Outcome::and),
        Err(stop) => stop.into(),
    };
    match &outcome {
        Outcome::Passed => println!("passed"),
        Outcome::Skipped(reason) => println!("skipped: {reason}"),
        Outcome::Failed(errors) => errors.iter().for_each(|error| println!("FAILED: {error}")),
    }
    Ok(if outcome.is_failure() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs the short form on the default machine.
pub(crate) fn check() -> Outcome {
    let architecture = &ARCHITECTURES[0];
    match Prepared::with_tests(architecture, &RELEASES[0], Kvm::Never, SHORT_BENCHMARKS) {
        Ok((prepared, built)) => prepared.run(&built, &architecture.cpus[0], SHORT, SHORT_LIMIT),
        Err(stop) => stop.into(),
    }
}

/// An image, and the machine that runs it.
struct Prepared {
    machine: Machine,
    architecture: &'static Architecture,
    kvm: Kvm,
    image: Image,
}

impl Prepared {
    /// Installs what is missing, and gets the image.
    fn new(architecture: &'static Architecture, release: &Release, kvm: Kvm) -> Result<Self, Stop> {
        let machine = Machine::this().with_administration();
        let programs = [&architecture.qemu, &architecture.linker];
        let programs: Vec<&Program> = programs.into_iter().chain(image::PROGRAMS).collect();
        install::programs(&machine, &programs).map_err(Stop::Missing)?;
        build::prepare(architecture).map_err(Stop::Missing)?;
        let image = Image::find(&machine, architecture, release)?;
        Ok(Self { machine, architecture, kvm, image })
    }

    /// Prepares a machine, and builds the programs of the tests with these benchmark files.
    fn with_tests(
        architecture: &'static Architecture,
        release: &Release,
        kvm: Kvm,
        benchmarks: &[&str],
    ) -> Result<(Self, Built), Stop> {
        let prepared = Self::new(architecture, release, kvm)?;
        let built = build::build(architecture, benchmarks)?;
        Ok((prepared, built))
    }

    /// Runs tests on a machine with this CPU.
    fn run(&self, built: &Built, cpu: &Cpu, tests: &[&str], limit: Duration) -> Outcome {
        self.suites(built, cpu, tests, limit).unwrap_or_else(|error| Outcome::Failed(vec![error]))
    }

    fn suites(
        &self,
        built: &Built,
        cpu: &Cpu,
        tests: &[&str],
        limit: Duration,
    ) -> Result<Outcome, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        disk::write(&self.machine, built, tests, directory.path())?;
        let mut suites = Suites::default();
        let code = self.boot(cpu, directory.path(), limit, |line| suites.line(line));
        print!("\n{suites}");
        let code = code?;
        let failed: Vec<_> = suites.failed().map(ToOwned::to_owned).collect();
        Ok(if !failed.is_empty() {
            Outcome::Failed(failed)
        } else if suites.is_complete() && suites.len() > 0 {
            Outcome::Passed
        } else if suites.is_complete() {
            Outcome::Failed(vec!["no test matches".to_owned()])
        } else {
            Outcome::Failed(vec![format!("exit code {code} after {} tests", suites.len())])
        })
    }

    /// Runs the script of a directory. Returns its exit code.
    fn script(&self, cpu: &Cpu, script: &Path) -> Result<ExitCode, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        disk::write_script(&self.machine, script, directory.path())?;
        let code = self.boot(cpu, directory.path(), LONG_LIMIT, |line| Some(line.to_owned()))?;
        Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from))
    }

    /// Boots a machine with the disk in this directory. Prints what a function returns for each line of output, and returns
    /// the exit code.
    fn boot(
        &self,
        cpu: &Cpu,
        directory: &Path,
        limit: Duration,
        mut shown: impl FnMut(&str) -> Option<String>,
    ) -> Result<i32, String> {
        let architecture = self.architecture;
        let arguments = architecture.arguments(cpu, self.kvm);
        let (machine, image) = (&self.machine, &self.image);
        let mut qemu = Qemu::start(machine, architecture, &arguments, image, directory, limit)?;
        let mut boot = None;
        loop {
            let line = qemu.line().map_err(|limit| {
                let (seconds, console) = (limit.as_secs(), qemu.console());
                format!("timed out after {seconds} s and was killed\n{console}")
            })?;
            let Some(line) = line else { break };
            boot.get_or_insert_with(|| qemu.elapsed());
            shown(&line).inspect(|line| println!("{line}"));
        }
        let (boot, all) = (boot.unwrap_or_default(), qemu.elapsed());
        println!(
            "\n{} {}: start {:.1} s, then {:.1} s",
            architecture.name,
            cpu.name,
            boot.as_secs_f64(),
            all.saturating_sub(boot).as_secs_f64()
        );
        let results = command::target().join("vm/results");
        let _ = fs::remove_dir_all(&results);
        qemu.finish(&results)
    }
}
