//! `export` and `import`: a baseline as one compressed file.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, Header};

use super::find::{Found, Stored, find, lock};
use super::home::home;
use super::is_there;
use super::manifest::{self, Entry, Manifest, copy};
use crate::cli::{Export, Import};
use crate::error::{Error, Result};
use crate::output::{OutputDirectory, Slot, beside};
use crate::plan;
use crate::tool::TOOLS;

/// The largest manifest that is read: there is a line of a few hundred bytes for each file.
const LARGEST_MANIFEST: u64 = 1 << 28;

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
    let of = |benchmark: &Stored| {
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
    let damaged = |what: String| {
        Error::Stored(format!(
            "{} is no exported baseline, or damaged: {what}.\nNothing was imported",
            path.display()
        ))
    };
    let mut archive = Archive::new(GzDecoder::new(file));
    let mut entries = archive.entries().map_err(|error| damaged(error.to_string()))?;
    let manifest = read_manifest(&mut entries).map_err(damaged)?;
    let home = home(options.home.path())?;
    let owners: Vec<_> = manifest
        .files
        .iter()
        .map(|entry| {
            let owner = entry.owner(&home, &manifest.baseline);
            owner.ok_or_else(|| damaged(format!("`{}` is no file of a baseline", entry.path)))
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
    let stale: Vec<_> =
        owners.iter().flat_map(|(stored, tool)| stored.files.in_slot(tool, &slot)).collect();
    if let (Some(first), false) = (stale.first(), options.force) {
        return Err(Error::Stored(format!(
            "the baseline `{}` is there already: {}.\nGive --force to overwrite it",
            manifest.baseline,
            first.display()
        )));
    }
    for (index, (entry, (stored, _))) in manifest.files.iter().zip(&owners).enumerate() {
        let directory = stored.files.directory();
        fs::create_dir_all(directory).map_err(Error::io("create the directory", directory))?;
        let to = home.join(&entry.path);
        fs::rename(staging.path().join(index.to_string()), &to).map_err(Error::io("write", &to))?;
    }
    let imported =
        |path: &PathBuf| manifest.files.iter().any(|entry| home.join(&entry.path) == *path);
    for path in stale.iter().filter(|path| !imported(path)) {
        // It stands there for each file of the same benchmark
        if path.exists() {
            fs::remove_file(path).map_err(Error::io("remove", path))?;
        }
    }
    Ok(ExitCode::SUCCESS)
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
        if entry.path_bytes() != expected.path.as_bytes() {
            return Err(missing());
        }
        let mut file =
            File::create(to.join(index.to_string())).map_err(|error| error.to_string())?;
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
