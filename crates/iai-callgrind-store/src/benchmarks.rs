//! The benchmarks in a directory of results, found by the names of directories and files:
//! `[<target>/]<package>/<file>/<group>/<function>[.<id>]/<tool>.<stem><slot>.<extension>`.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use iai_callgrind_base::Natural;
use iai_callgrind_base::console::one_line;
use iai_callgrind_base::similar::{did_you_mean, typo};
use iai_callgrind_plan as plan;
use iai_callgrind_plan::filter::selects;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_tools::tool::{Measurement, ReadOptions, TOOLS, Tool};

use super::directory::{OutputDirectory, ReadDirectory, await_imports, is_in_use, settle_imports};
use super::error::{Error, Result, SelectionError};
use super::files::Files;
use super::names::decode_name;
use super::note::Note;
use super::slot::Slot;

/// Number of directories above the files of a benchmark: package, file, group, function with id.
const LEVELS: usize = 4;

/// A benchmark with results.
#[derive(Debug)]
pub struct StoredBenchmark {
    /// The target, if results are kept for each target.
    pub target: Option<String>,
    /// The package, or the directory of commands.
    pub package: String,
    /// The benchmark file.
    pub file: String,
    /// The group.
    pub group: String,
    /// The function, or the id of a command without a name.
    pub function: String,
    /// The id of the case, if it has one.
    pub id: Option<String>,
    /// The files of its results.
    pub files: Files,
    /// Another benchmark that was found with it has the same name.
    pub has_namesake: bool,
}

/// The selected benchmarks, locked against runs.
#[derive(Debug)]
pub struct SelectedBenchmarks<Lock = ReadDirectory> {
    /// The directory of results.
    pub home: PathBuf,
    /// The benchmarks, sorted by package, target and name.
    pub benchmarks: Vec<StoredBenchmark>,
    /// The directory of each benchmark file.
    pub locks: Vec<Lock>,
}

impl StoredBenchmark {
    /// Returns the benchmark of a directory, given by its path in the directory of results.
    pub fn from_path(home: &Path, path: &Path) -> Option<Self> {
        let mut names: Vec<&str> = path.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
        // The directories can be those of an archive or of another machine
        let visible = |name: &str| one_line(name).into_owned();
        let target = (names.len() == LEVELS + 1).then(|| visible(names.remove(0)));
        let [package, file, group, stem] = *names else { return None };
        let (function, id) = match stem.split_once('.') {
            Some((function, id)) => (function, Some(visible(&decode_name(id)))),
            None => (stem, None),
        };
        Some(Self {
            target,
            package: visible(package),
            file: visible(file),
            group: visible(group),
            function: visible(&decode_name(function)),
            id,
            files: Files::from_directory(&home.join(path))?,
            has_namesake: false,
        })
    }

    /// Returns `file::group::function`.
    pub fn path(&self) -> String {
        plan::path(&self.file, &self.group, Some(&self.function))
    }

    /// Returns the name that filters match.
    pub fn name(&self) -> String {
        plan::name(&self.path(), self.id.as_deref())
    }

    /// Returns the name, after that of the package, which distinguishes benchmarks of two packages.
    pub fn name_in_workspace(&self) -> String {
        plan::path(&self.origin(), &self.name(), None)
    }

    /// Returns the name, after that of the package if another found benchmark has the same name.
    pub fn title(&self) -> String {
        if self.has_namesake { self.name_in_workspace() } else { self.name() }
    }

    /// Returns true if one of the filters selects it, or if there are no filters. A filter can start with the package, which
    /// selects nothing by itself: its name can be part of any word.
    pub fn matches(&self, filters: &[String]) -> bool {
        let name = self.name();
        let package = plan::path(&self.origin(), "", None);
        let in_package = |filter: &String| {
            filter.strip_prefix(&package).is_some_and(|filter| selects(filter, &name))
        };
        matches_filters(filters, &name) || filters.iter().any(in_package)
    }

    /// Returns the package with the target.
    pub fn origin(&self) -> String {
        match &self.target {
            Some(target) => format!("{} ({target})", self.package),
            None => self.package.clone(),
        }
    }

    /// Returns the slots with results.
    pub fn slots(&self) -> BTreeSet<Slot> {
        self.files.slots()
    }

    /// Reads the result of a tool in this slot, if there is one.
    pub fn read(
        &self,
        tool: &Tool,
        slot: &Slot,
        wanted: &[MetricKind],
    ) -> Result<Option<Measurement>> {
        self.files.read(tool, slot, &ReadOptions { options: None, wanted })
    }

