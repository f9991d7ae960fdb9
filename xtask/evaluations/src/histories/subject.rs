//! The crates whose histories are run.

use std::fs;

use xtask::command::{self, in_file};

/// The directory of the benchmark files of all evaluations. The first line of those with a history has the repository, and
/// the last revision, so that a table can be made again.
const BENCHES: &str = "xtask/evaluations/src/benches";

/// A crate with a history in git.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// URL of the repository.
    pub(crate) repository: String,
    /// Last revision of the history.
    pub(crate) end: String,
    /// Benchmark file, which compiles at each revision.
    pub(crate) benchmarks: String,
}

/// Returns all crates.
pub(crate) fn subjects() -> Result<Vec<Subject>, String> {
    let directory = command::root().join(BENCHES);
    let files = fs::read_dir(&directory).map_err(in_file(&directory))?.flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.sort();
    let mut subjects = Vec::new();
    for file in files {
        let benchmarks = fs::read_to_string(&file).map_err(in_file(&file))?;
        let mut words = benchmarks.lines().next().unwrap_or_default().split(' ');
        let repository = words.find(|word| word.starts_with("https://")).map(str::to_owned);
        if let Some((repository, end)) = repository.zip(words.next_back().map(str::to_owned)) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            subjects.push(Subject { name, repository, end, benchmarks });
        }
    }
    Ok(subjects)
}
