//! Several seeds as the edits of one change, of which the explanation must name the lines of the costliest.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use iai_callgrind_summary::explanation::{Cause, PossibleLine, Verdict};
use xtask::command::in_file;

use crate::explanations::judgement::{Explained, explained};
use crate::explanations::seeds::{Expected, Seed};
use crate::explanations::subject::{self, Direction, SUBJECTS, Subject};
use crate::harness::{self, Bench, Profile};

/// Maximum number of changes of each crate.
const CHANGES: usize = 10;

/// Number of the choice of changes that existed when the rules were written.
const KNOWN: u64 = 0;

/// Maximum number of seeds of each crate that changes are made of.
const CANDIDATES: usize = 16;

/// Minimum factor between the effect of the costliest edit and that of each other one.
const MORE: u64 = 2;

/// The lines that shift those below.
const SHIFT: &str = "// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n";

/// The effect of an edit on each benchmark: its new instructions minus the old ones.
type Effects = BTreeMap<String, i64>;

/// A seed that is applied, or an applied seed that is reverted.
#[derive(Clone, Copy)]
struct Edit<'a> {
    seed: &'a Seed,
    direction: Direction,
}

/// Several edits in one change.
struct Change<'a> {
    edits: Vec<Edit<'a>>,
    benchmark: String,
    /// The edit with the largest effect on this benchmark, and that effect.
    guilty: Edit<'a>,
    effect: u64,
    /// Lines are inserted above all edits.
    is_shifted: bool,
}

