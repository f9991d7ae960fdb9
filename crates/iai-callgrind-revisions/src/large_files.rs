//! Files of Git LFS in a work tree: without its filter, a checkout has pointers in their place.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use iai_callgrind_profile::files;

use crate::git::Checkout;

/// The start of each pointer, see <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Replaces the pointers in this work tree by the files, if Git LFS can do that. Returns the paths of the others.
pub(super) fn fetch(tree: &Checkout) -> Vec<String> {
    let found = pointers(tree);
    if found.is_empty() || tree.ask(&["lfs", "pull"]).is_none() {
        return found;
    }
    pointers(tree)
}

fn pointers(tree: &Checkout) -> Vec<String> {
    let paths = tree.ask_bytes(&["ls-files", "-z", ":(attr:filter=lfs)"]).unwrap_or_default();
    let is_pointer = |file: &&OsStr| {
        let mut start = [0; POINTER.len()];
        let read =
            files::open(tree.top.join(file)).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start == *POINTER
    };
    paths
        .split(|byte| *byte == 0)
        .filter(|file| !file.is_empty())
        .map(OsStr::from_bytes)
        .filter(is_pointer)
        .map(|file| file.to_string_lossy().into_owned())
        .collect()
}
