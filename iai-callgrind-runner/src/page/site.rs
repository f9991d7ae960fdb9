//! The files of the site: the start page, a page for each benchmark, and the summaries that they are made from.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use iai_callgrind_summary::Summary;
use indicatif::{ProgressBar, ProgressStyle};

use super::benchmark::{self, Parts};
use super::details::{Details, StoredResult};
use super::entry::{Entry, PAGES, START, entries};
use super::history::SiteHistory;
use super::layout::generator;
use super::start::{self, StartRow};
use crate::error::{Error, Result};
use crate::format::{Category, DATA};
use crate::output::{create_below, is_chart_of, list_charts, remove_file, replace_page};
use crate::process::spawn_scoped;
use crate::report::explanation_summary;
use crate::stored::report::read_files;
use crate::stored::{StoredBenchmark, StoredExplainer};
use crate::tool::TOOLS;

/// A site to write.
pub(super) struct Site<'a> {
    /// The directory of the site.
    directory: &'a Path,
    /// The directory that the paths of sources are relative to, whose repository has the history.
    workspace: &'a Path,
    /// The results, by their directories, whose pages are written; pages of other benchmarks stay.
    stored: HashMap<&'a Path, StoredResult<'a>>,
    /// The charts of growth in the directory of each group.
    charts: HashMap<&'a Path, Vec<PathBuf>>,
    /// Maximum number of lines of an explanation.
    lines: usize,
}

/// Returns an error if the directory has other files than an earlier site.
pub(super) fn check(directory: &Path) -> Result<()> {
    let mut entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io("read the directory", directory))?,
    };
    let start = fs::read_to_string(directory.join(START)).unwrap_or_default();
    if start.contains(&generator()) || entries.next().is_none() {
        return Ok(());
    }
    Err(Error::ForeignSite { directory: directory.to_owned() })
}

/// Writes a start page without benchmarks if there is none, by which the directory is recognized from now on.
pub(super) fn write_first(directory: &Path) -> Result<()> {
    if directory.join(START).exists() {
        return Ok(());
    }
    create_below(directory, directory)?;
    write_file(directory, START, &start::render(&[]))
}

/// Lists the files with the summaries of a site, sorted by name.
pub(super) fn data_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let data = directory.join(DATA);
    let entries = fs::read_dir(&data).map_err(Error::io("read the directory", &data))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut paths: Vec<_> = paths.filter(is_json).collect();
    paths.sort_unstable();
    Ok(paths)
}

/// Reads the summaries of a site.
pub(super) fn read_summaries(directory: &Path) -> Result<Vec<Summary>> {
    read_files(&data_files(directory)?)
}

impl<'a> Site<'a> {
    /// Returns a site with these slots of benchmarks.
    pub(super) fn new(
        directory: &'a Path,
        workspace: &'a Path,
        stored: impl Iterator<Item = StoredResult<'a>>,
        lines: usize,
    ) -> Self {
        let by_directory = |stored: StoredResult<'a>| (stored.benchmark.files.directory(), stored);
        let stored: HashMap<_, _> = stored.map(by_directory).collect();
        let groups: HashSet<_> =
            stored.values().map(|stored| stored.benchmark.files.group_directory()).collect();
        let charts = groups.into_iter().map(|group| (group, list_charts(group))).collect();
        Self { directory, workspace, stored, charts, lines }
    }

    /// Returns the path of the start page.
    pub(super) fn start(&self) -> PathBuf {
        self.directory.join(START)
    }

    /// Writes all pages, the start page last.
    pub(super) fn write(&self, summaries: &[Summary]) -> Result<()> {
        let history = SiteHistory::read(self.workspace, summaries)?;
        let entries = entries(summaries);
        create_below(self.directory, &self.directory.join(PAGES))?;
        let explanations = self.write_pages(&entries, history.as_ref())?;
        let rows: Vec<_> = entries
            .iter()
            .zip(&explanations)
            .map(|(entry, explanation)| StartRow {
                entry,
                explanation,
                sparkline: history.as_ref().and_then(|history| history.sparkline(entry.summary)),
            })
            .collect();
        self.remove_old_pages(&entries)?;
        write_file(self.directory, START, &start::render(&rows))
    }

