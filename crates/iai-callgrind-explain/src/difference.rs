//! The difference of two tables: the owners of the changes, and the kind of each change.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::alignment::{Gaps, Lines};
use crate::entry::{Callee, ChangedLine, CodeChange, Entry, SiteChange, signed};
use crate::files::{RunningFile, running};
use crate::machine_values::MachineValue;
use crate::names::{self, NAMELESS};
use crate::owner::{Aliases, Charge, Site, charge, site};
use crate::sources::Line;
use crate::table::{File, Frame, Table};
use crate::varying::unseen_value;
use crate::verdict::{self, Verdict};

/// The difference of two results under their first event, instructions.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The total of the old result.
    pub old: u64,
    /// The total of the new result.
    pub new: u64,
    /// The kind of the difference.
    pub verdict: Verdict,
    /// The owners of the changes, the largest change first. The changes add up to the difference.
    pub entries: Vec<Entry>,
    /// The changes in machine code that is not the user's, the largest first.
    pub executed_in: Vec<(String, i64)>,
    /// The user's source files that run in one of the results.
    pub files: Vec<RunningFile>,
    /// False if a result has no debug information, so that the owners are crates.
    pub has_debug_info: bool,
    /// The reason that is left if the same program ran in the same environment.
    pub unseen_value: Option<&'static MachineValue>,
}

impl Difference {
    /// Compares two tables. The count varies by up to `spread` without any change.
    ///
    /// # Panics
    ///
    /// Panics if the entries do not add up to the difference, which would be a defect.
    #[must_use]
    pub fn new(old: &Table, new: &Table, spread: Option<u64>) -> Self {
        let has_debug_info = old.has_debug_info && new.has_debug_info;
        let aliases = Aliases::new(old, new);
        let owners = owners(old, new, &aliases, !has_debug_info);
        let sides = [old, new].map(|table| Side::new(table, &aliases));
        let changed = changed_lines(old, new, &aliases);
        let mut entries: Vec<_> = owners
            .into_iter()
            .filter(|(_, changes)| changes.old != changes.new)
            .map(|(owner, changes)| changes.entry(owner, &sides, &changed))
            .collect();
        entries.sort_by(|left, right| {
            let size = |entry: &Entry| entry.old.abs_diff(entry.new);
            size(right).cmp(&size(left)).then_with(|| left.owner.cmp(&right.owner))
        });
        let total = |table: &Table| table.totals.first().copied().unwrap_or_default();
        let sum: i64 = entries.iter().map(Entry::change).sum();
        assert_eq!(sum, signed(total(new)) - signed(total(old)), "the entries are the difference");
        let verdict = verdict::judge(old, new, &entries, changed.by_cost(&entries), spread);
        Self {
            old: total(old),
            new: total(new),
            verdict,
            entries,
            executed_in: executed_in(old, new),
            files: running(old, new),
            has_debug_info,
            unseen_value: unseen_value(old, new),
        }
    }

    /// Returns the first entries that together have at least this share of all changes, and the share. Changes of both
    /// signs count.
    #[must_use]
    pub fn most(&self, share: f64, largest: usize) -> (&[Entry], f64) {
        let size = |entry: &Entry| entry.old.abs_diff(entry.new) as f64;
        let all: f64 = self.entries.iter().map(size).sum();
        let (mut number, mut shown) = (0, 0.0);
        while number < self.entries.len().min(largest) && shown < share * all {
            shown += size(&self.entries[number]);
            number += 1;
        }
        (&self.entries[..number], if all > 0.0 { shown / all } else { 1.0 })
    }
}

/// The change of a place.
#[derive(Default)]
struct SiteCost {
    change: i64,
    /// The number of the line, in the new source if it is there.
    line: u32,
    is_in_new: bool,
}

/// The changes of an owner.
#[derive(Default)]
struct Changes {
    old: u64,
    new: u64,
    assumed: u64,
    sites: BTreeMap<Site, SiteCost>,
}

fn owners(
    old: &Table,
    new: &Table,
    aliases: &Aliases,
    by_crate: bool,
) -> BTreeMap<Option<String>, Changes> {
    let mut owners: BTreeMap<Option<String>, Changes> = BTreeMap::new();
    for (table, is_new) in [(old, false), (new, true)] {
        for (site, Charge { cost, assumed, line }) in charge(table, aliases, by_crate) {
            let changes = owners.entry(site.owner.clone()).or_default();
            *(if is_new { &mut changes.new } else { &mut changes.old }) += cost;
            changes.assumed += assumed;
            let known = changes.sites.entry(site).or_default();
            known.change += if is_new { signed(cost) } else { -signed(cost) };
            (known.line, known.is_in_new) = (line, is_new);
        }
    }
    owners
}

