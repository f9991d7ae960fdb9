//! The files of one benchmark.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iai_callgrind_base::StagedFile;
use iai_callgrind_tools::fingerprint::{FINGERPRINT, Fingerprint};
use iai_callgrind_tools::tool::{
    Measurement, ReadOptions, ResultFiles, TOOLS, Tool, is_extension, process_extension,
};

use super::amounts::{AMOUNTS, read_amounts};
use super::file_system::{are_same, create_below, create_sibling, exists, write_and_rename};
use super::names::{
    LOG, LONGEST, SUMMARY, TIME, TIME_EXTENSION, encode_name, is_flamegraph, shorten,
};
use super::slot::Slot;
use super::transaction::Transaction;
use crate::{Error, Result};

/// The extension of the file.
pub const COMMIT: &str = "commit.json";

/// Number of bytes of a file name that are reserved for the longest tool, slot and extension.
const AFFIXES: usize = 100;

/// The files of one benchmark: `<group>/<function>.<id>/<tool>.<function>.<id><slot>.<extension>`. The
/// function or the id can be missing.
///
/// The slot precedes the extension because `KCachegrind` opens a file together with all files whose names
/// start with its name, as parts of one profile.
#[derive(Debug, Clone)]
pub struct Files {
    directory: PathBuf,
    stem: String,
}

/// The files of a new result, in a staging directory.
#[derive(Debug)]
pub struct NewFiles {
    /// The log of the tool.
    pub log: PathBuf,
    /// The other files, each with its extension.
    pub files: Vec<(String, PathBuf)>,
    /// The flamegraphs of its profile.
    pub flamegraphs: Vec<StagedFile>,
}

impl NewFiles {
    /// Returns the paths of all files.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let files = self.files.iter_mut().map(|(_, path)| path);
        let flamegraphs = self.flamegraphs.iter_mut().map(|drawn| &mut drawn.file);
        std::iter::once(&mut self.log).chain(files).chain(flamegraphs)
    }
}

impl Files {
    /// Returns the files of a benchmark in the output directory of its benchmark file.
    pub fn new(output: &Path, group: &str, function: Option<&str>, id: Option<&str>) -> Self {
        let parts: Vec<_> = [function, id].into_iter().flatten().map(encode_name).collect();
        let stem = shorten(&parts.join("."), LONGEST - AFFIXES);
        Self { directory: output.join(shorten(group, LONGEST)).join(&stem), stem }
    }

    /// Returns the path of a file.
    pub fn path(&self, tool: &str, extension: &str, slot: &Slot) -> PathBuf {
        let name = format!("{tool}.{}{slot}", self.stem);
        let name = shorten(&name, LONGEST.saturating_sub(extension.len() + 1));
        self.directory.join(format!("{name}.{extension}"))
    }

    /// Returns the path of the time in this slot.
    pub(super) fn time_path(&self, slot: &Slot) -> PathBuf {
        self.path(TIME, TIME_EXTENSION, slot)
    }

    /// Returns the path of the time in this slot, if there is one.
    pub(super) fn time_in(&self, slot: &Slot) -> Option<PathBuf> {
        Some(self.time_path(slot)).filter(|path| exists(path))
    }

    /// Returns the files in the directory of a benchmark, whose name is the stem of the file names.
    pub fn from_directory(directory: &Path) -> Option<Self> {
        let stem = directory.file_name()?.to_str()?.to_owned();
        Some(Self { directory: directory.to_owned(), stem })
    }

    /// Returns the directory of the files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the directory with the files of all benchmarks of the group.
    pub fn group_directory(&self) -> &Path {
        self.directory.parent().unwrap_or(&self.directory)
    }

    /// Creates the directory of the files.
    pub(super) fn create_directory(&self) -> Result<()> {
        create_below(self.output(), &self.directory)
    }

    /// Lists the files of this tool with their slots, sorted by name.
    fn tool_files(&self, tool: &Tool) -> Vec<(Slot, PathBuf)> {
        self.found(|name| self.slot(tool, name))
    }

