//! `export` and `import`: a baseline as a compressed file, or as one file for each shard.

mod manifest;
mod merge;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use iai_callgrind_plan as plan;
use iai_callgrind_profile::{files, quote};
use tar::{Archive, Builder, Header};

use self::manifest::{Entry, Manifest, copy};
use self::merge::{MergedShards, Part, check_shards, select_files};
use super::benchmarks::{
    SelectedBenchmarks, StoredBenchmark, check_exists, find_benchmarks, lock_benchmarks,
};
use super::directory::OutputDirectory;
use super::error::{ArchiveError, Error, ExchangeError, Result};
use super::file_system::{create_below, create_sibling, exists};
use super::shards::{ShardRecord, find_records, is_benchmark_file};
use super::slot::Slot;
use super::transaction::Transaction;

/// Maximum size of a manifest, which has a few hundred bytes for each file.
const LARGEST_MANIFEST: u64 = 1 << 26;

/// Maximum size of an entry without its content: headers, name and padding.
const LARGEST_HEADERS: u64 = 1 << 14;

/// Maximum ratio of unpacked to packed size, in addition to [`FREE_SIZE`]. The ratio of profiles is about 10.
const LARGEST_RATIO: u64 = 200;

/// Unpacked size that every archive is allowed.
const FREE_SIZE: u64 = 1 << 26;

/// A baseline to write to a file.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    /// The file.
    pub file: &'a Path,
    /// The name of the baseline.
    pub baseline: &'a str,
    /// The benchmarks; all without a filter.
    pub filters: &'a [String],
    /// Overwrites the file if it exists.
    pub force: bool,
}

/// Files to read baselines from.
#[derive(Debug, Clone, Copy)]
pub struct Import<'a> {
    /// The files, such as those of all shards.
    pub files: &'a [PathBuf],
    /// Overwrites the baselines if they exist.
    pub force: bool,
    /// Imports even if shards, or results of their benchmarks, are missing.
    pub allow_missing: bool,
}

/// Writes a baseline of this directory of results to a file.
pub fn export(home: &Path, options: &Export<'_>) -> Result<usize> {
    let path = options.file;
    check_target(path, options.force)?;
    let slot = Slot::baseline(options.baseline)?;
    check_exists(home)?;
    let shards = find_shards(home, &slot, options.filters)?;
    let (files, benchmarks) = match find_benchmarks(home, options.filters, &[&slot]) {
        Ok(selected) => list_files(&selected, &slot, &shards),
        // A shard can have no benchmarks
        Err(_) if !shards.is_empty() => (Vec::new(), 0),
        Err(error) => return Err(error),
    };
    let manifest = Manifest {
        version: manifest::VERSION,
        runner: plan::VERSION.to_owned(),
        baseline: options.baseline.to_owned(),
        files: files.iter().map(|path| entry(home, path)).collect::<Result<_>>()?,
        shards,
    };
    let mut file = create_sibling(path).map_err(Error::io("write", path))?;
    let mut write = || -> io::Result<()> {
        let json = serde_json::to_vec_pretty(&manifest)?;
        let mut archive = Builder::new(GzEncoder::new(file.as_file_mut(), Compression::default()));
        append(&mut archive, manifest::NAME, json.len() as u64, &*json)?;
        for (Entry { path, size, .. }, file) in manifest.files.iter().zip(&files) {
            append(&mut archive, path, *size, files::open(file)?)?;
        }
        archive.into_inner()?.finish()?;
        Ok(())
    };
    write().map_err(Error::io("write", path))?;
    file.persist(path).map_err(|error| Error::io("write", path)(error.error))?;
    Ok(benchmarks)
}

/// Returns an error if a file must not be replaced. Even `--force` does not replace a device, which root could: other
/// programs write to it.
fn check_target(path: &Path, force: bool) -> Result<(), ExchangeError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(ExchangeError::NotAFile { path: path.to_owned() });
    }
    if !force && exists(path) {
        return Err(ExchangeError::FileExists { path: path.to_owned() });
    }
    Ok(())
}

/// Finds the shards of a baseline, with the benchmarks that match a filter.
fn find_shards(
    home: &Path,
    slot: &Slot,
    filters: &[String],
) -> Result<BTreeMap<String, ShardRecord>> {
    let mut shards: BTreeMap<_, _> = find_records(home, slot)?.into_iter().collect();
    for (file, record) in &mut shards {
        record.benchmarks.retain(|name, _| {
            let benchmark = StoredBenchmark::from_path(home, &Path::new(file).join(name));
            benchmark.is_some_and(|benchmark| benchmark.matches(filters))
        });
    }
    Ok(shards)
}

