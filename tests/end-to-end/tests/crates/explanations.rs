//! Explanations: which code accounts for a change, and of which kind it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{FreshCrate, Run, Suite, git, objects, run, runner, tree};
use serde_json::Value;

const LIBRARY: &str = include_str!("explained/lib.rs");
const BENCHMARK: &str = include_str!("explained/benchmark.rs");
/// For the crate alone, so that it has the dependencies of all crates.
const PROFILE: &str = "\n[profile.bench.package.NAME]\ndebug = 1\ncodegen-units = 1\n";

/// A change of the library, and its expected explanation.
struct Seed {
    name: &'static str,
    from: &'static str,
    to: &'static str,
    /// The benchmark that changes; `None` if none may.
    benchmark: Option<&'static str>,
    /// The end of a function's name among the first three entries.
    culprit: &'static str,
    verdict: &'static str,
}

const SEEDS: [Seed; 10] = [
    Seed {
        name: "a line does more",
        from: "    word.to_ascii_lowercase()\n",
        to: "    word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()\n",
        benchmark: Some("most_frequent"),
        culprit: "normalized",
        verdict: "changed-lines",
    },
    Seed {
        name: "a line is gone",
        from: "    all.sort_by_key(|(_, number)| std::cmp::Reverse(*number));\n",
        to: "",
        benchmark: Some("most_frequent"),
        culprit: "most_frequent",
        verdict: "changed-lines",
    },
    Seed {
        name: "a function calls another",
        from: "    text.split(',').collect()\n",
        to: "    text.split(',').map(str::trim).collect()\n",
        benchmark: Some("checksums"),
        culprit: "lines",
        verdict: "changed-lines",
    },
    Seed {
        name: "a function is called more often",
        from: "    text.split(',').collect()\n",
        to: "    text.split(' ').collect()\n",
        benchmark: Some("checksums"),
        culprit: "checksum",
        verdict: "changed-lines",
    },
    Seed {
        name: "a method of a trait object",
        from: "        self.0 * self.1 / 2\n",
        to: "        (0..self.0).map(|_| std::hint::black_box(self.1)).sum::<u64>() / 2\n",
        benchmark: Some("areas"),
        culprit: "area",
        verdict: "changed-lines",
    },
    Seed {
        name: "less work",
        from: "        text.push_str(&number.to_string());\n",
        to: "        let _ = std::fmt::Write::write_fmt(&mut text, format_args!(\"{number}\"));\n",
        benchmark: Some("rendered"),
        culprit: "rendered",
        verdict: "changed-lines",
    },
    Seed {
        name: "a type in the same file",
        from: "const SEED: u32 = 1;\n",
        to: "const SEED: u32 = 0x1234_5678;\n",
        benchmark: None,
        culprit: "",
        verdict: "",
    },
    Seed {
        name: "a comment",
        from: "/// A shape on paper.\n",
        to: "/// A shape on paper,\n/// or elsewhere.\n",
        benchmark: None,
        culprit: "",
        verdict: "",
    },
    Seed {
        name: "an unrelated function",
        from: "/// A shape on paper.\n",
        to: "pub fn unrelated(n: u64) -> String {\n    format!(\"{n:?}\")\n}\n\n/// A shape on paper.\n",
        benchmark: None,
        culprit: "",
        verdict: "",
    },
    Seed {
        name: "inlined no longer",
        from: "fn normalized(word",
        to: "#[inline(never)]\nfn normalized(word",
        benchmark: Some("most_frequent"),
        culprit: "normalized",
        verdict: "changed-lines",
    },
];

/// Several edits in one change, of which the first one costs most.
struct Edits {
    edits: &'static [(&'static str, &'static str)],
    /// The line that is named, true for one of the old source.
    named: (u64, bool),
}

/// The changes of `most_frequent`. Lines above all of them are new, too.
const EDITS: [Edits; 3] = [
    Edits {
        edits: &[
            (SEEDS[1].from, "    std::hint::black_box(&all);\n"),
            ("//! A library", "//! Lines\n//! of an\n//! introduction.\n//!\n//! A library"),
        ],
        named: (12, true),
    },
    Edits {
        edits: &[
            (SEEDS[0].from, SEEDS[0].to),
            ("    all\n", "    std::hint::black_box(&all);\n    all\n"),
            ("//! A library", "//! Lines\n//! of an\n//! introduction.\n//!\n//! A library"),
        ],
        named: (22, false),
    },
    Edits {
        edits: &[
            (SEEDS[1].from, ""),
            (
                "        *counts.entry(normalized(word))",
                "        let word = std::hint::black_box(word);\n        *counts.entry(normalized(word))",
            ),
        ],
        named: (12, true),
    },
];

