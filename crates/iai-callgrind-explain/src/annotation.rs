//! The user's source lines with their costs, of one result or of two.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use crate::alignment::{self, partners};
use crate::difference::is_changed;
use crate::entry::signed;
use crate::sources::{Line, Source};
use crate::table::{Edge, Frame, Table};

/// The user's lines that run in a result, next to those of an old one.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// The totals of the event.
    pub total: LineCost,
    /// Costs of instructions that belong to none of the user's lines, such as those of library
    /// functions.
    pub no_line: LineCost,
    /// The files with lines that run, the one with the highest self cost first.
    pub files: Vec<AnnotatedFile>,
    /// True if the inclusive costs are known, as for the first event.
    pub has_inclusive: bool,
}

/// A user source file.
#[derive(Debug, Clone)]
pub struct AnnotatedFile {
    /// The path, relative to the workspace if the file is in it.
    pub path: String,
    /// The lines that run or ran, in the order of their numbers.
    pub lines: Vec<AnnotatedLine>,
    /// The hash of the new source; `None` if it is not known.
    hash: Option<u64>,
    /// The hash of the old source.
    old_hash: Option<u64>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedLine {
    /// The number in the new source, or in the old one if only the old result has the line.
    pub number: u32,
    /// The line has no cost in the new result.
    pub is_gone: bool,
    /// The source of the other result does not contain the line. False without an old result.
    pub is_changed: bool,
    /// The self cost: instructions whose innermost user line is this one, including inlined library
    /// code.
    pub self_cost: LineCost,
    /// The cost while the line is on the call stack: the self cost, and the cost of all code that
    /// the line calls, inlined or not. A stack with the line on several levels of a recursion
    /// counts once.
    ///
    /// A profile has calls, not stacks. Without recursion the cost is exact. With recursion, each
    /// cost is followed from callee to caller until it reaches the line or the start of the
    /// measurement, and only the part that reaches the line counts. Several callers share it by the
    /// number of their calls inside of the recursion, and by the inclusive costs of their calls
    /// elsewhere. So it never exceeds the total.
    pub inclusive: LineCost,
    hashes: Line,
    place: Place,
}

/// The places in the new source of a line that only the old result has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Place {
    /// The numbers between the next lines before and after it that run in both results.
    gap: Range<u32>,
    /// The new source contains its text as often as the old one, so it can have moved out of the gap.
    can_have_moved: bool,
}

/// A cost in the new result and in the old one; 0 if a result has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineCost {
    /// The cost in the new result.
    pub new: u64,
    /// The cost in the old result.
    pub old: u64,
}

impl LineCost {
    /// Returns the new cost minus the old one.
    #[must_use]
    pub fn change(self) -> i64 {
        signed(self.new) - signed(self.old)
    }

    fn add(&mut self, other: Self) {
        self.new += other.new;
        self.old += other.old;
    }
}

impl Annotation {
    /// Annotates the lines of a result with the costs of an event. Returns `None` if a table lacks the event.
    ///
    /// # Panics
    ///
    /// Panics if the self costs do not add up to the total, which would be a defect.
    #[must_use]
    pub fn new(new: &Table, old: Option<&Table>, event: &str) -> Option<Self> {
        let event_of = |table: &Table| table.events.iter().position(|name| name == event);
        let new_costs = Costs::new(new, event_of(new)?);
        let old_costs = match old {
            Some(old) => Some((old, Costs::new(old, event_of(old)?))),
            None => None,
        };
        let old_event = old_costs.as_ref().map(|(_, costs)| costs.event);
        let mut annotation = Self {
            total: LineCost { new: new_costs.total, old: 0 },
            no_line: LineCost { new: new_costs.no_line, old: 0 },
            files: Vec::new(),
            has_inclusive: new_costs.event == 0 && old_event.is_none_or(|event| event == 0),
        };
        let mut files = new_costs.files;
        let mut old_files = BTreeMap::new();
        if let Some((_, costs)) = old_costs {
            annotation.total.old = costs.total;
            annotation.no_line.old = costs.no_line;
            old_files = costs.files;
        }
        // The lines of a file that no longer runs are missing in the new result
        for path in old_files.keys() {
            files.entry(path).or_default();
        }
        for (path, lines) in files {
            let old_lines = old_files.remove(path).unwrap_or_default();
            annotation.files.push(AnnotatedFile {
                path: path.to_owned(),
                lines: merge(path, (new, lines), old.map(|old| (old, old_lines))),
                hash: new.files.get(path).map(|file| file.hash),
                old_hash: old.and_then(|old| old.files.get(path)).map(|file| file.hash),
            });
        }
        annotation.check();
        annotation.files.sort_by_key(|file| {
            let LineCost { new, old } = file.self_cost();
            std::cmp::Reverse((new, old))
        });
        Some(annotation)
    }

