//! The stored cases of a benchmark file, each in a file of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use iai_callgrind_plan::protocol::MeasuredRegion;
use iai_callgrind_runner::{CaseFiles, CaseKey, CaseStore, StoredEnd};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fixture;

/// Placeholders in a stored plan.
const PACKAGE: &str = "@PACKAGE@";
const EXECUTABLE: &str = "@EXECUTABLE@";

/// The stored cases of a benchmark file.
pub(crate) struct Store {
    directory: PathBuf,
    /// Cases run, and are stored.
    pub(crate) is_recording: bool,
}

/// A case as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredCase {
    pid: i32,
    status: i32,
    /// The measured region is complete.
    is_complete: bool,
    /// The tool's files by what follows the process id in their names.
    files: BTreeMap<String, String>,
    /// The captured streams and what the case reported, by the ends of their names.
    streams: BTreeMap<String, String>,
}

impl Store {
    /// Opens the stored cases of a benchmark file.
    pub(crate) fn open(file: &str, is_recording: bool) -> Self {
        Self { directory: fixture("recorded").join(file), is_recording }
    }

    /// Returns the stored plan, of a package and an executable that are as good as empty.
    pub(crate) fn plan(&self) -> io::Result<String> {
        let plan = fs::read_to_string(self.directory.join("plan.json"))?;
        let path = |name| fixture(name).into_os_string().into_string().expect("UTF-8");
        Ok(plan.replace(PACKAGE, &path("package")).replace(EXECUTABLE, &path("executable.o")))
    }

    /// Stores a plan without what differs from checkout to checkout.
    pub(crate) fn keep_plan(&self, plan: &str) -> io::Result<()> {
        let parsed: Value = serde_json::from_str(plan)?;
        let executable = parsed["executable"]["path"].as_str().expect("a benchmark executable");
        let package = parsed["package_dir"].as_str().expect("a package");
        let plan = plan.replace(executable, EXECUTABLE).replace(package, PACKAGE);
        self.write("plan.json", plan.as_bytes())
    }

    /// Writes a file, which another process may write at the same time.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.directory.join(name);
        let parent = path.parent().expect("a directory");
        fs::create_dir_all(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        file.write_all(content)?;
        file.persist(path)?;
        Ok(())
    }
}

impl CaseStore for Store {
    fn load(
        &self,
        key: &CaseKey,
        pid: i32,
        files: &CaseFiles<'_>,
    ) -> io::Result<Option<StoredEnd>> {
        if self.is_recording {
            return Ok(None);
        }
        let path = self.directory.join(name(key));
        let file = File::open(&path).map_err(|error| {
            let hint = "record it with `STORED_RECORD=1 cargo test --package stored-tests`";
            io::Error::new(error.kind(), format!("{}: {error}: {hint}", path.display()))
        })?;
        // Whole, because a parser that reads single bytes takes five times as long without optimization
        let mut json = Vec::new();
        GzDecoder::new(file).read_to_end(&mut json)?;
        let case: StoredCase = serde_json::from_slice(&json)?;
        for (end, text) in &case.files {
            let text = text.replace(&log_prefix(case.pid), &log_prefix(pid));
            let text = text.replace(&pid_line(case.pid), &pid_line(pid));
            fs::write(files.staging.join(format!("{pid}.{end}")), text)?;
        }
        for (stream, text) in &case.streams {
            let name = format!("{}.{stream}", files.output.to_string_lossy());
            fs::write(files.staging.join(name), text)?;
        }
        let region = MeasuredRegion { end: u64::MAX, ..MeasuredRegion::default() };
        let region = case.is_complete.then_some(region);
        Ok(Some(StoredEnd { pid, status: case.status, region }))
    }

    fn keep(&self, key: &CaseKey, end: StoredEnd, files: &CaseFiles<'_>) -> io::Result<()> {
        let mut case = StoredCase {
            pid: end.pid,
            status: end.status,
            is_complete: end.region.is_some(),
            files: BTreeMap::new(),
            streams: BTreeMap::new(),
        };
        let of_tool = format!("{}.", end.pid);
        let captured = format!("{}.", files.output.to_string_lossy());
        for entry in fs::read_dir(files.staging)? {
            let entry = entry?;
            let name = entry.file_name().into_string().expect("UTF-8");
            let (prefix, kept) = if name.starts_with(&captured) {
                (&captured, &mut case.streams)
            } else {
                (&of_tool, &mut case.files)
            };
            if let Some(end) = name.strip_prefix(prefix) {
                kept.insert(end.to_owned(), fs::read_to_string(entry.path())?);
            }
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        serde_json::to_writer(&mut encoder, &case)?;
        self.write(&name(key), &encoder.finish()?)
    }
}

/// Returns the name of the file of a case.
fn name(key: &CaseKey) -> String {
    let CaseKey { launch, entry, item, seed } = key;
    let seed = seed.map_or_else(String::new, |seed| format!("-{seed}"));
    format!("{launch:016x}/{entry:x}-{item}{seed}.json.gz")
}

/// Returns the start of the lines of Valgrind in a log.
fn log_prefix(pid: i32) -> String {
    format!("=={pid}==")
}

/// Returns the line with the process in a dump.
fn pid_line(pid: i32) -> String {
    format!("\npid: {pid}\n")
}