/// Lists the files of all benchmarks in this slot, and counts the benchmarks that have any. Files of a sharded benchmark
/// file belong to a shard that ran.
fn list_files(
    selected: &SelectedBenchmarks,
    slot: &Slot,
    shards: &BTreeMap<String, ShardRecord>,
) -> (Vec<PathBuf>, usize) {
    let is_of_shard = |benchmark: &&StoredBenchmark| {
        let found = shards.iter().find_map(|(file, record)| {
            let path = benchmark.files.directory().strip_prefix(&selected.home).ok()?;
            let name = path.strip_prefix(file).ok()?;
            Some(record.has(name.to_str()?))
        });
        found.unwrap_or(true)
    };
    let kept = |benchmark: &StoredBenchmark| benchmark.files.kept_in(slot);
    let of_benchmarks = selected.benchmarks.iter().filter(is_of_shard).map(kept);
    let of_benchmarks: Vec<_> = of_benchmarks.filter(|files| !files.is_empty()).collect();
    let benchmarks = of_benchmarks.len();
    (of_benchmarks.into_iter().flatten().collect(), benchmarks)
}

fn entry(home: &Path, path: &Path) -> Result<Entry> {
    let mut file = files::open(path).map_err(Error::io("read", path))?;
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

/// Reads baselines from files into this directory of results, either completely or not at all.
pub fn import(home: &Path, options: &Import<'_>) -> Result<BTreeMap<String, usize>> {
    let archives: Vec<_> =
        options.files.iter().map(|path| check_manifest(path, home)).collect::<Result<_>>()?;
    let parts: Vec<_> = archives.iter().map(Imported::part).collect();
    let selected = select_files(&parts)?;
    let incomplete = check_shards(&parts, home, options.allow_missing)?;

    let directory = OutputDirectory::open(home, home)?;
    let staging = directory.staging()?;
    for (number, archive) in archives.iter().enumerate() {
        archive.unpack(&staging.path().join(number.to_string()))?;
    }
    let owners = || archives.iter().flat_map(Imported::owners_with_slots);
    let _locks = lock_benchmarks(home, owners().map(|(_, benchmark, _)| benchmark))?;
    let (mut stale, mut existing) = (BTreeSet::new(), Vec::new());
    for (slot, benchmark, tool) in owners() {
        // A benchmark has several files
        let files = benchmark.files.owned_by(tool, slot);
        if !files.is_empty() {
            existing.push((slot, benchmark.files.directory()));
        }
        stale.extend(files);
    }
    if let (Some(&(slot, _)), false) = (existing.first(), options.force) {
        let same = existing.iter().filter(|(other, _)| *other == slot);
        let benchmarks = same.collect::<BTreeSet<_>>().len();
        let (name, home) = (slot.name().to_owned(), home.to_owned());
        return Err(ExchangeError::BaselineExists { name, benchmarks, home }.into());
    }
    for (_, benchmark, _) in owners() {
        create_below(home, benchmark.files.directory())?;
    }
    let mut places = Vec::new();
    for (number, (archive, files)) in archives.iter().zip(&selected).enumerate() {
        for &index in files {
            let place = home.join(&archive.manifest.files[index].path);
            if place.is_dir() {
                let source = ArchiveError::Directory { path: place };
                return Err(ExchangeError::InvalidArchive {
                    path: archive.path.to_owned(),
                    source,
                }
                .into());
            }
            let file = staging.path().join(number.to_string()).join(index.to_string());
            places.push((file, place));
        }
    }
    let records = archives.iter().flat_map(|archive| archive.records(home));
    let stale = stale.into_iter().chain(records.filter(|path| path.exists())).collect();
    for (number, MergedShards { baseline, file, record }) in incomplete.iter().enumerate() {
        let directory = home.join(file);
        create_below(home, &directory)?;
        let written = staging.path().join(format!("shards.{number}"));
        let write = || fs::write(&written, serde_json::to_vec_pretty(record)?);
        write().map_err(Error::io("write", &written))?;
        places.push((written, ShardRecord::path(&directory, &Slot::baseline(baseline)?)));
    }
    replace_files(staging.path(), stale, places)?;
    let mut imported: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (slot, benchmark, _) in owners() {
        let files = (benchmark.files.directory().to_owned(), benchmark.id.clone());
        imported.entry(slot.name().to_owned()).or_default().insert(files);
    }
    Ok(imported.into_iter().map(|(baseline, benchmarks)| (baseline, benchmarks.len())).collect())
}

/// An archive whose manifest is read.
struct Imported<'a> {
    path: &'a Path,
    manifest: Manifest,
    slot: Slot,
    /// The benchmark and the tool, or `time`, of each file.
    owners: Vec<(StoredBenchmark, &'static str)>,
}

/// Reads the manifest of an archive and checks that all files have a place.
fn check_manifest<'a>(path: &'a Path, home: &Path) -> Result<Imported<'a>> {
    let invalid = |source| ExchangeError::InvalidArchive { path: path.to_owned(), source };
    let manifest = read_archive(path, None)?;
    let owner = |entry: &Entry| {
        let owner = entry.owner(home, &manifest.baseline);
        owner.ok_or_else(|| invalid(ArchiveError::ForeignFile { path: quote(&entry.path) }))
    };
    let owners = manifest.files.iter().map(owner).collect::<Result<_, _>>()?;
    let mut records = manifest.shards.iter();
    let is_invalid = |(file, record): &(&String, &ShardRecord)| {
        !is_benchmark_file(Path::new(file)) || !record.is_valid()
    };
    if let Some((file, _)) = records.find(is_invalid) {
        return Err(invalid(ArchiveError::Shards { file: quote(file) }).into());
    }
    let slot = Slot::baseline(&manifest.baseline)?;
    Ok(Imported { path, manifest, slot, owners })
}

