//! Subcommands of the runner that work with stored results.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{
    Flamegraph, Suite, assert_unchanged, names_of_results, objects, run, stored, stored_command,
    tree, write_tree,
};

fn path_text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn benchmarks_are_listed_with_what_they_have() {
    let (order, _) = Suite::after("order", &["fibonacci", "--save-baseline=main"]);
    let _ = order.report(&["five"]);
    let _ = order.report(&["five", "--separate-targets"]);
    let list = stored(&order.home(), &["list"]).expect(0);
    let expected = format!(
        "\
benchmark-tests
  order::numbers::fibonacci::fifteen  main
  order::numbers::fibonacci::five     @last main
benchmark-tests ({ARCH}-unknown-linux-gnu)
  order::numbers::fibonacci::five     @last
"
    );
    assert_eq!((&*list.stdout, &*list.stderr), (&*expected, ""));
    let _ = order.report(&["five"]);
    let list = stored(&order.home(), &["list", "::five", "*teen"]).expect(0);
    assert!(
        list.stdout.contains("fifteen  main\n")
            && list.stdout.contains("five     @last @old main\n")
    );
    stored(&order.home(), &["list", "missing"])
        .expect(1)
        .complains(&["no results match the filter", "\nhelp: `iai-callgrind-runner list`"]);
    stored(&order.root().join("missing"), &["list"]).expect(1).complains(&["no such directory"]);
}

/// Adds the results of a benchmark that its benchmark file does not have, as copies of another one's.
fn add_deleted(suite: &Suite, function: &str, name: &str, deleted: &str) {
    let group = suite.directory().join("numbers");
    let (from, to) = (format!("{function}.{name}"), format!("{function}.{deleted}"));
    let files = tree(&group.join(&from)).into_iter();
    let files = files.map(|(file, content)| (file.replace(&from, &to), content)).collect();
    write_tree(&group.join(&to), &files);
}

#[test]
fn results_of_deleted_benchmarks_are_left_out_and_pruned() {
    let (order, _) = Suite::with_two_baselines();
    // The run knows all benchmarks of its file
    let _ = order.report(&["five"]);
    let before = tree(&order.home());
    add_deleted(&order, "fibonacci", "five", "gone");
    fs::write(order.directory().join("numbers/fibonacci.gone/summary.json"), "{}").unwrap();
    let with_deleted = tree(&order.home());
    let arguments: [&[&str]; 4] = [
        &["list"],
        &["compare", "a", "b"],
        &["report", "--load-baseline=a", "--baseline=b"],
        &["explain", "a", "--load-baseline=b"],
    ];
    for arguments in arguments {
        let run = stored(&order.home(), arguments).expect(0);
        assert!(!run.stdout.contains("gone"), "{}", run.stdout);
        assert!(
            run.stderr.contains("note: the results of 1 benchmark that the project no longer has")
                && run.stderr.contains("prune` deletes them\n"),
            "{}",
            run.stderr
        );
    }
    let plan = "\
benchmark-tests
  order::numbers::fibonacci::gone  @last a b
";
    let planned = stored(&order.home(), &["prune", "--dry-run"]).expect(0);
    let end = "the results of 1 benchmark that the project no longer has\n";
    assert_eq!(planned.stdout, format!("{plan}would delete {end}"));
    assert_eq!(tree(&order.home()), with_deleted);
    let kept = stored(&order.home(), &["prune", "five"]).expect(0);
    assert_eq!(kept.stdout, "nothing to delete: the project has all of these benchmarks\n");
    assert_eq!(stored(&order.home(), &["prune"]).expect(0).stdout, format!("{plan}deleted {end}"));
    assert_eq!(tree(&order.home()), before);
    assert_eq!(stored(&order.home(), &["list"]).expect(0).stderr, "");
}

#[test]
fn a_base_is_a_word_or_an_option() {
    let (order, _) = Suite::with_two_baselines();
    let explained = |arguments: &[&str]| stored(&order.home(), arguments).expect(0).stdout;
    let word = explained(&["explain", "a", "five", "--load-baseline=b"]);
    assert!(word.ends_with(" of 1 results are equal\n"), "{word}");
    let option = explained(&["explain", "five", "--baseline=a", "--load-baseline=b"]);
    assert_eq!(option, word);
    for _ in 0..2 {
        let _ = order.run(&["fibonacci::five"]).expect(0);
    }
    let filter = explained(&["explain", "numbers::fibonacci::five"]);
    assert!(filter.ends_with(" of 1 results are equal\n"), "{filter}");
    for words in [["compare", "a", "b", "fibonacci::five"], ["compare", "a", "b", "five"]] {
        let error = stored(&order.home(), &words).expect(1).stderr;
        let help = format!("\nhelp: to select benchmarks, write `--filter={}`\n", words[3]);
        assert!(error.ends_with(&help), "{error}");
    }
}

