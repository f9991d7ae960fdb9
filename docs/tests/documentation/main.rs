//! The README, the guide and the other documents hold what they show: code compiles, commands run,
//! links lead somewhere.

mod action;
mod ci;
mod document;
mod errors;
mod examples;
mod fixed_values;
mod lab;
mod layers;
mod output;
mod publishing;
mod release;
mod shards;
mod style;
mod walks;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use iai_callgrind_plan::SUBCOMMANDS;
use iai_callgrind_plan::metric::CALLGRIND;

use crate::document::{Block, Document, documents, root};
use crate::lab::Lab;
use crate::output::shape;

/// Commands that no lab runs, and why
const ELSEWHERE: [(&str, &str); 19] = [
    (
        "cargo bench --bench my_benchmark -- --output-format=json | jq -s",
        "not every machine has jq; the end-to-end tests read the same stream",
    ),
    (
        "perf record -g -- cargo bench --bench my_benchmark -- --profile-time=5s sort",
        "not every machine has perf; the end-to-end tests run the option without it",
    ),
    ("perf record -g --pid=12345", "not every machine has perf, and none this process"),
    ("cargo bench -- --against=main", "needs a repository; the end-to-end tests have one"),
    ("cargo bench -- --time --against=main", "needs a repository; the end-to-end tests have one"),
    (
        "cargo bench --bench my_benchmark -- --limit=auto --time-layouts=8 --against=main",
        "needs a repository; the end-to-end tests count layouts of a crate",
    ),
    ("cargo bench -- --time", "takes 6 s for each benchmark; the end-to-end tests take less"),
    (
        "cargo bench -- --against=main --against-benches=here",
        "needs a repository; the end-to-end tests have one",
    ),
    (
        "iai-callgrind-runner bisect v1.0 --bench my_benchmark bench_fibonacci::long --limit=1%",
        "needs a repository; the end-to-end tests have one",
    ),
    (
        "iai-callgrind-runner history v1.0..HEAD --bench my_benchmark bench_fibonacci::long",
        "needs a repository; the end-to-end tests have one",
    ),
    (
        "cargo bench --bench my_benchmark -- --record",
        "needs a repository; the end-to-end tests have one",
    ),
    ("iai-callgrind-runner record", "needs a repository; the end-to-end tests have one"),
    ("iai-callgrind-runner history", "needs a repository; the end-to-end tests have one"),
    (
        "iai-callgrind-runner history v1.0..HEAD bench_fibonacci",
        "needs a repository; the end-to-end tests have one",
    ),
    ("cargo new --lib my-crate", "a lab is such a crate"),
    ("docker build --tag iai-callgrind benches", "needs Docker and downloads an image"),
    (
        "docker run --rm --cap-add=sys_nice --volume .:/project --volume iai-callgrind:/cache iai-callgrind cargo bench",
        "needs Docker and an image",
    ),
    ("cargo xtask bench", "has a test of its own, and may install Valgrind"),
    ("cargo xtask test", "is what CI runs, and runs this test"),
];

/// Subcommands, and the chapters that name their options
const CHAPTERS: [(&str, &[&str]); 11] = [
    ("list", &["stored-results"]),
    ("compare", &["stored-results"]),
    ("report", &["stored-results"]),
    ("flamegraph", &["stored-results"]),
    ("export", &["stored-results"]),
    ("import", &["stored-results"]),
    ("bisect", &["revisions"]),
    ("history", &["revisions", "history"]),
    ("record", &["history"]),
    ("exec", &["exec", "command-line"]),
    ("annotate", &["annotations"]),
];

/// Start of the titles of the Quickstart's benchmarks
const QUICKSTART: &str = "my_benchmark::functions::bench_fibonacci ";

/// Programs that are in the `PATH` of each lab
const PROGRAMS: [&str; 3] = ["cargo", "callgrind_annotate", "iai-callgrind-runner"];

#[test]
#[ignore = "guide"]
fn every_rust_block_is_a_benchmark_file_that_compiles() {
    let lab = Lab::new("blocks", &["client_requests"]);
    lab.add_dependency("bencher", "iai-callgrind-bencher");
    lab.add_dependency("criterion", "iai-callgrind-criterion");
    lab.add_dependency("divan", "iai-callgrind-divan");
    lab.add_to_manifest("\n[features]\ntime = []\n");
    let mut blocks = 0;
    for document in documents() {
        lab.add_files(&document);
        for block in document.blocks("rust") {
            let place = format!("{}:{}", document.path.display(), block.line);
            let is_whole = ["main!(", "fn main()"].iter().any(|main| block.text.contains(main));
            assert!(is_whole, "{place}: not a whole benchmark file");
            lab.add_benchmark(&format!("{}_line_{}", document.name(), block.line), &block.text);
            blocks += 1;
        }
    }
    assert!(blocks > 0);
    if let Err(error) = lab.run("cargo check --quiet --benches") {
        panic!("{error}");
    }
}

