//! The kind of a difference.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::{Callee, ChangedLine, CodeChange, Entry};
use crate::machine_values::{LOADER_CACHE, MachineValue};
use crate::names;
use crate::table::{Table, UNITS};
use crate::varying::{is_same_program, varying};

/// The start of the names of dependencies in the environment.
const DEPENDENCY: &str = "dependency ";

/// The name of the lock file in the environment of older results.
const LOCK_FILE: &str = "Cargo.lock";

/// Maximum number of instructions by which a call of a library function changes because of its
/// data's address. A search for a byte goes byte by byte up to an aligned address, and again at the
/// end.
const MOST_BY_ADDRESS: u64 = 128;

/// Events that count the accesses of the instructions, at any cache level.
const ACCESSES: [&str; 2] = ["Dr", "Dw"];

/// The kind of a difference. The first kind that applies counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The build or the machine differs: names of what differs, with the old and the new value.
    Environment(Vec<(String, String, String)>),
    /// Both results are equal.
    Equal,
    /// The instructions are the same, but not the accesses to caches.
    Caches,
    /// Lines run that the other source does not contain, the largest change of the cost first.
    ChangedLines(Vec<ChangedLine>),
    /// The machine code is the same, and the benchmark asks for these values, which vary from run
    /// to run.
    MachineValues(Vec<&'static MachineValue>),
    /// The machine code, its calls and the instructions of the user's code are the same. Library
    /// functions execute other instructions, because their data is at another address.
    DataAddresses,
    /// The count varies as much without any change.
    Spread,
    /// The same lines make other calls, or more or fewer of them: function, old and new number. Without functions, the same
    /// machine code runs more or less often.
    Calls(Vec<Callee>),
    /// The same lines run, but something else in their files changed, such as types or callers.
    OtherInFile {
        /// The files that run and differ.
        files: Vec<String>,
        /// The changes are in other files, and the crate was compiled in several units, which other
        /// code can divide differently.
        several_units: bool,
    },
    /// The files that run are the same, but others in the directories of these packages changed, such as constants.
    OtherFiles {
        /// The directories in the workspace; empty for that of the workspace.
        packages: Vec<String>,
        /// The crate was compiled in several units, which other code can divide differently.
        several_units: bool,
    },
    /// No source file of this code changed: the compiler generated other code.
    CodeGeneration {
        /// The crate was compiled in several units, which other code can divide differently.
        several_units: bool,
    },
}

/// Returns the kind of a difference.
pub(crate) fn judge(
    old: &Table,
    new: &Table,
    entries: &[Entry],
    changed: Vec<ChangedLine>,
    spread: Option<u64>,
) -> Verdict {
    if old.totals == new.totals {
        return Verdict::Equal;
    }
    let environment = environment_changes(old, new);
    // They explain what no line does
    let is_minor =
        |name: &str| name.starts_with(DEPENDENCY) || [LOCK_FILE, LOADER_CACHE].contains(&name);
    let total = |table: &Table| table.totals.first().copied().unwrap_or_default();
    let is_equal = total(old) == total(new);
    if environment.iter().any(|(name, ..)| !is_minor(name)) {
        let values = if is_equal { Vec::new() } else { varying(old, new, false) };
        if !values.is_empty() {
            return Verdict::MachineValues(values);
        }
        return Verdict::Environment(environment);
    }
    let is_same_work = old.work() == new.work();
    let is_renamed =
        || old.nameless_work(new).is_some_and(|work| Some(work) == new.nameless_work(old));
    if is_equal && has_same_accesses(old, new) && (is_same_work || is_renamed()) {
        // Nothing else moves the data of the same program
        let is_moved_by_environment = !environment.is_empty() && is_same_program(old, new);
        return if is_moved_by_environment {
            Verdict::Environment(environment)
        } else {
            Verdict::Caches
        };
    }
    if !changed.is_empty() {
        return Verdict::ChangedLines(changed);
    }
    let moves_by_address = is_same_work && moves_by_address(old, new);
    let values = if is_equal { Vec::new() } else { varying(old, new, moves_by_address) };
    if !values.is_empty() {
        return Verdict::MachineValues(values);
    }
    // The data of the same program does not move
    if moves_by_address && !is_same_program(old, new) {
        return Verdict::DataAddresses;
    }
    if !environment.is_empty() {
        return Verdict::Environment(running_dependencies(old, new, environment));
    }
    if !is_equal && spread.is_some_and(|spread| total(old).abs_diff(total(new)) <= spread) {
        return Verdict::Spread;
    }
    let significant = significant(entries);
    let inlining = [CodeChange::Inlined, CodeChange::NoLongerInlined];
    let calls: Vec<_> = significant
        .iter()
        .filter(|entry| !inlining.contains(&entry.code))
        .filter_map(|entry| entry.callees.first())
        .filter(|callee| callee.old > 0 && callee.new > 0)
        .cloned()
        .collect();
    if !calls.is_empty() {
        return Verdict::Calls(calls);
    }
    if is_same_code(old, new) {
        return Verdict::Calls(Vec::new());
    }
    let is_changed = |file: &str| {
        let files = old.files.get(file).zip(new.files.get(file));
        files.is_some_and(|(old, new)| old.code != new.code)
    };
    let files: BTreeSet<_> = significant
        .iter()
        .filter_map(|entry| entry.sites.first())
        .map(|site| site.file.clone())
        .filter(|file| is_changed(file))
        .collect();
    if !files.is_empty() {
        return Verdict::OtherInFile { files: files.into_iter().collect(), several_units: false };
    }
    let several_units = old.has_several_units() || new.has_several_units();
    // A type in a file that runs can change the code of other files, or only accesses
    let files: Vec<_> = old.files.keys().filter(|file| is_changed(file)).cloned().collect();
    if !files.is_empty() {
        return Verdict::OtherInFile { files, several_units };
    }
    let packages = old.packages.iter().filter(|(name, code)| {
        // A package that is new is not the package that runs
        new.packages.get(*name).is_some_and(|new| new != *code)
    });
    let packages: Vec<_> = packages.map(|(name, _)| name.clone()).collect();
    if !packages.is_empty() {
        return Verdict::OtherFiles { packages, several_units };
    }
    Verdict::CodeGeneration { several_units }
}

