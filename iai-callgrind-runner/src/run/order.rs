//! Puts outcomes, which come in any order, back into the order of the benchmarks.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::error::Error;
use crate::process::interrupted;
use crate::result::Outcome;

/// Passes on what came of a benchmark when all parts of it are there, in the order of the benchmarks.
pub(super) struct InOrder<'a> {
    next: usize,
    waiting: BTreeMap<usize, Vec<Option<Outcome>>>,
    /// How many parts the outcome of the benchmark with this index has.
    parts: &'a dyn Fn(usize) -> usize,
    pass: &'a mut dyn FnMut(usize, Vec<Outcome>) -> ControlFlow<()>,
}

impl<'a> InOrder<'a> {
    pub(super) fn new(
        parts: &'a dyn Fn(usize) -> usize,
        pass: &'a mut dyn FnMut(usize, Vec<Outcome>) -> ControlFlow<()>,
    ) -> Self {
        Self { next: 0, waiting: BTreeMap::new(), parts, pass }
    }

    /// Takes a part of the outcome of the benchmark with this index. Breaks if the run shall end.
    pub(super) fn push(&mut self, index: usize, part: usize, outcome: Outcome) -> ControlFlow<()> {
        let parts = self.waiting.entry(index).or_default();
        parts.resize_with((self.parts)(index), || None);
        // Whatever kept it from ending well, the reason is the signal
        parts[part] = Some(outcome.map_err(|error| match interrupted() {
            Some(signal) => Error::Interrupted { signal },
            None => error,
        }));
        while let Some(parts) = self.waiting.get_mut(&self.next) {
            if parts.is_empty() || parts.iter().any(Option::is_none) {
                break;
            }
            let parts = self.waiting.remove(&self.next).unwrap_or_default();
            (self.pass)(self.next, parts.into_iter().flatten().collect())?;
            self.next += 1;
        }
        ControlFlow::Continue(())
    }

    /// Passes on what is complete, though something before it is not and will not be.
    pub(super) fn pass_complete(&mut self) {
        for (index, parts) in std::mem::take(&mut self.waiting) {
            if parts.iter().all(|part| matches!(part, Some(Ok(_)))) {
                let _ = (self.pass)(index, parts.into_iter().flatten().collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Measurement;

    #[test]
    fn outcomes_pass_in_order() {
        let mut passed = Vec::new();
        let mut pass = |index, outcomes: Vec<Outcome>| {
            passed.push((index, outcomes.len()));
            if index == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let parts = |index| if index == 1 { 2 } else { 1 };
        let mut order = InOrder::new(&parts, &mut pass);
        let pushed = [(2, 0), (0, 0), (1, 1), (3, 0), (1, 0)]
            .map(|(index, part)| order.push(index, part, Err(Error::NoValgrind)).is_break());
        assert_eq!(pushed, [false, false, false, false, true]);
        assert_eq!(passed, [(0, 1), (1, 2), (2, 1)], "nothing after the one that ends the run");
    }

    #[test]
    fn what_waits_for_something_that_never_comes_can_pass() {
        let mut passed = Vec::new();
        let mut pass = |index, _| {
            passed.push(index);
            ControlFlow::Continue(())
        };
        let parts = |index| if index == 2 { 2 } else { 1 };
        let mut order = InOrder::new(&parts, &mut pass);
        for (index, part) in [(4, 0), (2, 1), (1, 0)] {
            let measured = Measurement::default();
            assert!(order.push(index, part, Ok(measured)).is_continue());
        }
        order.pass_complete();
        assert_eq!(passed, [1, 4], "there is only a part of the other one");
    }
}
