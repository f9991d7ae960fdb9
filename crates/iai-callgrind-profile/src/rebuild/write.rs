//! Writes a rebuilt dump.

use std::collections::HashMap;
use std::fmt::Write;

use super::observed::{Address, UNKNOWN, add};
use super::{Edge, Function, Rebuilt};

/// The lines that readers of the profile find in its header.
const DESCRIPTION: &str =
    "desc: Calls: rebuilt from addresses; calls of one function share its cost by their numbers";

impl Rebuilt {
    /// Returns the dump, with all functions in the order of their addresses.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut output = Output::default();
        let header = String::from_utf8_lossy(&self.observed.header);
        for line in header.lines() {
            if line.starts_with("positions:") {
                output.line(DESCRIPTION);
            }
            output.line(line);
        }
        let mut calls: HashMap<Address, Vec<&Edge>> = HashMap::new();
        for edge in &self.edges {
            calls.entry(edge.at).or_default().push(edge);
        }
        // Without costs it is zero
        let mut totals = vec![0];
        for function in &self.functions {
            let Some(first) = function.instructions.first() else { continue };
            self.start(function, *first, &mut output);
            for at in &function.instructions {
                let instruction = &self.observed.instructions[at];
                add(&mut totals, &instruction.counts);
                output.file(self.file(function, *at));
                output.costs(at.address, instruction.line, &instruction.counts);
                for edge in calls.get(at).into_iter().flatten() {
                    self.call(edge, instruction.line, &mut output);
                }
            }
        }
        output.line("");
        let totals: Vec<_> = totals.iter().map(u64::to_string).collect();
        output.line(&format!("totals: {}", totals.join(" ")));
        output.text.into_bytes()
    }

    fn start(&self, function: &Function, first: Address, output: &mut Output) {
        output.line("");
        output.name("ob", 0, &self.observed.objects[function.key.0 as usize]);
        let file = self.file(function, first);
        output.name("fl", 1, file);
        output.file = Some(file.to_owned());
        output.name("fn", 2, &function.name);
    }

    /// Returns the file of an instruction, or of its function's first one if its line is not known: callgrind names the file of
    /// the function for whose code it took the instruction.
    fn file(&self, function: &Function, at: Address) -> &str {
        let with_line = |at| self.observed.instructions.get(at).filter(|found| found.line > 0);
        let known = with_line(&at).or_else(|| with_line(function.instructions.first()?));
        known.map_or(UNKNOWN, |known| &self.observed.files[known.file as usize].name)
    }

    fn call(&self, edge: &Edge, line: u64, output: &mut Output) {
        let target = &self.functions[edge.target];
        let (object, start) = target.key;
        let first = target.instructions.first();
        output.name("cob", 0, &self.observed.objects[object as usize]);
        if let Some(first) = first {
            output.name("cfi", 1, self.file(target, *first));
        }
        output.name("cfn", 2, &target.name);
        let line_there = first.map_or(0, |first| self.observed.instructions[first].line);
        output.line(&format!("calls={} {start:#x} {line_there}", edge.times));
        output.costs(edge.at.address, line, &edge.costs);
    }
}

/// The text, and the names that it has in full.
#[derive(Default)]
struct Output {
    text: String,
    names: [HashMap<String, usize>; 3],
    /// The file of the last cost.
    file: Option<String>,
}

impl Output {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes a name in full the first time, and its number from then on.
    fn name(&mut self, key: &str, kind: usize, name: &str) {
        let names = &mut self.names[kind];
        if let Some(number) = names.get(name) {
            let _ = writeln!(self.text, "{key}=({number})");
            return;
        }
        let number = names.len() + 1;
        names.insert(name.to_owned(), number);
        let _ = writeln!(self.text, "{key}=({number}) {name}");
    }

    /// Names the file of the next cost, if it changes.
    fn file(&mut self, file: &str) {
        if self.file.as_deref() != Some(file) {
            self.name("fi", 1, file);
            self.file = Some(file.to_owned());
        }
    }

    /// Writes costs without the zeros at their end.
    fn costs(&mut self, address: u64, line: u64, counts: &[u64]) {
        let end = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        let _ = write!(self.text, "{address:#x} {line}");
        for count in &counts[..end] {
            let _ = write!(self.text, " {count}");
        }
        self.text.push('\n');
    }
}
