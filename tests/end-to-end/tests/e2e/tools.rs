//! All of Valgrind's tools: what they report about a benchmark, in which form, and where it is
//! stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Run, Suite, names_of_results, run, shared_run};

const ALL: &str = "--tools=cachegrind,dhat,memcheck,helgrind,drd,massif,bbv";

/// Returns the new values by benchmark, tool and label. Without a headline the tool is called `default`.
fn values(stdout: &str) -> BTreeMap<(String, String, String), String> {
    let mut values = BTreeMap::new();
    let (mut benchmark, mut tool) = (String::new(), String::new());
    for line in stdout.lines() {
        if let Some(headline) = line.strip_prefix("  ======= ") {
            assert_eq!(line.len(), 63, "{line:?}");
            headline.trim_end_matches(['=', ' ']).clone_into(&mut tool);
        } else if let Some((label, rest)) =
            line.strip_prefix("  ").and_then(|it| it.split_once(": "))
        {
            let (new, old) = rest.split_once('|').expect("two values");
            assert_eq!(line.find('|'), Some(35), "{line:?}");
            assert!(old.contains('('), "{line:?}");
            let key = (benchmark.clone(), tool.clone(), label.to_owned());
            assert_eq!(values.insert(key, new.trim().to_owned()), None, "{line:?}");
        } else if line.contains("::") {
            let (_, name) = line.split_once("::").expect("a name");
            (benchmark, tool) = (name.to_owned(), "default".to_owned());
        }
    }
    values
}

/// Returns the values of a benchmark under a tool, in the order of their labels' letters.
fn values_under(stdout: &str, benchmark: &str, tool: &str) -> Vec<(String, u64)> {
    let of_it =
        values(stdout).into_iter().filter(|((name, it, _), _)| name == benchmark && it == tool);
    of_it.map(|((_, _, label), value)| (label, value.parse().expect("a number"))).collect()
}

/// Returns DHAT's totals of a benchmark: bytes and blocks.
fn total(stdout: &str, benchmark: &str, tool: &str) -> (u64, u64) {
    let values: BTreeMap<_, _> = values_under(stdout, benchmark, tool).into_iter().collect();
    (values["Total bytes"], values["Total blocks"])
}

#[test]
fn dhat_reports_the_benchmark_function_alone() {
    let tools = Suite::new("tools");
    let stdout = tools.run(&["--tools=dhat", "heap"]).expect(0).stdout;
    let total = |benchmark: &str| total(&stdout, benchmark, "DHAT");
    assert_eq!(total("heap::three_blocks after_set_up:1000"), (300, 3));
    assert_eq!(total("heap::tail_call ten:10"), (10 * 8 + 10 * 100, 11));
    assert_eq!(total("heap::frees ten:10"), (0, 0));
    assert_eq!(total("heap::nothing"), (0, 0));
    let (bytes, blocks) = total("heap::in_a_thread");
    assert!(bytes > 5 * 108 && blocks > 6, "{bytes} in {blocks}");
    let expected = [
        ("At t-end blocks", 0),
        ("At t-end bytes", 0),
        ("At t-gmax blocks", 3),
        ("At t-gmax bytes", 300),
        ("Reads bytes", 0),
        ("Total blocks", 3),
        ("Total bytes", 300),
        ("Writes bytes", 300),
    ]
    .map(|(label, value)| (label.to_owned(), value));
    assert_eq!(values_under(&stdout, "heap::three_blocks after_set_up:1000", "DHAT"), expected);

    let directory = tools.directory().join("heap/three_blocks.after_set_up");
    let file = directory.join("dhat.three_blocks.after_set_up.out");
    assert!(fs::read_to_string(file).expect("DHAT's file").starts_with("{\"dhatFileVersion\":"));
}

#[test]
fn entry_points_and_frames_decide_whose_blocks_count() {
    let stdout = Suite::new("tools").run(&["--default-tool=dhat", "owners"]).expect(0).stdout;
    let total = |id: &str| total(&stdout, &format!("owners::entry_points {id}:20"), "default");
    let of_set_up = (20 * 8 + 20 * 100, 21);
    assert_eq!(total("set_up_only"), of_set_up);
    assert_eq!(total("frames_only"), of_set_up);
    assert_eq!(total("set_up_too"), (of_set_up.0 + 100, of_set_up.1 + 1));
    let (bytes, blocks) = total("everything");
    assert!(bytes > of_set_up.0 + 100 && blocks > of_set_up.1 + 1, "{bytes} in {blocks}");
}

