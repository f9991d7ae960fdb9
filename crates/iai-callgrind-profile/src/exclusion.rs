//! Takes the own costs of functions out of a dump, and out of its total.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::line::{ProfileLine, number, quote, words};

/// The functions without own costs, and the place in the dump.
#[derive(Debug)]
pub(crate) struct Exclusion {
    functions: HashSet<Vec<u8>>,
    /// Number of words at the start of a cost line that are positions.
    positions: usize,
    /// The lines are of one of the functions.
    is_inside: bool,
    /// The next cost line is that of a call or a jump.
    is_of_call: bool,
    /// Sums of the costs that were taken out.
    sums: Vec<u64>,
}

impl Default for Exclusion {
    fn default() -> Self {
        let functions = HashSet::new();
        // The format's default is the line alone
        Self { functions, positions: 1, is_inside: false, is_of_call: false, sums: Vec::new() }
    }
}

impl Exclusion {
    /// Returns true if the dump has none of the functions.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Adds a function whose lines follow, if it is to be left out.
    pub(crate) fn find(
        &mut self,
        is_called: bool,
        name: &[u8],
        is_left_out: &dyn Fn(&str) -> bool,
    ) {
        if !is_called && is_left_out(&String::from_utf8_lossy(name)) {
            self.functions.insert(name.to_owned());
        }
    }

    /// Takes the name of the function whose lines follow.
    pub(crate) fn enter(&mut self, is_called: bool, name: &[u8]) {
        if !is_called {
            self.is_inside = self.functions.contains(name);
        }
    }

    /// Writes a line of the dump.
    pub(crate) fn write(&mut self, line: &[u8], output: &mut impl Write) -> io::Result<()> {
        match ProfileLine::classify(line.trim_ascii_end()) {
            Some(ProfileLine::Header { key: b"positions", value }) => {
                self.positions = words(value).count();
            }
            Some(ProfileLine::Header { key: b"totals", value }) if !self.sums.is_empty() => {
                return self.write_total(value, output);
            }
            Some(ProfileLine::Entry { spec: b"calls" | b"jump" | b"jcnd", .. }) => {
                self.is_of_call = true;
            }
            Some(ProfileLine::Costs(costs)) => {
                let is_own = !std::mem::take(&mut self.is_of_call);
                if is_own && self.is_inside {
                    return self.write_positions(costs, output);
                }
            }
            _ => {}
        }
        output.write_all(line)
    }

    /// Writes a cost line without its counts. The next line can be relative to its positions.
    fn write_positions(&mut self, costs: &[u8], output: &mut impl Write) -> io::Result<()> {
        let mut words = words(costs);
        let positions: Vec<_> = words.by_ref().take(self.positions).collect();
        for (index, word) in words.enumerate() {
            let count = number(word)
                .ok_or_else(|| io::Error::other(format!("{} is not a count", quote(word))))?;
            match self.sums.get_mut(index) {
                Some(sum) => *sum = sum.saturating_add(count),
                None => self.sums.push(count),
            }
        }
        output.write_all(&positions.join(&b' '))?;
        output.write_all(b"\n")
    }

    fn write_total(&self, total: &[u8], output: &mut impl Write) -> io::Result<()> {
        let sums = self.sums.iter().chain(std::iter::repeat(&0));
        output.write_all(b"totals:")?;
        for (word, sum) in words(total).zip(sums) {
            let rest = number(word).and_then(|total| total.checked_sub(*sum));
            let wrong =
                || io::Error::other(format!("{} is not the total of the costs", quote(word)));
            write!(output, " {}", rest.ok_or_else(wrong)?)?;
        }
        output.write_all(b"\n")
    }
}
