//! Directories of results that come from elsewhere, or belong to another user.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{
    Suite, assert_unchanged, clean, copy_executable, run, runner, skip, stored, tree,
};

fn path_text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Writes a journal into a directory of results, as if a killed import had left it.
fn leave_journal(home: &Path, renames: &[&str]) {
    let staging = home.join(".staging-x");
    fs::create_dir_all(&staging).unwrap();
    fs::write(staging.join("payload"), "[build]\nrustc = 'hostile'\n").unwrap();
    let journal = renames.join("\0") + "\0";
    fs::write(staging.join("import.journal"), journal).unwrap();
}

#[test]
fn a_journal_from_elsewhere_moves_no_file() {
    let (order, _) = Suite::after("order", &[]);
    let key = order.root().join("key");
    fs::write(&key, "precious").unwrap();
    let new = order.root().join("config.toml");
    for renames in [
        // The last rename without a source was done: the payload comes to the place of `new`
        [path_text(&new), ".staging-x/payload", ".staging-x/gone", "callgrind.x"],
        ["callgrind.y", path_text(&key), ".staging-x/gone", "callgrind.x"],
        ["../config.toml", ".staging-x/payload", ".staging-x/gone", "callgrind.x"],
    ] {
        leave_journal(&order.home(), &renames);
        let before = tree(order.root());
        let list = stored(&order.home(), &["list"]).expect(0);
        list.complains(&[
            "note: your next run refuses these results: ",
            ".staging-x/import.journal",
            "\nhelp: ",
        ]);
        assert!(!list.stderr.contains("restores"), "{}", list.stderr);
        assert_unchanged(&before, &tree(order.root()));
        let flamegraph = stored(&order.home(), &["flamegraph"]).expect(1);
        flamegraph.complains(&["error: can't undo the renames", "import.journal", "\nhelp: "]);
        let run = order.run(&["five"]).expect(1);
        run.complains(&["error: can't undo the renames", "import.journal", "\nhelp: "]);
        assert!(!new.exists() && !order.root().join("config.toml").exists());
        assert_eq!(fs::read_to_string(&key).unwrap(), "precious");
        assert!(order.home().join(".staging-x/payload").is_file());
    }
}

#[test]
fn the_journal_of_a_killed_run_is_believed_by_readers_and_the_next_run() {
    let (order, _) = Suite::after("order", &["five"]);
    // The last result was put aside, and the new one did not come
    let result = order.result("numbers::fibonacci::five", "out");
    let name = path_text(result.strip_prefix(order.home()).unwrap()).to_owned();
    leave_journal(&order.home(), &[&name, ".staging-x/0", ".staging-x/payload", &name]);
    fs::rename(&result, order.home().join(".staging-x/0")).unwrap();
    let list = stored(&order.home(), &["list"]).expect(0);
    list.complains(&["note: a run was killed", "the next run of these benchmarks that can write"]);
    let _ = order.run(&["fifteen"]).expect(0);
    assert!(result.is_file() && !order.home().join(".staging-x").exists());
    let list = stored(&order.home(), &["list"]).expect(0);
    assert!(!list.stderr.contains("note: "), "{}", list.stderr);
}

#[test]
fn a_link_with_a_journal_is_not_followed() {
    let (order, _) = Suite::after("order", &[]);
    let elsewhere = order.subdirectory("elsewhere");
    leave_journal(&elsewhere, &["callgrind.x", ".staging-x/payload"]);
    symlink(elsewhere.join(".staging-x"), order.home().join(".staging-x")).unwrap();
    let (before, there) = (tree(order.root()), tree(&elsewhere));
    let list = stored(&order.home(), &["list"]).expect(0);
    list.complains(&["note: your next run refuses these results: ", "it is not a file in a dir"]);
    assert_unchanged(&before, &tree(order.root()));
    let run = order.run(&["five"]).expect(1);
    run.complains(&["error: can't undo the renames", "it is not a file in a directory"]);
    assert_unchanged(&there, &tree(&elsewhere));
}

#[test]
fn reading_commands_write_nothing() {
    let (order, _) = Suite::after("order", &["five", "--save-baseline=main"]);
    let _ = order.report(&["five"]);
    fs::remove_file(order.directory().join(".lock")).unwrap();
    let before = tree(&order.home());
    for command in [
        &["list"][..],
        &["compare", "main", "@last"],
        &["report", "--baseline=main", "--format=json"],
        &["annotate", "five"],
    ] {
        let _ = stored(&order.home(), command).expect(0);
        assert_unchanged(&before, &tree(&order.home()));
        assert!(!order.directory().join(".lock").exists(), "{command:?}");
    }
}

/// Id of a user without any rights.
const UNPRIVILEGED: u32 = 65534;

#[test]
fn the_owner_of_a_directory_of_root_is_named() {
    let (order, _) = Suite::after("order", &[]);
    // SAFETY: always allowed.
    if unsafe { libc::geteuid() } != 0 {
        return skip("it needs the rights of root");
    }
    fs::set_permissions(order.root(), Permissions::from_mode(0o755)).unwrap();
    // The tests can be in a directory that only root can enter
    let copy = order.root().join("runner");
    copy_executable(runner(), &copy);
    let mut command = Command::new(&copy);
    clean(&mut command).args(["flamegraph", "--home"]).arg(order.home());
    let before = tree(&order.home());
    let run = run(command.current_dir(order.root()).uid(UNPRIVILEGED).gid(UNPRIVILEGED)).expect(1);
    run.complains(&["error: can't write to", ": it belongs to root\n", "`sudo chown -R "]);
    assert_unchanged(&before, &tree(&order.home()));
}
