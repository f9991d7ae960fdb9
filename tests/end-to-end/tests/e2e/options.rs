//! Options that change where results go, what is printed, and what benchmarks find.

use end_to_end_tests::{Run, Suite, run, script};

const TEN: &str = "numbers::bubble_sort::ten";

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
