//! Commands to the fork server, and messages of it and its children.

use super::BatchTime;

/// The command of a turn: first wait for a child to exit, then fork a new one.
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of the message")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerCommand {
    /// Address of the case's code, relative to a function of the server. It is the same in each
    /// process of this executable. A lookup in a table would touch another cache line for each
    /// case, so that a case's counts depended on its position. [`ServerCommand::SETTLE`] runs
    /// nothing.
    pub entry: u64,
    /// Item of the case, see [`crate::Subject::Library`].
    pub item: u64,
    /// Seed of the case's random numbers; none for the system's randomness.
    pub seed: Option<u64>,
    /// Number of the files of the captured output, see [`super::capture_name`].
    pub number: u32,
    /// Wait for a child to exit.
    pub wait: bool,
    /// Fork a child.
    pub fork: bool,
    /// Run the case in the directory that the link with the name of [`Self::number`] points to.
    pub enter: bool,
    /// Run the case in the server process, then exit.
    pub alone: bool,
    /// Fork the child in the namespace of processes that the link with the name of [`Self::number`] points to, see
    /// [`super::NAMESPACE`].
    pub isolate: bool,
    /// The token of the messages in reply, see [`Message`].
    pub token: Token,
}

/// A number of 24 bits that connects a message with the command that it answers. The runner makes
/// up a new one for each command. So bytes that a benchmark writes to the pipe are not taken for a
/// message, and a message is not taken for the reply to another command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Token(u32);

impl Token {
    /// The token of the message before the first command.
    pub const START: Self = Self(0);

    /// Returns the token with the lower 24 bits of this number, which is not that of the start.
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self((number & 0x00ff_ffff).max(1))
    }

    /// Returns a word with the token above a byte.
    #[inline]
    fn above(self, byte: u32) -> u32 {
        self.0 << 8 | byte
    }

    /// Returns the token in a word above a byte.
    #[inline]
    fn of(word: u32) -> Self {
        Self(word >> 8)
    }
}

impl ServerCommand {
    /// Length of an encoded command.
    pub const LENGTH: usize = 32;
    /// Entry of a child that exits at once. Such children bring the simulated caches into the state
    /// that follows the server's loop.
    pub const SETTLE: u64 = u64::MAX;
    /// Entry of all benchmarks that a walk through the file reaches, see [`crate::walk`]. The
    /// server continues to the benchmark with this item.
    pub const WALK: u64 = u64::MAX - 1;

    /// Encodes the command for the pipe.
    #[must_use]
    #[inline]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let flags =
            [self.wait, self.fork, self.seed.is_some(), self.alone, self.enter, self.isolate];
        let flags =
            flags.into_iter().zip(0..).fold(0, |flags, (flag, bit)| flags | u32::from(flag) << bit);
        let mut bytes = [0; Self::LENGTH];
        for (place, value) in
            [self.entry, self.item, self.seed.unwrap_or(0)].into_iter().enumerate()
        {
            bytes[8 * place..][..8].copy_from_slice(&value.to_le_bytes());
        }
        bytes[24..28].copy_from_slice(&self.number.to_le_bytes());
        bytes[28..].copy_from_slice(&self.token.above(flags).to_le_bytes());
        bytes
    }

    /// Decodes a command.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LENGTH]) -> Self {
        let flags = word(bytes, 28);
        Self {
            entry: long(bytes, 0),
            item: long(bytes, 8),
            seed: (flags & 4 != 0).then_some(long(bytes, 16)),
            number: word(bytes, 24),
            wait: flags & 1 != 0,
            fork: flags & 2 != 0,
            alone: flags & 8 != 0,
            enter: flags & 16 != 0,
            isolate: flags & 32 != 0,
            token: Token::of(flags),
        }
    }
}

