//! Processes of benchmarks have the same ids in each run.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::thread;

use end_to_end_tests::lines::counters;
use end_to_end_tests::{
    Run, Suite, has_namespaces, kill, processes_of, refuse, script, skip, soon, tree,
};

/// Runs the benchmarks with the ids of a namespace. Returns what they print; `None` where the system does not allow it.
fn run(suite: &Suite, arguments: &[&str], code: i32) -> Option<(String, String)> {
    if !has_namespaces() {
        skip("there is no namespace of processes here");
        return None;
    }
    let run = suite.run(arguments).expect(code);
    Some((run.stdout, run.stderr))
}

#[test]
fn a_function_and_its_processes_have_the_same_ids_alone_and_next_to_others() {
    let suite = Suite::new("process_ids");
    let of_function = [
        "process: 1000",
        "thread: 1000",
        "other thread: 1001",
        "group: 1000",
        "parent: 0",
        "in /proc: 1000",
        // The benchmark and the first process of the namespace
        "processes: 2",
    ];
    for parallel in ["--parallel=1", "--parallel=4"] {
        let Some((printed, _)) = run(&suite, &[parallel, "::functions::"], 0) else { return };
        for id in ["first", "second"] {
            let found = counters(&printed, &format!("process_ids::functions::of_function {id}:"));
            let values: Vec<_> = found.iter().map(|line| line.split('|').next().unwrap()).collect();
            assert_eq!(values, of_function, "{parallel}");
        }
        let child = counters(&printed, "process_ids::functions::of_child");
        assert!(child[0].starts_with("child: 1001|"), "{child:?}");
        assert!(!printed.contains("[+") && !printed.contains("[-"), "{printed}");
    }
}

#[test]
fn a_function_can_end_itself_and_leaves_nothing() {
    let suite = Suite::new("process_ids");
    let Some((_, errors)) = run(&suite, &["::bad_functions::"], 1) else { return };
    assert!(errors.contains("SIGABRT"), "{errors}");
    assert!(errors.contains("/bin/sleep 1000.25"), "{errors}");
    assert_eq!(processes_of(suite.root()), [""; 0]);
}

#[test]
fn a_command_has_the_same_ids_and_its_signals() {
    let suite = Suite::new("command_ids");
    for _ in 0..2 {
        let Some((printed, _)) = run(&suite, &["--nocapture", "::commands::"], 0) else { return };
        let lines = "1000\n1001\n1002\n/proc/1\n/proc/1000\n";
        assert!(printed.contains(lines), "{printed}");
        assert!(printed.contains("own\n0\n"), "{printed}");
    }
    let Some((_, errors)) = run(&suite, &["::bad_commands::"], 1) else { return };
    assert!(errors.contains("sleep 1000.25"), "{errors}");
}

/// Returns the first process of the namespace in which a benchmark with results in this directory runs `sleep`.
fn keeper(directory: &Path) -> Option<libc::pid_t> {
    let directory = directory.to_str().unwrap();
    let processes = || {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    };
    let namespace = |process| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
    let sleeps = |process: &libc::pid_t| {
        let command = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        command.contains(directory) && command.contains("61.5")
    };
    let own = namespace(processes().find(sleeps)?)?;
    processes().find(|process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        namespace(*process).as_ref() == Some(&own) && ids.is_some_and(|ids| ids.ends_with("\t1"))
    })
}

#[test]
fn a_namespace_that_another_process_ends_is_not_used_again() {
    if !has_namespaces() {
        return skip("there is no namespace of processes here");
    }
    let suite = Suite::new("process_ids");
    // It waits for no turn of other runs
    let arguments = ["--parallel=1", "--cpus=native", "::killed_functions::"];
    let run = thread::scope(|scope| {
        let run = scope.spawn(|| suite.run(&arguments));
        let found = Cell::new(None);
        assert!(soon(|| {
            found.set(found.get().or_else(|| keeper(suite.root())));
            found.get().is_some()
        }));
        found.get().into_iter().for_each(kill);
        run.join().unwrap().expect(1)
    });
    assert!(
        run.stderr.contains("outlived: the benchmark was killed by signal 9"),
        "{}",
        run.stderr
    );
    let found = counters(&run.stdout, "process_ids::killed_functions::of_function second:");
    assert!(found[0].starts_with("process: 1000|"), "{found:?}");
}

#[test]
fn ids_can_be_those_of_the_system() {
    let suite = Suite::new("process_ids");
    let arguments = ["--native=ids", "--parallel=2", "::functions::of_function::first"];
    let Some((printed, _)) = run(&suite, &arguments, 0) else { return };
    let found = counters(&printed, "process_ids::functions::of_function first:");
    let is_fixed = |line: &&String| line.contains(": 1000|") || line.contains(": 0|");
    assert!(!found.iter().any(|line| is_fixed(&line)), "{found:?}");
}

