//! Errors that no other test provokes, with the texts that the guide lists.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Run, Suite, clean, run, runner, script};

const TEN: &str = "numbers::bubble_sort::ten";

#[test]
fn values_that_options_can_not_have() {
    let order = Suite::new("order");
    for (argument, words) in [
        ("--parallel=0", "expected a number greater than 0, or `auto`"),
        ("--flamegraph=x", "expected `all`, `regular`, `differential` or `none`"),
        ("--nocapture=x", "expected `yes`, `no`, `stdout` or `stderr`"),
        ("--seed=x", "expected a number, or `random`"),
        ("--envs==x", "has no name: write `NAME=VALUE` or `NAME`"),
        ("--tools=x", "unknown tool `x`"),
        ("--report=x:path", "unknown format `x`"),
        ("--report=json", "no path for the format `json`"),
    ] {
        order.run(&[argument, TEN]).expect(2).complains(&[words]);
    }
    let run = run(order.bare().arg("--no-such-option")).expect(2);
    run.complains(&[
        "unexpected argument `--no-such-option`",
        "without `--bench` the arguments are those of libtest",
    ]);
}

#[test]
fn programs_that_can_not_be_run() {
    let order = Suite::new("order");
    let directory = order.subdirectory("broken");
    let none = run(order.command().env("PATH", &directory)).expect(1);
    none.complains(&["error: can't find `valgrind` in PATH"]);

    let broken = directory.join("valgrind");
    script(&broken, "");
    fs::write(&broken, "#!/no/such/interpreter\n").unwrap();
    let broken = broken.display().to_string();
    let run_it = order.run(&[&format!("--valgrind-path={broken}"), TEN]).expect(1);
    run_it.complains(&[&format!("error: can't run {broken}: ")]);

    let cargo = |cargo: &Path| -> Run {
        let mut command = order.command();
        command.env_remove("IAI_CALLGRIND_RUNNER").env("PATH", "/usr/bin:/bin");
        run(command.env("CARGO", cargo)).expect(1)
    };
    cargo(Path::new("/no/such/cargo")).complains(&["error: can't run cargo: ", "\nhelp: "]);
    let failing = directory.join("cargo");
    script(&failing, "echo 'no network today' >&2; exit 1");
    let help = "iai-callgrind-runner --target-dir target/runner`\n";
    cargo(&failing).complains(&["no network today", "error: can't build the runner in ", help]);
}

#[test]
fn a_server_that_valgrind_does_not_run() {
    let order = Suite::new("order");
    let directory = order.subdirectory("server");
    let value = format!("fwt0000000001so00004{}/", directory.display());
    let run = run(order.bare().env("IAI_CALLGRIND_SERVE", value)).expect(1);
    run.complains(&["error: the fork server failed: it only works under Valgrind"]);
}

// Rust would report that a program is missing: cargo or the runner.
#[test]
fn a_system_without_the_null_device() {
    let order = Suite::new("order");
    let mut list = Command::new(runner());
    clean(&mut list).arg("list").arg("--home").arg(order.home());
    for started in [order.command(), list] {
        let script = "mount -t tmpfs none /dev || exit 42; exec \"$@\" 0<&2";
        let Some(run) = order.run_mounted(script, &[], &started) else { return };
        let error = "error: can't start programs: there is no /dev/null\nhelp: mount the system's devices, or run \
                     `mknod -m 666 /dev/null c 1 3` as root\n";
        assert_eq!(run.expect(1).stderr, error);
    }
}

#[test]
fn what_dhat_can_not_tell() {
    let regions = Suite::new("regions");
    let name = "processes::forks::busy_child";
    let forks = regions.run(&["--default-tool=dhat", name]).expect(1);
    forks.complains(&["the benchmark forks: dhat counts everything before the fork twice"]);

    let order = Suite::new("order");
    let stripped = order.root().join("stripped");
    let strip =
        Command::new("strip").arg("-o").arg(&stripped).arg(order.bare().get_program()).status();
    assert!(strip.unwrap().success());
    let mut command = Command::new(&stripped);
    clean(&mut command).env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", "--home"]);
    command.arg(order.home()).args(["--tools=dhat", TEN]);
    let run = run(&mut command).expect(1);
    run.complains(&[
        ": the executable has no symbols\nhelp: set `strip = false`",
        "the linker mold removes all symbols",
        "dhat: DHAT saw no symbols: it can't find the allocations of the benchmark",
    ]);
    let instructions = "\n  Instructions:";
    assert!(run.stdout.contains(instructions), "callgrind's results are printed: {}", run.stdout);
}

/// Runs `wrong.rs` so that this is wrong.
fn wrong(what: &str, fixtures: &Path) -> Run {
    let suite = Suite::new("wrong");
    run(suite.command().env("WRONG", what).env("FIXTURES", fixtures).arg("--nocapture"))
}

#[test]
fn groups_that_can_not_be() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty");
    fs::write(&empty, "").unwrap();
    for (what, file, words) in [
        (
            "twice",
            &*empty,
            "group::benchmark::id is declared twice: ids must be unique within a group",
        ),
        ("empty", &*empty, "there is an empty id in wrong::group"),
        ("no_command", &*empty, "wrong::group::id has no command\nhelp: name one for the group"),
        ("file", &*empty, "empty is empty\nhelp: write a line for each case"),
        ("file", Path::new("/no/such/file"), "can't read /no/such/file: "),
    ] {
        let run = wrong(what, file);
        assert_ne!(run.code, Some(0), "{what}");
        run.complains(&[words]);
    }
}

#[test]
fn fixtures_with_one_name_and_links_out_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let fixtures = directory.path().join("fixtures");
    fs::create_dir(&fixtures).unwrap();
    fs::create_dir_all(directory.path().join("other/fixtures")).unwrap();
    fs::write(directory.path().join("outside"), "from outside").unwrap();
    symlink("../outside", fixtures.join("out")).unwrap();
    wrong("same_names", &fixtures)
        .expect(1)
        .complains(&["can't copy the fixture ", " into the sandbox: the name is taken"]);
    let followed = wrong("links", &fixtures).expect(0);
    followed.complains(&[
        "note: the target of the symbolic link ",
        " is copied: it is outside of the fixture",
    ]);
    assert!(followed.stdout.contains("from outside\n"), "{}", followed.stdout);
}
