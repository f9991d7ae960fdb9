//! `cargo xtask vm`: end-to-end tests on arm64, in a virtual machine.
//!
//! Its file system is in memory: the files of Debian's packages, which are in a cache, and the sources and programs at
//! their paths on this machine.

mod build;

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use clap::Args;
use xtask::command::{self, in_file};
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::images;
use crate::rustup;
use crate::vm::build::Built;

/// The program that emulates the machine.
const QEMU: Program = Program { name: "qemu-system-aarch64", packages: "qemu-system-arm" };

const PROGRAMS: &[&Program] = &[
    &QEMU,
    &build::LINKER,
    &Program { name: "mmdebstrap", packages: "mmdebstrap" },
    &Program { name: "cpio", packages: "cpio" },
];

/// The tests of the short form: values of the machine, the Quickstart, exact counts and a case for each tool.
const SHORT: &[&str] = &[
    "--exact",
    "one_machine::functions_see_one_machine",
    "quickstart::the_instructions_are_those_of_the_documentation",
    "regions::a_function_that_returns_its_argument_counts_its_machine_code",
    "regions::an_argument_by_value_is_not_copied",
    "regions::an_empty_function_counts_its_return",
    "tools::each_tool_has_its_results",
];

/// The benchmark files of these tests. All of them would take three times as long to build.
const SHORT_BENCHMARKS: &[&str] = &["one_machine", "quickstart", "regions", "tools"];

/// Time limits of a machine.
const SHORT_LIMIT: &str = "30m";
const LONG_LIMIT: &str = "4h";

/// The script that makes the kernel and the file system, and the first process of the machine.
const IMAGE: &str = include_str!("vm/image.sh");
const INIT: &str = include_str!("vm/init.sh");

/// The machine's memory, of which its files can take half: with all benchmark files they are 1.1 GB, next to their archive.
const MEMORY: &str = "6G";

/// The CPU with the features of a current server.
const CPU: &str = "neoverse-n1";

/// The machine and the tests that run in it.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// QEMU's name of the CPU: `cortex-a72` has no LSE atomics, `max,pauth-impdef=on` has SVE, PAC and BTI
    #[arg(long, default_value = CPU)]
    cpu: String,
    /// Suites, other parts of names of tests, and options of libtest; by default the short form
    #[arg(last = true, value_name = "TESTS")]
    tests: Vec<String>,
}

/// Runs the tests. The exit code is 1 if one failed.
pub(crate) fn run(options: &Options) -> ExitCode {
    let tests: Vec<_> = options.tests.iter().map(|test| &**test).collect();
    tally::print_all([("arm64", outcome(&options.cpu, &tests))])
}

/// Runs the short form.
pub(crate) fn check() -> Outcome {
    outcome(CPU, &[])
}

fn outcome(cpu: &str, tests: &[&str]) -> Outcome {
    let prepared = install::programs(&Machine::this(), PROGRAMS)
        .and_then(|()| rustup::add_targets(&[build::TARGET]))
        .and_then(|()| images::image("aarch64", IMAGE, &[("init.sh", INIT)], &[]));
    match prepared {
        Ok(image) => boot(&image, cpu, tests).unwrap_or_else(|error| Outcome::Failed(vec![error])),
        Err(reason) => Outcome::Skipped(reason),
    }
}

/// Boots a machine that runs these tests, or the short form if there are none.
fn boot(image: &Path, cpu: &str, tests: &[&str]) -> Result<Outcome, String> {
    let (tests, benchmarks, limit) = match tests {
        [] => (SHORT, SHORT_BENCHMARKS, SHORT_LIMIT),
        _ => (tests, &[][..], LONG_LIMIT),
    };
    let built = build::build(benchmarks)?;
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let run = command::target().join("vm/run");
    fs::write(&run, script(&built, tests)).map_err(in_file(&run))?;
    let files = directory.path().join("files");
    write_files(&image.join("files"), built.files.iter().chain([&run, &built.tests]), &files)?;
    let mut qemu = command::new("timeout");
    qemu.args([limit, QEMU.name, "-machine", "virt", "-accel", "tcg,thread=multi"]);
    qemu.args(["-cpu", cpu, "-smp", "2", "-m", MEMORY, "-nodefaults", "-no-reboot"]);
    qemu.args(["-display", "none", "-serial", "stdio"]);
    qemu.arg("-kernel").arg(image.join("kernel")).arg("-initrd").arg(&files);
    let run = run.display();
    qemu.arg("-append").arg(format!("rdinit=/init console=ttyAMA0 panic=-1 loglevel=1 RUN={run}"));
    println!("$ {}", command::line(&qemu));
    let can_not = |error: io::Error| format!("{}: {error}", QEMU.name);
    let mut machine = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(can_not)?;
    let mut output = String::new();
    for line in BufReader::new(machine.stdout.take().expect("it is a pipe")).split(b'\n') {
        let line = line.map_err(can_not)?;
        let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
        println!("{line}");
        output += &line;
        output.push('\n');
    }
    machine.wait().map_err(can_not)?;
    Ok(read(&output))
}

