//! Benchmarks that harm the harness, their own process or their surroundings: each is an error of its own, and the
//! others run.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use end_to_end_tests::{
    ProcessGroup, Suite, copy_executable, has_namespaces, kill, processes_of, run, soon,
};

const GOOD: [&str; 2] = ["group::good_before", "group::good_after"];

/// The benchmarks of `sabotage.rs`, with the errors under callgrind.
const HARMFUL: [(&str, &str); 9] = [
    ("leaves_daemon", "which outlived it or was killed: its counts are unknown\nhelp: wait for"),
    ("leaves_exited_daemon", "which outlived it or was killed: its counts are unknown"),
    ("closes_descriptors", "closed or replaced the descriptors of the harness\nhelp: "),
    ("replaces_descriptors", "closed or replaced the descriptors of the harness\nhelp: "),
    ("changes_user", "could not write its files: the benchmark changed its user, its root"),
    ("changes_root", "could not write its files: the benchmark changed its user, its root"),
    ("limits_files", "signal 25 (SIGXFSZ): a file is larger than the limit\nhelp: "),
    ("ends_parent", "ended the process that it was forked from (signal: 15 (SIGTERM))\nhelp: "),
    ("kills_parent", "ended the process that it was forked from (signal: 9 (SIGKILL))\nhelp: "),
];

/// Returns the harmful benchmarks that this user can run: only the superuser changes users and root directories.
fn harmful() -> impl Iterator<Item = (&'static str, &'static str)> {
    // SAFETY: a system call without arguments.
    let is_superuser = unsafe { libc::geteuid() } == 0;
    HARMFUL.into_iter().filter(move |(name, _)| is_superuser || !name.starts_with("changes_"))
}

#[test]
fn each_is_named_and_the_others_run() {
    for (parallel, ids) in [("--parallel=1", "--native=ids"), ("--parallel=3", "--native=path")] {
        let sabotage = Suite::new("sabotage");
        let run = sabotage.run(&["sabotage::group::", parallel, ids]).expect(1);
        // In a namespace of its own, a benchmark does not see the process that started it
        let sees_parent = ids == "--native=ids" || !has_namespaces();
        let mut names = run.report().names();
        names.retain(|name| sees_parent || !name.ends_with("_parent"));
        assert_eq!(names, GOOD, "{parallel}");
        for (name, cause) in harmful() {
            if !sees_parent && name.ends_with("_parent") {
                continue;
            }
            let error = run.error_of(&format!("sabotage::group::{name}"));
            assert!(error.contains(cause), "{parallel} {name}: {error}");
        }
        assert_eq!(processes_of(sabotage.root()), [""; 0]);
    }
}

#[test]
fn timing_names_closed_and_replaced_descriptors_too() {
    for name in ["closes_descriptors", "replaces_descriptors"] {
        let name = format!("sabotage::group::{name}");
        for mode in [&["--time", "--time-budget=100ms"][..], &["--profile-time=100ms"]] {
            let run = Suite::new("sabotage").run(&[&[&*name], mode].concat()).expect(1);
            let error = run.error_of(&name);
            assert!(error.contains("replaced the descriptors of the harness\nhelp: "), "{error}");
        }
    }
}

// Tools that ignore the exit code, or run each case in a process of its own.
#[test]
fn other_tools_report_the_same() {
    for tool in ["dhat", "cachegrind", "bbv"] {
        let names = harmful().map(|(name, _)| name).filter(|name| name.starts_with("changes_"));
        let names: Vec<_> = names.map(|name| format!("sabotage::group::{name}")).collect();
        if names.is_empty() {
            return;
        }
        let sabotage = Suite::new("sabotage");
        let mut command = sabotage.command();
        let run = run(command.arg(format!("--default-tool={tool}")).args(&names)).expect(1);
        for name in names {
            let error = run.error_of(&name);
            assert!(error.contains(&format!("{tool} could not write its files")), "{error}");
        }
    }
}

// A daemon inherits the pipe of the fork server. Under cachegrind before 3.22 the runner waits for the end of it.
#[test]
fn a_daemon_neither_blocks_nor_outlives_the_run() {
    for tool in ["callgrind", "cachegrind", "memcheck", "bbv"] {
        let sabotage = Suite::new("sabotage");
        let tool = format!("--default-tool={tool}");
        let run = sabotage.run(&[&tool, "sabotage::group::leaves_daemon"]).expect(1);
        let error = run.error_of("sabotage::group::leaves_daemon");
        assert!(error.contains("which outlived it") || error.contains("forks"), "{error}");
        assert_eq!(processes_of(sabotage.root()), [""; 0], "{tool}");
    }
}

#[test]
fn a_daemon_does_not_outlive_a_killed_runner() {
    let sabotage = Suite::new("sabotage");
    let mut command = sabotage.command();
    command.arg("sabotage::endless::").stdin(Stdio::null()).stdout(Stdio::null());
    let mut group = ProcessGroup::start(command.stderr(Stdio::null()));
    group.wait_until(|| sabotage.root().join("started").exists());
    let runner = group.child().expect("a runner");
    assert!(!processes_of(&sabotage.home()).is_empty());
    kill(runner);
    assert!(soon(|| processes_of(&sabotage.home()).is_empty()));
}

