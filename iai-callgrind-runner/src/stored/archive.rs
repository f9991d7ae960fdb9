//! `export` and `import`: a baseline as one compressed file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use iai_callgrind_plan as plan;
use iai_callgrind_profile::quote;
use tar::{Archive, Builder, Header};

use super::benchmarks::{SelectedBenchmarks, StoredBenchmark, find_benchmarks, lock};
use super::directory::select_directory;
use super::manifest::{self, Entry, Manifest, copy};
use crate::cli::{ExportArgs, ImportArgs};
use crate::error::{ArchiveError, Error, Result};
use crate::output::{OutputDirectory, Slot, Transaction, create_below, create_sibling};
use crate::tool::TOOLS;

/// Maximum size of a manifest, which has a few hundred bytes for each file.
const LARGEST_MANIFEST: u64 = 1 << 26;

/// Maximum size of an entry without its content: headers, name and padding.
const LARGEST_HEADERS: u64 = 1 << 14;

/// Maximum ratio of unpacked to packed size, in addition to [`FREE_SIZE`]. The ratio of profiles is about 10.
const LARGEST_RATIO: u64 = 200;

/// Unpacked size that every archive is allowed.
const FREE_SIZE: u64 = 1 << 26;

/// Writes a baseline to a file.
pub(super) fn export(options: &ExportArgs) -> Result<ExitCode> {
    let path = &options.file;
    if !options.force && path.exists() {
        return Err(Error::FileExists { path: path.clone() });
    }
    let slot = Slot::baseline(&options.baseline)?;
    let selected = find_benchmarks(options.home.path(), &options.filters)?;
    selected.require(&slot)?;
    let files = list_files(&selected, &slot);
    let manifest = Manifest {
        version: manifest::VERSION,
        runner: plan::VERSION.to_owned(),
        baseline: options.baseline.clone(),
        files: files.iter().map(|path| entry(&selected.home, path)).collect::<Result<_>>()?,
    };
    let json = serde_json::to_vec_pretty(&manifest)?;
    let mut file = create_sibling(path).map_err(Error::io("write", path))?;
    let mut write = || -> io::Result<()> {
        let mut archive = Builder::new(GzEncoder::new(file.as_file_mut(), Compression::default()));
        append(&mut archive, manifest::NAME, json.len() as u64, &*json)?;
        for (Entry { path, size, .. }, file) in manifest.files.iter().zip(&files) {
            append(&mut archive, path, *size, File::open(file)?)?;
        }
        archive.into_inner()?.finish()?;
        Ok(())
    };
    write().map_err(Error::io("write", path))?;
    file.persist(path).map_err(|error| Error::io("write", path)(error.error))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the files of all benchmarks in this slot.
fn list_files(selected: &SelectedBenchmarks, slot: &Slot) -> Vec<PathBuf> {
    let slot_files = |benchmark: &StoredBenchmark| {
        TOOLS.iter().flat_map(|tool| benchmark.files.slot_files(tool, slot)).collect::<Vec<_>>()
    };
    selected.benchmarks.iter().flat_map(slot_files).collect()
}

fn entry(home: &Path, path: &Path) -> Result<Entry> {
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let (size, checksum) = copy(&mut file, &mut io::sink()).map_err(Error::io("read", path))?;
    // Only paths that are valid UTF-8 are found
    let path = path.strip_prefix(home).unwrap_or(path).to_string_lossy().into_owned();
    Ok(Entry { path, size, checksum })
}

/// Appends a file with a header that depends neither on the machine nor on the time.
fn append(
    archive: &mut Builder<impl Write>,
    path: &str,
    size: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, content)
}

