//! `history`: the recorded values of each benchmark, and the commits that changed them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::io::{self, Write};
use std::path::Path;

use iai_callgrind_base::console::style::{FAINT, NEW, PATH};
use iai_callgrind_base::invocation::{bench_command_line, command_line};
use iai_callgrind_base::similar::similar;
use iai_callgrind_base::{FileError, console, last_column, note::counted, numbers, text_width};
use iai_callgrind_compare::{Change, NoiseFloor};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_revisions::{Checkout, ListedCommit, Repository};
use iai_callgrind_store::matches_filters;
use iai_callgrind_tools::fingerprint::{Fingerprint, changes_text};
use iai_callgrind_tools::tool::Tool;
use serde_json::{Value as Json, json};

use super::environments::join;
use super::error::HistoryError;
use super::gaps::Gaps;
use super::noise::{NoiseKey, learn};
use super::note::HistoryNote;
use super::note_text::CommitResults;
use super::notes::Notes;
use super::series::{Point, Series, SeriesKey, Step, StepDifference, collect};
use crate::error::{Error, Result};

/// The width of a sparkline.
const SPARKLINE: usize = 32;

/// The recorded commits of a range, the oldest first.
pub struct Recorded {
    /// The commits.
    pub commits: Vec<ListedCommit>,
    /// The results of each commit.
    pub results: Vec<CommitResults>,
    /// Index of each recorded commit among all commits of the range.
    pub(super) places: Vec<usize>,
    /// The id of the last commit of the range with its place.
    last: Option<(String, usize)>,
    environments: BTreeMap<String, BTreeMap<String, String>>,
}

/// The recorded commits and benchmarks that the user selects.
pub struct Selection<'a> {
    /// The commits; all up to `HEAD` without a range.
    pub range: Option<&'a str>,
    /// The benchmarks; all without a filter.
    pub filters: &'a [String],
}

impl Selection<'_> {
    fn has(&self, name: &str) -> bool {
        matches_filters(self.filters, name)
    }
}

/// Prints the recorded values of the selected benchmarks.
pub fn show(
    selection: &Selection<'_>,
    (tool, metric): (&Tool, MetricKind),
    as_json: bool,
) -> Result<()> {
    let directory = env::current_dir().map_err(Error::io("use", Path::new(".")))?;
    let recorded = Recorded::read(&directory, selection.range, usize::MAX)?;
    let is_selected = |name: &str| selection.has(name);
    if as_json {
        // In one piece: it can be millions of tokens
        let text = format!("{:#}\n", recorded.json(is_selected));
        FileError::of_output(console::write_document(&console::visible_json(&text)))?;
        return Ok(());
    }
    let all = collect(&recorded.results, tool, metric, is_selected);
    if all.is_empty() {
        return Err(recorded.nothing_to_show(selection, metric));
    }
    FileError::of_output(recorded.write(
        &mut console::stdout(),
        &all,
        metric,
        console::stdout_width(),
    ))?;
    let mut gaps = Gaps::default();
    for (key, series) in &all {
        gaps.add(&recorded.places, key, series);
    }
    for (commits, command) in gaps.commands(&recorded.commits) {
        HistoryNote::NotRecorded { commits, command: command.as_deref() }.print();
    }
    Ok(())
}

impl Recorded {
    /// Reads the newest recorded commits up to `HEAD`, at most this many. `None` without a repository or notes.
    pub fn newest(directory: &Path, most: usize) -> Result<Option<Self>> {
        let Some(checkout) = Checkout::find(directory) else { return Ok(None) };
        if !Notes::of(checkout).exist()? {
            return Ok(None);
        }
        Self::read(directory, None, most).map(Some)
    }

