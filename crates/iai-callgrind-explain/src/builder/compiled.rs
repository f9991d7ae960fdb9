//! The lines with machine code, and lines without machine code that belong to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Builder, Costs, Object, Set};
use crate::names;
use crate::sources::Line;
use crate::table::{Frame, Table};
use iai_callgrind_debuginfo::ObjectFile;

/// Lines by their files.
type Lines = HashMap<String, BTreeSet<u32>>;

impl Builder {
    /// Returns the lines without machine code that belong to the executed lines before them, such as the head of a loop
    /// that is unrolled.
    pub(super) fn implied(&mut self, table: &Table, compiled: &Lines) -> Vec<Frame> {
        let names: BTreeSet<_> = table.frames.iter().map(|frame| frame.name).collect();
        let function = |name: u32| (name, names::function(table.text(name)));
        let names: BTreeMap<_, _> = names.into_iter().map(function).collect();
        let mut functions: BTreeMap<(u32, &str), BTreeMap<u32, &Frame>> = BTreeMap::new();
        for frame in table.frames.iter().filter(|frame| frame.line > 0) {
            let function = &*names[&frame.name];
            functions.entry((frame.file, function)).or_default().insert(frame.line, frame);
        }
        let none = BTreeSet::new();
        let mut implied = Vec::new();
        for ((file, _), lines) in functions {
            let file = table.text(file);
            let source = self.sources.get(file);
            let compiled = compiled.get(file).unwrap_or(&none);
            let with = |line: u32, Line { text, pair }: Line, frame: &Frame| Frame {
                line,
                text,
                pair,
                ..frame.clone()
            };
            let implied_by =
                |line: u32, frame: &Frame| Some(with(line, source.statement(line)?, frame));
            // The lines from the name of the function to its first line with code, and attributes such as `#[inline]`
            if let Some((line, frame)) = lines.first_key_value() {
                let head = source.head(*line).unwrap_or(*line);
                let attributes = source.attributes(head);
                implied.extend(attributes.map(|(line, hashes)| with(line, hashes, frame)));
                if compiled.range(head..*line).next().is_none() {
                    implied.extend((head..*line).filter_map(|line| implied_by(line, frame)));
                }
            }
            for ((line, frame), end) in lines.iter().zip(lines.keys().skip(1)) {
                // Code that is not executed has its own lines
                let lines = (line + 1..*end).take_while(|line| !compiled.contains(line));
                implied.extend(lines.filter_map(|line| implied_by(line, frame)));
            }
        }
        implied
    }

    /// Returns the lines of the user's files that have machine code, executed or not, in the functions that are executed.
    pub(super) fn compiled(&self, costs: &Costs) -> Lines {
        let places: Set<_> = costs.rows.iter().map(|row| (row.function, row.stack)).collect();
        let known = places.iter().filter_map(|place| self.symbols.get(place));
        let symbols = known.flat_map(|(object, symbols)| symbols.iter().map(|it| (*object, *it)));
        let symbols: Set<_> = symbols.collect();
        let lines = symbols.iter().filter_map(|(object, it)| self.objects[*object].lines.get(it));
        let mut compiled = Lines::new();
        for (file, line) in lines.flatten() {
            let file = &self.known.texts.values[*file as usize];
            match compiled.get_mut(file) {
                Some(lines) => {
                    lines.insert(*line);
                }
                None => {
                    compiled.insert(file.clone(), BTreeSet::from([*line]));
                }
            }
        }
        compiled
    }

    /// Finds the lines with machine code in an executed symbol, and in the closures of the
    /// functions in this stack. Returns these symbols.
    pub(super) fn scan(&mut self, object: usize, symbol: usize, stack: u32) -> Vec<usize> {
        let Object { file, closures, closures_by_name, lines, .. } = &mut self.objects[object];
        let mut symbols = vec![symbol];
        for frame in &self.known.stacks.values[stack as usize] {
            let name = self.known.frames.values[*frame as usize].name;
            let of_name = closures_by_name.entry(name).or_insert_with(|| {
                let function = names::function(&self.known.texts.values[name as usize]);
                let closures = closures.get_or_insert_with(|| closures_of(file));
                closures.get(&function).cloned().unwrap_or_default()
            });
            symbols.extend_from_slice(of_name);
        }
        for symbol in &symbols {
            if lines.contains_key(symbol) {
                continue;
            }
            let mut of_symbol = BTreeSet::new();
            for frame in file.line_starts(*symbol).into_iter().flat_map(|start| file.frames(start))
            {
                if let Some(own) = self.sources.own(frame.file) {
                    of_symbol.insert((self.known.texts.id(own.to_owned()), frame.line));
                }
            }
            lines.insert(*symbol, of_symbol);
        }
        symbols
    }
}

/// Returns the symbols of closures by the functions that contain them.
fn closures_of(file: &ObjectFile) -> HashMap<String, Vec<usize>> {
    let mut closures: HashMap<_, Vec<usize>> = HashMap::new();
    for symbol in file.closures() {
        let function = names::function(&names::demangle(file.name(symbol)));
        closures.entry(function).or_default().push(symbol);
    }
    closures
}