#[test]
fn a_run_reports_once_that_benchmarks_were_deleted() {
    let (order, _) = Suite::with_two_baselines();
    add_deleted(&order, "fibonacci", "five", "gone");
    // A filter leaves benchmarks out, and these are still there
    let run = || order.run(&["fibonacci::five"]).expect(0).stderr;
    let note = "note: the results of 1 benchmark that `order` no longer has";
    let first = run();
    assert!(first.contains(note), "{first}");
    assert!(!run().contains(note));
    let list = stored(&order.home(), &["list"]).expect(0);
    assert_eq!(list.stdout.lines().count(), 1 + 8, "{}", list.stdout);
}

#[test]
fn a_deleted_benchmark_file_is_pruned_with_its_directory() {
    let (order, _) = Suite::with_two_baselines();
    let package = order.root().join("package");
    let manifest = "[package]\nname = 'benchmark-tests'\nversion = '0.1.0'\n[workspace]\n";
    write_tree(
        &package,
        &BTreeMap::from([
            ("Cargo.toml".to_owned(), manifest.into()),
            ("src/lib.rs".to_owned(), Vec::new()),
        ]),
    );
    let stored = |arguments: &[&str]| {
        let mut command = stored_command(&order.home(), arguments);
        for name in ["PATH", "CARGO"] {
            command.env(name, std::env::var_os(name).unwrap());
        }
        run(command.current_dir(&package)).expect(0)
    };
    let list = stored(&["list"]);
    assert!(list.stdout.is_empty() && list.stderr.contains("8 benchmarks that the project"));
    let pruned = stored(&["prune"]).stdout;
    assert!(
        pruned.ends_with("deleted the results of 8 benchmarks that the project no longer has\n")
    );
    let left = fs::read_dir(order.home()).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, [".format-version"]);
}

#[test]
fn benchmarks_of_two_packages_have_different_names() {
    let (order, _) = Suite::with_two_baselines();
    let files = tree(&order.home().join("benchmark-tests"));
    write_tree(&order.home().join("other"), &files);
    let table = stored(&order.home(), &["compare", "a", "b", "--filter=five"]).expect(0).stdout;
    for package in ["benchmark-tests", "other"] {
        assert!(
            table.contains(&format!("  {package}::order::numbers::fibonacci::five ")),
            "{table}"
        );
    }
    let one = ["compare", "a", "b", "--filter=other::order::numbers::fibonacci::five"];
    let one = stored(&order.home(), &one).expect(0).stdout;
    assert_eq!(one.lines().count(), 2, "{one}");
    let report = ["report", "--load-baseline=a", "--baseline=b", "--format=bmf"];
    let report = stored(&order.home(), &report).expect(0).stdout;
    assert!(report.contains("\"other::order::numbers::fibonacci::five\""), "{report}");
}

#[test]
fn results_that_a_comparison_with_a_revision_keeps_are_not_listed() {
    let (order, _) = Suite::with_two_baselines();
    fs::create_dir_all(order.home().join(".against/measured/b")).unwrap();
    let list = stored(&order.home(), &["list", "five"]).expect(0).stdout;
    assert!(list.ends_with("::five  a\n"), "{list}");
}