/// System calls that containers and settings of the kernel refuse, with their errors.
const REFUSED: [(libc::c_long, libc::c_int); 5] = [
    (libc::SYS_unshare, libc::EPERM),
    (libc::SYS_unshare, libc::EACCES),
    (libc::SYS_unshare, libc::ENOSPC),
    (libc::SYS_mount, libc::EACCES),
    (libc::SYS_setns, libc::EPERM),
];

/// Returns a run of these benchmarks, and later ones with their names, to each of which the kernel refuses a system call.
fn with_refusals(file: &'static str, arguments: &[&str]) -> (Run, Vec<(String, Run)>) {
    let suite = Suite::new(file);
    let plain = suite.run(arguments).expect(0);
    let refused = REFUSED.map(|(system_call, error)| {
        let mut command = suite.command();
        refuse(command.args(arguments), system_call, error);
        let run = end_to_end_tests::run(&mut command).expect(0);
        (format!("system call {system_call}, error {error}"), run)
    });
    (plain, refused.into())
}

#[test]
fn nothing_but_ids_depends_on_the_right_to_namespaces() {
    if !has_namespaces() {
        return skip("there is no namespace of processes here");
    }
    let (plain, refused) = with_refusals("order", &[]);
    for (context, run) in refused {
        assert_eq!(run.report().values(), plain.report().values(), "{context}");
        assert_eq!(run.stderr, plain.stderr, "{context}");
    }
    let (plain, refused) = with_refusals("process_ids", &["::digits"]);
    let note = "note: process_ids::functions::digits: reads ids of processes or threads: its count can vary";
    let digits = |run: &Run| run.report().instructions("functions::digits");
    let mut last = digits(&plain);
    for (context, run) in refused {
        // The id of the system can have as many digits
        assert_eq!(run.stderr.contains(note), digits(&run) != last, "{context}: {}", run.stderr);
        last = digits(&run);
    }
}

// The server asks with one of those system calls if its code has started threads: each benchmark has a server of its own then.
#[test]
fn a_file_of_criterion_has_as_few_servers_without_the_right_to_namespaces() {
    let starts = |is_refused: bool| {
        let suite = Suite::new("criterion_file");
        let [valgrind, log] = ["valgrind", "starts"].map(|name| suite.root().join(name));
        script(&valgrind, &format!("echo >>{}\nexec valgrind \"$@\"", log.display()));
        let mut command = suite.command();
        if is_refused {
            refuse(&mut command, libc::SYS_unshare, libc::EPERM);
        }
        let run = end_to_end_tests::run(command.arg("--valgrind-path").arg(valgrind)).expect(0);
        assert_eq!(run.report().names().len(), 27);
        fs::read_to_string(log).unwrap().lines().count()
    };
    assert_eq!(starts(true), starts(false));
}

// Valgrind does not open another log for a child with the id of its parent.
#[test]
fn a_server_with_the_id_of_its_children_is_replaced() {
    let suite = Suite::new("order");
    let [valgrind, log] = ["valgrind", "ids"].map(|name| suite.root().join(name));
    script(&valgrind, &format!("echo $$ >{}\nexec valgrind \"$@\"", log.display()));
    let arguments = ["--valgrind-path", valgrind.to_str().unwrap(), "numbers::fibonacci"];
    // Returns the id of the server
    let run_after = |last: i32| {
        let script = format!("echo {last} > /proc/sys/kernel/ns_last_pid");
        let _ = suite.run_isolated_after(&script, &arguments)?.expect(0);
        Some(fs::read_to_string(&log).unwrap().trim().parse::<i32>().unwrap())
    };
    let (mut last, mut found) = (900, Vec::new());
    loop {
        let Some(server) = run_after(last) else { return };
        found.push(server);
        if (1001..1003).contains(&server) {
            break;
        }
        assert!(found.len() < 10, "{found:?}");
        last += 1000 - server;
    }
}

#[test]
fn stored_profiles_do_not_depend_on_the_id_of_the_server() {
    let [small, large] = [100, 30_000].map(|last| {
        let suite = Suite::new("faults");
        let script = format!("echo {last} > /proc/sys/kernel/ns_last_pid");
        let run = suite.run_isolated_after(&script, &["--tools=dhat", "group::start"])?;
        let _ = run.expect(0);
        let mut files = tree(&suite.directory());
        files.retain(|name, _| Path::new(name).extension().is_some_and(|it| it == "out"));
        Some(files)
    });
    let (Some(small), Some(large)) = (small, large) else { return };
    assert_eq!(small.len(), 2, "{:?}", small.keys());
    for (name, content) in &small {
        let [small, large] = [content, &large[name]].map(|it| String::from_utf8_lossy(it));
        let different = small.lines().zip(large.lines()).find(|(small, large)| small != large);
        assert_eq!(different, None, "{name}");
    }
}
