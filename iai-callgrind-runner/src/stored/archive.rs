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
use tar::{Archive, Builder, Header};

use super::find::{Found, StoredBenchmark, find, lock};
use super::home::home;
use super::is_there;
use super::manifest::{self, Entry, Manifest, copy};
use crate::cli::{Export, Import};
use crate::error::{Error, Result};
use crate::lines::quote;
use crate::output::{OutputDirectory, Slot, Transaction, beside, create_below};
use crate::tool::TOOLS;

/// The largest manifest that is read: there are a few hundred bytes for each file.
const LARGEST_MANIFEST: u64 = 1 << 26;

/// What an archive has for each file besides its content: headers, its name, and what fills up blocks.
const LARGEST_HEADERS: u64 = 1 << 14;

/// How many times its size an archive can unpack to, beside [`LEAST_ROOM`]. Profiles are compressed to a
/// tenth.
const LARGEST_RATIO: u64 = 200;

/// What any archive can unpack to.
const LEAST_ROOM: u64 = 1 << 26;

/// Writes the baseline to a file.
pub(super) fn export(options: &Export) -> Result<ExitCode> {
    let path = &options.file;
    if !options.force && path.exists() {
        return Err(Error::Stored(format!(
            "{} is there already.\nGive --force to overwrite it",
            path.display()
        )));
    }
    let slot = Slot::baseline(&options.baseline)?;
    let found = find(options.home.path(), &options.filters)?;
    is_there(&slot, &found.benchmarks)?;
    let files = files(&found, &slot);
    let manifest = Manifest {
        version: manifest::VERSION,
        runner: plan::VERSION.to_owned(),
        baseline: options.baseline.clone(),
        files: files.iter().map(|path| entry(&found.home, path)).collect::<Result<_>>()?,
    };
    let json = serde_json::to_vec_pretty(&manifest)?;
    let mut file = beside(path).map_err(Error::io("write", path))?;
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

/// The files of all benchmarks in this slot.
fn files(found: &Found, slot: &Slot) -> Vec<PathBuf> {
    let of = |benchmark: &StoredBenchmark| {
        TOOLS.iter().flat_map(|tool| benchmark.files.in_slot(tool, slot)).collect::<Vec<_>>()
    };
    found.benchmarks.iter().flat_map(of).collect()
}

fn entry(home: &Path, path: &Path) -> Result<Entry> {
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let (size, checksum) = copy(&mut file, &mut io::sink()).map_err(Error::io("read", path))?;
    // The names in it are text, or it would not have been found
    let path = path.strip_prefix(home).unwrap_or(path).to_string_lossy().into_owned();
    Ok(Entry { path, size, checksum })
}

/// Adds a file, with nothing in it that depends on the machine or the time.
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

/// Reads a baseline from a file: all of it, or nothing.
pub(super) fn import(options: &Import) -> Result<ExitCode> {
    let path = &options.file;
    let file = File::open(path).map_err(Error::io("read", path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    let damaged = |what: String| {
        Error::Stored(format!(
            "{} is no exported baseline, or damaged: {what}.\nNothing was imported",
            path.display()
        ))
    };
    let room = Cell::new(LARGEST_MANIFEST + LARGEST_HEADERS);
    let mut archive = Archive::new(Bounded { input: GzDecoder::new(file), room: &room });
    let mut entries = archive.entries().map_err(|error| damaged(error.to_string()))?;
    let manifest = read_manifest(&mut entries).map_err(damaged)?;
    room.set(manifest.unpacked_size(size).map_err(damaged)?);
    let home = home(options.home.path())?;
    let owners: Vec<_> = manifest
        .files
        .iter()
        .map(|entry| {
            let owner = entry.owner(&home, &manifest.baseline);
            owner.ok_or_else(|| damaged(format!("{} is no file of a baseline", quote(&entry.path))))
        })
        .collect::<Result<_>>()?;

    let directory = OutputDirectory::open(&home, &home)?;
    let staging = directory.staging()?;
    unpack(&mut entries, &manifest, staging.path()).map_err(damaged)?;
    // The end of the compressed data has a checksum of its own
    io::copy(&mut archive.into_inner(), &mut io::sink())
        .map_err(|error| damaged(error.to_string()))?;

    let _locks = lock(&home, owners.iter().map(|(stored, _)| stored))?;
    let slot = Slot::baseline(&manifest.baseline)?;
    // A benchmark has several files
    let stale: BTreeSet<_> =
        owners.iter().flat_map(|(stored, tool)| stored.files.in_slot(tool, &slot)).collect();
    if let (Some(first), false) = (stale.first(), options.force) {
        return Err(Error::Stored(format!(
            "the baseline `{}` is there already: {}.\nGive --force to overwrite it",
            manifest.baseline,
            first.display()
        )));
    }
    for (stored, _) in &owners {
        create_below(&home, stored.files.directory())?;
    }
    let places: Vec<_> = manifest.files.iter().map(|entry| home.join(&entry.path)).collect();
    if let Some(directory) = places.iter().find(|to| to.is_dir()) {
        let what = format!("{} is a directory.\nNothing was imported", directory.display());
        return Err(Error::Stored(what));
    }
    place(staging.path(), stale, places)?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the unpacked files into their places and those that were there aside: all of them, or none.
fn place(staging: &Path, stale: BTreeSet<PathBuf>, places: Vec<PathBuf>) -> Result<()> {
    let mut renames = Transaction::new(&staging.join("import"));
    for path in stale {
        renames.put_aside(path);
    }
    for (index, to) in places.into_iter().enumerate() {
        renames.place(staging.join(index.to_string()), to)?;
    }
    renames.commit()
}

/// Reads no more than there is room for: what is compressed can be a million times as large.
struct Bounded<'a, R> {
    input: R,
    room: &'a Cell<u64>,
}

impl Manifest {
    /// How much the archive of this size unpacks to at most.
    fn unpacked_size(&self, size: u64) -> std::result::Result<u64, String> {
        let mut sizes = self.files.iter().map(|entry| entry.size.checked_add(LARGEST_HEADERS));
        let sum = sizes.try_fold(LARGEST_HEADERS, |sum: u64, size| sum.checked_add(size?));
        let largest = size.saturating_mul(LARGEST_RATIO).saturating_add(LEAST_ROOM);
        sum.filter(|sum| *sum <= largest).ok_or_else(|| {
            format!("what it says that it unpacks to is too much for its {size} bytes")
        })
    }
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.room.get().checked_sub(read as u64);
        self.room.set(left.ok_or_else(|| io::Error::other("it unpacks to more than it says"))?);
        Ok(read)
    }
}

/// Reads the first entry.
fn read_manifest<R: Read>(
    entries: &mut tar::Entries<'_, R>,
) -> std::result::Result<Manifest, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let entry = entries.next().ok_or("it is empty")?.map_err(|error| error.to_string())?;
    if entry.path_bytes() != manifest::NAME.as_bytes() {
        return Err(format!("it does not begin with {}", manifest::NAME));
    }
    let mut json = Vec::new();
    entry.take(LARGEST_MANIFEST).read_to_end(&mut json).map_err(|error| error.to_string())?;
    let Version { version } = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    if version != manifest::VERSION {
        return Err(format!(
            "it has version {version}, but iai-callgrind-runner {} reads version {}",
            plan::VERSION,
            manifest::VERSION
        ));
    }
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// Unpacks the files under their numbers, and compares them with the manifest.
fn unpack<R: Read>(
    entries: &mut tar::Entries<'_, R>,
    manifest: &Manifest,
    to: &Path,
) -> std::result::Result<(), String> {
    for (index, expected) in manifest.files.iter().enumerate() {
        let missing = || format!("`{}` is missing", expected.path);
        let mut entry = entries.next().ok_or_else(missing)?.map_err(|error| error.to_string())?;
        // Links have names of files, and no content
        let is_file = entry.header().entry_type().is_file();
        if entry.path_bytes() != expected.path.as_bytes() || !is_file {
            return Err(missing());
        }
        let mut file =
            File::create_new(to.join(index.to_string())).map_err(|error| error.to_string())?;
        let found = copy(&mut entry, &mut file).map_err(|error| error.to_string())?;
        if found != (expected.size, expected.checksum.clone()) {
            return Err(format!("`{}` has another checksum", expected.path));
        }
    }
    match entries.next() {
        None => Ok(()),
        Some(_) => Err("it has more files than its manifest says".to_owned()),
    }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
