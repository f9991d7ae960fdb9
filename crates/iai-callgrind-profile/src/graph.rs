//! The call graph of a profile: the self cost of each function, and the costs of its calls.
//!
//! Only the graph is held in memory: cost lines are added as they are read.

use std::collections::HashMap;
use std::path::Path;

use iai_callgrind_plan::metric::{MetricKind, Metrics};

use crate::dump::{Dump, DumpHeader};
use crate::error::Result;
use crate::line::BodyLine;
use crate::malformed::Malformed;
use crate::names::{NameId, NameSpec, Names};
use crate::words::{number, quote, words};

/// Maximum of the sum of all costs, so that derived metrics don't exceed 64 bits.
const LARGEST: u64 = u64::MAX / 64;

/// The functions of a profile and their calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// Functions in the order of their first names in the profile.
    pub functions: Vec<CallGraphFunction>,
    events: Vec<MetricKind>,
    /// Costs, row after row, one for each event.
    costs: Vec<u64>,
    /// Sum of all costs of all events.
    sum: u64,
}

/// A function with its costs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallGraphFunction {
    /// Name in callgrind's spelling.
    pub name: String,
    /// Self cost. Code that was inlined from another file is separate, with that file.
    pub own: Vec<(Option<String>, Row)>,
    /// Inclusive cost of the calls, by the index of the callee.
    pub calls: Vec<(usize, Row)>,
}

/// Index of a row of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row(usize);

impl CallGraph {
    /// Reads the call graph of a stored profile.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read, or was not written by callgrind.
    pub fn read(path: &Path) -> Result<Self> {
        let mut dump = Dump::open_merged(path)?;
        let mut reader = CallGraphReader::new(&dump.header);
        while dump.next(&mut |line, names| reader.read(line, names))? {}
        dump.totals()?;
        Ok(reader.finish())
    }

    /// Returns the sum of the self costs of all functions.
    #[must_use]
    pub fn total(&self, kind: MetricKind) -> Option<u64> {
        let own = self.functions.iter().flat_map(|function| &function.own);
        own.map(|(_, row)| self.metrics(*row).count(kind)).sum()
    }

    /// Returns the costs of a row.
    #[must_use]
    pub fn metrics(&self, row: Row) -> Metrics {
        self.events.iter().copied().zip(self.costs[row.0..].iter().copied()).collect()
    }

    fn new_row(&mut self) -> Row {
        let row = Row(self.costs.len());
        self.costs.resize(row.0 + self.events.len(), 0);
        row
    }

    /// Adds the counts of a cost line, which may lack zeros at its end.
    fn add<'a>(
        &mut self,
        row: Row,
        counts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), Malformed> {
        let mut costs = self.costs[row.0..].iter_mut().take(self.events.len());
        for word in counts {
            let count = number(word).ok_or_else(|| Malformed::NotACount(quote(word)))?;
            let cost = costs.next().ok_or(Malformed::MoreCountsThanEvents)?;
            self.sum = self.sum.saturating_add(count);
            if self.sum > LARGEST {
                return Err(Malformed::CostsTooLarge);
            }
            *cost += count;
        }
        Ok(())
    }
}

/// Collects the call graph of a profile.
#[derive(Debug, Default)]
pub(crate) struct CallGraphReader {
    graph: CallGraph,
    /// Number of words of a cost line that are positions.
    positions: usize,
    texts: Texts,
    /// Functions by object and name, which are the same in several processes.
    functions: HashMap<(Option<usize>, usize), usize>,
    own: HashMap<(usize, Option<usize>), Row>,
    calls: HashMap<(usize, usize), Row>,
    object: Option<usize>,
    file: Option<usize>,
    function: Option<Current>,
    /// Object of the next call's target, if it differs.
    target_object: Option<usize>,
    target: Option<usize>,
    /// Subject of the next cost line, if it is not the self cost.
    next_costs: Option<NextCosts>,
}

/// The function that is being read.
#[derive(Debug, Clone, Copy)]
struct Current {
    index: usize,
    /// File at the start of the function.
    file: Option<usize>,
    /// Row of its self cost in the current file, once there is some.
    row: Option<Row>,
}

#[derive(Debug, Clone, Copy)]
enum NextCosts {
    /// The call in the line before.
    Call(Row),
    /// The jump in the line before: this line has only positions.
    Jump,
}

