//! Messages of a fixed size between the runner and the fork server, over two pipes.
//!
//! Each turn is one [`ServerCommand`] from the runner and one [`Message::Turn`] in reply. A child at the end of
//! its case adds a [`Message::Region`]. The size is fixed because the server must take the same path through
//! its code for every case: the next case starts with the simulated caches that the server leaves.

use std::ffi::CStr;

/// The environment variable that makes a benchmark executable a fork server, with the value of
/// [`ServerEnvironment`].
const SERVE: &str = "IAI_CALLGRIND_SERVE";

/// The environment variable for padding, which is never read; see [`ServerEnvironment::variables`].
const PADDING: &str = "IAI_CALLGRIND_PADDING";

/// A request to callgrind right before or right after the measured region.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// Label of the dump. The dump at the end is the result.
    pub label: &'static CStr,
    /// Monitor command for a dump of each thread. The client request dumps a single one.
    pub command: &'static CStr,
}

/// The symbol of the library's instructions between caller and measured function that make the request to count.
pub const ENTER: &str = "iai_callgrind_enter";

/// The start of the measured region.
pub const BEGIN: Mark =
    Mark { label: c"iai-callgrind begin", command: c"dump iai-callgrind begin" };

/// The end of the measured region.
pub const END: Mark = Mark { label: c"iai-callgrind end", command: c"dump iai-callgrind end" };

/// A line in Valgrind's log at the start or the end of the measured region.
#[derive(Debug, Clone, Copy)]
pub struct LogMark {
    /// Monitor command of Valgrind's core, which writes a line under any tool.
    pub command: &'static CStr,
    /// End of that line.
    pub text: &'static str,
}

/// The marks at the start and the end of the measured region, for tools that report each event in the log.
pub const LOG_MARKS: [LogMark; 2] = [
    LogMark {
        command: c"v.info n_errs_found iai-callgrind-region-begin",
        text: " iai-callgrind-region-begin",
    },
    LogMark {
        command: c"v.info n_errs_found iai-callgrind-region-end",
        text: " iai-callgrind-region-end",
    },
];

/// Returns the file name of a child's captured output, and of the link to its directory: `number` as eight
/// hexadecimal digits. The number of steps is the same for any number, see the module.
#[must_use]
pub fn capture_name(number: u32) -> [u8; 8] {
    let mut name = [0; 8];
    for (place, digit) in name.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (28 - 4 * place)) as usize & 0xf];
    }
    name
}

/// The extension of the file with a child's counters, in the place of that of its output. It is as long as `stderr`.
pub const COUNTERS: &str = "values";

/// The number of the server's output, see [`capture_name`]. Cases have the numbers after it.
pub const SERVER_NUMBER: u32 = 0;

/// The descriptors of the server's ends of the pipes, for commands and for messages. They do not change the numbers
/// of the descriptors that benchmarks open, and processes that benchmarks start do not inherit them.
pub const DESCRIPTORS: [i32; 2] = [200, 201];

/// The exit code of a case that reached its end and could not send its message.
pub const NOT_SENT: i32 = 103;

/// A hook around benchmarks, which runs natively in a separate process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hook {
    /// Index of the group of the hook or the case; none for a hook of the whole file.
    pub group: Option<usize>,
    /// Index of the case in the group, see [`crate::Subject::Binary`]; none for a hook of the group.
    pub case: Option<u64>,
    /// Run before the benchmarks, not after them.
    pub is_setup: bool,
}

impl Hook {
    /// The environment variable that makes a benchmark executable run only a hook.
    pub const VARIABLE: &str = "IAI_CALLGRIND_HOOK";

    /// The environment variable with the working directory of the hook.
    pub const DIRECTORY: &str = "IAI_CALLGRIND_HOOK_DIRECTORY";

    /// Returns the hook in the environment of this process.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(&std::env::var(Self::VARIABLE).ok()?)
    }

    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split(':');
        let is_setup = match parts.next()? {
            "setup" => true,
            "teardown" => false,
            _ => return None,
        };
        let group = parts.next().map(str::parse).transpose().ok()?;
        let case = parts.next().map(str::parse).transpose().ok()?;
        parts.next().is_none().then_some(Self { group, case, is_setup })
    }
}

