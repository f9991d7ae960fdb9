//! The functions that the compiler inlined into others, with their parts of the costs.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::names;
use crate::owner::Aliases;
use crate::table::{Frame, Function, Table};

/// The functions of a result with the code inlined into them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inlining {
    /// Names of the events.
    pub events: Vec<String>,
    names: Vec<String>,
    functions: HashMap<String, InlinedInto>,
}

/// The parts of a function in machine code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InlinedInto {
    /// The parts of its self cost, which they add up to.
    pub costs: Vec<InlinedCost>,
    /// The calls of each function, by its stable name.
    pub calls: HashMap<String, Vec<InlinedCall>>,
}

/// A user function, by the index of its name.
pub type NameId = usize;

/// A part of the self cost of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedCost {
    /// The user functions that are inlined there, the outermost one first; empty for the function's
    /// own code.
    pub path: Vec<NameId>,
    /// The library function that is inlined into the last of them.
    pub library: Option<NameId>,
    /// The counts of the events, without zeros at the end.
    pub counts: Vec<u64>,
}

/// Calls from the same inlined function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedCall {
    /// The user functions that are inlined there, the outermost one first.
    pub path: Vec<NameId>,
    /// The count of the first event during the calls.
    pub inclusive: u64,
}

/// Returns the name of a function that is the same in a profile of callgrind and in a table. All
/// levels of a recursion have the same name.
#[must_use]
pub fn stable_name(name: &str) -> String {
    let name = match name.rsplit_once('\'') {
        Some((name, level))
            if !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    };
    names::demangle(name)
}

impl Inlining {
    /// Collects the inlined code of a result. The names come from both tables, which can be the
    /// same, because a function can be inlined in one of them only. Returns `None` without debug
    /// information.
    #[must_use]
    pub fn new(table: &Table, both: [&Table; 2]) -> Option<Self> {
        if !table.has_debug_info {
            return None;
        }
        let mut inlining = Self { events: table.events.clone(), ..Self::default() };
        let mut collector = Collector::new(table, both);
        let mut costs: BTreeMap<(u32, u32, Option<usize>), usize> = BTreeMap::new();
        for row in &table.rows {
            let function = &table.functions[row.function as usize];
            let path = collector.path(function, row.stack);
            let library = collector.library(function, row.stack, row.inner);
            let of_function =
                inlining.functions.entry(stable_name(table.text(function.name))).or_default();
            let index = *costs.entry((row.function, row.stack, library)).or_insert_with(|| {
                let counts = vec![0; table.events.len()];
                of_function.costs.push(InlinedCost { path, library, counts });
                of_function.costs.len() - 1
            });
            for (sum, count) in of_function.costs[index].counts.iter_mut().zip(&row.counts) {
                *sum += count;
            }
        }
        for edge in &table.edges {
            let function = &table.functions[edge.caller as usize];
            let path = collector.path(function, edge.stack);
            let of_function =
                inlining.functions.entry(stable_name(table.text(function.name))).or_default();
            let callee = stable_name(table.function_name(edge.callee));
            let calls = of_function.calls.entry(callee).or_default();
            match calls.iter_mut().find(|call| call.path == path) {
                Some(call) => call.inclusive = call.inclusive.saturating_add(edge.inclusive),
                None => calls.push(InlinedCall { path, inclusive: edge.inclusive }),
            }
        }
        // Most are library functions without known inlined code
        let has_parts = |part: &InlinedCost| !part.path.is_empty() || part.library.is_some();
        inlining.functions.retain(|_, function| function.costs.iter().any(has_parts));
        inlining.names = collector.names;
        Some(inlining)
    }

    /// Returns the parts of the function with this stable name; `None` if nothing is inlined into it.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&InlinedInto> {
        self.functions.get(name)
    }

    /// Returns the name of a function.
    #[must_use]
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id]
    }
}

/// Finds the names of frames.
struct Collector<'a> {
    table: &'a Table,
    aliases: Aliases,
    /// Names of functions with a user line. Code that the compiler generated can have the user's
    /// file and the name of a library function.
    own: HashSet<u32>,
    names: Vec<String>,
    ids: HashMap<String, NameId>,
}

impl<'a> Collector<'a> {
    fn new(table: &'a Table, [old, new]: [&Table; 2]) -> Self {
        let with_line = table.frames.iter().filter(|frame| frame.line > 0);
        Self {
            table,
            aliases: Aliases::new(old, new),
            own: with_line.map(|frame| frame.name).collect(),
            names: Vec::new(),
            ids: HashMap::new(),
        }
    }

    /// Returns the user functions that are inlined into a function, without the function itself.
    fn path(&mut self, function: &Function, stack: u32) -> Vec<NameId> {
        let table = self.table;
        let frames =
            table.stacks[stack as usize].iter().map(|frame| &table.frames[*frame as usize]);
        let mut path = Vec::new();
        for (index, frame) in frames.enumerate() {
            let is_function = index == 0 && frame.name == function.name;
            if is_function || !self.own.contains(&frame.name) {
                continue;
            }
            let name = self.frame_name(frame, function);
            let id = self.id(name);
            if path.last() != Some(&id) {
                path.push(id);
            }
        }
        path
    }

    /// Returns the library function that contains the instructions.
    fn library(&mut self, function: &Function, stack: u32, inner: u32) -> Option<NameId> {
        let table = self.table;
        let is_frame = |frame: &u32| table.frames[*frame as usize].name == inner;
        let is_own = self.own.contains(&inner) && table.stacks[stack as usize].iter().any(is_frame);
        let is_library = inner != function.name && !is_own && !table.text(inner).is_empty();
        is_library.then(|| self.id(without_types(table.text(inner))))
    }

