//! Benchmarks of all machines see one machine: its memory, load, host, CPUs and limits.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Suite, clean, run, runner, tree};

/// Changes what a shell hands down to a run.
fn in_other_surroundings(command: &mut Command) -> &mut Command {
    let change = || {
        let low = libc::rlimit { rlim_cur: 8192, rlim_max: 8192 };
        let stack = libc::rlimit { rlim_cur: 16 << 20, rlim_max: 16 << 20 };
        // SAFETY: system calls; the pointer is valid during the call.
        unsafe {
            libc::setpriority(libc::PRIO_PROCESS, 0, 5);
            libc::prctl(libc::PR_SET_TIMERSLACK, 90_000);
            libc::setrlimit(libc::RLIMIT_MSGQUEUE, &raw const low);
            libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const low);
            libc::setrlimit(libc::RLIMIT_STACK, &raw const stack);
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(change) }
}

#[test]
fn functions_see_one_machine() {
    let suite = Suite::new("one_machine");
    let plain = suite.run(&[]).expect(0);
    // A slow machine has reports of progress
    let is_progress = |line: &&str| line.starts_with("slow: ") || line.starts_with("running: ");
    assert_eq!(plain.stderr.lines().find(|line| !is_progress(line)), None);
    let others = run(in_other_surroundings(suite.command().arg("--parallel=2"))).expect(0);
    let (plain, others) = (plain.report().all_instructions(), others.report().all_instructions());
    for (name, count) in &plain {
        // Their paths contain ids of processes
        if !["values::paths", "values::own_state"].contains(&name.as_str()) {
            assert_eq!(others[name], *count, "{name}");
        }
    }
    assert_eq!(plain.len(), 14);
    let uuid = |filter: &[&str]| {
        let run = suite.run(&[&["--nocapture=stdout"], filter].concat()).expect(0);
        run.stdout.lines().find(|line| line.starts_with("uuid ")).expect("an id").to_owned()
    };
    assert_eq!(uuid(&["random_ids"]), uuid(&[]));
}

#[test]
fn addresses_and_variables_of_functions_do_not_depend_on_the_shell() {
    let suite = Suite::new("one_machine");
    let print = |command: &mut Command| -> Vec<String> {
        let run = run(command.args(["addresses", "environment", "--nocapture=stdout"])).expect(0);
        let is_printed =
            |line: &&str| line.starts_with("addresses ") || line.starts_with("environment ");
        run.stdout.lines().filter(is_printed).map(str::to_owned).collect()
    };
    let plain = print(&mut suite.command());
    assert_eq!(plain.len(), 2, "{plain:#?}");
    assert_eq!(plain[1], "environment [\"GLIBC_TUNABLES\"]");
    let mut command = suite.command();
    let others = in_other_surroundings(&mut command)
        .env("LONG", "x".repeat(5000))
        .env("GLIBC_TUNABLES", "glibc.malloc.perturb=7");
    assert_eq!(print(others), plain);
}

/// Returns what a command prints under Valgrind.
fn output(change: bool, arguments: &[&str]) -> BTreeSet<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(runner());
    clean(&mut command).current_dir(directory.path()).args(["exec", "--nocapture"]).args(arguments);
    if change {
        in_other_surroundings(&mut command);
    }
    let run = run(&mut command).expect(0);
    run.stdout.lines().map(str::to_owned).collect()
}

/// The addresses of a command's code and stack, its variables, and other values that the shell and the machine have no
/// influence on.
const COMMAND: &str = "grep -e '/grep$' -e ' 1ff' /proc/self/maps | cut -d ' ' -f 1; grep -c . /proc/self/maps; nproc; \
    echo parent $PPID; env | sort | grep -v -e ^LD_PRELOAD -e ^VALGRIND_LIB -e ^PWD; \
    head -c 8388608 /dev/urandom | wc -c; cat /sys/kernel/mm/transparent_hugepage/enabled /proc/mounts";

