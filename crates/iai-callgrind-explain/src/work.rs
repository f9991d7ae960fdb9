//! The work of a benchmark as a number, which is the same for two builds that differ only in the
//! layout of their code.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

use fnv::FnvHasher;

use crate::table::Table;

/// Event that measures how much was executed.
const INSTRUCTIONS: &str = "Ir";

impl Table {
    /// Returns a hash of the machine code that ran and of how often the user's code ran; `None` if no machine code is known.
    ///
    /// Names, code and calls of functions count, addresses do not. Neither do instructions of libraries: searches for a
    /// byte execute a few more or fewer, depending on the address of the text. Without debug information the user's code
    /// is not known, and all instructions count.
    #[must_use]
    pub fn work(&self) -> Option<u64> {
        let functions = self.known_functions();
        if functions.is_empty() {
            return None;
        }
        let mut work = Work(FnvHasher::default());
        for (name, code) in functions {
            work.add(&[name], code);
        }
        if !self.has_debug_info {
            work.add(&[], self.total(INSTRUCTIONS).unwrap_or_default());
        }
        for (names, instructions) in self.own_instructions() {
            work.add(&names, instructions);
        }
        for (names, times) in self.calls() {
            work.add(&names, times);
        }
        Some(work.0.finish())
    }

    /// Returns the work without names: the machine code of all functions, the instructions and the calls, each sorted. A
    /// function with another name in the other table does not change it.
    ///
    /// The machine code of a function contains the names of those that it calls, so that of a function that calls one
    /// without a namesake in the other table does not count.
    pub(crate) fn nameless_work(&self, other: &Self) -> Option<[Vec<u64>; 3]> {
        let functions = self.known_functions();
        if functions.is_empty() {
            return None;
        }
        let others: BTreeSet<_> =
            other.functions.iter().map(|function| other.text(function.name)).collect();
        let to_renamed =
            self.edges.iter().filter(|edge| !others.contains(self.function_name(edge.callee)));
        let callers: BTreeSet<_> = to_renamed.map(|edge| self.function_name(edge.caller)).collect();
        let code = |(name, code)| if callers.contains(name) { 0 } else { code };
        let codes = functions.into_iter().map(code).collect();
        let instructions = self.own_instructions().into_values().collect();
        let calls = self.calls().into_values().collect();
        Some([codes, instructions, calls].map(|mut all: Vec<u64>| {
            all.sort_unstable();
            all
        }))
    }

    /// Returns the names and the known machine code of the functions that ran.
    fn known_functions(&self) -> BTreeSet<(&str, u64)> {
        let known = self.functions.iter().filter(|function| function.code != 0);
        known.map(|function| (self.text(function.name), function.code)).collect()
    }

    /// Returns the instructions of the user's code, by the function with the machine code and the innermost function.
    fn own_instructions(&self) -> BTreeMap<[&str; 2], u64> {
        let index = self.events.iter().position(|event| event == INSTRUCTIONS);
        let mut all = BTreeMap::new();
        for row in &self.rows {
            let innermost = self.stacks[row.stack as usize].last();
            let is_own =
                innermost.is_some_and(|frame| self.frames[*frame as usize].name == row.inner);
            let count = index.and_then(|index| row.counts.get(index)).filter(|_| is_own);
            if let Some(count) = count {
                let names = [self.function_name(row.function), self.text(row.inner)];
                *all.entry(names).or_default() += count;
            }
        }
        all
    }

    /// Returns the number of calls by caller and callee, from functions with known machine code.
    /// Callees without it count as one, because their names can be addresses.
    fn calls(&self) -> BTreeMap<[&str; 2], u64> {
        let name = |index: u32| {
            let is_known = self.functions[index as usize].code != 0;
            is_known.then(|| self.function_name(index))
        };
        let mut all: BTreeMap<_, u64> = BTreeMap::new();
        for edge in &self.edges {
            let Some(caller) = name(edge.caller) else { continue };
            let times = all.entry([caller, name(edge.callee).unwrap_or_default()]).or_default();
            *times = times.saturating_add(edge.times);
        }
        all
    }
}

/// Hashes names and numbers.
struct Work(FnvHasher);

