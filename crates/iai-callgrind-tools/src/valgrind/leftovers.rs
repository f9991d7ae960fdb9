//! Temporary files of Valgrinds that were killed while they started.
//!
//! Valgrind copies the command line of its program to a file, and removes the name at once. The
//! name contains the process id. If the next Valgrind with this id finds the file, it prints a line
//! to the output of its program. Commands have the same id in each run.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use iai_callgrind_process::FIRST_ID;
use rustix::process::geteuid;

/// The start of the names of these files, with the process id after it.
const PREFIX: &str = "valgrind_proc_";

/// Number of the process ids whose files are removed, from [`FIRST_ID`] on.
const IDS: i32 = 100;

/// The age from which on no Valgrind uses a file.
const AGE: Duration = Duration::from_secs(10);

/// Removes the old files of this user in the directories for temporary files: Valgrind uses the one in its environment, which can
/// be empty.
pub(super) fn remove() {
    remove_in(&std::env::temp_dir());
    remove_in(Path::new("/tmp"));
}

fn remove_in(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if is_of_benchmark(&entry.file_name()) && entry.metadata().is_ok_and(|it| is_left(&it)) {
            // Another run can have removed it
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns `true` for the name of a file of a benchmark's process.
fn is_of_benchmark(name: &OsStr) -> bool {
    let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('_').next());
    let id = id.and_then(|id| id.parse().ok());
    id.is_some_and(|id| (FIRST_ID..FIRST_ID + IDS).contains(&id))
}

/// Returns `true` for a file of this user that no Valgrind uses.
fn is_left(metadata: &Metadata) -> bool {
    let is_old = || metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > AGE));
    metadata.is_file() && metadata.uid() == geteuid().as_raw() && is_old()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_old_files_of_benchmarks_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (now, before) = (SystemTime::now(), SystemTime::now() - 2 * AGE);
        for (name, time, is_kept) in [
            ("valgrind_proc_1000_cmdline_44b3c039", before, false),
            ("valgrind_proc_1001_auxv_44b3c039", before, false),
            ("valgrind_proc_1000_cmdline_0000abcd", now, true),
            ("valgrind_proc_31415_cmdline_44b3c039", before, true),
            ("valgrind_proc_notes", before, true),
        ] {
            let path = directory.path().join(name);
            File::create(&path).unwrap().set_modified(time).unwrap();
            remove_in(directory.path());
            assert_eq!(path.exists(), is_kept, "{name}");
        }
    }
}
