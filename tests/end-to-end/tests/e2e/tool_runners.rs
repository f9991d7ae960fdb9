//! Programs that start Valgrind in its place: `--tool-runner`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use end_to_end_tests::{Suite, script};

const TEN: &str = "numbers::bubble_sort::ten";

/// A suite with a tool runner that records its arguments and variables, drops the arguments before Valgrind's path, and
/// then runs these lines.
struct Recorded {
    suite: Suite,
    runner: String,
}

impl Recorded {
    fn new(name: &'static str, lines: &str) -> Self {
        let suite = Suite::new(name);
        let program = suite.root().join("tool-runner");
        let record = suite.root().join("record");
        let lines = format!(
            "PATH=/usr/bin:/bin\n{{ printf '%s\\n' \"$@\"; env; }} >>'{}'\n\
             until case $1 in */valgrind*) ;; *) false ;; esac; do shift; done\n{lines}",
            record.display()
        );
        script(&program, &lines);
        let runner = format!("--tool-runner={}", program.display());
        Self { suite, runner }
    }

    fn record(&self) -> String {
        fs::read_to_string(self.suite.root().join("record")).expect("a record")
    }

    /// Runs with these arguments after a run without a tool runner, which has to count the same.
    fn run_same(&self, arguments: &[&str], options: &[&str]) {
        let plain = self.suite.run(arguments).expect(0).report();
        let run = self.suite.run(&[&[&*self.runner], arguments, options].concat()).expect(0);
        assert_eq!(run.report().values(), plain.values());
        assert!(run.stdout.contains("(No change)"), "{}", run.stdout);
        assert!(self.record().contains("--tool="));
    }
}

#[test]
fn a_tool_runner_gets_its_arguments_and_those_of_valgrind() {
    let recorded = Recorded::new("order", "exec \"$@\"");
    let arguments = [
        "--tool-runner-args=run --name='a b' ${IAI_CALLGRIND_TR_HOME}:/home",
        "--tool-runner-args=--aslr=${IAI_CALLGRIND_ALLOW_ASLR} ${OWN}${SHELLS} $1",
        "--envs=OWN=own SHELLS=",
    ];
    recorded.run_same(&["--own-path", TEN], &arguments);
    let record = recorded.record();
    let home = recorded.suite.home();
    let mut lines = record.lines();
    let expected =
        ["run", "--name=a b", &format!("{}:/home", home.display()), "--aslr=no", "own", "$1"];
    for expected in expected {
        assert_eq!(lines.next(), Some(expected), "{record}");
    }
    let valgrind = lines.next().expect("Valgrind");
    assert!(valgrind.starts_with('/') && valgrind.contains("valgrind"), "{valgrind}");
    assert_eq!(lines.next(), Some("--tool=callgrind"));
    let log = lines.find_map(|line| line.strip_prefix("--log-file=")).expect("a log");
    let directory = log.strip_suffix("/%p.log").expect("a log of each process");
    for variable in [
        format!("IAI_CALLGRIND_TR_DEST_DIR={directory}"),
        format!("IAI_CALLGRIND_TR_HOME={}", home.display()),
        format!("IAI_CALLGRIND_TR_WORKSPACE_ROOT={}", end_to_end_tests::checkout().display()),
        "IAI_CALLGRIND_ALLOW_ASLR=no".to_owned(),
    ] {
        assert!(record.lines().any(|line| line == variable), "{variable}: {record}");
    }
    let root = recorded.suite.root().to_str().expect("UTF-8");
    let options = ["--allow-aslr", "--workspace-root", root, "--valgrind-bin=/other/valgrind"];
    let missing = recorded.suite.run(&[&[&*recorded.runner, TEN], &options[..]].concat());
    missing.expect(1).complains(&["ended before the benchmarks did"]);
    let record = recorded.record();
    for line in
        [&*format!("IAI_CALLGRIND_TR_WORKSPACE_ROOT={root}"), "IAI_CALLGRIND_ALLOW_ASLR=yes"]
    {
        assert!(record.lines().any(|found| found == line), "{line}: {record}");
    }
    assert!(record.contains("\n/other/valgrind\n--tool=callgrind\n"), "{record}");
}

// Valgrind has another process id than the tool runner.
#[test]
fn a_tool_runner_can_start_valgrind_as_another_process() {
    Recorded::new("order", "\"$@\"").run_same(&["bubble_sort"], &[]);
    // Cachegrind before 3.22 counts the start of the process too, with the variables of the shell
    for (tool, is_same) in [("dhat", true), ("cachegrind", false)] {
        let recorded = Recorded::new("order", "\"$@\"");
        let arguments = [&*format!("--default-tool={tool}"), "bubble_sort"];
        let plain = recorded.suite.run(&arguments).expect(0).stdout;
        let arguments = [&[&*recorded.runner], &arguments[..]].concat();
        let stdout = recorded.suite.run(&arguments).expect(0).stdout;
        assert!(!is_same || !stdout.contains("(+") && !stdout.contains("(-"), "{stdout}");
        assert_eq!(stdout.matches('|').count(), plain.matches('|').count(), "{stdout}");
        assert!(recorded.record().contains(&format!("--tool={tool}")));
    }

    let recorded = Recorded::new("commands", "\"$@\"");
    let list = recorded.suite.run(&["--list"]).expect(0).stdout;
    let first = list.lines().next().and_then(|line| line.strip_suffix(": benchmark"));
    let arguments = [&*recorded.runner, first.expect("a command"), "--parallel=4"];
    assert!(!recorded.suite.report(&arguments).names().is_empty());
}

