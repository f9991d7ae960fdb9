//! Reports of helgrind and DRD on threads.

use super::valgrind::run;

/// Scenarios with the errors that the tools find
const SCENARIOS: [(&str, &str, u32); 12] = [
    ("helgrind", "race", 2),
    ("helgrind", "ordered", 0),
    ("helgrind", "forgotten", 2),
    ("helgrind", "mutex", 0),
    ("helgrind", "rwlock", 0),
    ("helgrind", "cleaned", 0),
    ("helgrind", "ignored", 0),
    ("drd", "race", 2),
    ("drd", "ordered-drd", 0),
    ("drd", "rwlock", 0),
    ("drd", "ignored-drd", 0),
    ("drd", "unrecorded", 0),
];

#[test]
fn races_are_those_that_the_requests_leave() {
    for (tool, scenario, errors) in SCENARIOS {
        let run = run(tool, &[], scenario);
        assert_eq!(run.errors(), errors, "{tool} {scenario}:\n{}", run.log);
    }
}

#[test]
fn helgrind_answers() {
    let run = run("helgrind", &[], "helgrind");
    let expected = "\
block: 100
not a block: 100
accessible: 4
bits: [255, 255, 255, 255]
all accessible: 100
";
    assert_eq!(run.answers, expected);
    // All other objects of that scenario were created before they were used
    assert_eq!(run.errors(), 1);
    run.assert_log("unlocked an invalid lock");
}

#[test]
fn drd_answers() {
    let run = run("drd", &[], "drd");
    assert_eq!(run.answers, "Valgrind's number: 1\nDRD's number: 1\nanother thread: 2\n");
    // A variable whose accesses are shown
    assert_eq!(run.log.matches("== store 0x").count(), 1, "{}", run.log);
    // The race
    assert_eq!(run.errors(), 2);
}
