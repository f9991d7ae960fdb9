//! The time of benchmarks, measured without Valgrind.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

use end_to_end_tests::{ProcessGroup, Suite, objects, processes_with, run, soon, stored};
use serde_json::Value;

/// Returns the objects `time` by function or, if it has none, by id.
fn times(stdout: &str) -> BTreeMap<String, Value> {
    let entry = |summary: &Value| {
        let name = summary["function"].as_str().or(summary["id"].as_str()).unwrap().to_owned();
        (name, summary["time"].clone())
    };
    objects(stdout).iter().map(entry).collect()
}

/// Returns the time of a call in nanoseconds.
fn wall(time: &Value) -> f64 {
    time["new"]["wall"]["value"].as_f64().unwrap_or_else(|| panic!("{time}"))
}

#[test]
fn functions_have_a_time_without_valgrind() {
    let suite = Suite::new("timed");
    let mut command = suite.command();
    command.args(["--time", "--time-budget=400ms", "--output-format=json", "--nocapture=no"]);
    command.env("IAI_CALLGRIND_VALGRIND_PATH", "/nowhere/valgrind");
    let output = run(&mut command).expect(1);
    output.complains(&["timed::group::panics", "not today", "with --envs=RUST_BACKTRACE=1"]);
    let times = times(&output.stdout);
    assert_eq!(times.len(), 7);
    assert_eq!(times["panics"], Value::Null);
    for name in ["empty", "own_input", "arguments"] {
        let time = &times[name];
        assert!(wall(time) > 0.0 && wall(time) < 100_000.0, "{time}");
        assert!(time["calls"].as_u64() > Some(1), "{time}");
    }
    // The setup is outside: it sleeps for 5 ms
    assert!(wall(&times["after_setup"]) < 1e6, "{}", times["after_setup"]);
    let sleeps = &times["sleeps"];
    assert!(wall(sleeps) >= 2e6, "{sleeps}");
    assert!(sleeps["new"]["cpu"]["value"].as_f64() < Some(2e6), "{sleeps}");
    assert!(wall(&times["starts_threads"]) > 0.0);
    let stored = stored(&suite.home(), &["list"]).expect(0);
    assert!(!stored.stdout.contains("panics"), "{}", stored.stdout);
    assert_eq!(stored.stdout.matches("  @last\n").count(), 6, "{}", stored.stdout);
}

#[test]
fn a_table_has_the_times_and_their_intervals() {
    let suite = Suite::new("timed");
    let mut command = suite.command();
    command.args(["--time", "--time-budget=2s", "empty", "sleeps"]);
    let timed = run(&mut command).expect(0);
    assert!(
        timed.stdout.starts_with("\nTime of a call, with 95 % intervals from "),
        "{}",
        timed.stdout
    );
    let line = |name: &str| {
        let line = timed.stdout.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{}", timed.stdout)).to_owned()
    };
    assert!(line("timed::group::empty").contains(" ns "));
    let sleeps = line("timed::group::sleeps two:2");
    assert!(sleeps.contains(" ms ") && sleeps.contains("CPU "), "{sleeps}");
    assert!(
        timed.stdout.contains("\nIai-Callgrind result: Ok. 2 benchmarks ran"),
        "{}",
        timed.stdout
    );
}