impl Changes {
    fn entry(self, owner: Option<String>, both: &[Side; 2], changed: &Changed) -> Entry {
        let mut sites: Vec<_> = self
            .sites
            .into_iter()
            .filter(|(_, cost)| cost.change != 0)
            .map(|(Site { file, via, .. }, SiteCost { change, line, is_in_new })| SiteChange {
                file,
                line,
                is_gone: !is_in_new,
                via,
                change,
            })
            .collect();
        sites.sort_by_key(|site| Reverse(site.change.unsigned_abs()));
        let known = |side: &'_ Side| {
            owner.as_ref().and_then(|owner| side.functions.get(owner).cloned()).unwrap_or_default()
        };
        let [before, after] = [known(&both[0]), known(&both[1])];
        let code = match &owner {
            Some(owner) if !owner.starts_with("crate ") => code_change(&before, &after),
            _ => CodeChange::Unknown,
        };
        let callees = owner.as_deref().map(|owner| callees(owner, both)).unwrap_or_default();
        let lines_in = |lines: &BTreeMap<String, BTreeSet<ChangedLine>>| {
            let lines = owner.as_ref().and_then(|owner| lines.get(owner));
            lines.into_iter().flatten().cloned().collect()
        };
        Entry {
            file: sites.first().map(|site| site.file.clone()).unwrap_or_default(),
            old: self.old,
            new: self.new,
            assumed: self.assumed,
            // An inlined function also runs without a call
            calls: if before.is_inlined || after.is_inlined {
                (0, 0)
            } else {
                (before.calls, after.calls)
            },
            code,
            changed_lines: lines_in(&changed.by_owner),
            merged_lines: lines_in(&changed.merged),
            sites,
            callees,
            owner,
        }
    }
}

/// A function of one side.
#[derive(Default, Clone)]
struct Known {
    calls: u64,
    code: BTreeSet<u64>,
    /// Machine code of the functions that contain it.
    hosts: BTreeSet<u64>,
    /// The function has machine code of its own.
    is_function: bool,
    /// The function is a part of other functions.
    is_inlined: bool,
}

impl Known {
    fn has_unknown_code(&self) -> bool {
        self.code.contains(&0) || self.hosts.contains(&0)
    }
}

/// The functions of one side, by names that are the same on both sides.
struct Side {
    functions: BTreeMap<String, Known>,
    /// Number of calls by caller and callee.
    calls: HashMap<(String, String), u64>,
    /// Functions that are parts of other functions, some by the last part of their names.
    inlined: HashSet<String>,
    /// Number of calls by callee, from the user's functions and from all others.
    called: HashMap<String, u64>,
}

impl Side {
    fn new(table: &Table, aliases: &Aliases) -> Self {
        let mut functions: BTreeMap<String, Known> = BTreeMap::new();
        let name = |text: u32| aliases.common(names::function(table.text(text)));
        for function in &table.functions {
            let known = functions.entry(name(function.name)).or_default();
            // A call of a closure is not a call of the function around it
            if !names::is_closure(table.text(function.name)) {
                known.calls = known.calls.saturating_add(function.calls);
            }
        }
        let mut inlined = HashSet::new();
        for row in &table.rows {
            let function = &table.functions[row.function as usize];
            let physical = name(function.name);
            let known = functions.entry(physical.clone()).or_default();
            known.is_function = true;
            known.code.insert(function.code);
            for frame in &table.stacks[row.stack as usize] {
                let name = aliases.name(table, &table.frames[*frame as usize]);
                if let Some(name) = name.filter(|name| *name != physical) {
                    let known = functions.entry(name).or_default();
                    known.is_inlined = true;
                    known.hosts.insert(function.code);
                }
            }
            if row.inner != function.name {
                inlined.insert(name(row.inner));
            }
        }
        let mut calls: HashMap<_, u64> = HashMap::new();
        let mut called: HashMap<_, u64> = HashMap::new();
        for edge in &table.edges {
            let target = aliases.common(names::short(table.function_name(edge.callee)));
            *called.entry(target.clone()).or_default() += edge.times;
            if let Some((Site { owner: Some(owner), .. }, _)) = site(table, aliases, edge.stack) {
                *calls.entry((owner, target)).or_default() += edge.times;
            }
        }
        Self { functions, calls, inlined, called }
    }

    /// Returns true if the function is called in machine code and never a part of another function.
    fn is_only_called(&self, callee: &str) -> bool {
        self.called.contains_key(callee) && !self.is_inlined(callee)
    }

    /// Returns true if the function is a part of another one.
    fn is_inlined(&self, callee: &str) -> bool {
        self.inlined.contains(callee) || self.inlined.contains(names::last(callee))
    }
}