/// Runs changes with two and with three edits, chosen by a number. Prints what is named, and how often that is the costliest edit.
///
/// Succeeds if 17 of 20 changes name a line of the costliest edit alone, and 19 of 20 that line or several, of which each is a
/// line of an edit and one of the costliest edit.
pub(crate) fn run(choice: u64, verbose: bool) -> Result<ExitCode, String> {
    let bench = Bench::new()?;
    let work = tempfile::tempdir().map_err(|error| format!("temporary directory: {error}"))?;
    let (mut right, mut among, mut all) = (0, 0, 0);
    for subject in &SUBJECTS {
        let seeds = subject.seeds()?;
        let root = &work.path().join(subject.name);
        let place = Place { subject, bench: &bench, root, has_base: Cell::new(false) };
        let mut candidates = Vec::new();
        for seed in seeds.iter().filter(|seed| is_candidate(seed)).take(CANDIDATES) {
            let edit = Edit { seed, direction: Direction::Apply };
            candidates.push((seed, place.effects(&[edit])?));
        }
        for change in chosen_by(choice, &candidates, &place) {
            let Some(found) = place.cause(&change)? else {
                println!("other  {}: {change}", subject.name);
                continue;
            };
            let result = found.result(&change);
            all += 1;
            right += usize::from(result == NamedLines::Right);
            among += usize::from(result == NamedLines::Among);
            println!("{result}  {}: {change}", subject.name);
            if verbose || result != NamedLines::Right {
                let Named { lines, text } = found;
                println!("    named: {lines:?}\n    {}", text.join("\n    "));
            }
        }
    }
    println!(
        "\nThe costliest edit is named alone in {right} of {all}, and among other edits in {among}"
    );
    let is_expected = right * 20 >= all * 17 && (right + among) * 20 >= all * 19;
    Ok(if is_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns true for a change of lines in a function of a benchmark.
fn is_candidate(seed: &Seed) -> bool {
    let lines = [Verdict::ChangedLines];
    let of_lines = matches!(&seed.expected, Expected::Change(change) if change.verdicts == lines);
    of_lines
        && seed.known.is_empty()
        && seed.profile == Profile::One
        && subject::file(seed) == "functions"
        && !seed.diff.contains("/dev/null")
}

/// Chooses changes of these edits by a number, except those of the known choice.
fn chosen_by<'a>(
    choice: u64,
    candidates: &[(&'a Seed, Effects)],
    place: &Place<'_>,
) -> Vec<Change<'a>> {
    let known = changes(candidates, &[], place);
    if choice == KNOWN {
        return known;
    }
    let mut candidates = candidates.to_vec();
    fastrand::Rng::with_seed(choice).shuffle(&mut candidates);
    changes(&candidates, &known, place)
}

/// Chooses changes of these edits that are not among others: those with different benchmarks and edits come first, then the same edits with the costliest
/// one in the other direction.
fn changes<'a>(
    candidates: &[(&'a Seed, Effects)],
    others: &[Change<'_>],
    place: &Place<'_>,
) -> Vec<Change<'a>> {
    let is_chosen = |change: &Change<'_>| {
        let is_same = |other: &Change<'_>| other.key() == change.key();
        place.can_apply(change) && !others.iter().any(is_same)
    };
    let mut chosen: Vec<Change<'a>> = Vec::new();
    let number = candidates.len();
    let mut used: BTreeMap<BTreeSet<usize>, Direction> = BTreeMap::new();
    let steps = (1..number).flat_map(|step| (0..number).map(move |first| (step, first)));
    for (step, first) in steps {
        let size = 2 + chosen.len() % 2;
        let indices: BTreeSet<_> = (0..size).map(|index| (first + index * step) % number).collect();
        if chosen.len() == CHANGES || indices.len() < size || used.contains_key(&indices) {
            continue;
        }
        let parts: Vec<_> = indices.iter().map(|index| &candidates[*index]).collect();
        // In each second one the costliest edit is the end of slow code
        let direction =
            if chosen.len() / 2 % 2 == 0 { Direction::Apply } else { Direction::Revert };
        let change = change(&parts, direction, chosen.len());
        if let Some(change) = change.filter(is_chosen) {
            used.insert(indices, direction);
            chosen.push(change);
        }
    }
    for (indices, direction) in used {
        let parts: Vec<_> = indices.iter().map(|index| &candidates[*index]).collect();
        let other = change(&parts, direction.other(), chosen.len());
        let other = other.filter(|change| chosen.len() < CHANGES && is_chosen(change));
        chosen.extend(other);
    }
    chosen
}

/// Returns the change with these edits, if at least two of them run in one benchmark and one has by far the largest effect.
fn change<'a>(
    parts: &[&(&'a Seed, Effects)],
    direction: Direction,
    number: usize,
) -> Option<Change<'a>> {
    let benchmarks: BTreeSet<_> = parts.iter().flat_map(|(_, effects)| effects.keys()).collect();
    for benchmark in benchmarks {
        let effect = |(_, effects): &(&Seed, Effects)| {
            effects.get(benchmark).map_or(0, |effect| effect.unsigned_abs())
        };
        let mut sorted: Vec<_> = parts.iter().map(|part| (effect(part), part.0)).collect();
        sorted.sort_by_key(|(effect, _)| std::cmp::Reverse(*effect));
        let [(largest, guilty), (second, _), ..] = *sorted else { continue };
        // Other benchmarks change by other choices of the compiler
        let is_its =
            matches!(&guilty.expected, Expected::Change(change) if change.benchmark == benchmark);
        if second == 0 || largest < second.saturating_mul(MORE) || !is_its {
            continue;
        }
        let edit = |seed: &'a Seed| Edit {
            seed,
            direction: if std::ptr::eq(seed, guilty) { direction } else { Direction::Apply },
        };
        return Some(Change {
            edits: parts.iter().map(|part| edit(part.0)).collect(),
            benchmark: benchmark.clone(),
            guilty: edit(guilty),
            effect: largest,
            is_shifted: number % 3 == 2,
        });
    }
    None
}

impl Change<'_> {
    /// Returns what two changes with the same expectation have in common.
    fn key(&self) -> (BTreeSet<(&str, bool)>, &str) {
        let edits = self.edits.iter();
        let edits = edits.map(|edit| (edit.seed.name, edit.direction == Direction::Revert));
        (edits.collect(), &self.benchmark)
    }
}

impl std::fmt::Display for Change<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.edits.iter().map(|edit| edit.seed.name).collect();
        let reverted = if self.guilty.direction == Direction::Revert { ", reverted" } else { "" };
        let shifted = if self.is_shifted { ", below new lines" } else { "" };
        let (benchmark, guilty) = (&self.benchmark, self.guilty.seed.name);
        write!(f, "{benchmark}: {guilty}{reverted}{shifted} (of {})", names.join("; "))
    }
}

