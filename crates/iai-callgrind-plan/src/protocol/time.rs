//! Timed calls of a child, and their times.

/// The calls that a child times. A command has them instead of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batches {
    /// Number of the calls between two readings of the clock.
    pub calls: u16,
    /// Number of the batches that are timed, at most 63.
    pub number: u8,
    /// Another batch comes first.
    pub warm_up: bool,
    /// Offsets of stack and heap, in units of 16 bytes.
    pub layout: u8,
    /// The CPU to run on; `None` for all.
    pub cpu: Option<u16>,
}

impl Batches {
    /// A single call.
    pub const CALL: Self = Self { calls: 1, number: 1, warm_up: false, layout: 0, cpu: None };

    /// Returns them as a seed.
    #[must_use]
    pub fn seed(self) -> u64 {
        let number = self.number & 0x3f | u8::from(self.warm_up) << 7;
        u64::from(self.calls)
            | u64::from(number) << 32
            | u64::from(self.layout) << 40
            | u64::from(self.cpu.unwrap_or(u16::MAX)) << 48
    }

    /// Reads them from a seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let bytes = seed.to_le_bytes();
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let (calls, number, layout, cpu) = (word(0), bytes[4], bytes[5], word(6));
        let cpu = Some(cpu).filter(|cpu| *cpu != u16::MAX);
        Self { calls, number: number & 0x3f, warm_up: number & 0x80 != 0, layout, cpu }
    }
}

/// The shortest times of the batches that a child timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchTime {
    /// Number of its calls, fewer than requested if their inputs would take too much of the stack.
    pub calls: u16,
    /// Time that passed, in nanoseconds.
    pub wall: u64,
    /// Time of all threads on a CPU, in nanoseconds.
    pub cpu: u64,
    /// The child has started threads.
    pub has_threads: bool,
    /// The routine has measured itself.
    pub measures_itself: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_survive_as_a_seed() {
        for cpu in [None, Some(0), Some(300)] {
            let (calls, number, layout) = (u16::MAX - 1, 63, u8::MAX - 2);
            let batches = Batches { calls, number, warm_up: cpu.is_none(), layout, cpu };
            assert_eq!(Batches::of_seed(batches.seed()), batches);
        }
    }
}
