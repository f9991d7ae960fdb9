//! The files of the site: the start page, a page for each benchmark, and the summaries that they are made from.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use iai_callgrind_base::console::visible_lines;
use iai_callgrind_process::spawn_scoped;
use iai_callgrind_profile::files;
use iai_callgrind_results::{Explained, StoredExplainer};
use iai_callgrind_store::{
    StoredBenchmark, create_below, is_chart_of, list_charts, remove_file, replace_page,
};
use iai_callgrind_summary::explanation::Explanation;
use iai_callgrind_summary::{MachineValue, Summary};
use iai_callgrind_tools::tool::{TOOLS, Tool};
use indicatif::{ProgressBar, ProgressStyle};

use super::benchmark::{self, Parts};
use super::commits::SiteRepository;
use super::details::{Details, StoredResult, read_excerpt};
use super::entry::{Entry, PAGES, START, entries};
use super::file_name::FileNames;
use super::group::{GroupPage, groups};
use super::history::SiteHistory;
use super::layout::generator;
use super::start;
use super::table::StartRow;
use crate::chart::group_chart;
use crate::error::ReportError;
use crate::error::{Error, Result};
use crate::format::{Category, group_by_cause};
use crate::report::{explanation_summary, summary_machine_values};

/// A site to write.
pub(super) struct Site<'a> {
    /// The directory of the site.
    directory: &'a Path,
    /// The repository of the workspace, which has the history.
    repository: SiteRepository,
    /// The results, by their directories, whose pages are written; pages of other benchmarks stay.
    stored: HashMap<&'a Path, StoredResult<'a>>,
    /// The charts of growth in the directory of each group.
    charts: HashMap<&'a Path, Vec<PathBuf>>,
    /// Maximum number of lines of an explanation.
    lines: usize,
}

/// Returns an error if the directory has other files than an earlier site.
pub fn check(directory: &Path) -> Result<()> {
    let mut entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io("read the directory", directory))?,
    };
    let start = files::read_to_string(directory.join(START)).unwrap_or_default();
    if start.contains(&generator()) || entries.next().is_none() {
        return Ok(());
    }
    Err(ReportError::ForeignSite { directory: directory.to_owned() }.into())
}

/// Writes a start page without benchmarks if there is none. The directory is recognized by it from then on.
pub(super) fn write_first(directory: &Path) -> Result<()> {
    if directory.join(START).exists() {
        return Ok(());
    }
    create_below(directory, directory)?;
    write_file(directory, START, &start::render(&[], &[]))
}

impl<'a> Site<'a> {
    /// Returns a site with these slots of benchmarks.
    pub(super) fn new(
        directory: &'a Path,
        workspace: &Path,
        stored: impl Iterator<Item = StoredResult<'a>>,
        lines: usize,
    ) -> Self {
        let by_directory = |stored: StoredResult<'a>| (stored.benchmark.files.directory(), stored);
        let stored: HashMap<_, _> = stored.map(by_directory).collect();
        let groups: HashSet<_> =
            stored.values().map(|stored| stored.benchmark.files.group_directory()).collect();
        let charts = groups.into_iter().map(|group| (group, list_charts(group))).collect();
        let repository = SiteRepository::of(workspace);
        Self { directory, repository, stored, charts, lines }
    }

    /// Returns the path of the start page.
    pub(super) fn start(&self) -> PathBuf {
        self.directory.join(START)
    }

    /// Adds to the summaries of stored results what only pages have: commits, explanations of changes that the run did not
    /// explain, and the source of causes. Returns the files of these benchmarks with their packages.
    pub(super) fn complete(&self, summaries: &mut [Summary]) -> Result<BTreeSet<(String, String)>> {
        let mut files = BTreeSet::new();
        for summary in &mut *summaries {
            let Some(StoredResult { benchmark, new, old }) = self.stored_of(summary) else {
                continue;
            };
            let slots = (new, old);
            summary.commits = self.repository.commits(&benchmark.files, slots, &summary.tools);
            files.insert((summary.package.clone(), summary.file.clone()));
        }
        self.explain(summaries)?;
        self.add_sources(summaries);
        Ok(files)
    }