/// A message of the server or a child, which goes over the pipe with the token of the command that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// The server has carried out a command, or has reached the benchmark that it runs itself.
    Turn {
        /// Pid of the child that exited; 0 without a wait, -1 without a child.
        ended: i32,
        /// Status of the child from `waitpid`.
        status: i32,
        /// Pid of the new child; 0 without a fork, the negative error number if the fork failed. If
        /// the child only settles the simulated caches, [`Self::NOT_REACHED`],
        /// [`Self::WALK_PANICKED`], [`Self::PASSED`] or [`Self::HAS_THREADS`]. Without a child,
        /// [`Self::NOT_ISOLATED`].
        forked: i32,
    },
    /// A child reached the end of its case.
    Region {
        /// Pid of the child.
        pid: i32,
        /// The measured region.
        region: MeasuredRegion,
        /// The kernel scheduled the threads of the case, so its counts can differ from run to run.
        is_unordered: bool,
    },
    /// A child has timed its case.
    Time {
        /// Pid of the child.
        pid: i32,
        /// The time.
        batch: BatchTime,
    },
    /// A child has repeated the calls of its case for the requested time.
    Repeated {
        /// Pid of the child.
        pid: i32,
        /// Number of the calls.
        calls: u64,
        /// Time that passed, in nanoseconds.
        wall: u64,
    },
}

/// The times of a measured region.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeasuredRegion {
    /// Start, in nanoseconds of the coarse real-time clock, which file systems use.
    pub begin: u64,
    /// End, by the same clock.
    pub end: u64,
    /// Nanoseconds by which that clock, which ticks every few milliseconds, was behind at the end.
    pub end_lag: i32,
    /// The routine measures itself, and all of it counted.
    pub measures_itself: bool,
    /// The virtual clock caught up with the system's clock, which depends on the speed of the
    /// machine.
    pub clock_leapt: bool,
    /// The tool does not see what the benchmark allocates, see [`super::Measuring::checks_allocator`].
    pub allocator_unseen: bool,
}

impl Message {
    /// Length of an encoded message: short enough for an atomic write to a pipe, so that messages of
    /// several processes never mix.
    pub const LENGTH: usize = 32;
    /// Instead of a pid: the walk ended and did not reach the benchmark.
    pub const NOT_REACHED: i32 = i32::MIN;
    /// Instead of a pid: the walk panicked before it reached the benchmark.
    pub const WALK_PANICKED: i32 = i32::MIN + 2;
    /// Instead of a pid: the walk has passed the benchmark. A new walk can reach it.
    pub const PASSED: i32 = i32::MIN + 3;
    /// Instead of a pid: the code of the file has started threads, which a child would not have.
    pub const HAS_THREADS: i32 = i32::MIN + 1;

    /// Instead of a pid: the server can't enter the namespace of processes, or a child can't mount
    /// its `/proc`.
    pub const NOT_ISOLATED: i32 = i32::MIN + 4;

