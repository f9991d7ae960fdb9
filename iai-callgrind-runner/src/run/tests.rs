//! Runs with synthetic dumps instead of processes: titles, comparisons, limits, baselines, selection, failures
//! and reports. Runs with real dumps are in the package `stored-tests`.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};

use clap::Parser;
use iai_callgrind_cli::{Bench, Cli, Command, OptionsError};
use iai_callgrind_commands::HookCommands;
use iai_callgrind_launch::{CaseEnd, CaseEvent, Executor, LaunchCases, LaunchEnd, capture_number};
use iai_callgrind_plan::protocol::{BEGIN, END, FAILED, MeasuredRegion};
use iai_callgrind_plan::{
    Build, Case, Compare, Config, Executable as PlanExecutable, Function, Group, HookKind,
    Hooks as PlanHooks, MeasuredHook, PLAN_VERSION, Plan, Subject, VERSION,
};
use iai_callgrind_render::report::Context;
use iai_callgrind_store::ShardRecord;
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

#[test]
fn results_come_in_the_order_of_declaration_and_are_compared() {
    let lab = Lab::new();
    let (tally, printed) = lab.run(CASES, &[]).unwrap();
    let expected = [
        "file::group::first id:(1, \"a\")",
        "  Instructions:                 100|N/A             (*********)",
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 200|N/A             (*********)",
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
    ];
    assert_eq!(lines(&printed), expected);
    assert_eq!((tally.finished, tally.failed, tally.regressed), (3, 0, 0));

    let (_, printed) =
        lab.run([StoredCase::of(100), StoredCase::of(100), StoredCase::of(450)], &[]).unwrap();
    let expected = [
        "file::group::first id:(1, \"a\")",
        "  Instructions:                 100|100             (No change)",
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 100|200             (-50.0000%) [-2.00000x]",
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 450|300             (+50.0000%) [+1.50000x]",
    ];
    assert_eq!(lines(&printed), expected);
    assert!(lab.stored("third", ".out").exists() && lab.stored("third", ".old.out").exists());
}