#[test]
fn baselines_are_compared_in_a_table() {
    let (order, _) = Suite::with_two_baselines();
    let report = order.report(&["numbers"]);
    let sorted = order.report(&["numbers"]);
    assert_eq!(report.values(), sorted.values());
    order.pretend("numbers::fibonacci::five", 1);
    let compare = |arguments: &[&str]| {
        stored(&order.home(), &[&["compare"], arguments].concat()).expect(0).stdout
    };
    let five = report.instructions("numbers::fibonacci::five");
    let percentage = 100.0 / five as f64 - 100.0;

    let table = compare(&["a", "b", "@last", "@old", "--filter=numbers"]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 5, "{table}");
    let words = |line: &str| line.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[0]), ["Instructions", "(callgrind", "Ir)", "a", "b", "@last", "@old"]);
    let row = lines.iter().find(|line| line.contains("fibonacci::five")).unwrap();
    let row = row.split_whitespace().collect::<Vec<_>>().join(" ");
    let same = format!("{five} (no change)");
    let values = format!("{five} {same} 1 ({percentage:.1} %) {same}");
    assert_eq!(row, format!("order::numbers::fibonacci::five {values}"));

    assert_eq!(compare(&["a"]), compare(&["a", "@last"]));
    let changed = compare(&["a", "@last", "--threshold=5", "--filter=numbers"]);
    assert_eq!(changed.lines().count(), 2, "{changed}");
    let metrics = compare(&["a", "b", "--metrics=dr,@hr", "--filter=five"]);
    assert_eq!(metrics.lines().count(), 4 * 2, "{metrics}");
    let grouped = compare(&["a", "b", "--group-by=function", "--filter=numbers"]);
    let keys: Vec<_> = grouped.lines().filter(|line| line.starts_with("order::")).collect();
    let functions = ["bubble_sort", "fibonacci", "standard_sort"];
    assert_eq!(keys, functions.map(|name| format!("order::numbers::{name}")));

    let missing = stored(&order.home(), &["compare", "a", "missing"]).expect(1);
    missing.complains(&["no benchmark has a result `missing`", "runner list"]);
    let typo = stored(&order.home(), &["explain", "bubble_sot"]).expect(1);
    typo.complains(&["help: did you mean `--filter=bubble_sort`? "]);
    let metric = stored(&order.home(), &["compare", "a", "b", "--metrics=cycles"]).expect(2);
    metric.complains(&["unknown metric `cycles`"]);
    let _ = stored(&order.home(), &["compare"]).expect(2);
    let _ = stored(&order.home(), &["compare", "a", "b", "--threshold=x"]).expect(2);
}

#[test]
fn a_baseline_is_removed_with_all_its_files() {
    let (order, _) = Suite::with_two_baselines();
    let _ = order.report(&["five", "--baseline=a", "--flamegraph"]);
    let before = tree(&order.home());
    let is_of_b = |path: &str| path.contains(".base@b.");
    assert!(before.iter().any(|(path, _)| is_of_b(path)));
    let filtered = stored(&order.home(), &["baseline", "remove", "b", "--filter=five"]).expect(0);
    assert_eq!(filtered.stdout, "removed the baseline `b` of 1 benchmark\n");
    let list = stored(&order.home(), &["baseline", "list"]).expect(0);
    assert_eq!(list.stdout, "a  8 benchmarks\nb  7 benchmarks\n");
    let removed = stored(&order.home(), &["baseline", "remove", "b"]).expect(0);
    assert_eq!(
        (&*removed.stdout, &*removed.stderr),
        ("removed the baseline `b` of 7 benchmarks\n", "")
    );
    // The other results are as they were
    let expected: BTreeMap<_, _> = before.into_iter().filter(|(path, _)| !is_of_b(path)).collect();
    assert_eq!(tree(&order.home()), expected);
    stored(&order.home(), &["baseline", "remove", "b"])
        .expect(1)
        .complains(&["no benchmark has a result `b`"]);
    for wrong in ["@last", "../b"] {
        stored(&order.home(), &["baseline", "remove", wrong]).expect(2).complains(&["baseline"]);
    }
    // A flamegraph of the difference goes with the baseline that it shows, and directories when they are empty
    let removed = stored(&order.home(), &["baseline", "remove", "a"]).expect(0);
    assert_eq!(removed.stdout, "removed the baseline `a` of 8 benchmarks\n");
    let list = stored(&order.home(), &["list"]).expect(0);
    assert_eq!(list.stdout, "benchmark-tests\n  order::numbers::fibonacci::five  @last\n");
    let none = stored(&order.home(), &["baseline", "list"]).expect(0);
    assert_eq!(none.stdout, "no baselines: `--save-baseline=NAME` saves one\n");
    let left = tree(&order.home());
    assert!(left.iter().all(|(path, _)| !path.contains("base@")), "{left:?}");
    let groups = fs::read_dir(order.directory()).unwrap().flatten();
    assert_eq!(groups.filter(|entry| entry.path().is_dir()).count(), 1);
}