    /// Reads the newest recorded commits of a range, at most this many.
    fn read(directory: &Path, range: Option<&str>, most: usize) -> Result<Self> {
        let repository = Repository::of(directory)?;
        let mut texts = Notes::of(repository.checkout.clone()).read_all()?;
        let listed = repository.history(range)?;
        let last = listed.last().map(|last| (last.commit.id.clone(), listed.len() - 1));
        let listed = listed.into_iter().enumerate();
        let mut texts: Vec<_> = listed
            .filter_map(|(place, listed)| Some((texts.remove(&listed.commit.id)?, place, listed)))
            .collect();
        let newest = texts.split_off(texts.len().saturating_sub(most)).into_iter();
        let (mut commits, mut results, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (text, place, listed) in newest {
            commits.push(listed);
            results.push(CommitResults::parse(&text));
            places.push(place);
        }
        for (listed, results) in std::iter::zip(&commits, &results) {
            let commit = listed.commit.short();
            let lines = results.foreign_lines();
            if lines > 0 {
                HistoryNote::ForeignLines { commit, lines }.print();
            }
            for key in &results.contradictions {
                HistoryNote::Contradiction { commit, name: &key.name }.print();
            }
        }
        let environments = join(&mut results);
        Ok(Self { commits, results, places, last, environments })
    }

    /// Returns the number of commits between two recorded ones, given by their indices.
    pub fn number_between(&self, after: usize, commit: usize) -> usize {
        self.places[commit] - self.places[after] - 1
    }

    /// Returns the number of commits between a recorded one, given by its index, and the last
    /// commit of the range.
    pub fn number_since(&self, after: usize, last: &str) -> usize {
        let place = self.last.as_ref().filter(|(id, _)| id == last).map(|(_, place)| *place);
        place.map_or(0, |place| place.saturating_sub(self.places[after] + 1))
    }

    /// Returns the reason why there is nothing to show.
    fn nothing_to_show(&self, selection: &Selection<'_>, metric: MetricKind) -> Error {
        let names: BTreeSet<_> = self.names().collect();
        if names.is_empty() || names.iter().any(|name| selection.has(name)) {
            // Only the commits of a range can be measured later
            let command = match selection.range {
                Some(range) => bench_command_line("NAME", &format!("history {range} --record")),
                None => command_line("record"),
            };
            return HistoryError::NoHistory { metric: metric.name(), command }.into();
        }
        let filters = selection.filters.to_vec();
        let nearest = |filter: &String| similar(filter, names.iter().copied());
        let nearest: BTreeSet<_> = filters.iter().flat_map(nearest).map(str::to_owned).collect();
        let nearest = nearest.into_iter().collect();
        HistoryError::NoRecordedBenchmark { filters, nearest }.into()
    }

    /// Returns the names of all recorded benchmarks.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.results.iter().flat_map(|results| results.results.keys()).map(|key| &*key.name)
    }

