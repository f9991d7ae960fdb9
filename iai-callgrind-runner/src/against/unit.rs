//! Cargo's record of the build of an executable.
//!
//! Layouts are linked by another command of cargo than the one that built what is counted. Features are unified over the
//! packages that a command selects, so both can differ.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// The parts of cargo's fingerprint of an executable that decide about its code, without its own profile, which contains
/// the options of a layout.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Unit {
    features: String,
    /// Each with its own fingerprint, in which there are its features, its profile and its dependencies.
    deps: Value,
    rustc: Value,
    rustflags: Value,
}

impl Unit {
    /// Reads the record of an executable in its directory; `None` if there is none that this version understands.
    pub(super) fn of(executable: &Path) -> Option<Self> {
        let (_, hash) = executable.file_name()?.to_str()?.rsplit_once('-')?;
        let directory = executable.parent()?.parent()?;
        let suffix = format!("-{hash}");
        let in_list = entries(&directory.join(".fingerprint"))
            .find(|path| path.file_name().is_some_and(|name| ends_with(name, &suffix)));
        // A later version of cargo has a directory for each unit
        let record = in_list.unwrap_or_else(|| directory.join("fingerprint"));
        let mut files =
            entries(&record).filter(|path| path.extension().is_some_and(|it| it == "json"));
        serde_json::from_slice(&fs::read(files.next()?).ok()?).ok()
    }
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn ends_with(name: &std::ffi::OsStr, suffix: &str) -> bool {
    name.as_encoded_bytes().ends_with(suffix.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_found_in_both_forms_of_directories() {
        let directory = tempfile::tempdir().unwrap();
        let release = directory.path().join("release");
        let record = |features: &str| {
            format!(
                "{{\"rustc\":1,\"features\":\"{features}\",\"profile\":2,\"deps\":[[1,\"a\",false,18446744073709551615]],\"rustflags\":[]}}"
            )
        };
        let write = |path: &str, text: &str| {
            let path = release.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".fingerprint/p-00aa/test-bench-my-b.json", &record("x"));
        write(".fingerprint/p-00aa/invoked.timestamp", "");
        write(".fingerprint/p-00bb/test-bench-my-b.json", &record("y"));
        write("build/p/00cc/fingerprint/test-bench-my-b.json", &record("x"));
        write(".fingerprint/p-00dd/test-bench-my-b.json", "{}");
        let unit = |path: &str| Unit::of(&release.join(path));
        let first = unit("deps/my_b-00aa").unwrap();
        assert_eq!(first.features, "x");
        assert_ne!(Some(&first), unit("deps/my_b-00bb").as_ref());
        assert_eq!(Some(&first), unit("build/p/00cc/out/my_b-00cc").as_ref());
        for path in ["deps/my_b-00dd", "deps/my_b-00ee", "deps/my_b"] {
            assert_eq!(unit(path), None, "{path}");
        }
    }
}
