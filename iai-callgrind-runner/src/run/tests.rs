//! Runs with synthetic dumps instead of processes. Runs with real dumps are in the package `stored-tests`.

mod failures;
mod results;
mod shards;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};

use clap::Parser;
use iai_callgrind_cli::{Bench, Cli, Command};
use iai_callgrind_commands::HookCommands;
use iai_callgrind_launch::{CaseEnd, CaseEvent, Executor, LaunchCases, LaunchEnd, capture_number};
use iai_callgrind_plan::protocol::{BEGIN, END, MeasuredRegion};
use iai_callgrind_plan::{
    Build, Case, Config, Executable as PlanExecutable, Function, Group, Hooks as PlanHooks,
    PLAN_VERSION, Plan, Subject, VERSION,
};
use iai_callgrind_render::report::Context;
use tempfile::TempDir;

use super::*;
use crate::resolve::selected;
use crate::shard;

/// Status of a case whose end was not seen.
const LOST: i32 = i32::MIN;

/// A case that leaves stored files instead of running.
#[derive(Debug, Clone, Copy)]
struct StoredCase {
    instructions: u64,
    /// Additional instructions of each further run of the case.
    step: u64,
    /// The raw exit status.
    status: i32,
    /// The measured region came to its end.
    is_complete: bool,
}

impl StoredCase {
    const fn of(instructions: u64) -> Self {
        Self { instructions, step: 0, status: 0, is_complete: true }
    }

    const fn failed(status: i32) -> Self {
        Self { instructions: 1, step: 0, status, is_complete: false }
    }

    /// Writes the files that callgrind and the fork server leave for a case.
    fn write(self, staging: &Path, case: usize, pid: i32) {
        let write = |name: String, text: &str| fs::write(staging.join(name), text).unwrap();
        write(format!("{pid}.log"), &format!("=={pid}== Command: /executable\n"));
        write(format!("{pid}.out.1"), &dump(BEGIN.label.to_str().unwrap(), 7));
        if self.is_complete {
            write(format!("{pid}.out.2"), &dump(END.label.to_str().unwrap(), self.instructions));
        }
        let capture = capture_number(case);
        write(format!("{capture:08x}.stdout"), &format!("output of {case}\n"));
        write(format!("{capture:08x}.stderr"), "");
    }
}

/// Returns a dump that callgrind 3.19 writes without cache simulation, of a benchmark function and a callee.
fn dump(trigger: &str, instructions: u64) -> String {
    let text = include_str!("../../tests/fixtures/run/dump.out");
    text.replace("@TRIGGER@", trigger).replace("@IR@", &instructions.to_string())
}

/// Replays synthetic cases, the last one first.
struct SyntheticExecutor(HashMap<u64, StoredCase>);

impl Executor for SyntheticExecutor {
    fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> iai_callgrind_launch::Result<LaunchEnd> {
        for (case, start) in cases.starts.iter().enumerate().rev() {
            let mut stored = self.0[&start.entry];
            let earlier = cases.starts[..case].iter().filter(|other| other.entry == start.entry);
            stored.instructions += stored.step * earlier.count() as u64;
            let pid = 1000 + i32::try_from(case).unwrap();
            stored.write(cases.staging, case, pid);
            if !send(CaseEvent::Started(case)) {
                break;
            }
            if stored.status == LOST {
                continue;
            }
            let status = ExitStatus::from_raw(stored.status);
            let region = MeasuredRegion { end: u64::MAX, ..MeasuredRegion::default() };
            let region = stored.is_complete.then_some(region);
            send(CaseEvent::Ended(CaseEnd {
                isolated: None,
                case,
                pid,
                status,
                killed: None,
                in_parallel: false,
                region,
            }));
        }
        Ok(LaunchEnd::Complete)
    }
}

/// A stream that keeps what is written to it.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A benchmark file with the functions `first`, `second` and `third`, and a directory for its results.
struct Lab {
    home: TempDir,
    group: Group,
}