#[test]
fn a_damaged_result_is_named_and_the_others_are_compared() {
    let (order, _) = Suite::with_two_baselines();
    let damaged = order.result("numbers::fibonacci::five", "base@b.out");
    fs::write(&damaged, "nonsense").unwrap();
    let filter = "--filter=fibonacci";
    let table = stored(&order.home(), &["compare", "a", "b", filter]).expect(1);
    table.complains(&["error: ", path_text(&damaged)]);
    assert!(table.stdout.contains("fifteen") && !table.stdout.contains("five"), "{}", table.stdout);
    let report = ["report", "--load-baseline=b", "--baseline=a", "--format=json", filter];
    let report = stored(&order.home(), &report).expect(1);
    let status: Vec<_> = objects(&report.stdout).iter().map(|it| it["status"].clone()).collect();
    assert_eq!(status, ["ok", "failed"]);
}

#[test]
fn a_report_of_stored_results_is_that_of_the_run() {
    let (order, _) = Suite::after("order", &["--save-baseline=main"]);
    let path = order.root().join("report.json");
    let report = format!("--report=json:{}", path.display());
    let run = order.run(&["--output-format=json", "--baseline=main", &report]).expect(0);
    let stored_report =
        stored(&order.home(), &["report", "--baseline=main", "--format=json"]).expect(0);
    let (mut run, mut stored_report) = (objects(&run.stdout), objects(&stored_report.stdout));
    for object in run.iter_mut().chain(&mut stored_report) {
        // No file has these, and a run has no commits
        let unknown = ["arguments", "executable", "invocation", "package_dir", "target", "commits"];
        for unknown in unknown {
            object[unknown] = serde_json::Value::Null;
        }
    }
    run.sort_by_key(|it| it["name"].to_string());
    stored_report.sort_by_key(|it| it["name"].to_string());
    assert_eq!(run, stored_report);

    let other = Suite::new("panics");
    let saved = other.run(&["--save-summary", "good"]).expect(0);
    assert!(saved.stderr.is_empty());
    let summary = other.directory().join("group/good_after/summary.json");
    let joined =
        stored(Path::new("/missing"), &["report", path_text(&path), path_text(&summary)]).expect(0);
    let heading = "✅ 1 new, 8 unchanged in `benchmark-tests: order`, `benchmark-tests: panics`\n";
    assert!(joined.stdout.starts_with(heading), "{}", joined.stdout);
}