    /// Writes a line with a sparkline for each benchmark, and its steps below, for a terminal that can have a width.
    fn write(
        &self,
        output: &mut impl Write,
        all: &BTreeMap<SeriesKey, Series>,
        metric: MetricKind,
        terminal: Option<usize>,
    ) -> io::Result<()> {
        let number = self.commits.len();
        let [first, last] = [self.commits.first(), self.commits.last()]
            .map(|listed| listed.map_or("", |listed| &listed.date));
        let dates = if first == last { first.to_owned() } else { format!("{first} to {last}") };
        let commits = counted(number, "recorded commit");
        writeln!(output, "{} at {commits}, {dates}\n", metric.label())?;
        let rows = rows(all, number);
        let width =
            |part: &dyn Fn(&TableRow<'_>) -> usize| rows.iter().map(part).max().unwrap_or(0);
        let name_width = width(&|row| row.name.chars().count());
        let first_width = width(&|row| row.first.len());
        let bars_width = width(&|row| row.bars.chars().count());
        let last_width = width(&|row| row.last.len());
        for row in &rows {
            let TableRow { name, first, bars, last, series } = row;
            writeln!(
                output,
                "{PATH}{name:<name_width$}{PATH:#}  {first:>first_width$} {bars:<bars_width$} \
                 {NEW}{last:>last_width$}{NEW:#}"
            )?;
            self.write_steps(output, series, terminal)?;
        }
        output.flush()
    }

    fn write_steps(
        &self,
        output: &mut impl Write,
        series: &Series,
        terminal: Option<usize>,
    ) -> io::Result<()> {
        for Step { after, commit: index, difference, is_dirty } in series.steps() {
            let text = match &difference {
                StepDifference::Value { old, new } => {
                    let change = Change::between(Some(*new), Some(*old)).short_text();
                    let [old, new] = [*old, *new].map(numbers::value);
                    format!("{old} → {new} ({change})")
                }
                StepDifference::Environment { old, new } => {
                    format!("other environment: {}", self.environment_change(old, new))
                }
            };
            let dirty = if is_dirty { ", with uncommitted changes" } else { "" };
            let ListedCommit { commit, date, subject } = &self.commits[index];
            let id = commit.short();
            let widths = [date, id, &text, dirty].map(text_width);
            let subject = last_column(subject, widths.iter().sum::<usize>() + 4 * 2, terminal);
            writeln!(output, "  {date}  {id}  {text}{dirty}  {FAINT}{subject}{FAINT:#}")?;
            let number = self.number_between(after, index);
            if number > 0 {
                let is = if number == 1 { "is" } else { "are" };
                let (commits, before) = (counted(number, "commit"), &self.commits[after].commit);
                let before = before.short();
                writeln!(output, "    between {before} and {id}, {commits} {is} not recorded")?;
            }
        }
        Ok(())
    }

    /// Returns the differences of two environments.
    fn environment_change(&self, old: &str, new: &str) -> String {
        let fingerprint = |name: &str| -> Fingerprint {
            self.environments.get(name).into_iter().flatten().collect()
        };
        let (old, new) = (fingerprint(old), fingerprint(new));
        let changes: Vec<_> = new.changes_since(&old).collect();
        if changes.is_empty() { "not known".to_owned() } else { changes_text(&changes) }
    }

    /// Returns everything that was recorded.
    fn json(&self, is_selected: impl Fn(&str) -> bool) -> Json {
        let commits = std::iter::zip(&self.commits, &self.results).enumerate();
        let commits = commits.map(|(index, (listed, results))| {
            let not_recorded = index.checked_sub(1).map(|after| self.number_between(after, index));
            let results = results.results.iter().filter(|(key, _)| is_selected(&key.name));
            let results = results.map(|(key, recording)| {
                json!({
                    "package": key.package, "name": key.name, "tool": key.tool,
                    "environment": key.environment, "values": recording.values,
                    "code": recording.code, "dirty": recording.is_dirty,
                })
            });
            json!({
                "commit": listed.commit.id, "date": listed.date, "subject": listed.subject,
                "not_recorded_before": not_recorded,
                "results": results.collect::<Vec<_>>(),
            })
        });
        let noise =
            learn(&self.results, &is_selected).into_iter().filter(|(_, noise)| noise.is_known());
        let noise = noise.map(|(NoiseKey { package, name, tool }, noise)| {
            let floor = |floor: NoiseFloor| {
                let NoiseFloor { kind, largest, percentage } = floor;
                (kind.name(), json!({ "largest": largest, "percentage": percentage }))
            };
            let metrics: BTreeMap<_, _> = noise.floors().map(floor).collect();
            json!({
                "package": package, "name": name, "tool": tool, "pairs": noise.observations.pairs,
                "metrics": metrics,
            })
        });
        json!({
            "version": 1,
            "environments": self.environments,
            "commits": commits.collect::<Vec<_>>(),
            "noise": noise.collect::<Vec<_>>(),
        })
    }
}

/// A line of the table.
struct TableRow<'a> {
    name: String,
    first: String,
    bars: String,
    last: String,
    series: &'a Series,
}

