//! The files of one benchmark.

use std::fs;
use std::hash::Hasher;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use fnv::FnvHasher;

use super::Slot;
use crate::error::{Error, Result};

/// What a file name may have besides the stem: the longest tool and extension, a baseline's name.
const AFFIXES: usize = 100;

/// The longest file name that file systems take.
const LONGEST: usize = 255;

/// The files of one benchmark: `<group>/<function>.<id>/<tool>.<function>.<id><slot>.<extension>`,
/// without what the benchmark has not.
///
/// The slot stands before the extension because `KCachegrind` takes all files whose names begin with
/// that of the file it opens for parts of the same profile, and adds them up.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    directory: PathBuf,
    stem: String,
}

impl Files {
    /// The files of this benchmark below the output directory of its benchmark file.
    pub(crate) fn new(
        output: &Path,
        group: &str,
        function: Option<&str>,
        id: Option<&str>,
    ) -> Self {
        let parts: Vec<_> = [function, id].into_iter().flatten().map(file_name).collect();
        let stem = shorten(&parts.join("."), LONGEST - AFFIXES);
        Self { directory: output.join(shorten(group, LONGEST)).join(&stem), stem }
    }

    /// One of the files.
    pub(crate) fn path(&self, tool: &str, extension: &str, slot: &Slot) -> PathBuf {
        self.directory.join(format!("{tool}.{}{slot}.{extension}", self.stem))
    }

    /// The file in this slot. A run that was killed while it put its results into place can have left
    /// nothing as the last result, but then it had already moved that to [`Slot::Old`].
    pub(crate) fn existing(&self, tool: &str, extension: &str, slot: &Slot) -> Option<PathBuf> {
        let fallback = (*slot == Slot::Latest).then_some(&Slot::Old);
        [slot]
            .into_iter()
            .chain(fallback)
            .map(|slot| self.path(tool, extension, slot))
            .find(|path| path.exists())
    }

    /// Renames a complete file from the staging directory into its slot. What is there as the last
    /// result moves to [`Slot::Old`] first.
    pub(crate) fn place(
        &self,
        from: &Path,
        tool: &str,
        extension: &str,
        slot: &Slot,
    ) -> Result<()> {
        fs::create_dir_all(&self.directory)
            .map_err(Error::io("create the directory", &self.directory))?;
        let to = self.path(tool, extension, slot);
        if *slot == Slot::Latest {
            let old = self.path(tool, extension, &Slot::Old);
            optional(fs::rename(&to, &old)).map_err(Error::io("replace", &old))?;
        }
        fs::rename(from, &to).map_err(Error::io("write", &to))
    }
}

/// A missing file is not an error.
fn optional(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// A name that can stand in a file's, of which no other text makes the same: what is neither a letter nor a
/// digit, `-` or `_` becomes `%` and two hexadecimal digits for each byte. So it contains no dot.
fn file_name(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || "-_".contains(character) {
            name.push(character);
        } else {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            name.extend(bytes.map(|byte| format!("%{byte:02X}")));
        }
    }
    name
}

/// A name of at most `longest` bytes: the end of a longer one gives way to its hash.
fn shorten(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    let mut hasher = FnvHasher::default();
    hasher.write(name.as_bytes());
    let hash = format!("-{:016x}", hasher.finish());
    let mut end = longest - hash.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{hash}", &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(output: &Path) -> Files {
        Files::new(output, "group", Some("function"), Some("id"))
    }

    #[test]
    fn the_layout_is_that_of_the_documentation() {
        let files = files(Path::new("/out"));
        let path = files.path("callgrind", "out", &Slot::Old);
        assert_eq!(path, Path::new("/out/group/function.id/callgrind.function.id.old.out"));
        let path = Files::new(Path::new("/out"), "group", Some("function"), None);
        let path = path.path("callgrind", "log", &Slot::Latest);
        assert_eq!(path, Path::new("/out/group/function/callgrind.function.log"));
    }

    #[test]
    fn an_id_can_be_any_text() {
        let path = |function, id| {
            let files = Files::new(Path::new("/out"), "group", function, Some(id));
            files
                .path("callgrind", "out", &Slot::Latest)
                .strip_prefix("/out/group")
                .unwrap()
                .to_owned()
        };
        assert_eq!(
            path(None, "do foo with test1"),
            Path::new("do%20foo%20with%20test1/callgrind.do%20foo%20with%20test1.out")
        );
        assert_ne!(path(None, "f.x"), path(Some("f"), "x"));
        for id in ["..", "/", "a/b", ".", "größer", "a\n", "%", "a.old"] {
            assert_eq!(path(None, id).components().count(), 2, "{id}");
        }
    }

    #[test]
    fn long_names_stay_apart_within_the_limit() {
        let long = |last| format!("{}{last}", "ä".repeat(200));
        let (a, b) = (shorten(&long('a'), 155), shorten(&long('b'), 155));
        assert!(a.len() <= 155 && b.len() <= 155);
        assert_ne!(a, b);
    }

    #[test]
    fn the_last_result_becomes_the_old_one() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        let staged = output.path().join("staged");
        for content in ["first", "second", "third"] {
            fs::write(&staged, content).unwrap();
            files.place(&staged, "callgrind", "out", &Slot::Latest).unwrap();
        }
        let read = |slot| fs::read_to_string(files.path("callgrind", "out", slot)).unwrap();
        assert_eq!((read(&Slot::Latest), read(&Slot::Old)), ("third".into(), "second".into()));
    }

    #[test]
    fn a_result_that_was_moved_aside_by_a_killed_run_is_still_the_last_one() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        let staged = output.path().join("staged");
        fs::write(&staged, "only").unwrap();
        files.place(&staged, "callgrind", "out", &Slot::Latest).unwrap();
        let old = files.path("callgrind", "out", &Slot::Old);
        fs::rename(files.path("callgrind", "out", &Slot::Latest), &old).unwrap();
        assert_eq!(files.existing("callgrind", "out", &Slot::Latest), Some(old.clone()));
        fs::write(&staged, "new").unwrap();
        files.place(&staged, "callgrind", "out", &Slot::Latest).unwrap();
        assert_eq!(fs::read_to_string(old).unwrap(), "only");
    }
}
