//! A directory for results with files around it that must stay as they are, and hostile paths.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Pieces of paths, each for a byte.
const PIECES: [&[u8]; 32] = [
    b"..",
    b"../",
    b"../../",
    b"/",
    b".",
    b"./",
    b"outside",
    b"outside/callgrind.key",
    b"outside/callgrind.f.out",
    b"home",
    b"link/",
    b"link/callgrind.key",
    b"callgrind.link",
    b".staging-x/",
    b".staging-x/0",
    b".staging-x/link/callgrind.key",
    b".staging-x/before.0",
    b"crate/file/",
    b"group/f/",
    b"callgrind.f.out",
    b"callgrind.f.old.out",
    b"callgrind.f.base@main.out",
    b"crate/file/group/f/callgrind.f.base@main.out",
    b"callgrind.f.base@main.log",
    b"shards.base@main.json",
    b"\n::error::x\n",
    b"\x1b]0;x\x07\x1b[31m",
    b"\xff\xfe",
    b"%2E%2E%2F",
    b"\\..\\",
    &[b'x'; 300],
    b".lock",
];

/// The byte that the absolute path of the fence replaces.
const ABSOLUTE: u8 = 0xfe;

/// First byte of the range that is replaced by pieces.
const FIRST: u8 = 0x80;

/// A directory for results, `home`, next to files that no run may change.
pub(super) struct Fence {
    place: TempDir,
    before: BTreeMap<PathBuf, Entry>,
}

/// Everything about a file or a directory that shows a change: kind and permissions, time, content.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    kind: FileType,
    mode: u32,
    inode: u64,
    modified: (i64, i64),
    content: Vec<u8>,
}

impl Fence {
    pub(super) fn new() -> Self {
        let place = TempDir::new().expect("there is a directory for temporary files");
        let path = place.path();
        let make = || {
            for directory in ["outside/directory", "home/.staging-x", "home/crate/file/group/f"] {
                fs::create_dir_all(path.join(directory))?;
            }
            for file in [
                "outside/callgrind.key",
                "outside/callgrind.f.out",
                "home/.staging-x/0",
                "home/.staging-x/before.0",
                "home/crate/file/group/f/callgrind.f.out",
            ] {
                fs::write(path.join(file), file)?;
            }
            symlink("../outside", path.join("home/link"))?;
            symlink("../outside/callgrind.key", path.join("home/callgrind.link"))?;
            symlink("../../outside", path.join("home/.staging-x/link"))
        };
        make().expect("the directory is empty");
        let mut before = BTreeMap::new();
        list(path, path, &mut before);
        Self { place, before }
    }

    /// Returns the same place, as it is now.
    pub(super) fn again(mut self) -> Self {
        self.before = self.entries();
        self
    }

    pub(super) fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Replaces bytes by pieces of paths.
    pub(super) fn expand(&self, data: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for byte in data {
            match byte.checked_sub(FIRST).and_then(|index| PIECES.get(usize::from(index))) {
                Some(piece) => text.extend(*piece),
                None if *byte == ABSOLUTE => text.extend(self.place.path().as_os_str().as_bytes()),
                None => text.push(*byte),
            }
        }
        text
    }

    /// Returns the paths in the data, which are separated by zero bytes.
    pub(super) fn paths(&self, data: &[u8]) -> Vec<String> {
        let text = self.expand(data);
        text.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into()).collect()
    }

    /// Panics if anything outside of the directory for results has changed.
    pub(super) fn check_outside(&self) {
        self.check(|path, _| !path.starts_with("home"));
    }

    /// Panics if anything has changed, except for locks and the times of directories with them.
    pub(super) fn check_files(&self) {
        self.check(|path, entry| {
            let name = path.file_name().map_or(&b""[..], OsStrExt::as_bytes);
            !entry.kind.is_dir() && ![&b".lock"[..], b".format-version"].contains(&name)
        });
        self.check_outside();
    }

    /// Panics if anything has changed.
    pub(super) fn check_all(&self) {
        self.check(|_, _| true);
    }

    /// Panics if one of these entries has changed.
    fn check(&self, is_checked: impl Fn(&Path, &Entry) -> bool) {
        let now = self.entries();
        for (path, entry) in self.before.iter().chain(&now) {
            let is_same = self.before.get(path) == now.get(path);
            assert!(is_same || !is_checked(path, entry), "{} has changed", path.display());
        }
    }

    fn entries(&self) -> BTreeMap<PathBuf, Entry> {
        let mut entries = BTreeMap::new();
        list(self.place.path(), self.place.path(), &mut entries);
        entries
    }
}

/// Lists a directory and everything below it, by paths relative to `root`.
fn list(root: &Path, path: &Path, entries: &mut BTreeMap<PathBuf, Entry>) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    let content = if metadata.is_symlink() {
        fs::read_link(path).map(|target| OsString::from(target).into_vec())
    } else if metadata.is_file() {
        fs::read(path)
    } else {
        Ok(Vec::new())
    };
    let name = path.strip_prefix(root).unwrap_or(path).to_owned();
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    let content = content.unwrap_or_default();
    let (kind, mode, inode) = (metadata.file_type(), metadata.mode(), metadata.ino());
    entries.insert(name, Entry { kind, mode, inode, modified, content });
    if metadata.is_dir() {
        let below = fs::read_dir(path).into_iter().flatten().flatten();
        below.for_each(|entry| list(root, &entry.path(), entries));
    }
}