    /// Returns an error if a result or the time in this slot is damaged.
    fn check(&self, slot: &Slot) -> Result<()> {
        TOOLS.into_iter().try_for_each(|tool| self.read(tool, slot, &[]).map(drop))?;
        self.files.read_time(slot).map(drop)
    }
}

impl<Lock> SelectedBenchmarks<Lock> {
    /// Returns an error if no benchmark has a result in this slot.
    fn require(&self, slot: &Slot) -> Result<()> {
        if self.benchmarks.iter().any(|benchmark| benchmark.slots().contains(slot)) {
            return Ok(());
        }
        let name = slot.name();
        let names: BTreeSet<_> = self.benchmarks.iter().map(StoredBenchmark::name).collect();
        let parts = || names.iter().flat_map(|full| full.split("::"));
        if names.contains(name) || parts().any(|part| part == name) {
            return Err(SelectionError::NameOfBenchmark { name: name.to_owned() }.into());
        }
        let slots: BTreeSet<_> = self.benchmarks.iter().flat_map(StoredBenchmark::slots).collect();
        let filter = typo(name, parts()).map(|part| format!("did you mean `--filter={part}`?"));
        let similar = filter.or_else(|| did_you_mean(name, slots.iter().map(Slot::name)));
        Err(SelectionError::NoSuchResult { name: name.to_owned(), similar }.into())
    }

    /// Returns an error if there are no benchmarks, or if none has a result in one of these slots.
    fn require_all(self, filters: &[String], slots: &[&Slot]) -> Result<Self> {
        match (self.benchmarks.is_empty(), filters.is_empty()) {
            (true, true) => return Err(SelectionError::NoResults { home: self.home }.into()),
            (true, false) => return Err(SelectionError::NoMatch { home: self.home }.into()),
            _ => slots.iter().try_for_each(|slot| self.require(slot))?,
        }
        Ok(self)
    }
}

/// Returns an error if there is no such directory of results.
pub fn check_exists(home: &Path) -> Result<()> {
    if home.is_dir() {
        Ok(())
    } else {
        Err(SelectionError::NoHome { home: home.to_owned() }.into())
    }
}

/// Returns true if one of the filters selects a name, or if there are no filters.
pub fn matches_filters(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| selects(filter, name))
}

/// Returns an error if a result or a time of the benchmarks that match a filter is damaged in this slot.
pub fn check_results(home: &Path, filters: &[String], slot: &Slot) -> Result<()> {
    check_exists(home)?;
    let selected = select_benchmarks(home, |benchmark| benchmark.matches(filters))?;
    selected.benchmarks.iter().try_for_each(|benchmark| benchmark.check(slot))
}

/// Finds the benchmarks that match a filter, or all if there are no filters, sorted by package, target and name. Waits
/// for runs that use them. Returns an error if there are none, or if none has a result in one of these slots.
pub fn find_benchmarks(
    home: &Path,
    filters: &[String],
    slots: &[&Slot],
) -> Result<SelectedBenchmarks> {
    check_exists(home)?;
    let selected = select_benchmarks(home, |benchmark| benchmark.matches(filters))?;
    selected.require_all(filters, slots)
}

/// Finds benchmarks in the same way, but omits files that a run uses, with a note. Waits only if
/// there are no others.
pub fn find_unused(home: &Path, filters: &[String], slots: &[&Slot]) -> Result<SelectedBenchmarks> {
    check_exists(home)?;
    let matching = select(home, |benchmark| benchmark.matches(filters))?;
    let mut used: BTreeSet<_> = directories(&matching).into_iter().map(Path::to_owned).collect();
    let all = used.len();
    used.retain(|directory| is_in_use(directory));
    if used.len() == all {
        used.clear();
    }
    for directory in &used {
        Note::LeftOut { directory }.print();
    }
    let is_used = |benchmark: &StoredBenchmark| used.contains(benchmark.files.output());
    let selected =
        select_benchmarks(home, |benchmark| benchmark.matches(filters) && !is_used(benchmark))?;
    selected.require_all(filters, slots)
}

/// Finds benchmarks in the same way, for their names only. Waits for no run.
pub fn find_names(home: &Path, filters: &[String]) -> Result<Vec<StoredBenchmark>> {
    check_exists(home)?;
    if !is_in_use(home) {
        await_imports(home)?;
    }
    let benchmarks = select(home, |benchmark| benchmark.matches(filters))?;
    let unused = directories(&benchmarks).into_iter().filter(|directory| !is_in_use(directory));
    let locks = unused.map(|directory| ReadDirectory::open(home, directory));
    let locks = locks.collect::<Result<_, _>>()?;
    let selected = SelectedBenchmarks { home: home.to_owned(), benchmarks, locks };
    Ok(selected.require_all(filters, &[])?.benchmarks)
}