/// Reads a baseline from a file, either completely or not at all.
pub(super) fn import(options: &ImportArgs) -> Result<ExitCode> {
    let path = &options.file;
    let file = File::open(path).map_err(Error::io("read", path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    let invalid = |source| Error::InvalidArchive { path: path.clone(), source };
    let limit = Cell::new(LARGEST_MANIFEST + LARGEST_HEADERS);
    let mut archive = Archive::new(Bounded { input: GzDecoder::new(file), limit: &limit });
    let mut entries = archive.entries().map_err(|error| invalid(error.into()))?;
    let manifest = read_manifest(&mut entries).map_err(invalid)?;
    limit.set(manifest.unpacked_size(size).map_err(invalid)?);
    let home = select_directory(options.home.path())?;
    let owner = |entry: &Entry| {
        let owner = entry.owner(&home, &manifest.baseline);
        owner.ok_or_else(|| invalid(ArchiveError::ForeignFile { path: quote(&entry.path) }))
    };
    let owners: Vec<_> = manifest.files.iter().map(owner).collect::<Result<_>>()?;

    let directory = OutputDirectory::open(&home, &home)?;
    let staging = directory.staging()?;
    unpack(&mut entries, &manifest, staging.path()).map_err(invalid)?;
    // The compressed data ends with a checksum
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(|error| invalid(error.into()))?;

    let _locks = lock(&home, owners.iter().map(|(benchmark, _)| benchmark))?;
    let slot = Slot::baseline(&manifest.baseline)?;
    // A benchmark has several files
    let stale: BTreeSet<_> = owners
        .iter()
        .flat_map(|(benchmark, tool)| benchmark.files.slot_files(tool, &slot))
        .collect();
    if let (Some(first), false) = (stale.first(), options.force) {
        return Err(Error::BaselineExists { name: manifest.baseline, path: first.clone() });
    }
    for (benchmark, _) in &owners {
        create_below(&home, benchmark.files.directory())?;
    }
    let places: Vec<_> = manifest.files.iter().map(|entry| home.join(&entry.path)).collect();
    if let Some(directory) = places.iter().find(|place| place.is_dir()) {
        return Err(invalid(ArchiveError::Directory { path: directory.clone() }));
    }
    replace_files(staging.path(), stale, places)?;
    Ok(ExitCode::SUCCESS)
}

/// Replaces the stale files by the unpacked ones, either all or none.
fn replace_files(staging: &Path, stale: BTreeSet<PathBuf>, places: Vec<PathBuf>) -> Result<()> {
    let mut renames = Transaction::new(&staging.join("import"));
    for path in stale {
        renames.remove(path);
    }
    for (index, to) in places.into_iter().enumerate() {
        renames.place(staging.join(index.to_string()), to)?;
    }
    renames.commit()
}

/// A reader with a limit, because compressed data can unpack to a thousand times its size.
struct Bounded<'a, R> {
    input: R,
    limit: &'a Cell<u64>,
}

impl Manifest {
    /// Returns the maximum unpacked size of an archive of this size.
    fn unpacked_size(&self, size: u64) -> Result<u64, ArchiveError> {
        let mut sizes = self.files.iter().map(|entry| entry.size.checked_add(LARGEST_HEADERS));
        let sum = sizes.try_fold(LARGEST_HEADERS, |sum: u64, size| sum.checked_add(size?));
        let largest = size.saturating_mul(LARGEST_RATIO).saturating_add(FREE_SIZE);
        sum.filter(|sum| *sum <= largest).ok_or(ArchiveError::TooLarge { size })
    }
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.limit.get().checked_sub(read as u64);
        self.limit.set(left.ok_or_else(|| io::Error::other(ArchiveError::LargerThanListed))?);
        Ok(read)
    }
}

/// Reads the first entry.
fn read_manifest<R: Read>(entries: &mut tar::Entries<'_, R>) -> Result<Manifest, ArchiveError> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let entry = entries.next().ok_or(ArchiveError::NoManifest)??;
    if entry.path_bytes() != manifest::NAME.as_bytes() {
        return Err(ArchiveError::NoManifest);
    }
    let mut json = Vec::new();
    entry.take(LARGEST_MANIFEST).read_to_end(&mut json)?;
    let Version { version: found } = serde_json::from_slice(&json)?;
    if found != manifest::VERSION {
        return Err(ArchiveError::Version { found, readable: manifest::VERSION });
    }
    Ok(serde_json::from_slice(&json)?)
}

/// Unpacks the files, named by their numbers, and compares them with the manifest.
fn unpack<R: Read>(
    entries: &mut tar::Entries<'_, R>,
    manifest: &Manifest,
    to: &Path,
) -> Result<(), ArchiveError> {
    for (index, expected) in manifest.files.iter().enumerate() {
        let missing = || ArchiveError::Missing { path: expected.path.clone() };
        let mut entry = entries.next().ok_or_else(missing)??;
        // A link can have the name of a file
        let is_file = entry.header().entry_type().is_file();
        if entry.path_bytes() != expected.path.as_bytes() || !is_file {
            return Err(missing());
        }
        let mut file = File::create_new(to.join(index.to_string()))?;
        if copy(&mut entry, &mut file)? != (expected.size, expected.checksum.clone()) {
            return Err(ArchiveError::Checksum { path: expected.path.clone() });
        }
    }
    entries.next().map_or(Ok(()), |_| Err(ArchiveError::Unlisted))
}

#[cfg(test)]
mod tests;