impl Lab {
    fn new() -> Self {
        let functions = ["first", "second", "third"].into_iter().enumerate();
        let functions = functions.map(|(entry, name)| Function {
            name: Some(name.to_owned()),
            config: Config::default(),
            cases: vec![case(entry as u64, "id", "(1, \"a\")")],
        });
        let group = Group::new("group".to_owned(), functions.collect());
        Self { home: TempDir::new().unwrap(), group }
    }

    fn plan(&self) -> Plan {
        Plan {
            plan_version: PLAN_VERSION,
            library_version: VERSION.to_owned(),
            package: "package".to_owned(),
            package_dir: "/package".to_owned(),
            file: "file".to_owned(),
            executable: Some(PlanExecutable {
                path: std::env::current_exe().unwrap().to_str().unwrap().to_owned(),
                build: Build { target: "target".to_owned(), ..Build::default() },
            }),
            config: Config::default(),
            hooks: PlanHooks::default(),
            groups: vec![self.group.clone()],
        }
    }

    /// Runs the benchmarks with these options. Returns the numbers of the run and everything that was printed.
    fn run(&self, cases: [StoredCase; 3], options: &[&str]) -> Result<(Tally, String)> {
        self.run_plan(self.plan(), cases, options)
    }

    /// Runs the benchmarks of this plan in the same way.
    fn run_plan(
        &self,
        plan: Plan,
        cases: [StoredCase; 3],
        options: &[&str],
    ) -> Result<(Tally, String)> {
        let home = format!("--home={}", self.home.path().display());
        let valgrind =
            concat!("--valgrind-path=", env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/valgrind");
        let fixed = [&*home, valgrind, "--own-path", "--color=never"];
        let options = options_of(&[&fixed, options].concat());
        let settings = options.settings(&plan)?;
        let hooks = Hooks::of_plan(&plan, HookCommands::new(), &settings);
        let report_options = settings.report_options();
        let context = Context::new(&plan, &report_options);
        let executable = plan.executable.clone().map(|executable| executable.path);
        let benchmarks = shard::select(selected(plan, &settings)?, &settings)?;
        let printed = Printed::default();
        let mut report = Report::to_stream(printed.clone(), context, &report_options)?;
        let executor = SyntheticExecutor((0..).zip(cases).collect());
        let tally = run(&benchmarks, executable, &hooks, &settings, &executor, &mut report)?;
        report.finish(&tally)?;
        let printed = String::from_utf8(printed.0.lock().unwrap().clone()).unwrap();
        let printed = anstream::adapter::strip_str(&printed).to_string();
        Ok((tally, printed))
    }

    /// Returns the benchmarks that these options select.
    fn list(&self, options: &[&str]) -> Vec<Benchmark> {
        let home = format!("--home={}", self.home.path().display());
        let options = options_of(&[&[&*home], options].concat());
        let plan = self.plan();
        let settings = options.settings(&plan).unwrap();
        shard::select(selected(plan, &settings).unwrap(), &settings).unwrap()
    }

    fn stored(&self, function: &str, file: &str) -> PathBuf {
        let directory = self.home.path().join("package/file/group").join(format!("{function}.id"));
        directory.join(format!("callgrind.{function}.id{file}"))
    }
}

fn case(entry: u64, id: &str, arguments: &str) -> Case {
    let (owner, function) = ("file::group".to_owned(), "measured".to_owned());
    let subject = Subject::Library { owner, function, entry, item: 0 };
    Case::new(Some(id.to_owned()), arguments.to_owned(), subject)
}

const CASES: [StoredCase; 3] = [StoredCase::of(100), StoredCase::of(200), StoredCase::of(300)];

/// Parses the options of a run.
fn options_of(arguments: &[&str]) -> Bench {
    let words = ["iai-callgrind-runner", "bench"].iter().chain(arguments);
    match Cli::try_parse_from(words).unwrap().command {
        Command::Bench(options) => *options,
        command => panic!("{command:?}"),
    }
}

/// Returns the lines about benchmarks, without the closing line.
fn lines(printed: &str) -> Vec<&str> {
    let (results, _) = printed.split_once("\n\nIai-Callgrind result").unwrap_or((printed, ""));
    results.lines().collect()
}
