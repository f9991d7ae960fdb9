//! Numbers of what one call of a benchmark processes, by kind.

use iai_callgrind_harness::__private::report_amount;
use iai_callgrind_plan as plan;

/// The numbers that a benchmark has, at most one of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throughput {
    /// Bytes.
    pub(crate) bytes: Option<u64>,
    /// Characters.
    pub(crate) chars: Option<u64>,
    /// Cycles.
    pub(crate) cycles: Option<u64>,
    /// Items.
    pub(crate) items: Option<u64>,
}

impl Throughput {
    /// Returns the amount of data for the metrics. Items come before characters, and these before cycles.
    pub(crate) fn amount(self) -> Option<plan::Throughput> {
        plan::Throughput::new(self.elements(), self.bytes)
    }

    /// Reports the amount of data of the running benchmark.
    pub(crate) fn report(self) {
        report_amount(self.elements(), self.bytes);
    }

    fn elements(self) -> Option<u64> {
        self.items.or(self.chars).or(self.cycles)
    }

    /// Returns the sums of these numbers and others.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self {
            bytes: sum(self.bytes, other.bytes),
            chars: sum(self.chars, other.chars),
            cycles: sum(self.cycles, other.cycles),
            items: sum(self.items, other.items),
        }
    }

    /// Returns these numbers, and the other ones of the kinds that are missing here.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.or(other.bytes),
            chars: self.chars.or(other.chars),
            cycles: self.cycles.or(other.cycles),
            items: self.items.or(other.items),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::{BytesCount, ItemsCount};

    #[test]
    fn the_last_number_of_a_kind_wins() {
        let mut inner = Throughput::default();
        inner.insert(BytesCount::new(1_u8));
        inner.insert(BytesCount::new(2_u8));
        let mut outer = Throughput::default();
        outer.insert(BytesCount::new(3_u8));
        outer.insert(ItemsCount::new(4_u8));
        let expected = Throughput { bytes: Some(2), items: Some(4), ..Throughput::default() };
        assert_eq!(inner.or(outer), expected);
        let amount = plan::Throughput::ElementsAndBytes { elements: 4, bytes: 2 };
        assert_eq!(inner.or(outer).amount(), Some(amount));
        assert_eq!(inner.amount(), Some(plan::Throughput::Bytes(2)));
    }

    #[test]
    fn sums_have_all_kinds() {
        let one = Throughput { bytes: Some(2), items: Some(4), ..Throughput::default() };
        let other = Throughput { bytes: Some(3), chars: Some(1), ..Throughput::default() };
        let expected =
            Throughput { bytes: Some(5), chars: Some(1), items: Some(4), ..Throughput::default() };
        assert_eq!(one.plus(other), expected);
    }

    #[test]
    fn elements_are_items_first() {
        let [chars, cycles, items] = [Some(1), Some(2), Some(3)];
        let throughput = Throughput { chars, cycles, ..Throughput::default() };
        assert_eq!(throughput.amount(), Some(plan::Throughput::Elements(1)));
        let throughput = Throughput { items, ..throughput };
        assert_eq!(throughput.amount(), Some(plan::Throughput::Elements(3)));
        assert_eq!(Throughput::default().amount(), None);
    }
}