/// Writes the value of [`Hook::VARIABLE`].
impl std::fmt::Display for Hook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.is_setup { "setup" } else { "teardown" })?;
        let parts = [self.group.map(|group| group as u64), self.case];
        parts.into_iter().flatten().try_for_each(|part| write!(formatter, ":{part}"))
    }
}

/// A function to run natively, in a process of its own: test mode of a function with a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeCase {
    /// Address of the code, see [`ServerCommand::entry`].
    pub entry: u64,
    /// Item of the case, see [`ServerCommand::item`].
    pub item: u64,
}

impl NativeCase {
    /// The environment variable that makes a benchmark executable run only this case, in the directory of
    /// [`Hook::DIRECTORY`].
    pub const VARIABLE: &str = "IAI_CALLGRIND_CASE";

    /// Returns the case in the environment of this process.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(&std::env::var(Self::VARIABLE).ok()?)
    }

    fn parse(value: &str) -> Option<Self> {
        let (entry, item) = value.split_once(':')?;
        Some(Self { entry: entry.parse().ok()?, item: item.parse().ok()? })
    }
}

/// Leaves out the seed, because a native run has the system's random numbers.
impl From<Start> for NativeCase {
    fn from(Start { entry, item, .. }: Start) -> Self {
        Self { entry, item }
    }
}

/// Writes the value of [`NativeCase::VARIABLE`].
impl std::fmt::Display for NativeCase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.entry, self.item)
    }
}

/// The arguments of the fork server for a case.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Address of the code, see [`ServerCommand::entry`].
    pub entry: u64,
    /// Item of the case, see [`ServerCommand::item`].
    pub item: u64,
    /// Seed of the case, see [`ServerCommand::seed`].
    pub seed: Option<u64>,
}

/// The delimiter of the counted instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Callgrind toggles collection at the symbol of the benchmark function.
    Function,
    /// Client requests around the call, for executables without symbols.
    Marks,
    /// Valgrind's arguments and the benchmark itself; the server does not change collection.
    Free,
    /// Cachegrind instruments only the call.
    Instrumentation,
    /// None: the tool reports the whole process.
    Process,
    /// None: without Valgrind, calls are timed, see [`Batches`].
    Time,
}

/// The way in which a fork server marks the measured region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measuring {
    /// Delimiter of the counted instructions.
    pub counting: Counting,
    /// Instrument nothing until a measured region starts.
    pub cold_caches: bool,
    /// Write a dump for each thread.
    pub separate_threads: bool,
    /// Number of the calls of a routine before those that count, where it can be called repeatedly.
    pub warm_up_calls: u16,
    /// Number of the calls of a routine that count.
    pub calls: u16,
}

impl Measuring {
    /// The default: the benchmark function counts, in warm caches and all threads together.
    pub const DEFAULT: Self = Self {
        counting: Counting::Function,
        cold_caches: false,
        separate_threads: false,
        warm_up_calls: 0,
        calls: 1,
    };

    /// Number of the letters and digits of all fields.
    const LENGTH: usize = 13;

    /// Returns a letter for each field, and five digits for a number.
    #[inline]
    fn letters(self) -> String {
        let counting = match self.counting {
            Counting::Function => 'f',
            Counting::Marks => 'm',
            Counting::Free => 'x',
            Counting::Instrumentation => 'i',
            Counting::Process => 'p',
            Counting::Time => 'n',
        };
        let caches = if self.cold_caches { 'c' } else { 'w' };
        let threads = if self.separate_threads { 's' } else { 't' };
        format!("{counting}{caches}{threads}{:05}{:05}", self.warm_up_calls, self.calls)
    }