    fn check(&self) {
        let mut sum = self.no_line;
        self.files.iter().for_each(|file| sum.add(file.self_cost()));
        assert_eq!(sum, self.total, "the self costs are the total");
        let inclusive = self.files.iter().flat_map(|file| &file.lines).map(|line| line.inclusive);
        for LineCost { new, old } in inclusive {
            assert!(new <= self.total.new && old <= self.total.old, "a stack counts once");
        }
    }
}

impl AnnotatedFile {
    /// Returns the sum of the self costs of all lines.
    #[must_use]
    pub fn self_cost(&self) -> LineCost {
        let mut sum = LineCost::default();
        self.lines.iter().for_each(|line| sum.add(line.self_cost));
        sum
    }

    /// Returns true if this is the content of the file when the old result was measured.
    #[must_use]
    pub fn is_old_source(&self, content: &str) -> bool {
        self.old_hash.is_some() && Source::new(content).hash == self.old_hash
    }

    /// Returns the number and the text of each line in the source file with this content, `None` for a line that is not
    /// in it. Returns `None` for another source than that of the new result.
    #[must_use]
    pub fn find_lines<'a>(&self, content: &'a str) -> Option<Vec<Option<(u32, &'a str)>>> {
        let source = Source::new(content);
        if source.hash != self.hash {
            return None;
        }
        let texts: Vec<_> = content.lines().collect();
        let runs: BTreeSet<_> =
            self.lines.iter().filter(|line| !line.is_gone).map(|line| line.number).collect();
        let has_moved = |line: &AnnotatedLine| line.is_gone && self.old_hash != self.hash;
        let find = |line: &AnnotatedLine| {
            let number = if has_moved(line) {
                source.find(line.hashes, &line.place, &runs)?
            } else {
                line.number
            };
            let index = (number as usize).checked_sub(1)?;
            Some((number, *texts.get(index)?))
        };
        Some(self.lines.iter().map(find).collect())
    }
}

impl Source {
    /// Returns the number of the line with these hashes, after the same line of code if there are
    /// several. Excludes lines with the other numbers.
    fn find(&self, hashes: Line, place: &Place, others: &BTreeSet<u32>) -> Option<u32> {
        let numbers = (1..).zip(&self.lines).filter(|(number, _)| !others.contains(number));
        let same_text = |(_, line): &(u32, &Line)| hashes.text != 0 && line.text == hashes.text;
        let (near, far): (Vec<_>, Vec<_>) =
            numbers.filter(same_text).partition(|(number, _)| place.gap.contains(number));
        let found = if near.is_empty() && place.can_have_moved { far } else { near };
        let same_pair = found.iter().find(|(_, line)| line.pair == hashes.pair);
        same_pair.or(found.first()).map(|(number, _)| *number)
    }
}

/// The costs of a line on one side.
#[derive(Debug, Clone, Copy, Default)]
struct OneSide {
    self_cost: u64,
    inclusive: u64,
    hashes: Line,
}

type Lines = BTreeMap<u32, OneSide>;

/// The costs of the lines of one result.
struct Costs<'a> {
    event: usize,
    total: u64,
    no_line: u64,
    /// Lines by file and number.
    files: BTreeMap<&'a str, Lines>,
}

impl<'a> Costs<'a> {
    fn new(table: &'a Table, event: usize) -> Self {
        let mut costs = Self {
            event,
            total: table.totals.get(event).copied().unwrap_or_default(),
            no_line: 0,
            files: BTreeMap::new(),
        };
        let stacks = Stacks::new(table);
        let mut lines = vec![OneSide::default(); stacks.lines.len()];
        for (line, (_, frame)) in lines.iter_mut().zip(&stacks.lines) {
            line.hashes = frame.hashes();
        }
        for row in &table.rows {
            let cost = row.counts.get(event).copied().unwrap_or_default();
            match stacks.innermost[row.stack as usize] {
                Some(line) => lines[line].self_cost += cost,
                None => costs.no_line += cost,
            }
        }
        if event == 0 {
            for (line, inclusive) in lines.iter_mut().zip(Inclusive::new(table, &stacks).all()) {
                line.inclusive = inclusive;
            }
        }
        for (line, (file, frame)) in lines.into_iter().zip(stacks.lines) {
            if line.self_cost > 0 || line.inclusive > 0 {
                costs.files.entry(file).or_default().insert(frame.line, line);
            }
        }
        costs
    }
}

/// The lines of the stacks of a table.
struct Stacks<'a> {
    /// Each line with its file and one of its frames.
    lines: Vec<(&'a str, &'a Frame)>,
    /// The lines on each stack, each once.
    on: Vec<Vec<usize>>,
    /// The innermost line of each stack.
    innermost: Vec<Option<usize>>,
}