// A panic or an exit code alone does not show that other benchmarks are involved.
#[test]
fn only_an_error_of_the_system_next_to_others_has_a_hint_at_parallel() {
    const HINT: &str =
        "\nhelp: if it shares files or ports with other benchmarks, run one at a time";
    let sabotage = Suite::new("sabotage");
    let parallel = sabotage.run(&["--parallel=2", "sabotage::meeting::"]).expect(1);
    let exits = parallel.error_of("sabotage::meeting::exits");
    assert!(exits.find("Address already in use") < exits.find(HINT), "{exits}");
    assert!(!parallel.error_of("sabotage::meeting::aborts").contains(HINT));

    let (exits, panics) = ("failures::group::exits_with_3", "failures::group::panics");
    let failures = Suite::new("failures").run(&["--parallel=2", exits, panics]).expect(1);
    assert!(!failures.stderr.contains(HINT), "{}", failures.stderr);

    let commands = Suite::new("command_failures");
    for (parallel, is_hint) in [("--parallel=2", true), ("--parallel=1", false)] {
        let run = commands.run(&[parallel, "ends"]);
        let hint = run.error_of("command_failures::group::ends reason").contains(HINT);
        assert_eq!(hint, is_hint, "{parallel}: {}", run.stderr);
        assert_eq!(run.stderr.matches(HINT).count(), usize::from(is_hint), "{}", run.stderr);
    }
}

// A limit of processes that is exceeded before the first benchmark, or by it.
#[test]
fn too_few_processes_are_an_error_without_a_backtrace() {
    const USER: libc::uid_t = 54_321;
    // SAFETY: a system call without arguments.
    let is_superuser = unsafe { libc::geteuid() } == 0;
    for limit in [2, 4, 6] {
        let sabotage = Suite::new("sabotage").with_copy("sabotage");
        let runner = sabotage.root().join("runner");
        copy_executable(end_to_end_tests::runner(), &runner);
        fs::set_permissions(sabotage.root(), Permissions::from_mode(0o777)).unwrap();
        let mut command = sabotage.command();
        command.env("IAI_CALLGRIND_RUNNER", runner).arg("sabotage::group::good_before");
        let restrict = move || {
            let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
            // SAFETY: system calls; `limit` is valid for the duration of the call.
            let is_done = unsafe {
                libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) == 0
                    // The limit does not hold for the superuser
                    && (!is_superuser || libc::setuid(USER) == 0)
            };
            if is_done { Ok(()) } else { Err(io::Error::last_os_error()) }
        };
        // SAFETY: it makes system calls only.
        unsafe { command.pre_exec(restrict) };
        let run = run(&mut command).expect(1);
        run.complains(&["Resource temporarily unavailable", "help: "]);
        // The runner starts as many threads as the machine has CPUs
        let limited =
            ["error: can't start a thread: ", "error: can't start a process for the benchmarks: "];
        assert!(limited.iter().any(|error| run.stderr.contains(error)), "{}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{limit}: {}", run.stderr);
    }
}

/// Runs a benchmark with these arguments in a shell that has this limit.
fn limited(ulimit: &str, arguments: &[&str]) -> end_to_end_tests::Run {
    let sabotage = Suite::new("sabotage");
    let bench = sabotage.command();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{ulimit}; exec \"$@\""), "sh"]);
    command.arg(bench.get_program()).args(bench.get_args()).arg("sabotage::group::good_before");
    command.env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner()).current_dir(sabotage.root());
    run(command.args(arguments))
}

#[test]
fn limits_of_files_are_errors_that_name_them() {
    for arguments in [&[][..], &["--time"]] {
        limited("ulimit -n 64", arguments).expect(1).complains(&[
            "error: can't run benchmarks: the limit of open files is 64\nhelp: ",
            "`ulimit -n 256`",
        ]);
    }
    limited("ulimit -f 0", &[]).expect(1).complains(&[
        "error: can't write ",
        ": a file is larger than the limit\nhelp: raise the limit of file sizes with `ulimit -f`\n",
    ]);
    // In blocks of 512 bytes: enough for the logs, too few for a profile
    let limited = limited("ulimit -f 4", &[]).expect(1);
    limited.complains(&["a file is larger than the limit", "`ulimit -f`"]);
    assert_eq!(limited.stderr.matches("error: ").count(), 1, "{}", limited.stderr);
}

#[test]
fn ends_of_children_are_seen_where_the_shell_ignores_them() {
    let sabotage = Suite::new("sabotage");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' CHLD; exec \"$@\"", "sh"]).arg(end_to_end_tests::runner());
    shell.arg("exec").arg("--home").arg(sabotage.home()).args(["--", "/bin/true"]);
    let _ = run(&mut shell).expect(0);
}

#[test]
fn a_missing_directory_for_temporary_files_is_named_by_a_setup() {
    let expected = ["can't create temporary files in /missing: ", "\nhelp: set TMPDIR to a "];
    let levels = Suite::new("levels");
    run(levels.command().env("TMPDIR", "/missing")).expect(1).complains(&expected);
}

// More threads than the children of the fork server can have at first. Under DHAT, no benchmark may fork.
#[test]
fn a_benchmark_can_have_many_threads() {
    let names = ["threads::ten", "threads::hundred", "threads_of_process::hundred"];
    for argument in ["--parallel=1", "--parallel=3"] {
        let report = Suite::new("sabotage").report(&["sabotage::crowd::", argument]);
        assert_eq!(report.names(), names.map(|name| format!("crowd::{name}")), "{argument}");
    }
    let arguments = ["sabotage::crowd::threads::", "--default-tool=dhat"];
    let dhat = Suite::new("sabotage").run(&arguments).expect(0);
    assert!(dhat.stdout.contains("Ok. 2 benchmarks ran"), "{}", dhat.stdout);
    // Too many under the limit that the user sets
    let arguments = ["sabotage::crowd::threads::hundred", "--valgrind-args=--max-threads=70"];
    Suite::new("sabotage").run(&arguments).expect(1).complains(&[
        "threads hundred:100: the benchmark had more threads at once than Valgrind allows, 500 by default\n",
        "help: raise the limit with `--valgrind-args=--max-threads=5000`",
    ]);
}
