//! Rewrites the bodies of dumps, so that one can follow another, and contains only the measurement.
//!
//! When a measurement starts in the middle of a run, callgrind writes the calls in progress as made zero
//! times (`calls=0`), with the cost of what was measured in them. Those calls lead from `main` through
//! the library's code to the benchmark function, and `callgrind_annotate` adds their cost to the self
//! cost of a caller. A function that executed nothing itself was not measured: it is left out. In the
//! others a call in progress counts as one.

use crate::current_file::CurrentFile;
use crate::line::{BodyLine, JumpSpec};
use crate::malformed::Malformed;
use crate::names::{NameId, NameSpec};
use crate::positions::Positions;
use crate::words::words;

/// A receiver of rewritten lines. Returns the reason why a line can't be used.
type Rewritten<'a> = dyn FnMut(BodyLine<'_>) -> Result<(), Malformed> + 'a;

/// Rewrites one body after the other.
#[derive(Debug, Default)]
pub(crate) struct BodyRewriter {
    positions: Positions,
    /// Object of the next function.
    object: Option<NameId>,
    file: CurrentFile<Option<NameId>>,
    /// Object of the last function written.
    written_object: Option<NameId>,
    function: FunctionState,
    /// Subject of the next cost line.
    next_costs: CostSubject,
}

/// State of the function that is being read.
#[derive(Debug, Default)]
enum FunctionState {
    /// None was read yet.
    #[default]
    None,
    /// Nothing was executed so far: the lines to write if something is.
    Undecided(Vec<Entry>),
    /// Something was executed.
    Measured,
}

/// A line to write.
#[derive(Debug)]
enum Entry {
    Name(NameSpec, NameId),
    Calls(Vec<u8>),
    Jump(JumpSpec, Vec<u8>),
    Costs(Vec<u8>),
}

impl Entry {
    fn line(&self) -> BodyLine<'_> {
        match self {
            Self::Name(spec, name) => BodyLine::Name(*spec, *name),
            Self::Calls(value) => BodyLine::Calls(value),
            Self::Jump(spec, value) => BodyLine::Jump(*spec, value),
            Self::Costs(value) => BodyLine::Costs(value),
        }
    }
}

/// Subject of a cost line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum CostSubject {
    /// The self cost of the function.
    #[default]
    Function,
    /// The call, or the jump, in the line before.
    LineBefore,
}

impl BodyRewriter {
    /// Starts with the next body, whose cost lines start with these positions.
    pub(crate) fn start(&mut self, positions: &[String]) {
        *self = Self::default();
        self.positions.start(positions);
    }

    /// Passes on the lines that are known to be needed after this one.
    pub(crate) fn rewrite(
        &mut self,
        line: BodyLine<'_>,
        output: &mut Rewritten<'_>,
    ) -> Result<(), Malformed> {
        match line {
            BodyLine::Nothing => Ok(()),
            BodyLine::Costs(line) => self.costs(line, output),
            BodyLine::Calls(value) => {
                self.next_costs = CostSubject::LineBefore;
                let calls = Entry::Calls(self.calls(value)?);
                self.push(calls, output)
            }
            BodyLine::Jump(spec, value) => {
                self.next_costs = CostSubject::LineBefore;
                let jump = Entry::Jump(spec, self.target(value)?);
                self.push(jump, output)
            }
            BodyLine::Name(spec, name) => self.name(spec, name, output),
        }
    }

    fn name(
        &mut self,
        spec: NameSpec,
        name: NameId,
        output: &mut Rewritten<'_>,
    ) -> Result<(), Malformed> {
        match spec {
            NameSpec::Object => self.object = Some(name),
            NameSpec::File => self.file.name_functions(Some(name)),
            NameSpec::Function => self.start_function(name),
            NameSpec::InlinedFile | NameSpec::EndOfInlinedFile => {
                self.file.name(Some(name));
                return self.push(Entry::Name(spec, name), output);
            }
            _ => return self.push(Entry::Name(spec, name), output),
        }
        Ok(())
    }

