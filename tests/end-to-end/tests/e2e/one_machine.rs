//! Benchmarks of all machines see one machine: its memory, load, host, CPUs and limits.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::Command;

use end_to_end_tests::{Suite, clean, run, runner};

/// Changes what a shell hands down to a run.
fn in_other_surroundings(command: &mut Command) -> &mut Command {
    let change = || {
        let low = libc::rlimit { rlim_cur: 8192, rlim_max: 8192 };
        let stack = libc::rlimit { rlim_cur: 16 << 20, rlim_max: 16 << 20 };
        // SAFETY: system calls; the pointer is valid during the call.
        unsafe {
            libc::setpriority(libc::PRIO_PROCESS, 0, 5);
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
    assert_eq!(plain.stderr, "");
    let others = run(in_other_surroundings(suite.command().arg("--parallel=2"))).expect(0);
    let (plain, others) = (plain.report().all_instructions(), others.report().all_instructions());
    for (name, count) in &plain {
        // Their paths contain ids of processes
        if !["values::paths", "values::own_state"].contains(&name.as_str()) {
            assert_eq!(others[name], *count, "{name}");
        }
    }
    assert_eq!(plain.len(), 9);
    let uuid = |filter: &[&str]| {
        let run = suite.run(&[&["--nocapture=stdout"], filter].concat()).expect(0);
        run.stdout.lines().find(|line| line.starts_with("uuid ")).expect("an id").to_owned()
    };
    assert_eq!(uuid(&["random_ids"]), uuid(&[]));
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

#[test]
fn commands_see_one_machine() {
    const SCRIPT: &str = "uname -nr; nice; \
        head -n 3 /proc/meminfo; cat /proc/loadavg /proc/sys/kernel/osrelease /proc/sys/kernel/random/uuid; \
        ulimit -u; cat /proc/self/cgroup || echo no groups; cat /sys/devices/system/cpu/online; \
        head -c 8 /dev/urandom | od -An -tx1; df -Pk .; cat /proc/self/statm; cat < /proc/uptime; echo x > /dev/null";
    let script = ["--", "bash", "-c", SCRIPT];
    let plain = output(false, &script);
    for line in [
        "localhost 5.10.0",
        "0",
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