    /// Returns the full name of the function of a frame inlined into another function, if it is known.
    fn frame_name(&self, frame: &Frame, function: &Function) -> String {
        let name = without_types(self.table.text(frame.name));
        if name.contains("::") {
            return name;
        }
        // The containing function distinguishes two functions with the same last part
        let container = names::function(self.table.text(function.name));
        let alias = self.aliases.name(self.table, frame);
        alias.filter(|alias| names::last(alias) == name && *alias != container).unwrap_or(name)
    }

    fn id(&mut self, name: String) -> NameId {
        let names = &mut self.names;
        *self.ids.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        })
    }
}

/// Returns a name without type arguments. Line tables have no path before it.
fn without_types(name: &str) -> String {
    let name = names::short(name);
    match name.split_once('<') {
        Some((start, _)) if !start.is_empty() && !start.contains("::") => start.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Edge, Row};

    const NAMES: [&str; 6] =
        ["own::outer", "own::f", "g<core::x::Y>", "core::y::<u8>", "src/lib.rs", "f"];

    /// Returns a table of `own::outer`, into which the functions of these frames are inlined, and `core::y`.
    fn table(frames: &[(u32, u32)]) -> Table {
        let mut table = Table::new(vec!["Ir".to_owned()]);
        table.has_debug_info = true;
        table.texts = NAMES.map(str::to_owned).to_vec();
        table.functions = [0, 3].map(|name| Function { name, calls: 1, code: 1 }).to_vec();
        let frame = |(name, line): &(u32, u32)| Frame {
            name: *name,
            file: 4,
            line: *line,
            text: 0,
            pair: 0,
        };
        table.frames = frames.iter().map(frame).collect();
        table.stacks = vec![(0..).take(frames.len()).collect(), Vec::new()];
        let inner = frames.last().map_or(0, |(name, _)| *name);
        table.rows = vec![
            Row { function: 0, stack: 0, inner, counts: vec![5] },
            Row { function: 0, stack: 0, inner: 3, counts: vec![7] },
            Row { function: 1, stack: 1, inner: 3, counts: vec![9] },
        ];
        table.edges = vec![Edge { caller: 0, stack: 0, callee: 1, times: 2, inclusive: 9 }];
        table.totals = table.sums().unwrap();
        table
    }

    /// Returns the functions that are inlined into `own::outer` with the costs of its parts.
    fn inlined(frames: &[(u32, u32)]) -> Vec<(Vec<String>, Option<String>, u64)> {
        let table = table(frames);
        let inlining = Inlining::new(&table, [&table, &table]).unwrap();
        assert_eq!(inlining.function("core::y"), None);
        let function = inlining.function("own::outer").unwrap();
        let name = |id: &NameId| inlining.name(*id).to_owned();
        assert_eq!(function.calls["core::y::<u8>"][0].path, function.costs[0].path);
        let parts = function.costs.iter().map(|part| {
            (part.path.iter().map(name).collect(), part.library.as_ref().map(name), part.counts[0])
        });
        parts.collect()
    }

    #[test]
    fn a_function_is_no_part_of_itself() {
        let library = Some("core::y".to_owned());
        let path = |names: &[&str]| names.iter().copied().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(inlined(&[(0, 1)]), [(path(&[]), None, 5), (path(&[]), library.clone(), 7)]);
        let inner = path(&["own::f", "g"]);
        let expected = [(inner.clone(), None, 5), (inner, library.clone(), 7)];
        assert_eq!(inlined(&[(0, 1), (1, 2), (2, 3)]), expected);
        assert_eq!(inlined(&[(1, 1), (1, 2), (2, 3)]), expected);
        // The compiler made up the last one
        let outer = path(&["own::f"]);
        let expected = [(outer.clone(), Some("g".to_owned()), 5), (outer, library, 7)];
        assert_eq!(inlined(&[(0, 1), (1, 2), (2, 0)]), expected);
    }

    #[test]
    fn the_last_part_of_a_name_is_completed() {
        let frames = [(0, 1), (5, 3)];
        let table = table(&frames);
        let mut other = table.clone();
        other.frames.push(Frame { name: 1, ..table.frames[0].clone() });
        let name = |both: [&Table; 2]| {
            let inlining = Inlining::new(&table, both).unwrap();
            inlining.name(inlining.function("own::outer").unwrap().costs[0].path[0]).to_owned()
        };
        assert_eq!(
            (name([&table, &table]), name([&table, &other])),
            ("f".to_owned(), "own::f".to_owned())
        );
        let mut container = table.clone();
        container.texts[0] = "own::f".to_owned();
        let inlining = Inlining::new(&container, [&container, &container]).unwrap();
        let path = &inlining.function("own::f").unwrap().costs[0].path;
        assert_eq!(inlining.name(path[0]), "f");
    }

    #[test]
    fn names_of_profiles_are_those_of_tables() {
        for (name, expected) in [
            ("own::f'2", "own::f"),
            ("memcpy@GLIBC_2.2.5", "memcpy"),
            ("own::f::{{closure}}'13", "own::f::{closure}"),
            ("<&'static str>::f", "<&'static str>::f"),
            ("f'", "f'"),
        ] {
            assert_eq!(stable_name(name), expected);
        }
    }

    #[test]
    fn without_debug_information_nothing_is_known() {
        let mut table = table(&[(0, 1)]);
        table.has_debug_info = false;
        assert_eq!(Inlining::new(&table, [&table, &table]), None);
    }
}