impl Imported<'_> {
    fn part(&self) -> Part<'_> {
        Part { path: self.path, manifest: &self.manifest, owners: &self.owners }
    }

    fn owners_with_slots(&self) -> impl Iterator<Item = (&Slot, &StoredBenchmark, &'static str)> {
        self.owners.iter().map(|(benchmark, tool)| (&self.slot, benchmark, *tool))
    }

    /// Returns the records of shards that the imported results replace.
    fn records(&self, home: &Path) -> BTreeSet<PathBuf> {
        let directories = self.owners.iter().filter_map(|(benchmark, _)| {
            benchmark.files.directory().ancestors().nth(2).map(Path::to_owned)
        });
        let sharded = self.manifest.shards.keys().map(|file| home.join(file));
        let directories = directories.chain(sharded);
        directories.map(|directory| ShardRecord::path(&directory, &self.slot)).collect()
    }

    /// Unpacks the files into a new directory, named by their numbers.
    fn unpack(&self, to: &Path) -> Result<()> {
        fs::create_dir(to).map_err(Error::io("create the directory", to))?;
        let manifest = read_archive(self.path, Some(to))?;
        if manifest.files != self.manifest.files {
            // Another process has replaced it
            let source = ArchiveError::Unlisted;
            return Err(ExchangeError::InvalidArchive { path: self.path.to_owned(), source }.into());
        }
        Ok(())
    }
}

/// Reads the manifest of an archive, and unpacks the files into a directory, named by their numbers.
fn read_archive(path: &Path, to: Option<&Path>) -> Result<Manifest> {
    let file = files::open(path).map_err(Error::io("read", path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    let read = || -> Result<Manifest, ArchiveError> {
        let limit = Cell::new(LARGEST_MANIFEST + LARGEST_HEADERS);
        let mut archive = Archive::new(Bounded { input: GzDecoder::new(file), limit: &limit });
        let mut entries = archive.entries()?;
        let manifest = read_manifest(&mut entries)?;
        limit.set(manifest.unpacked_size(size)?);
        if let Some(to) = to {
            unpack(&mut entries, &manifest, to)?;
            // The compressed data ends with a checksum
            io::copy(&mut archive.into_inner(), &mut io::sink())?;
        }
        Ok(manifest)
    };
    let invalid = |source| ExchangeError::InvalidArchive { path: path.to_owned(), source };
    Ok(read().map_err(invalid)?)
}

/// Replaces the stale files by the unpacked ones, either all or none.
fn replace_files(
    staging: &Path,
    stale: BTreeSet<PathBuf>,
    places: Vec<(PathBuf, PathBuf)>,
) -> Result<()> {
    let mut renames = Transaction::new(&staging.join("import"));
    for path in stale {
        renames.remove(path);
    }
    for (file, place) in places {
        renames.place(file, place)?;
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
