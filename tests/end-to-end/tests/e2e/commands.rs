//! Binary benchmarks: what commands run with, what counts, and what is left.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use end_to_end_tests::{
    Run, Suite, benchmark, copy_executable, grouped, lines, objects, run, shared_report, shared_run,
};

/// Returns the command of the suite with a directory for temporary files of its own.
fn command(suite: &Suite) -> Command {
    let temporary = suite.root().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = suite.command();
    command.env("TMPDIR", temporary).env("PASSED", "here").env_remove("LOW");
    command
}

/// Runs the selected benchmarks, after which no sandbox and no staging directory is left.
fn run_all(suite: &Suite, arguments: &[&str]) -> Run {
    let run = run(command(suite).args(arguments));
    assert_eq!(fs::read_dir(suite.root().join("tmp")).unwrap().count(), 0, "{}", run.stderr);
    let entries = fs::read_dir(suite.directory()).unwrap().flatten();
    let names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.starts_with(".staging")), "{names:?}");
    run
}

/// Cases that other tests run, and those that differ from another one in what the macros make of it. Test mode runs these.
const LEFT_OUT: [&str; 9] = [
    "--skip=counted",
    "--skip=arguments::each",
    "--skip=arguments::of_file_0",
    "--skip=arguments::of_iter_0",
    "--skip=arguments::cut",
    "--skip=set_up::other",
    "--skip=set_up::closure",
    "--skip=ends::success",
    "--skip=ends::code_0",
];

/// Returns the lines that a benchmark printed, of which the last one is that of the end.
#[track_caller]
fn printed<'a>(stdout: &'a str, name: &str) -> Vec<&'a str> {
    lines::printed(stdout, |line| line.starts_with(&format!("commands::{name}:")))
}

#[test]
fn every_way_to_run_a_command_works_and_counts_the_same_again() {
    let commands = Suite::new("commands");
    let first = run_all(&commands, &[&["--nocapture=stdout"], &LEFT_OUT[..]].concat()).expect(0);
    let titles: BTreeSet<_> =
        first.stdout.lines().filter(|line| line.starts_with("commands::")).collect();
    for title in [
        "commands::places::without_a_case",
        "commands::places::programs of_the_package:benchmark-tests-echo a b",
        "commands::places::programs in_path:echo a b",
        "commands::inputs::arguments blank:benchmark-tests-printargs \"a b\"",
        "commands::inputs::arguments of_file_1:benchmark-tests-printargs \"second lin...",
        "commands::inputs::arguments of_iter_1:benchmark-tests-printargs yy",
        "commands::streams::input setup:benchmark-tests-sort",
        "commands::endings::ends code:benchmark-tests-exit-with 100",
    ] {
        assert!(titles.contains(title), "no {title:?} in {titles:#?}");
    }
    let end = "- end of stdout/stderr";
    let input = |case: &str| printed(&first.stdout, &format!("streams::input {case}"));
    assert_eq!(input("setup"), ["a", "b", end]);
    assert_eq!(input("setup_late"), ["late", end]);
    assert_eq!(input("file"), ["first line", "second line", end]);
    assert_eq!(input("empty"), [end]);
    assert_eq!(printed(&first.stdout, "streams::output pipe"), ["text", end]);

    let some = ["output::file", "output::pipe", "output::inherit", "ends::failure"];
    let again = run_all(&commands, &[&["--parallel=2"], &some[..]].concat()).expect(0);
    // What depends on when a process reads what another one writes
    let metrics = again.stdout.lines().filter(|line| line.contains('|'));
    assert_eq!(metrics.clone().count(), 4 * 6);
    for line in metrics {
        assert!(line.ends_with("(No change)"), "{}", again.stdout);
    }
    // What a command inherits is shown, and the rest with --nocapture
    assert_eq!(printed(&again.stdout, "streams::output inherit"), ["text", end]);
    assert!(printed(&again.stdout, "streams::output pipe").is_empty(), "{}", again.stdout);
}

#[test]
fn all_processes_and_threads_count() {
    let report = shared_report("commands", &["counted"]);
    let count = |name: &str| report.instructions(&format!("counted::{name}"));
    let [none, one, three] =
        ["none", "one", "three"].map(|it| count(&format!("subprocesses::{it}")));
    assert!(one > 2 * none && three > 4 * none && three < 5 * none, "{none} {one} {three}");
    let [one, two, five] = ["one", "two", "five"].map(|it| count(&format!("threads::{it}")));
    assert!(two - one > 400_000 && five - two > 3 * 400_000, "{one} {two} {five}");
}

// Callgrind passes its counts on to a new process.
#[test]
fn what_came_before_a_fork_counts_once() {
    let report = shared_report("commands", &["counted"]);
    let [none, one, four] =
        ["none", "one", "four"].map(|it| report.instructions(&format!("counted::forks::{it}")));
    assert!(none > 4_000_000);
    assert!((1..2000).contains(&(one - none)), "{none} {one}");
    assert!((1..2000).contains(&(four - one)), "{one} {four}");
}