    fn parse(letters: &str) -> Option<Self> {
        let (letters, numbers) = letters.split_at_checked(3)?;
        let (warm_up_calls, calls) = numbers.split_at_checked(5)?;
        let &[counting, caches, threads] = letters.as_bytes() else { return None };
        let counting = match counting {
            b'f' => Counting::Function,
            b'm' => Counting::Marks,
            b'x' => Counting::Free,
            b'i' => Counting::Instrumentation,
            b'p' => Counting::Process,
            b'n' => Counting::Time,
            _ => return None,
        };
        Some(Self {
            counting,
            cold_caches: caches == b'c',
            separate_threads: threads == b's',
            warm_up_calls: warm_up_calls.parse().ok()?,
            calls: calls.parse().ok()?,
        })
    }
}

/// The environment of a fork server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEnvironment {
    /// Marks around the measured region.
    pub measuring: Measuring,
    /// Number of CPUs that benchmarks see, each of which runs on one CPU; 0 for those of the machine.
    pub cpus: u16,
    /// Cases with a seed read a virtual clock instead of the system's.
    pub virtual_clock: bool,
    /// The runner stops threads at the end of their time slices, so that they can have a fixed order.
    pub stops_threads: bool,
    /// The measured region is marked in Valgrind's log, see [`LOG_MARKS`].
    pub marks_log: bool,
    /// Directory for the output of the children. The server reads the same path with slashes at the end.
    pub directory: String,
}

impl ServerEnvironment {
    /// Returns the variables that start a benchmark executable as a fork server.
    ///
    /// The simulated caches depend on addresses, so the memory of a process before the first benchmark must not
    /// depend on the path of a checkout. The directory, which the server copies, is therefore padded with
    /// slashes, and the second variable and the `others` bytes above the stack have a constant length.
    #[must_use]
    #[inline]
    pub fn variables(&self, others: usize) -> [(&'static str, String); 2] {
        const DIRECTORY_LENGTH: usize = 1013;
        const OTHERS_LENGTH: usize = 16 * 1024;
        let slashes = "/".repeat(DIRECTORY_LENGTH.saturating_sub(self.directory.len()).max(1));
        let padding = "/".repeat(OTHERS_LENGTH.saturating_sub(others));
        let letters = self.measuring.letters();
        let clock = if self.virtual_clock { 'v' } else { 's' };
        // One letter for both, because the length of the value is that of all benchmarks
        let threads = match (self.stops_threads, self.marks_log) {
            (true, false) => 'o',
            (false, false) => 'k',
            (true, true) => 'O',
            (false, true) => 'K',
        };
        let value = format!("{letters}{clock}{threads}{:05}{}{slashes}", self.cpus, self.directory);
        [(SERVE, value), (PADDING, padding)]
    }

    /// Reads the environment of this process. `None` if it is not a fork server.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(std::env::var(SERVE).ok()?)
    }

    fn parse(mut value: String) -> Option<Self> {
        let (measuring, rest) = value.split_at_checked(Measuring::LENGTH)?;
        let measuring = Measuring::parse(measuring)?;
        let virtual_clock = rest.get(..1)? == "v";
        let threads = rest.get(1..2)?;
        let stops_threads = threads.eq_ignore_ascii_case("o");
        let marks_log = threads == "O" || threads == "K";
        let cpus = rest.get(2..7)?.parse().ok()?;
        value.drain(..Measuring::LENGTH + 7);
        let directory = value;
        Some(Self { measuring, cpus, virtual_clock, stops_threads, marks_log, directory })
    }

    /// Removes the variables from this process, so that the benchmarks' environment is empty.
    ///
    /// # Safety
    ///
    /// No other thread runs.
    pub unsafe fn remove() {
        for name in [SERVE, PADDING] {
            // SAFETY: as demanded of the caller.
            unsafe { std::env::remove_var(name) };
        }
    }
}

/// The command of a turn: first wait for a child to exit, then fork a new one.
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of the message")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerCommand {
    /// Address of the case's code: the distance of its function from the server's, which is the same in
    /// each process of this executable. A lookup in a table would touch another cache line for each case,
    /// so that a case's counts depended on its position. [`ServerCommand::SETTLE`] runs nothing.
    pub entry: u64,
    /// Item of the case, see [`crate::Subject::Library`].
    pub item: u64,
    /// Seed of the case's random numbers; none for the system's randomness.
    pub seed: Option<u64>,
    /// Number of the files of the captured output, see [`capture_name`].
    pub number: u32,
    /// Wait for a child to exit.
    pub wait: bool,
    /// Fork a child.
    pub fork: bool,
    /// Run the case in the directory that the link with the name of [`Self::number`] points to.
    pub enter: bool,
    /// Run the case in the server process, then exit.
    pub alone: bool,
}