#[test]
#[ignore = "guide"]
fn every_command_works_in_the_order_of_its_document() {
    let documents = documents();
    for document in &documents {
        let blocks = document.blocks("console");
        let commands = blocks.iter().flat_map(Block::commands);
        let commands: Vec<_> = commands.filter(|command| !is_elsewhere(&command.line)).collect();
        if commands.is_empty() {
            continue;
        }
        let lab = Lab::for_commands();
        lab.add_files(document);
        for command in commands {
            let line = &command.line;
            let place = format!("{}:{}: `{line}`", document.path.display(), command.number);
            assert!(PROGRAMS.contains(&program(line)), "{place} is neither run nor in ELSEWHERE");
            let stdout = lab.run(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            if !command.output.is_empty() {
                assert_eq!(shape(&stdout), shape(&command.output), "{place}");
            }
        }
    }
}

fn is_elsewhere(line: &str) -> bool {
    ELSEWHERE.iter().any(|(command, _)| *command == line)
}

/// Returns the first word that sets no variable.
fn program(line: &str) -> &str {
    line.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default()
}

#[test]
fn the_list_of_commands_tested_elsewhere_is_up_to_date() {
    let documents = documents();
    let blocks = documents.iter().flat_map(|document| document.blocks("console"));
    let shown: BTreeSet<String> =
        blocks.flat_map(|block| block.commands()).map(|command| command.line).collect();
    for (command, _) in ELSEWHERE {
        assert!(shown.contains(command), "no document shows `{command}`");
    }
}

/// Returns the blocks of results in the output of a run.
fn results(output: &str) -> &str {
    let start = output.find("my_benchmark::").expect("a title");
    let end = output.find("Iai-Callgrind result").expect("a closing line");
    &output[start..end]
}

/// Needs no lab: the crate is below the target directory of the workspace. Only its builds stay. Its manifest has the path of
/// the checkout that wrote it, which can be another one if the target directory is a copy.
#[test]
#[ignore = "guide"]
fn the_task_for_a_first_run_prints_what_the_readme_prints() {
    let crate_directory = root().join("target/my-crate");
    for directory in ["benches", "src", "target/iai"] {
        let _ = fs::remove_dir_all(crate_directory.join(directory));
    }
    for file in ["Cargo.toml", "Cargo.lock"] {
        let _ = fs::remove_file(crate_directory.join(file));
    }
    let (is_success, stdout, stderr) = first_run_task(&[]);
    assert!(is_success, "{stdout}{stderr}");
    let readme = Document::read("README.md");
    let blocks = readme.blocks("console");
    let commands = blocks.iter().flat_map(Block::commands);
    let first = commands.into_iter().find(|command| command.line == "cargo bench").unwrap();
    assert_eq!(shape(results(&stdout)), shape(results(&first.output)));
    assert!(stdout.contains("\nNext: add `2 => 2,` below `0 | 1 => 1,` in /"), "{stdout}");
    // A new version of the compiler can need other numbers on these pages
    if cfg!(target_arch = "x86_64") {
        let printed =
            stdout + &runs_after_the_first(&crate_directory.join("benches/my_benchmark.rs"));
        assert_counts_are_printed(&printed);
        assert_lines_of_the_quickstart_are_printed(&printed);
    }
}

/// Demands that the runs printed all metrics of the pages to the last digit.
fn assert_counts_are_printed(printed: &str) {
    let (printed, mut shown) = (counts(QUICKSTART, printed), 0);
    for page in ["README.md", "docs/src/quickstart.md", "docs/src/reading-the-output.md"] {
        let page = Document::read(page);
        let counts = counts(QUICKSTART, &page.text);
        let wrong: Vec<_> = counts.difference(&printed).collect();
        assert!(wrong.is_empty(), "{}: not printed: {wrong:#?}", page.path.display());
        shown += counts.len();
    }
    assert!(shown > 40, "{shown}");
}

/// Demands that the runs printed the Quickstart's broken limit with its causes, and its annotated function.
fn assert_lines_of_the_quickstart_are_printed(printed: &str) {
    let quickstart = Document::read("docs/src/quickstart.md");
    let (_, limit) = quickstart.text.split_once("\n$ cargo bench -- short --b").unwrap();
    let (_, limit) = limit.split_once('\n').unwrap();
    let start = "```text\nmy_benchmark::functions::bench_fibonacci::short\n";
    let (_, annotated) = quickstart.text.split_once(start).unwrap();
    let blocks = [limit, annotated].map(|text| text.split_once("```").unwrap().0);
    let lines = blocks.into_iter().flat_map(str::lines);
    let lines: Vec<_> =
        lines.filter(|line| line.trim() != "..." && !line.ends_with(" s")).collect();
    assert!(lines.len() > 30, "{lines:#?}");
    for line in lines {
        assert!(printed.lines().any(|other| other == line), "not printed: {line}\n{printed}");
    }
}

/// Runs the task for a first run. Returns whether it succeeded, its output and its errors.
fn first_run_task(arguments: &[&str]) -> (bool, String, String) {
    let mut task = Command::new("cargo");
    task.args(["xtask", "bench"]).current_dir(root()).env_remove("CARGO_TARGET_DIR");
    if !arguments.is_empty() {
        task.arg("--").args(arguments);
    }
    let output = task.output().expect("cargo can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Makes the changes of the Quickstart to its benchmark, and returns what the runs after them print.
fn runs_after_the_first(benchmark: &Path) -> String {
    let slow = fs::read_to_string(benchmark).unwrap();
    let fast = slow.replace("        0 | 1 => 1,\n", "        0 | 1 => 1,\n        2 => 2,\n");
    assert_ne!(slow, fast, "the Quickstart's function is another one");
    fs::write(benchmark, fast).unwrap();
    let (is_success, changed, stderr) = first_run_task(&[]);
    assert!(is_success, "{changed}{stderr}");
    let (is_success, saved, stderr) = first_run_task(&["--save-baseline=main"]);
    assert!(is_success, "{saved}{stderr}");
    fs::write(benchmark, slow).unwrap();
    let arguments = ["short", "--baseline=main", "--callgrind-limits=ir=5%"];
    let (is_success, limited, stderr) = first_run_task(&arguments);
    assert!(!is_success, "{limited}{stderr}");
    let arguments = ["annotate", "short", "--baseline=main"];
    let (is_success, annotated, stderr) = first_run_task(&arguments);
    assert!(is_success, "{annotated}{stderr}");
    changed + &limited + &annotated
}

/// Returns the lines of metrics below the titles with this start and below comparisons, each with its title.
fn counts<'a>(start: &str, text: &'a str) -> BTreeSet<(&'a str, &'a str)> {
    let (mut title, mut counts) = (None, BTreeSet::new());
    for line in text.lines() {
        if let Some(title) = title.filter(|_| line.starts_with("  ") && line.contains('|')) {
            counts.insert((title, line));
        } else {
            let is_title =
                |line: &&str| line.starts_with(start) || line.starts_with("  Comparison with ");
            title = Some(line).filter(is_title);
        }
    }
    counts
}

#[test]
fn counts_have_each_digit_and_their_title() {
    let title = "my_benchmark::functions::bench_fibonacci short:10";
    let text = format!("{title}\n  L1 Hits:  12|N/A  (***)\nother\n  L1 Hits:  13|N/A  (***)\n");
    assert_eq!(counts(title, &text), BTreeSet::from([(title, "  L1 Hits:  12|N/A  (***)")]));
}

#[test]
#[ignore = "guide"]
fn the_chapter_on_the_command_line_names_all_that_help_names() {
    let chapter = Document::read("docs/src/command-line.md");
    let lab = Lab::for_commands();
    let help = lab.run("cargo bench --quiet --bench my_benchmark -- --help");
    let help = help.unwrap_or_else(|error| panic!("{error}"));
    let names = names(&help);
    assert!(names.contains("--parallel") && names.contains("IAI_CALLGRIND_PARALLEL"), "{names:?}");
    for name in names {
        assert!(chapter.text.contains(&format!("`{name}")), "`{name}` is missing");
    }
}

/// Returns the options and variables that a help text names.
fn names(help: &str) -> BTreeSet<&str> {
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
    words
        .filter(|word| word.starts_with("IAI_CALLGRIND_") || word.starts_with("--"))
        .filter(|word| word.len() > "--".len() && *word != "--bench")
        .collect()
}

#[test]
#[ignore = "guide"]
fn the_chapters_of_a_subcommand_name_all_that_its_help_names() {
    let lab = Lab::for_commands();
    // Has the runner built
    lab.run("cargo bench --quiet --bench my_benchmark -- --list").unwrap();
    let variables = Document::read("docs/src/command-line.md").text;
    for (command, chapters) in CHAPTERS {
        let chapters = chapters.iter().map(|name| Document::read(format!("docs/src/{name}.md")));
        let text: String = chapters.map(|chapter| chapter.text).collect();
        let help = lab.run(&format!("iai-callgrind-runner {command} --help")).unwrap();
        for name in names(&help).into_iter().filter(|name| *name != "--help") {
            let is_variable = name.starts_with("IAI_CALLGRIND_") && variables.contains(name);
            assert!(is_variable || text.contains(name), "`{name}` of `{command}` is missing");
        }
        assert!(text.contains(&format!("iai-callgrind-runner {command}")), "{command}");
    }
}

#[test]
fn the_chapter_on_metrics_has_the_whole_table() {
    let chapter = Document::read("docs/src/metrics.md");
    let rows: Vec<Vec<&str>> = chapter
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").map(|cell| cell.trim_matches('`')).collect())
        .collect();
    for kind in CALLGRIND.all {
        let is_it = |row: &&Vec<&str>| {
            row[0].split("`, `").any(|name| name.eq_ignore_ascii_case(kind.name()))
        };
        let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("{kind} is missing"));
        assert_eq!(row[1], kind.label());
    }
    for group in CALLGRIND.groups.iter().filter(|group| group.names[0] != "cachesim") {
        let row = group.names.iter().map(|name| format!("@{name}"));
        let members = CALLGRIND.members(group.group);
        let members: Vec<_> = members.iter().map(|kind| format!("{kind:?}")).collect();
        let row: Vec<_> = row.chain([members.join("`, `")]).collect();
        assert!(rows.iter().any(|found| *found == row), "no row {row:?}");
    }
}

#[test]
fn each_page_with_a_subcommand_says_how_to_have_the_runner() {
    let mut pages = 0;
    for document in documents().iter().filter(|document| document.path.starts_with("docs/src")) {
        let is_shown =
            |name: &&str| document.text.contains(&format!("iai-callgrind-runner {name}"));
        if document.path.ends_with("install.md") || !SUBCOMMANDS.iter().any(is_shown) {
            continue;
        }
        let has_link = document.text.contains("install.md#subcommands");
        assert!(has_link, "{}: no link to install.md#subcommands", document.path.display());
        pages += 1;
    }
    assert!(pages > 5, "{pages}");
}

#[test]
fn links_lead_to_files_and_their_headings() {
    let (mut wrong, mut headings) = (Vec::new(), 0);
    for document in documents() {
        let directory = document.path.parent().unwrap().to_owned();
        for link in document.links() {
            let (path, anchor) =
                link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
            let path = if path.is_empty() { document.path.clone() } else { directory.join(path) };
            let has_anchor = |anchor: &str| {
                headings += 1;
                Document::read(&path).anchors().iter().any(|other| other == anchor)
            };
            if !root().join(&path).exists() || !anchor.is_none_or(has_anchor) {
                wrong.push(format!("{}: {link}", document.path.display()));
            }
        }
    }
    assert!(headings > 20, "{headings}");
    assert!(wrong.is_empty(), "links that lead nowhere: {wrong:#?}");
}

#[test]
fn every_chapter_and_every_decision_is_in_its_index() {
    for (directory, index) in [("docs/src", "SUMMARY.md"), ("docs/decisions", "README.md")] {
        let page = Document::read(format!("{directory}/{index}"));
        let listed: BTreeSet<String> = page.links().into_iter().map(ToOwned::to_owned).collect();
        let documents = documents();
        let pages = documents.iter().filter(|page| page.path.parent() == Some(directory.as_ref()));
        let names = pages.map(|page| page.path.file_name().unwrap().to_str().unwrap().to_owned());
        let pages: BTreeSet<String> = names.filter(|name| name != index).collect();
        assert_eq!(pages, listed, "{directory}/{index}");
    }
}

#[test]
fn decisions_and_maps_name_files_that_exist() {
    let files = style::tracked("*.rs");
    let is_tracked = |name: &str| files.iter().any(|file| file.path.ends_with(name));
    let is_of_code =
        |page: &&Document| !page.path.starts_with("docs/src") && !page.path.ends_with("README.md");
    let mut missing = Vec::new();
    for page in documents().iter().filter(is_of_code) {
        let outside = page.text.split("\n```").step_by(2);
        let names = outside.flat_map(|text| text.split('`').skip(1).step_by(2));
        let is_file = |name: &&str| {
            Path::new(name).extension().is_some_and(|it| it == "rs") && !name.contains(' ')
        };
        let unknown = names.filter(is_file).filter(|name| !is_tracked(name));
        missing.extend(unknown.map(|name| format!("{}: {name}", page.path.display())));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn a_decision_is_short() {
    let documents = documents();
    let decisions = documents.iter().filter(|page| page.path.starts_with("docs/decisions/"));
    for decision in decisions.filter(|page| !page.path.ends_with("README.md")) {
        let place = decision.path.display();
        let headings = decision.text.lines().filter(|line| line.starts_with("## "));
        let headings: Vec<_> = headings.collect();
        assert_eq!(headings, ["## Context", "## Decision", "## Consequences"], "{place}");
        let lines = decision.text.lines().count();
        assert!(lines <= 40, "{place} has {lines} lines");
    }
}
