//! The manifest of an exported baseline: names, sizes and checksums of its files.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::path::{Component, Path};

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use crate::benchmarks::StoredBenchmark;
use crate::shards::ShardRecord;
use crate::slot::Slot;

/// Version of the format.
pub(super) const VERSION: u32 = 1;

/// Name of the first entry of an archive.
pub(super) const NAME: &str = "manifest.json";

/// The content of an archive.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// Version of the runner that wrote the archive.
    pub(super) runner: String,
    /// Name of the baseline.
    pub(super) baseline: String,
    /// Files, in the order of the archive.
    pub(super) files: Vec<Entry>,
    /// The shards of the results, by the directories of their benchmark files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) shards: BTreeMap<String, ShardRecord>,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Path in the directory of results.
    pub(super) path: String,
    pub(super) size: u64,
    /// FNV-1a hash with 64 bits, in hexadecimal.
    pub(super) checksum: String,
}

impl Entry {
    /// Returns the benchmark and the name of the tool, or `time`, that the file belongs to. Returns `None` if it is not a file of this
    /// baseline or not in the directory of a benchmark.
    pub(super) fn owner(
        &self,
        home: &Path,
        baseline: &str,
    ) -> Option<(StoredBenchmark, &'static str)> {
        let path = Path::new(&self.path);
        let is_plain = |component: Component<'_>| matches!(component, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
        path.components().all(is_plain).then_some(())?;
        let benchmark = StoredBenchmark::from_path(home, path.parent()?)?;
        let name = path.file_name()?.to_str()?;
        let slot = Slot::baseline(baseline).ok()?;
        let owner = benchmark.files.owner(name, &slot)?;
        Some((benchmark, owner))
    }
}

/// Copies everything. Returns the size and the checksum.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<(u64, String)> {
    let mut hasher = FnvHasher::default();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, format!("{:016x}", hasher.finish())));
        }
        hasher.write(&buffer[..read]);
        to.write_all(&buffer[..read])?;
        size += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_baseline_have_an_owner() {
        let owner = |path: &str| {
            let entry = Entry { path: path.to_owned(), size: 0, checksum: String::new() };
            let owner = entry.owner(Path::new("/home"), "main");
            owner.map(|(benchmark, owner)| (benchmark.name(), owner))
        };
        let name = "file::group::f::id".to_owned();
        let time = "crate/file/group/f.id/time.f.id.base@main.json";
        assert_eq!(owner(time), Some((name.clone(), "time")));
        let expected = Some((name, "callgrind"));
        assert_eq!(owner("crate/file/group/f.id/callgrind.f.id.base@main.out"), expected);
        assert_eq!(owner("x/crate/file/group/f.id/callgrind.f.id.base@main.log"), expected);
        for other in [
            "/crate/file/group/f.id/callgrind.f.id.base@main.out",
            "../file/group/f.id/callgrind.f.id.base@main.out",
            "crate/../group/f.id/callgrind.f.id.base@main.out",
            "crate/.hidden/group/f.id/callgrind.f.id.base@main.out",
            "a/b/crate/file/group/f.id/callgrind.f.id.base@main.out",
            "crate/file/group/f.id/callgrind.f.id.out",
            "crate/file/group/f.id/callgrind.f.id.base@other.out",
            "crate/file/group/f.id/callgrind.f.id.base@main.",
            "crate/file/group/f.id/callgrind.g.base@main.out",
            "crate/file/group/f.id/summary.json",
            "crate/file/group/f.id/callgrind.f.id.base@main.out/x",
            "",
        ] {
            assert_eq!(owner(other), None, "{other}");
        }
    }
}
