//! The files of one benchmark.

use std::fs;
use std::hash::Hasher;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use fnv::FnvHasher;

use super::directory::create_below;
use super::transaction::Transaction;
use super::{Slot, beside, write_by};
use crate::error::{Error, Result};
use crate::flamegraph::Drawn;
use crate::tool::{ResultFiles, Tool, is_of, of_process};

/// The extension of Valgrind's log, which each tool has.
pub(super) const LOG: &str = "log";

/// What a file name may have besides the stem: the longest tool, slot and extension.
const AFFIXES: usize = 100;

/// The file beside the results that tells what came of the last run.
const SUMMARY: &str = "summary.json";

/// The longest file name that file systems take.
const LONGEST: usize = 255;

/// The files of one benchmark: `<group>/<function>.<id>/<tool>.<function>.<id><slot>.<extension>`,
/// without what the benchmark has not.
///
/// The slot stands before the extension because `KCachegrind` takes all files whose names begin with
/// that of the file it opens for parts of the same profile, and adds them up.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(super) directory: PathBuf,
    pub(super) stem: String,
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
        let name = format!("{tool}.{}{slot}", self.stem);
        let name = shorten(&name, LONGEST.saturating_sub(extension.len() + 1));
        self.directory.join(format!("{name}.{extension}"))
    }

    /// The result in this slot.
    pub(crate) fn existing(&self, tool: &Tool, slot: &Slot) -> Option<ResultFiles> {
        let log = self.path(tool.name, LOG, slot);
        let files: Vec<_> = tool.file.map_or_else(Vec::new, |extension| {
            let file = |process| self.path(tool.name, &of_process(extension, process), slot);
            (0..usize::MAX).map(file).take_while(|path| path.exists()).collect()
        });
        let is_there = if tool.file.is_some() { !files.is_empty() } else { log.exists() };
        is_there.then_some(ResultFiles { files, log })
    }

    /// Writes what came of the last run.
    pub(crate) fn write_summary(&self, text: &str) -> Result<()> {
        create_below(self.output(), &self.directory)?;
        let path = self.directory.join(SUMMARY);
        // Beside the groups, so that the next run removes it if this one is killed meanwhile
        let file = beside(&self.output().join(SUMMARY));
        file.and_then(|file| write_by(file, &path, text.as_bytes()))
            .map_err(Error::io("write", &path))
    }

    /// The output directory of the benchmark file.
    fn output(&self) -> &Path {
        self.directory.ancestors().nth(2).unwrap_or(Path::new("/"))
    }

    /// Renames the complete files of a result, each with its extension, and its flamegraphs from the staging
    /// directory into their slot. What is there as the last result moves to [`Slot::Old`] first. All of that
    /// happens, or nothing.
    pub(crate) fn place(
        &self,
        tool: &Tool,
        log: &Path,
        files: &[(String, PathBuf)],
        flamegraphs: &[Drawn],
        slot: &Slot,
    ) -> Result<()> {
        create_below(self.output(), &self.directory)?;
        let mut renames = self.make_room(tool, slot, log)?;
        let own = files.iter().map(|(extension, file)| (&**extension, &**file));
        let pictures = flamegraphs.iter().map(|it| (&*it.extension, &*it.file));
        for (extension, file) in own.chain([(LOG, log)]).chain(pictures) {
            renames.place(file.to_owned(), self.path(tool.name, extension, slot))?;
        }
        renames.commit()
    }

    /// The renames after which nothing is in this slot: to [`Slot::Old`], or beside the new log.
    fn make_room(&self, tool: &Tool, slot: &Slot, log: &Path) -> Result<Transaction> {
        let (mut aside, mut kept) = (Vec::new(), Vec::new());
        let last = self.extensions(tool, slot)?;
        let mut pictures = self.stale_flamegraphs(tool.name, slot);
        if *slot == Slot::Latest && self.existing(tool, slot).is_some() {
            let old = self.extensions(tool, &Slot::Old)?;
            aside.extend(old.into_iter().map(|(_, path)| path));
            aside.extend(self.stale_flamegraphs(tool.name, &Slot::Old));
            kept.extend(last);
            kept.extend(self.kept_flamegraphs(tool.name));
            pictures.retain(|path| kept.iter().all(|(_, kept)| kept != path));
        } else {
            aside.extend(last.into_iter().map(|(_, path)| path));
        }
        aside.extend(pictures);
        let mut renames = Transaction::new(log);
        for path in aside {
            renames.put_aside(path);
        }
        for (extension, path) in kept {
            renames.rename(path, self.path(tool.name, &extension, &Slot::Old));
        }
        Ok(renames)
    }

    /// The files of the tool in this slot, with their extensions.
    fn extensions(&self, tool: &Tool, slot: &Slot) -> Result<Vec<(String, PathBuf)>> {
        let prefix = format!("{}.{}{slot}.", tool.name, self.stem);
        let entries = fs::read_dir(&self.directory)
            .map_err(Error::io("read the directory", &self.directory))?;
        let found = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let extension = name.strip_prefix(&prefix)?;
            // Not even what somebody put there is lost
            entry.file_type().ok().filter(|kind| !kind.is_dir())?;
            let mut known = tool.file.iter().chain(tool.extras).chain([&LOG]);
            let is_ours = known.any(|known| is_of(known, extension));
            is_ours.then(|| (extension.to_owned(), entry.path()))
        });
        Ok(found.collect())
    }
}