impl Edit<'_> {
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.seed, other.seed)
    }

    /// Returns true if a line, of the old or of the new source, is one that the edit removes or adds.
    fn contains(&self, (is_removed, text): &(bool, String)) -> bool {
        let sign = if *is_removed == (self.direction == Direction::Apply) { '-' } else { '+' };
        let is_name = |line: &&str| line.starts_with("--- ") || line.starts_with("+++ ");
        let lines = self.seed.diff.lines().filter(|line| !is_name(line));
        let mut lines = lines.filter_map(|line| line.strip_prefix(sign));
        lines.any(|line| line.trim() == text.trim())
    }
}

/// The lines that an explanation names, true for one of the old source, and the explanation.
struct Named {
    /// One line, or several whose costs cannot be distinguished; empty if a line is not in the sources.
    lines: Vec<(bool, String)>,
    text: Vec<String>,
}

/// The lines that an explanation names for a change of several edits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedLines {
    /// One line, of the costliest edit.
    Right,
    /// Several lines, each of an edit, and one of them of the costliest edit.
    Among,
    /// Other lines.
    Wrong,
    /// No line.
    Open,
}

impl std::fmt::Display for NamedLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::Among => "among",
            Self::Wrong => "WRONG",
            Self::Open => "open ",
        })
    }
}

impl Named {
    fn result(&self, change: &Change<'_>) -> NamedLines {
        let is_of_edit = |line| change.edits.iter().any(|edit| edit.contains(line));
        let is_guilty = |line| change.guilty.contains(line);
        match &*self.lines {
            [] => NamedLines::Open,
            [line] if is_guilty(line) => NamedLines::Right,
            [_, _, ..] if self.lines.iter().all(is_of_edit) && self.lines.iter().any(is_guilty) => {
                NamedLines::Among
            }
            _ => NamedLines::Wrong,
        }
    }
}

/// The place where the changes of a crate are run.
struct Place<'a> {
    subject: &'a Subject,
    bench: &'a Bench,
    root: &'a Path,
    /// The results without any edit are stored.
    has_base: Cell<bool>,
}

