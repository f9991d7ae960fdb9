//! Journals that this user's runs do not write.

use std::fs::Permissions;
use std::os::unix::fs::symlink;

use super::*;

/// An output directory with a journal of one rename, next to a directory that no journal may reach.
struct Lab {
    root: tempfile::TempDir,
    journal: PathBuf,
}

impl Lab {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let journal = root.path().join("home/.staging-x/import.journal");
        let outside = root.path().join("outside");
        fs::create_dir_all(journal.parent().unwrap()).unwrap();
        fs::create_dir_all(root.path().join("home/p/f")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("callgrind.key"), "precious").unwrap();
        Self { root, journal }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Checks a journal with this content.
    fn check_bytes(&self, content: &[u8]) -> Result<()> {
        fs::write(&self.journal, content).unwrap();
        fs::set_permissions(&self.journal, Permissions::from_mode(0o600)).unwrap();
        check_journal(&self.journal)?;
        check_renames(&self.journal, &read_renames(&self.journal)?)
    }

    fn check(&self, from: &str, to: &str) -> Result<()> {
        self.check_bytes(format!("{from}\0{to}\0").as_bytes())
    }
}

/// A result and its place in the staging directory.
const RESULT: &str = "p/f/callgrind.f.out";
const ASIDE: &str = ".staging-x/before.0";

#[test]
fn what_a_run_writes_is_accepted() {
    let lab = Lab::new();
    for (from, to) in [
        (RESULT, ASIDE),
        (".staging-x/0/1", RESULT),
        (RESULT, "p/f/callgrind.f.old.out"),
        (ASIDE, "p/f/shards.base@main.json"),
        ("p/f/summary.json", ASIDE),
        ("dhat.f.id.out.p2", "dhat.f.id.old.out.p2"),
    ] {
        lab.check(from, to).unwrap();
    }
    lab.check_bytes(b"").unwrap();
}

#[test]
fn paths_that_lead_elsewhere_are_foreign() {
    let lab = Lab::new();
    let key = lab.path("outside/callgrind.key");
    for path in [
        key.to_str().unwrap(),
        "/etc/callgrind.conf",
        "../outside/callgrind.key",
        "p/../../outside/callgrind.key",
        "p/f/../callgrind.f.out",
        "./callgrind.f.out",
        "p//callgrind.f.out",
        "callgrind.f.out/",
        ".",
        "..",
        "",
        ".staging-x",
        ".staging-y/callgrind.f.out",
        ".lock",
        ".against/callgrind.f.out",
        "p/.git/callgrind.f.out",
        "Cargo.toml",
        "p/f/callgrind",
    ] {
        assert!(lab.check(path, ASIDE).is_err(), "{path:?}");
        assert!(lab.check(ASIDE, path).is_err(), "{path:?}");
    }
}

#[test]
fn other_renames_of_results_are_foreign() {
    let lab = Lab::new();
    for (from, to) in [
        (RESULT, "p/f/callgrind.g.out"),
        (RESULT, "p/g/callgrind.f.old.out"),
        (RESULT, RESULT),
        ("p/f/callgrind.f.old.out", RESULT),
        (ASIDE, ".staging-x/1"),
    ] {
        assert!(matches!(lab.check(from, to), Err(JournalError::Rename { .. })), "{from} {to}");
    }
}

#[test]
fn a_part_of_a_journal_is_foreign() {
    let lab = Lab::new();
    for content in [&b"a"[..], b"\0", b"callgrind.f.out\0", b"callgrind.f.out\0.staging-x/0"] {
        assert!(lab.check_bytes(content).is_err(), "{content:?}");
    }
}

#[test]
fn a_huge_journal_is_not_read() {
    let lab = Lab::new();
    lab.check_bytes(b"").unwrap();
    // Without blocks on the disk
    let journal = fs::File::options().write(true).open(&lab.journal).unwrap();
    journal.set_len(LARGEST + 1).unwrap();
    assert!(matches!(read_renames(&lab.journal), Err(JournalError::TooLarge)));
    journal.set_len(LARGEST / 16).unwrap();
    assert!(matches!(read_renames(&lab.journal), Err(JournalError::Path { .. })));
}

#[test]
fn links_and_directories_are_not_renamed() {
    let lab = Lab::new();
    symlink(lab.path("outside"), lab.path("home/link")).unwrap();
    symlink(lab.path("outside/callgrind.key"), lab.path("home/callgrind.link")).unwrap();
    symlink(lab.path("outside"), lab.path("home/.staging-x/link")).unwrap();
    fs::create_dir(lab.path("home/callgrind.directory")).unwrap();
    for path in ["link/callgrind.key", "callgrind.link", "callgrind.directory"] {
        assert!(matches!(lab.check(path, ASIDE), Err(JournalError::Kind { .. })), "{path}");
    }
    let error = lab.check(".staging-x/link/callgrind.key", RESULT);
    assert!(matches!(error, Err(JournalError::Kind { .. })));
}

#[test]
fn a_journal_that_is_a_link_or_open_to_all_is_foreign() {
    let lab = Lab::new();
    lab.check(RESULT, ASIDE).unwrap();
    fs::set_permissions(&lab.journal, Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(check_journal(&lab.journal), Err(JournalError::Shared)));
    let other = lab.path("home/.staging-x/other");
    fs::rename(&lab.journal, &other).unwrap();
    symlink(other, &lab.journal).unwrap();
    assert!(matches!(check_journal(&lab.journal), Err(JournalError::NotAFile)));
}

#[test]
fn only_directories_that_no_other_user_can_exchange_are_checked_once() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("group");
    fs::create_dir(&directory).unwrap();
    let file = directory.join("callgrind.a.out");
    for (shared, mode, is_kept) in [
        (&*directory, 0o755, true),
        (&*directory, 0o775, false),
        (&*directory, 0o700, true),
        (root.path(), 0o757, false),
    ] {
        fs::set_permissions(shared, Permissions::from_mode(mode)).unwrap();
        let mut checked = BTreeSet::new();
        check_kind(&file, root.path(), &mut checked).unwrap();
        assert_eq!(checked.contains(&*directory), is_kept, "{mode:o}");
    }
}