/// Returns the functions that the owner calls more often or less often, the largest change first and those without a
/// name last, except for functions that one of the compilers inlined.
fn callees(owner: &str, sides: &[Side; 2]) -> Vec<Callee> {
    let names: BTreeSet<_> = sides
        .iter()
        .flat_map(|side| side.calls.keys())
        .filter(|(caller, callee)| {
            caller == owner && !sides.iter().any(|side| side.is_inlined(callee))
        })
        .collect();
    let changed = names.into_iter().map(|key| {
        let [old, new] = sides.each_ref().map(|side| side.calls.get(key).copied().unwrap_or(0));
        let [all_old, all_new] =
            sides.each_ref().map(|side| side.called.get(&key.1).copied().unwrap_or(0));
        let is_moved = if new > old { all_new <= all_old } else { all_new >= all_old };
        Callee { name: key.1.clone(), old, new, is_moved }
    });
    let mut changed: Vec<_> = changed
        .filter(|Callee { name, old, new, .. }| {
            // A call that moved into or out of an inlined function is the same call
            old != new
                && (sides.iter().all(|side| side.is_only_called(name)) || *old == 0 || *new == 0)
        })
        .collect();
    changed.sort_by_key(|Callee { name, old, new, .. }| {
        (name.starts_with(NAMELESS), Reverse(old.abs_diff(*new)))
    });
    changed
}

fn code_change(before: &Known, after: &Known) -> CodeChange {
    let state = |known: &Known| (known.is_function, known.is_inlined);
    match (state(before), state(after)) {
        ((false, false), (false, false)) => CodeChange::None,
        ((false, false), _) => CodeChange::New,
        (_, (false, false)) => CodeChange::Gone,
        ((true, false), (false, true)) => CodeChange::Inlined,
        ((false, true), (true, false)) => CodeChange::NoLongerInlined,
        ((false, true), (false, true)) => CodeChange::InCallers,
        _ if [before, after].iter().any(|known| known.has_unknown_code()) => CodeChange::Unknown,
        _ if before.code != after.code => CodeChange::Other,
        _ if before.hosts == after.hosts => CodeChange::Same,
        // Only a part of the function, such as a closure, has its own machine code
        ((_, false), _) => CodeChange::Inlined,
        (_, (_, false)) => CodeChange::NoLongerInlined,
        _ => CodeChange::InCallers,
    }
}

/// The lines that run on one side and that the source of the other side does not contain.
#[derive(Default)]
struct Changed {
    by_owner: BTreeMap<String, BTreeSet<ChangedLine>>,
    /// The lines that can have the cost of another edit.
    merged: BTreeMap<String, BTreeSet<ChangedLine>>,
    all: BTreeSet<ChangedLine>,
}

impl Changed {
    /// Returns all lines, the largest change of the cost first.
    fn by_cost(self, entries: &[Entry]) -> Vec<ChangedLine> {
        let mut costs: HashMap<_, i64> = HashMap::new();
        for SiteChange { file, line, is_gone, change, .. } in
            entries.iter().flat_map(|entry| &entry.sites)
        {
            *costs.entry((file, *line, !is_gone)).or_default() += change;
        }
        let cost = |ChangedLine { file, line, is_new, .. }: &ChangedLine| {
            costs.get(&(file, *line, *is_new)).copied().unwrap_or_default()
        };
        let mut lines: Vec<_> = self.all.into_iter().collect();
        lines.sort_by_cached_key(|line| Reverse(cost(line).unsigned_abs()));
        lines
    }

    /// Adds the changed lines of one side that a closure of the same function is inlined at, if lines of the closure
    /// changed too and nothing runs in their place on the other side.
    ///
    /// The compiler drops the places of instructions that it moves out of a branch. Those of the closure's other version
    /// can then have the line that calls it.
    fn add_merged(&mut self, table: &Table, is_new: bool, aliases: &Aliases) {
        // Two edits are at two lines
        if self.all.len() < 2 {
            return;
        }
        let mut merged = Vec::new();
        for frames in table.rows.iter().flat_map(|row| table.stacks[row.stack as usize].windows(2))
        {
            let [outer, inner] = [0, 1].map(|index| &table.frames[frames[index] as usize]);
            let Some(owner) = aliases.name(table, outer) else { continue };
            let Some(lines) = self.by_owner.get(&owner) else { continue };
            let find = |frame: &Frame| {
                let file = table.text(frame.file);
                lines.iter().find(|line| line.is_at(file, frame.line, is_new))
            };
            let Some((outer, inner)) = find(outer).zip(find(inner)) else { continue };
            let is_of_edit =
                |line: &ChangedLine| line.after == inner.after && line.file == inner.file;
            let has_other_side = lines.iter().any(|line| line.is_new != is_new && is_of_edit(line));
            if !is_of_edit(outer) && !has_other_side {
                merged.push((owner, outer.clone()));
            }
        }
        for (owner, line) in merged {
            self.merged.entry(owner).or_default().insert(line);
        }
    }
}