impl Work {
    fn add(&mut self, names: &[&str], number: u64) {
        for name in names {
            self.0.write(name.as_bytes());
            self.0.write(&[0]);
        }
        self.0.write(&number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Edge, Frame, Function, Row};

    /// Returns a table in which the user's `f` at this line executes 20 instructions and calls `memrchr` twice, which
    /// executes 12.
    fn table(line: u32) -> Table {
        let mut table = Table::new(vec!["Ir".to_owned(), "Dr".to_owned()]);
        table.has_debug_info = true;
        table.texts = ["f", "src/lib.rs", "memrchr", "0x4a20"].map(str::to_owned).to_vec();
        let function = |name, code| Function { name, calls: 2, code };
        table.functions = vec![function(0, 7), function(2, 8), function(3, 0)];
        table.frames = vec![Frame { name: 0, file: 1, line, text: 9, pair: 8 }];
        table.stacks = vec![vec![0], vec![]];
        let row = |function, stack, inner, counts| Row { function, stack, inner, counts };
        table.rows = vec![row(0, 0, 0, vec![20, 5]), row(1, 1, 2, vec![12]), row(2, 1, 3, vec![4])];
        table.edges = vec![Edge { caller: 0, stack: 0, callee: 1, times: 2, inclusive: 12 }];
        table.totals = vec![36, 5];
        table
    }

    fn changed(change: impl Fn(&mut Table)) -> bool {
        let mut changed = table(3);
        change(&mut changed);
        table(3).work().unwrap() != changed.work().unwrap()
    }

    #[test]
    fn the_layout_does_not_count() {
        assert_eq!(table(3).work(), table(70).work(), "lines");
        assert!(!changed(|table| table.functions.push(Function { name: 2, calls: 0, code: 8 })));
        assert!(!changed(|table| table.rows[1].counts[0] += 4), "instructions of libraries");
        assert!(!changed(|table| table.rows[0].counts[1] += 4), "other events");
        let call = |name: &'static str, times| {
            move |table: &mut Table| {
                table.texts[3] = name.to_owned();
                table.edges.push(Edge { caller: 1, stack: 1, callee: 2, times, inclusive: 4 });
            }
        };
        let work = |change: &dyn Fn(&mut Table)| {
            let mut table = table(3);
            change(&mut table);
            table.work()
        };
        assert_eq!(work(&call("0x4a20", 1)), work(&call("0x4b20", 1)), "names that are addresses");
        assert_ne!(work(&call("0x4a20", 1)), work(&call("0x4a20", 2)), "calls of such functions");
        let reordered = |table: &mut Table| {
            table.functions.swap(0, 1);
            table.rows.reverse();
            for row in &mut table.rows {
                row.function = [1, 0, 2][row.function as usize];
            }
            (table.edges[0].caller, table.edges[0].callee) = (1, 0);
        };
        assert!(!changed(reordered));
    }

    #[test]
    fn other_code_and_other_work_count() {
        assert!(changed(|table| table.functions[1].code = 9));
        assert!(changed(|table| table.texts[2] = "memchr".to_owned()));
        assert!(changed(|table| table.rows[0].counts[0] += 1), "instructions of user code");
        assert!(changed(|table| table.edges[0].times += 1), "calls");
        let without = |instructions| {
            let mut table = table(3);
            table.has_debug_info = false;
            table.totals[0] = instructions;
            table.work()
        };
        assert_ne!(without(36), without(37));
    }

    #[test]
    fn without_names_a_renamed_function_is_the_same() {
        let is_same = |change: &dyn Fn(&mut Table)| {
            let (old, mut new) = (table(3), table(3));
            change(&mut new);
            old.nameless_work(&new) == new.nameless_work(&old)
        };
        assert!(is_same(&|table| table.texts[0] = "g".to_owned()));
        assert!(!is_same(&|table| table.functions[0].code = 9));
        assert!(!is_same(&|table| table.edges[0].times += 1));
    }

    #[test]
    fn the_caller_of_a_renamed_function_has_the_same_work() {
        let is_same = |change: &dyn Fn(&mut Table)| {
            let (old, mut new) = (table(3), table(3));
            new.texts[2] = "memrchr2".to_owned();
            // The name of the callee is a part of its code
            new.functions[0].code = 70;
            change(&mut new);
            old.nameless_work(&new) == new.nameless_work(&old)
        };
        assert!(is_same(&|_| ()));
        assert!(!is_same(&|table| table.functions[1].code = 9), "the renamed function");
        assert!(!is_same(&|table| table.rows[0].counts[0] += 1), "instructions of the caller");
    }

    #[test]
    fn without_machine_code_nothing_is_known() {
        let mut table = table(3);
        table.functions.iter_mut().for_each(|function| function.code = 0);
        assert_eq!(table.work(), None);
        assert_eq!(table.nameless_work(&table), None);
    }
}
