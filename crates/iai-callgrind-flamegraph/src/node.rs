//! A function of a flow with its costs.

use super::apportion::apportion;

/// A function. One that others of its cycle call can be in a flow several times.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    /// The function is a part of its only caller.
    pub(super) is_inlined: bool,
    /// Cost that enters without a call.
    pub(super) root: u64,
    /// Self cost; inlined code is separate, with its file or its function.
    pub(super) own: Vec<(Option<&'a str>, u64)>,
    /// Costs of its calls, by the index of the called function.
    pub(super) calls: Vec<(usize, u64)>,
}

impl Node<'_> {
    /// Moves this much of the inclusive cost to another node.
    pub(super) fn take(&mut self, amount: u64, to: &mut Self)
    where
        Self: Sized,
    {
        let own = self.own.iter().map(|(_, cost)| *cost);
        let costs: Vec<_> = own.chain(self.calls.iter().map(|(_, cost)| *cost)).collect();
        let mut shares = apportion(amount, &costs).into_iter();
        for ((file, cost), share) in self.own.iter_mut().zip(&mut shares) {
            *cost -= share;
            to.own.push((*file, share));
        }
        for ((target, cost), share) in self.calls.iter_mut().zip(&mut shares) {
            *cost -= share;
            if share > 0 {
                to.calls.push((*target, share));
            }
        }
    }

    /// Returns the self cost, with inlined code.
    pub(super) fn self_cost(&self) -> u64 {
        self.own.iter().map(|(_, cost)| cost).sum()
    }

    /// Returns the inclusive cost: the self cost and the cost of its calls.
    pub(super) fn leaving(&self) -> u64 {
        self.self_cost() + self.calls.iter().map(|(_, cost)| cost).sum::<u64>()
    }
}