    /// Encodes the message for the pipe.
    #[must_use]
    pub fn encode(&self, token: Token) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let (kind, words, longs) = match *self {
            Self::Turn { ended, status, forked } => (0_u32, [ended, status, forked], [0, 0]),
            Self::Region { pid, region, is_unordered } => {
                let MeasuredRegion { begin, end, end_lag, .. } = region;
                let MeasuredRegion { measures_itself, clock_leapt, allocator_unseen, .. } = region;
                let flags = [is_unordered, measures_itself, clock_leapt, allocator_unseen];
                let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i32::from(flag));
                (1, [pid, end_lag, flags], [begin, end])
            }
            Self::Time { pid, batch } => {
                let BatchTime { calls, wall, cpu, has_threads, measures_itself } = batch;
                let flags = i32::from(has_threads) | i32::from(measures_itself) << 1;
                (2, [pid, calls.into(), flags], [wall, cpu])
            }
            Self::Repeated { pid, calls, wall } => (3, [pid, 0, 0], [calls, wall]),
        };
        bytes[..4].copy_from_slice(&token.above(kind).to_le_bytes());
        for (place, value) in words.into_iter().enumerate() {
            bytes[4 + 4 * place..][..4].copy_from_slice(&value.to_le_bytes());
        }
        for (place, value) in longs.into_iter().enumerate() {
            bytes[16 + 8 * place..][..8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// Returns `true` for the first byte of a message, which no text contains.
    #[must_use]
    pub const fn is_start(byte: u8) -> bool {
        byte <= 3
    }

    /// Decodes a message and its token. `None` for other bytes.
    #[must_use]
    #[inline]
    pub fn decode(bytes: &[u8; Self::LENGTH]) -> Option<(Token, Self)> {
        let signed = |at| i32::from_le_bytes(word(bytes, at).to_le_bytes());
        let flags = signed(12);
        let message = match bytes[0] {
            0 => Self::Turn { ended: signed(4), status: signed(8), forked: signed(12) },
            1 => Self::Region {
                pid: signed(4),
                region: MeasuredRegion {
                    begin: long(bytes, 16),
                    end: long(bytes, 24),
                    end_lag: signed(8),
                    measures_itself: flags & 2 != 0,
                    clock_leapt: flags & 4 != 0,
                    allocator_unseen: flags & 8 != 0,
                },
                is_unordered: flags & 1 != 0,
            },
            2 => Self::Time {
                pid: signed(4),
                batch: BatchTime {
                    calls: u16::try_from(word(bytes, 8)).ok()?,
                    wall: long(bytes, 16),
                    cpu: long(bytes, 24),
                    has_threads: flags & 1 != 0,
                    measures_itself: flags & 2 != 0,
                },
            },
            3 => Self::Repeated { pid: signed(4), calls: long(bytes, 16), wall: long(bytes, 24) },
            _ => return None,
        };
        let token = Token::of(word(bytes, 0));
        // Nothing else is in the message
        (message.encode(token) == *bytes).then_some((token, message))
    }
}

/// Returns the little-endian word at this offset.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]))
}

/// Returns the little-endian double word at this offset.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_survive_the_pipe() {
        for (wait, fork) in [(false, false), (false, true), (true, false), (true, true)] {
            let (entry, item) = (0x0123_4567_89ab_cdef, u64::MAX);
            let seed = wait.then_some(7);
            let (number, enter, alone, isolate) = (42, !fork, !wait, fork);
            let token = Token::new(0xabcd_ef01);
            let command = ServerCommand {
                entry,
                item,
                seed,
                number,
                wait,
                fork,
                enter,
                alone,
                isolate,
                token,
            };
            assert_eq!(ServerCommand::decode(&command.encode()), command);
        }
    }

    #[test]
    fn messages_survive_the_pipe() {
        let turn = Message::Turn { ended: -1, status: 256, forked: 7 };
        let region = |is_unordered: bool, clock_leapt: bool| Message::Region {
            pid: 9,
            region: MeasuredRegion {
                begin: u64::MAX,
                end: 1,
                end_lag: i32::MAX - 1,
                measures_itself: !is_unordered,
                clock_leapt,
                allocator_unseen: !clock_leapt,
            },
            is_unordered,
        };
        let time = |has_threads: bool| Message::Time {
            pid: 9,
            batch: BatchTime {
                calls: u16::MAX,
                wall: u64::MAX,
                cpu: 1,
                has_threads,
                measures_itself: !has_threads,
            },
        };
        let regions = [region(true, false), region(false, false), region(false, true)];
        let repeated = Message::Repeated { pid: 9, calls: u64::MAX, wall: 7 };
        for message in [turn, time(true), time(false), repeated].into_iter().chain(regions) {
            for token in [Token::START, Token::new(u32::MAX)] {
                let bytes = message.encode(token);
                assert_eq!(Message::decode(&bytes), Some((token, message)));
                assert!(Message::is_start(bytes[0]));
                // No byte has two meanings or none
                for place in 0..bytes.len() {
                    let mut other = bytes;
                    other[place] ^= 0x80;
                    assert_ne!(Message::decode(&other), Some((token, message)));
                }
            }
        }
        assert!(Token::new(0) != Token::START && Token::new(1 << 24) != Token::START);
        assert!((b'\t'..=u8::MAX).all(|byte| !Message::is_start(byte)));
        assert_eq!(Message::decode(&[9; Message::LENGTH]), None);
    }
}
