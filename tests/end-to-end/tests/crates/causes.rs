//! The text for people: a line for each benchmark on a terminal, and causes of changes.

use end_to_end_tests::{FreshCrate, git, objects, run, runner};

/// Returns a crate with this number of functions that call the same helper.
fn with_helper(number: usize) -> FreshCrate {
    let benchmark = |index| {
        format!(
            "#[library_benchmark]\n#[bench::text(TEXT)]\nfn words_{index}(text: &str) -> usize {{\n    \
             one_helper::words_{index}(text)\n}}\n"
        )
    };
    let benchmarks: String = (0..number).map(benchmark).collect();
    let file = format!(
        "use iai_callgrind::{{library_benchmark, main}};\nconst TEXT: &str = \"The quick, Brown fox; jumps \
         over the LAZY dog.\";\n{benchmarks}main!();\n"
    );
    let profile = "\n[profile.bench.package.one-helper]\ndebug = 1\ncodegen-units = 1\n";
    let crate_ = FreshCrate::new("one-helper", &file, profile);
    crate_.write("src/lib.rs", &library(number, "word.to_owned()"));
    crate_
}

/// Returns functions that normalize each word with this expression, in line 4.
fn library(number: usize, expression: &str) -> String {
    let function = |index| {
        format!(
            "#[inline(never)]\npub fn words_{index}(text: &str) -> usize {{\n    \
             text.split(' ').map(normalize).map(|word| word.len() * {index}).sum()\n}}\n"
        )
    };
    let functions: String = (0..number).map(function).collect();
    format!(
        "#[inline(never)]\npub fn normalize(word: &str) -> String {{\n    let word = word.trim();\n    \
         {expression}\n}}\n{functions}"
    )
}

#[test]
fn changes_with_one_cause_are_one_entry() {
    const NUMBER: usize = 12;
    let crate_ = with_helper(NUMBER);
    let bench = |arguments: &[&str]| {
        let mut command = crate_.cargo_bench();
        command.args(["--bench", &crate_.file(), "--"]).args(arguments);
        run(command.env("IAI_CALLGRIND_RUNNER", runner()))
    };
    let _ = bench(&["--save-baseline=base"]).expect(0);
    crate_.write("src/lib.rs", &library(NUMBER, "word.to_lowercase()"));
    let text = bench(&["--baseline=base", "--output-format=lines", "--explain"]).expect(0).stdout;
    let (rows, causes) = text.split_once("\nCauses:\n\n").expect("causes");
    let verdict = format!("\ncompared with the baseline `base`: {NUMBER} worse\n  worst: ");
    let (rows, _) = rows.split_once(&verdict).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(rows.matches("_benchmark::group::").count(), 0, "no file in a row: {text}");
    let (cause, _) = causes.split_once("\n\n").expect("the closing line");
    assert!(
        cause.starts_with(&format!(
            "  one_helper::normalize, src/lib.rs:4 now calls str::to_lowercase: {NUMBER} benchmarks, +"
        )),
        "{text}"
    );
    assert!(cause.lines().count() <= 15, "{text}");
    assert!(cause.contains("  word.to_lowercase()  ← changed\n"), "the guilty line: {text}");
    let next = cause.lines().find(|line| line.starts_with("    next: `"));
    let next = next.expect("the next step");
    assert!(next.contains(" annotate ") && next.ends_with(" --baseline=base`"), "{next}");

    let json = bench(&["--baseline=base", "--output-format=json", "--explain"]).expect(0);
    let summaries = objects(&json.stdout);
    assert_eq!(summaries.len(), NUMBER);
    for summary in &summaries {
        assert_eq!(summary["change"], serde_json::json!({ "kind": "worse", "metric": "Ir" }));
        let cause = &summary["tools"][0]["explanation"]["cause"];
        assert_eq!((&cause["name"], &cause["line"]), (&"one_helper::normalize".into(), &4.into()));
    }
    let markdown = bench(&["--baseline=base", "--output-format=markdown"]).expect(0).stdout;
    let cause = "one_helper::normalize, src/lib.rs:4 now calls str::to_lowercase";
    let (sentence, _) = markdown.split_once('\n').expect("a sentence");
    assert!(sentence.starts_with(&format!("🔺 {NUMBER} worse in `")), "{sentence}");
    let end = format!(
        " %: {cause}; repeat it with `cargo bench --bench {} -- --baseline=base`",
        crate_.file()
    );
    assert!(
        sentence.contains(", compared with the baseline `base`") && sentence.ends_with(&end),
        "{sentence}"
    );
    assert!(markdown.contains(&format!("\n1. {cause}: {NUMBER} benchmarks, +")), "{markdown}");
    assert_eq!(markdown.matches("explanation</summary>").count(), 1, "{markdown}");
    assert!(markdown.contains(&format!("<summary>{} more</summary>", NUMBER - 10)), "{markdown}");

    crate_.write("src/lib.rs", &(library(NUMBER, "word.to_owned()") + "pub fn unrelated() {}\n"));
    let same = bench(&["--baseline=base", "--show=changed"]).expect(0).stdout;
    let end = format!("\ncompared with the old results: {NUMBER} unchanged\n");
    assert!(same.starts_with(&end), "{same}");

    // Without a baseline, the results are compared with those of the last run
    let _ = bench(&[]).expect(0);
    crate_.write("src/lib.rs", &library(NUMBER, "word.to_lowercase()"));
    let text = bench(&["--output-format=lines", "--explain"]).expect(0).stdout;
    let next = text.lines().find_map(|line| line.strip_prefix("    next: `")?.strip_suffix('`'));
    let (_, next) = next.and_then(|next| next.split_once(" -- ")).expect("the next step");
    let annotated = bench(&next.split(' ').collect::<Vec<_>>()).expect(0).stdout;
    assert!(annotated.contains(" compared with the run before the last\n"), "{annotated}");
    assert!(annotated.contains("  word.to_lowercase()\n"), "{annotated}");
}

