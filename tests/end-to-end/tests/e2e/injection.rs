//! Nothing runs through a shell, no argument is split again, and no name leads out of the output directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use end_to_end_tests::{Suite, run, script, tree};

/// Returns all that is below this directory, in which nothing is called `pwned`.
fn names(directory: &Path) -> Vec<String> {
    let names: Vec<_> = tree(directory).into_keys().collect();
    assert!(!names.iter().any(|name| name.ends_with("pwned")), "{names:#?}");
    names
}

#[test]
fn arguments_are_what_they_are() {
    let hostile = Suite::new("hostile");
    let report = hostile.run(&["words", "--nocapture"]).expect(0);
    let expected = "a b\n\n; touch pwned\n$(touch pwned)\n`touch pwned`\n> pwned\n'\"\n*\n~\n$HOME\n%p\n\
                    --tool=none\n--\n\\\n";
    assert!(report.stdout.contains(expected), "{}", report.stdout);
    names(hostile.root());
}

#[test]
fn ids_are_names_of_directories_in_that_of_their_group() {
    let hostile = Suite::new("hostile");
    let _ = hostile.run(&["ids"]).expect(0);
    let entries = fs::read_dir(hostile.directory().join("ids")).unwrap().flatten();
    let mut found: Vec<_> = entries.map(|it| it.file_name().into_string().unwrap()).collect();
    found.sort();
    let expected = [
        "%25p",
        "%2E",
        "%2E%2E",
        "%2E%2E%2F%2E%2E%2F%2E%2E%2Fpwned",
        "%2Estaging-",
        "%2Ftmp%2Fpwned",
        "%3B%20touch%20pwned",
        "a%5Cnb",
    ];
    assert_eq!(found, expected);
    names(hostile.root());
    let mut homes: Vec<_> =
        fs::read_dir(hostile.home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    homes.sort();
    assert_eq!(homes, [".format-version", "benchmark-tests"]);
    assert!(!Path::new("/tmp/pwned").exists());
}

#[test]
fn names_of_baselines_stay_in_their_directory() {
    let hostile = Suite::new("hostile");
    for name in ["../x", "..", "/tmp/x", "a/b", "", ".x", "$(touch pwned)", "a b", "a\nb"] {
        let option = format!("--save-baseline={name}");
        hostile.run(&["words", &option]).expect(2).complains(&["as the name of a baseline"]);
    }
    names(hostile.root());
}

// Valgrind's arguments are split once, by the runner, and then are what they are.
#[test]
fn arguments_of_valgrind_are_split_once() {
    let hostile = Suite::new("hostile");
    let suppressions = hostile.root().join("a b; touch pwned");
    fs::write(&suppressions, "").unwrap();
    let option = format!("--valgrind-args='--suppressions={}'", suppressions.display());
    let _ = hostile.run(&["words", &option]).expect(0);
    fs::remove_file(&suppressions).unwrap();
    names(hostile.root());
}

// A script in the place of Valgrind gets all arguments one by one, also in a directory with such a name.
#[test]
fn paths_are_what_they_are() {
    let hostile = Suite::new("hostile").with_copy("a $(touch pwned) '; %p/hostile");
    let valgrind = hostile.root().join("my valgrind; touch pwned; ");
    script(&valgrind, "exec valgrind \"$@\"");
    let mut command = hostile.command();
    command.arg("words").arg("--valgrind-path").arg(&valgrind);
    let _ = run(&mut command).expect(0);
    names(hostile.root());
}

// Other users can neither read a sandbox nor put a link into it.
#[test]
fn sandboxes_belong_to_who_runs_them() {
    let hostile = Suite::new("hostile");
    let temporary = hostile.subdirectory("tmp");
    let mut command = hostile.command();
    command.args(["words", "--keep-sandbox"]).env("TMPDIR", &temporary);
    let _ = run(&mut command).expect(0);
    let sandboxes: Vec<_> = fs::read_dir(&temporary).unwrap().flatten().collect();
    assert!(!sandboxes.is_empty());
    for sandbox in sandboxes {
        let mode = sandbox.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", sandbox.path().display());
    }
}
