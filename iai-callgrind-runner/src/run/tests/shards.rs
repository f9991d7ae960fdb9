//! Shards: each benchmark is in one of them, and they are balanced.

use std::fs;

use iai_callgrind_plan::{Compare, HookKind, MeasuredHook};
use iai_callgrind_store::ShardRecord;

use super::*;

/// Costs that differ by more than the overhead of a run.
const LARGE: [StoredCase; 3] =
    [StoredCase::of(10_000_000), StoredCase::of(20_000_000), StoredCase::of(30_000_000)];

/// Runs each of these shards in turn. Returns the functions of each one.
fn run_shards(lab: &Lab, total: u32, options: &[&str]) -> Vec<Vec<String>> {
    let run = |number| {
        let shard = format!("--shard={number}/{total}");
        let (tally, printed) = lab.run(LARGE, &[&[&*shard], options].concat()).unwrap();
        let titles = printed.lines().filter_map(|line| line.strip_prefix("file::group::"));
        let functions = titles.map(|title| title.split_once(' ').unwrap().0.to_owned());
        let functions: Vec<_> = functions.collect();
        assert_eq!(tally.finished, functions.len());
        functions
    };
    (1..=total).map(run).collect()
}

fn sorted(shards: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut shards = shards;
    shards.sort();
    shards
}

#[test]
fn each_benchmark_is_in_one_shard_whichever_order_they_have() {
    let mut lab = Lab::new();
    for total in 1..=4 {
        let shards = run_shards(&lab, total, &["--nosummary"]);
        let sizes = shards.iter().map(Vec::len);
        assert!(sizes.clone().max() <= sizes.min().map(|least| least + 1), "{shards:?}");
        let mut all = shards.concat();
        all.sort_unstable();
        assert_eq!(all, ["first", "second", "third"]);
        lab.group.functions.reverse();
        let reversed = run_shards(&lab, total, &["--nosummary"]);
        assert_eq!(sorted(vec![reversed.concat()])[0].len(), 3);
        for (shard, reversed) in shards.iter().zip(&reversed) {
            assert!(shard.iter().rev().eq(reversed), "{shards:?}");
        }
        lab.group.functions.reverse();
    }
}

#[test]
fn shards_are_balanced_by_the_baseline_to_compare_with() {
    let lab = Lab::new();
    let compared = ["--baseline=main", "--nosummary"];
    for shard in ["--shard=1/4", "--shard=2/4", "--shard=3/4", "--shard=4/4"] {
        let missing = lab.run(LARGE, &[&[shard], &compared[..]].concat());
        assert!(matches!(missing, Err(Error::Run(RunError::NoBaseline { .. }))), "{shard}");
    }
    lab.run(LARGE, &["--save-baseline=main"]).unwrap();
    let shards = sorted(run_shards(&lab, 2, &compared));
    assert_eq!(shards, [vec!["first", "second"], vec!["third"]]);

    // A newer benchmark has the mean cost of the others
    for file in [".base@main.out", ".base@main.log"] {
        fs::remove_file(lab.stored("third", file)).unwrap();
    }
    let shards = sorted(run_shards(&lab, 2, &compared));
    assert_eq!(shards, [vec!["first", "third"], vec!["second"]]);
    assert_eq!(sorted(run_shards(&lab, 3, &compared)), [["first"], ["second"], ["third"]]);
}

#[test]
fn benchmarks_stay_in_the_shards_of_the_baseline_to_compare_with() {
    let names = ["second", "third", "first"];
    // Another machine has another part of the baseline
    let shards = (1..=2).map(|number| {
        let mut lab = Lab::new();
        let shard = format!("--shard={number}/2");
        lab.run(LARGE, &[&shard, "--save-baseline=base"]).unwrap();
        let before = lab.list(&[&shard, "--list"]);
        // With new benchmarks, the same ones would be divided differently
        for (entry, name) in names.into_iter().enumerate() {
            let mut function = lab.group.functions[entry].clone();
            function.name = Some(format!("a_new_{name}"));
            lab.group.functions.insert(0, function);
        }
        let after = lab.list(&[&shard, "--list", "--baseline=base"]);
        let name = |benchmark: &Benchmark| benchmark.function().to_owned();
        let (before, after): (Vec<_>, Vec<_>) =
            (before.iter().map(name).collect(), after.iter().map(name).collect());
        let old = after.iter().filter(|name| !name.starts_with("a_new"));
        assert!(old.eq(&before), "{before:?} {after:?}");
        after
    });
    let shards: Vec<_> = shards.collect();
    let mut all = shards.concat();
    all.sort();
    assert_eq!(all.len(), 6);
    all.dedup();
    assert_eq!(all.len(), 6, "{shards:?}");
    assert!(shards.iter().all(|shard| shard.len() == 3), "{shards:?}");
}

#[test]
fn benchmarks_that_belong_together_are_in_one_shard() {
    let mut lab = Lab::new();
    lab.group.compare = Compare::ById;
    lab.group.functions[0].cases.push(case(0, "other", ""));
    let together = vec!["first", "second", "third"];
    let shards = sorted(run_shards(&lab, 2, &["--nosummary"]));
    assert_eq!(shards, [vec!["first"], together], "those with the same id");

    lab.group.compare = Compare::No;
    let hook = |kind, name: &str| MeasuredHook {
        kind,
        name: name.to_owned(),
        subject: lab.group.functions[0].cases[0].subject.clone(),
    };
    lab.group.measured_hooks = vec![hook(HookKind::Before, "set_up"), hook(HookKind::After, "end")];
    let sizes = (1..=3).map(|number| {
        let shard = format!("--shard={number}/3");
        lab.list(&[&shard, "--list"]).len()
    });
    let mut sizes: Vec<_> = sizes.collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 0, 6], "those of a group with measured hooks");
}

#[test]
fn a_baseline_names_its_shards_until_it_is_that_of_a_whole_run() {
    let lab = Lab::new();
    let directory = lab.home.path().join("package/file");
    let slot = Slot::Baseline("main".to_owned());
    let missing = || {
        let record = ShardRecord::read(&directory, &slot).unwrap();
        record.map(|record| record.missing())
    };
    for (options, expected) in [
        (&["--shard=2/3", "--save-baseline=main"][..], Some(vec![1, 3])),
        (&["--shard=3/3", "--save-baseline=main"], Some(vec![1])),
        (&["--shard=1/3"], Some(vec![1])),
        (&["--shard=1/3", "--save-baseline=main", "--list"], Some(vec![1])),
        (&["--save-baseline=main", "none"], Some(vec![1])),
        (&["--save-baseline=main", "first"], None),
        (&["--shard=1/2", "--save-baseline=main"], Some(vec![2])),
        (&["--shard=1/2", "--save-baseline=main", "third"], Some(vec![2])),
        (&["--save-baseline=main"], None),
    ] {
        if options.contains(&"--list") {
            let _ = lab.list(options);
        } else {
            lab.run(CASES, options).unwrap();
        }
        assert_eq!(missing(), expected, "{options:?}");
    }
}
