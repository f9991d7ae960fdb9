//! Output directories that can't be written to, or not where it seems: a clear error, and nothing that was
//! there is touched.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use end_to_end_tests::order::prepared;
use end_to_end_tests::{ProcessGroup, Suite, assert_unchanged, run, runner, tree};

#[test]
fn a_directory_that_is_removed_in_the_middle() {
    let hangs = Suite::new("hangs");
    let mut command = hangs.command();
    command
        .env("STARTED", hangs.root())
        .args(["--env-clear=no", "--timeout=8s", "--parallel=2"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut run = ProcessGroup::start(&mut command);
    run.wait_until(|| hangs.root().join("sleeps").exists() && hangs.root().join("waits").exists());
    // Under another name nothing is added to it while it is removed
    let removed = hangs.root().join("removed");
    fs::rename(hangs.home(), &removed).unwrap();
    fs::remove_dir_all(removed).unwrap();
    assert_eq!(run.leader.wait().unwrap().code(), Some(1));
    let errors = std::io::read_to_string(run.leader.stderr.take().unwrap()).unwrap();
    assert!(errors.contains("was removed while the benchmark ran"), "{errors}");
    let _ = hangs.report(&["good"]);
}

#[test]
fn a_read_only_file_system() {
    let order = prepared();
    let before = tree(&order.home());
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" || exit 42
        shift; exec \"$@\"";
    let home = order.home();
    let Some(run) = order.run_mounted(script, &[home.to_str().unwrap()], &order.command()) else {
        return;
    };
    let help = "help: choose another directory, with --home for results";
    run.expect(1).complains(&["order/.lock: Read-only file system", help]);
    assert_unchanged(&before, &tree(&order.home()));
}

// The full disk has one error for each benchmark, whether the runner or the tool notices.
#[test]
fn a_full_file_system() {
    const SCRIPT: &str = "mount -t tmpfs -o size=1m,nr_inodes=\"$2\" none \"$1\" || exit 42
        head -c $((1048576 - 1024 * $3)) /dev/zero >\"$1/filler\"
        shift 3; exec \"$@\"";
    for (inodes, left) in [(1000, 0), (1000, 4), (1000, 40), (3, 512), (8, 512)] {
        let order = Suite::new("order");
        fs::create_dir(order.home()).unwrap();
        let home = order.home();
        let values = [home.to_str().unwrap(), &inodes.to_string(), &left.to_string()];
        let mut bench = order.command();
        bench.args(["--own-path", "fibonacci"]);
        let Some(run) = order.run_mounted(SCRIPT, &values, &bench) else { return };
        let run = run.expect(1);
        let errors: Vec<_> =
            run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(!errors.is_empty());
        for error in errors {
            let is_known = error.contains("the file system of ") && error.ends_with(" is full");
            assert!(is_known, "{inodes} {left}: {}", run.stderr);
        }
    }
}

#[test]
fn paths_that_valgrind_can_not_use() {
    let order = Suite::new("order");
    let name = "x".repeat(99);
    let long = [&*name; 10].join("/");
    let home = |name: &str| {
        let mut command = order.bare();
        command.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", "--home", name, "five"]);
        run(&mut command)
    };
    let error = "the path has more than ";
    home(&long).expect(1).complains(&["error: can't write results to ", error, "--home"]);
    // The longest one that is possible, and one that is longer
    let root = order.root().canonicalize().unwrap().to_string_lossy().len();
    let rest = "/".len() + "/benchmark-tests/order/.staging-XXXXXX/00000000.d/%p.log".len();
    let directories = |length: usize| {
        let mut path = "y/".repeat(length / 2);
        path.truncate(length);
        path
    };
    let longest = 900 - root - rest;
    let _ = home(&format!("{}z", directories(longest - longest % 2 - 2))).expect(0);
    home(&directories(longest + 3)).expect(1).complains(&[error]);

    let line_break = "error: can't run benchmarks in \"";
    home("new\nline").expect(1).complains(&[line_break, "new\\nline", "--home"]);
    assert!(!order.root().join("new\nline").exists());
    let moved = Suite::new("order").with_copy("new\nline/order");
    moved.run(&["five"]).expect(1).complains(&[line_break, "CARGO_TARGET_DIR"]);
    assert!(!moved.home().exists());
}

// A pipe, a socket or a device in the place of any file is an error or left out, and nothing waits for it.
#[test]
fn files_that_are_none_block_nothing() {
    let suite = Suite::new("hangs");
    let only = ["good_before", "--save-summary"];
    let _ = suite.report(&only);
    let _ = suite.report(&only);
    let benchmark = suite.directory().join("group/good_before");
    let entries = fs::read_dir(&benchmark).expect("results").flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.push(suite.home().join(".format-version"));
    assert!(files.len() > 6, "{files:?}");
    let within = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "60"]).arg(program).args(arguments);
        command.arg("--home").arg(suite.home()).env("IAI_CALLGRIND_RUNNER", runner());
        let run = run(command.current_dir(suite.root()));
        assert_ne!(run.code.unwrap_or(137), 137, "{arguments:?} waits\n{}", run.stderr);
    };
    let executable = suite.command().get_program().to_owned();
    for file in files {
        let (aside, name) = (suite.root().join("aside"), file.display().to_string());
        fs::rename(&file, &aside).expect("it can be renamed");
        let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo");
        assert!(made.success());
        for command in ["list", "compare", "report", "explain"] {
            within(runner(), &[command]);
        }
        // A run takes longer
        if ["format-version", ".out", ".table"].iter().any(|end| name.ends_with(end)) {
            within(Path::new(&executable), &["--bench", "good_before"]);
        }
        // The run can have replaced it
        let _ = fs::remove_file(&file);
        fs::rename(&aside, &file).expect("it can be renamed");
    }
}
