//! Random numbers of commands, from a seed.

use std::fs;

use super::request::{Answer, Request, process_file};

/// Maximum number of random bytes for one system call. Callers ask again for the rest.
const LONGEST: usize = 1 << 16;

/// Number of bytes at `AT_RANDOM`.
const START_BYTES: usize = 16;

/// A generator of random numbers (`SplitMix64`).
#[derive(Debug, Clone, Copy)]
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + size_of::<u64>());
        while bytes.len() < length {
            bytes.extend(self.next().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}

/// The random numbers of a command.
#[derive(Debug)]
pub(super) struct Random {
    generator: Generator,
    /// The bytes at `AT_RANDOM` of each program.
    start: Vec<u8>,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { generator: Generator(seed), start: Generator(!seed).bytes(START_BYTES) }
    }

    /// Answers `getrandom`.
    pub(super) fn fill(&mut self, request: &Request<'_>) -> Answer {
        let [address, length, ..] = request.arguments;
        let length = usize::try_from(length).unwrap_or(LONGEST).min(LONGEST);
        request.write(address, &self.generator.bytes(length)).into()
    }

    /// Overwrites the random bytes with which the kernel started a program.
    pub(super) fn overwrite_start(&self, request: &Request<'_>) -> Answer {
        let address = address_of_start_bytes(request.thread);
        let _ = address.map(|address| request.write(address, &self.start));
        Answer::Continue
    }
}

/// Returns the address of the random bytes with which the kernel started a process.
fn address_of_start_bytes(process: libc::pid_t) -> Option<u64> {
    let vector = fs::read(process_file(process, "auxv")).ok()?;
    let mut entries = vector.chunks_exact(2 * size_of::<u64>()).map(|entry| {
        let (kind, value) = entry.split_at(size_of::<u64>());
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).ok();
        Some((number(kind)?, number(value)?))
    });
    entries.find_map(|entry| {
        entry.filter(|(kind, _)| *kind == libc::AT_RANDOM).map(|(_, value)| value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_has_bytes_of_any_number() {
        let bytes = |length| Generator(7).bytes(length);
        assert_eq!((bytes(0).len(), bytes(3).len(), bytes(16).len()), (0, 3, 16));
        assert_eq!(bytes(16)[..3], bytes(3));
        assert_ne!(bytes(16)[..8], bytes(16)[8..]);
        assert_ne!(Generator(8).bytes(8), bytes(8));
    }
}