    /// Lists the files whose names have a slot, sorted by name.
    fn found(&self, slot: impl Fn(&str) -> Option<Slot>) -> Vec<(Slot, PathBuf)> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let slot = |path: PathBuf| Some((slot(path.file_name()?.to_str()?)?, path));
        let mut files: Vec<_> = entries.filter_map(|entry| slot(entry.path())).collect();
        files.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
        files
    }

    /// Lists the files of this tool in this slot, sorted by name.
    pub fn slot_files(&self, tool: &Tool, slot: &Slot) -> Vec<PathBuf> {
        let mut files = self.tool_files(tool);
        files.retain(|(other, _)| other == slot);
        files.into_iter().map(|(_, path)| path).collect()
    }

    /// Lists the files of all tools and the time in this slot.
    pub fn kept_in(&self, slot: &Slot) -> Vec<PathBuf> {
        let files = TOOLS.iter().flat_map(|tool| self.slot_files(tool, slot));
        files.chain(self.time_in(slot)).collect()
    }

    /// Lists the files in this slot of the tool with this name, or of `time`.
    pub fn owned_by(&self, owner: &str, slot: &Slot) -> Vec<PathBuf> {
        match TOOLS.into_iter().find(|tool| tool.name == owner) {
            Some(tool) => self.slot_files(tool, slot),
            None => self.time_in(slot).into_iter().collect(),
        }
    }

    /// Lists the files of the results in this slot, and all flamegraphs that compare with them,
    /// each once.
    pub fn removed_with(&self, slot: &Slot) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::from_iter(self.kept_in(slot));
        let entries = self.entries().unwrap_or_default();
        let stale = TOOLS.iter().flat_map(|tool| self.stale_flamegraphs(&entries, tool.name, slot));
        files.extend(stale);
        files
    }

    /// Lists all files that runs wrote.
    pub fn all(&self) -> BTreeSet<PathBuf> {
        let slots = self.slots();
        let mut files: BTreeSet<_> =
            slots.iter().flat_map(|slot| self.removed_with(slot)).collect();
        files.extend(Some(self.directory.join(SUMMARY)).filter(|path| path.is_file()));
        files
    }

    /// Returns the slot of the file with this name, if it is a file of this tool.
    pub fn slot(&self, tool: &Tool, name: &str) -> Option<Slot> {
        let is_known = |extension: &str| has_extension(tool, extension) || is_flamegraph(extension);
        self.slot_of(tool.name, is_known, name)
    }

    /// Returns the name of the tool, or `time`, of the file with this name in this slot.
    pub fn owner(&self, name: &str, slot: &Slot) -> Option<&'static str> {
        let is_in = |found: Option<Slot>| found.as_ref() == Some(slot);
        let tool = TOOLS.into_iter().find(|tool| is_in(self.slot(tool, name)));
        tool.map(|tool| tool.name).or_else(|| is_in(self.slot_of_time(name)).then_some(TIME))
    }

    /// Returns the slot of the file with this name, if it is a time.
    fn slot_of_time(&self, name: &str) -> Option<Slot> {
        self.slot_of(TIME, |extension| extension == TIME_EXTENSION, name)
    }

    /// Returns the slot of a file whose name starts with this tool's name and has a known
    /// extension.
    fn slot_of(
        &self,
        tool: &str,
        is_known: impl Fn(&str) -> bool + Copy,
        name: &str,
    ) -> Option<Slot> {
        let end = name.strip_prefix(tool)?.strip_prefix('.')?;
        let end = end.strip_prefix(&*self.stem)?.strip_prefix('.')?;
        if is_known(end) {
            return Some(Slot::Latest);
        }
        if end.strip_prefix("old.").is_some_and(is_known) {
            return Some(Slot::Old);
        }
        // The name of a baseline can contain dots, and so can the extension
        let rest = end.strip_prefix("base@")?;
        let mut dots = rest.match_indices('.').map(|(dot, _)| dot);
        let dot = dots.find(|dot| is_known(&rest[dot + 1..]))?;
        Slot::baseline(&rest[..dot]).ok()
    }

    /// Finds the result in this slot. A dangling link counts too; its reader names it in an error.
    pub fn find_result(&self, tool: &Tool, slot: &Slot) -> Option<ResultFiles> {
        let log = self.path(tool.name, LOG, slot);
        let files: Vec<_> = tool.file.map_or_else(Vec::new, |extension| {
            let file = |process| self.path(tool.name, &process_extension(extension, process), slot);
            (0..usize::MAX).map(file).take_while(|path| exists(path)).collect()
        });
        let exists = if tool.file.is_some() { !files.is_empty() } else { exists(&log) };
        exists.then_some(ResultFiles { files, log })
    }

    /// Reads the result in this slot, if there is one.
    pub fn read(
        &self,
        tool: &Tool,
        slot: &Slot,
        options: &ReadOptions<'_>,
    ) -> Result<Option<Measurement>> {
        let Some(files) = self.find_result(tool, slot) else { return Ok(None) };
        let read = || {
            let mut measurement = (tool.read)(&files, options)?;
            files.check_log(tool.name)?;
            let fingerprint = Fingerprint::read(&self.path(tool.name, FINGERPRINT, slot))?;
            measurement.fingerprint = fingerprint.map(Arc::new);
            let amounts = read_amounts(tool.name, &self.path(tool.name, AMOUNTS, slot))?;
            Ok(measurement.with_amounts(amounts))
        };
        read().map(Some).map_err(Error::of_result)
    }

    /// Writes the summary of the last run.
    pub fn write_summary(&self, text: &str) -> Result<()> {
        self.create_directory()?;
        let path = self.directory.join(SUMMARY);
        // The next run removes temporary files from the output directory, if this run is killed
        let file = create_sibling(&self.output().join(SUMMARY));
        file.and_then(|file| write_and_rename(file, &path, text.as_bytes()))
            .map_err(Error::io("write", &path))
    }

    /// Returns the output directory of the benchmark file.
    pub fn output(&self) -> &Path {
        self.directory.ancestors().nth(2).unwrap_or(Path::new("/"))
    }

    /// Renames the files of a complete result, each with its extension, and its flamegraphs from
    /// the staging directory into their slot. The previous last result moves to [`Slot::Old`].
    /// Either all of the renames happen or none.
    ///
    /// A file with the content of the one in its place, and of the old one, changes nothing: both stay.
    pub fn place(&self, tool: &Tool, new: &NewFiles, slot: &Slot) -> Result<()> {
        self.create_directory()?;
        let log = &*new.log;
        let files = new.files.iter().map(|(extension, file)| (&**extension, &**file));
        let (unchanged, files): (Vec<_>, Vec<_>) =
            files.chain([(LOG, log)]).partition(|(extension, file)| {
                let mut same = vec![file.to_path_buf(), self.path(tool.name, extension, slot)];
                if *slot == Slot::Latest {
                    same.push(self.path(tool.name, extension, &Slot::Old));
                }
                are_same(&same)
            });
        let is_unchanged = |extension: &str| unchanged.iter().any(|(other, _)| *other == extension);
        let mut renames = self.make_room(tool, slot, log, &is_unchanged)?;
        let flamegraphs = new.flamegraphs.iter().map(|drawn| (&*drawn.extension, &*drawn.file));
        for (extension, file) in files.into_iter().chain(flamegraphs) {
            renames.place(file.to_owned(), self.path(tool.name, extension, slot))?;
        }
        renames.commit()
    }

    /// Returns the renames that empty this slot: to [`Slot::Old`], or into the staging directory of the log. Files with
    /// extensions that are unchanged stay.
    fn make_room(
        &self,
        tool: &Tool,
        slot: &Slot,
        log: &Path,
        is_unchanged: &dyn Fn(&str) -> bool,
    ) -> Result<Transaction> {
        let (mut aside, mut kept) = (Vec::new(), Vec::new());
        let entries = self.entries()?;
        let replaced = |slot: &Slot| {
            let mut files = self.extensions(&entries, tool, slot);
            files.retain(|(extension, _)| !is_unchanged(extension));
            files
        };
        let mut flamegraphs = self.stale_flamegraphs(&entries, tool.name, slot);
        if *slot == Slot::Latest && self.find_result(tool, slot).is_some() {
            aside.extend(replaced(&Slot::Old).into_iter().map(|(_, path)| path));
            aside.extend(self.stale_flamegraphs(&entries, tool.name, &Slot::Old));
            kept.extend(replaced(slot));
            kept.extend(self.kept_flamegraphs(&entries, tool.name));
            flamegraphs.retain(|path| kept.iter().all(|(_, kept)| kept != path));
        } else {
            aside.extend(replaced(slot).into_iter().map(|(_, path)| path));
        }
        aside.extend(flamegraphs);
        let mut renames = Transaction::new(log);
        for path in aside {
            renames.remove(path);
        }
        for (extension, path) in kept {
            renames.rename(path, self.path(tool.name, &extension, &Slot::Old));
        }
        Ok(renames)
    }

    /// Returns the slots with results.
    pub fn slots(&self) -> BTreeSet<Slot> {
        let files = TOOLS.iter().flat_map(|tool| self.tool_files(tool));
        let times = self.found(|name| self.slot_of_time(name));
        files.chain(times).map(|(slot, _)| slot).collect()
    }

    /// Lists the directory of the files.
    fn entries(&self) -> Result<Vec<DirEntry>> {
        let entries = fs::read_dir(&self.directory)
            .map_err(Error::io("read the directory", &self.directory))?;
        Ok(entries.flatten().collect())
    }

    /// Returns the files of the tool in this slot with their extensions.
    fn extensions(&self, entries: &[DirEntry], tool: &Tool, slot: &Slot) -> Vec<(String, PathBuf)> {
        let prefix = format!("{}.{}{slot}.", tool.name, self.stem);
        let found = entries.iter().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let extension = name.strip_prefix(&prefix)?;
            // User directories are kept
            entry.file_type().ok().filter(|kind| !kind.is_dir())?;
            has_extension(tool, extension).then(|| (extension.to_owned(), entry.path()))
        });
        found.collect()
    }
}