#[test]
fn only_changes_are_shown_on_request() {
    let lab = Lab::new();
    lab.run(CASES, &["--skip=third"]).unwrap();
    let cases = [StoredCase::of(100), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=changed", "--callgrind-limits=ir=1%"]).unwrap();
    let regressed = "Instructions +5 % (limit +1 %): 200 → 210";
    let end = [
        "",
        "compared with the old results: 1 exceeded a limit, 1 new, 1 unchanged",
        "",
        "Regressions:",
        "",
        "  file::group::second id:(1, \"a\")",
        &format!("    {regressed}"),
    ];
    let shown = [
        "file::group::second id:(1, \"a\")",
        "  Instructions:                 210|200             (+5.00000%) [+1.05000x]",
        &format!("limit exceeded: {regressed}"),
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
    ];
    assert_eq!(lines(&printed)[..5], shown);
    let explained = lines(&printed)[5..12].to_vec();
    assert_eq!(explained, end);

    let cases = [StoredCase::of(101), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=summary"]).unwrap();
    let end = ["", "compared with the old results: 1 worse, 2 unchanged"];
    assert_eq!(lines(&printed)[..2], end);
    let cases = [StoredCase::of(102), StoredCase::of(210), StoredCase::of(300)];
    let (_, printed) = lab.run(cases, &["--show=changed", "--tolerance=1"]).unwrap();
    assert_eq!(lines(&printed), ["", "compared with the old results: 3 unchanged"]);
}

#[test]
fn a_limit_is_checked_against_the_old_result() {
    let lab = Lab::new();
    lab.run(CASES, &[]).unwrap();
    let slower = [StoredCase::of(110), StoredCase::of(200), StoredCase::of(400)];
    let (tally, printed) = lab.run(slower, &["--callgrind-limits=ir=20%|350"]).unwrap();
    assert_eq!((tally.finished, tally.regressed), (3, 1));
    for line in [
        "limit exceeded: Instructions +33.3 % (limit +20 %): 300 → 400",
        "limit exceeded: Instructions 400 (limit 350)",
        "\nRegressions:\n\n  file::group::third id:(1, \"a\")\n",
        "Iai-Callgrind result: Regressed. 3 benchmarks ran, 1 regressed",
    ] {
        assert!(printed.contains(line), "no {line:?} in {printed}");
    }
}

#[test]
fn baselines_are_saved_compared_and_loaded() {
    let lab = Lab::new();
    let error = lab.run(CASES, &["--baseline=main"]).unwrap_err().to_string();
    assert!(error.contains("`main`") && error.contains("--save-baseline=main"), "{error}");
    lab.run(CASES, &["--save-baseline=main"]).unwrap();
    assert!(lab.stored("first", ".base@main.out").exists());
    let faster = [StoredCase::of(50), StoredCase::of(200), StoredCase::of(300)];
    lab.run(faster, &["--save-baseline=faster"]).unwrap();
    for options in [&["--baseline=main"][..], &["--load-baseline=faster", "--baseline=main"]] {
        let (_, printed) = lab.run(faster, options).unwrap();
        let expected =
            "  Instructions:                  50|100             (-50.0000%) [-2.00000x]";
        assert_eq!(lines(&printed)[1], expected, "{options:?}");
    }
    lab.run(CASES, &["--save-baseline=partial", "first"]).unwrap();
    let (tally, printed) = lab.run(CASES, &["--load-baseline=partial", "--baseline=main"]).unwrap();
    assert_eq!((tally.finished, tally.failed), (3, 2));
    let error = "error: file::group::third id:(1, \"a\"): not in the baseline `partial`\n";
    assert!(printed.contains(error), "{printed}");
    let same = lab.run(CASES, &["--load-baseline=main", "--baseline=main"]);
    assert!(matches!(same, Err(Error::Options(OptionsError::SameBaseline { .. }))));
}

#[test]
fn only_selected_benchmarks_run() {
    let lab = Lab::new();
    for (options, selected) in [
        (&["second"][..], &["second"][..]),
        (&["*::*ir*::id"], &["first", "third"]),
        (&["--exact", "file::group::third::id"], &["third"]),
        (&["--skip=first", "--filter-regex=ir"], &["third"]),
        (&["none"], &[]),
    ] {
        let (tally, printed) = lab.run(CASES, options).unwrap();
        assert_eq!((tally.selected, tally.finished), (selected.len(), selected.len()));
        for name in ["first", "second", "third"] {
            assert_eq!(printed.contains(name), selected.contains(&name), "{options:?}: {printed}");
        }
    }
}

#[test]
fn a_failure_is_reported_with_its_output_and_the_others_run() {
    const PANIC: i32 = 101 << 8;
    let lab = Lab::new();
    lab.run(CASES, &[]).unwrap();
    for (status, reason) in [
        (PANIC, "the benchmark panicked"),
        (FAILED << 8, "the benchmark failed"),
        (3 << 8, "the benchmark ended its process with exit status: 3"),
        (libc::SIGSEGV, "the benchmark was killed by signal 11 (SIGSEGV)"),
        (0, "the benchmark ended its process before it returned"),
    ] {
        let cases = [CASES[0], StoredCase::failed(status), CASES[2]];
        let (tally, printed) = lab.run(cases, &[]).unwrap();
        assert_eq!((tally.finished, tally.failed), (3, 1));
        let error = format!("error: file::group::second id:(1, \"a\"): {reason}");
        let output = "\n  output:\n    output of 1\n";
        for part in [&*error, output, "file::group::third id:"] {
            assert!(printed.contains(part), "no {part:?} in {printed}");
        }
        let stored = fs::read_to_string(lab.stored("second", ".out")).unwrap();
        assert!(stored.contains("totals: 200\n"), "the last result stays: {stored}");
    }
}

#[test]
fn a_benchmark_whose_end_is_not_seen_has_failed() {
    let cases = [CASES[0], StoredCase::failed(LOST), CASES[2]];
    let (tally, printed) = Lab::new().run(cases, &[]).unwrap();
    assert_eq!((tally.finished, tally.failed), (3, 1));
    let error =
        "error: file::group::second id:(1, \"a\"): its end was not seen, so there is no result\n";
    assert!(printed.contains(error), "{printed}");
}

#[test]
fn a_failure_under_one_tool_does_not_hide_the_results_of_the_others() {
    let lab = Lab::new();
    let path = lab.home.path().join("report.json");
    let report = format!("--report=json:{}", path.display());
    // There are no files of DHAT
    let (tally, printed) = lab.run(CASES, &["--tools=dhat", "first", &report]).unwrap();
    assert_eq!((tally.finished, tally.failed), (1, 1), "{printed}");
    for part in [
        "\n  Instructions:                 100|N/A ",
        "error: file::group::first id:(1, \"a\"): dhat: ",
        "Iai-Callgrind result: Failed. 1 benchmark",
    ] {
        assert!(printed.contains(part), "no {part:?} in {printed}");
    }
    assert!(lab.stored("first", ".out").exists());
    let text = fs::read_to_string(path).unwrap();
    let [summary] = &*iai_callgrind_summary::Summary::read_all(&text).unwrap() else {
        panic!("{text}")
    };
    assert!(summary.error.as_ref().is_some_and(|error| error.starts_with("dhat: ")), "{text}");
    let tools: Vec<_> = summary.tools.iter().map(|tool| &*tool.tool).collect();
    assert_eq!(tools, ["callgrind"]);
}

#[test]
fn functions_need_a_benchmark_executable() {
    let lab = Lab::new();
    let plan = Plan { executable: None, ..lab.plan() };
    let error = lab.run_plan(plan, CASES, &[]).unwrap_err().to_string();
    assert_eq!(error, "can't use the plan: it has functions, but no benchmark executable");
}

#[test]
fn benchmarks_with_the_same_id_are_compared() {
    let mut lab = Lab::new();
    lab.group.compare = Compare::ById;
    let (_, printed) = lab.run(CASES, &[]).unwrap();
    let expected = [
        "file::group::third id:(1, \"a\")",
        "  Instructions:                 300|N/A             (*********)",
        "  Comparison with first id:(1, \"a\")",
        "  Instructions:                 100|300             (-66.6667%) [-3.00000x]",
        "  Comparison with second id:(1, \"a\")",
        "  Instructions:                 200|300             (-33.3333%) [-1.50000x]",
        "",
        "Groups:",
        "",
        "  file::group: Instructions of each function and input",
        "              id",
        "    first   *100",
        "    second   200",
        "    third    300",
    ];
    assert_eq!(lines(&printed)[6..], expected);
    let (_, only) = lab.run(CASES, &["--show-only-comparison"]).unwrap();
    assert!(!only.contains("N/A") && only.matches("Comparison with").count() == 3, "{only}");
}

#[test]
fn seeds_show_their_spread_and_the_first_one_is_stored() {
    let lab = Lab::new();
    let (tally, printed) = lab.run(CASES, &["--seeds=3", "--seed=5", "first"]).unwrap();
    assert_eq!(tally.finished, 1);
    let expected = [
        "  Minimum, median, maximum of 3 seeds",
        "  Instructions:                 100              100              100",
        "  Mean, standard deviation of 3 seeds",
        "  Instructions:               100.0              0.0",
    ];
    assert_eq!(lines(&printed)[2..], expected);
    let options = ["--seeds=3", "--seed=5", "--aggregates-only", "first"];
    let (_, printed) = lab.run(CASES, &options).unwrap();
    assert_eq!(lines(&printed)[1..], expected, "without the values of the first seed");
    assert!(fs::read_to_string(lab.stored("first", ".out")).unwrap().contains("totals: 100\n"));
}

#[test]
fn the_run_in_the_middle_is_stored_and_checked() {
    let lab = Lab::new();
    let varying = [StoredCase { step: 10, ..StoredCase::of(100) }, CASES[1], CASES[2]];
    lab.run(CASES, &["first"]).unwrap();
    let options = ["--repeat=4", "--callgrind-limits=ir=5%", "first"];
    let (tally, printed) = lab.run(varying, &options).unwrap();
    assert_eq!((tally.finished, tally.regressed), (1, 1));
    let expected = [
        "  Instructions:                 110|100             (+10.0000%) [+1.10000x]",
        "  Minimum, median, maximum of 4 runs",
        "  Instructions:                 100              110              130",
    ];
    assert_eq!(lines(&printed)[1..4], expected);
    assert!(fs::read_to_string(lab.stored("first", ".out")).unwrap().contains("totals: 110\n"));
    let (_, printed) = lab.run(varying, &["--repeat=2", "--seeds=2", "first"]).unwrap();
    let expected = [
        "  Instructions:                 100|110             (-9.09091%) [-1.10000x]",
        "  Minimum, median, maximum of 4 runs with 2 seeds",
    ];
    assert_eq!(lines(&printed)[1..3], expected);
    let left = fs::read_dir(lab.home.path()).unwrap().flatten().map(|entry| entry.file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("staging")));
}

#[test]
fn captured_output_is_shown_on_request() {
    let lab = Lab::new();
    let (_, printed) = lab.run(CASES, &["--nocapture", "first"]).unwrap();
    assert_eq!(lines(&printed)[1..3], ["output of 0", "- end of stdout/stderr"]);
    let (_, printed) = lab.run(CASES, &["first"]).unwrap();
    assert!(!printed.contains("output of"), "{printed}");
}

#[test]
fn reports_are_written_to_files() {
    let lab = Lab::new();
    let path = lab.home.path().join("report.json");
    let option = format!("--report=json:{}", path.display());
    lab.run([CASES[0], StoredCase::failed(0), CASES[2]], &[&option]).unwrap();
    let summaries =
        iai_callgrind_summary::Summary::read_all(&fs::read_to_string(path).unwrap()).unwrap();
    let results: Vec<_> = summaries
        .iter()
        .map(|summary| {
            let total = summary.tools.first().map(|tool| tool.total["Ir"].new);
            (&*summary.name, total.flatten())
        })
        .collect();
    let count = |count| Some(iai_callgrind_summary::Value::Count(count));
    let expected = [
        ("file::group::first::id", count(100)),
        ("file::group::second::id", None),
        ("file::group::third::id", count(300)),
    ];
    assert_eq!(results, expected);
}

/// Costs that differ by more than the overhead of a run.
const LARGE: [StoredCase; 3] =
    [StoredCase::of(10_000_000), StoredCase::of(20_000_000), StoredCase::of(30_000_000)];

/// Runs each of these shards in turn. Returns the functions of each one.
fn run_shards(lab: &Lab, total: u32, options: &[&str]) -> Vec<Vec<String>> {
    let run = |number| {
        let shard = format!("--shard={number}/{total}");
        let (tally, printed) = lab.run(LARGE, &[&[&*shard], options].concat()).unwrap();
        let titles = printed.lines().filter_map(|line| line.strip_prefix("file::group::"));
        let functions = titles.map(|title| title.split_once(' ').unwrap().0.to_owned());
        let functions: Vec<_> = functions.collect();
        assert_eq!(tally.finished, functions.len());
        functions
    };
    (1..=total).map(run).collect()
}

fn sorted(shards: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut shards = shards;
    shards.sort();
    shards
}

#[test]
fn each_benchmark_is_in_one_shard_whichever_order_they_have() {
    let mut lab = Lab::new();
    for total in 1..=4 {
        let shards = run_shards(&lab, total, &["--nosummary"]);
        let sizes = shards.iter().map(Vec::len);
        assert!(sizes.clone().max() <= sizes.min().map(|least| least + 1), "{shards:?}");
        let mut all = shards.concat();
        all.sort_unstable();
        assert_eq!(all, ["first", "second", "third"]);
        lab.group.functions.reverse();
        let reversed = run_shards(&lab, total, &["--nosummary"]);
        assert_eq!(sorted(vec![reversed.concat()])[0].len(), 3);
        for (shard, reversed) in shards.iter().zip(&reversed) {
            assert!(shard.iter().rev().eq(reversed), "{shards:?}");
        }
        lab.group.functions.reverse();
    }
}

#[test]
fn shards_are_balanced_by_the_baseline_to_compare_with() {
    let lab = Lab::new();
    let compared = ["--baseline=main", "--nosummary"];
    for shard in ["--shard=1/4", "--shard=2/4", "--shard=3/4", "--shard=4/4"] {
        let missing = lab.run(LARGE, &[&[shard], &compared[..]].concat());
        assert!(matches!(missing, Err(Error::Run(RunError::NoBaseline { .. }))), "{shard}");
    }
    lab.run(LARGE, &["--save-baseline=main"]).unwrap();
    let shards = sorted(run_shards(&lab, 2, &compared));
    assert_eq!(shards, [vec!["first", "second"], vec!["third"]]);

    // A newer benchmark has the mean cost of the others
    for file in [".base@main.out", ".base@main.log"] {
        fs::remove_file(lab.stored("third", file)).unwrap();
    }
    let shards = sorted(run_shards(&lab, 2, &compared));
    assert_eq!(shards, [vec!["first", "third"], vec!["second"]]);
    assert_eq!(sorted(run_shards(&lab, 3, &compared)), [["first"], ["second"], ["third"]]);
}

#[test]
fn benchmarks_stay_in_the_shards_of_the_baseline_to_compare_with() {
    let names = ["second", "third", "first"];
    // Another machine has another part of the baseline
    let shards = (1..=2).map(|number| {
        let mut lab = Lab::new();
        let shard = format!("--shard={number}/2");
        lab.run(LARGE, &[&shard, "--save-baseline=base"]).unwrap();
        let before = lab.list(&[&shard, "--list"]);
        // With new benchmarks, the same ones would be divided differently
        for (entry, name) in names.into_iter().enumerate() {
            let mut function = lab.group.functions[entry].clone();
            function.name = Some(format!("a_new_{name}"));
            lab.group.functions.insert(0, function);
        }
        let after = lab.list(&[&shard, "--list", "--baseline=base"]);
        let name = |benchmark: &Benchmark| benchmark.function().to_owned();
        let (before, after): (Vec<_>, Vec<_>) =
            (before.iter().map(name).collect(), after.iter().map(name).collect());
        let old = after.iter().filter(|name| !name.starts_with("a_new"));
        assert!(old.eq(&before), "{before:?} {after:?}");
        after
    });
    let shards: Vec<_> = shards.collect();
    let mut all = shards.concat();
    all.sort();
    assert_eq!(all.len(), 6);
    all.dedup();
    assert_eq!(all.len(), 6, "{shards:?}");
    assert!(shards.iter().all(|shard| shard.len() == 3), "{shards:?}");
}

#[test]
fn benchmarks_that_belong_together_are_in_one_shard() {
    let mut lab = Lab::new();
    lab.group.compare = Compare::ById;
    lab.group.functions[0].cases.push(case(0, "other", ""));
    let together = vec!["first", "second", "third"];
    let shards = sorted(run_shards(&lab, 2, &["--nosummary"]));
    assert_eq!(shards, [vec!["first"], together], "those with the same id");

    lab.group.compare = Compare::No;
    let hook = |kind, name: &str| MeasuredHook {
        kind,
        name: name.to_owned(),
        subject: lab.group.functions[0].cases[0].subject.clone(),
    };
    lab.group.measured_hooks = vec![hook(HookKind::Before, "set_up"), hook(HookKind::After, "end")];
    let sizes = (1..=3).map(|number| {
        let shard = format!("--shard={number}/3");
        lab.list(&[&shard, "--list"]).len()
    });
    let mut sizes: Vec<_> = sizes.collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 0, 6], "those of a group with measured hooks");
}