impl Place<'_> {
    /// Returns the effects of edits alone.
    fn effects(&self, edits: &[Edit<'_>]) -> Result<Effects, String> {
        let summaries = self.run(edits, &[], false)?.0;
        Ok(summaries
            .iter()
            .filter_map(explained)
            .filter(|explained| explained.change != 0)
            .map(|explained| (explained.benchmark.to_owned(), explained.change))
            .collect())
    }

    /// Returns true if all edits of a change can be made.
    fn can_apply(&self, change: &Change<'_>) -> bool {
        let reverted = change.edits.iter().filter(|edit| edit.direction == Direction::Revert);
        let applied = change.edits.iter().filter(|edit| edit.direction == Direction::Apply);
        self.subject.write(self.root, change.guilty.seed).is_ok_and(|directory| {
            let mut apply = reverted.clone().map(|edit| (edit, Direction::Apply));
            let mut after = reverted
                .clone()
                .map(|edit| (edit, Direction::Revert))
                .chain(applied.map(|edit| (edit, Direction::Apply)));
            let mut make = |(edit, direction): (&Edit<'_>, Direction)| {
                subject::apply(edit.seed, direction, &directory).is_ok()
            };
            apply.all(&mut make) && after.all(&mut make)
        })
    }

    /// Returns what is named for the benchmark of a change.
    /// `None` if the edits have effects on each other: the costliest one has another effect alone than after the others, such as
    /// in a function that another edit no longer calls.
    fn cause(&self, change: &Change<'_>) -> Result<Option<Named>, String> {
        let of_benchmark = |explained: &Explained<'_>| explained.benchmark == change.benchmark;
        // The other edits can be next to the costliest one, and then have no place without it
        let others = self.run(&change.edits, &[change.guilty], change.is_shifted).ok();
        let of_others = others.map(|(summaries, _)| {
            let found = summaries.iter().filter_map(explained).find(of_benchmark);
            found.map_or(0, |explained| explained.change)
        });
        let (summaries, sources) = self.run(&change.edits, &[], change.is_shifted)?;
        let found = summaries.iter().filter_map(explained).find(of_benchmark);
        let effect = change.effect;
        let is_it = |change: i64| change.unsigned_abs().abs_diff(effect) * MORE <= effect;
        let is_last = |all: i64| of_others.is_none_or(|others| is_it(all - others));
        let found = found.filter(|all| is_it(all.change) && is_last(all.change));
        let text_of = |PossibleLine { file, line, is_removed }: &PossibleLine| {
            let source = &sources[usize::from(!is_removed)];
            let text = source.get(file)?.lines().nth((*line as usize).checked_sub(1)?)?;
            Some((*is_removed, text.to_owned()))
        };
        Ok(found.map(|Explained { explanation, .. }| {
            let lines = explanation.cause.as_ref().map_or_else(Vec::new, named_lines);
            let lines: Option<_> = lines.iter().map(text_of).collect();
            Named { lines: lines.unwrap_or_default(), text: explanation.text.clone() }
        }))
    }

    /// Runs the benchmarks before and after these edits, without those that are left out. Returns the summaries and the sources of
    /// both sides.
    #[expect(clippy::type_complexity, reason = "each part is used once")]
    fn run(
        &self,
        edits: &[Edit<'_>],
        left_out: &[Edit<'_>],
        is_shifted: bool,
    ) -> Result<(Vec<iai_callgrind_summary::Summary>, [BTreeMap<String, String>; 2]), String> {
        let first = edits.first().ok_or("no edits")?;
        let directory = self.subject.write(self.root, first.seed)?;
        let reverted = edits.iter().filter(|edit| edit.direction == Direction::Revert);
        for edit in reverted.clone() {
            subject::apply(edit.seed, Direction::Apply, &directory)?;
        }
        let run = |arguments: &[&str]| {
            let home = self.root.join("results");
            let mut cargo = self.bench.cargo(&directory, "functions", Profile::One, &home);
            harness::summaries(cargo.args(["--", "--output-format=json"]).args(arguments))
        };
        let old = sources(&directory)?;
        let is_changed = reverted.clone().next().is_some();
        let baseline = if is_changed { "edits" } else { "base" };
        if is_changed || !self.has_base.replace(true) {
            run(&[&format!("--save-baseline={baseline}")])?;
        }
        let is_made = |edit: &&Edit<'_>| !left_out.iter().any(|other| other.is(edit));
        for edit in reverted.filter(is_made) {
            subject::apply(edit.seed, Direction::Revert, &directory)?;
        }
        let applied = edits.iter().filter(|edit| edit.direction == Direction::Apply);
        for edit in applied.filter(is_made) {
            subject::apply(edit.seed, Direction::Apply, &directory)?;
        }
        if is_shifted {
            for (path, text) in sources(&directory)? {
                let path = directory.join(path);
                let shifted =
                    text.replacen(&first_item(&text), &format!("{SHIFT}{}", first_item(&text)), 1);
                fs::write(&path, shifted).map_err(in_file(&path))?;
            }
        }
        Ok((
            run(&[&format!("--baseline={baseline}"), "--explain=all"])?,
            [old, sources(&directory)?],
        ))
    }
}

/// Returns the line of a cause, or those of which each can be the cause.
fn named_lines(cause: &Cause) -> Vec<PossibleLine> {
    match (&cause.file, cause.line) {
        (Some(file), Some(line)) => {
            vec![PossibleLine { file: file.clone(), line, is_removed: cause.is_removed_line }]
        }
        _ => cause.possible_lines.clone(),
    }
}

/// Returns the first line that is neither about the whole file nor blank.
fn first_item(text: &str) -> String {
    let is_item =
        |line: &&str| !(line.is_empty() || line.starts_with("//") || line.starts_with("#!"));
    text.lines().find(is_item).map_or_else(String::new, |line| format!("{line}\n"))
}

/// Returns the sources of the package and of those next to it, by their paths in explanations.
fn sources(directory: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut sources = BTreeMap::new();
    for root in [directory.to_owned(), directory.with_file_name("outside")] {
        for entry in walkdir(&root)? {
            let text = fs::read_to_string(&entry).map_err(in_file(&entry))?;
            let relative = entry.strip_prefix(directory).unwrap_or(&entry);
            sources.insert(relative.to_string_lossy().into_owned(), text);
        }
    }
    Ok(sources)
}

/// Returns the source files in a directory.
fn walkdir(directory: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let mut files = Vec::new();
    if !directory.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(directory).map_err(in_file(directory))? {
        let path = entry.map_err(in_file(directory))?.path();
        if path.is_dir() {
            files.extend(walkdir(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}