impl<'a> Stacks<'a> {
    fn new(table: &'a Table) -> Self {
        let mut stacks = Self { lines: Vec::new(), on: Vec::new(), innermost: Vec::new() };
        let mut ids = HashMap::new();
        for stack in &table.stacks {
            let mut on = Vec::new();
            // Code that the compiler generated has no line
            let frames = stack.iter().map(|frame| &table.frames[*frame as usize]);
            for frame in frames.filter(|frame| frame.line > 0) {
                let id =
                    *ids.entry((table.text(frame.file), frame.line)).or_insert_with_key(|key| {
                        stacks.lines.push((key.0, frame));
                        stacks.lines.len() - 1
                    });
                on.push(id);
            }
            stacks.innermost.push(on.last().copied());
            on.sort_unstable();
            on.dedup();
            stacks.on.push(on);
        }
        stacks
    }
}

/// Finds the inclusive costs of lines.
struct Inclusive<'a> {
    table: &'a Table,
    stacks: &'a Stacks<'a>,
    /// The calls that lead to each function, and those that it makes.
    callers: Vec<Vec<&'a Edge>>,
    callees: Vec<Vec<&'a Edge>>,
    /// Total cost of each function: its self cost and the cost of its calls.
    leaving: Vec<u64>,
    /// The functions with each line.
    functions: Vec<BTreeSet<u32>>,
    /// The calls of each line.
    calls: Vec<Vec<&'a Edge>>,
}

impl<'a> Inclusive<'a> {
    fn new(table: &'a Table, stacks: &'a Stacks<'a>) -> Self {
        let mut inclusive = Self {
            table,
            stacks,
            callers: vec![Vec::new(); table.functions.len()],
            callees: vec![Vec::new(); table.functions.len()],
            leaving: vec![0; table.functions.len()],
            functions: vec![BTreeSet::new(); stacks.lines.len()],
            calls: vec![Vec::new(); stacks.lines.len()],
        };
        for row in &table.rows {
            let leaving = &mut inclusive.leaving[row.function as usize];
            *leaving = leaving.saturating_add(first(&row.counts));
            for line in &stacks.on[row.stack as usize] {
                inclusive.functions[*line].insert(row.function);
            }
        }
        for edge in table.edges.iter().filter(|edge| edge.inclusive > 0) {
            let leaving = &mut inclusive.leaving[edge.caller as usize];
            *leaving = leaving.saturating_add(edge.inclusive);
            inclusive.callers[edge.callee as usize].push(edge);
            inclusive.callees[edge.caller as usize].push(edge);
            for line in &stacks.on[edge.stack as usize] {
                inclusive.functions[*line].insert(edge.caller);
                inclusive.calls[*line].push(edge);
            }
        }
        inclusive
    }

    fn all(&self) -> Vec<u64> {
        let total = self.table.totals.first().copied().unwrap_or_default();
        let mut sums = vec![0_u64; self.stacks.lines.len()];
        for row in &self.table.rows {
            for line in &self.stacks.on[row.stack as usize] {
                sums[*line] += first(&row.counts);
            }
        }
        for (line, sum) in sums.iter_mut().enumerate() {
            let called = self.called_from(line);
            if called.iter().any(|function| self.functions[line].contains(function)) {
                *sum += self.arriving(line, &called) as u64;
            } else {
                let calls = self.calls[line].iter().map(|edge| edge.inclusive);
                *sum = calls.fold(*sum, u64::saturating_add);
            }
            // The end of a process can cost more in calls than in functions
            *sum = (*sum).min(total);
        }
        sums
    }

    /// Returns the functions that the line calls, directly or not, in the order of discovery.
    fn called_from(&self, line: usize) -> Vec<u32> {
        let mut next: VecDeque<_> = self.calls[line].iter().map(|edge| edge.callee).collect();
        let mut is_found = vec![false; self.table.functions.len()];
        let mut found = Vec::new();
        while let Some(function) = next.pop_front() {
            if !std::mem::replace(&mut is_found[function as usize], true) {
                found.push(function);
                next.extend(self.callees[function as usize].iter().map(|edge| edge.callee));
            }
        }
        found
    }

    /// Returns for each function whether its calls reach the line.
    fn leading_to(&self, line: usize) -> Vec<bool> {
        let mut leads = vec![false; self.table.functions.len()];
        let mut next: Vec<_> = self.functions[line].iter().copied().collect();
        while let Some(function) = next.pop() {
            if !std::mem::replace(&mut leads[function as usize], true) {
                next.extend(self.callers[function as usize].iter().map(|edge| edge.caller));
            }
        }
        leads
    }