// What it starts can be where the runner can't take the priority from it again.
#[test]
fn nothing_under_a_tool_runner_has_real_time_priority() {
    const POLICY: &str = "cut -d' ' -f41 /proc/$$/stat >>\"$IAI_CALLGRIND_TR_HOME/policy\"";
    let lines = format!("{POLICY}\nexec \"$@\"");
    let recorded = Recorded::new("surroundings", &lines);
    let run = recorded.suite.run(&[&recorded.runner, "threads::channel"]).expect(0);
    let note = "note: the counts of benchmarks with threads or processes can differ from run to run: under a tool runner";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
    let native = [&*recorded.runner, "threads::channel", "--cpus=native"];
    // Its count can differ from the last one, which has a note of its own
    let run = recorded.suite.run(&native).expect(0);
    assert!(!run.stderr.contains(note), "{}", run.stderr);

    let commands = Recorded::new("commands", &lines);
    let list = commands.suite.run(&["--list"]).expect(0).stdout;
    let first = list.lines().next().and_then(|line| line.strip_suffix(": benchmark"));
    let _ = commands.suite.run(&[&commands.runner, first.expect("a command")]).expect(0);
    for suite in [&recorded.suite, &commands.suite] {
        let policies = fs::read_to_string(suite.home().join("policy")).expect("policies");
        assert!(policies.lines().all(|policy| policy == "0"), "{policies}");
    }
}

#[test]
fn a_benchmark_under_a_tool_runner_that_takes_too_long() {
    let recorded = Recorded::new("hangs", "\"$@\"");
    // The start of the processes is a part of their time
    let run = recorded.suite.run(&[&*recorded.runner, "--timeout=30s", "--parallel=2"]).expect(1);
    assert_eq!(run.report().names(), ["group::good_before", "group::good_after"]);
    for name in ["sleeps", "waits"] {
        let error = run.error_of(&format!("hangs::group::{name}"));
        assert!(error.contains("timed out after 30s and was killed"), "{error}");
    }
}

// The paths of a container, by symbolic links.
#[test]
fn paths_of_the_workspace_and_of_the_files_can_differ() {
    let other = tempfile::tempdir().expect("a temporary directory");
    let inside = |name: &str| -> PathBuf { other.path().join(name) };
    let text = |path: PathBuf| path.to_str().expect("UTF-8").to_owned();

    let recorded = Recorded::new("order", "exec \"$@\"");
    let root = recorded.suite.root().to_owned();
    symlink(&root, inside("root")).unwrap();
    let options =
        ["--workspace-root", &text(root.clone()), "--tool-runner-root", &text(inside("root"))];
    recorded.run_same(&[TEN], &options);
    let record = recorded.record();
    let arguments: Vec<_> = record.lines().collect();
    let moved = text(inside("root")) + "/home/benchmark-tests/order/.staging-";
    assert!(
        arguments.iter().any(|line| line.starts_with(&format!("--log-file={moved}"))),
        "{record}"
    );
    assert!(arguments.iter().any(|line| line.starts_with(&moved)), "no executable: {record}");
    let profile = fs::read_to_string(recorded.suite.result(TEN, "out")).expect("a profile");
    assert!(!profile.contains(&text(inside("root"))), "the profile has the executable's own path");

    let link = format!(
        "ln -sfn \"$IAI_CALLGRIND_TR_DEST_DIR\" '{}'\nexec \"$@\"",
        text(inside("results"))
    );
    let recorded = Recorded::new("order", &link);
    recorded.run_same(&["--own-path", TEN], &["--tool-runner-dest", &text(inside("results"))]);
    let log = format!("\n--log-file={}/%p.log\n", text(inside("results")));
    assert!(recorded.record().contains(&log), "{}", recorded.record());
}

#[test]
fn a_tool_runner_that_can_not_be_used() {
    let order = Suite::new("order");
    order.run(&["--tool-runner=no-such-program", TEN]).expect(1).complains(&[
        "error: can't run no-such-program: it is not a program\nhelp: set --tool-runner or ",
        "IAI_CALLGRIND_TOOL_RUNNER",
    ]);
    let unknown = order.run(&["--tool-runner=env", "--tool-runner-args=${NO_SUCH_VARIABLE}", TEN]);
    unknown.expect(1).complains(&[
        "error: can't use --tool-runner-args: there is no variable `NO_SUCH_VARIABLE`\nhelp: ",
    ]);
    for option in ["args", "dest", "root"] {
        let run = order.run(&[&format!("--tool-runner-{option}=x"), TEN]).expect(2);
        run.complains(&["--tool-runner <PROGRAM>"]);
    }
}