    /// Writes the pages of the benchmarks with stored results. Returns the explanations of all.
    fn write_pages(
        &self,
        entries: &[Entry<'_>],
        history: Option<&SiteHistory>,
    ) -> Result<Vec<Vec<String>>> {
        let bar = progress(entries.len());
        let next = AtomicUsize::new(0);
        let explanations = Mutex::new(vec![Vec::new(); entries.len()]);
        let write = || -> Result<()> {
            let explainer = StoredExplainer::default();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(entry) = entries.get(index) else { return Ok(()) };
                let lines = self.explain(entry, &explainer);
                if self.is_new(entry) {
                    let page = self.page(entry, &lines, history);
                    write_file(self.directory, &entry.file, &page)?;
                }
                if let Ok(mut all) = explanations.lock() {
                    all[index] = lines;
                }
                bar.inc(1);
            }
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let written: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (1..jobs).map(|_| spawn_scoped(scope, write)).collect();
            let first = write();
            let others = threads.into_iter().flatten().filter_map(|thread| thread.join().ok());
            std::iter::once(first).chain(others).collect()
        });
        bar.finish_and_clear();
        written.into_iter().collect::<Result<()>>()?;
        Ok(explanations.into_inner().unwrap_or_default())
    }

    /// Returns the stored results of a benchmark.
    fn stored_of(&self, entry: &Entry<'_>) -> Option<StoredResult<'_>> {
        let mut files = entry.summary.tools.iter().flat_map(|tool| &tool.files.new);
        let directory = files.find_map(|file| Path::new(file).parent())?;
        self.stored.get(directory).copied()
    }

    /// Returns true if the page of a benchmark is to be written.
    fn is_new(&self, entry: &Entry<'_>) -> bool {
        self.stored_of(entry).is_some() || !self.directory.join(&entry.file).exists()
    }

    /// Returns the lines that explain the change of a benchmark: those of the run, or of the stored tables.
    fn explain(&self, entry: &Entry<'_>, explainer: &StoredExplainer) -> Vec<String> {
        let summary = entry.summary;
        let known = summary.tools.iter().find_map(|tool| tool.explanation.as_ref());
        if let Some(known) = known {
            return known.text.clone();
        }
        let has_changed =
            matches!(entry.category, Category::Regressed | Category::Worse | Category::Better);
        let stored = self.stored_of(entry).filter(|_| has_changed);
        let Some((stored, old)) = stored.and_then(|stored| Some((stored, stored.old?))) else {
            return Vec::new();
        };
        let tools = TOOLS.into_iter().filter(|tool| tool.has_tables());
        let mut found = tools.filter_map(|tool| {
            explainer.explain(tool, stored.benchmark, [old, stored.new]).ok().flatten()
        });
        found.next().map_or_else(Vec::new, |found| explanation_summary(&found, self.lines).text)
    }

    fn page(&self, entry: &Entry<'_>, lines: &[String], history: Option<&SiteHistory>) -> String {
        let stored = self.stored_of(entry);
        let details = match stored {
            Some(stored) => Details::read(stored, &entry.summary.name, self.workspace)
                .map_err(|error| error.to_string()),
            None => Err("the stored results are not there".to_owned()),
        };
        let parts = Parts {
            details,
            explanation: lines.to_vec(),
            history: history.and_then(|history| history.section(entry.summary)),
            growth: stored.map_or_else(Vec::new, |stored| self.growth(stored.benchmark)),
        };
        benchmark::render(entry, &parts)
    }

    /// Reads the charts of the growth of a benchmark's function.
    fn growth(&self, benchmark: &StoredBenchmark) -> Vec<String> {
        let charts = self.charts.get(benchmark.files.group_directory());
        let charts = charts.into_iter().flatten();
        let of_function = charts.filter(|path| is_chart_of(path, &benchmark.function));
        of_function.filter_map(|path| fs::read_to_string(path).ok()).collect()
    }

    /// Removes pages of benchmarks that are no longer there.
    fn remove_old_pages(&self, entries: &[Entry<'_>]) -> Result<()> {
        let known: HashSet<_> =
            entries.iter().map(|entry| self.directory.join(&entry.file)).collect();
        let directory = self.directory.join(PAGES);
        let found =
            fs::read_dir(&directory).map_err(Error::io("read the directory", &directory))?;
        let is_page = |path: &PathBuf| {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let is_hash = stem.len() == 16 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hash && path.extension().is_some_and(|extension| extension == "html")
        };
        let old = found.flatten().map(|entry| entry.path()).filter(is_page);
        old.filter(|path| !known.contains(path)).try_for_each(|path| remove_file(&path))
    }
}

fn write_file(directory: &Path, name: &str, text: &str) -> Result<()> {
    let path = directory.join(name);
    replace_page(&path, text.as_bytes()).map_err(Error::io("write", &path))
}

fn progress(pages: usize) -> ProgressBar {
    let bar = ProgressBar::new(pages as u64);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} pages {elapsed}") {
        bar.set_style(style);
    }
    bar
}