    /// Returns the part of the cost of instructions without the line that reaches the line, from
    /// callee to caller. The line calls these functions.
    fn arriving(&self, line: usize, called: &[u32]) -> f64 {
        /// Number of rounds until the missing part is too small to see. The shares only grow.
        const ROUNDS: usize = 1000;
        const NEGLIGIBLE: f64 = 1e-9;
        let is_on = |stack: u32| self.stacks.on[stack as usize].binary_search(&line).is_ok();
        let is_in_recursion = self.leading_to(line);
        let mut shares = vec![0.0_f64; self.table.functions.len()];
        for _ in 0..ROUNDS {
            let mut largest = 0.0_f64;
            for &function in called {
                let callers = &self.callers[function as usize];
                let entering =
                    callers.iter().fold(0, |sum: u64, edge| sum.saturating_add(edge.inclusive));
                let root = self.leaving[function as usize].saturating_sub(entering);
                let by_times = is_in_recursion[function as usize];
                let weight =
                    |edge: &Edge| if by_times { edge.times } else { edge.inclusive } as f64;
                let root = if by_times { root.min(1) } else { root } as f64;
                let all = callers.iter().map(|edge| weight(edge)).sum::<f64>() + root;
                let (mut arriving, mut again) = (0.0, 0.0);
                for edge in callers {
                    let part = weight(edge) / all.max(1.0);
                    if is_on(edge.stack) {
                        arriving += part;
                    } else if edge.caller == function {
                        again += part;
                    } else {
                        arriving += part * shares[edge.caller as usize];
                    }
                }
                // A cost that returns to the function starts again there
                let share = if again < 1.0 { (arriving / (1.0 - again)).min(1.0) } else { 0.0 };
                largest = largest.max(share - shares[function as usize]);
                shares[function as usize] = share;
            }
            if largest < NEGLIGIBLE {
                break;
            }
        }
        let others = self.table.rows.iter().filter(|row| !is_on(row.stack));
        others.map(|row| first(&row.counts) as f64 * shares[row.function as usize]).sum()
    }
}

fn first(counts: &[u64]) -> u64 {
    counts.first().copied().unwrap_or_default()
}

/// Returns the hashes of lines.
fn hashes(lines: &Lines) -> alignment::Lines {
    lines.iter().map(|(number, line)| (*number, line.hashes)).collect()
}

/// Merges the lines of both sides of a file.
fn merge(
    path: &str,
    (new_table, new): (&Table, Lines),
    old: Option<(&Table, Lines)>,
) -> Vec<AnnotatedLine> {
    let old_file = old.as_ref().and_then(|(table, _)| table.files.get(path));
    let files = new_table.files.get(path).zip(old_file);
    let mut partners = old.as_ref().map_or_else(BTreeMap::new, |(old_table, old)| {
        partners(path, (new_table, &hashes(&new)), (old_table, &hashes(old)))
    });
    let mut left = old.map(|(_, old)| old).unwrap_or_default();
    let new_numbers: BTreeMap<_, _> = partners.iter().map(|(new, old)| (*old, *new)).collect();
    let place = |number: u32, Line { text, .. }: Line| {
        let before = new_numbers.range(..number).next_back().map_or(0, |(_, new)| *new);
        let after = new_numbers.range(number..).next().map_or(u32::MAX, |(_, new)| *new);
        let can_have_moved =
            files.is_none_or(|(new, old)| new.texts.number_of(text) >= old.texts.number_of(text));
        Place { gap: before..after, can_have_moved }
    };
    let line = |number, new: Option<OneSide>, old: OneSide| {
        let is_gone = new.is_none();
        let new = new.unwrap_or(OneSide { hashes: old.hashes, ..OneSide::default() });
        let is_changed = files.is_some_and(|(new_file, old_file)| {
            let (own, other) = if is_gone { (old_file, new_file) } else { (new_file, old_file) };
            is_changed(new.hashes, own, other)
        });
        AnnotatedLine {
            number,
            is_gone,
            is_changed,
            self_cost: LineCost { new: new.self_cost, old: old.self_cost },
            inclusive: LineCost { new: new.inclusive, old: old.inclusive },
            hashes: new.hashes,
            place: if is_gone { place(number, new.hashes) } else { Place::default() },
        }
    };
    let mut lines: Vec<_> = new
        .into_iter()
        .map(|(number, new)| {
            let old = partners.remove(&number).and_then(|partner| left.remove(&partner));
            line(number, Some(new), old.unwrap_or_default())
        })
        .collect();
    lines.extend(left.into_iter().map(|(number, old)| line(number, None, old)));
    lines.sort_by_key(|line| (line.number, line.is_gone));
    lines
}

#[cfg(test)]
mod tests;
