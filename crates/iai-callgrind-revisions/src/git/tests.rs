//! Work trees with commits and changes.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::*;

/// Runs `git` as a user without a configuration.
fn run(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "user.name=me", "-c", "user.email=me@localhost"]);
    command.args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.status().unwrap().success(), "{arguments:?}");
}

fn commit(directory: &Path) {
    run(directory, &["add", "."]);
    run(directory, &["commit", "--message=one more"]);
}

fn names(paths: &BTreeSet<String>) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}

#[test]
fn committed_and_uncommitted_changes_are_found() {
    let top = tempfile::tempdir().unwrap();
    let workspace = top.path().join("rust");
    let home = workspace.join("target/iai");
    fs::create_dir_all(workspace.join("src")).unwrap();
    fs::create_dir_all(&home).unwrap();
    let write = |path: &str, text: &str| fs::write(top.path().join(path), text).unwrap();
    let is_unread = |file: &Path| file.ends_with("rust/benches/unread");
    let revision = || state(&workspace, &home, is_unread).unwrap().revision;
    run(top.path(), &["init"]);
    write("README.md", "one");
    fs::create_dir(workspace.join("benches")).unwrap();
    write("rust/benches/b.rs", "one");
    write("rust/src/größe.rs", "one");
    commit(top.path());
    let first = revision();
    assert_eq!((&*first.prefix, first.uncommitted.len()), ("rust/", 0));

    write("rust/src/größe.rs", "two");
    let edited = revision();
    assert_eq!(edited.commit, first.commit);
    let tree = WorkTree::of(&workspace);
    assert_eq!(names(&tree.changed(&first, &edited).unwrap()), ["rust/src/größe.rs"]);
    assert_eq!(tree.changed(&edited, &edited).unwrap().len(), 0, "the same changes");
    write("rust/src/größe.rs", "three");
    write("new file", "1");
    let again = revision();
    assert_eq!(names(&tree.changed(&edited, &again).unwrap()), ["new file", "rust/src/größe.rs"]);

    commit(top.path());
    fs::remove_file(top.path().join("README.md")).unwrap();
    let last = revision();
    assert_ne!(last.commit, first.commit);
    let changed = tree.changed(&first, &last).unwrap();
    assert_eq!(names(&changed), ["README.md", "new file", "rust/src/größe.rs"]);
    // The content of a later commit, put into an earlier one
    run(top.path(), &["checkout", "--quiet", "--force", &first.commit]);
    write("rust/src/größe.rs", "three");
    assert_eq!(names(&tree.changed(&revision(), &last).unwrap()), ["README.md", "new file"]);
    write("rust/src/größe.rs", "four");
    assert_eq!(tree.changed(&revision(), &last).unwrap().len(), 3);
    run(top.path(), &["checkout", "--quiet", "--force", &last.commit]);
    fs::remove_file(top.path().join("README.md")).unwrap();

    write("rust/target/iai/result", "1");
    assert_eq!(revision(), last, "results are not a change");
    write("rust/benches/unread", "1");
    assert_eq!(revision(), last, "a file that no build reads is not a change");
    write("rust/Cargo.lock", "1");
    assert_eq!(revision(), last, "a lock file of no commit is not a change");
    commit(top.path());
    write("rust/benches/unread", "2");
    assert_eq!(revision().uncommitted.len(), 0, "also if a commit has it");
    write("rust/Cargo.lock", "2");
    assert_eq!(revision().uncommitted.len(), 1, "but one of a commit is");
}

#[test]
fn texts_of_earlier_states_are_known_if_git_or_the_work_tree_has_them() {
    let top = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(top.path().join("a.rs"), text).unwrap();
    let revision = || state(top.path(), top.path(), |_| false).unwrap().revision;
    run(top.path(), &["init"]);
    write("one");
    commit(top.path());
    let first = revision();
    write("two");
    let edited = revision();
    write("three");
    let last = revision();
    let text = |side: &Revision, path: &str| WorkTree::of(top.path()).text(side, path);
    let known = [&first, &edited, &last].map(|side| text(side, "a.rs"));
    assert_eq!(known.each_ref().map(Option::as_deref), [Some("one"), None, Some("three")]);
    assert_eq!(text(&first, "b.rs").as_deref(), Some(""), "a file that is not in it");
    fs::remove_file(top.path().join("a.rs")).unwrap();
    assert_eq!(text(&revision(), "a.rs").as_deref(), Some(""), "a removed file");
    let unknown = Revision { commit: "0".repeat(40), ..first };
    assert_eq!(text(&unknown, "b.rs"), None, "a commit that is not there");
}

#[test]
fn paths_of_results_are_not_followed_out_of_the_work_tree() {
    let directory = tempfile::tempdir().unwrap();
    let top = directory.path().join("top");
    fs::create_dir_all(top.join("home")).unwrap();
    run(&top, &["init"]);
    fs::write(top.join("a.rs"), "text").unwrap();
    commit(&top);
    fs::write(top.join("a.rs"), "other").unwrap();
    let mut revision = state(&top, &top.join("home"), |_| false).unwrap().revision;
    let content = revision.uncommitted["a.rs"].clone();
    fs::write(directory.path().join("b.rs"), "other").unwrap();
    symlink(directory.path(), top.join("link")).unwrap();
    let mut text = |path: &str| {
        revision.uncommitted.insert(path.to_owned(), content.clone());
        WorkTree::of(&top).text(&revision, path)
    };
    assert_eq!(text("a.rs").as_deref(), Some("other"));
    let absolute = directory.path().join("b.rs").display().to_string();
    for path in ["../b.rs", "link/b.rs", &absolute] {
        assert_eq!(text(path), None, "{path}");
    }
}

