//! The places of results, and Valgrind's own programs that read them.

use std::fs;
use std::os::unix::fs::MetadataExt;

use end_to_end_tests::order::{expected, names};
use end_to_end_tests::{Suite, run, runner, tree};

#[test]
fn the_layout_is_the_documented_one() {
    let (order, _) = Suite::after("order", &[]);
    assert_eq!(names(&order.directory()), expected(&["fingerprint.json", "out", "log", "table"]));
    let first = tree(&order.directory());
    let _ = order.report(&[]);
    assert_eq!(
        names(&order.directory()),
        expected(&[
            "fingerprint.json",
            "out",
            "log",
            "table",
            "old.fingerprint.json",
            "old.out",
            "old.log",
            "old.table",
        ])
    );
    let second = tree(&order.directory());
    for (name, contents) in first {
        let long = ["fingerprint.json", "commit.json"].into_iter().find_map(|extension| {
            let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
            Some((stem, extension))
        });
        let (stem, extension) = long.or_else(|| name.rsplit_once('.')).expect("an extension");
        let old = format!("{stem}.old.{extension}");
        assert!(second[&old] == contents, "{name} did not become the old one");
        // KCachegrind adds such files up
        assert!(!old.starts_with(&name), "{old} would be taken for a part of {name}");
    }
    // Nothing lies anywhere else
    let inside = |name: &String| {
        name.starts_with("home/benchmark-tests/order/") || name == "home/.format-version"
    };
    assert!(names(order.root()).iter().all(inside), "{:?}", names(order.root()));
}

#[test]
fn a_benchmark_without_id_has_only_its_function_in_its_names() {
    let regions = Suite::new("regions");
    let _ = regions.report(&["first_module"]);
    let files = [
        "first_module/same_name/callgrind.same_name.log",
        "first_module/same_name/callgrind.same_name.out",
        "first_module/same_name/callgrind.same_name.fingerprint.json",
        "first_module/same_name/callgrind.same_name.table",
    ];
    assert_eq!(names(&regions.directory()), files.map(ToOwned::to_owned).into());
}

#[test]
fn results_lie_in_the_target_directory_that_the_environment_names() {
    let order = Suite::new("order").with_copy("there/release/deps/order-0123456789abcdef");
    fs::write(order.root().join("there/CACHEDIR.TAG"), "").unwrap();
    let mut command = order.bare();
    command
        .arg("--bench")
        .env("IAI_CALLGRIND_RUNNER", runner())
        .env("CARGO_TARGET_DIR", order.root().join("elsewhere"));
    let _ = run(&mut command).expect(0);
    let results = order.root().join("elsewhere/iai/benchmark-tests/order");
    assert_eq!(names(&results), expected(&["fingerprint.json", "out", "log", "table"]));
    assert!(!order.root().join("there/iai").exists());
}

#[test]
fn what_a_killed_run_left_is_removed() {
    let order = Suite::new("order");
    let leftover = order.directory().join(".staging-xyz");
    fs::create_dir_all(leftover.join("deeper")).unwrap();
    fs::write(leftover.join("deeper/1.out"), "half").unwrap();
    let _ = order.report(&[]);
    assert_eq!(names(&order.directory()), expected(&["fingerprint.json", "out", "log", "table"]));
}

// A link where the file system has links
#[test]
fn results_share_the_file_about_their_build() {
    let order = Suite::new("order");
    let links = || {
        let directory = order.directory();
        let names = names(&directory).into_iter();
        let fingerprints = names.filter(|name| name.ends_with(".fingerprint.json"));
        let file = |name: String| fs::metadata(directory.join(name)).unwrap();
        fingerprints.map(|name| file(name).nlink()).collect::<Vec<_>>()
    };
    let _ = order.report(&[]);
    assert_eq!(links(), vec![8; 8]);
    // Each result that is replaced leaves those of its run
    let _ = order.report(&["numbers::"]);
    let kept = links();
    assert!(kept.len() > 8 && kept.iter().all(|links| (1..=8).contains(links)), "{kept:?}");
}