#[test]
fn an_entry_point_counts_less() {
    let run = shared_run("commands", &["counted"]);
    let report = run.succeeded().report();
    let count = |id: &str| report.instructions(&format!("counted::entry_points::{id}"));
    let is_to_end = cfg!(target_arch = "aarch64");
    let note = "note: callgrind counts from the entry point of a command to the end of the process";
    assert_eq!(run.stderr.contains(note), is_to_end, "{}", run.stderr);
    let part = if is_to_end { 5 } else { 50 };
    assert!(count("main") < count("all") / part, "{} {}", count("main"), count("all"));
    assert_eq!(count("main"), count("tool"));
}

// A single process would leave no parts.
#[test]
fn the_processes_are_shown_one_by_one() {
    let run = Suite::new("commands").run(&["--show-intermediate", "subprocesses::one"]).expect(0);
    let commands = run.stdout.lines().filter(|line| line.starts_with("  Command:"));
    let commands: Vec<_> = commands.collect();
    assert_eq!(commands.len(), 2, "{}", run.stdout);
    assert!(commands.iter().all(|line| line.contains("/benchmark-tests-subprocesses ")));
    assert!(!run.stdout.contains("____"), "the path that it ran under: {}", run.stdout);
}

#[test]
fn each_process_is_a_result_of_its_own() {
    let suite = Suite::new("commands");
    let separate = ["--processes=separate", "subprocesses::three"];
    let first = suite.run(&separate).expect(0);
    let counts = |stdout: &str| {
        let lines: Vec<_> = stdout.lines().collect();
        let titles = lines.windows(2).filter(|pair| pair[0].starts_with("commands::"));
        let count = |line: &str| {
            let value = line.strip_prefix("  Instructions:").expect("the first value").trim();
            value.split('|').next().and_then(|value| value.parse::<u64>().ok()).expect("a count")
        };
        titles.map(|pair| (pair[0].to_owned(), count(pair[1]))).collect::<Vec<_>>()
    };
    let all = counts(&first.stdout);
    let title = "commands::counted::subprocesses three:benchmark-tests-subprocesses 3";
    let name = |number: &str| format!("{title} [benchmark-tests-subprocesses{number}]");
    let titles: Vec<_> = all.iter().map(|(title, _)| &**title).collect();
    assert_eq!(titles, [title, &name(""), &name("#2"), &name("#3"), &name("#4")]);
    // The sum is the result of the benchmark
    assert_eq!(all[0].1, all[1..].iter().map(|(_, count)| count).sum::<u64>());
    assert_eq!(first.report().names().len(), 5);

    // Each is compared and has limits
    let most = format!("--callgrind-limits=ir={}", all[4].1);
    let limited = suite.run(&[&separate[..], &[&most]].concat()).expect(3);
    assert_eq!(limited.stdout.matches("(No change)").count(), 5 * 6, "{}", limited.stdout);
    let (_, regressions) = limited.stdout.split_once("\nRegressions:\n").expect("a list");
    for (title, count) in &all {
        assert_eq!(regressions.contains(&format!("  {title}\n    Instr")), *count > all[4].1);
    }
    // Together, only the sum is there
    let together = shared_report("commands", &["counted"]).names();
    let three = together.iter().filter(|name| name.contains("subprocesses::three"));
    assert_eq!(three.count(), 1, "{together:?}");
    let one = suite.run(&["--processes=separate", "subprocesses::none"]).expect(0);
    assert_eq!(one.report().names().len(), 1, "a single process is the benchmark");
}

#[test]
fn a_limit_holds_for_each_named_process() {
    let suite = Suite::new("commands");
    let named = |steps: &str, arguments: &[&str]| {
        let mut command = suite.command();
        command.arg("subprocesses::named").args(arguments).env("STEPS", steps);
        run(&mut command)
    };
    let title = "commands::counted::subprocesses named:benchmark-tests-subprocesses 1";
    let titles = [title, &format!("{title} [client]"), &format!("{title} [server]")];
    let counts = |run: &Run| {
        let report = run.report();
        assert!(report.benchmarks.iter().map(|one| &*one.title).eq(titles), "{}", run.stdout);
        [0, 1, 2].map(|index: usize| report.benchmarks[index].lines[0].new)
    };
    let first = counts(&named("10000", &[]).expect(0));
    assert_eq!(first[0], first[1] + first[2]);

    // The server alone is beyond the limit: the sum grows by half as much, the client not at all
    let limit = "--callgrind-limits=ir=25%";
    let slower = named("30000", &[limit]).expect(3);
    let [sum, client, server] = counts(&slower);
    assert_eq!((client, sum - first[0]), (first[1], server - first[2]));
    let [old, new] = [first[2], server].map(grouped);
    let [message] = &*slower.report().benchmarks[2].regressions else { panic!("{slower:?}") };
    let end = format!(" % (limit +25 %): {old} → {new}");
    assert!(message.starts_with("Instructions +") && message.ends_with(&end), "{message}");
    assert_eq!(slower.report().regressions, [titles[2], &**message], "no other is listed");
    let end = "\nIai-Callgrind result: Regressed. 1 benchmark ran, 1 regressed, in ";
    assert!(slower.stdout.contains(end), "{}", slower.stdout);
    // For programs, the message has the name. Now the sum is beyond the limit as well
    let json = named("90000", &[limit, "--output-format=json"]).expect(3);
    let tool = &objects(&json.stdout)[0]["tools"][0];
    let regressions = tool["regressions"].as_array().expect("a list").iter();
    let messages: Vec<_> = regressions.filter_map(|one| one["message"].as_str()).collect();
    let starts = ["Instructions +", "server: Instructions +"];
    assert!(messages.len() == 2 && (0..2).all(|index| messages[index].starts_with(starts[index])));
}

