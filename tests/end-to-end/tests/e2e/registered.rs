//! Files whose `main!` lists no groups, and functions that no group lists.

use end_to_end_tests::{Suite, run, shared_report};

/// Benchmarks of `registered.rs`, in the order of its titles, with those of its twin.
const BENCHMARKS: [(&str, Option<&str>); 12] = [
    ("commands::before", None),
    ("commands::echo::hello", None),
    ("commands::after", None),
    ("functions::fibonacci::five", Some("numbers::fibonacci::five")),
    ("functions::fibonacci::fifteen", Some("numbers::fibonacci::fifteen")),
    ("functions::copy::kilobyte", Some("others::copy::kilobyte")),
    ("functions::generic::four", Some("numbers::generic::four")),
    ("texts::string::hundred", Some("others::string::hundred")),
    ("texts.type::match", Some("others::match")),
    ("outer::inner", None),
    ("sorting::bubble_sort::ten", Some("sorts::bubble_sort::ten")),
    ("sorting::standard_sort::thousand", Some("sorts::standard_sort::thousand")),
];

/// Prints the list of the benchmarks.
fn list(arguments: &[&str]) -> String {
    let suite = Suite::new("registered");
    run(suite.bare().args(["--list", "--format", "terse"]).args(arguments)).expect(0).stdout
}

fn lines(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("registered::{name}: benchmark\n")).collect::<Vec<_>>().concat()
}

#[test]
fn all_functions_run_in_the_order_of_the_source() {
    let names = || BENCHMARKS.iter().map(|(name, _)| *name);
    assert_eq!(list(&[]), lines(names()));
    assert_eq!(list(&["sorting"]), lines(names().filter(|name| name.starts_with("sorting"))));
    assert_eq!(shared_report("registered", &[]).names(), names().collect::<Vec<_>>());
}

#[test]
fn a_function_counts_the_same_registered_and_listed() {
    let [registered, twins] =
        ["registered", "registered_twin"].map(|file| shared_report(file, &[]).values());
    for (name, twin) in BENCHMARKS {
        let Some(twin) = twin else { continue };
        let ([instructions, .., accesses, _], [expected, .., expected_accesses, _]) =
            (&*registered[name], &*twins[twin])
        else {
            panic!("{name} has fewer metrics");
        };
        assert_eq!([instructions, accesses], [expected, expected_accesses], "{name}");
    }
}

// In one executable not even the caches differ. In two executables, constants of different length move.
#[test]
fn the_list_changes_no_metric_of_an_executable() {
    let (registered, listed) =
        (Suite::new("registered_or_listed"), Suite::new("registered_or_listed"));
    let registered = registered.report(&[]).values();
    let listed = run(listed.command().env("LISTED", "1")).expect(0).report().values();
    for (name, listed_name) in [
        ("functions::fibonacci::five", "group::fibonacci::five"),
        ("functions::string", "group::string"),
        ("texts::tree", "group::tree"),
    ] {
        assert_eq!(registered[name], listed[listed_name], "{name}");
    }
    assert_eq!(registered.len(), 4);
    assert_eq!(listed.len(), 3);
}

#[test]
fn a_note_names_each_function_that_no_group_lists() {
    let suite = Suite::new("registered_or_listed");
    let note = "registered_or_listed.rs:34: the benchmark function `left_out` does not run: no group lists it";
    for command in [&mut suite.command(), &mut suite.bare()] {
        let stderr = run(command.env("LISTED", "1")).expect(0).stderr;
        assert_eq!(stderr.matches("note: ").count(), 1, "{stderr}");
        assert!(stderr.contains(note), "{stderr}");
        let stderr = run(command.env_remove("LISTED")).expect(0).stderr;
        assert!(!stderr.contains("does not run"), "{stderr}");
    }
}

#[test]
fn a_file_without_benchmarks_says_so() {
    let run = run(Suite::new("registered_nothing").bare().arg("--list")).expect(0);
    assert_eq!(run.stdout, "\n0 tests, 0 benchmarks\n");
    run.complains(&["registered_nothing has no benchmarks", "`#[library_benchmark]`"]);
}

#[test]
fn neither_filters_nor_parallel_benchmarks_change_a_count() {
    let all = shared_report("registered", &[]).values();
    for arguments in [&["sorting", "--parallel=1"][..], &["--parallel=8"]] {
        let some = Suite::new("registered").report(arguments).values();
        assert!(!some.is_empty());
        for (name, values) in some {
            assert_eq!(values, all[&name], "{name} with {arguments:?}");
        }
    }
}