#[test]
fn commands_start_in_the_same_way_in_each_shell() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let exec = |change: bool| {
        let mut command = Command::new(runner());
        clean(&mut command).current_dir(directory.path());
        command.args(["exec", "--nocapture", "--", "bash", "-c", COMMAND]);
        if change {
            fs::write(directory.path().join(".valgrindrc"), "--I1=65536,1,128\n").unwrap();
            in_other_surroundings(&mut command)
                .env("HOME", directory.path())
                .env("VALGRIND_OPTS", "--D1=65536,1,128")
                .env("GLIBC_TUNABLES", "glibc.malloc.perturb=7")
                .env("LONG", "x".repeat(5000));
        }
        run(&mut command).expect(0).stdout
    };
    let (plain, other) = (exec(false), exec(true));
    for line in ["1", "parent 0", "8388608", "always [madvise] never"] {
        assert!(plain.lines().any(|printed| printed == line), "{line:?}: {plain}");
    }
    let printed = |text: &str| text.lines().take_while(|line| !line.starts_with("  ")).count();
    let lines =
        |text: &str| text.lines().take(printed(text)).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&other), lines(&plain));
    // Of all events, and so with caches of the same sizes
    assert_eq!(other.matches("(No change)").count(), 6, "{other}");
    let home = directory.path().join("target/iai/exec");
    let files = tree(&home);
    let is_profile = |name: &String| Path::new(name).extension().is_some_and(|it| it == "out");
    let (_, profile) = files.iter().find(|(name, _)| is_profile(name)).expect("a profile");
    let profile = String::from_utf8_lossy(profile);
    for cache in [
        "I1 cache: 32768 B, 64 B, 8-way associative",
        "D1 cache: 32768 B, 64 B, 8-way associative",
        "LL cache: 8388608 B, 64 B, 16-way associative",
    ] {
        assert!(profile.contains(&format!("desc: {cache}\n")), "{cache}");
    }
}

#[test]
fn commands_see_one_machine() {
    const SCRIPT: &str = "uname -nr; nice; echo $(nproc) CPU; \
        head -n 3 /proc/meminfo; cat /proc/loadavg /proc/sys/kernel/osrelease /proc/sys/kernel/random/uuid; \
        ulimit -u; cat /proc/self/cgroup || echo no groups; cat /sys/devices/system/cpu/online; \
        head -c 8 /dev/urandom | od -An -tx1; df -Pk .; cat /proc/self/statm; cat < /proc/uptime; echo x > /dev/null";
    let script = ["--", "bash", "-c", SCRIPT];
    let plain = output(false, &script);
    for line in [
        "localhost 5.10.0",
        "0",
        "1 CPU",
        "MemTotal:       16777216 kB",
        "MemFree:         8388608 kB",
        "MemAvailable:   12582912 kB",
        "0.00 0.00 0.00 1/1 1000",
        "5.10.0",
        "63000",
        "no groups",
        "/dev/vda1         67108864 33554432  29360128      54% /",
        "0-3",
        "4096 2048 512 64 0 512 0",
        // By the clock, which starts at a fraction of a second that depends on the seed
        "1000000.32 1000000.32",
    ] {
        assert!(plain.contains(line), "{line:?}: {plain:#?}");
    }
    let changes = |other: BTreeSet<String>| -> Vec<String> {
        let is_time = |line: &&String| line.starts_with("Iai-Callgrind result");
        plain.symmetric_difference(&other).filter(|line| !is_time(line)).cloned().collect()
    };
    assert_eq!(changes(output(true, &script)), Vec::<String>::new());
    let seeded = [&["--seed=7"], &script[..]].concat();
    assert_ne!(changes(output(false, &seeded)), Vec::<String>::new());
    let native = [&["--native=memory,host,cpus"], &script[..]].concat();
    let native = output(false, &native);
    assert!(!native.contains("1000000.32 1000000.32"), "{native:#?}");
}