#[test]
fn times_are_stored_and_shown_with_those_of_another_run() {
    let suite = Suite::new("timed");
    let home = suite.home();
    let time = |options: &[&str]| {
        let mut command = suite.command();
        command.args(["--time", "--time-budget=200ms", "::empty"]);
        run(command.args(options))
    };
    let warning = "warning: times of different runs differ by several percent";
    let first = time(&["--time-baseline"]).expect(0);
    assert!(
        first.stderr.contains("note: no stored times: these are the first"),
        "{}",
        first.stderr
    );
    let second = time(&["--time-baseline", "--save-baseline=main"]).expect(0);
    for (text, part) in [(&second.stderr, warning), (&second.stdout, "  stored: ")] {
        assert!(text.contains(part), "{text}");
    }
    time(&["--time-baseline=mian"]).expect(1).complains(&["did you mean `main`?"]);
    let mut command = suite.command();
    let _ = run(command.args(["--time", "--time-baseline=mian", "no_such_benchmark"])).expect(0);
    // It has times and no counts
    let mut command = suite.command();
    let counted = run(command.args(["--baseline=main", "::empty"])).expect(1);
    counted.complains(&["none of these benchmarks has a baseline `main`\nhelp: save one with "]);
    let json = time(&["--time-baseline=main", "--output-format=json"]).expect(0);
    let time = &objects(&json.stdout)[0]["time"];
    assert!(time["old"]["wall"]["value"].as_f64() > Some(0.0), "{time}");
    assert!(time["old_measured"].as_str().is_some_and(|at| at.ends_with('Z')), "{time}");
    assert_eq!((&time["ratio"], &time["verdict"]), (&Value::Null, &Value::Null));
    let observations = time["observations"].as_array().unwrap().len() as u64;
    assert_eq!(Some(observations), time["processes"].as_u64(), "{time}");

    let list = |slots: &str| {
        let list = stored(&home, &["list"]).expect(0).stdout;
        assert!(list.ends_with(&format!("  timed::group::empty  {slots}\n")), "{list}");
    };
    list("@last @old main");
    let compared = stored(&home, &["compare", "main", "@last"]).expect(0);
    assert!(compared.stdout.starts_with("Time of a call "), "{}", compared.stdout);
    assert!(compared.stdout.ends_with(" %)\n") && compared.stderr.contains(warning));
    let report = objects(&stored(&home, &["report", "--format=json"]).expect(0).stdout);
    assert_eq!(report[0]["time"]["new"], time["new"]);
    assert_eq!(report[0]["time"]["old"], Value::Null);

    let pages = suite.subdirectory("pages");
    let _ = stored(&home, &["report", "--html", pages.to_str().unwrap()]).expect(0);
    let page = fs::read_dir(pages.join("benchmarks")).unwrap().next().unwrap().unwrap();
    let page = fs::read_to_string(page.path()).unwrap();
    assert!(page.contains("Each dot is a process: the time of a call"), "{page}");

    let archive = suite.root().join("main.tar.gz");
    let archive = archive.to_str().unwrap();
    let _ = stored(&home, &["export", "--baseline=main", archive]).expect(0);
    let _ = stored(&home, &["baseline", "remove", "main"]).expect(0);
    list("@last @old");
    let _ = stored(&home, &["import", archive]).expect(0);
    list("@last @old main");
    fs::write(suite.directory().join("group/empty/time.empty.json"), "{}").unwrap();
    let damaged = ["can't read the time in ", "--time"];
    stored(&home, &["report"]).expect(1).complains(&damaged);
    // The test would wait for the times
    let mut command = suite.command();
    command.args(["--time", "--time-budget=1h", "--time-baseline", "::empty"]);
    run(&mut command).expect(1).complains(&damaged);
}

#[test]
fn options_of_times_without_a_time_have_a_note() {
    let suite = Suite::new("timed");
    let mut command = suite.command();
    let listed = run(command.args(["--list", "--time-limit=2%", "--time-budget=1s"])).expect(0);
    let note = "note: --time-limit has no effect without --time\n";
    assert_eq!(listed.stderr, note);

    let mut command = suite.command();
    command.args([
        "--list",
        "--time",
        "--time-limit=2%",
        "--limit=auto",
        "--callgrind-limits=ir=5%",
    ]);
    // Those of a project are no mistake
    command.env("IAI_CALLGRIND_DHAT_LIMITS", "totalbytes=5%");
    let notes = "note: --time-limit has no effect: it needs two sides (--time --against=REV, or --baseline)\n\
                 note: --limit has no effect: it needs counts, and --time counts only with --against\n\
                 note: --callgrind-limits has no effect: it needs counts, and --time counts only with --against\n";
    assert_eq!(run(&mut command).expect(0).stderr, notes);
    let mut command = suite.command();
    for wrong in ["--time-layouts=x", "--time-layouts=5"] {
        let mut command = suite.command();
        run(command.args(["--time", wrong])).expect(2).complains(&[": expected a number from "]);
    }
    let loaded = run(command.args(["--time", "--load-baseline=a", "--baseline=b"])).expect(2);
    loaded.complains(&["'--time[=<changed|all>]' cannot be used with '--load-baseline"]);
}

