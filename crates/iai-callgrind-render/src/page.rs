//! The report as HTML: a start page and a page for each benchmark, which need neither a server nor a network.

mod benchmark;
mod causes;
mod commits;
mod compared;
mod data;
mod details;
mod entry;
mod excerpt;
mod explanation;
mod file_name;
mod functions;
mod group;
mod history;
mod layout;
mod metrics;
mod note;
mod site;
mod source;
mod start;
mod table;
mod time;
mod verdict;

use std::collections::BTreeSet;
use std::path::{self, Path};

use iai_callgrind_results::Mode;
use iai_callgrind_store::{StoredBenchmark, create_below, select_benchmarks};
use iai_callgrind_summary::Summary;

pub use self::commits::measured_commits;
use self::data::{lock, read_own_summaries, replace_summaries, write_summaries};
use self::details::StoredResult;
use self::note::PageNote;
pub use self::site::check;
use self::site::{Site, write_first};
use crate::error::Result;
use crate::format::DATA;

/// The pages of a run or of stored results.
#[derive(Debug, Clone, Copy)]
pub struct Pages<'a> {
    /// The directory of the pages.
    pub directory: &'a Path,
    /// The directory of the workspace, whose sources and history the pages show.
    pub workspace: &'a Path,
    /// The results that are compared.
    pub mode: &'a Mode,
    /// Maximum number of lines of an explanation.
    pub lines: usize,
}

/// Checks the directory of pages before a run, and creates what the run needs in it.
pub fn prepare(directory: &Path) -> Result<()> {
    check(directory)?;
    write_first(directory)?;
    Ok(create_below(directory, &directory.join(DATA))?)
}

impl Pages<'_> {
    /// Writes the pages of the benchmarks in these directories, which a run has stored in `home`.
    /// Leaves out deleted benchmark files of the site, given by package and name.
    pub fn write_run(
        &self,
        home: &Path,
        benchmarks: &BTreeSet<&Path>,
        is_gone: &dyn Fn(&str, &str) -> bool,
    ) -> Result<()> {
        let is_of_run =
            |benchmark: &StoredBenchmark| benchmarks.contains(benchmark.files.directory());
        let selected = select_benchmarks(home, is_of_run)?;
        let _lock = lock(self.directory)?;
        let site = self.site(&selected.benchmarks);
        let mut summaries = read_own_summaries(self.directory)?;
        summaries.retain(|summary| !is_gone(&summary.package, &summary.file));
        let completed = site.complete(&mut summaries)?;
        // The next run of another benchmark file reads them
        let is_completed = |summary: &&Summary| {
            completed.contains(&(summary.package.clone(), summary.file.clone()))
        };
        write_summaries(self.directory, summaries.iter().filter(is_completed))?;
        write(&site, &summaries)
    }

    /// Writes the pages of these summaries. Some benchmarks have stored results.
    pub fn write(&self, summaries: &mut [Summary], benchmarks: &[StoredBenchmark]) -> Result<()> {
        prepare(self.directory)?;
        let _lock = lock(self.directory)?;
        let site = self.site(benchmarks);
        site.complete(summaries)?;
        replace_summaries(self.directory, summaries)?;
        write(&site, summaries)
    }

    /// Returns the site with the results of benchmarks that are compared.
    fn site<'s>(&'s self, benchmarks: &'s [StoredBenchmark]) -> Site<'s> {
        let (new, old) = (&self.mode.new, self.mode.old_after_run());
        let stored = benchmarks.iter().map(|benchmark| StoredResult { benchmark, new, old });
        Site::new(self.directory, self.workspace, stored, self.lines)
    }
}

fn write(site: &Site<'_>, summaries: &[Summary]) -> Result<()> {
    site.write(summaries)?;
    // Cargo runs benchmarks in the directory of the package, which need not be that of the user
    let start = path::absolute(site.start()).unwrap_or_else(|_| site.start());
    PageNote::Written { start: &start, benchmarks: summaries.len() }.print();
    site.check()
}