/// Returns `true` if the tool writes files with this extension.
fn has_extension(tool: &Tool, extension: &str) -> bool {
    let mut known =
        tool.file.iter().chain(tool.extras).chain([&LOG, &FINGERPRINT, &COMMIT, &AMOUNTS]);
    known.any(|known| is_extension(known, extension))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use iai_callgrind_tools::tool::{CALLGRIND, DHAT, MEMCHECK};

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

    /// Places a new result of several processes with this content.
    fn place(files: &Files, output: &Path, tool: &Tool, processes: usize, content: &str) {
        let staging = tempfile::tempdir_in(output).unwrap();
        let staging = staging.path();
        let file = |extension: String| {
            let path = staging.join(&extension);
            fs::write(&path, content).unwrap();
            (extension, path)
        };
        let files_of_processes: Vec<_> = tool.file.map_or_else(Vec::new, |extension| {
            (0..processes).map(|process| file(process_extension(extension, process))).collect()
        });
        let (_, log) = file(LOG.to_owned());
        let flamegraphs = Vec::new();
        let new = NewFiles { log, files: files_of_processes, flamegraphs };
        files.place(tool, &new, &Slot::Latest).unwrap();
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
        assert_eq!(contents(files.find_result(&DHAT, &Slot::Latest)), ["fourth"; 3]);
        assert_eq!(contents(files.find_result(&DHAT, &Slot::Old)), ["third"; 2]);
        assert_eq!(fs::read_dir(&files.directory).unwrap().count(), 5);
    }

    #[test]
    fn a_file_that_is_the_old_one_too_stays() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        let both = || {
            let node = |slot| fs::metadata(files.path("dhat", "out", &slot)).unwrap().ino();
            [node(Slot::Latest), node(Slot::Old)]
        };
        let old = || contents(files.find_result(&DHAT, &Slot::Old));
        place(&files, output.path(), &DHAT, 1, "first");
        place(&files, output.path(), &DHAT, 1, "second");
        assert_eq!(old(), ["first"; 2]);
        place(&files, output.path(), &DHAT, 1, "second");
        assert_eq!(old(), ["second"; 2]);
        let third = both();
        assert_ne!(third[0], third[1], "no file is two results");
        place(&files, output.path(), &DHAT, 1, "second");
        assert_eq!(both(), third);
        // Another process
        place(&files, output.path(), &DHAT, 2, "second");
        assert_eq!(contents(files.find_result(&DHAT, &Slot::Latest)), ["second"; 3]);
        assert_eq!(old(), ["second"; 2]);
        place(&files, output.path(), &DHAT, 1, "third");
        assert_eq!(contents(files.find_result(&DHAT, &Slot::Latest)), ["third"; 2]);
        assert_eq!(old(), ["second"; 3]);
        // Another file is in the place of the old one
        place(&files, output.path(), &DHAT, 1, "third");
        fs::write(files.path("dhat", "out", &Slot::Old), "damaged").unwrap();
        place(&files, output.path(), &DHAT, 1, "third");
        assert_eq!(old(), ["third"; 2]);
    }

    #[test]
    fn a_link_to_itself_or_to_nothing_is_not_an_absent_result() {
        for (tool, extension) in [(&CALLGRIND, "out"), (&MEMCHECK, LOG)] {
            let output = tempfile::tempdir().unwrap();
            let files = files(output.path());
            let path = files.path(tool.name, extension, &Slot::Latest);
            for target in [path.file_name().unwrap().as_ref(), Path::new("nothing")] {
                fs::create_dir_all(&files.directory).unwrap();
                std::os::unix::fs::symlink(target, &path).unwrap();
                let result = files.find_result(tool, &Slot::Latest);
                assert!(result.is_some(), "{}", target.display());
                fs::remove_file(&path).unwrap();
            }
        }
    }

    #[test]
    fn a_tool_that_has_only_a_log_has_results_too() {
        let output = tempfile::tempdir().unwrap();
        let files = files(output.path());
        for content in ["first", "second"] {
            place(&files, output.path(), &MEMCHECK, 1, content);
        }
        assert_eq!(contents(files.find_result(&MEMCHECK, &Slot::Latest)), ["second"]);
        assert_eq!(contents(files.find_result(&MEMCHECK, &Slot::Old)), ["first"]);
    }

    #[test]
    fn names_of_baselines_are_not_extensions() {
        for extension in ["out", "out.2", "out.p12", "out.2.p3"] {
            assert!(is_extension("out", extension), "{extension}");
        }
        for other in ["old.out", "out.out", "out.", "out.p", "out2", "base@out.out", "log"] {
            assert!(!is_extension("out", other), "{other}");
        }
    }

    #[test]
    fn slots_follow_from_names() {
        let files = Files::from_directory(Path::new("/out/f.id")).unwrap();
        let base = |name: &str| Some(Slot::Baseline(name.to_owned()));
        for (end, slot) in [
            ("out", Some(Slot::Latest)),
            ("commit.json", Some(Slot::Latest)),
            ("log", Some(Slot::Latest)),
            ("Ir.flamegraph.svg", Some(Slot::Latest)),
            ("Ir.diff.base@v1.flamegraph.svg", Some(Slot::Latest)),
            ("old.out", Some(Slot::Old)),
            ("old.Ir.diff.old.flamegraph.svg", Some(Slot::Old)),
            ("base@v1.out", base("v1")),
            ("base@v1.2.out", base("v1.2")),
            ("base@v1.2.log", base("v1.2")),
            ("base@v1.out.log", base("v1.out")),
            ("base@v1.2.Ir.flamegraph.svg", base("v1.2")),
            ("base@v1.2.Ir.diff.base@v1.flamegraph.svg", base("v1.2")),
            ("base@v1.svg", None),
            ("other", None),
        ] {
            let name = format!("callgrind.f.id.{end}");
            assert_eq!(files.slot(&CALLGRIND, &name), slot, "{end}");
        }
        for other in ["summary.json", "callgrind.f.out", "dhat.f.id.out", "callgrind.f.ido.out"] {
            assert_eq!(files.slot(&CALLGRIND, other), None, "{other}");
        }
        let leak = "memcheck.f.id.base@main.xtleak.kcg.p2";
        assert_eq!(files.slot(&MEMCHECK, leak), base("main"));
    }
}
