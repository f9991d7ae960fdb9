//! Finds the lines of a source file that another version of it contains too.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::difference::is_changed;
use crate::sources::Line;
use crate::table::Table;

/// Lines of a file that run, by their numbers.
pub(crate) type Lines = BTreeMap<u32, Line>;

/// Returns the number of the old line for each new line that the old source contains.
///
/// In the same source, the numbers are the same. Otherwise the line has the same text and, if
/// possible, the same line of code before it; several such lines keep their order.
pub(crate) fn partners(
    path: &str,
    (new_table, new): (&Table, &Lines),
    (old_table, old): (&Table, &Lines),
) -> BTreeMap<u32, u32> {
    let files = new_table.files.get(path).zip(old_table.files.get(path));
    let Some((new_file, old_file)) = files.filter(|(new, old)| new.hash != old.hash) else {
        return new
            .keys()
            .filter(|number| old.contains_key(number))
            .map(|key| (*key, *key))
            .collect();
    };
    let new = new.iter().filter(|(_, line)| !is_changed(**line, new_file, old_file));
    let old = old.iter().filter(|(_, line)| !is_changed(**line, old_file, new_file));
    let (mut new, mut old): (BTreeMap<_, _>, BTreeMap<_, _>) = (new.collect(), old.collect());
    let mut partners = BTreeMap::new();
    let keys: [fn(Line) -> (u32, u32); 2] = [|line| (line.text, line.pair), |line| (line.text, 0)];
    for key in keys {
        let mut candidates: HashMap<_, VecDeque<u32>> = HashMap::new();
        for (number, line) in old.iter().filter(|(_, line)| line.text != 0) {
            candidates.entry(key(**line)).or_default().push_back(**number);
        }
        new.retain(|number, line| {
            let partner = candidates.get_mut(&key(**line)).and_then(VecDeque::pop_front);
            partner.inspect(|partner| {
                old.remove(partner);
                partners.insert(**number, *partner);
            });
            partner.is_none()
        });
    }
    partners
}

/// The gaps between the lines of a file that both versions contain.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// The numbers in the new source by those in the old one.
    of_old: BTreeMap<u32, u32>,
    /// The same by those in the new one.
    of_new: BTreeMap<u32, u32>,
}

impl Gaps {
    /// Finds the gaps between the lines that run in both tables.
    pub(crate) fn new(path: &str, new: (&Table, &Lines), old: (&Table, &Lines)) -> Self {
        let partners = partners(path, new, old);
        let of_old = partners.iter().map(|(new, old)| (*old, *new)).collect();
        Self { of_old, of_new: partners.into_keys().map(|number| (number, number)).collect() }
    }

    /// Returns the gap with a line, by the number of the line before it in the new source; 0 for the first one.
    pub(crate) fn find(&self, line: u32, is_new: bool) -> u32 {
        let lines = if is_new { &self.of_new } else { &self.of_old };
        lines.range(..line).next_back().map_or(0, |(_, number)| *number)
    }
}