impl ServerCommand {
    /// Length of an encoded command.
    pub const LENGTH: usize = 32;
    /// The entry of a child that exits at once. Such children bring the simulated caches into the state
    /// after the server's loop.
    pub const SETTLE: u64 = u64::MAX;
    /// The entry of all benchmarks that a walk through the file reaches, see [`crate::walk`]. The server walks on to
    /// the one with this item.
    pub const WALK: u64 = u64::MAX - 1;

    /// Encodes the command for the pipe.
    #[must_use]
    #[inline]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let flags = [self.wait, self.fork, self.seed.is_some(), self.alone, self.enter];
        let flags =
            flags.into_iter().zip(0..).fold(0, |flags, (flag, bit)| flags | u32::from(flag) << bit);
        let mut bytes = [0; Self::LENGTH];
        for (place, value) in
            [self.entry, self.item, self.seed.unwrap_or(0)].into_iter().enumerate()
        {
            bytes[8 * place..][..8].copy_from_slice(&value.to_le_bytes());
        }
        bytes[24..28].copy_from_slice(&self.number.to_le_bytes());
        bytes[28..].copy_from_slice(&flags.to_le_bytes());
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
        }
    }
}

/// The calls that a child times. A command has them in place of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batches {
    /// Number of the calls between two readings of the clock.
    pub calls: u16,
    /// Work that is added to each batch, in hundredths of a percent of its time.
    pub extra: u16,
    /// Number of the batches that are timed, at most 63.
    pub number: u8,
    /// Another batch comes first.
    pub warm_up: bool,
    /// The events of the CPU are counted, too.
    pub events: bool,
    /// The places of stack and heap, in units of 16 bytes.
    pub layout: u8,
    /// The CPU to run on; `None` for all.
    pub cpu: Option<u16>,
}

impl Batches {
    /// A single call.
    pub const CALL: Self =
        Self { calls: 1, extra: 0, number: 1, warm_up: false, events: false, layout: 0, cpu: None };

    /// Returns them as a seed.
    #[must_use]
    pub fn seed(self) -> u64 {
        let number = self.number & 0x3f | u8::from(self.events) << 6 | u8::from(self.warm_up) << 7;
        u64::from(self.calls)
            | u64::from(self.extra) << 16
            | u64::from(number) << 32
            | u64::from(self.layout) << 40
            | u64::from(self.cpu.unwrap_or(u16::MAX)) << 48
    }

    /// Reads them from a seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let bytes = seed.to_le_bytes();
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let (calls, extra, number, layout, cpu) = (word(0), word(2), bytes[4], bytes[5], word(6));
        let cpu = Some(cpu).filter(|cpu| *cpu != u16::MAX);
        let (warm_up, events) = (number & 0x80 != 0, number & 0x40 != 0);
        Self { calls, extra, number: number & 0x3f, warm_up, events, layout, cpu }
    }
}

/// An event that the CPU counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuEvent {
    /// A cycle of the clock.
    Cycle,
    /// An instruction that was retired.
    Instruction,
    /// A branch that was predicted wrongly.
    BranchMiss,
    /// An access that the last cache did not have.
    CacheMiss,
}

impl CpuEvent {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cycle, Self::Instruction, Self::BranchMiss, Self::CacheMiss];

    /// Returns the name of their number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycles",
            Self::Instruction => "instructions",
            Self::BranchMiss => "branch misses",
            Self::CacheMiss => "cache misses",
        }
    }
}

/// The numbers of the [events](CpuEvent::ALL) in a batch, or the error numbers of the kernel.
pub type EventCounts = [Result<u64, i32>; CpuEvent::ALL.len()];

/// The shortest times of the batches that a child timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchTime {
    /// Number of its calls. It is less than asked for if their inputs would take too much of the stack.
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

