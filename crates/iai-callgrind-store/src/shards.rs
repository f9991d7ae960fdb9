//! The record of the shards in a baseline. With all shards, an import knows that no benchmark is
//! missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::Hasher;
use std::path::{Component, Path, PathBuf};

use fnv::FnvHasher;
use iai_callgrind_base::{FileError, MalformedFile};
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::file_system::{read_if_exists, remove_file, replace_file};
use super::slot::Slot;

/// Largest number of shards.
pub const MOST_SHARDS: u32 = 1000;

/// Depth of a benchmark file's directory in the directory of results: package and file, after a
/// target if results are kept for each target.
const LEVELS: std::ops::RangeInclusive<usize> = 2..=3;

/// The shards of a benchmark file whose results a baseline has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// The number of shards.
    pub total: u32,
    /// The shards that ran.
    pub ran: BTreeSet<u32>,
    /// The benchmarks of all shards, each with its shard, by their directories: `group/function.id`.
    pub benchmarks: BTreeMap<String, u32>,
}

impl ShardRecord {
    /// Returns the path of the record of a baseline in the directory of a benchmark file.
    pub fn path(directory: &Path, slot: &Slot) -> PathBuf {
        directory.join(format!("shards{slot}.json"))
    }

    /// Reads the record of a baseline, if a run of a shard saved it.
    pub fn read(directory: &Path, slot: &Slot) -> Result<Option<Self>> {
        let path = Self::path(directory, slot);
        let Some(json) = read_if_exists(&path).map_err(Error::of_result)? else { return Ok(None) };
        let read = || {
            let record: Self = serde_json::from_slice(&json)
                .map_err(|error| (error.line(), MalformedFile::Json(error)))?;
            let is_valid = record.is_valid();
            is_valid.then_some(record).ok_or((1, MalformedFile::NotShards))
        };
        let tool = "iai-callgrind";
        let malformed = |(line, cause)| FileError::Malformed { path, line, cause, tool };
        Ok(Some(read().map_err(malformed)?))
    }

    /// Returns true if a run of a shard can have written it.
    pub fn is_valid(&self) -> bool {
        let is_shard = |shard: &u32| (1..=self.total).contains(shard);
        let is_name = |name: &str| {
            let path = Path::new(name);
            path.components().count() == 2 && has_plain_components(path)
        };
        let mut benchmarks = self.benchmarks.iter();
        self.total <= MOST_SHARDS
            && self.ran.iter().all(is_shard)
            && benchmarks.all(|(name, shard)| is_name(name) && is_shard(shard))
    }

    /// Writes the record, merged with earlier runs that divided the benchmarks in the same way.
    pub fn write(mut self, directory: &Path, slot: &Slot) -> Result<()> {
        if let Some(earlier) = Self::read(directory, slot)?.filter(|record| record.is_same(&self)) {
            self.ran.extend(earlier.ran);
        }
        let path = Self::path(directory, slot);
        let write = || replace_file(&path, &serde_json::to_vec_pretty(&self)?);
        write().map_err(Error::io("write", &path))
    }

    /// Removes the record of a baseline, because a run of all benchmarks overwrites it.
    pub fn remove(directory: &Path, slot: &Slot) -> Result<()> {
        remove_file(&Self::path(directory, slot))
    }

    /// Returns true if the other record divides the same benchmarks in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.total, &self.benchmarks) == (other.total, &other.benchmarks)
    }

    /// Returns true if the benchmark with this directory is in a shard that ran.
    pub fn has(&self, benchmark: &str) -> bool {
        self.benchmarks.get(benchmark).is_some_and(|shard| self.ran.contains(shard))
    }

    /// Returns the shards that did not run.
    pub fn missing(&self) -> Vec<u32> {
        (1..=self.total).filter(|shard| !self.ran.contains(shard)).collect()
    }

    /// Returns a short text that differs between runs that divide benchmarks differently.
    pub fn fingerprint(&self) -> String {
        let benchmarks = self.benchmarks.iter().map(|(name, shard)| format!("{name}\n{shard}\n"));
        let text = format!("{}\n{}", self.total, benchmarks.collect::<String>());
        format!("{:08x}", mixed_hash(&text) >> 32)
    }
}

/// Finds the records of a baseline, each with the directory of its benchmark file in the directory of results.
pub fn find_records(home: &Path, slot: &Slot) -> Result<Vec<(String, ShardRecord)>> {
    let mut records = Vec::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        let depth = directory.iter().count();
        if LEVELS.contains(&depth) {
            if let Some(record) = ShardRecord::read(&home.join(&directory), slot)? {
                // Other paths are not those of results
                records.extend(directory.to_str().map(|directory| (directory.to_owned(), record)));
            }
        }
        if depth < *LEVELS.end() {
            let entries = fs::read_dir(home.join(&directory)).into_iter().flatten().flatten();
            let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            directories.extend(below.map(|entry| directory.join(entry.file_name())));
        }
    }
    records.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
    Ok(records)
}