    /// Explains changes from the stored tables.
    fn explain(&self, summaries: &mut [Summary]) -> Result<()> {
        let open: Vec<_> = (0..summaries.len()).filter(|&at| is_open(&summaries[at])).collect();
        let found = in_parallel(open.len(), "explanations", || {
            let explainer = StoredExplainer::default();
            let (summaries, open) = (&*summaries, &open);
            move |at| Ok((open[at], self.explanation(&summaries[open[at]], &explainer)))
        })?;
        for (at, found) in found {
            let Some((tool, explanation, varies_with)) = found else { continue };
            let mut tools = summaries[at].tools.iter_mut();
            if let Some(result) = tools.find(|result| result.tool == tool.name) {
                (result.explanation, result.varies_with) = (Some(explanation), varies_with);
            }
        }
        Ok(())
    }

    /// Adds the source around the guilty line to the benchmark with the largest change of each cause.
    fn add_sources(&self, summaries: &mut [Summary]) {
        let groups = group_by_cause(summaries.iter().filter(|summary| has_changed(summary)));
        let largest = groups.iter().filter_map(|group| group.summaries.first().copied());
        let read = |summary: &Summary| {
            let source = read_excerpt(self.stored_of(summary)?, summary, &self.repository)?;
            summaries.iter().position(|other| std::ptr::eq(other, summary)).zip(Some(source))
        };
        let sources: Vec<_> = largest.filter_map(read).collect();
        for (at, source) in sources {
            let mut explanations =
                summaries[at].tools.iter_mut().filter_map(|tool| tool.explanation.as_mut());
            if let Some(explanation) = explanations.find(|explanation| explanation.cause.is_some())
            {
                explanation.source = Some(source);
            }
        }
    }

    /// Explains the change of a benchmark from the stored tables.
    fn explanation(
        &self,
        summary: &Summary,
        explainer: &StoredExplainer,
    ) -> Option<(&'static Tool, Explanation, Vec<MachineValue>)> {
        let stored = self.stored_of(summary)?;
        let old = stored.old?;
        let tools = TOOLS.into_iter().filter(|tool| tool.has_tables());
        let mut found = tools.filter_map(|tool| {
            let found = explainer.explain(tool, stored.benchmark, [old, stored.new]).ok()??;
            let values = found.as_ref().map_or_else(|_| Vec::new(), Explained::machine_values);
            let explanation = explanation_summary(&summary.name, &found, self.lines);
            Some((tool, explanation, summary_machine_values(&values)))
        });
        found.next()
    }

    /// Writes all pages, the start page last.
    pub(super) fn write(&self, summaries: &[Summary]) -> Result<()> {
        let history = SiteHistory::read(&self.repository.workspace, summaries)?;
        let mut names = FileNames::default();
        let entries = entries(summaries, &mut names);
        let groups = groups(summaries, &entries, &mut names);
        create_below(self.directory, &self.directory.join(PAGES))?;
        in_parallel(entries.len(), "pages", || {
            let (entries, groups, history) = (&entries, &groups, &history);
            move |at: usize| {
                let entry = &entries[at];
                if self.is_new(entry) {
                    let page = self.page(entry, history.as_ref(), groups);
                    write_file(self.directory, &entry.file, &page)?;
                }
                Ok(())
            }
        })?;
        let sparkline = |entry: &Entry<'_>| history.as_ref()?.sparkline(entry.summary);
        let rows: Vec<_> =
            entries.iter().map(|entry| StartRow { entry, sparkline: sparkline(entry) }).collect();
        for group in &groups {
            if let Some(charts) = self.group_charts(group) {
                write_file(self.directory, &group.file, &group.render(&charts))?;
            }
        }
        let files = entries.iter().map(|entry| &entry.file);
        self.remove_old_pages(files.chain(groups.iter().map(|group| &group.file)))?;
        write_file(self.directory, START, &start::render(&rows, &groups))
    }

    /// Returns the error of a file whose content is missing on the pages.
    pub(super) fn check(&self) -> Result<()> {
        self.repository.check()
    }