#[test]
fn no_setting_of_the_user_hides_a_change() {
    let top = tempfile::tempdir().unwrap();
    let inner = top.path().join("inner");
    fs::create_dir(&inner).unwrap();
    run(top.path(), &["init"]);
    run(&inner, &["init"]);
    let write = |path: &str, text: &str| fs::write(top.path().join(path), text).unwrap();
    write("inner/a.rs", "one");
    commit(&inner);
    write("b.rs", "one");
    commit(top.path());
    for [name, value] in [["status.showUntrackedFiles", "no"], ["diff.ignoreSubmodules", "all"]] {
        run(top.path(), &["config", name, value]);
    }
    let revision = || state(top.path(), top.path(), |_| false).unwrap().revision;
    let clean = revision();
    assert_eq!(clean.uncommitted.len(), 0);
    write("new.rs", "one");
    write("inner/a.rs", "two");
    let edited = revision();
    assert_eq!(edited.uncommitted.keys().collect::<Vec<_>>(), ["inner", "new.rs"]);
    commit(&inner);
    // The setting leaves a submodule out of `add .`, too
    run(top.path(), &["add", "--force", "inner"]);
    commit(top.path());
    let changed = WorkTree::of(top.path()).changed(&clean, &revision()).unwrap();
    assert_eq!(names(&changed), ["inner", "new.rs"]);
}

#[test]
fn names_that_are_not_utf8_are_known() {
    let top = tempfile::tempdir().unwrap();
    run(top.path(), &["init"]);
    let workspace = top.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&workspace).unwrap();
    let file = workspace.join(OsStr::from_bytes(b"na\xefve.rs"));
    let revision = || state(&workspace, &workspace, |_| false).unwrap().revision;
    fs::write(&file, "one").unwrap();
    commit(top.path());
    let clean = revision();
    assert_eq!((decode(&clean.prefix).as_bytes(), clean.uncommitted.len()), (&b"caf\xe9/"[..], 0));
    fs::write(&file, "two").unwrap();
    let edited = revision();
    let tree = WorkTree::of(&workspace);
    let changed = tree.changed(&clean, &edited).unwrap();
    let paths: Vec<_> = changed.iter().map(|path| decode(path)).collect();
    assert_eq!(paths, [OsStr::from_bytes(b"caf\xe9/na\xefve.rs")]);
    commit(top.path());
    let committed = revision();
    assert_eq!(tree.changed(&clean, &committed).unwrap(), changed);
    assert_eq!(tree.changed(&edited, &committed).unwrap(), BTreeSet::new(), "the same content");
}

#[test]
fn nothing_is_known_without_a_work_tree_or_a_commit() {
    let directory = tempfile::tempdir().unwrap();
    let state = || state(directory.path(), directory.path(), |_| false);
    assert_eq!(state(), None);
    run(directory.path(), &["init"]);
    assert_eq!(state(), None, "no commit");
    let tree = WorkTree::of(directory.path());
    let at = |commit: &str| Revision { commit: commit.to_owned(), ..Revision::default() };
    assert!(!is_id("0123456789") && is_id(&"0".repeat(40)));
    for other in ["0123456789", "--output=file", ""] {
        assert_eq!(tree.changed(&at("abc"), &at(other)), None, "{other}");
    }
    assert!(!directory.path().join("file").exists());
}

#[test]
fn no_repository_above_is_taken() {
    let top = tempfile::tempdir().unwrap();
    run(top.path(), &["init"]);
    fs::write(top.path().join("file"), "committed").unwrap();
    commit(top.path());
    fs::write(top.path().join("file"), "changed").unwrap();
    let inner = top.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let user = Checkout::find(&inner).unwrap();
    assert_eq!(user.top, top.path().canonicalize().unwrap());
    let missing = Checkout { directory: inner.join("git"), top: inner, ..user };
    for arguments in [&["read-tree", "--reset", "-u", "HEAD"][..], &["clean", "-ffdxq"]] {
        let error = missing.run(arguments).unwrap_err().to_string();
        assert!(error.contains("not a git repository"), "{error}");
    }
    assert_eq!(fs::read(top.path().join("file")).unwrap(), b"changed");
}

#[test]
fn the_error_of_git_about_a_repository_that_it_does_not_use_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(Checkout::problem(directory.path()), None);
    // A repository of another user needs the superuser, one that is damaged does not
    fs::create_dir_all(directory.path().join("inner")).unwrap();
    fs::write(directory.path().join(".git"), "gitdir: missing\n").unwrap();
    let problem = || Checkout::problem(&directory.path().join("inner")).unwrap();
    assert!(problem().contains("not a git repository"), "{}", problem());
    fs::remove_file(directory.path().join(".git")).unwrap();
    run(directory.path(), &["init"]);
    assert_eq!(Checkout::problem(directory.path()), None);
    fs::write(directory.path().join(".git/HEAD"), "garbage\n").unwrap();
    assert!(problem().contains("\nhelp: check `HEAD`"), "{}", problem());
}