/// Returns true if this can be the directory of a benchmark file in the directory of results.
pub fn is_benchmark_file(path: &Path) -> bool {
    LEVELS.contains(&path.components().count()) && has_plain_components(path)
}

/// Returns true if the path stays in the directory, and has only components that the runner writes.
fn has_plain_components(path: &Path) -> bool {
    let is_plain = |component: Component<'_>| {
        let Component::Normal(name) = component else { return false };
        let name = name.to_string_lossy();
        !name.starts_with('.') && !name.contains(char::is_control)
    };
    path.components().all(is_plain)
}

/// Returns a hash in which all bits depend on all bytes.
pub fn mixed_hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    let mut hash = hasher.finish();
    for factor in [0xff51_afd7_ed55_8ccd_u64, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(ran: u32, benchmarks: &[(&str, u32)]) -> ShardRecord {
        let benchmarks = benchmarks.iter().map(|(name, shard)| ((*name).to_owned(), *shard));
        ShardRecord { total: 3, ran: [ran].into(), benchmarks: benchmarks.collect() }
    }

    const DIVIDED: [(&str, u32); 2] = [("group/a", 1), ("group/b", 3)];

    #[test]
    fn shards_that_run_one_after_the_other_are_all_recorded() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("package/file");
        fs::create_dir_all(&directory).unwrap();
        let slot = Slot::Baseline("main".to_owned());
        assert_eq!(find_records(home.path(), &slot).unwrap(), []);
        record(1, &DIVIDED).write(&directory, &slot).unwrap();
        record(3, &DIVIDED).write(&directory, &slot).unwrap();
        let (name, found) = find_records(home.path(), &slot).unwrap().remove(0);
        assert_eq!((&*name, found.missing()), ("package/file", vec![2]));
        assert!(found.has("group/b") && !found.has("group/c"));
        assert!(directory.join("shards.base@main.json").is_file());

        // Another partition replaces them
        record(2, &DIVIDED[..1]).write(&directory, &slot).unwrap();
        assert_eq!(ShardRecord::read(&directory, &slot).unwrap().unwrap().missing(), [1, 3]);
        ShardRecord::remove(&directory, &slot).unwrap();
        ShardRecord::remove(&directory, &slot).unwrap();
        assert_eq!(ShardRecord::read(&directory, &slot).unwrap(), None);
    }

    #[test]
    fn a_damaged_record_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let slot = Slot::Baseline("main".to_owned());
        fs::write(ShardRecord::path(directory.path(), &slot), "{\"total\": 3,\n").unwrap();
        let error = ShardRecord::read(directory.path(), &slot).unwrap_err().to_string();
        assert!(error.contains("shards.base@main.json:2: EOF"), "{error}");
        let invalid = serde_json::to_vec(&record(4, &DIVIDED)).unwrap();
        fs::write(ShardRecord::path(directory.path(), &slot), invalid).unwrap();
        let error = ShardRecord::read(directory.path(), &slot).unwrap_err().to_string();
        assert!(error.contains("shards.base@main.json:1: not a record of shards"), "{error}");
    }

    #[test]
    fn the_fingerprint_depends_on_the_partition_only() {
        let fingerprint = |ran, benchmarks| record(ran, benchmarks).fingerprint();
        assert_eq!(fingerprint(1, &DIVIDED), fingerprint(2, &DIVIDED));
        assert_ne!(fingerprint(1, &DIVIDED), fingerprint(1, &DIVIDED[..1]));
        assert_ne!(fingerprint(1, &DIVIDED), fingerprint(1, &[("group/a", 3), ("group/b", 1)]));
    }

    #[test]
    fn only_directories_of_benchmark_files_have_records() {
        for path in ["package/file", "target/package/file"] {
            assert!(is_benchmark_file(Path::new(path)), "{path}");
        }
        for path in ["", "file", "a/b/c/d", "/a/b", "../a", "a/..", ".a/b", "a/.b", "a/\n"] {
            assert!(!is_benchmark_file(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_record_has_benchmarks_in_its_shards() {
        assert!(record(1, &DIVIDED).is_valid());
        for other in [record(4, &DIVIDED), record(0, &DIVIDED), record(1, &[("group/a", 4)])] {
            assert!(!other.is_valid(), "{other:?}");
        }
        for name in ["../a", "group", "group/..", "a/b/c", "/a", "a/\u{1b}"] {
            assert!(!record(1, &[(name, 1)]).is_valid(), "{name}");
        }
        let many = ShardRecord { total: u32::MAX, ..record(1, &DIVIDED) };
        assert!(!many.is_valid());
    }
}
