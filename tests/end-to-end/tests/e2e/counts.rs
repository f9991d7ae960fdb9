//! The same numbers everywhere: all metrics of single-threaded benchmarks, in any surroundings.

use std::collections::BTreeMap;

use end_to_end_tests::{Suite, run, shared_report};

type Values = BTreeMap<String, Vec<u64>>;

/// Returns the numbers of a plain run of `order.rs`.
fn plain() -> Values {
    shared_report("order", &[]).values()
}

#[test]
fn a_second_run_counts_the_same() {
    let (order, first) = Suite::after("order", &[]);
    let second = order.report(&[]);
    assert_eq!(first.values(), second.values());
    for line in second.benchmarks.iter().flat_map(|benchmark| &benchmark.lines) {
        assert_eq!((line.old, &*line.change), (Some(line.new), "(No change)"));
    }
}

#[test]
fn it_does_not_matter_how_many_run_at_once() {
    let order = Suite::new("order");
    let plain = plain();
    // A plain run has as many at once as there are CPUs
    assert_eq!(order.report(&["--parallel=1"]).values(), plain);
    let by_variable = run(order.command().env("IAI_CALLGRIND_PARALLEL", "8")).expect(0);
    assert_eq!(by_variable.report().values(), plain);
}

#[test]
fn it_does_not_matter_what_else_runs() {
    let order = Suite::new("order");
    for name in ["numbers::fibonacci::five", "texts::tree::pangram"] {
        let alone = order.report(&[&format!("order::{name}")]).values();
        let among_others = plain().into_iter().filter(|(other, _)| other == name);
        assert_eq!(alone, among_others.collect::<Values>());
    }
}

// The system can allow the first namespaces of a run, and no more of them later on.
#[test]
fn it_does_not_matter_how_many_namespaces_there_can_be() {
    let order = Suite::new("order");
    let plain = plain();
    for mounts in 4..7 {
        let script = format!("echo {mounts} > /proc/sys/user/max_mnt_namespaces");
        let Some(run) = order.run_isolated_after(&script, &[]) else { return };
        assert_eq!(run.expect(0).report().values(), plain, "{mounts} namespaces");
    }
}

/// Returns the counts of a copy of the executable whose path is this long and consists of this letter.
fn with_a_path_of(length: usize, letter: &str) -> Values {
    let order = Suite::new("order");
    let rest = length - order.root().as_os_str().len() - "/".len();
    // Names of at most 99 bytes; the last one is never empty
    let name = |at: usize| if (rest - at) % 100 == 0 && at > 0 { "/" } else { letter };
    let path: String = (0..rest).map(name).collect();
    order.with_copy(&path).report(&[]).values()
}

#[test]
fn the_path_of_the_executable_does_not_matter() {
    let plain = plain();
    for (length, letter) in [(61, "b"), (900, "a")] {
        assert_eq!(with_a_path_of(length, letter), plain, "{length} bytes, {letter}");
    }
}

#[test]
#[ignore = "long"]
fn no_length_of_the_executables_path_matters() {
    let plain = plain();
    for length in [60, 61, 82, 100, 150, 240, 400, 900] {
        for letter in ["a", "b"] {
            assert_eq!(with_a_path_of(length, letter), plain, "{length} bytes, {letter}");
        }
    }
}

// Nothing that a run leaves names the executable by another path than its own.
#[test]
fn results_name_the_executable_by_its_path() {
    let order = Suite::new("order").with_copy("somewhere/order-copy");
    let _ = order.report(&["order::texts::tree"]);
    let copy = order.root().join("somewhere/order-copy").display().to_string();
    let read = |extension| std::fs::read_to_string(order.result("texts::tree::pangram", extension));
    let (profile, log) = (read("out").unwrap(), read("log").unwrap());
    assert!(profile.lines().any(|line| line == format!("cmd:  {copy}")), "{profile}");
    let object = |line: &str| line.starts_with("ob=(") && line.ends_with(&format!(") {copy}"));
    assert!(profile.lines().any(object), "{profile}");
    assert!(log.contains(&format!("Command: {copy}\n")), "{log}");
    assert!(!(profile + &log).contains("/__"));
}

// Some executables find their libraries or files relative to their path.
#[test]
fn the_executable_can_stay_where_it_lies() {
    let instructions = |arguments: &[&str]| shared_report("order", arguments).all_instructions();
    assert_eq!(instructions(&["--own-path"]), instructions(&[]));
}

#[test]
fn it_does_not_matter_where_the_results_go() {
    let order = Suite::new("order");
    let home = order.root().join("home".repeat(60));
    let run = run(order
        .bare()
        .arg("--bench")
        .env("IAI_CALLGRIND_HOME", &home)
        .env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner()));
    assert_eq!(run.expect(0).report().values(), plain());
    assert!(home.join("benchmark-tests/order/numbers").is_dir());
}

#[test]
fn the_environment_does_not_matter() {
    let order = Suite::new("order");
    let mut command = order.command();
    command
        .env("HOME", "/nowhere/".repeat(30))
        .env("LANG", "tr_TR.UTF-8")
        .env("LC_ALL", "C")
        .env("TZ", "Asia/Tokyo")
        .env("COLUMNS", "33")
        .env("USER", "another user")
        .env("LOGNAME", "another user")
        .env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.cpu.hwcaps=-SSE2")
        .env("ONE_MORE", "x".repeat(5000))
        .env("VALGRIND_OPTS", "--cache-sim=no --I1=65536,1,128")
        .env("LD_LIBRARY_PATH", "/nowhere/lib");
    assert_eq!(run(&mut command).expect(0).report().values(), plain());

    let mut empty = order.command();
    empty.env_clear();
    // What names the Valgrind
    for name in ["PATH", "IAI_CALLGRIND_VALGRIND_PATH", "VALGRIND_LIB"] {
        empty.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    empty.env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner());
    assert_eq!(run(&mut empty).expect(0).report().values(), plain());
}

#[test]
fn the_working_directory_does_not_matter() {
    let order = Suite::new("order");
    let deep = order.root().join("deep/".repeat(50));
    std::fs::create_dir_all(&deep).unwrap();
    for directory in ["/".as_ref(), &*deep] {
        let run = run(order.command().current_dir(directory)).expect(0);
        assert_eq!(run.report().values(), plain(), "{}", directory.display());
    }
}

#[test]
fn address_space_layout_randomization_does_not_matter_to_instructions() {
    let instructions = |arguments: &[&str]| shared_report("order", arguments).all_instructions();
    assert_eq!(instructions(&["--allow-aslr"]), instructions(&[]));
}

#[test]
fn a_valgrindrc_does_not_matter() {
    let order = Suite::new("order");
    std::fs::write(order.root().join(".valgrindrc"), "--cache-sim=no\n--I1=65536,1,128\n").unwrap();
    let mut command = order.command();
    command.env("HOME", order.root());
    assert_eq!(run(&mut command).expect(0).report().values(), plain());
}

// Only the instructions are the same: the code is at other addresses, and cache metrics differ.
#[test]
fn the_order_of_declaration_does_not_matter() {
    let instructions = |name| {
        let mut counts = shared_report(name, &[]).all_instructions();
        // It searches a literal word by word, whose alignment depends on what the linker puts before it
        assert!(counts.remove("texts::tree::pangram").is_some());
        counts
    };
    assert_eq!(instructions("order"), instructions("order_reversed"));
}
