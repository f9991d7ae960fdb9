//! The notes of a repository, through git.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Seek, Write};
use std::process::Stdio;
use std::time::Duration;

use iai_callgrind_revisions::{self as revisions, Checkout, run as run_git};
use iai_callgrind_store::lock_file;

use super::error::HistoryError;
use crate::error::{Error, Result};

/// The reference of the notes.
pub(super) const NOTES: &str = "refs/notes/iai-callgrind";

/// The reference of the notes of a remote repository, while they are merged.
const FETCHED: &str = "refs/notes/iai-callgrind-fetched";

/// Number of attempts to push: another writer can be faster.
const ATTEMPTS: u32 = 8;

/// The notes of a repository.
pub(super) struct Notes {
    checkout: Checkout,
}

impl Notes {
    /// Finds the notes of the repository with this work tree.
    pub(super) fn of(checkout: Checkout) -> Self {
        Self { checkout }
    }

    /// Returns true if there are notes.
    pub(super) fn exist(&self) -> Result<bool> {
        Ok(!self.list()?.is_empty())
    }

    /// Reads all notes, by the commits that they belong to.
    pub(super) fn read_all(&self) -> Result<HashMap<String, Vec<u8>>> {
        let list = self.list()?;
        let blobs: String = list.values().flat_map(|blob| [blob, "\n"]).collect();
        let mut command = self.checkout.command(&["cat-file", "--batch"]);
        let output = run_git(command.stdin(stdin(blobs.as_bytes())?), "cat-file")?;
        let mut rest = &*output;
        let mut notes = HashMap::new();
        for (commit, blob) in list {
            let Some((note, after)) = next_blob(rest) else {
                let reason = format!("git has no object {blob}");
                return Err(HistoryError::UnreadableNote { commit, reason }.into());
            };
            notes.insert(commit, note);
            rest = after;
        }
        Ok(notes)
    }

    /// Changes the note of a commit, and returns its size in bytes. Other writers on this machine wait. A note that git cannot
    /// read stays as it is.
    pub(super) fn update(
        &self,
        commit: &str,
        change: impl FnOnce(&[u8]) -> Result<Vec<u8>>,
    ) -> Result<usize> {
        let _lock = self.lock()?;
        let old = match self.list()?.remove(commit) {
            Some(blob) => {
                let mut command = self.checkout.command(&["cat-file", "blob", &blob]);
                let unreadable = |error: revisions::Error| HistoryError::UnreadableNote {
                    commit: commit.to_owned(),
                    reason: error.to_string(),
                };
                run_git(&mut command, "cat-file").map_err(unreadable)?
            }
            None => Vec::new(),
        };
        let note = change(&old)?;
        let mut command = self.checkout.command(&["hash-object", "-w", "--stdin"]);
        let blob = run_git(command.stdin(stdin(&note)?), "hash-object")?;
        let blob = String::from_utf8_lossy(&blob);
        // Not `--file`, which strips the note
        self.run(&["notes", "--ref", NOTES, "add", "--force", "-C", blob.trim(), commit])?;
        Ok(note.len())
    }

    /// Returns the ids of the notes by the commits that they belong to.
    fn list(&self) -> Result<BTreeMap<String, String>> {
        let mut command = self.checkout.command(&["notes", "--ref", NOTES, "list"]);
        let output = iai_callgrind_process::output(&mut command)?;
        let list = String::from_utf8_lossy(&output.stdout);
        // Git takes a damaged reference for none, with a warning
        if !output.status.success() || (list.is_empty() && !output.stderr.is_empty()) {
            let reason = iai_callgrind_process::error_text(&output);
            let is_id = self.checkout.ask(&["rev-parse", "--verify", "--quiet", NOTES]).is_some();
            let file = (!is_id).then(|| self.checkout.common.join(NOTES));
            return Err(HistoryError::UnreadableNotes { reason, file }.into());
        }
        let pairs = list.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(blob, commit)| (commit.to_owned(), blob.to_owned())).collect())
    }

    /// Merges the notes with those of other writers, and pushes them.
    pub(super) fn push(&self, remote: &str) -> Result<()> {
        let _lock = self.lock()?;
        let mut last = None;
        for attempt in 0..ATTEMPTS {
            iai_callgrind_process::pause(Duration::from_millis(100 * u64::from(attempt)))?;
            self.merge_from(remote)?;
            match self.run(&["push", "--quiet", "--end-of-options", remote, NOTES]) {
                Ok(()) => return Ok(()),
                Err(error) => last = Some(error),
            }
        }
        last.map_or(Ok(()), Err)
    }

    /// Fetches the notes of a remote repository, and merges them line by line.
    fn merge_from(&self, remote: &str) -> Result<()> {
        let has_notes = self.output(&["ls-remote", "--end-of-options", remote, NOTES]);
        let has_notes = has_notes.map_err(|error| self.remote_error(remote, error))?;
        if has_notes.trim().is_empty() {
            return Ok(());
        }
        let notes = format!("+{NOTES}:{FETCHED}");
        self.run(&["fetch", "--quiet", "--no-tags", "--end-of-options", remote, &notes])?;
        let merge = ["notes", "--ref", NOTES, "merge", "--quiet"];
        let merged = self.run(&[&merge[..], &["--strategy=cat_sort_uniq", FETCHED]].concat());
        self.run(&["update-ref", "-d", FETCHED])?;
        merged
    }

    /// Returns the error for a remote repository that git can't read, with names of others if none has this one. An address
    /// is not a name.
    fn remote_error(&self, remote: &str, error: Error) -> Error {
        let remotes = self.checkout.ask(&["remote"]).unwrap_or_default();
        let remotes: Vec<_> = remotes.lines().map(str::to_owned).collect();
        if remote.contains(['/', ':']) || remotes.iter().any(|known| known == remote) {
            return error;
        }
        HistoryError::NoRemote { remote: remote.to_owned(), remotes }.into()
    }

    /// Waits for other writers on this machine.
    fn lock(&self) -> Result<File> {
        Ok(lock_file(&self.checkout.common, "iai-callgrind.lock")?)
    }

    fn run(&self, arguments: &[&str]) -> Result<()> {
        self.output(arguments).map(drop)
    }

    fn output(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.checkout.command(arguments);
        // CI jobs often have no identity
        if self.checkout.ask(&["var", "GIT_COMMITTER_IDENT"]).is_none() {
            for role in ["AUTHOR", "COMMITTER"] {
                command.env(format!("GIT_{role}_NAME"), "iai-callgrind");
                command.env(format!("GIT_{role}_EMAIL"), "iai-callgrind@localhost");
            }
        }
        let output = run_git(&mut command, arguments[0])?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }
}

fn temporary(error: std::io::Error) -> Error {
    Error::io("write a file in", &std::env::temp_dir())(error)
}

/// Returns the input of a command.
fn stdin(bytes: &[u8]) -> Result<Stdio> {
    let mut input = tempfile::tempfile().map_err(temporary)?;
    input.write_all(bytes).and_then(|()| input.rewind()).map_err(temporary)?;
    Ok(Stdio::from(input))
}

/// Returns the first blob that `git cat-file --batch` printed, and what follows it; `None` if git does not have it.
fn next_blob(output: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    // `<id> blob <size>`, or `<id> missing`
    let header = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize = header.split(' ').nth(2)?.parse().ok()?;
    let rest = &output[end + 1..];
    let note = rest.get(..size)?.to_owned();
    Some((note, rest.get(size + 1..).unwrap_or_default()))
}