    /// Returns the stored results of a benchmark.
    fn stored_of(&self, summary: &Summary) -> Option<StoredResult<'_>> {
        let mut files = summary.tools.iter().flat_map(|tool| &tool.files.new);
        let directory = files.find_map(|file| Path::new(file).parent())?;
        self.stored.get(directory).copied()
    }

    /// Returns true if the page of a benchmark is to be written.
    fn is_new(&self, entry: &Entry<'_>) -> bool {
        let is_summary_only = entry.summary.tools.is_empty();
        is_summary_only
            || self.stored_of(entry.summary).is_some()
            || !self.directory.join(&entry.file).exists()
    }

    fn page(
        &self,
        entry: &Entry<'_>,
        history: Option<&SiteHistory>,
        groups: &[GroupPage<'_>],
    ) -> String {
        let stored = self.stored_of(entry.summary);
        let details = match stored {
            Some(stored) => Details::read(stored, entry.summary, &self.repository)
                .map_err(|error| error.to_string()),
            None if entry.category == Category::Failed => {
                Err("the benchmark failed, and what is stored is of an earlier run".to_owned())
            }
            None => Err("the stored results are not there".to_owned()),
        };
        let parts = Parts {
            details,
            history: history.and_then(|history| history.section(entry.summary)),
            growth: stored
                .map_or_else(Vec::new, |stored| self.growth(stored.benchmark, entry.summary)),
            group: groups.iter().find(|group| group.has(entry)),
        };
        benchmark::render(entry, &parts)
    }

    /// Reads the charts of the growth of a benchmark's function.
    fn growth(&self, benchmark: &StoredBenchmark, summary: &Summary) -> Vec<String> {
        let mut functions = vec![&*benchmark.function];
        if summary.external_id.is_some() {
            // The input is in the name, or all of it
            let function = benchmark.function.rsplit_once('/');
            functions.push(function.map_or(&*benchmark.group, |(function, _)| function));
        }
        self.read_charts(benchmark, &functions)
    }

    /// Reads the charts with all functions of a group; `None` if it has no stored results.
    fn group_charts(&self, group: &GroupPage<'_>) -> Option<Vec<String>> {
        let mut stored = group.entries.iter().filter_map(|entry| self.stored_of(entry.summary));
        let benchmark = stored.next()?.benchmark;
        Some(self.read_charts(benchmark, &[&group_chart(&benchmark.group)]))
    }

    /// Reads the charts with one of these names in the directory of a benchmark's group.
    fn read_charts(&self, benchmark: &StoredBenchmark, names: &[&str]) -> Vec<String> {
        let charts = self.charts.get(benchmark.files.group_directory());
        let charts = charts.into_iter().flatten();
        let found = charts.filter(|path| names.iter().any(|name| is_chart_of(path, name)));
        found.filter_map(|path| files::read_to_string(path).ok()).collect()
    }

    /// Removes pages of benchmarks that are no longer there.
    fn remove_old_pages<'f>(&self, files: impl Iterator<Item = &'f String>) -> Result<()> {
        let known: HashSet<_> = files.map(|file| self.directory.join(file)).collect();
        let directory = self.directory.join(PAGES);
        let found =
            fs::read_dir(&directory).map_err(Error::io("read the directory", &directory))?;
        let old = found.flatten().map(|entry| entry.path());
        let mut old = old.filter(|path| !known.contains(path) && is_page(path));
        Ok(old.try_for_each(|path| remove_file(&path))?)
    }
}

/// Returns true for a file that an earlier site has written.
fn is_page(path: &Path) -> bool {
    let is_html = path.extension().is_some_and(|extension| extension == "html");
    is_html && files::read_to_string(path).is_ok_and(|text| text.contains(&generator()))
}

fn write_file(directory: &Path, name: &str, text: &str) -> Result<()> {
    let path = directory.join(name);
    replace_page(&path, visible_lines(text).as_bytes()).map_err(Error::io("write", &path))
}

fn has_changed(summary: &Summary) -> bool {
    Category::of(summary).is_difference()
}

/// Returns true if a change has no explanation yet.
fn is_open(summary: &Summary) -> bool {
    has_changed(summary) && summary.tools.iter().all(|tool| tool.explanation.is_none())
}

/// Calls workers with all numbers below this one, a worker on each CPU, and shows the progress on a terminal. Returns
/// their results in any order.
fn in_parallel<T: Send, W: FnMut(usize) -> Result<T>>(
    number: usize,
    things: &str,
    worker: impl Fn() -> W + Sync,
) -> Result<Vec<T>> {
    let bar = ProgressBar::new(number as u64);
    let template = format!("{{spinner}} {{pos}}/{{len}} {things} {{elapsed}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < number);
        let worker = worker();
        iter::from_fn(take).map(worker).inspect(|_| bar.inc(1)).collect::<Result<Vec<_>>>()
    };
    let jobs = thread::available_parallelism().map_or(1, usize::from).min(number.max(1));
    let done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (1..jobs).map(|_| spawn_scoped(scope, work)).collect();
        let first = work();
        let others = threads.into_iter().flatten().map(|thread| thread.join().unwrap());
        iter::once(first).chain(others).collect()
    });
    bar.finish_and_clear();
    done.into_iter().try_fold(Vec::new(), |mut all, done| {
        all.extend(done?);
        Ok(all)
    })
}
