//! Rewrites the bodies of dumps, so that one can follow another, and contains only the measurement.
//!
//! When a measurement starts in the middle of a run, callgrind writes the calls in progress as made zero
//! times (`calls=0`), with the cost of what was measured in them. Those calls lead from `main` through
//! the library's code to the benchmark function, and `callgrind_annotate` adds their cost to the self
//! cost of a caller. A function that executed nothing itself was not measured: it is left out. In the
//! others a call in progress counts as one.

use crate::line::{ProfileLine, words};
use crate::names::{Name, Names};
use crate::positions::Positions;

/// Rewrites one body after the other.
#[derive(Debug, Default)]
pub(crate) struct BodyRewriter {
    names: Names,
    positions: Positions,
    /// Object and file of the next function.
    object: Option<Name>,
    file: Option<Name>,
    /// Object of the last function written.
    written_object: Option<Name>,
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
    Name(Vec<u8>, Name),
    Other(Vec<u8>),
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
        self.names.start();
        self.positions.start(positions);
        (self.object, self.file, self.written_object) = (None, None, None);
        (self.function, self.next_costs) = (FunctionState::None, CostSubject::Function);
    }

    /// Appends to `output` the lines that are known to be needed after this one.
    pub(crate) fn rewrite(
        &mut self,
        line: ProfileLine<'_>,
        output: &mut Vec<u8>,
    ) -> Result<(), String> {
        match line {
            ProfileLine::Header { .. } | ProfileLine::Nothing => {}
            ProfileLine::Costs(line) => self.costs(line, output)?,
            ProfileLine::Entry { spec: spec @ (b"calls" | b"jump" | b"jcnd"), value } => {
                let entry = self.call(spec, value)?;
                self.push(entry, output);
                self.next_costs = CostSubject::LineBefore;
            }
            ProfileLine::Entry { spec, value } => {
                let name = self.names.read(spec, value)?;
                match spec {
                    b"ob" => self.object = Some(name),
                    b"fl" => self.file = Some(name),
                    b"fn" => self.start_function(name),
                    _ => {
                        if matches!(spec, b"fi" | b"fe") {
                            self.file = Some(name.clone());
                        }
                        self.push(Entry::Name(spec.to_vec(), name), output);
                    }
                }
            }
        }
        Ok(())
    }

    /// Starts a function with its file, because the line with the file may be in a function that is left
    /// out.
    fn start_function(&mut self, name: Name) {
        let file = self.file.clone().map(|file| Entry::Name(b"fl".to_vec(), file));
        let name = Entry::Name(b"fn".to_vec(), name);
        self.function = FunctionState::Undecided(file.into_iter().chain([name]).collect());
    }

    fn costs(&mut self, line: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
        let subject = std::mem::take(&mut self.next_costs);
        let has_counts = words(line).nth(self.positions.count()).is_some();
        let entry = Entry::Other(match subject {
            CostSubject::Function => self.positions.self_cost(line)?,
            CostSubject::LineBefore => self.positions.call_cost(line)?,
        });
        if subject == CostSubject::Function && has_counts {
            self.write_measured(output);
        }
        self.push(entry, output);
        Ok(())
    }

    /// Writes the lines of a function that executed something.
    fn write_measured(&mut self, output: &mut Vec<u8>) {
        if let FunctionState::Undecided(entries) =
            std::mem::replace(&mut self.function, FunctionState::Measured)
        {
            output.push(b'\n');
            if self.object != self.written_object {
                if let Some(object) = &self.object {
                    self.names.write(b"ob", object, output);
                }
                self.written_object.clone_from(&self.object);
            }
            for entry in entries {
                self.push(entry, output);
            }
        }
    }

    fn push(&mut self, entry: Entry, output: &mut Vec<u8>) {
        match (&mut self.function, entry) {
            (FunctionState::Undecided(entries), entry) => entries.push(entry),
            (_, Entry::Name(spec, name)) => self.names.write(&spec, &name, output),
            (_, Entry::Other(line)) => {
                output.extend_from_slice(&line);
                output.push(b'\n');
            }
        }
    }

    /// Rewrites a call or a jump: `calls=3 0x10 27`, the target after the counts.
    fn call(&self, spec: &[u8], value: &[u8]) -> Result<Entry, String> {
        let is_in_progress = spec == b"calls" && words(value).next() == Some(b"0");
        let rest = if is_in_progress { value.trim_ascii_start().get(1..) } else { Some(value) };
        let line =
            [spec, b"=", if is_in_progress { b"1" } else { b"" }, rest.unwrap_or(b"")].concat();
        // A target may lack columns at its start: they come last
        let before = words(&line).count().saturating_sub(self.positions.count()).max(1);
        self.positions.target(&line, before).map(Entry::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewrites bodies one after the other.
    fn rewrite(sources: &[&str], columns: &[&str]) -> Result<String, String> {
        let columns: Vec<_> = columns.iter().map(ToString::to_string).collect();
        let mut body = BodyRewriter::default();
        let mut output = Vec::new();
        for source in sources {
            body.start(&columns);
            for line in source.lines() {
                let line = ProfileLine::classify(line.as_bytes()).unwrap();
                body.rewrite(line, &mut output)?;
            }
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
        for wrong in ["fn=(12 main", "zz=(1) a", "fn=a\n-1 5", "fn=a\ncalls=1"] {
            assert!(rewrite(&[wrong], &["line"]).is_err(), "{wrong}");
        }
        assert!(rewrite(&["fn=a\n1"], &["instr", "line"]).is_err());
    }
}
