//! Random numbers from a seed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;

use super::files::reopened;
use super::request::{Answer, Request, process_file};
use crate::orphans::stat_values;
use crate::real_time::process_of;

/// Maximum number of random bytes for one system call. Callers ask again for the rest.
const LONGEST: usize = 1 << 16;

/// Number of bytes in the devices with random numbers, which repeat after a part.
const STREAM: usize = 16 << 20;
const PART: usize = 1 << 20;

/// Bytes between the starts of the devices that are opened one after the other, and the number of
/// starts.
const STEP: u64 = 4096;
const STARTS: u64 = 2048;

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

/// The random numbers of a command, and of functions that make system calls themselves.
#[derive(Debug)]
pub(super) struct Random {
    generator: Generator,
    /// The bytes at `AT_RANDOM` of each program.
    start: Vec<u8>,
    /// The seed of files.
    seed: u64,
    /// Number of the files that each process has opened, or all of a command, and of the calls of
    /// `getrandom` of a function.
    opened: HashMap<Opener, u64>,
    /// The content of the devices, once a program opens one.
    stream: Option<File>,
    is_command: bool,
}

/// Processes whose files have the same contents in each run.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Opener {
    Command,
    /// A process with its start time, because ids are reused.
    Process(libc::pid_t, String),
}

impl Random {
    pub(super) fn new(seed: u64, is_command: bool) -> Self {
        Self {
            generator: Generator(seed),
            start: Generator(!seed).bytes(START_BYTES),
            seed: Generator(seed)
                .bytes(START_BYTES)
                .iter()
                .fold(seed, |seed, byte| seed.rotate_left(5) ^ u64::from(*byte)),
            opened: HashMap::new(),
            stream: None,
            is_command,
        }
    }

    /// Returns a random id as the kernel's file has it.
    pub(super) fn uuid(&mut self, thread: libc::pid_t) -> Option<String> {
        let number = self.next_file(thread)?;
        let mut bytes = Generator(self.seed.wrapping_add(number)).bytes(16);
        // Version 4
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let digits = format!("{:032x}", u128::from_be_bytes(bytes.try_into().ok()?));
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
        Some(format!("{}\n", parts.join("-")))
    }

    /// Opens a device with random numbers, which differ from those of the last one.
    pub(super) fn device(&mut self, thread: libc::pid_t) -> Option<File> {
        let start = self.next_file(thread)? % STARTS * STEP;
        if self.stream.is_none() {
            let stream =
                rustix::fs::memfd_create(c"urandom", rustix::fs::MemfdFlags::CLOEXEC).ok()?;
            let mut stream = File::from(stream);
            let part = Generator(self.seed).bytes(PART);
            for _ in 0..STREAM / PART {
                stream.write_all(&part).ok()?;
            }
            self.stream = Some(stream);
        }
        reopened(self.stream.as_ref()?, start)
    }

    /// Returns the number of files that were opened before.
    fn next_file(&mut self, thread: libc::pid_t) -> Option<u64> {
        let opener = if self.is_command { Opener::Command } else { process(thread)? };
        let number = self.opened.entry(opener).or_insert(0);
        *number += 1;
        Some(*number - 1)
    }

    /// Answers `getrandom`.
    pub(super) fn fill(&mut self, request: &Request<'_>) -> Answer {
        let [address, length, ..] = request.arguments;
        let length = usize::try_from(length).unwrap_or(LONGEST).min(LONGEST);
        let bytes = self.bytes(request.thread, length);
        bytes.and_then(|bytes| request.write(address, &bytes)).into()
    }

    /// Returns the next random bytes of a command, or of the process of this thread.
    fn bytes(&mut self, thread: libc::pid_t, length: usize) -> Option<Vec<u8>> {
        if self.is_command {
            return Some(self.generator.bytes(length));
        }
        let number = self.next_file(thread)?;
        Some(Generator(self.seed.wrapping_add(number)).bytes(length))
    }

    /// Overwrites the random bytes with which the kernel started a program.
    pub(super) fn overwrite_start(&self, request: &Request<'_>) -> Answer {
        let address = address_of_start_bytes(request.thread);
        let _ = address.map(|address| request.write(address, &self.start));
        Answer::Continue
    }
}

/// Returns the process of a thread.
fn process(thread: libc::pid_t) -> Option<Opener> {
    let process = process_of(thread)?;
    let state = fs::read_to_string(process_file(process, "stat")).ok()?;
    let start = stat_values(&state)?.nth(19)?;
    Some(Opener::Process(process, start.to_owned()))
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
    use std::io::Read;

    use super::*;

    #[test]
    fn a_generator_has_bytes_of_any_number() {
        let bytes = |length| Generator(7).bytes(length);
        assert_eq!((bytes(0).len(), bytes(3).len(), bytes(16).len()), (0, 3, 16));
        assert_eq!(bytes(16)[..3], bytes(3));
        assert_ne!(bytes(16)[..8], bytes(16)[8..]);
        assert_ne!(Generator(8).bytes(8), bytes(8));
    }

    #[test]
    fn calls_have_other_numbers_one_after_the_other_and_the_same_in_each_run() {
        let own = std::process::id().try_into().unwrap();
        for is_command in [true, false] {
            let numbers = || {
                let mut random = Random::new(7, is_command);
                [(); 2].map(|()| random.bytes(own, 16).unwrap())
            };
            let [first, second] = numbers();
            assert_ne!(first, second);
            assert_eq!(numbers(), [first, second]);
        }
    }

    #[test]
    fn files_have_other_numbers_one_after_the_other_and_the_same_in_each_run() {
        let own = std::process::id().try_into().unwrap();
        for is_command in [true, false] {
            let mut random = Random::new(7, is_command);
            let uuids = [random.uuid(own).unwrap(), random.uuid(own).unwrap()];
            assert_ne!(uuids[0], uuids[1]);
            assert_eq!((uuids[0].len(), &uuids[0][14..15]), (37, "4"));
            let mut again = Random::new(7, is_command);
            assert_eq!([again.uuid(own).unwrap(), again.uuid(own).unwrap()], uuids);
            let mut read = || {
                let mut bytes = vec![0; 64];
                random.device(own).unwrap().read_exact(&mut bytes).unwrap();
                bytes
            };
            assert_ne!(read(), read());
        }
        assert_ne!(Random::new(8, true).uuid(own), Random::new(7, true).uuid(own));
    }
}