// DHAT's viewer adds up the points of the file.
#[test]
fn dhats_file_has_the_blocks_that_count() {
    /// The fields of a file that the viewer demands: of version 2, and of version 1, which Valgrind 3.16 writes.
    const FIELDS: [&[&str]; 2] = [
        &[
            "mode", "verb", "bklt", "bkacc", "tu", "Mtu", "cmd", "pid", "te", "tg", "tuth", "pps",
            "ftbl",
        ],
        &["cmd", "pid", "mi", "ei", "aps", "ftbl"],
    ];
    const VALUES: [(&str, &str); 8] = [
        ("Total bytes", "tb"),
        ("Total blocks", "tbk"),
        ("At t-gmax bytes", "gb"),
        ("At t-gmax blocks", "gbk"),
        ("At t-end bytes", "eb"),
        ("At t-end blocks", "ebk"),
        ("Reads bytes", "rb"),
        ("Writes bytes", "wb"),
    ];
    let tools = Suite::new("tools");
    let stdout = tools.run(&["--default-tool=dhat", "tools::files::"]).expect(0).stdout;
    let path = |id: &str, extension: &str| {
        tools.directory().join(format!("files/stored.{id}/dhat.stored.{id}.{extension}"))
    };
    let sums = |file: &Path| {
        let text = fs::read_to_string(file).expect("DHAT's file");
        let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let is_old = file["dhatFileVersion"] == 1;
        for field in FIELDS[usize::from(is_old)] {
            assert!(!file[field].is_null(), "{field}");
        }
        assert_eq!(file["ftbl"][0], "[root]");
        let frames = file["ftbl"].as_array().expect("frames").len();
        let points = file[if is_old { "aps" } else { "pps" }].as_array().expect("points").clone();
        let indexes = points.iter().flat_map(|point| point["fs"].as_array().expect("a stack"));
        assert!(
            indexes
                .map(|index| index.as_u64().expect("an index"))
                .all(|index| index < frames as u64)
        );
        VALUES.map(|(label, field)| {
            let field = if is_old { field.replace('e', "f") } else { field.to_owned() };
            let value = |point: &serde_json::Value| point[&field].as_u64().expect("a number");
            (label.to_owned(), points.iter().map(value).sum::<u64>())
        })
    };
    let original = sums(&path("whole", "out"));
    assert!(original[1].1 > 22, "the whole process has more blocks than setup and benchmark");
    for id in ["selected", "whole", "both"] {
        let mut printed = values_under(&stdout, &format!("files::stored {id}:20"), "default");
        assert_eq!(total(&stdout, &format!("files::stored {id}:20"), "default"), (100, 1));
        let mut stored = sums(&path(id, "out")).to_vec();
        printed.sort_unstable();
        stored.sort_unstable();
        assert_eq!(stored == printed, id != "whole", "{id}: {stored:?} {printed:?}");
        assert_eq!(path(id, "out.orig").exists(), id == "both");
    }
    assert_eq!(sums(&path("both", "out.orig")), original);

    // Old results are compared as they were counted, and move to their slot with all files
    let second = tools.run(&["--default-tool=dhat", "tools::files::"]).expect(0).stdout;
    assert_eq!(second.matches("|100             (No change)").count(), 3 * 3, "{second}");
    assert!(path("both", "old.out.orig").is_file() && !path("whole", "old.out.orig").exists());
}

/// Arguments that start one tool at a time and store the results as a baseline.
const ONE_AT_A_TIME: [&str; 4] =
    [ALL, "--parallel=1", "--save-baseline=first", "heap::three_blocks"];

/// Returns what all tools print.
fn under_all_tools() -> &'static str {
    &shared_run("tools", &[ALL, "--parallel=8", "heap::three_blocks"]).succeeded().stdout
}