#[test]
fn sandboxes_are_kept_if_that_is_asked_for() {
    let commands = Suite::new("commands");
    let run = run(command(&commands).args(["--keep-sandbox", "inputs::set_up::first"])).expect(0);
    let note = "note: the sandbox of commands::inputs::set_up::first is ";
    let path = run.stderr.lines().find_map(|line| line.strip_prefix(note)).expect("a note");
    assert_eq!(fs::read_to_string(format!("{path}/first.txt")).unwrap(), "first");
}

#[test]
fn other_tools_run_commands_too() {
    let commands = Suite::new("commands");
    let run =
        run_all(&commands, &["--tools=dhat,memcheck,massif", "places::programs::of_the_package"]);
    let run = run.expect(0);
    for tool in ["CALLGRIND", "DHAT", "MEMCHECK", "MASSIF"] {
        assert!(run.stdout.to_uppercase().contains(tool), "no {tool}: {}", run.stdout);
    }
}

#[test]
fn test_mode_runs_each_command_once_and_natively() {
    let commands = Suite::new("commands");
    let mut bare = commands.bare();
    bare.env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner()).env("PASSED", "here");
    let passed = run(bare.arg("--skip=unread")).expect(0);
    assert!(passed.stdout.contains("test commands::streams::input::setup ... ok\n"));
    assert!(passed.stdout.contains("test commands::places::without_a_case ... ok\n"));
    let (_, result) = passed.stdout.split_once("test result: ").expect("a result");
    assert!(result.starts_with("ok. ") && result.contains(" 0 failed; "), "{result}");
    assert!(result.contains("; 1 filtered out; "), "{result}");
    assert!(!commands.home().exists());

    let list = run(commands.bare().args(["--list", "--format", "terse", "endings"]));
    let names = list.expect(0).stdout;
    assert_eq!(names.lines().next(), Some("commands::endings::ends::success: benchmark"));
    assert_eq!(names.lines().count(), 4);

    let failures = Suite::new("command_failures");
    let mut failing = failures.bare();
    failing.env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner());
    let failed = run(failing.args(["::ends::code", "::good::before"])).expect(101);
    assert!(failed.stdout.contains("test command_failures::group::ends::code ... FAILED\n"));
    assert!(failed.stdout.contains("test command_failures::group::good::before ... ok\n"));
    failed.complains(&["exit code 3, but success is expected", "error output before the end: 3"]);
}

/// Returns the programs of `places.rs` and the benchmark executable in a checkout whose path has this length, and
/// results below a home with another one.
fn in_a_checkout(length: usize) -> Vec<u64> {
    let root = "x".repeat(length);
    let suite = Suite::new("places").with_copy(&format!("{root}/deps/places"));
    for name in ["sort", "env", "printargs", "subprocesses"] {
        let name = format!("benchmark-tests-{name}");
        let built = benchmark("places").ancestors().nth(2).unwrap().join(&name);
        copy_executable(&built, &suite.root().join(&root).join(name));
    }
    let mut command = suite.bare();
    let home = suite.root().join("y".repeat(length));
    command.env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner()).arg("--bench").arg("--home");
    let report = run(command.arg(home)).expect(0).report();
    report.benchmarks.iter().flat_map(|it| it.lines.iter().map(|line| line.new)).collect()
}

#[test]
fn counts_do_not_depend_on_where_the_checkout_lies() {
    let short = in_a_checkout(1);
    assert_eq!(short.len(), 5 * 6);
    assert_eq!(in_a_checkout(133), short);
}

#[test]
#[ignore = "long"]
fn no_length_of_the_checkouts_path_matters() {
    let short = in_a_checkout(1);
    for length in [7, 60, 133, 240] {
        assert_eq!(in_a_checkout(length), short, "{length}");
    }
}