impl CallGraphReader {
    /// Prepares for the lines of a profile with this header.
    pub(crate) fn new(header: &DumpHeader) -> Self {
        let graph = CallGraph { events: header.events.clone(), ..CallGraph::default() };
        Self { graph, positions: header.positions.len(), ..Self::default() }
    }

    /// Returns the call graph of all lines.
    pub(crate) fn finish(self) -> CallGraph {
        self.graph
    }

    /// Ends the lines of a dump. The next one has other names.
    pub(crate) fn end_body(&mut self) {
        self.texts.by_name.clear();
    }

    /// Reads the next line.
    pub(crate) fn read(&mut self, line: BodyLine<'_>, names: &Names) -> Result<(), Malformed> {
        match line {
            BodyLine::Costs(line) => self.costs(line),
            BodyLine::Calls(_) => self.call(),
            BodyLine::Jump(..) => {
                self.next_costs = Some(NextCosts::Jump);
                Ok(())
            }
            BodyLine::Name(spec, name) => {
                let text = self.texts.read(name, names);
                self.name(spec, text);
                Ok(())
            }
            BodyLine::Nothing => Ok(()),
        }
    }

    fn name(&mut self, spec: NameSpec, text: usize) {
        match spec {
            NameSpec::Object => self.object = Some(text),
            NameSpec::File | NameSpec::InlinedFile | NameSpec::EndOfInlinedFile => {
                self.file = Some(text);
                if let Some(function) = &mut self.function {
                    function.row = None;
                }
            }
            NameSpec::Function => {
                let index = self.function_in(self.object, text);
                self.function = Some(Current { index, file: self.file, row: None });
            }
            NameSpec::CalledObject => self.target_object = Some(text),
            NameSpec::CalledFunction => {
                let object = self.target_object.take().or(self.object);
                self.target = Some(self.function_in(object, text));
            }
            _ => {}
        }
    }

    fn function_in(&mut self, object: Option<usize>, name: usize) -> usize {
        let functions = &mut self.graph.functions;
        *self.functions.entry((object, name)).or_insert_with(|| {
            let name = self.texts.get(name).to_owned();
            functions.push(CallGraphFunction { name, ..CallGraphFunction::default() });
            functions.len() - 1
        })
    }

    fn call(&mut self) -> Result<(), Malformed> {
        let target = self.target.take().ok_or(Malformed::NoTarget)?;
        let function = self.function.ok_or(Malformed::NoCaller)?.index;
        let row = *self.calls.entry((function, target)).or_insert_with(|| {
            let row = self.graph.new_row();
            self.graph.functions[function].calls.push((target, row));
            row
        });
        self.next_costs = Some(NextCosts::Call(row));
        Ok(())
    }

    fn costs(&mut self, line: &[u8]) -> Result<(), Malformed> {
        let row = match self.next_costs.take() {
            Some(NextCosts::Jump) => return Ok(()),
            Some(NextCosts::Call(row)) => row,
            None => self.own_row()?,
        };
        self.graph.add(row, words(line).skip(self.positions))
    }

    /// Returns the row of the self cost of the current function in the current file.
    fn own_row(&mut self) -> Result<Row, Malformed> {
        let function = self.function.as_mut().ok_or(Malformed::NoFunction)?;
        if let Some(row) = function.row {
            return Ok(row);
        }
        let inlined = self.file.filter(|_| self.file != function.file);
        let row = *self.own.entry((function.index, inlined)).or_insert_with(|| {
            let row = self.graph.new_row();
            let file = inlined.map(|file| self.texts.get(file).to_owned());
            self.graph.functions[function.index].own.push((file, row));
            row
        });
        function.row = Some(row);
        Ok(row)
    }
}

/// The texts of names. Names of several dumps can have the same text.
#[derive(Debug, Default)]
struct Texts {
    known: Vec<String>,
    by_name: HashMap<NameId, usize>,
    by_text: HashMap<String, usize>,
}

impl Texts {
    /// Returns the index of the text of a name.
    fn read(&mut self, name: NameId, names: &Names) -> usize {
        *self.by_name.entry(name).or_insert_with(|| {
            let text = String::from_utf8_lossy(names.text(name)).into_owned();
            *self.by_text.entry(text).or_insert_with_key(|text| {
                self.known.push(text.clone());
                self.known.len() - 1
            })
        })
    }

    fn get(&self, index: usize) -> &str {
        &self.known[index]
    }
}

#[cfg(test)]
mod tests;