/// Returns `cargo bench` of the crate with the arguments.
fn bench(crate_: &FreshCrate, arguments: &[&str]) -> Command {
    let mut command = crate_.cargo_bench();
    command.args(["--bench", &crate_.file(), "--"]).args(arguments);
    command.env("IAI_CALLGRIND_RUNNER", runner());
    command
}

fn explained(name: &'static str, profile: &str) -> FreshCrate {
    let benchmark = BENCHMARK.replace("explained", &name.replace('-', "_"));
    let crate_ = FreshCrate::new(name, &benchmark, &profile.replace("NAME", name));
    crate_.write("src/lib.rs", LIBRARY);
    crate_
}

/// Returns the explanations of a run with JSON on the standard output, by the functions of their benchmarks.
fn explanations(run: &Run) -> Vec<(String, Value, i64)> {
    let mut found = Vec::new();
    for summary in objects(&run.stdout) {
        let tool = &summary["tools"][0];
        let count = |side: &str| tool["total"]["Ir"][side].as_i64().expect("a count");
        let change = count("new") - count("old");
        let explanation = tool["explanation"].clone();
        if !explanation.is_null() {
            found.push((
                summary["function"].as_str().expect("a name").to_owned(),
                explanation,
                change,
            ));
        }
    }
    found
}

/// Asserts that the lists add up to the difference.
fn assert_sum(seed: &str, explanation: &Value, change: i64) {
    let entries = explanation["entries"].as_array().expect("entries");
    let signed = |entry: &Value, side: &str| entry[side].as_i64().expect("a count");
    let sum: i64 = entries.iter().map(|entry| signed(entry, "new") - signed(entry, "old")).sum();
    assert_eq!(sum, change, "{seed}: {explanation}");
    let shares: f64 = entries.iter().map(|entry| entry["share"].as_f64().expect("a share")).sum();
    assert!(entries.is_empty() || (shares - 1.0).abs() < 1e-9, "{seed}: {shares}");
}

#[test]
fn changes_are_explained_by_the_code_that_made_them() {
    let crate_ = explained("explained", PROFILE);
    let _ = run(&mut bench(&crate_, &["--save-baseline=base"])).expect(0);
    for Seed { name, from, to, benchmark, culprit, verdict } in SEEDS {
        assert_eq!(LIBRARY.matches(from).count(), 1, "{name}");
        crate_.write("src/lib.rs", &LIBRARY.replace(from, to));
        let arguments = ["--baseline=base", "--explain=all", "--output-format=json"];
        let run = run(&mut bench(&crate_, &arguments)).expect(0);
        let found = explanations(&run);
        for (function, explanation, change) in &found {
            assert_sum(name, explanation, *change);
            let is_expected = benchmark == Some(function);
            assert!(
                is_expected || explanation["verdict"] != "changed-lines",
                "{name}, {function}: {explanation}"
            );
        }
        let Some(benchmark) = benchmark else { continue };
        let of_benchmark = found.iter().find(|(function, ..)| function == benchmark);
        let (_, explanation, _) = of_benchmark.unwrap_or_else(|| panic!("{name}: {found:?}"));
        assert_eq!(explanation["verdict"], verdict, "{name}: {explanation:#}");
        let entries = explanation["entries"].as_array().expect("entries");
        let is_culprit = |entry: &Value| {
            entry["function"].as_str().is_some_and(|function| function.ends_with(culprit))
        };
        assert!(entries.iter().take(3).any(is_culprit), "{name}: {explanation:#}");
    }
    for Edits { edits, named } in EDITS {
        let changed = edits.iter().fold(LIBRARY.to_owned(), |text, (from, to)| {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text.replace(from, to)
        });
        crate_.write("src/lib.rs", &changed);
        let arguments = ["--baseline=base", "--explain=all", "--output-format=json"];
        let found = explanations(&run(&mut bench(&crate_, &arguments)).expect(0));
        let of_benchmark = found.iter().find(|(function, ..)| function == "most_frequent");
        let (_, explanation, _) = of_benchmark.unwrap_or_else(|| panic!("{found:?}"));
        let cause = &explanation["cause"];
        let line = (cause["line"].as_u64(), cause["is_removed_line"].as_bool());
        assert_eq!(line, (Some(named.0), Some(named.1)), "{explanation:#}");
        let place = format!("{}src/lib.rs:{}", if named.1 { "old " } else { "" }, named.0);
        let text = cause["text"].as_str().expect("a text");
        assert!(text.contains(&format!(", {place} ")), "{text}");
    }
    causes_of_improvements_count_on(&crate_);
}

