//! Finds the benchmarks in an output directory by the names of directories and files:
//! `[<target>/]<package>/<file>/<group>/<function>[.<id>]/<tool>.<stem><slot>.<extension>`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan as plan;
use iai_callgrind_plan::filter::selects;

use super::home::existing_home;
use crate::error::{Error, Result};
use crate::output::{Files, OutputDirectory, Slot, settle_imports, text_of};
use crate::tool::TOOLS;

/// The names above the files of a benchmark: package, file, group, function with its id.
const LEVELS: usize = 4;

/// A benchmark that has results.
#[derive(Debug)]
pub(crate) struct StoredBenchmark {
    /// The target, where results are kept by targets.
    pub(crate) target: Option<String>,
    pub(crate) package: String,
    pub(crate) file: String,
    pub(crate) group: String,
    /// The function or, if a command of the group has only an id, that.
    pub(crate) function: String,
    pub(crate) id: Option<String>,
    pub(crate) files: Files,
}

/// The benchmarks in an output directory, which no run changes as long as this lives.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) home: PathBuf,
    pub(super) benchmarks: Vec<StoredBenchmark>,
    /// Of each benchmark file's directory.
    pub(super) locks: Vec<OutputDirectory>,
}

impl StoredBenchmark {
    /// The benchmark whose files are in this directory, given by its path in the output directory.
    pub(super) fn at(home: &Path, path: &Path) -> Option<Self> {
        let mut names: Vec<&str> = path.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
        let target = (names.len() == LEVELS + 1).then(|| names.remove(0).to_owned());
        let [package, file, group, stem] = *names else { return None };
        let (function, id) = match stem.split_once('.') {
            Some((function, id)) => (function, Some(text_of(id))),
            None => (stem, None),
        };
        Some(Self {
            target,
            package: package.to_owned(),
            file: file.to_owned(),
            group: group.to_owned(),
            function: text_of(function),
            id,
            files: Files::in_directory(&home.join(path))?,
        })
    }

    /// `file::group::function`.
    pub(super) fn path(&self) -> String {
        plan::path(&self.file, &self.group, Some(&self.function))
    }

    /// The name that filters go by.
    pub(crate) fn name(&self) -> String {
        plan::name(&self.path(), self.id.as_deref())
    }

    /// Where it comes from, if there is more than one: the package with the target.
    pub(crate) fn origin(&self) -> String {
        match &self.target {
            Some(target) => format!("{} ({target})", self.package),
            None => self.package.clone(),
        }
    }

    /// The slots that it has results in.
    pub(crate) fn slots(&self) -> BTreeSet<Slot> {
        let files = TOOLS.iter().flat_map(|tool| self.files.of_tool(tool));
        files.map(|(slot, _)| slot).collect()
    }
}

/// Finds the benchmarks that one of the filters selects, or all if there are no filters. Waits for runs
/// that use them.
pub(super) fn find(home: Option<&Path>, filters: &[String]) -> Result<Found> {
    let home = existing_home(home)?;
    settle_imports(&home)?;
    let mut benchmarks = Vec::new();
    collect(&home, Path::new(""), &mut benchmarks)?;
    benchmarks.retain(|it| {
        filters.is_empty() || filters.iter().any(|filter| selects(filter, &it.name()))
    });
    if benchmarks.is_empty() {
        let selected = if filters.is_empty() { "" } else { " that the filter selects" };
        return Err(Error::Stored(format!("there are no results{selected} in {}", home.display())));
    }
    Ok(Found { locks: lock(&home, &benchmarks)?, home, benchmarks })
}

/// Waits until no run uses these benchmarks.
pub(super) fn lock<'a>(
    home: &Path,
    benchmarks: impl IntoIterator<Item = &'a StoredBenchmark>,
) -> Result<Vec<OutputDirectory>> {
    let directories =
        benchmarks.into_iter().filter_map(|it| it.files.directory().ancestors().nth(2));
    // In one order, so that two of these never wait for each other
    let directories: BTreeSet<_> = directories.collect();
    directories.into_iter().map(|it| OutputDirectory::open(home, it)).collect()
}

/// All benchmarks below this directory, in the order of the directories' names.
fn collect(home: &Path, path: &Path, benchmarks: &mut Vec<StoredBenchmark>) -> Result<()> {
    let depth = path.iter().count();
    if depth >= LEVELS {
        let found = StoredBenchmark::at(home, path).filter(|it| !it.slots().is_empty());
        if let Some(benchmark) = found {
            benchmarks.push(benchmark);
            return Ok(());
        }
    }
    if depth > LEVELS {
        return Ok(());
    }
    let directory = home.join(path);
    let entries = fs::read_dir(&directory).map_err(Error::io("read the directory", &directory))?;
    let is_hidden = |name: &PathBuf| name.as_os_str().as_encoded_bytes().starts_with(b".");
    let names = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names: Vec<PathBuf> = names.map(|entry| entry.file_name().into()).collect();
    names.retain(|name| !is_hidden(name));
    names.sort_unstable();
    names.iter().try_for_each(|name| collect(home, &path.join(name), benchmarks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_directories() {
        let names = |path: &str| {
            let it = StoredBenchmark::at(Path::new("/home"), Path::new(path))?;
            Some((it.name(), it.origin()))
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
        let found = |filters: &[&str]| {
            let filters: Vec<_> = filters.iter().map(|&it| it.to_owned()).collect();
            find(Some(home.path()), &filters)
                .map(|found| found.benchmarks.iter().map(StoredBenchmark::name).collect::<Vec<_>>())
        };
        assert_eq!(found(&[]).unwrap(), ["file::group::f::a", "file::group::f"]);
        assert_eq!(found(&["::a"]).unwrap(), ["file::group::f::a"]);
        assert!(found(&["x"]).unwrap_err().to_string().contains("no results that the filter"));
        assert!(find(Some(Path::new("/missing")), &[]).unwrap_err().to_string().contains("--home"));
    }
}