/// A message of the server or a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// The server has carried out a command.
    Turn {
        /// Pid of the child that exited; 0 without a wait, -1 without a child.
        ended: i32,
        /// Status of the child from `waitpid`.
        status: i32,
        /// Pid of the new child; 0 without a fork, the negative error number if the fork failed.
        /// [`Self::NOT_REACHED`], [`Self::WALK_PANICKED`], [`Self::PASSED`] or [`Self::HAS_THREADS`] if the child only
        /// settles the simulated caches.
        forked: i32,
    },
    /// A child reached the end of its case.
    Region {
        /// Pid of the child.
        pid: i32,
        /// The measured region.
        region: MeasuredRegion,
        /// The case started threads that took turns in an order of the kernel's, which differs from run to run.
        is_unordered: bool,
    },
    /// A child has timed its case.
    Time {
        /// Pid of the child.
        pid: i32,
        /// The time.
        batch: BatchTime,
    },
    /// A child has counted an event of the CPU. It comes before the time.
    Event {
        /// Pid of the child.
        pid: i32,
        /// The index of the event.
        event: u8,
        /// The smallest number in a batch, or the error number of the kernel.
        count: Result<u64, i32>,
    },
}

/// The times of a measured region.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeasuredRegion {
    /// Start, in nanoseconds of the coarse real-time clock, which file systems use.
    pub begin: u64,
    /// End, by the same clock.
    pub end: u64,
    /// The time in nanoseconds by which that clock, which ticks every few milliseconds, was behind at the end.
    pub end_lag: i32,
    /// The routine measures itself, and all of it counted.
    pub measures_itself: bool,
    /// The virtual clock made up for time that had passed, which depends on the speed of the machine.
    pub clock_leapt: bool,
}

impl Message {
    /// Length of an encoded message: short enough for an atomic write to a pipe, so that messages of
    /// several processes never mix.
    pub const LENGTH: usize = 32;
    /// Instead of a pid: the walk came to its end and did not reach the benchmark.
    pub const NOT_REACHED: i32 = i32::MIN;
    /// Instead of a pid: the walk panicked before it reached the benchmark.
    pub const WALK_PANICKED: i32 = i32::MIN + 2;
    /// Instead of a pid: the walk has passed the benchmark. Another one comes to it.
    pub const PASSED: i32 = i32::MIN + 3;
    /// Instead of a pid: the walk has started threads, which a child would not have.
    pub const HAS_THREADS: i32 = i32::MIN + 1;