/// A missing file is not an error.
pub(super) fn optional(result: io::Result<()>) -> io::Result<()> {
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

/// The text that [`file_name`] made this name of. What it didn't make stays as it is.
pub(crate) fn text_of(name: &str) -> String {
    let mut parts = name.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => bytes.extend([&[byte], &part.as_bytes()[2..]].concat()),
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
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
    use crate::tool::{DHAT, MEMCHECK};

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
    fn the_text_of_a_name_can_be_told() {
        for text in ["do foo", "größer.%", "a\n/..", "", "%20"] {
            assert_eq!(text_of(&file_name(text)), text);
        }
        for name in ["%", "%x", "%FF", "a%2", "%+A"] {
            assert_eq!(text_of(name), name);
        }
    }

    #[test]
    fn long_names_stay_apart_within_the_limit() {
        let long = |last| format!("{}{last}", "ä".repeat(200));
        let (a, b) = (shorten(&long('a'), 155), shorten(&long('b'), 155));
        assert!(a.len() <= 155 && b.len() <= 155);
        assert_ne!(a, b);
    }

    /// Places a new result of this many processes with this content.
    fn place(files: &Files, output: &Path, tool: &Tool, processes: usize, content: &str) {
        let staging = tempfile::tempdir_in(output).unwrap();
        let staging = staging.path();
        let file = |extension: String| {
            let path = staging.join(&extension);
            fs::write(&path, content).unwrap();
            (extension, path)
        };
        let own: Vec<_> = tool.file.map_or_else(Vec::new, |extension| {
            (0..processes).map(|process| file(of_process(extension, process))).collect()
        });
        let (_, log) = file(LOG.to_owned());
        files.place(tool, &log, &own, &[], &Slot::Latest).unwrap();
    }

    fn contents(stored: Option<ResultFiles>) -> Vec<String> {
        let ResultFiles { files, log } = stored.unwrap();
        files.into_iter().chain([log]).map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn the_last_result_becomes_the_old_one_with_all_its_files() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        for (processes, content) in [(1, "first"), (3, "second"), (1, "third"), (2, "fourth")] {
            place(&files, output.path(), &DHAT, processes, content);
        }
        assert_eq!(contents(files.existing(&DHAT, &Slot::Latest)), ["fourth"; 3]);
        assert_eq!(contents(files.existing(&DHAT, &Slot::Old)), ["third"; 2]);
        assert_eq!(fs::read_dir(&files.directory).unwrap().count(), 5);
    }

    #[test]
    fn a_tool_that_has_only_a_log_has_results_too() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        for content in ["first", "second"] {
            place(&files, output.path(), &MEMCHECK, 1, content);
        }
        assert_eq!(contents(files.existing(&MEMCHECK, &Slot::Latest)), ["second"]);
        assert_eq!(contents(files.existing(&MEMCHECK, &Slot::Old)), ["first"]);
    }

    #[test]
    fn names_of_baselines_are_no_extensions() {
        for extension in ["out", "out.2", "out.p12", "out.2.p3"] {
            assert!(is_of("out", extension), "{extension}");
        }
        for other in ["old.out", "out.out", "out.", "out.p", "out2", "base@out.out", "log"] {
            assert!(!is_of("out", other), "{other}");
        }
    }
}