/// Finds benchmarks in the same way, to write files next to their results.
pub fn find_to_write(
    home: &Path,
    filters: &[String],
    slot: &Slot,
) -> Result<SelectedBenchmarks<OutputDirectory>> {
    check_exists(home)?;
    settle_imports(home)?;
    let benchmarks = select(home, |benchmark| benchmark.matches(filters))?;
    let selected = SelectedBenchmarks {
        locks: lock_benchmarks(home, &benchmarks)?,
        home: home.to_owned(),
        benchmarks,
    };
    selected.require_all(filters, &[slot])
}

/// Selects benchmarks with results, sorted by package, target and name. Waits only for runs that
/// use them.
pub fn select_benchmarks(
    home: &Path,
    is_selected: impl Fn(&StoredBenchmark) -> bool,
) -> Result<SelectedBenchmarks> {
    await_imports(home)?;
    let benchmarks = select(home, is_selected)?;
    let directories = directories(&benchmarks).into_iter();
    let locks = directories.map(|directory| ReadDirectory::open(home, directory));
    Ok(SelectedBenchmarks {
        locks: locks.collect::<Result<_, _>>()?,
        home: home.to_owned(),
        benchmarks,
    })
}

fn select(
    home: &Path,
    is_selected: impl Fn(&StoredBenchmark) -> bool,
) -> Result<Vec<StoredBenchmark>> {
    let mut benchmarks = Vec::new();
    collect(home, Path::new(""), &mut benchmarks)?;
    benchmarks.retain(is_selected);
    mark_namesakes(&mut benchmarks);
    // Directories of targets are among those of packages
    benchmarks.sort_by_cached_key(|benchmark| {
        let StoredBenchmark { package, target, file, group, function, id, .. } = benchmark;
        let parts = [Some(package), target.as_ref(), Some(file), Some(group), Some(function)];
        parts
            .into_iter()
            .chain([id.as_ref()])
            .map(|part| part.cloned().map(Natural))
            .collect::<Vec<_>>()
    });
    Ok(benchmarks)
}

/// Marks benchmarks with the same name.
fn mark_namesakes(benchmarks: &mut [StoredBenchmark]) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for benchmark in &*benchmarks {
        *names.entry(benchmark.name()).or_default() += 1;
    }
    for benchmark in benchmarks {
        benchmark.has_namesake = names.get(&benchmark.name()).is_some_and(|number| *number > 1);
    }
}

/// Waits until no run uses these benchmarks, to write their results.
pub fn lock_benchmarks<'a>(
    home: &Path,
    benchmarks: impl IntoIterator<Item = &'a StoredBenchmark>,
) -> Result<Vec<OutputDirectory>> {
    let directories = directories(benchmarks).into_iter();
    directories.map(|directory| OutputDirectory::open(home, directory)).collect()
}

/// Returns the directories of the benchmark files, sorted, so that two processes never wait for each other.
fn directories<'a>(
    benchmarks: impl IntoIterator<Item = &'a StoredBenchmark>,
) -> BTreeSet<&'a Path> {
    let benchmarks = benchmarks.into_iter();
    benchmarks.map(|benchmark| benchmark.files.output()).collect()
}