#[test]
fn each_tool_has_its_results() {
    let stdout = under_all_tools();
    let values = values(stdout);
    let tools: BTreeSet<_> = values.keys().map(|(_, tool, _)| &**tool).collect();
    let expected =
        ["BBV", "CACHEGRIND", "CALLGRIND", "DHAT", "DRD", "HELGRIND", "MASSIF", "MEMCHECK"];
    assert_eq!(tools.into_iter().collect::<Vec<_>>(), expected);
    let benchmark = "heap::three_blocks after_set_up:1000";
    assert_eq!(total(stdout, benchmark, "DHAT"), (300, 3));
    for tool in ["DRD", "HELGRIND", "MEMCHECK"] {
        let value = |label: &str| &*values[&(benchmark.into(), tool.into(), label.into())];
        assert_eq!((value("Errors"), value("Contexts")), ("0", "0"), "{tool}");
    }
}

#[test]
fn all_tools_tell_the_same_however_many_run_at_once() {
    let one = &shared_run("tools", &ONE_AT_A_TIME).succeeded().stdout;
    assert_eq!(values(one), values(under_all_tools()));
}

#[test]
fn our_own_code_is_without_errors() {
    let stdout =
        Suite::new("tools").run(&["--tools=memcheck,helgrind,drd", "thre"]).expect(0).stdout;
    let errors = values(&stdout);
    let errors =
        errors.iter().filter(|((_, _, label), _)| label == "Errors" || label == "Contexts");
    assert!(
        errors.clone().count() == 2 * 3 * 2 && errors.into_iter().all(|(_, value)| value == "0")
    );
}

#[test]
fn files_of_all_processes_are_kept_and_compared() {
    let tools = Suite::new("tools");
    let arguments = ["--tools=bbv,massif", "--show-intermediate", "processes"];
    tools.run(&arguments).complains(&[]);
    let stdout = tools.run(&arguments).expect(0).stdout;
    // callgrind, dhat, memcheck, massif, bbv: each with two processes and a total
    assert_eq!(stdout.matches("  ## pid: ").count(), 2 * 5);
    assert_eq!(stdout.matches("  ## Total").count(), 5);
    assert_eq!(stdout.matches(" /bin/true\n").count(), 5);
    assert!(!stdout.contains("N/A"), "{stdout}");
    let mut files = names_of_results(&tools.directory().join("processes/process"));
    files.retain(|name| !name.contains(".old.") && !name.starts_with("callgrind"));
    let expected = [
        "bbv.process.bb",
        "bbv.process.bb.p2",
        "bbv.process.fingerprint.json",
        "bbv.process.log",
        "bbv.process.pc",
        "bbv.process.pc.p2",
        "dhat.process.fingerprint.json",
        "dhat.process.log",
        "dhat.process.out",
        "dhat.process.out.p2",
        "massif.process.fingerprint.json",
        "massif.process.log",
        "massif.process.out",
        "massif.process.out.p2",
        "memcheck.process.fingerprint.json",
        "memcheck.process.log",
    ];
    assert_eq!(files, expected);
}

#[test]
fn baselines_limits_and_metrics_are_there_for_each_tool() {
    let filter = "heap::three_blocks";
    let (tools, _) = Suite::after_run("tools", &ONE_AT_A_TIME);
    let arguments = [
        "--default-tool=dhat",
        "--tools=massif",
        "--baseline=first",
        "--dhat-metrics=tb,TotalLifetimes,gbk",
        "--dhat-limits=@default=5%|1000,tbk=2",
        "--massif-limits=PeakBytes=1",
        filter,
    ];
    let run = tools.run(&arguments).expect(3);
    assert!(!run.stdout.contains("N/A"), "{}", run.stdout);
    let labels: Vec<_> = values(&run.stdout).into_keys().map(|(_, _, label)| label).collect();
    assert!(
        labels.contains(&"Total lifetimes".to_owned())
            && !labels.contains(&"Reads bytes".to_owned())
    );
    for regressed in ["Total blocks 3 (limit 2)", "Peak bytes "] {
        let line = format!("limit exceeded: {regressed}");
        assert!(run.stdout.contains(&line), "{}", run.stdout);
    }
    let loaded = ["--default-tool=dhat", "--load-baseline=first", "--baseline=other", filter];
    tools.run(&["--default-tool=dhat", "--save-baseline=other", filter]).expect(0).complains(&[]);
    let stdout = tools.run(&loaded).expect(0).stdout;
    assert_eq!(total(&stdout, "heap::three_blocks after_set_up:1000", "default"), (300, 3));
}