#[test]
fn a_baseline_names_its_shards_until_it_is_that_of_a_whole_run() {
    let lab = Lab::new();
    let directory = lab.home.path().join("package/file");
    let slot = Slot::Baseline("main".to_owned());
    let missing = || {
        let record = ShardRecord::read(&directory, &slot).unwrap();
        record.map(|record| record.missing())
    };
    for (options, expected) in [
        (&["--shard=2/3", "--save-baseline=main"][..], Some(vec![1, 3])),
        (&["--shard=3/3", "--save-baseline=main"], Some(vec![1])),
        (&["--shard=1/3"], Some(vec![1])),
        (&["--shard=1/3", "--save-baseline=main", "--list"], Some(vec![1])),
        (&["--save-baseline=main", "none"], Some(vec![1])),
        (&["--save-baseline=main", "first"], None),
        (&["--shard=1/2", "--save-baseline=main"], Some(vec![2])),
        (&["--shard=1/2", "--save-baseline=main", "third"], Some(vec![2])),
        (&["--save-baseline=main"], None),
    ] {
        if options.contains(&"--list") {
            let _ = lab.list(options);
        } else {
            lab.run(CASES, options).unwrap();
        }
        assert_eq!(missing(), expected, "{options:?}");
    }
}

#[test]
fn results_that_were_stored_before_a_limit_ended_the_run_are_reported() {
    let lab = Lab::new();
    // The last one ends first
    let cases = [StoredCase::of(400), StoredCase::of(200), StoredCase::of(300)];
    let options = ["--callgrind-limits=ir=350", "--regression-fail-fast"];
    let (tally, printed) = lab.run(cases, &options).unwrap();
    let names = lines(&printed).into_iter().filter_map(|line| line.strip_prefix("file::group::"));
    let names: Vec<_> = names.filter_map(|line| line.split_once(' ')).map(|name| name.0).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!((tally.finished, tally.regressed), (3, 1));
    for function in names {
        assert!(lab.stored(function, ".out").exists(), "{function}");
    }
}