/// Returns the parts of the environment that differ, with the old and the new value. Units are not
/// compared, because their number in the debug information depends on the size of the code.
pub(crate) fn environment_changes(old: &Table, new: &Table) -> Vec<(String, String, String)> {
    let known = old.environment.iter().filter(|(name, _)| *name != UNITS);
    let changes = known.filter_map(|(name, old)| {
        let new = new.environment.get(name).filter(|new| *new != old)?;
        Some((name.clone(), old.clone(), new.clone()))
    });
    changes.collect()
}

/// Returns the dependencies whose functions execute other instructions. If none is known, because
/// the functions are inlined, returns all of them.
fn running_dependencies(
    old: &Table,
    new: &Table,
    mut changes: Vec<(String, String, String)>,
) -> Vec<(String, String, String)> {
    let mut costs: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (side, table) in [old, new].into_iter().enumerate() {
        for row in &table.rows {
            let cost = &mut costs.entry(table.function_name(row.function)).or_default()[side];
            *cost += row.counts.first().copied().unwrap_or_default();
        }
    }
    costs.retain(|_, [old, new]| old != new);
    let runs = |dependency: &str| {
        let package = dependency.strip_prefix(DEPENDENCY).unwrap_or(dependency);
        let path = format!("{}::", package.replace('-', "_"));
        let is_start = |start: &str| {
            !start.ends_with(|last: char| last.is_alphanumeric() || "_:".contains(last))
        };
        costs.keys().any(|name| name.match_indices(&path).any(|(at, _)| is_start(&name[..at])))
    };
    if changes.iter().any(|(name, ..)| runs(name)) {
        changes.retain(|(name, ..)| runs(name));
    }
    changes
}

/// Returns true if the instructions read and write as often.
fn has_same_accesses(old: &Table, new: &Table) -> bool {
    ACCESSES.iter().all(|event| old.total(event) == new.total(event))
}

/// Returns true if the data's address explains the change of every function, for two tables with
/// the same work. Without machine code, the work is not known.
fn moves_by_address(old: &Table, new: &Table) -> bool {
    let mut functions: BTreeMap<&str, [(u64, u64); 2]> = BTreeMap::new();
    for (side, table) in [old, new].into_iter().enumerate() {
        // Functions without known code count as one, because their names can be addresses
        let name = |index: u32| {
            let is_known = table.functions[index as usize].code != 0;
            if is_known { table.function_name(index) } else { "" }
        };
        for row in &table.rows {
            let (cost, _) = &mut functions.entry(name(row.function)).or_default()[side];
            *cost += row.counts.first().copied().unwrap_or_default();
        }
        for edge in &table.edges {
            let (_, calls) = &mut functions.entry(name(edge.callee)).or_default()[side];
            *calls = calls.saturating_add(edge.times);
        }
    }
    let is_explained = |[(old, before), (new, after)]: &[(u64, u64); 2]| {
        old.abs_diff(*new) <= MOST_BY_ADDRESS.saturating_mul(*before.max(after))
    };
    old.work().is_some() && functions.values().all(is_explained)
}

/// Returns true if nearly all changes are in functions with the same machine code, so their data
/// differs.
fn is_same_code(old: &Table, new: &Table) -> bool {
    let mut functions: BTreeMap<String, [(u64, BTreeSet<u64>); 2]> = BTreeMap::new();
    for (index, table) in [old, new].into_iter().enumerate() {
        for row in &table.rows {
            let function = &table.functions[row.function as usize];
            let name = names::short(table.text(function.name));
            let (cost, code) = &mut functions.entry(name).or_default()[index];
            *cost += row.counts.first().copied().unwrap_or_default();
            code.insert(function.code);
        }
    }
    let (mut all, mut same) = (0, 0);
    for [(old, before), (new, after)] in functions.values() {
        all += old.abs_diff(*new);
        if before == after && !before.contains(&0) {
            same += old.abs_diff(*new);
        }
    }
    all > 0 && (all - same) * 20 <= all
}

/// Returns the entries with at least a twentieth of all changes.
fn significant(entries: &[Entry]) -> Vec<&Entry> {
    let size = |entry: &Entry| entry.old.abs_diff(entry.new);
    let all: u64 = entries.iter().map(size).sum();
    entries.iter().filter(|entry| size(entry) * 20 > all).collect()
}
