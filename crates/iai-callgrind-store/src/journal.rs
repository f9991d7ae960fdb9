//! Checks of the journals of renames: a directory of results with a journal can come from
//! elsewhere.
//!
//! A journal is trusted if a run of this user can have written it, and if it renames only results
//! in its own output directory.

use iai_callgrind_profile::files;
use iai_callgrind_tools::tool::TOOLS;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::error::JournalError;
use super::names::{SUMMARY, TIME};
use crate::ownership::{self, is_own, is_trusted};

type Result<T, E = JournalError> = std::result::Result<T, E>;

/// Permission of all users to write.
const WRITABLE_BY_ALL: u32 = 0o002;

/// Permission of the group or of all users to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Maximum size of a journal: an import of 100,000 benchmarks with four files each, whose paths
/// have 300 bytes.
const LARGEST: u64 = 1 << 28;

/// Start of the names of records of shards.
const SHARDS: &[u8] = b"shards.";

/// Part of the name of a previous result.
const OLD: &[u8] = b".old";

/// Returns the output directory of a file in a staging directory.
pub(super) fn output_directory(file: &Path) -> &Path {
    file.ancestors().nth(2).unwrap_or(Path::new("/"))
}

/// Returns an error unless a journal and its staging directory are a file and a directory of a trusted user.
pub(super) fn check_journal(journal: &Path) -> Result<()> {
    let staging = journal.parent().unwrap_or(journal);
    for (path, is_kind) in
        [(staging, fs::FileType::is_dir as fn(&_) -> bool), (journal, fs::FileType::is_file)]
    {
        let metadata = path.symlink_metadata()?;
        if !is_kind(&metadata.file_type()) {
            return Err(JournalError::NotAFile);
        }
        if !is_trusted(&metadata) {
            return Err(JournalError::Owner { owner: ownership::owner(&metadata) });
        }
        if metadata.permissions().mode() & WRITABLE_BY_ALL != 0 {
            return Err(JournalError::Shared);
        }
    }
    Ok(())
}

/// Reads the renames of a journal. A journal that never reached the disk has none.
pub(super) fn read_renames(journal: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let root = output_directory(journal);
    let mut content = Vec::new();
    files::open(journal)?.take(LARGEST + 1).read_to_end(&mut content)?;
    check_size(&content)?;
    if content.is_empty() {
        return Ok(Vec::new());
    }
    let content = content.strip_suffix(b"\0").ok_or(JournalError::Truncated)?;
    let mut paths = content.split(|byte| *byte == 0).map(|path| {
        let path = Path::new(OsStr::from_bytes(path));
        if is_plain(path) { Ok(root.join(path)) } else { Err(JournalError::path(path)) }
    });
    let mut renames = Vec::new();
    // One path at a time, because a journal of zero bytes has as many paths
    while let Some(from) = paths.next() {
        renames.push((from?, paths.next().ok_or(JournalError::Truncated)??));
    }
    Ok(renames)
}

/// Returns an error if a journal exceeds the maximum size.
pub(super) fn check_size(content: &[u8]) -> Result<()> {
    if content.len() as u64 > LARGEST { Err(JournalError::TooLarge) } else { Ok(()) }
}

/// Returns an error unless a run can have written these renames into this journal: the files are results in the
/// output directory or files in the staging directory, and no symbolic link leads to one.
pub(super) fn check_renames(journal: &Path, renames: &[(PathBuf, PathBuf)]) -> Result<()> {
    // Most files share their directory
    let mut checked = BTreeSet::new();
    for (from, to) in renames {
        let places = [RenamePlace::of(from, journal)?, RenamePlace::of(to, journal)?];
        let is_possible = match places {
            [RenamePlace::Staging, RenamePlace::Result]
            | [RenamePlace::Result, RenamePlace::Staging] => true,
            [RenamePlace::Result, RenamePlace::Result] => becomes_old(from, to),
            [RenamePlace::Staging, RenamePlace::Staging] => false,
        };
        if !is_possible {
            return Err(JournalError::Rename { from: from.clone(), to: to.clone() });
        }
        for path in [from, to] {
            check_kind(path, output_directory(journal), &mut checked)?;
        }
    }
    Ok(())
}

/// Place of a file that a run renames.
enum RenamePlace {
    Staging,
    Result,
}

impl RenamePlace {
    /// Returns the place of a path. Other paths are errors.
    fn of(path: &Path, journal: &Path) -> Result<Self> {
        let foreign = || JournalError::path(path);
        let staging = journal.parent().unwrap_or(journal);
        let below = path.strip_prefix(output_directory(journal)).map_err(|_| foreign())?;
        if !is_plain(below) {
            return Err(foreign());
        }
        if path != staging && path.starts_with(staging) {
            return Ok(Self::Staging);
        }
        let is_hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
        if below.iter().any(is_hidden) || !is_name_of_result(name(path)) {
            return Err(foreign());
        }
        Ok(Self::Result)
    }
}

/// Returns `true` for a relative path that consists of names only: no `..`, `.`, `//` or slash at
/// an end.
fn is_plain(path: &Path) -> bool {
    let mut names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
    names.all(|name| !matches!(name, b"" | b"." | b".."))
}

fn name(path: &Path) -> &[u8] {
    path.file_name().map_or(b"", OsStrExt::as_bytes)
}

/// Returns `true` for the name of a file that the runner renames: one of a tool, a time, a summary, or a record of shards.
fn is_name_of_result(name: &[u8]) -> bool {
    let is_of = |tool: &[u8]| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with(b"."));
    let mut owners = TOOLS.iter().map(|tool| tool.name).chain([TIME]);
    name == SUMMARY.as_bytes()
        || name.starts_with(SHARDS)
        || owners.any(|owner| is_of(owner.as_bytes()))
}

/// Returns `true` if the last result becomes the previous one, in the same directory.
fn becomes_old(from: &Path, to: &Path) -> bool {
    let (last, old) = (name(from), name(to));
    let mut dots = (0..last.len()).filter(|dot| last[*dot] == b'.');
    from.parent() == to.parent()
        && dots.any(|dot| old == [&last[..dot], OLD, &last[dot..]].concat())
}

/// Returns an error unless this is a regular file or missing, below directories that are not links.
/// Adds its directory to `checked`, whose elements are not checked again, if no other user can
/// replace it.
fn check_kind<'a>(path: &'a Path, root: &Path, checked: &mut BTreeSet<&'a Path>) -> Result<()> {
    let foreign = || JournalError::Kind { path: path.to_owned() };
    if let Some(directory) = path.parent().filter(|directory| !checked.contains(directory)) {
        let mut is_private = is_private(&root.metadata());
        for above in directory.ancestors().take_while(|above| *above != root) {
            let metadata = above.symlink_metadata();
            if metadata.as_ref().is_ok_and(Metadata::is_symlink) {
                return Err(foreign());
            }
            is_private &= self::is_private(&metadata);
        }
        if is_private {
            checked.insert(directory);
        }
    }
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => Err(foreign()),
        _ => Ok(()),
    }
}

/// Returns `true` for a directory of this user's that no other user can write to.
fn is_private(directory: &io::Result<Metadata>) -> bool {
    directory.as_ref().is_ok_and(|metadata| {
        is_own(metadata) && metadata.permissions().mode() & WRITABLE_BY_OTHERS == 0
    })
}

#[cfg(test)]
mod tests;