#[test]
fn options_of_a_tool_that_does_not_run_are_reported() {
    let tools = Suite::new("tools");
    let warnings = |arguments: &[&str]| {
        let all = [&["heap::nothing", "--default-tool=massif"], arguments].concat();
        let run = tools.run(&all).expect(0);
        run.stderr.matches("have no effect: no benchmark runs under it").count()
    };
    let options =
        ["--callgrind-limits=ir=100", "--flamegraph", "--callgrind-args=--branch-sim=yes"];
    for option in options {
        assert_eq!(warnings(&[option]), 1, "{option}");
    }
    assert_eq!(warnings(&[&options[..], &["--tools=callgrind"]].concat()), 0);
    assert_eq!(warnings(&["--regression-fail-fast", "--tools=dhat"]), 0);
}

#[test]
fn results_of_one_tool_are_reported_if_a_limit_ends_the_run_before_the_other() {
    let order = Suite::new("order");
    let options = ["--tools=dhat", "--callgrind-limits=ir=1", "--regression-fail-fast"];
    let stdout = order.run(&options).expect(3).stdout;
    let stored = |tool: &str| {
        let names = names_of_results(&order.home());
        let is_result =
            |name: &&String| Path::new(name).extension().is_some_and(|end| end == "out");
        names.iter().filter(is_result).filter(|name| name.contains(tool)).count()
    };
    let reported = |metric: &str| stdout.matches(&format!("\n  {metric}:")).count();
    assert_eq!((stored("/callgrind."), reported("Instructions")), (8, 8), "{stdout}");
    // The first benchmark ends the run. Others may have ended before it under DHAT
    let under_dhat = stored("/dhat.");
    assert!(under_dhat > 0, "{stdout}");
    assert_eq!(under_dhat, reported("Total blocks"), "{stdout}");
}

#[test]
fn output_is_shown_of_the_default_tools_run() {
    let prints = Suite::new("prints");
    let stdout = prints.run(&["--tools=dhat,memcheck", "--nocapture"]).expect(0).stdout;
    let titles = stdout.lines().filter(|line| line.starts_with("prints::")).count();
    assert!(titles > 0, "{stdout}");
    assert_eq!(stdout.matches("- end of stdout/stderr").count(), titles, "{stdout}");
}

/// Runs this benchmark of errors.
fn errors(suite: &Suite, tool: &str, benchmark: &str, arguments: &[&str]) -> Run {
    let tool = format!("--default-tool={tool}");
    let name = format!("tool_errors::errors::{benchmark}");
    suite.run(&[&[&*tool, "--exact", &*name], arguments].concat())
}

#[test]
fn errors_fail_the_run_with_the_tools_report() {
    for (tool, benchmark, report) in [
        ("memcheck", "invalid_read", "Invalid read of size 1"),
        ("memcheck", "leak", "1,000 bytes in 1 blocks are definitely lost"),
        ("helgrind", "data_race", "Possible data race during"),
        ("drd", "data_race", "Conflicting "),
    ] {
        let suite = Suite::new("tool_errors");
        let run = errors(&suite, tool, benchmark, &[]).expect(1);
        let found = format!("error: tool_errors::errors::{benchmark}: {tool} found errors");
        run.complains(&[&found, report]);
        assert_eq!(run.stderr.matches(&found).count(), 1);
        assert!(run.stdout.contains("Failed. 1 benchmark ran, 0 regressed, 1 failed"));
        let counted = values_under(&run.stdout, &format!("errors::{benchmark}"), "default");
        assert!(counted.iter().any(|(label, errors)| label == "Errors" && *errors > 0));
    }
    let argument = "--memcheck-args=--error-exitcode=0";
    let suite = Suite::new("tool_errors");
    errors(&suite, "memcheck", "invalid_read", &[argument]).expect(0).complains(&[]);
}

