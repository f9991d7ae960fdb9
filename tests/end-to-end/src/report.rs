//! Reads what a run prints, and accepts nothing that doesn't look as documented.

use std::collections::BTreeMap;

/// The labels of a benchmark's lines, in their order.
pub const LABELS: [&str; 6] =
    ["Instructions", "L1 Hits", "L2 Hits", "RAM Hits", "Total read+write", "Estimated Cycles"];

/// The start of the line about differences of the environment.
const ENVIRONMENT: &str = "\nEnvironment differs from the old results: ";

/// The start of a line with a broken limit.
const REGRESSED: &str = "limit exceeded: ";

/// The standard output of a run.
#[derive(Debug)]
pub struct Report {
    /// The benchmarks in the order of the output.
    pub benchmarks: Vec<Benchmark>,
    /// The broken limits that are listed again at the end, with the titles above them.
    pub regressions: Vec<String>,
    /// The closing line.
    pub summary: String,
}

/// One benchmark's title and lines.
#[derive(Debug)]
pub struct Benchmark {
    /// `file::group::function id:arguments`.
    pub title: String,
    /// The lines below it.
    pub lines: Vec<Line>,
    /// The limits that it broke.
    pub regressions: Vec<String>,
}

/// One metric: `Label: new|old (change)`.
#[derive(Debug)]
pub struct Line {
    /// The label without its colon.
    pub label: String,
    /// The new value.
    pub new: u64,
    /// The old one, if there is one.
    pub old: Option<u64>,
    /// The rest of the line: the change with its brackets.
    pub change: String,
}

impl Report {
    /// Reads the whole standard output of a run.
    #[must_use]
    pub fn parse(stdout: &str) -> Self {
        let (results, rest) =
            stdout.split_once("\nIai-Callgrind result: ").expect("there is a closing line");
        let (results, _) = results.split_once("\nCauses:\n").unwrap_or((results, ""));
        let (results, _) = results.split_once("\nGrowth:\n").unwrap_or((results, ""));
        let (results, _) = results.split_once(ENVIRONMENT).unwrap_or((results, ""));
        let (results, again) = results.split_once("\nRegressions:\n").unwrap_or((results, ""));
        let mut benchmarks: Vec<Benchmark> = Vec::new();
        for line in results.lines() {
            match (line.strip_prefix("  "), benchmarks.last_mut()) {
                (Some(line), Some(benchmark)) => benchmark.lines.push(Line::parse(line)),
                (Some(_), None) => panic!("{line:?} has no title"),
                (None, Some(benchmark)) if line.starts_with(REGRESSED) => {
                    benchmark.regressions.push(line[REGRESSED.len()..].to_owned());
                }
                (None, _) => benchmarks.push(Benchmark::new(line)),
            }
        }
        for Benchmark { title, lines, .. } in &benchmarks {
            let labels: Vec<_> = lines.iter().map(|line| &*line.label).collect();
            assert_eq!(labels, LABELS, "the lines directly below {title}");
        }
        let regressions = again.lines().map(str::trim).filter(|line| !line.is_empty());
        let regressions = regressions.map(ToOwned::to_owned).collect();
        Self { benchmarks, regressions, summary: rest.trim_end().to_owned() }
    }

    /// Returns the benchmark that is named by group, function and, if it has one, id.
    #[must_use]
    pub fn get(&self, name: &str) -> &Benchmark {
        let found = self.benchmarks.iter().find(|benchmark| benchmark.name() == name);
        found.unwrap_or_else(|| panic!("no {name} in {self:#?}"))
    }

    /// Returns the new number of instructions of the benchmark with this name.
    #[must_use]
    pub fn instructions(&self, name: &str) -> u64 {
        self.get(name).lines[0].new
    }

    /// Returns the names in their order, see [`Self::get`].
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.benchmarks.iter().map(Benchmark::name).collect()
    }

    /// Returns all new values by name.
    #[must_use]
    pub fn values(&self) -> BTreeMap<String, Vec<u64>> {
        let values = |benchmark: &Benchmark| benchmark.lines.iter().map(|line| line.new).collect();
        self.benchmarks.iter().map(|benchmark| (benchmark.name(), values(benchmark))).collect()
    }

    /// Returns the new numbers of instructions by name.
    #[must_use]
    pub fn all_instructions(&self) -> BTreeMap<String, u64> {
        self.values().into_iter().map(|(name, values)| (name, values[0])).collect()
    }
}

/// Returns a count as people read it: `1,414,044`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at) % 3 == 0;
    digits
        .char_indices()
        .flat_map(|(at, digit)| is_start(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

impl Benchmark {
    fn new(title: &str) -> Self {
        // A case of the group's own has no function
        assert!(title.matches("::").count() >= 1, "{title:?} is no title");
        Self { title: title.to_owned(), lines: Vec::new(), regressions: Vec::new() }
    }

    /// Returns the group, the function and the id, if there is one, joined by `::`.
    #[must_use]
    pub fn name(&self) -> String {
        // Names in files of Criterion can have blanks, and no arguments
        let case = self.title.split_once(' ');
        let case = case.and_then(|(path, case)| Some((path, case.split_once(':')?.0)));
        let (path, id) = case.map_or((&*self.title, None), |(path, id)| (path, Some(id)));
        let (_, name) = path.split_once("::").expect("the title begins with the file's name");
        id.map_or_else(|| name.to_owned(), |id| format!("{name}::{id}"))
    }
}

impl Line {
    /// Reads a line without the two spaces at its start: the label has a width of 17, the new and
    /// the old value of 16.
    fn parse(line: &str) -> Self {
        let parse = || {
            let (new, old) = line.split_once('|')?;
            let (label, new) = new.split_at_checked(17)?;
            let (old, change) = old.split_at_checked(16)?;
            let label = label.trim_end().strip_suffix(':')?.to_owned();
            let old = match old.trim_end() {
                "N/A" => None,
                old => Some(old.parse().ok()?),
            };
            let new = (new.len() == 16).then(|| new.trim_start().parse().ok())??;
            change.starts_with('(').then(|| Self { label, new, old, change: change.to_owned() })
        };
        parse().unwrap_or_else(|| panic!("{line:?} is not `Label: new|old (change)`"))
    }
}