/// Demands that a comment with a regression and an improvement numbers their causes.
fn causes_of_improvements_count_on(crate_: &FreshCrate) {
    let [better, worse] = [&SEEDS[1], &SEEDS[2]];
    let changed = LIBRARY.replace(worse.from, worse.to).replace(better.from, better.to);
    crate_.write("src/lib.rs", &changed);
    let arguments = ["--baseline=base", "--output-format=markdown"];
    let markdown = run(&mut bench(crate_, &arguments)).expect(0).stdout;
    let (worse, better) = markdown.split_once("<summary>1 better</summary>").expect("improvements");
    let cause = "\n1. explained::lines, src/lib.rs:36 now calls Map::next\n";
    assert!(worse.contains(cause), "{markdown}");
    for (number, part) in [(1, worse), (2, better)] {
        let lines = |start: &str, end: &str| {
            part.lines().filter(|line| line.starts_with(start) && line.ends_with(end)).count()
        };
        assert_eq!(lines(&format!("{number}. explained::"), ""), 1, "{markdown}");
        assert_eq!(lines("| `", &format!(" | {number} |")), 1, "{markdown}");
    }
}

/// A search in the middle of a text, and an instruction that reads from a register.
#[cfg(target_arch = "x86_64")]
const SAME_COUNT: &str = r#"
use std::hint::black_box;

#[repr(C, align(64))]
pub struct Texts {
    before: [u8; 1],
    text: [u8; 100],
}

static TEXTS: Texts = Texts { before: [b'-'; 1], text: [b' '; 100] };

pub fn found(byte: u8) -> bool {
    black_box(&TEXTS.before);
    let text: &[u8] = black_box(&TEXTS.text);
    text.contains(&byte)
}