#[test]
fn a_directory_that_cant_have_times_is_an_error_before_they_are_measured() {
    let suite = Suite::new("timed");
    let directory = suite.directory();
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    fs::write(&directory, "").unwrap();
    let mut command = suite.command();
    // The test would wait for the times
    let refused = run(command.args(["--time", "--time-budget=1h", "sleeps"])).expect(1);
    refused.complains(&["can't write results to ", "timed: not a directory"]);
}

#[test]
fn a_directory_for_temporary_files_that_cant_be_used_has_help() {
    let suite = Suite::new("timed");
    let command = || {
        let mut command = suite.command();
        command.args(["--time", "--time-budget=50ms", "::empty"]);
        command
    };
    let missing = run(command().env("TMPDIR", suite.root().join("missing"))).expect(1);
    missing.complains(&[
        "can't create temporary files in ",
        "/missing: ",
        "\nhelp: set TMPDIR to a ",
    ]);

    let temporary = suite.subdirectory("temporary");
    let script =
        "mount -t tmpfs -o noexec none \"$1\" || exit 42; export TMPDIR=\"$1\"; shift; exec \"$@\"";
    let denied = suite.run_mounted(script, &[temporary.to_str().unwrap()], &command());
    let Some(denied) = denied else { return };
    denied.expect(1).complains(&["can't run /", "\nhelp: if TMPDIR is mounted with `noexec`, "]);
}

#[test]
fn times_that_cant_be_stored_are_shown() {
    let suite = Suite::new("timed");
    fs::create_dir_all(suite.directory()).unwrap();
    // It is in the place of a directory that the results need at the end
    fs::write(suite.directory().join("group"), "").unwrap();
    let mut command = suite.command();
    let shown = run(command.args(["--time", "--time-budget=50ms", "::empty"])).expect(1);
    assert!(shown.stdout.contains("\n  timed::group::empty  "), "{}", shown.stdout);
    shown.complains(&["error: can't ", "timed/group", "directory"]);
}

#[test]
fn times_before_an_error_are_shown_and_stored() {
    let suite = Suite::new("sabotage").with_copy("sabotage");
    let program = suite.root().join("sabotage");
    let mut command = suite.command();
    // The second round can't copy it, and there is one if the first did not take all of the time
    command.args(["--time", "--time-budget=1m", "good_before", "removes_program"]);
    let ended = run(command.arg(format!("--envs=PROGRAM={}", program.display()))).expect(1);
    ended.complains(&["error: can't copy ", "sabotage: No such file or directory"]);
    for name in ["group::good_before", "removal::removes_program"] {
        assert!(ended.stdout.contains(&format!("\n  sabotage::{name}  ")), "{}", ended.stdout);
    }
    let list = stored(&suite.home(), &["list"]).expect(0).stdout;
    assert_eq!(list.matches("  @last\n").count(), 2, "{list}");
}

#[test]
fn benchmarks_of_other_harnesses_have_a_time() {
    for file in ["criterion_file", "divan_file", "criterion_own_main"] {
        let suite = Suite::new(file);
        let mut command = suite.command();
        command.args(["--time", "--time-budget=50ms", "--output-format=json"]);
        let timed = run(&mut command);
        // The `main` of a file can print, too
        let start = timed.stdout.find('{').unwrap_or_else(|| panic!("{}", timed.stderr));
        let summaries = objects(&timed.stdout[start..]);
        assert!(summaries.len() > 2, "{file}: {}", timed.stderr);
        for summary in summaries {
            let (time, error) = (&summary["time"], &summary["error"]);
            assert!(error.is_string() || wall(time) > 0.0, "{file}: {summary}");
            assert_eq!(error.is_string(), timed.code == Some(1), "{file}: {summary}");
        }
    }
}

