//! The summaries that a site is made from: a file for each benchmark file, as a run writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use iai_callgrind_base::Natural;
use iai_callgrind_store::{lock_file, remove_file};
use iai_callgrind_summary::Summary;

use crate::error::{Error, Result};
use crate::format::{DATA, Document, ReportFile};
use crate::read::read_summaries;

/// Waits until no other run writes the pages, to see its newest ones. It follows the locks of the
/// results, so that two processes never wait for each other.
pub(super) fn lock(directory: &Path) -> Result<File> {
    Ok(lock_file(&directory.join(DATA), ".lock")?)
}

/// Reads the summaries of a site, sorted by the names of their files.
pub(super) fn read_own_summaries(directory: &Path) -> Result<Vec<Summary>> {
    read_summaries(&files(directory)?)
}

/// Writes the files of these summaries, which must have all of their benchmarks.
pub(super) fn write_summaries<'a>(
    directory: &Path,
    summaries: impl Iterator<Item = &'a Summary>,
) -> Result<()> {
    let mut files: BTreeMap<_, Vec<Summary>> = BTreeMap::new();
    for summary in summaries {
        files.entry((&summary.package, &summary.file)).or_default().push(summary.clone());
    }
    for ((package, file), summaries) in &files {
        let file = ReportFile::of_pages(directory).resolve(package, file);
        let document = Document { summaries, hook_failures: &[], seconds: None };
        file.write(&file.format.document(&document))?;
    }
    Ok(())
}

/// Replaces all summaries of a site.
pub(super) fn replace_summaries(directory: &Path, summaries: &[Summary]) -> Result<()> {
    let path = |summary: &Summary| {
        ReportFile::of_pages(directory).resolve(&summary.package, &summary.file).path
    };
    let known: BTreeSet<_> = summaries.iter().map(path).collect();
    let old = files(directory)?.into_iter().filter(|path| !known.contains(path));
    old.into_iter().try_for_each(|path| remove_file(&path))?;
    write_summaries(directory, summaries.iter())
}

fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let data = directory.join(DATA);
    let entries = fs::read_dir(&data).map_err(Error::io("read the directory", &data))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut paths: Vec<_> = paths.filter(is_json).filter(|path| path.is_file()).collect();
    paths.sort_by_cached_key(|path| Natural(path.to_string_lossy().into_owned()));
    Ok(paths)
}