/// Writes the files of the machine: those of the image, then the sources and these.
fn write_files<'a>(
    image: &Path,
    given: impl Iterator<Item = &'a PathBuf>,
    archive: &Path,
) -> Result<(), String> {
    let sources = command::output(command::new("git").args(["ls-files", "-z"]))?;
    let root = command::root();
    let sources = sources.split_terminator('\0').map(|source| root.join(source));
    let files = sources.filter(|source| source.exists()).chain(given.cloned());
    // Directories come before what is in them
    let paths: BTreeSet<_> = files
        .flat_map(|file| {
            file.ancestors().map(|path| path.display().to_string()).collect::<Vec<_>>()
        })
        .filter(|path| path != "/")
        .collect();
    fs::copy(image, archive).map_err(in_file(archive))?;
    let list = archive.with_extension("list");
    let text = paths.into_iter().fold(String::new(), |text, path| text + &path[1..] + "\n");
    fs::write(&list, text).map_err(in_file(&list))?;
    // The kernel unpacks one archive after the other
    let end = File::options().append(true).open(archive).map_err(in_file(archive))?;
    let mut cpio = command::new("cpio");
    cpio.args(["--quiet", "-o", "-H", "newc", "-R", "0:0"]).current_dir("/");
    cpio.stdin(File::open(&list).map_err(in_file(&list))?).stdout(end);
    match cpio.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err("cpio failed".to_owned()),
    }
}

/// Returns the script that runs the tests.
fn script(built: &Built, arguments: &[&str]) -> String {
    let quoted = |path: &Path| command::quoted(&path.to_string_lossy()).into_owned();
    let package = quoted(&command::root().join("tests/end-to-end"));
    let arguments: Vec<_> = arguments.iter().map(|word| command::quoted(word)).collect();
    format!(
        "export CARGO={} CARGO_MANIFEST_DIR={package} MISSING_PROGRAMS=\"cargo git\"\n\
         cd {package} && exec {} {}\n",
        quoted(&built.cargo),
        quoted(&built.tests),
        arguments.join(" ")
    )
}

/// Reads the outcome in the output of libtest. A test that ended because a program is missing did not fail.
fn read(output: &str) -> Outcome {
    let skipped: HashSet<_> =
        output.split("skipped ").filter_map(|rest| rest.split_once(": ")).collect();
    let skipped: HashSet<_> = skipped.into_iter().map(|(name, _)| name).collect();
    let (_, names) = output.rsplit_once("\nfailures:\n").unwrap_or_default();
    let names = names.lines().map_while(|line| line.strip_prefix("    "));
    let failed: Vec<_> = names.filter(|name| !skipped.contains(name)).map(str::to_owned).collect();
    if !failed.is_empty() {
        Outcome::Failed(failed)
    } else if !output.contains("\nexit code ") || !output.contains("\ntest result: ") {
        Outcome::Failed(vec!["the machine did not run all tests".to_owned()])
    } else if output.contains("\nrunning 0 tests\n") {
        Outcome::Failed(vec!["no test matches".to_owned()])
    } else {
        Outcome::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_lacks_a_program_did_not_fail() {
        let output = "\nrunning 3 tests\ntest a::b ... skipped a::c: no cargo\nFAILED\ntest a::c ... FAILED\n\n\
            failures:\n\n---- a::b stdout ----\nfailed\n\nfailures:\n    a::b\n    a::c\n\n\
            test result: FAILED. 1 passed; 2 failed\n";
        let failed = |output: &str| match read(output) {
            Outcome::Failed(names) => names.join(" "),
            _ => String::new(),
        };
        assert_eq!(failed(&format!("{output}exit code 101\n")), "a::b");
        let without = output.replace("    a::b\n", "");
        assert_eq!(failed(&format!("{without}exit code 101\n")), "");
        assert_eq!(failed(&without), "the machine did not run all tests");
    }
}