pub fn copied(number: u64) -> u64 {
    let mut copy = number;
    let place = &raw mut copy;
    // SAFETY: the place is valid.
    unsafe { std::arch::asm!("mov rax, rcx", in("rdx") place, in("rcx") number, out("rax") copy) };
    copy
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
fn equal_counts_and_equal_code_are_distinguished_from_changes() {
    let benchmark = "use iai_callgrind::{library_benchmark, main};\n\
        #[library_benchmark]\n#[bench::x(b'x')]\nfn found(byte: u8) -> bool { same_count::found(byte) }\n\
        #[library_benchmark]\n#[bench::x(7)]\nfn copied(number: u64) -> u64 { same_count::copied(number) }\n\
        main!();\n";
    let crate_ = FreshCrate::new("same-count", benchmark, &PROFILE.replace("NAME", "same-count"));
    crate_.write("src/lib.rs", SAME_COUNT);
    let _ = run(&mut bench(&crate_, &["--save-baseline=base"])).expect(0);
    // Neither changes the number of its instructions or their machine code, respectively
    let changed = SAME_COUNT.replace("before: [u8; 1]", "before: [u8; 7]");
    let changed =
        changed.replace("[b'-'; 1]", "[b'-'; 7]").replace("mov rax, rcx", "mov rax, [rdx]");
    crate_.write("src/lib.rs", &changed);
    let arguments = ["--baseline=base", "--explain=all", "--output-format=json"];
    let found = explanations(&run(&mut bench(&crate_, &arguments)).expect(0));
    let of = |name: &str| {
        let one = found.iter().find(|(function, ..)| function == name);
        one.unwrap_or_else(|| panic!("no explanation of {name}: {found:#?}"))
    };
    let (_, explanation, change) = of("found");
    assert_eq!(explanation["verdict"], "data-addresses", "{explanation:#}");
    assert_ne!(*change, 0);
    let (_, explanation, change) = of("copied");
    assert_eq!(explanation["verdict"], "changed-lines", "{explanation:#}");
    assert_eq!(*change, 0);
    assert!(explanation["text"].to_string().contains("src/lib.rs:22"), "{explanation:#}");
}

/// Returns the tables of the results in the slot, such as `.base@base`.
fn tables(crate_: &FreshCrate, slot: &str) -> Vec<PathBuf> {
    let results = crate_.results();
    let names = tree(&results).into_keys().filter(|name| name.ends_with(&format!("{slot}.table")));
    names.map(|name| results.join(name)).collect()
}

#[test]
fn stored_results_are_explained_without_executable_and_sources() {
    let crate_ = explained("explained-later", PROFILE);
    let _ = run(&mut bench(&crate_, &["--save-baseline=base"])).expect(0);
    let Seed { from, to, .. } = SEEDS[0];
    crate_.write("src/lib.rs", &LIBRARY.replace(from, to));
    let arguments = ["--baseline=base", "--callgrind-limits=ir=5%"];
    let broken = run(&mut bench(&crate_, &arguments));
    assert!(broken.stdout.contains("\nCauses:\n"), "{}", broken.stdout);
    assert!(
        broken.stdout.contains("your changes to these lines (src/lib.rs:17)"),
        "{}",
        broken.stdout
    );
    crate_.write("src/lib.rs", "");

    let stored = |arguments: &[&str]| {
        let mut command = Command::new(runner());
        let home = crate_.results();
        command.args(arguments).env("IAI_CALLGRIND_HOME", home.parent().expect("a home"));
        run(&mut command).expect(0).stdout
    };
    let explain = ["explain", "base", "explained_later"];
    let text = stored(&explain);
    let first = "explained_later_benchmark::group::most_frequent::short\n  +";
    assert!(text.contains(first), "{text}");
    assert!(text.contains("your changes to these lines (src/lib.rs:17)"), "{text}");
    // In the others accesses to caches can have moved
    assert!(text.ends_with(" of 4 results are equal\n"), "{text}");
    let short =
        stored(&["explain", "base", "--explain-lines=3", "explained_later*::most_frequent*"]);
    let lines: Vec<_> = short.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!(
        lines.len(),
        6,
        "a first line, a function with its costliest line, libraries and the last two: {short}"
    );
    let compared = stored(&["compare", "base", "@last", "--explain", "--filter=explained_later"]);
    let (_, explained) = compared.split_once("(no change)\n").expect("a table");
    assert!(explained.contains(first), "{compared}");
    let same = stored(&["compare", "base", "base", "--explain", "--filter=explained_later"]);
    assert!(!same.contains("::areas\n"), "{same}");
    let same = stored(&["explain", "base", "--load-baseline=base", "explained_later"]);
    assert_eq!(same, "4 of 4 results are equal\n");
    let markdown = stored(&["report", "--baseline=base", "--filter=explained_later"]);
    assert!(markdown.contains("short: explanation</summary>"), "{markdown}");

    let last = tables(&crate_, "areas").remove(0).with_extension("out");
    let whole = fs::read(&last).expect("a profile");
    fs::write(&last, "no profile").expect("it can be written");
    let mut command = Command::new(runner());
    let home = crate_.results();
    command.args(explain).env("IAI_CALLGRIND_HOME", home.parent().expect("a home"));
    let one_damaged = run(&mut command).expect(1);
    assert!(one_damaged.stdout.contains(first), "the others are explained");
    one_damaged.complains(&["callgrind.areas.out"]);
    fs::write(&last, whole).expect("it can be written");

    let olds = tables(&crate_, ".base@base");
    let of = |name: &str| {
        let is = |path: &&PathBuf| path.to_string_lossy().contains(name);
        olds.iter().find(is).expect("a table")
    };
    let _ = fs::copy(of("most_frequent"), of("areas")).expect("it can be copied");
    let text = stored(&explain);
    let exchanged = "the table of the old result can't be used: it belongs to another result\n";
    assert_eq!(text.matches(exchanged).count(), 1, "{text}");

    for table in tables(&crate_, ".base@base") {
        fs::write(table, "no table").expect("it can be written");
    }
    let text = stored(&explain);
    let damaged = "  no explanation: the table of the old result can't be used: it is damaged: ";
    assert_eq!(text.matches(damaged).count(), 4, "{text}");
    for table in tables(&crate_, ".base@base") {
        fs::remove_file(table).expect("it can be removed");
    }
    let text = stored(&explain);
    let missing = "  no explanation: the old result has no table of costs by function\n";
    assert_eq!(text.matches(missing).count(), 4, "{text}");
}

#[test]
fn without_debug_information_crates_are_named_and_a_remedy() {
    let crate_ = explained("explained-less", "");
    let _ = git(crate_.directory(), &["init"]);
    let _ = git(crate_.directory(), &["add", "."]);
    let _ = git(crate_.directory(), &["commit", "--message=one"]);
    let first = run(&mut bench(&crate_, &[])).expect(0);
    let note = "note: changes can't be explained by function: no debug information of the executable was found\n\
                help: set `debug = 1` and `codegen-units = 1` in [profile.bench], in C++ compile with `-g`, or";
    assert_eq!(first.stderr.matches(note).count(), 1, "{}", first.stderr);
    let Seed { from, to, .. } = SEEDS[4];
    crate_.write("src/lib.rs", &LIBRARY.replace(from, to));
    let text = run(&mut bench(&crate_, &["--explain"])).expect(0).stdout;
    assert!(text.contains("; `debug = 1`, in C++ `-g`, would name functions\n"), "{text}");
    assert!(text.contains("  crate explained_less\n"), "{text}");
    // Nor is it known which files run
    let files = text.lines().find(|line| line.starts_with("    changed since ")).expect("a line");
    assert!(files.contains("src/lib.rs") && !files.contains("runs in"), "{text}");
    let silent = run(&mut bench(&crate_, &["--profile-note=no"])).expect(0);
    assert!(!silent.stderr.contains("note: "), "{}", silent.stderr);
    let without = run(&mut bench(&crate_, &["--explain=none"])).expect(0);
    assert!(!without.stdout.contains("Explanations"), "{}", without.stdout);
    assert!(!without.stderr.contains("note: "), "{}", without.stderr);
    assert!(tables(&crate_, "").iter().all(|table| table.to_string_lossy().contains(".old.table")));
}

#[test]
fn the_files_that_changed_are_named_with_those_that_run() {
    let crate_ = explained("explained-in-git", PROFILE);
    crate_.write("README.md", "A crate.\n");
    let _ = git(crate_.directory(), &["init"]);
    let _ = git(crate_.directory(), &["add", "."]);
    let _ = git(crate_.directory(), &["commit", "--message=one"]);
    let _ = run(&mut bench(&crate_, &["--save-baseline=base"])).expect(0);
    crate_.write("README.md", "A crate with a benchmark.\n");
    let _ = git(crate_.directory(), &["commit", "--all", "--message=two"]);
    let Seed { from, to, .. } = SEEDS[0];
    crate_.write("src/lib.rs", &LIBRARY.replace(from, to));

    let arguments = ["--baseline=base", "--explain=all", "--output-format=json"];
    let found = explanations(&run(&mut bench(&crate_, &arguments)).expect(0));
    let (_, explanation, _) =
        found.iter().find(|(name, ..)| name == "most_frequent").expect("a change");
    let changed = &explanation["changed_files"];
    assert_ne!(changed["old"], changed["new"]);
    let lock = |file: &&Value| file["path"] != "Cargo.lock";
    let files: Vec<_> =
        changed["files"].as_array().expect("files").iter().filter(lock).cloned().collect();
    let file = |path: &str, runs: bool| serde_json::json!({ "path": path, "runs": runs });
    assert_eq!(files, [file("src/lib.rs", true), file("README.md", false)], "{explanation:#}");
    let text = explanation["text"].to_string();
    assert!(text.contains(": src/lib.rs (runs in this benchmark), "), "{text}");

    // Another level of optimization changes the machine code, and no file that runs. The harness reports its own level
    let _ = git(crate_.directory(), &["checkout", "src/lib.rs"]);
    let mut other = crate_.cargo_bench();
    other.arg(crate_.setting("opt-level", "0"));
    other.arg("--config=profile.bench.package.iai-callgrind-harness.opt-level=0");
    other.args(["--bench", &crate_.file(), "--", "--baseline=base", "--explain"]);
    let text = run(other.env("IAI_CALLGRIND_RUNNER", runner())).expect(0).stdout;
    assert!(text.contains("the environment differs: optimization level (3 → 0)"), "{text}");
    let none = "no changed file runs in this benchmark; changed between ";
    assert!(text.contains(none) && text.contains("README.md\n"), "{text}");
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

/// Returns the profiles without what differs from run to run.
fn profiles(suite: &Suite) -> Vec<(String, String)> {
    let profiles =
        tree(&suite.directory()).into_iter().filter(|(name, _)| has_extension(name, "out"));
    let varying = |line: &&str| !line.starts_with("pid:") && !line.starts_with("desc: Part");
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("names are UTF-8");
        text.lines().filter(varying).collect::<Vec<_>>().join("\n")
    };
    profiles.map(|(name, bytes)| (name, text(bytes))).collect()
}

#[test]
fn counts_and_profiles_are_the_same_with_and_without_tables() {
    // Not the processes: how often one reads from another depends on the system
    for (name, filter) in [("order", "::"), ("flamegraphs", "::calls::")] {
        let (with, without) = (Suite::new(name), Suite::new(name));
        let counts = with.report(&[filter]).values();
        assert_eq!(without.report(&["--explain=none", filter]).values(), counts);
        let (with, without) = (profiles(&with), profiles(&without));
        assert_eq!(with.len(), without.len());
        for (with, without) in with.iter().zip(&without) {
            assert!(with == without, "{}", with.0);
        }
    }
}
