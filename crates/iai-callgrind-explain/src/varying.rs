//! Values of the machine that can be the reason for a different count of the same code.

use std::collections::{BTreeMap, BTreeSet};

use crate::address_seeds::makes_address_seed;
use crate::machine_values::{
    MachineValue, THREAD_ORDER, changed_values, has_changed, is_of_loader, moved_addresses,
    other_data,
};
use crate::table::Table;
use crate::verdict::environment_changes;

/// The setting that decides whether the same program has the same addresses, with its value for the same ones.
const ADDRESSES: (&str, &str) = ("address randomization", "yes");

/// Returns the values that one of the sides asks for, if both sides run the same code.
/// `moves_by_address` is true if the addresses of data explain the change of every function.
///
/// If values of the shell or of the host changed in the environment, these are returned as well, but none if another part
/// changed.
///
/// The list of the loader's libraries alone is not such a value: the environment is the reason then.
///
/// Another program can have other constants and other addresses. Values that much code asks for
/// without an effect are then left out, unless no source that could have constants changed.
pub(crate) fn varying(
    old: &Table,
    new: &Table,
    moves_by_address: bool,
) -> Vec<&'static MachineValue> {
    let is_same_file = has_same_files(old, new);
    let is_same_code = if is_same_file { Some(true) } else { have_same_code(old, new) };
    let is_loaded_alike = is_same_file || loader_work(old) == loader_work(new);
    if is_same_code == Some(false) {
        return Vec::new();
    }
    let asked: BTreeSet<_> = old.asked().chain(new.asked()).collect();
    let environment = environment_changes(old, new);
    let parts: Vec<_> = environment.iter().map(|(name, ..)| name.as_str()).collect();
    let values = changed_values(asked.into_iter(), &parts, &new.environment);
    let Some(mut values) = values else { return Vec::new() };
    if is_same_code.is_none() || !is_loaded_alike {
        // A library that looks up the name of the user can differ, next to a program without symbols
        values.retain(|value| has_changed(value, &parts));
    }
    if values.iter().all(|value| is_of_loader(value)) {
        return Vec::new();
    }
    let is_moved =
        !is_same_file && (moves_by_address || [old, new].into_iter().any(makes_address_seeds));
    if is_moved || !(is_same_file || has_same_sources(old, new)) {
        values.retain(|value| !value.is_common);
    }
    if is_moved && !values.is_empty() {
        values.extend(moved_addresses());
    }
    values
}

/// Returns true if both sides ran the same program, with the same constants at the same addresses.
pub(crate) fn is_same_program(old: &Table, new: &Table) -> bool {
    let (name, random) = ADDRESSES;
    let is_random =
        |table: &Table| table.environment.get(name).is_some_and(|value| value == random);
    has_same_files(old, new) && !is_random(old) && !is_random(new)
}

/// Returns the value that explains a different count of the same program in the same environment, as far as the tables
/// have it. The reason is the program's data or the order of its threads; no function asks for either.
#[must_use]
pub fn unseen_value(old: &Table, new: &Table) -> Option<&'static MachineValue> {
    let has_threads = || old.asked().chain(new.asked()).any(|value| value == THREAD_ORDER);
    let instructions = |table: &Table| table.totals.first().copied();
    let is_unseen = instructions(old) != instructions(new)
        && is_same_program(old, new)
        && environment_changes(old, new).is_empty();
    if is_unseen { other_data(has_threads()) } else { None }
}

/// Returns true if both sides ran the same object files, as far as these are known.
fn has_same_files(old: &Table, new: &Table) -> bool {
    old.object_files != 0 && old.object_files == new.object_files
}

/// Returns true if all functions that ran on both sides have the same machine code; `None` if the
/// code of none of them is known. A function that ran on one side only does not matter, because its
/// callers are the same.
fn have_same_code(old: &Table, new: &Table) -> Option<bool> {
    let [old, new] = [old, new].map(|table| {
        let mut functions: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for row in &table.rows {
            let code = table.functions[row.function as usize].code;
            functions.entry(table.function_name(row.function)).or_default().insert(code);
        }
        functions
    });
    let both: Vec<_> = old.iter().filter_map(|(name, old)| Some((old, new.get(name)?))).collect();
    let is_known = both.iter().any(|(old, _)| !old.contains(&0));
    is_known.then(|| both.iter().all(|(old, new)| old.is_subset(new) || new.is_subset(old)))
}

/// Returns the instructions of the loader, which count for a command, and depend on the program as
/// a whole. Its functions can lack names.
fn loader_work(table: &Table) -> u64 {
    let is_of_loader = |name: &str| name.starts_with("_dl_") || name.starts_with("0x");
    let rows = table.rows.iter().filter(|row| is_of_loader(table.function_name(row.function)));
    rows.filter_map(|row| row.counts.first()).fold(0, |sum, count| sum.saturating_add(*count))
}

/// Returns true if only comments changed in the files that run and in the other files of their
/// packages.
fn has_same_sources(old: &Table, new: &Table) -> bool {
    let is_same = |name: &String| {
        let files = old.files.get(name).zip(new.files.get(name));
        files.is_none_or(|(old, new)| old.code == new.code)
    };
    old.files.keys().all(is_same) && old.packages == new.packages
}

fn makes_address_seeds(table: &Table) -> bool {
    table.function_names().any(|name| makes_address_seed(name).is_some())
}
