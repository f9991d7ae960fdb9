//! Requests to every tool, and to tools and versions that don't know them.

use super::valgrind::{native, run, version};

const TOOLS: [&str; 8] =
    ["callgrind", "cachegrind", "dhat", "drd", "helgrind", "massif", "memcheck", "none"];

/// Returns the log without what Valgrind puts before each line that a program prints, and without Valgrind's own
/// lines.
fn printed(log: &str) -> Vec<&str> {
    let lines = log.lines().filter(|line| line.starts_with("**"));
    lines.map(|line| line.splitn(3, "** ").last().unwrap()).collect()
}

#[test]
fn prints_go_to_the_log() {
    let run = run("none", &[], "prints");
    let long = "long".repeat(500) + ".";
    let expected = [
        "one 2 100% %s",
        "captured    value",
        &long,
        "",
        "cut",
        "evaluated",
        "with a backtrace",
        "and another",
    ];
    assert_eq!(printed(&run.log), expected, "{}", run.log);
    assert_eq!(run.log.matches("printing_function").count(), 2, "{}", run.log);
    assert_eq!(run.answers, "zero byte: Err(ZeroByte)\nevaluated: true\n");
}

#[test]
fn every_tool_answers() {
    let expected = "\
running on: 1
call 0: 1
call 1: 42
call 2: 42
call 3: 6
command: true
unknown command: false
location: 0
source file: \"every.rs\"
";
    for tool in TOOLS {
        let run = run(tool, &[], "core");
        assert_eq!(run.answers, expected, "{tool}");
        run.assert_log("--no-such-option=yes");
    }
}

#[test]
fn what_a_tool_does_not_know_returns_its_default() {
    let natively = native("every");
    for tool in TOOLS {
        let run = run(tool, &[], "every");
        for (answer, default) in run.answers.lines().zip(natively.lines()) {
            let (name, _) = answer.split_once(": ").unwrap();
            assert!(answer == default || knows(tool, name), "{tool} answers {answer}");
        }
    }
}

/// Returns true if the tool, or this Valgrind, answers a request of that scenario
fn knows(tool: &str, name: &str) -> bool {
    match name {
        "make_mem_noaccess" | "create_block" | "count_leaks" | "count_leak_blocks"
        | "get_vbits" => tool == "memcheck",
        "clean_memory_heapblock" | "get_abits" => tool == "helgrind",
        "get_drd_threadid" | "get_valgrind_threadid" => tool == "drd",
        "replaces_malloc" | "get_toolname" | "name" => version() >= (3, 27),
        _ => false,
    }
}

#[test]
fn natively_there_is_no_effect() {
    let expected = "\
make_mem_noaccess: 0
create_block: 0
check_mem_is_defined: 0
count_leaks: LeakCounts { leaked: 0, dubious: 0, reachable: 0, suppressed: 0 }
count_leak_blocks: LeakCounts { leaked: 0, dubious: 0, reachable: 0, suppressed: 0 }
get_vbits: 0
clean_memory_heapblock: -2
get_abits: -2
get_drd_threadid: 0
get_valgrind_threadid: 0
replaces_malloc: false
get_toolname: 0
name: \"\"
count_errors: 0
";
    assert_eq!(native("every"), expected);
    assert_eq!(native("prints"), "zero byte: Ok(())\nevaluated: false\n");
    assert!(native("core").starts_with("running on: 0\ncall 0: 0\n"));
}