#[test]
fn suppressed_errors_fail_nothing() {
    for (tool, benchmark, kind, frame) in [
        ("memcheck", "invalid_read", "Memcheck:Addr1", "fun:*read_behind_the_end*"),
        ("memcheck", "leak", "Memcheck:Leak", "fun:*leak_a_block*"),
        ("helgrind", "data_race", "Helgrind:Race", "fun:*thread_start*"),
        ("drd", "data_race", "drd:ConflictingAccess", "fun:*thread_start*"),
    ] {
        let suite = Suite::new("tool_errors");
        let file = suite.root().join("known.supp");
        fs::write(&file, format!("{{\n  known\n  {kind}\n  ...\n  {frame}\n}}\n")).expect("a file");
        let argument = format!("--{tool}-args=--suppressions={}", file.display());
        let run = errors(&suite, tool, benchmark, &[&argument]).expect(0);
        let counted: BTreeMap<_, _> =
            values_under(&run.stdout, &format!("errors::{benchmark}"), "default")
                .into_iter()
                .collect();
        assert_eq!(counted["Errors"], 0);
        assert!(counted["Suppressed Errors"] > 0 || benchmark == "leak", "{counted:?}");
    }
}

#[test]
fn a_panic_after_an_error_is_a_panic() {
    let run =
        errors(&Suite::new("tool_errors"), "memcheck", "panics_after_an_error", &[]).expect(1);
    run.complains(&["on purpose", "ERROR SUMMARY: 1 errors from 1 contexts"]);
}

#[test]
fn details_of_leaks_and_trees_of_memory_come_on_request() {
    let suite = Suite::new("tool_errors");
    let arguments =
        ["--memcheck-metrics=@leaks", "--memcheck-args=--xtree-leak=yes --xtree-memory=full"];
    let run = errors(&suite, "memcheck", "leak", &arguments).expect(1);
    let counted: BTreeMap<_, _> =
        values_under(&run.stdout, "errors::leak", "default").into_iter().collect();
    assert_eq!((counted["Definite bytes"], counted["Definite blocks"]), (1000, 1));
    for extension in ["xtleak.kcg", "xtmemory.kcg"] {
        let file = suite.directory().join(format!("errors/leak/memcheck.leak.{extension}"));
        assert!(file.is_file(), "{}", file.display());
    }
}

#[test]
fn cachegrind_counts_what_callgrind_counts_or_reports_that_it_counts_more() {
    let tools = Suite::new("tools");
    // Threads take turns as they like
    let run = tools.run(&["--tools=cachegrind", "heap", "--skip=in_a_thread"]).expect(0);
    let is_whole = run.stderr.contains("note: cachegrind counts the whole process");
    let names: BTreeSet<_> = values(&run.stdout).into_keys().map(|(name, _, _)| name).collect();
    assert_eq!(names.len(), 4);
    for name in names {
        let counted = |tool| -> BTreeMap<_, _> {
            values_under(&run.stdout, &name, tool).into_iter().collect()
        };
        let (callgrind, cachegrind) = (counted("CALLGRIND"), counted("CACHEGRIND"));
        for label in ["Instructions", "Total read+write"] {
            if is_whole {
                assert!(cachegrind[label] > callgrind[label] + 100_000, "{name} {label}");
            } else {
                assert_eq!(cachegrind[label], callgrind[label], "{name} {label}");
            }
        }
    }
    let file = tools.directory().join("heap/nothing/cachegrind.nothing.out");
    let annotated = run_annotate(&file);
    assert!(annotated.contains("PROGRAM TOTALS"), "{annotated}");
}

fn run_annotate(file: &Path) -> String {
    run(Command::new("cg_annotate").arg(file).env_remove("PERL5LIB")).expect(0).stdout
}

// Otherwise all of its metrics would be zero, and pass each limit.
#[test]
fn a_tool_that_does_not_see_the_allocator_has_no_result() {
    let suite = Suite::new("own_allocator");
    let run = suite.run(&["--tools=dhat,massif,memcheck", "--dhat-limits=totalbytes=5%"]).expect(1);
    for tool in ["dhat", "massif", "memcheck"] {
        let error = format!("{tool} can't see what it allocates: it has an allocator of its own");
        assert!(run.stderr.contains(&error), "{}", run.stderr);
    }
    assert!(!run.stdout.contains("Total bytes"), "{}", run.stdout);
    let copies = suite.run(&["--tools=dhat", "--dhat-args=--mode=copy"]).expect(0);
    assert_eq!(copies.stderr, "");
    let limited = suite.run(&["--callgrind-limits=allocations=0"]).expect(0);
    limited
        .complains(&["the limit of Allocations has no effect: callgrind does not see", "help: "]);
}