#[test]
fn stored_results_have_limits() {
    let (order, _) = Suite::with_two_baselines();
    let five = "numbers::fibonacci::five";
    let count = order.load(&[]).expect(0).report().instructions(five);
    order.pretend_in(five, "base@a.out", count - 1);
    let title = format!("order::{five}");
    let regressed = "Instructions +";

    let compare = ["compare", "a", "b"];
    let with = |arguments: &[&str], limits: &str| {
        let limits = format!("--callgrind-limits={limits}");
        stored(&order.home(), &[arguments, &[&limits]].concat())
    };
    let tables = stored(&order.home(), &compare).expect(0).stdout;
    assert_eq!(with(&compare, "ir=100%").expect(0).stdout, tables);
    let broken = with(&compare, "ir=0.1%").expect(3).stdout;
    let end = broken.strip_prefix(&*tables).expect("the table comes first");
    assert!(end.starts_with(&format!("\nRegressions:\n\n  {title}\n    {regressed}")), "{end}");
    assert_eq!(end.lines().count(), 6, "{end}");
    let three = with(&["compare", "a", "b", "@old"], "ir=0.1%");
    three.complains(&["error: no benchmark has a result `@old`"]);
    // The tables do not show it
    let hidden = ["--threshold=1000000", "--metrics=ir", "--explain"];
    let hidden = with(&[&compare[..], &hidden].concat(), "ir=0.1%").expect(3).stdout;
    assert!(hidden.starts_with("\nRegressions:\n"), "{hidden}");

    let report = ["report", "--load-baseline=b", "--baseline=a", "--format=json"];
    let broken = objects(&with(&report, "ir=0.1%|100000000").expect(3).stdout);
    for object in &broken {
        let is_five = object["name"] == *title;
        assert_eq!(object["status"], if is_five { "regressed" } else { "ok" });
        let tool = &object["tools"][0];
        assert_eq!(tool["limits"].as_array().unwrap().len(), 2);
        assert_eq!(tool["regressions"].as_array().unwrap().len(), usize::from(is_five));
    }
    let without = objects(&stored(&order.home(), &report).expect(0).stdout);
    let sorts = |objects: &[serde_json::Value]| {
        objects.iter().map(|it| it["tools"][0]["total"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(sorts(&broken), sorts(&without));
    let markdown =
        run(stored_command(&order.home(), &report[..3]).env("IAI_CALLGRIND_REGRESSION", "ir=0.1"));
    let markdown = markdown.expect(3).stdout;
    assert!(markdown.contains("**1 exceeded a limit**, 7 unchanged in `"), "{markdown}");

    let unused = stored(&order.home(), &[&report[..], &["--dhat-limits=totalbytes=1"]].concat());
    unused.expect(0).complains(&["note: the options of dhat have no effect"]);
    let _ = with(&report, "cycles=1").expect(2);
    let files = with(&["report", "x.json"], "ir=1%").expect(2);
    files.complains(&["error: can't check limits of summaries: the runs have checked them"]);
}

#[test]
fn whose_blocks_count_is_stored_with_them() {
    let tools = Suite::new("tools");
    let arguments = ["--default-tool=dhat", "--output-format=json", "owners", "heap::three_blocks"];
    let run = tools.run(&arguments).expect(0);
    let stored_report = stored(&tools.home(), &["report", "--format=json"]).expect(0);
    let metrics = |stdout: &str| -> BTreeMap<String, serde_json::Value> {
        let objects = objects(stdout).into_iter();
        objects.map(|it| (it["name"].to_string(), it["tools"][0]["total"].clone())).collect()
    };
    let expected = metrics(&run.stdout);
    assert_eq!(expected.len(), 5);
    assert!(expected.values().all(|total| total["TotalBytes"]["new"].is_u64()));
    assert_eq!(metrics(&stored_report.stdout), expected);
}

#[test]
fn a_summary_of_a_newer_version_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new.json");
    for (content, part) in [
        (r#"{"version": 2, "whatever": 1}"#, "a summary of version 2, but"),
        (r#"{"version": 1}"#, "not a summary of iai-callgrind: missing field"),
        ("[1, 2", "not a summary of iai-callgrind: EOF"),
        ("no JSON", "not a summary of iai-callgrind: expected"),
    ] {
        fs::write(&path, content).unwrap();
        let run = stored(directory.path(), &["report", path_text(&path)]).expect(1);
        run.complains(&["error: can't read ", "new.json: ", part]);
        assert_eq!(run.stdout, "");
    }
    stored(directory.path(), &["report", "/missing.json"])
        .expect(1)
        .complains(&["can't read /missing"]);
    let _ = stored(directory.path(), &["report", "--format=xml"]).expect(2);
}

#[test]
fn an_export_counts_the_benchmarks_of_the_baseline() {
    let (order, _) = Suite::after("order", &["five", "--save-baseline=main"]);
    let _ = order.report(&[]);
    let archive = order.root().join("main.tar.gz");
    let run = stored(&order.home(), &["export", "--baseline=main", path_text(&archive)]);
    let text = format!("exported the baseline `main` of 1 benchmark to {}\n", archive.display());
    assert_eq!(run.expect(0).stdout, text);
}

#[test]
fn a_baseline_moves_in_one_file() {
    let (order, _) = Suite::after("order", &["--save-baseline=main"]);
    let _ = order.report(&[]);
    let archive = order.root().join("main.tar.gz");
    let export = ["export", "--baseline=main", path_text(&archive)];
    let run = stored(&order.home(), &export).expect(0);
    assert_eq!(
        run.stdout,
        format!("exported the baseline `main` of 8 benchmarks to {}\n", archive.display())
    );
    assert_eq!(run.stderr, "");
    let exported = fs::read(&archive).unwrap();
    let mut baseline = tree(&order.directory());
    baseline.retain(|name, _| name.contains(".base@main."));
    let names = names_of_results(&order.directory()).into_iter();
    assert_eq!(names.filter(|name| name.contains(".base@main.")).count(), 32);

    let home = order.root().join("other/home");
    let _ = stored(&home, &["import", path_text(&archive)]).expect(0);
    assert_unchanged(&baseline, &tree(&home.join("benchmark-tests/order")));
    let again = stored(&home, &["import", path_text(&archive)]).expect(1);
    again.complains(&["can't import the baseline `main`: 8 benchmarks in ", " have it", "--force"]);
    let result = home.join("benchmark-tests/order/numbers/fibonacci.five");
    fs::write(result.join("callgrind.fibonacci.five.base@main.out"), "changed").unwrap();
    fs::write(result.join("callgrind.fibonacci.five.base@main.Ir.flamegraph.svg"), "stale")
        .unwrap();
    let _ = stored(&home, &["import", "--force", path_text(&archive)]).expect(0);
    assert_unchanged(&baseline, &tree(&home.join("benchmark-tests/order")));

    stored(&order.home(), &export)
        .expect(1)
        .complains(&["main.tar.gz: the file exists", "--force"]);
    let _ = stored(&order.home(), &[&export[..], &["--force"]].concat()).expect(0);
    assert_eq!(fs::read(&archive).unwrap(), exported, "the same results make the same file");
    let pipe = order.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let export_there = ["export", "--baseline=main", "--force", path_text(&pipe)];
    stored(&order.home(), &export_there).expect(1).complains(&["pipe: not a file\nhelp: "]);
    assert!(!pipe.is_file(), "a device is not replaced");
    let missing = stored(&order.home(), &["export", path_text(&order.root().join("x"))]).expect(1);
    let help = "\nhelp: save one with --save-baseline=default; `";
    missing.complains(&["no benchmark has a result `default`", help]);
    assert!(!order.root().join("x").exists());
}

#[test]
fn nothing_of_a_damaged_archive_is_imported() {
    let (order, _) = Suite::after("order", &["fibonacci", "--save-baseline=main"]);
    let archive = order.root().join("main.tar.gz");
    let _ = stored(&order.home(), &["export", "--baseline=main", path_text(&archive)]).expect(0);
    let exported = fs::read(&archive).unwrap();
    let before = tree(&order.home());
    let damaged = order.root().join("damaged.tar.gz");
    let mut contents = vec![Vec::new(), b"no archive".to_vec()];
    for length in [10, exported.len() / 2, exported.len() - 1] {
        contents.push(exported[..length].to_vec());
    }
    for position in (12..exported.len()).step_by(exported.len() / 16) {
        let mut content = exported.clone();
        content[position] ^= 0x10;
        contents.push(content);
    }
    for content in contents {
        fs::write(&damaged, content).unwrap();
        let run = stored(&order.home(), &["import", "--force", path_text(&damaged)]).expect(1);
        run.complains(&[
            "error: can't import ",
            "damaged.tar.gz: ",
            "\nnote: nothing was imported",
        ]);
        assert_unchanged(&before, &tree(&order.home()));
    }
}

#[test]
fn flamegraphs_are_made_of_stored_profiles() {
    let (order, _) = Suite::after("order", &["fibonacci", "--save-baseline=main"]);
    let report = order.report(&["fibonacci"]);
    let arguments =
        ["flamegraph", "--baseline=main", "--filter=::five", "--metrics=ir,estimatedcycles"];
    let drawn = stored(&order.home(), &arguments).expect(0);
    let name = "numbers::fibonacci::five";
    let events = ["EstimatedCycles", "Ir"];
    let extensions = events.iter().flat_map(|event| {
        [format!("{event}.diff.base@main.flamegraph.svg"), format!("{event}.flamegraph.svg")]
    });
    let paths: Vec<_> =
        extensions.map(|it| order.result(name, &it).display().to_string()).collect();
    assert_eq!(drawn.stdout.lines().collect::<Vec<_>>(), paths);
    let flamegraph = Flamegraph::read(&order.result(name, "Ir.flamegraph.svg"));
    assert_eq!(flamegraph.total(), report.instructions(name));
    assert!(flamegraph.is_sound());

    let loaded = ["flamegraph", "--load-baseline=main", "--kind=regular", "--filter=::five"];
    let _ = stored(&order.home(), &loaded).expect(0);
    let archive = order.root().join("main.tar.gz");
    let _ = stored(&order.home(), &["export", "--baseline=main", path_text(&archive)]).expect(0);
    let home = order.root().join("other");
    let _ = stored(&home, &["import", path_text(&archive)]).expect(0);
    let five = home.join("benchmark-tests/order/numbers/fibonacci.five");
    assert!(five.join("callgrind.fibonacci.five.base@main.Ir.flamegraph.svg").is_file());

    fs::write(order.result(name, "out"), "nonsense").unwrap();
    let damaged = stored(&order.home(), &["flamegraph"]).expect(1);
    damaged
        .complains(&["error: order::numbers::fibonacci::five: ", "callgrind.fibonacci.five.out"]);
    assert_eq!(damaged.stdout.lines().count(), 1, "the others are drawn");
    let _ = stored(&order.home(), &["flamegraph", "--metrics=l1hitrate"]).expect(1);
}