/// Returns the lines of the table for this number of commits. Benchmarks of several packages can have the same name.
fn rows<'a>(all: &'a BTreeMap<SeriesKey, Series>, commits: usize) -> Vec<TableRow<'a>> {
    let mut packages: HashMap<&str, usize> = HashMap::new();
    for key in all.keys() {
        *packages.entry(&key.name).or_default() += 1;
    }
    let row = |(key, series): (&'a SeriesKey, &'a Series)| {
        let SeriesKey { package, name } = key;
        let is_unique = packages.get(&**name) == Some(&1);
        let value = |point: Option<&Point>| {
            point.map_or_else(String::new, |point| numbers::value(point.value))
        };
        TableRow {
            name: if is_unique { name.clone() } else { format!("{name} ({package})") },
            first: value(series.points.first()),
            bars: sparkline(series, commits),
            last: value(series.points.last()),
            series,
        }
    };
    all.iter().map(row).collect()
}

/// Returns a line of bars: the values of the last segment from the smallest to the largest one. A column is the same commits for
/// all benchmarks, and its bar is the last of several values. Earlier segments are dots, and a column without a value is empty.
fn sparkline(series: &Series, commits: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let points = &series.points;
    let Some(last) = points.last() else { return String::new() };
    let of_segment = points.iter().rev().take_while(|point| point.environment == last.environment);
    let segment: Vec<_> = of_segment.map(|point| point.value.as_f64()).collect();
    let (low, high) = segment
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let width = commits.min(SPARKLINE);
    let bar = |column: usize| {
        let [start, end] = [column, column + 1].map(|column| column * commits / width);
        let before = points.partition_point(|point| point.commit < end);
        let Some(index) = before.checked_sub(1).filter(|index| points[*index].commit >= start)
        else {
            return ' ';
        };
        if index < points.len() - segment.len() {
            return '·';
        }
        let part =
            if high > low { (points[index].value.as_f64() - low) / (high - low) } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
        let level = (part * 7.0).round() as usize;
        BARS[level.min(7)]
    };
    (0..width).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::Value;
    use iai_callgrind_revisions::Commit;

    use super::*;

    fn series(values: &[(&str, u64)]) -> Series {
        let point = |(commit, (environment, value)): (usize, &(&str, u64))| Point {
            commit,
            environment: (*environment).to_owned(),
            value: Value::Count(*value),
            is_dirty: false,
        };
        Series { points: values.iter().enumerate().map(point).collect() }
    }

    #[test]
    fn values_and_steps_have_separators() {
        let listed = |digit: &str, date: &str| ListedCommit {
            commit: Commit::new(digit.repeat(40), ""),
            date: date.to_owned(),
            subject: "subject".to_owned(),
        };
        let recorded = Recorded {
            commits: vec![listed("1", "2026-11-21"), listed("2", "2026-11-22")],
            results: Vec::new(),
            places: vec![0, 1],
            last: None,
            environments: BTreeMap::new(),
        };
        let key = SeriesKey { package: "package".to_owned(), name: "a::b".to_owned() };
        let all = BTreeMap::from([(key, series(&[("e", 1000), ("e", 1_234_500)]))]);
        let mut output = Vec::new();
        let mut plain = anstream::StripStream::new(&mut output);
        recorded.write(&mut plain, &all, MetricKind::Ir, Some(80)).unwrap();
        let expected = "\
Instructions at 2 recorded commits, 2026-11-21 to 2026-11-22

a::b  1,000 ▁█ 1,234,500
  2026-11-22  222222222222  1,000 → 1,234,500 (+123,000 %)  subject
";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn bars_are_from_the_smallest_to_the_largest_value() {
        assert_eq!(sparkline(&series(&[("e", 10), ("e", 10), ("e", 17), ("e", 13)]), 4), "▁▁█▄");
        assert_eq!(sparkline(&series(&[("e", 10), ("e", 10)]), 2), "▁▁");
        assert_eq!(sparkline(&series(&[("d", 99), ("e", 10), ("e", 11)]), 3), "·▁█");
        let mut late = series(&[("e", 10), ("e", 10), ("e", 17)]);
        late.points.remove(0);
        assert_eq!(sparkline(&late, 5), " ▁█  ");
        let many: Vec<_> = (0..500).map(|value| ("e", value)).collect();
        let line = sparkline(&series(&many), 500);
        assert_eq!(line.chars().count(), SPARKLINE);
        assert!(line.starts_with('▁') && line.ends_with('█'), "{line}");
    }
}