#[test]
fn lines_of_a_file_that_did_not_run_before_are_compared_with_those_in_git() {
    const UNUSED: &str = "pub(crate) use crate::other::lower;\n";
    const LOWER: &str = "pub(crate) fn lower(word: &str) -> String {\n    \
                         word.chars().rev().collect::<String>().to_ascii_lowercase()\n}\n";
    let file = "use iai_callgrind::{library_benchmark, main};\n#[library_benchmark]\n#[bench::text(\"One Two\")]\n\
                fn words(text: &str) -> usize {\n    other_version::words_0(text)\n}\nmain!();\n";
    let profile = "\n[profile.bench.package.other-version]\ndebug = 1\ncodegen-units = 1\n";
    let crate_ = FreshCrate::new("other-version", file, profile);
    let library = library(1, "words::lower(word)");
    crate_.write("src/lib.rs", &format!("{library}\nmod other;\nmod words;\n"));
    let other = "pub fn lower(word: &str) -> String {\n    word.to_ascii_lowercase()\n}\n";
    crate_.write("src/other.rs", other);
    crate_.write("src/words.rs", UNUSED);
    let _ = git(crate_.directory(), &["init"]);
    let _ = git(crate_.directory(), &["add", "."]);
    let _ = git(crate_.directory(), &["commit", "--message=one"]);
    let bench = || {
        let mut command = crate_.cargo_bench();
        command.args(["--bench", &crate_.file(), "--", "--explain"]);
        run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0).stdout
    };
    let _ = bench();
    crate_.write("src/words.rs", LOWER);
    let text = bench();
    let changed = "): your changes to these lines (src/words.rs:2";
    assert!(text.contains(changed) && !text.contains("the same files run"), "{text}");

    // Git has no file that was never committed
    crate_.write("src/words.rs", &format!("{UNUSED}// A note\n"));
    let _ = bench();
    crate_.write("src/words.rs", LOWER);
    let text = bench();
    let unknown =
        "): src/words.rs runs in one of the results only, something in the package changed\n";
    assert!(text.contains(unknown), "{text}");
}

/// Returns a library whose function has a caller, or two: one that has a single caller is inlined, whatever its length.
fn with_long_function(second_caller: &str) -> String {
    let step = |step| format!("    x = (x ^ {step}).wrapping_mul(y | 1).rotate_left({step});");
    let steps = (0..40).map(step).collect::<Vec<_>>().join("\n");
    format!(
        "#[inline(never)]\npub fn work(n: u64) -> u64 {{\n    (0..n).map(|i| mixed(i, n)).sum()\n}}\n\
         fn mixed(mut x: u64, y: u64) -> u64 {{\n{steps}\n    x\n}}\n{second_caller}"
    )
}

#[test]
fn a_cause_names_the_function_that_is_no_longer_inlined() {
    let file = "use iai_callgrind::{library_benchmark, main};\n#[library_benchmark]\n#[bench::ten(10)]\n\
                fn work(n: u64) -> u64 {\n    long_function::work(n)\n}\nmain!();\n";
    let profile = "\n[profile.bench.package.long-function]\ndebug = 1\ncodegen-units = 1\n";
    let crate_ = FreshCrate::new("long-function", file, profile);
    crate_.write("src/lib.rs", &with_long_function(""));
    let bench = || {
        let mut command = crate_.cargo_bench();
        command.args(["--bench", &crate_.file(), "--", "--explain"]);
        run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0).stdout
    };
    let _ = bench();
    let caller = "#[inline(never)]\npub fn other(n: u64) -> u64 {\n    mixed(n, 3)\n}\n";
    crate_.write("src/lib.rs", &with_long_function(caller));
    let text = bench();
    let cause = "something else in src/lib.rs changed; long_function::mixed is no longer inlined: 1 benchmark, +";
    assert!(text.contains(cause), "{text}");
}