/// Collects the benchmarks below this directory.
fn collect(home: &Path, path: &Path, benchmarks: &mut Vec<StoredBenchmark>) -> Result<()> {
    let depth = path.iter().count();
    if depth >= LEVELS {
        let benchmark = StoredBenchmark::from_path(home, path);
        if let Some(benchmark) = benchmark.filter(|benchmark| !benchmark.slots().is_empty()) {
            benchmarks.push(benchmark);
            return Ok(());
        }
    }
    if depth > LEVELS {
        return Ok(());
    }
    let directory = home.join(path);
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        // Another process removed it after its parent was read
        Err(error) if depth > 0 && error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("read the directory", &directory)(error)),
    };
    let is_hidden = |name: &PathBuf| name.as_os_str().as_encoded_bytes().starts_with(b".");
    // No run makes links, which could lead around
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let names = entries.flatten().filter(is_directory);
    let mut names: Vec<PathBuf> = names.map(|entry| entry.file_name().into()).collect();
    names.retain(|name| !is_hidden(name));
    names.iter().try_for_each(|name| collect(home, &path.join(name), benchmarks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_directories() {
        let names = |path: &str| {
            let benchmark = StoredBenchmark::from_path(Path::new("/home"), Path::new(path))?;
            Some((benchmark.name(), benchmark.origin()))
        };
        let some = |name: &str, origin: &str| Some((name.to_owned(), origin.to_owned()));
        assert_eq!(names("crate/file/group/f.id"), some("file::group::f::id", "crate"));
        assert_eq!(names("x86/crate/file/group/f"), some("file::group::f", "crate (x86)"));
        let command = names("crate/file/group/do%20f%C3%BCnf%2E");
        assert_eq!(command, some("file::group::do fünf.", "crate"));
        assert_eq!(names("file/group/f"), None);
        assert_eq!(names("a/b/c/d/e/f"), None);
    }

    #[test]
    fn only_directories_with_results_are_benchmarks() {
        let home = tempfile::tempdir().unwrap();
        for file in [
            "crate/file/group/f.a/callgrind.f.a.out",
            "crate/file/group/f.b/other",
            "crate/file/.staging-x/f.c/callgrind.f.c.out",
            "target/crate/file/group/f/callgrind.f.base@main.out",
        ] {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let find = |filters: &[&str]| {
            let filters: Vec<_> = filters.iter().copied().map(str::to_owned).collect();
            let selected = find_benchmarks(home.path(), &filters, &[])?;
            Ok(selected.benchmarks.iter().map(StoredBenchmark::name).collect::<Vec<_>>())
        };
        assert_eq!(find(&[]).unwrap(), ["file::group::f::a", "file::group::f"]);
        assert_eq!(find(&["::a"]).unwrap(), ["file::group::f::a"]);
        assert_eq!(find(&["crate::file::"]).unwrap(), ["file::group::f::a"]);
        assert_eq!(find(&["crate::*::a"]).unwrap(), ["file::group::f::a"]);
        assert_eq!(find(&["crate::"]).unwrap(), ["file::group::f::a"]);
        // A run selects nothing by the name of its package
        assert!(find(&["crate"]).is_err());
        assert!(find(&["rate::file"]).is_err());
        let error: Error = find(&["x"]).unwrap_err();
        assert!(error.to_string().starts_with("no results match the filter in "), "{error}");
        let error = find_benchmarks(Path::new("/missing"), &[], &[]).unwrap_err();
        assert!(error.to_string().contains("--home"), "{error}");
    }

    #[test]
    fn names_are_in_natural_order() {
        let home = tempfile::tempdir().unwrap();
        let sorted = ["f.lines_16", "f.lines_128", "f10.a", "f10.b"];
        for name in sorted {
            let directory = home.path().join("crate/file/group").join(name);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(format!("callgrind.{name}.out")), "").unwrap();
        }
        let found = find_names(home.path(), &[]).unwrap();
        let names = found
            .iter()
            .map(|found| format!("{}.{}", found.function, found.id.as_deref().unwrap()));
        let names: Vec<_> = names.collect();
        assert_eq!(names, sorted);
    }

    #[test]
    fn only_the_files_of_selected_benchmarks_are_locked() {
        let home = tempfile::tempdir().unwrap();
        for file in ["a", "b"] {
            let directory = home.path().join("crate").join(file).join("group/f");
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("callgrind.f.out"), "").unwrap();
        }
        let other = OutputDirectory::open(home.path(), &home.path().join("crate/a")).unwrap();
        let selected = select_benchmarks(home.path(), |benchmark| benchmark.file == "b").unwrap();
        assert_eq!([selected.benchmarks.len(), selected.locks.len()], [1, 1]);
        // The run of another file
        let find = |filter: &str| find_unused(home.path(), &[filter.to_owned()], &[]);
        assert_eq!(find("b::").unwrap().benchmarks.len(), 1);
        assert_eq!(find("group").unwrap().benchmarks.len(), 1);
        assert_eq!(find_names(home.path(), &[]).unwrap().len(), 2);
        drop(other);
        assert_eq!(find("group").unwrap().benchmarks.len(), 2);
        let none = select_benchmarks(home.path(), |_| false).unwrap();
        assert!(none.locks.is_empty());
    }

    #[test]
    fn a_directory_can_be_removed_while_others_are_found() {
        let home = tempfile::tempdir().unwrap();
        // It was there when its parent was read
        let mut benchmarks = Vec::new();
        collect(home.path(), Path::new("crate/file"), &mut benchmarks).unwrap();
        assert!(benchmarks.is_empty());
    }
}
