//! Options that change where results go, what is printed, and what benchmarks find.

use std::fs;

use end_to_end_tests::{Run, Suite, run, script};

const TEN: &str = "numbers::bubble_sort::ten";

#[test]
fn results_of_targets_can_be_kept_apart() {
    let order = Suite::new("order");
    let _ = order.report(&["--separate-targets", TEN]);
    let entries = fs::read_dir(order.home()).unwrap().map(|it| it.unwrap());
    let targets: Vec<_> = entries.filter(|it| it.path().is_dir()).collect();
    assert_eq!(targets.len(), 1);
    let target = targets[0].file_name().into_string().unwrap();
    assert!(target.starts_with(std::env::consts::ARCH), "{target}");
    assert!(target.contains("-linux-"), "{target}");
    assert!(targets[0].path().join("benchmark-tests/order/numbers/bubble_sort.ten").is_dir());

    let by_variable = run(order.command().arg(TEN).env("IAI_CALLGRIND_SEPARATE_TARGETS", "yes"));
    assert_eq!(by_variable.expect(0).report().get(TEN).lines[0].change, "(No change)");
}

#[test]
fn another_valgrind_can_be_used() {
    let order = Suite::new("order");
    let marker = order.root().join("was here");
    let valgrind = order.root().join("my-valgrind");
    let option = format!("--valgrind-path={}", valgrind.display());
    // The script needs PATH, but the benchmarks' environment has none. It prints to the pipe of the fork server, too
    let lines = "PATH=/usr/bin:/bin\necho 'my valgrind: 1.0'\nexec valgrind \"$@\"";
    script(&valgrind, &format!("echo > '{}'\n{lines}", marker.display()));
    let report = order.report(&[&option, "--strict-environment", TEN]);
    assert_eq!(report.benchmarks.len(), 1);
    assert!(marker.exists());

    let missing = order.run(&["--valgrind-path=/does/not/exist", TEN]).expect(1);
    missing.complains(&["can't run /does/not/exist: it is not a program\n", "--valgrind-path"]);
    let other = order.run(&["--valgrind-path=/bin/echo", TEN]).expect(1);
    other.complains(&["/bin/echo is not Valgrind: `--version` printed ", "--valgrind-path"]);
}

#[test]
fn the_closing_line_can_be_left_out() {
    let (order, _) = Suite::with_two_baselines();
    assert!(order.load(&[TEN]).expect(0).stdout.contains("Iai-Callgrind result"));
    let stdout = order.load(&["--nosummary", TEN]).expect(0).stdout;
    assert!(!stdout.contains("result") && stdout.ends_with(")\n"), "{stdout}");
}

#[test]
fn titles_can_be_longer_or_shorter() {
    let prints = Suite::new("prints");
    let first = |run: Run| run.stdout.lines().next().unwrap_or_default().to_owned();
    // An argument that leaves no room for the dots is shortened
    let cut = first(prints.run(&["--truncate-description=4"]).expect(0));
    assert_eq!(cut, "prints::my_bench_group::my_bench some_id:1...");
    for whole in ["--truncate-description=no", "--truncate-description=5"] {
        let title = first(prints.run(&[whole]).expect(0));
        assert_eq!(title, "prints::my_bench_group::my_bench some_id:10");
    }
    prints.run(&["--truncate-description=x"]).expect(2).complains(&["a number of characters"]);
}

/// Returns the variables that the benchmark `environment` prints.
fn variables(run: Run) -> Vec<String> {
    let shown = run.expect(0).stdout;
    let lines = shown.lines().skip(1).take_while(|line| !line.starts_with("- end of"));
    lines.map(ToOwned::to_owned).collect()
}

#[test]
fn benchmarks_get_the_variables_that_they_are_given() {
    let inside = Suite::new("inside");
    let all = ["--nocapture=stdout", "environment"];
    // The second one is Valgrind's own
    let always = variables(inside.run(&all));
    let is_known = |it: &String| it.starts_with("GLIBC_TUNABLES=") || it.starts_with("LD_PRELOAD=");
    assert!(always.iter().all(is_known), "{always:?}");

    let mut command = inside.command();
    command
        .args(all)
        .args(["--envs=A=1 'B=two words' SEEN NOT_THERE", "--envs=A=2"])
        .env("SEEN", "yes")
        .env("UNSEEN", "yes");
    let found = variables(run(&mut command));
    for expected in ["A=2", "B=two words", "SEEN=yes"] {
        assert!(found.iter().any(|it| it == expected), "{expected} in {found:?}");
    }
    assert_eq!(found.len(), always.len() + 3, "{found:?}");

    let mut command = inside.command();
    command.args(all).arg("--env-clear=no").env("UNSEEN", "yes");
    command.env("IAI_CALLGRIND_ENVS", "A=3");
    let found = variables(run(&mut command));
    assert!(found.iter().any(|it| it == "UNSEEN=yes") && found.iter().any(|it| it == "A=3"));
    inside.run(&["--envs==x"]).expect(2).complains(&["`=x` has no name"]);
}

#[test]
fn only_comparisons_are_shown_if_that_is_wanted() {
    let compare = Suite::new("compare");
    let stdout = compare
        .run(&["--show-only-comparison", "compare::bench_bubble_sort::*case_3"])
        .expect(0)
        .stdout;
    let titles = stdout.lines().filter(|line| line.starts_with("compare::")).count();
    let comparisons = stdout.matches("  Comparison with ").count();
    // Three functions: the first one is compared with none, the others with one and two
    assert_eq!((titles, comparisons), (2, 3), "{stdout}");
    assert_eq!(stdout.matches("  Instructions:").count(), 3, "{stdout}");
}
