//! Shards: parts of the benchmarks that run on several machines, merged into one baseline.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use end_to_end_tests::{Suite, clean, objects, run, runner, stored, tree};
use serde_json::{Value, json};

fn path_text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns the values of all metrics by benchmark, new or old.
fn totals(home: &Path, baseline: &str) -> BTreeMap<String, BTreeMap<String, Value>> {
    let report = ["report", "--format=json", &format!("--load-baseline={baseline}")];
    let objects = objects(&stored(home, &report).expect(0).stdout).into_iter();
    let metrics = |object: &Value| {
        let metrics = object["tools"][0]["total"].as_object().expect("metrics").iter();
        metrics.map(|(name, metric)| (name.clone(), metric["new"].clone())).collect()
    };
    objects.map(|object| (object["name"].to_string(), metrics(&object))).collect()
}

/// Marks the results of each baseline as those of a commit whose id is this digit.
fn write_commits(home: &Path, baselines: [(&str, &str); 2]) {
    for name in tree(home).keys() {
        for (baseline, digit) in baselines {
            let Some(stem) = name.strip_suffix(&format!("@{baseline}.fingerprint.json")) else {
                continue;
            };
            let id = digit.repeat(40);
            let commit = json!({"commit": id, "tree": id, "uncommitted": 0, "files": []});
            let path = home.join(format!("{stem}@{baseline}.commit.json"));
            fs::write(path, commit.to_string()).unwrap();
        }
    }
}

#[test]
fn five_shards_are_one_run_of_everything() {
    let (order, whole) = Suite::after("order", &["--save-baseline=main"]);
    let main = order.root().join("main.tar.gz");
    let _ = stored(&order.home(), &["export", "--baseline=main", path_text(&main)]).expect(0);
    let mut names = Vec::new();
    let mut archives: Vec<PathBuf> = Vec::new();
    for number in 1..=5 {
        // Each machine has the same baseline to compare with, and nothing else
        let home = order.root().join(format!("home_{number}"));
        let _ = stored(&home, &["import", path_text(&main)]).expect(0);
        let mut command = order.bare();
        clean(&mut command).env("IAI_CALLGRIND_RUNNER", runner()).env("IAI_CALLGRIND_HOME", &home);
        command.args(["--bench", "--save-baseline=pr", "--baseline=main"]);
        command.arg(format!("--shard={number}/5"));
        let shard = run(&mut command).expect(0);
        shard.complains(&[
            &format!("note: shard {number}/5 has "),
            " of 8 benchmarks, divided by their instructions in the baseline `main` (partition ",
        ]);
        let report = shard.report();
        assert!((1..=2).contains(&report.benchmarks.len()), "{:?}", report.names());
        names.extend(report.names());
        let archive = order.root().join(format!("shard_{number}.tar.gz"));
        let _ = stored(&home, &["export", "--baseline=pr", path_text(&archive)]).expect(0);
        archives.push(archive);
    }
    let mut expected = whole.names();
    expected.sort();
    names.sort();
    assert_eq!(names, expected);

    let home = order.root().join("merged");
    let import = |archives: &[PathBuf]| {
        let archives = archives.iter().map(|archive| path_text(archive));
        stored(&home, &["import"].into_iter().chain(archives).collect::<Vec<_>>())
    };
    import(&archives[1..]).expect(1).complains(&[
        "error: can't import the baseline `pr` without shard 1/5 of benchmark-tests/order\n",
        "--allow-missing",
    ]);
    archives.push(main);
    let run = import(&archives).expect(0);
    let imported = "imported the baseline `main` of 8 benchmarks\nimported the baseline `pr` of 8 benchmarks\n";
    assert_eq!((&*run.stdout, &*run.stderr), (imported, ""));
    let merged = totals(&home, "pr");
    assert_eq!(merged, totals(&order.home(), "main"));
    assert_eq!(merged.len(), 8);
    assert!(merged.values().all(|metrics| metrics["Ir"].is_u64()));
    let limits = "--callgrind-limits=@all=0%";
    let _ = stored(&home, &["compare", "main", "pr", limits]).expect(0);
    write_commits(&home, [("main", "1"), ("pr", "2")]);
    let broken = "--callgrind-limits=ir=-0.0%|100";
    let report = ["report", "--load-baseline=pr", "--baseline=main", broken];
    let report = stored(&home, &report).expect(3).stdout;
    let compared = "compared with the baseline `main`, commits 1111111 → 2222222";
    assert!(report.contains(compared), "{report}");
}

#[test]
fn a_shard_is_listed_and_can_be_empty() {
    let order = Suite::new("order");
    let list = |shard: &str| {
        let mut command = order.command();
        command.args(["--list", "--format=terse", "numbers::fibonacci"]);
        let listed = run(command.env("IAI_CALLGRIND_SHARD", shard)).expect(0);
        assert_eq!(listed.stderr, "");
        listed.stdout.lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let shards = ["1/3", "2/3", "3/3"].map(list);
    let mut all = shards.concat();
    all.sort();
    let names = ["fifteen", "five"].map(|id| format!("order::numbers::fibonacci::{id}: benchmark"));
    assert_eq!(all, names);
    let empty = 1 + shards.iter().position(Vec::is_empty).expect("more shards than benchmarks");

    let shard = format!("--shard={empty}/3");
    let run = order.run(&[&shard, "numbers::fibonacci", "--save-baseline=pr"]).expect(0);
    run.complains(&["has 0 of 2 benchmarks, divided by number (partition "]);
    let archive = order.root().join("empty.tar.gz");
    let _ = stored(&order.home(), &["export", "--baseline=pr", path_text(&archive)]).expect(0);
    let import = ["import", path_text(&archive), "--allow-missing"];
    let missing = stored(&order.root().join("other"), &import).expect(0);
    missing.complains(&["note: imported without shard "]);
    order
        .run(&["--shard=4/3"])
        .expect(2)
        .complains(&["expected the number of a shard and the number of"]);
}