    /// Starts a function with its file, because the line with the file may be in a function that is left
    /// out.
    fn start_function(&mut self, name: NameId) {
        self.file.start_function();
        let file = self.file.get().map(|file| Entry::Name(NameSpec::File, file));
        let name = Entry::Name(NameSpec::Function, name);
        self.function = FunctionState::Undecided(file.into_iter().chain([name]).collect());
    }

    fn costs(&mut self, line: &[u8], output: &mut Rewritten<'_>) -> Result<(), Malformed> {
        if std::mem::take(&mut self.next_costs) == CostSubject::LineBefore {
            self.file.call();
            let entry = Entry::Costs(self.positions.call_cost(line)?);
            return self.push(entry, output);
        }
        let entry = Entry::Costs(self.positions.self_cost(line)?);
        let has_counts = words(line).nth(self.positions.count()).is_some();
        if has_counts {
            self.write_measured(output)?;
        }
        let is_of_call = self.file.self_cost();
        if let Some(file) = self.file.get().filter(|_| is_of_call) {
            self.push(Entry::Name(NameSpec::EndOfInlinedFile, file), output)?;
        }
        self.push(entry, output)
    }

    /// Writes the lines of a function that executed something.
    fn write_measured(&mut self, output: &mut Rewritten<'_>) -> Result<(), Malformed> {
        let FunctionState::Undecided(entries) =
            std::mem::replace(&mut self.function, FunctionState::Measured)
        else {
            return Ok(());
        };
        output(BodyLine::Nothing)?;
        if self.object != self.written_object {
            if let Some(object) = self.object {
                output(BodyLine::Name(NameSpec::Object, object))?;
            }
            self.written_object = self.object;
        }
        entries.iter().try_for_each(|entry| output(entry.line()))
    }

    fn push(&mut self, entry: Entry, output: &mut Rewritten<'_>) -> Result<(), Malformed> {
        if let FunctionState::Undecided(entries) = &mut self.function {
            entries.push(entry);
            return Ok(());
        }
        output(entry.line())
    }

    /// Rewrites a number of calls and their target: `3 0x10 27`. A call in progress counts as one.
    fn calls(&self, value: &[u8]) -> Result<Vec<u8>, Malformed> {
        match value.trim_ascii_start().strip_prefix(b"0") {
            Some(rest @ ([] | [b' ' | b'\t', ..])) => self.target(&[b"1", rest].concat()),
            _ => self.target(value),
        }
    }

