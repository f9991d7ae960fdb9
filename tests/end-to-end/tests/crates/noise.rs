//! Limits that are learned from recorded commits, with real builds of a crate whose layout changes.

use std::process::Command;

use end_to_end_tests::{FreshCrate, Run, Suite, clean, git, objects, run, runner};
use serde_json::Value;

const PROFILE: &str = "[lib]\nbench = false\n[profile.bench]\ndebug = 1\ncodegen-units = 1\n";

/// The counts of `last` depend on the address of the text, by up to about a hundred instructions.
const LIBRARY: &str = "
use std::collections::BTreeMap;

pub fn last(text: &str) -> Option<usize> {
    text.rfind('#')
}

pub fn counted(words: &[String]) -> usize {
    let mut all = BTreeMap::new();
    for word in words {
        *all.entry(word.len()).or_insert(0) += 1;
    }
    all.len()
}

pub fn sorted(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers
}
";

const HEAD: &str = "
use iai_callgrind::{library_benchmark, main};

fn words() -> Vec<String> {
    (0..100_usize).map(|i| \"x\".repeat(i * 7 % 13)).collect()
}

fn numbers() -> Vec<u64> {
    (0..200_u64).map(|i| i * 7919 % 1009).collect()
}
";

const BENCHMARKS: &str = "
// A constant of the file, which moves with the literals in front of it
const TEXT: &str = include_str!(\"text\");

#[library_benchmark]
#[bench::text(TEXT)]
fn last(text: &str) -> Option<usize> {
    layout::last(text)
}

#[library_benchmark(setup = words)]
fn counted(words: Vec<String>) -> usize {
    layout::counted(&words)
}

#[library_benchmark(setup = numbers)]
fn sorted(numbers: Vec<u64>) -> Vec<u64> {
    layout::sorted(numbers)
}
";

/// An unrelated benchmark that moves the text: the compiler puts literals in the order of the symbols that use them,
/// which begin with the length of the name.
const UNRELATED: &str = "
#[library_benchmark]
#[bench::text(\"an unrelated text of another length\")]
fn add(text: &str) -> String {
    let mut all = std::collections::HashSet::new();
    all.extend(text.split(' ').map(str::to_uppercase));
    format!(\"{all:?} are the words of {text:>40}, whose own words move the other text\")
}
";

/// The benchmarks that are compared.
const RELATED: [&str; 3] = ["last", "counted", "sorted"];

/// A crate in a git repository whose commits only move the code of its benchmarks.
struct Layouts {
    crate_: FreshCrate,
    commits: usize,
}

impl Layouts {
    fn new() -> Self {
        let crate_ = FreshCrate::new("layout", "", &format!("{PROFILE}[workspace]\n"));
        crate_.write("src/lib.rs", LIBRARY);
        // So long that a hundred instructions are little
        crate_.write("benches/text", &format!("#{}", "x".repeat(20_000)));
        crate_.write(".gitignore", "target\n");
        let mut layouts = Self { crate_, commits: 0 };
        let _ = git(layouts.crate_.directory(), &["init", "--quiet"]);
        // The versions of the lock file are those of the crate from now on
        layouts.write(HEAD);
        let _ = layouts.bench(&["--list"]);
        layouts.commit();
        layouts
    }

    /// Writes the benchmark file, with these functions before the benchmarks.
    fn write(&self, before: &str) {
        let file = format!("benches/{}.rs", self.crate_.file());
        self.crate_.write(&file, &format!("{before}{BENCHMARKS}\nmain!();\n"));
    }

    fn commit(&mut self) {
        let directory = self.crate_.directory();
        let _ = git(directory, &["add", "."]);
        let message = format!("commit {}", self.commits);
        let _ = git(directory, &["commit", "--quiet", "--allow-empty", "--message", &message]);
        self.commits += 1;
    }

    /// Commits the other one of two layouts.
    fn relink(&mut self) {
        let unrelated = if self.commits % 2 == 0 { UNRELATED } else { "" };
        self.write(&format!("{HEAD}{unrelated}"));
        self.commit();
    }

    fn bench(&self, arguments: &[&str]) -> Run {
        let mut command = self.crate_.cargo_bench();
        command.args(["--bench", &self.crate_.file(), "--"]).args(arguments);
        run(command.env("IAI_CALLGRIND_RUNNER", runner()))
    }

    /// Returns the noise of the compared benchmarks, by their names.
    fn noise(&self) -> Vec<(String, Value)> {
        let mut command = Command::new(runner());
        clean(&mut command).args(["history", "--json"]).current_dir(self.crate_.directory());
        let json = run(&mut command).expect(0);
        let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
        let all = json["noise"].as_array().expect("the noise").iter();
        let named = all.map(|noise| (noise["name"].as_str().expect("a name"), noise));
        let is_related = |name: &str| RELATED.iter().any(|function| name.contains(function));
        named
            .filter(|(name, _)| is_related(name))
            .map(|(name, noise)| (name.to_owned(), noise.clone()))
            .collect()
    }
}

/// Returns the largest change of a metric without a change of the code.
fn largest(noise: &Value, metric: &str) -> u64 {
    noise["metrics"][metric]["largest"].as_u64().expect("a number")
}

#[test]
fn limits_are_learned_from_commits_that_only_move_code() {
    let mut layouts = Layouts::new();
    for _ in 0..3 {
        layouts.relink();
        let _ = layouts.bench(&["--record"]).expect(0);
    }
    let short = layouts.bench(&["--limit=auto"]).expect(0);
    short.complains(&[
        "note: --limit=auto has no effect on 3 of 3 benchmarks: the recorded history is too short",
        "help: record at least 1 commit more that leave their code as it is",
    ]);
    layouts.relink();
    let _ = layouts.bench(&["--record", "--save-baseline=main"]).expect(0);
    let noise = layouts.noise();
    assert_eq!(noise.len(), RELATED.len(), "{noise:#?}");
    for (name, noise) in &noise {
        assert_eq!(noise["pairs"], 3, "{name} has the same code at each commit");
        let is_exact = name.contains("counted") || name.contains("sorted");
        assert!(!is_exact || largest(noise, "Ir") == 0, "{name}: {noise:#}");
    }
    let moved = |metric: &str| noise.iter().any(|(_, noise)| largest(noise, metric) > 0);
    assert!(moved("EstimatedCycles"), "the layout moves the text: {noise:#?}");

    // Another commit that only moves code
    layouts.relink();
    let arguments = ["--baseline=main", "--limit=auto", "--explain=all", "--output-format=json"];
    let same = layouts.bench(&arguments).expect(0);
    assert!(!same.stderr.contains("--limit=auto has no effect"), "{}", same.stderr);
    let summaries = objects(&same.stdout);
    let explained: Vec<_> = summaries
        .iter()
        .map(|summary| &summary["tools"][0]["explanation"])
        .filter(|explanation| !explanation.is_null())
        .collect();
    assert!(!explained.is_empty(), "{}", same.stdout);
    for explanation in explained {
        assert_eq!(explanation["noise"]["pairs"], 3, "{explanation:#}");
        let text = explanation["text"][1].as_str().expect("a text");
        let start = "within the noise: commits that did not touch this code moved ";
        assert!(text.starts_with(start) && text.ends_with(" (3 pairs)"), "{text}");
    }
    for summary in &summaries {
        let learned: Vec<_> = summary["tools"][0]["limits"].as_array().expect("limits").clone();
        assert!(learned.iter().all(|limit| limit["learned_from"] == 3), "{learned:?}");
        assert!(learned.iter().any(|limit| limit["metric"] == "Ir"), "{learned:?}");
    }

    // A real change
    let slower = LIBRARY
        .replace("numbers.sort_unstable();", "numbers.sort_unstable();\n    numbers.reverse();");
    layouts.crate_.write("src/lib.rs", &slower);
    let changed = layouts.bench(&["--baseline=main", "--limit=auto"]).expect(3);
    // Not exactly the numbers, which are those of a compiler
    let regressed = "\n  layout_benchmark::functions::sorted\n    Instructions +";
    for expected in [regressed, "learned from 3 pairs of commits)"] {
        assert!(changed.stdout.contains(expected), "{}", changed.stdout);
    }
    // What the user sets wins
    let limits = "--callgrind-limits=@all=10000000";
    let set = layouts.bench(&["--baseline=main", "--limit=auto", limits]).expect(0);
    assert!(!set.stdout.contains("learned"), "{}", set.stdout);
}

/// Reads this many numbers, which are adjacent or in different cache lines, and tables, each of which is in one line or
/// in two. The distances between them decide.
const READS: &str = "
use std::hint::black_box;

pub fn numbers(numbers: &[u64]) -> u64 {
    let distance = black_box(1);
    (0..2000).fold(0, |sum, i| sum + numbers[i * distance % 65536])
}

#[repr(align(32))]
pub struct Table([u8; 96]);

pub fn tables() -> usize {
    TABLES.iter().map(|table| usize::from(table.0[0]) + usize::from(table.0[63])).sum()
}
";

const READS_BENCHMARKS: &str = "
#[library_benchmark(setup = many_numbers)]
fn far(numbers: Vec<u64>) -> u64 {
    spread::numbers(&numbers)
}

fn many_numbers() -> Vec<u64> {
    (0..65536).collect()
}

#[library_benchmark]
fn tables() -> usize {
    spread::tables()
}
";

/// Gives the benchmark file the layout of a number in the environment.
const BUILD_SCRIPT: &str = "
fn main() {
    println!(\"cargo::rerun-if-env-changed=PADDING\");
    if let Ok(number) = std::env::var(\"PADDING\") {
        println!(\"cargo::rustc-link-arg-benches=-Wl,--randomize-section-padding={number}\");
    }
}
";

/// A crate without a history, some of whose benchmarks have other misses of the caches in each layout.
struct Spread(FreshCrate);

impl Spread {
    fn new() -> Self {
        let crate_ = FreshCrate::new("spread", "", &format!("{PROFILE}[workspace]\n"));
        let benchmarks = format!("{HEAD}{BENCHMARKS}{READS_BENCHMARKS}\nmain!();\n");
        let benchmarks = benchmarks.replace("layout::", "spread::");
        crate_.write(&format!("benches/{}.rs", crate_.file()), &benchmarks);
        crate_.write("benches/text", &format!("#{}", "x".repeat(20_000)));
        crate_.write("build.rs", BUILD_SCRIPT);
        let spread = Self(crate_);
        spread.write(READS);
        spread
    }

    /// Writes the library with these functions.
    fn write(&self, reads: &str) {
        let tables = 0..40;
        let name = |number| format!("&TABLE_{number}");
        let names = tables.clone().map(name).collect::<Vec<_>>().join(", ");
        let table = |number| format!("static TABLE_{number}: Table = Table([{number} + 1; 96]);\n");
        let statics: String = tables.map(table).collect();
        let all = format!("static TABLES: [&Table; 40] = [{names}];\n");
        self.0.write("src/lib.rs", &format!("{LIBRARY}{reads}{statics}{all}"));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.cargo_bench();
        command.args(["--bench", &self.0.file(), "--"]).args(arguments);
        command.env("IAI_CALLGRIND_RUNNER", runner());
        command
    }

    /// Compares with a build of the same code in another layout. Returns the explanations of changes within the noise.
    fn moved(&self, layout: &str) -> Vec<Value> {
        let _ = run(self.command(&["--save-baseline=before"]).env("PADDING", layout)).expect(0);
        let json = ["--explain=all", "--output-format=json"];
        let moved = run(&mut self.command(&[&LEARNED[..], &json].concat())).expect(0);
        moved.complains(&["\ncounting layout 1 of 8\n", "\ncounting layout 8 of 8\n"]);
        assert!(!moved.stderr.contains("--limit=auto has no effect"), "{}", moved.stderr);
        let summaries = objects(&moved.stdout);
        for summary in &summaries {
            let limits = summary["tools"][0]["limits"].as_array().expect("limits");
            assert!(limits.iter().any(|limit| limit["metric"] == "EstimatedCycles"), "{limits:?}");
            for limit in limits {
                let observations = (&limit["learned_from"], &limit["learned_from_layouts"]);
                assert_eq!(observations, (&0.into(), &8.into()), "{limit}");
            }
        }
        let explanations = summaries.iter().map(|summary| &summary["tools"][0]["explanation"]);
        explanations.filter(|explanation| !explanation["noise"].is_null()).cloned().collect()
    }
}

/// Arguments that compare with the baseline.
const LEARNED: [&str; 3] = ["--baseline=before", "--limit=auto", "--time-layouts=8"];

#[test]
fn limits_are_learned_from_layouts_without_a_history() {
    if cfg!(not(target_arch = "x86_64")) {
        // The linker that Rust uses there has no option for it
        return;
    }
    let spread = Spread::new();
    // A layout can have the same counts as the one without padding
    let mut within = ["101", "102", "103"].into_iter().map(|layout| spread.moved(layout));
    let within = within.find(|explanations| !explanations.is_empty()).expect("other counts");
    for explanation in within {
        assert_eq!(explanation["noise"]["layouts"], 8, "{explanation:#}");
        let text = explanation["text"][1].as_str().expect("a text");
        assert!(text.starts_with("within the noise: 8 layouts of this code moved "), "{text}");
    }

    // The same instructions read other lines of the cache
    spread.write(&READS.replace("black_box(1)", "black_box(8)"));
    let changed = run(&mut spread.command(&LEARNED)).expect(3);
    let title = "\n  spread_benchmark::functions::far\n    L2 Hits +";
    for expected in [title, ", learned from 8 layouts)", " 1 regressed"] {
        assert!(changed.stdout.contains(expected), "{}", changed.stdout);
    }
    assert!(!changed.stdout.contains("Instructions +"), "{}", changed.stdout);

    run(&mut spread.command(&["--list", "--time-layouts=8"])).expect(0).complains(&[
        "note: --time-layouts has no effect: it needs the times of two sides (--time --against=REV) or learned \
         limits (--limit=auto)\n",
    ]);
}

#[test]
fn without_recorded_results_there_is_a_note() {
    let suite = Suite::new("order");
    let mut command = Command::new(runner());
    clean(&mut command).args(["exec", "--limit=auto", "--", "/bin/true"]);
    command.env("IAI_CALLGRIND_HOME", suite.home()).current_dir(suite.subdirectory("outside"));
    run(&mut command).expect(0).complains(&[
        "note: --limit=auto has no effect: there are no recorded results of commits",
        "git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind",
    ]);
}
