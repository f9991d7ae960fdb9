//! Merges archives: each result comes from one of them, and shards are complete.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::manifest::{Entry, Manifest};
use crate::benchmarks::StoredBenchmark;
use crate::error::{ExchangeError, Result};
use crate::note::Note;
use crate::shards::ShardRecord;

/// An archive, and the benchmark and the tool, or `time`, of each of its files.
pub(super) struct Part<'a> {
    pub(super) path: &'a Path,
    pub(super) manifest: &'a Manifest,
    pub(super) owners: &'a [(StoredBenchmark, &'static str)],
}

/// Identifies a result: the baseline, the directory of the benchmark, and the tool.
type ResultKey<'a> = (&'a str, &'a Path, &'static str);

/// The benchmark files of baselines: the baseline and the directory in the directory of results.
type FileKey<'a> = (&'a str, &'a str);

/// Returns the numbers of the files to take from each archive. The same result in two archives
/// counts once.
pub(super) fn select_files(parts: &[Part<'_>]) -> Result<Vec<Vec<usize>>> {
    let mut known: BTreeMap<ResultKey<'_>, (&Path, BTreeSet<&Entry>)> = BTreeMap::new();
    let mut selected = Vec::new();
    for Part { path, manifest, owners } in parts {
        let mut results: BTreeMap<ResultKey<'_>, Vec<usize>> = BTreeMap::new();
        for (index, (benchmark, tool)) in owners.iter().enumerate() {
            let key = (&*manifest.baseline, benchmark.files.directory(), *tool);
            results.entry(key).or_default().push(index);
        }
        let mut files = Vec::new();
        for (key, indices) in results {
            let entries: BTreeSet<_> =
                indices.iter().map(|&index| &manifest.files[index]).collect();
            match known.get(&key) {
                None => {
                    known.insert(key, (path, entries));
                    files.extend(indices);
                }
                Some((first, others)) if *others != entries => {
                    let (benchmark, tool) = &owners[indices[0]];
                    return Err(ExchangeError::ConflictingResults {
                        benchmark: benchmark.name(),
                        tool,
                        first: (*first).to_owned(),
                        second: (*path).to_owned(),
                    }
                    .into());
                }
                Some(_) => {}
            }
        }
        files.sort_unstable();
        selected.push(files);
    }
    Ok(selected)
}

/// A merged record of a benchmark file.
pub(super) struct MergedShards {
    pub(super) baseline: String,
    /// The directory in the directory of results.
    pub(super) file: String,
    pub(super) record: ShardRecord,
}

/// Checks that the archives have the results of all shards. If some may be missing, prints a note
/// and returns the records of the incomplete benchmark files.
pub(super) fn check_shards(
    parts: &[Part<'_>],
    home: &Path,
    allow_missing: bool,
) -> Result<Vec<MergedShards>> {
    let mut incomplete = Vec::new();
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((baseline, file), (first, record)) in merge(parts)? {
        let whole = parts.iter().find(|part| {
            let is_of =
                |(benchmark, _): &(StoredBenchmark, _)| file_of(benchmark, home) == Path::new(file);
            part.manifest.baseline == baseline
                && !part.manifest.shards.contains_key(file)
                && part.owners.iter().any(is_of)
        });
        if let Some(whole) = whole {
            let (whole, shard) = (whole.path.to_owned(), first.to_owned());
            return Err(ExchangeError::NotAShard { file: file.to_owned(), whole, shard }.into());
        }
        let results: BTreeSet<_> = parts
            .iter()
            .filter(|part| part.manifest.baseline == baseline)
            .flat_map(|part| part.owners.iter().map(|(benchmark, _)| benchmark.files.directory()))
            .collect();
        let shards = record.missing();
        let shards = shards.iter().map(|shard| format!("shard {shard}/{} of {file}", record.total));
        let names = record.benchmarks.iter().filter(|(name, _)| {
            record.has(name) && !results.contains(&*home.join(file).join(name))
        });
        let names = names.map(|(name, shard)| {
            let path = Path::new(file).join(name);
            let benchmark = StoredBenchmark::from_path(home, &path);
            let name = benchmark.map_or_else(|| path.display().to_string(), |found| found.name());
            format!("the result of {name} (shard {shard}/{})", record.total)
        });
        let of_file: Vec<_> = shards.chain(names).collect();
        if !of_file.is_empty() {
            missing.entry(baseline).or_default().extend(of_file);
            let (baseline, file) = (baseline.to_owned(), file.to_owned());
            incomplete.push(MergedShards { baseline, file, record });
        }
    }
    for (name, missing) in missing {
        if !allow_missing {
            return Err(ExchangeError::MissingShards { name: name.to_owned(), missing }.into());
        }
        Note::Missing { results: &missing }.print();
    }
    Ok(incomplete)
}

/// Merges the records of each benchmark file, and returns them with the first archive that has one.
fn merge<'a>(parts: &[Part<'a>]) -> Result<BTreeMap<FileKey<'a>, (&'a Path, ShardRecord)>> {
    let mut merged: BTreeMap<FileKey<'a>, (&Path, ShardRecord)> = BTreeMap::new();
    for Part { path, manifest, .. } in parts {
        for (file, record) in &manifest.shards {
            let key = (&*manifest.baseline, &**file);
            let (first, all) = merged.entry(key).or_insert_with(|| (path, record.clone()));
            if !all.is_same(record) {
                return Err(ExchangeError::OtherPartition {
                    file: file.clone(),
                    first: first.to_owned(),
                    second: (*path).to_owned(),
                }
                .into());
            }
            all.ran.extend(&record.ran);
        }
    }
    Ok(merged)
}

/// Returns the directory of the benchmark file in the directory of results.
fn file_of(benchmark: &StoredBenchmark, home: &Path) -> PathBuf {
    let directory = benchmark.files.directory();
    let file = directory.ancestors().nth(2).unwrap_or(directory);
    file.strip_prefix(home).unwrap_or(file).to_owned()
}
