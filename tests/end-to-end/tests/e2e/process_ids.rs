//! Processes of benchmarks have the same ids in each run.

use end_to_end_tests::lines::counters;
use end_to_end_tests::{Suite, has_namespaces, processes_of, skip};

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

#[test]
fn ids_can_be_those_of_the_system() {
    let suite = Suite::new("process_ids");
    let arguments = ["--native=ids", "--parallel=2", "::functions::of_function::first"];
    let Some((printed, _)) = run(&suite, &arguments, 0) else { return };
    let found = counters(&printed, "process_ids::functions::of_function first:");
    assert!(found.iter().all(|line| !line.contains(": 1000|")), "{found:?}");
}