    /// Encodes the message for the pipe.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let (kind, words, longs) = match *self {
            Self::Turn { ended, status, forked } => (0_u32, [ended, status, forked], [0, 0]),
            Self::Region { pid, region, is_unordered } => {
                let MeasuredRegion { begin, end, end_lag, measures_itself, clock_leapt } = region;
                let flags = [is_unordered, measures_itself, clock_leapt];
                let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i32::from(flag));
                (1, [pid, end_lag, flags], [begin, end])
            }
            Self::Time { pid, batch } => {
                let BatchTime { calls, wall, cpu, has_threads, measures_itself } = batch;
                let flags = i32::from(has_threads) | i32::from(measures_itself) << 1;
                (2, [pid, calls.into(), flags], [wall, cpu])
            }
            Self::Event { pid, event, count } => {
                (3, [pid, event.into(), count.err().unwrap_or(0)], [count.unwrap_or(0), 0])
            }
        };
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
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

    /// Decodes a message. `None` for other bytes.
    #[must_use]
    #[inline]
    pub fn decode(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let signed = |at| i32::from_le_bytes(word(bytes, at).to_le_bytes());
        match word(bytes, 0) {
            0 => Some(Self::Turn { ended: signed(4), status: signed(8), forked: signed(12) }),
            1 => Some(Self::Region {
                pid: signed(4),
                region: MeasuredRegion {
                    begin: long(bytes, 16),
                    end: long(bytes, 24),
                    end_lag: signed(8),
                    measures_itself: signed(12) & 2 != 0,
                    clock_leapt: signed(12) & 4 != 0,
                },
                is_unordered: signed(12) & 1 != 0,
            }),
            2 => Some(Self::Time {
                pid: signed(4),
                batch: BatchTime {
                    calls: u16::try_from(word(bytes, 8)).unwrap_or(u16::MAX),
                    wall: long(bytes, 16),
                    cpu: long(bytes, 24),
                    has_threads: signed(12) & 1 != 0,
                    measures_itself: signed(12) & 2 != 0,
                },
            }),
            3 => Some(Self::Event {
                pid: signed(4),
                event: bytes[8],
                count: match signed(12) {
                    0 => Ok(long(bytes, 16)),
                    error => Err(error),
                },
            }),
            _ => None,
        }
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
            let (number, enter, alone) = (42, !fork, !wait);
            let command = ServerCommand { entry, item, seed, number, wait, fork, enter, alone };
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
        let event = |count| Message::Event { pid: 9, event: 3, count };
        let events = [event(Ok(u64::MAX)), event(Err(13))];
        let all = [turn, time(true), time(false)].into_iter().chain(regions).chain(events);
        for message in all {
            let bytes = message.encode();
            assert_eq!(Message::decode(&bytes), Some(message));
            assert!(Message::is_start(bytes[0]));
        }
        assert!((b'\t'..=u8::MAX).all(|byte| !Message::is_start(byte)));
        assert_eq!(Message::decode(&[9; Message::LENGTH]), None);
    }

    #[test]
    fn batches_survive_as_a_seed() {
        for cpu in [None, Some(0), Some(300)] {
            let (calls, extra, number, layout) = (u16::MAX - 1, 515, 63, u8::MAX - 2);
            let (warm_up, events) = (cpu.is_none(), cpu == Some(0));
            let batches = Batches { calls, extra, number, warm_up, events, layout, cpu };
            assert_eq!(Batches::of_seed(batches.seed()), batches);
        }
    }

    #[test]
    fn hooks_survive_the_environment() {
        for (group, case, is_setup) in
            [(None, None, true), (Some(12), None, false), (Some(0), Some(3), true)]
        {
            let hook = Hook { group, case, is_setup };
            assert_eq!(Hook::parse(&hook.to_string()), Some(hook));
        }
        for wrong in ["", "before:1", "setup:x", "setup:1:2:3", "teardown:"] {
            assert_eq!(Hook::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn native_cases_survive_the_environment() {
        let case = NativeCase { entry: u64::MAX, item: 7 };
        assert_eq!(NativeCase::parse(&case.to_string()), Some(case));
        for wrong in ["", "1", "1:", "1:x"] {
            assert_eq!(NativeCase::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_capture_name_is_the_number_in_hexadecimal_digits() {
        assert_eq!(&capture_name(0), b"00000000");
        assert_eq!(&capture_name(0x00ab_cdef), b"00abcdef");
    }

    #[test]
    fn the_server_finds_the_same_lengths_everywhere() {
        let lengths = |measuring: Measuring, virtual_clock: bool, directory: &str, others| {
            let directory = directory.to_owned();
            let stops_threads = !virtual_clock;
            let marks_log = measuring.cold_caches;
            let environment = ServerEnvironment {
                measuring,
                cpus: 4,
                virtual_clock,
                stops_threads,
                marks_log,
                directory,
            };
            let [(_, serve), (_, padding)] = environment.variables(others);
            let mut parsed = ServerEnvironment::parse(serve.clone()).unwrap();
            parsed.directory.truncate(environment.directory.len());
            assert_eq!(parsed, environment);
            (serve.len(), padding.len() + others)
        };
        let other = Measuring {
            counting: Counting::Free,
            cold_caches: true,
            separate_threads: true,
            warm_up_calls: 7,
            calls: u16::MAX,
        };
        let short = lengths(Measuring::DEFAULT, true, "/tmp/a", 10);
        let long = lengths(other, false, "/tmp/somewhere/else", 1000);
        assert_eq!(short, long);
    }

    #[test]
    fn other_values_do_not_make_a_server() {
        for value in ["", "f", "ywt/tmp"] {
            assert_eq!(ServerEnvironment::parse(value.to_owned()), None);
        }
    }
}
