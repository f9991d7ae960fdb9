//! Counts and calls of functions in assembly equal those that a person counts in the source.

use std::collections::BTreeMap;
use std::fs;

use end_to_end_tests::{Suite, shared_run};

/// A function that is called with the number 10.
struct Function {
    name: &'static str,
    /// Instructions on x86-64 and on `AArch64`, without the jump of the benchmark to the function.
    instructions: [u64; 2],
    /// The calls that it and the functions below it make.
    calls: &'static [(&'static str, &'static str, u64)],
}

/// In the order of the benchmark file. `framed` executes 4 * 10 + 5 and 3 * 10 + 4 instructions.
const FUNCTIONS: [Function; 11] = [
    Function { name: "leaf", instructions: [2, 2], calls: &[] },
    Function {
        name: "turns",
        instructions: [4 * 10 + 3, 3 * 10 + 2],
        // A jump to the start of a function counts as a call
        calls: &[("turns", "turns", 10)],
    },
    Function { name: "framed", instructions: [45, 34], calls: &[] },
    Function {
        name: "nested",
        instructions: [7 + 4 * 10 + 2 + 2 * 45, 8 + 3 * 10 + 1 + 2 * 34],
        calls: &[("nested", "framed", 2)],
    },
    Function {
        name: "tail",
        instructions: [4 + 2 * 45, 6 + 2 * 34],
        calls: &[("tail", "framed", 2)],
    },
    Function {
        name: "conditional_tail",
        instructions: [2 + 43, 1 + 32],
        calls: &[("conditional_tail", "turns", 1), ("turns", "turns", 10)],
    },
    // 89 calls with 0 or 1, and 88 others
    Function {
        name: "fibonacci",
        instructions: [89 * 4 + 88 * 13, 89 * 4 + 88 * 15],
        calls: &[("fibonacci", "fibonacci", 176)],
    },
    Function {
        name: "even",
        instructions: [4 * 10 + 3, 3 * 10 + 2],
        calls: &[("even", "odd", 5), ("odd", "even", 5)],
    },
    Function {
        name: "in_turns",
        instructions: [2 + 10 * (5 + 2) + 2 + 2, 3 + 10 * (4 + 2) + 1 + 3],
        calls: &[("in_turns", "leaf", 10)],
    },
    Function {
        name: "by_register",
        instructions: [2 + 10 * 9 + 5 * (2 + 3) + 2 + 2, 3 + 10 * 8 + 5 * (2 + 3) + 1 + 3],
        calls: &[("by_register", "leaf", 5), ("by_register", "other_leaf", 5)],
    },
    Function { name: "switch", instructions: [7, 6], calls: &[] },
];

impl Function {
    fn benchmark(&self) -> String {
        format!("group::{}::ten", self.name)
    }

    /// Returns the instructions of the benchmark.
    fn count(&self) -> u64 {
        let [x86_64, aarch64] = self.instructions;
        1 + if cfg!(target_arch = "aarch64") { aarch64 } else { x86_64 }
    }
}

#[test]
fn instructions_are_those_that_a_person_counts() {
    // Cachegrind has a process for each function, and knows no calls
    let some: &[&str] = &["::leaf::", "::nested::", "::fibonacci::", "::large_argument::"];
    for (tool, filters) in [("callgrind", &[][..]), ("cachegrind", some)] {
        let run =
            shared_run("by_hand", &[&[&*format!("--default-tool={tool}")][..], filters].concat());
        if run.stderr.contains("note: cachegrind counts the whole process") {
            continue;
        }
        let report = run.succeeded().report();
        let names = report.names();
        let counted = FUNCTIONS.iter().filter(|it| names.contains(&it.benchmark()));
        let expected = if filters.is_empty() { FUNCTIONS.len() } else { filters.len() - 1 };
        assert_eq!(counted.clone().count(), expected, "{names:?}");
        for function in counted {
            let count = report.instructions(&function.benchmark());
            assert_eq!(count, function.count(), "{} under {tool}", function.name);
        }
        // A load and the return: the argument is copied before
        assert_eq!(report.instructions("group::large_argument::bytes_800"), 2, "{tool}");
    }
}

#[test]
fn calls_are_those_in_the_source_and_no_others() {
    let (suite, _) = Suite::after("by_hand", &["--default-tool=callgrind"]);
    for function in &FUNCTIONS {
        let path = suite.result(&function.benchmark(), "out");
        let calls = calls(&fs::read_to_string(path).expect("a profile"));
        let benchmark = format!("by_hand::{0}::{0}", function.name);
        let mut expected: BTreeMap<_, _> = function
            .calls
            .iter()
            .map(|(from, to, times)| (((*from).to_owned(), (*to).to_owned()), *times))
            .collect();
        expected.insert((benchmark, function.name.to_owned()), 1);
        assert_eq!(calls, expected, "{}", function.name);
    }
}

/// Returns the numbers of calls in a profile, by the names of the two functions without the levels of recursions.
fn calls(profile: &str) -> BTreeMap<(String, String), u64> {
    let mut names = BTreeMap::new();
    let mut name = |value: &str| -> String {
        let (number, text) = value.split_once(')').expect("a number");
        let text = text.trim_start();
        if !text.is_empty() {
            let level = text.find('\'').unwrap_or(text.len());
            names.insert(number.to_owned(), text[..level].to_owned());
        }
        names[number].clone()
    };
    let (mut calls, mut caller, mut target) = (BTreeMap::new(), String::new(), String::new());
    for line in profile.lines() {
        if let Some(value) = line.strip_prefix("fn=") {
            caller = name(value);
        } else if let Some(value) = line.strip_prefix("cfn=") {
            target = name(value);
        } else if let Some(value) = line.strip_prefix("calls=") {
            let times = value.split(' ').next().and_then(|times| times.parse::<u64>().ok());
            *calls.entry((caller.clone(), target.clone())).or_default() += times.expect("a number");
        }
    }
    calls
}