#[test]
fn a_benchmark_that_cant_be_timed_is_an_error_and_others_are_timed() {
    let time = |file: &'static str, filters: &[&str], parts: &[&str], others: usize| {
        let suite = Suite::new(file);
        let mut command = suite.command();
        command.args(["--time", "--time-budget=50ms", "--output-format=json"]).args(filters);
        let output = run(&mut command).expect(1);
        output.complains(parts);
        let timed = times(&output.stdout);
        assert_eq!(timed.values().filter(|time| time.is_object()).count(), others, "{timed:?}");
    };
    let parts = [
        "sabotage::group::kills_parent: ",
        "the benchmark executable ended while it timed this",
        "\nhelp: check whether the ",
    ];
    time("sabotage", &["good", "kills_parent"], &parts, 2);
    let parts =
        ["benches::with: ", "has started threads before this benchmark, and a process that"];
    time("criterion_threads", &["threads::"], &parts, 4);
}

#[test]
fn processes_that_a_benchmark_leaves_are_ended() {
    let suite = Suite::new("sabotage");
    let mark = format!("TIMED={}", suite.root().display());
    let mut command = suite.command();
    command.args(["--time", "--time-budget=50ms", "--env-clear=no", "leaves_daemon"]);
    let _ = run(command.env("TIMED", suite.root())).expect(0);
    assert!(processes_with(&mark).is_empty(), "{:?}", processes_with(&mark));
}

#[test]
fn commands_have_a_time_between_their_setups_and_teardowns() {
    let suite = Suite::new("commands");
    let time = |filters: &[&str]| {
        let mut command = suite.command();
        command.args(["--time", "--time-budget=50ms", "--output-format=json", "--nocapture=no"]);
        let timed = run(command.args(filters)).expect(0);
        let summaries = objects(&timed.stdout);
        let of = |summary: &Value| {
            (summary["name"].as_str().unwrap().to_owned(), summary["time"].clone())
        };
        summaries.iter().map(of).collect::<BTreeMap<_, _>>()
    };
    let mut times =
        time(&["inputs::set_up", "streams", "environments::environment", "endings", "directories"]);
    assert_eq!(times.len(), 29, "{:?}", times.keys());
    let late = times.remove("commands::streams::input::setup_late").expect("a time");
    for (name, time) in &times {
        assert!(wall(time) > 50_000.0 && wall(time) < 1e9, "{name}: {time}");
        assert_eq!(time["calls"], 1, "{name}: {time}");
    }
    // The setup sleeps for 700 ms, and the command waits for what it prints, once
    assert!(wall(&late) < 1.4e9, "{late}");

    // The sum of the threads and processes is the CPU time
    let times = time(&["subprocesses::three", "threads::five"]);
    for (name, time) in &times {
        let cpu = time["new"]["cpu"]["value"].as_f64().unwrap();
        assert!(cpu > 50_000.0 && cpu < 20.0 * wall(time), "{name}: {time}");
    }
}

#[test]
fn a_signal_ends_the_processes_that_are_timed() {
    for (signal, code) in [(libc::SIGINT, Some(130)), (libc::SIGKILL, None)] {
        let suite = Suite::new("timed");
        let mut command = suite.command();
        let mark = format!("TIMED={}", suite.root().display());
        command.args(["--time", "--time-budget=10m", "--env-clear=no", "sleeps"]);
        command.env("TIMED", suite.root()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut group = ProcessGroup::start(&mut command);
        // The harness, the runner, its guardian, the fork server and a child
        group.wait_until(|| processes_with(&mark).len() > 4);
        group.signal(signal);
        assert_eq!(group.leader.wait().unwrap().code(), code);
        assert!(soon(|| processes_with(&mark).is_empty()), "{:?}", processes_with(&mark));
    }
}
