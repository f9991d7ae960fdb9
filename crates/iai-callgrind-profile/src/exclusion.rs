//! Takes the self costs of functions out of a dump, and out of its total.

use std::collections::HashSet;

use crate::line::BodyLine;
use crate::malformed::Malformed;
use crate::names::{NameId, NameSpec};
use crate::words::{number, quote, words};

/// The functions without self costs, and the place in the dump.
#[derive(Debug, Default)]
pub(crate) struct Exclusion {
    functions: HashSet<NameId>,
    /// Number of words at the start of a cost line that are positions.
    positions: usize,
    /// The lines are of one of the functions.
    is_inside: bool,
    /// The next cost line belongs to a call or a jump.
    is_of_call: bool,
    /// Sums of the costs that were taken out.
    sums: Vec<u64>,
    /// The positions of a line without its costs.
    kept: Vec<u8>,
}

impl Exclusion {
    /// Takes out the self costs of these functions, in a dump with this number of columns of positions.
    pub(crate) fn new(functions: HashSet<NameId>, positions: usize) -> Self {
        Self { functions, positions, ..Self::default() }
    }

    /// Returns the sums of the costs that were taken out, in the order of the events. The last ones can be missing.
    pub(crate) fn sums(&self) -> &[u64] {
        &self.sums
    }

    /// Returns the line without its costs if they are taken out. The next line can be relative to its positions.
    pub(crate) fn filter<'a>(&'a mut self, line: BodyLine<'a>) -> Result<BodyLine<'a>, Malformed> {
        match line {
            BodyLine::Name(NameSpec::Function, name) => {
                self.is_inside = self.functions.contains(&name);
            }
            BodyLine::Calls(_) | BodyLine::Jump(..) => self.is_of_call = true,
            BodyLine::Costs(costs) => {
                let is_own = !std::mem::take(&mut self.is_of_call);
                if is_own && self.is_inside {
                    self.take_out(costs)?;
                    return Ok(BodyLine::Costs(&self.kept));
                }
            }
            BodyLine::Name(..) | BodyLine::Nothing => {}
        }
        Ok(line)
    }

    fn take_out(&mut self, costs: &[u8]) -> Result<(), Malformed> {
        let mut words = words(costs);
        let positions: Vec<_> = words.by_ref().take(self.positions).collect();
        for (index, word) in words.enumerate() {
            let count = number(word).ok_or_else(|| Malformed::NotACount(quote(word)))?;
            match self.sums.get_mut(index) {
                Some(sum) => *sum = sum.saturating_add(count),
                None => self.sums.push(count),
            }
        }
        self.kept = positions.join(&b' ');
        Ok(())
    }
}