fn changed_lines(old: &Table, new: &Table, aliases: &Aliases) -> Changed {
    let mut changed = Changed::default();
    let [new_lines, old_lines] = [new, old].map(executed_lines);
    let mut gaps: HashMap<&str, Gaps> = HashMap::new();
    for (table, other, is_new) in [(new, old, true), (old, new, false)] {
        let elsewhere = LinesElsewhere::new(other, aliases);
        for frame in executed(table) {
            let file = table.text(frame.file);
            let files = table.files.get(file).zip(other.files.get(file));
            let is_new_text =
                files.is_some_and(|(own, other)| is_changed(frame.hashes(), own, other));
            let name = aliases.name(table, frame);
            if !is_new_text || elsewhere.contains(file, name.as_deref(), frame.text) {
                continue;
            }
            let gaps = gaps.entry(file).or_insert_with(|| {
                let lines =
                    |lines: &HashMap<&str, Lines>| lines.get(file).cloned().unwrap_or_default();
                Gaps::new(file, (new, &lines(&new_lines)), (old, &lines(&old_lines)))
            });
            let after = gaps.find(frame.line, is_new);
            let line = ChangedLine { file: file.to_owned(), line: frame.line, is_new, after };
            if let Some(owner) = name {
                changed.by_owner.entry(owner).or_default().insert(line.clone());
            }
            changed.all.insert(line);
        }
    }
    for (table, is_new) in [(new, true), (old, false)] {
        changed.add_merged(table, is_new, aliases);
    }
    changed
}

/// Returns the frames of lines that run.
fn executed(table: &Table) -> impl Iterator<Item = &Frame> {
    let executed: BTreeSet<_> =
        table.rows.iter().flat_map(|row| &table.stacks[row.stack as usize]).collect();
    let executed = executed.into_iter().map(|frame| &table.frames[*frame as usize]);
    executed.chain(&table.implied)
}

/// Returns the lines that run by their files.
fn executed_lines(table: &Table) -> HashMap<&str, Lines> {
    let mut files: HashMap<_, Lines> = HashMap::new();
    for frame in executed(table).filter(|frame| frame.line > 0) {
        files.entry(table.text(frame.file)).or_default().insert(frame.line, frame.hashes());
    }
    files
}

/// The lines that run in the other table, to find lines of a function that moved to another file.
struct LinesElsewhere(HashMap<(String, u32), BTreeSet<String>>);

impl LinesElsewhere {
    fn new(table: &Table, aliases: &Aliases) -> Self {
        let mut files: HashMap<_, BTreeSet<String>> = HashMap::new();
        for frame in table.frames.iter().chain(&table.implied) {
            if let Some(name) = aliases.name(table, frame) {
                let key = (names::last(&name).to_owned(), frame.text);
                files.entry(key).or_default().insert(table.text(frame.file).to_owned());
            }
        }
        Self(files)
    }

    /// Returns true if a function of this name runs a line with this text in another file.
    fn contains(&self, file: &str, name: Option<&str>, text: u32) -> bool {
        let key = name.map(|name| (names::last(name).to_owned(), text));
        key.and_then(|key| self.0.get(&key))
            .is_some_and(|files| files.iter().any(|own| own != file))
    }
}

/// Returns true if another version of a file does not contain a line. If its text occurs more often
/// than there, the line of code before it decides.
pub(crate) fn is_changed(line: Line, own: &File, other: &File) -> bool {
    if line.text == 0 || own.code == other.code {
        return false;
    }
    let number = other.texts.number_of(line.text);
    number == 0 || own.texts.number_of(line.text) > number && other.pairs.number_of(line.pair) == 0
}

/// Returns the changes of machine code that is not the user's, with at least a fifth of the largest one.
fn executed_in(old: &Table, new: &Table) -> Vec<(String, i64)> {
    let mut changes: BTreeMap<String, i64> = BTreeMap::new();
    let mut own = HashSet::new();
    for (table, sign) in [(old, -1), (new, 1)] {
        for row in &table.rows {
            let function = &table.functions[row.function as usize];
            let name = names::short(table.text(function.name));
            let outermost = table.stacks[row.stack as usize].first();
            if outermost.is_some_and(|frame| table.frames[*frame as usize].name == function.name) {
                own.insert(name.clone());
            }
            let cost = signed(row.counts.first().copied().unwrap_or_default());
            *changes.entry(name).or_default() += sign * cost;
        }
    }
    let mut changes: Vec<_> =
        changes.into_iter().filter(|(name, change)| *change != 0 && !own.contains(name)).collect();
    changes.sort_by_key(|(_, change)| Reverse(change.unsigned_abs()));
    let largest = changes.first().map_or(0, |(_, change)| change.unsigned_abs());
    changes.retain(|(_, change)| change.unsigned_abs() * 5 > largest);
    changes
}