    /// Rewrites a target after counts.
    fn target(&self, value: &[u8]) -> Result<Vec<u8>, Malformed> {
        // A target may lack columns at its start: they come last
        let before = words(value).count().saturating_sub(self.positions.count()).max(1);
        self.positions.target(value, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::ProfileLine;
    use crate::names::Names;
    use crate::text::BodyText;

    /// Rewrites bodies one after the other.
    fn rewrite(sources: &[&str], columns: &[&str]) -> Result<String, Malformed> {
        let columns: Vec<_> = columns.iter().map(ToString::to_string).collect();
        let (mut body, mut text) = (BodyRewriter::default(), BodyText::default());
        let mut output = Vec::new();
        for source in sources {
            body.start(&columns);
            let mut names = Names::default();
            for line in source.lines() {
                let line = match ProfileLine::classify(line.as_bytes()).unwrap() {
                    ProfileLine::Name { spec, value } => {
                        BodyLine::Name(spec, names.read(spec, value)?)
                    }
                    ProfileLine::Calls(value) => BodyLine::Calls(value),
                    ProfileLine::Jump(spec, value) => BodyLine::Jump(spec, value),
                    ProfileLine::Costs(costs) => BodyLine::Costs(costs),
                    ProfileLine::Nothing | ProfileLine::Header { .. } => BodyLine::Nothing,
                };
                body.rewrite(line, &mut |line| text.write(line, &names, &mut output))?;
            }
            text.end_body(&names)?;
        }
        Ok(String::from_utf8(output).unwrap())
    }

    #[test]
    fn functions_that_executed_nothing_are_left_out() {
        let source = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) main\ncfn=(2) ours\ncalls=0 0\n10 7 7\n\n\
fn=(2)\nfi=(2) b.rs\ncfn=(3) bench\ncalls=1 3\n20 7 7\nfe=(1)\n\n\
fn=(3)\n25 4 4\ncfn=(4) callee\ncalls=2 9\n* 3 3\n\nfn=(4)\n9 3 3\n";
        let expected = "\n\
ob=(1) exe\nfl=(1) a.rs\nfn=(3) bench\n25 4 4\ncfn=(4) callee\ncalls=2 9\n25 3 3\n\n\
fl=(1)\nfn=(4)\n9 3 3\n";
        assert_eq!(rewrite(&[source], &["line"]).unwrap(), expected);
    }

    #[test]
    fn a_call_that_is_in_progress_in_what_was_measured_counts_as_one() {
        let source = "fl=a\nfn=worker\n1 5\ncfn=recv\ncalls=0 0\n2 9\n\nfn=recv\n1 9\n";
        let expected = "\nfl=a\nfn=worker\n1 5\ncfn=recv\ncalls=1 0\n2 9\n\nfl=a\nfn=recv\n1 9\n";
        assert_eq!(rewrite(&[source], &["line"]).unwrap(), expected);
    }

    #[test]
    fn lines_before_the_first_self_costs_are_kept() {
        let source = "fn=a\ncfn=b\ncalls=1 3\n5 9\nfi=c.rs\n7 1\n";
        assert_eq!(
            rewrite(&[source], &["line"]).unwrap(),
            "\nfn=a\ncfn=b\ncalls=1 3\n5 9\nfi=c.rs\n7 1\n"
        );
    }

    #[test]
    fn a_function_after_inlined_code_has_its_own_file() {
        let source = "fl=a\nfn=f\n1 1\nfi=b\n2 1\n\nfn=g\n5 1\n";
        let expected = "\nfl=a\nfn=f\n1 1\nfi=b\n2 1\n\nfl=a\nfn=g\n5 1\n";
        assert_eq!(rewrite(&[source], &["line"]).unwrap(), expected);
    }

    #[test]
    fn the_file_of_a_call_is_not_that_of_the_next_cost() {
        let source = "fl=a\nfn=f\nfi=b\ncfn=g\ncalls=0 9\n2 3\n5 1\n";
        let expected = "\nfl=a\nfn=f\nfi=b\ncfn=g\ncalls=1 9\n2 3\nfe=a\n5 1\n";
        assert_eq!(rewrite(&[source], &["line"]).unwrap(), expected);
    }

    #[test]
    fn the_position_after_a_jump_is_not_a_cost() {
        let only_jumps = "fn=a\njcnd=1/2 0x14 9\n0x10 7\n";
        assert_eq!(rewrite(&[only_jumps], &["instr", "line"]).unwrap(), "");
        let source = "fn=a\n0x10 7 1\njcnd=1/2 +4 *\n* *\n+1 * 5\n";
        let expected = "\nfn=a\n0x10 7 1\njcnd=1/2 0x14 7\n0x10 7\n0x11 7 5\n";
        assert_eq!(rewrite(&[source], &["instr", "line"]).unwrap(), expected);
    }

    #[test]
    fn sources_do_not_share_objects_files_or_ids() {
        let source = "ob=(1) o\nfl=(7) f\nfn=(3) a\n1 1\n";
        let again = "\nob=(3) o\nfl=(15) f\nfn=(7) a\n1 1\n";
        assert_eq!(rewrite(&[source, source], &["line"]).unwrap(), format!("\n{source}{again}"));
    }

    #[test]
    fn errors() {
        for wrong in ["fn=(12 main", "fn=a\n-1 5", "fn=a\ncalls=1"] {
            assert!(rewrite(&[wrong], &["line"]).is_err(), "{wrong}");
        }
        assert!(rewrite(&["fn=a\n1"], &["instr", "line"]).is_err());
    }
}
