//! What the runner and the fork server say to each other: messages of a fixed size over two pipes.
//!
//! Each turn is one [`Command`] from the runner, answered by one [`Message::Turn`]. A child that came
//! to the end of its case adds a [`Message::Region`]. A fixed size because the server has to take the
//! same path through its code for every case: what it touches in the simulated caches is where the
//! next case starts from.

use std::ffi::CStr;

/// The environment variable that makes a benchmark executable a fork server: how to count, and the
/// directory that its children's output goes to. [`ServerEnvironment`] writes and reads it.
const SERVE: &str = "IAI_CALLGRIND_SERVE";

/// The environment variable that nobody reads; see [`ServerEnvironment::variables`].
const PADDING: &str = "IAI_CALLGRIND_PADDING";

/// What callgrind shall do right before and right after the measured region.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// The label of the dump: that at the end is the result.
    pub label: &'static CStr,
    /// The monitor command for a dump of each thread. The client request would dump a single one.
    pub command: &'static CStr,
}

/// The begin of the measured region.
pub const BEGIN: Mark =
    Mark { label: c"iai-callgrind begin", command: c"dump iai-callgrind begin" };

/// The end of the measured region.
pub const END: Mark = Mark { label: c"iai-callgrind end", command: c"dump iai-callgrind end" };

/// How the server knows where a child's captured output goes: `number` as eight hexadecimal digits.
/// Always as many steps for any number, see the module.
#[must_use]
pub fn capture_name(number: u32) -> [u8; 8] {
    let mut name = [0; 8];
    for (place, digit) in name.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (28 - 4 * place)) as usize & 0xf];
    }
    name
}

/// The number of the server's own output, see [`capture_name`]; cases have the numbers after it.
pub const SERVER_NUMBER: u32 = 0;

/// What a benchmark executable runs around benchmarks, natively and in a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// The index of the group whose hook it is, or the group of the case; none for that of the whole file.
    pub group: Option<usize>,
    /// The case among those of the group whose hook it is, see [`crate::Subject::Binary`].
    pub case: Option<u64>,
    /// Whether it is what runs before the benchmarks, or after them.
    pub is_setup: bool,
}

impl Hook {
    /// The environment variable that has a benchmark executable run a hook and nothing else.
    pub const VARIABLE: &str = "IAI_CALLGRIND_HOOK";

    /// The environment variable that names the directory in which it runs the hook.
    pub const DIRECTORY: &str = "IAI_CALLGRIND_HOOK_DIRECTORY";

    /// The hook that this process's environment asks for.
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

/// The value of [`Hook::VARIABLE`].
impl std::fmt::Display for Hook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.is_setup { "setup" } else { "teardown" })?;
        let parts = [self.group.map(|group| group as u64), self.case];
        parts.into_iter().flatten().try_for_each(|part| write!(formatter, ":{part}"))
    }
}

/// What the server is to run for a case.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// See [`Command::entry`].
    pub entry: u64,
    /// See [`Command::item`].
    pub item: u64,
    /// See [`Command::seed`].
    pub seed: Option<u64>,
}

/// What delimits the counted instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Callgrind toggles collection at the benchmark function, which it knows by its symbol.
    Function,
    /// Client requests around the call do it: for executables without symbols.
    Marks,
    /// Valgrind's arguments and the benchmark itself do it: collection is left as it is.
    Free,
    /// Cachegrind instruments the call and nothing else.
    Instrumentation,
    /// Nothing: the tool tells of the whole process.
    Process,
}

/// How a fork server marks what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measuring {
    /// What delimits the counted instructions.
    pub counting: Counting,
    /// Whether Valgrind instruments nothing until a measured region begins.
    pub cold_caches: bool,
    /// Whether each thread has dumps of its own.
    pub separate_threads: bool,
}

impl Measuring {
    /// By default the benchmark function counts, in warm caches and all threads together.
    pub const DEFAULT: Self =
        Self { counting: Counting::Function, cold_caches: false, separate_threads: false };

    /// A letter for each of them.
    fn letters(self) -> String {
        let counting = match self.counting {
            Counting::Function => 'f',
            Counting::Marks => 'm',
            Counting::Free => 'x',
            Counting::Instrumentation => 'i',
            Counting::Process => 'p',
        };
        let caches = if self.cold_caches { 'c' } else { 'w' };
        let threads = if self.separate_threads { 's' } else { 't' };
        [counting, caches, threads].into_iter().collect()
    }

    fn parse(letters: &str) -> Option<Self> {
        let &[counting, caches, threads] = letters.as_bytes() else { return None };
        let counting = match counting {
            b'f' => Counting::Function,
            b'm' => Counting::Marks,
            b'x' => Counting::Free,
            b'i' => Counting::Instrumentation,
            b'p' => Counting::Process,
            _ => return None,
        };
        Some(Self { counting, cold_caches: caches == b'c', separate_threads: threads == b's' })
    }
}

/// What the environment of a fork server tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEnvironment {
    /// How it marks what is measured.
    pub measuring: Measuring,
    /// Where the output of its children goes. It comes back with slashes at its end, which mean the
    /// same directory.
    pub directory: String,
}

impl ServerEnvironment {
    /// The variables that start a benchmark executable as a fork server.
    ///
    /// The simulated caches work with addresses, so what a process has in memory before it runs the
    /// first benchmark must not depend on where a checkout lies. That is why the directory, which the
    /// server copies, is padded with slashes, and why a second variable has a constant length together
    /// with the `others` bytes that the process finds above its stack.
    #[must_use]
    pub fn variables(&self, others: usize) -> [(&'static str, String); 2] {
        const DIRECTORY_LENGTH: usize = 1024;
        const OTHERS_LENGTH: usize = 16 * 1024;
        let slashes = "/".repeat(DIRECTORY_LENGTH.saturating_sub(self.directory.len()).max(1));
        let padding = "/".repeat(OTHERS_LENGTH.saturating_sub(others));
        let letters = self.measuring.letters();
        [(SERVE, format!("{letters}{}{slashes}", self.directory)), (PADDING, padding)]
    }

    /// What this process's environment says. None if it is not to be a fork server.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(std::env::var(SERVE).ok()?)
    }

    fn parse(mut value: String) -> Option<Self> {
        let measuring = Measuring::parse(value.get(..3)?)?;
        value.drain(..3);
        Some(Self { measuring, directory: value })
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

/// What the server shall do in this turn: first wait for a child to end, then fork a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Where the case's code is: the distance of its function from the server's own, which is the
    /// same in each process that runs this executable. An index into a table would do as well, but
    /// looking it up would touch another cache line for each case, and so a case's numbers would
    /// depend on how many stand before it. [`Command::SETTLE`] runs nothing.
    pub entry: u64,
    /// Which of the case's items to run, see [`crate::Subject::Library`].
    pub item: u64,
    /// Where the case's randomness comes from; none for the system's.
    pub seed: Option<u64>,
    /// Names the files of the captured output, see [`capture_name`].
    pub number: u32,
    /// Whether to wait for a child to end.
    pub wait: bool,
    /// Whether to fork.
    pub fork: bool,
    /// Whether the server runs the case itself, in its own process, and ends.
    pub alone: bool,
}

impl Command {
    /// The length of an encoded command.
    pub const LENGTH: usize = 32;
    /// The entry of a child that ends at once. Such children bring the simulated caches into the
    /// state that the server's loop leaves behind.
    pub const SETTLE: u64 = u64::MAX;

    /// The command as it goes through the pipe.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let flags = [self.wait, self.fork, self.seed.is_some(), self.alone];
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

    /// The command in these bytes.
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
        }
    }
}

/// What comes back from the server and its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// The server has carried out a command.
    Turn {
        /// The child that ended, 0 if the command did not say to wait, -1 if there was none.
        ended: i32,
        /// Its status as `waitpid` gives it.
        status: i32,
        /// The new child, 0 if the command did not say to fork, -1 if that failed.
        forked: i32,
    },
    /// A child came to the end of its case.
    Region {
        /// The child.
        pid: i32,
        /// When its measured region began, in nanoseconds of the coarse real-time clock, which is the
        /// one that file systems use.
        begin: u64,
        /// When it ended.
        end: u64,
    },
}

impl Message {
    /// The length of an encoded message: less than what a pipe takes in one piece, so that messages
    /// of several processes never mix.
    pub const LENGTH: usize = 32;

    /// The message as it goes through the pipe.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let (kind, words, longs) = match *self {
            Self::Turn { ended, status, forked } => (0_u32, [ended, status, forked], [0, 0]),
            Self::Region { pid, begin, end } => (1, [pid, 0, 0], [begin, end]),
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

    /// The message in these bytes, if it is one.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let signed = |at| i32::from_le_bytes(word(bytes, at).to_le_bytes());
        match word(bytes, 0) {
            0 => Some(Self::Turn { ended: signed(4), status: signed(8), forked: signed(12) }),
            1 => {
                Some(Self::Region { pid: signed(4), begin: long(bytes, 16), end: long(bytes, 24) })
            }
            _ => None,
        }
    }
}

/// The little-endian word at this place.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]))
}

/// The little-endian double word at this place.
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
            let command = Command { entry, item, seed, number: 42, wait, fork, alone: !wait };
            assert_eq!(Command::decode(&command.encode()), command);
        }
    }

    #[test]
    fn messages_survive_the_pipe() {
        let turn = Message::Turn { ended: -1, status: 256, forked: 7 };
        let region = Message::Region { pid: 9, begin: u64::MAX, end: 1 };
        for message in [turn, region] {
            assert_eq!(Message::decode(&message.encode()), Some(message));
        }
        assert_eq!(Message::decode(&[9; Message::LENGTH]), None);
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
    fn a_capture_name_is_the_number_in_hexadecimal_digits() {
        assert_eq!(&capture_name(0), b"00000000");
        assert_eq!(&capture_name(0x00ab_cdef), b"00abcdef");
    }

    #[test]
    fn the_server_finds_the_same_lengths_everywhere() {
        let lengths = |measuring, directory: &str, others| {
            let environment = ServerEnvironment { measuring, directory: directory.to_owned() };
            let [(_, serve), (_, padding)] = environment.variables(others);
            let parsed = ServerEnvironment::parse(serve.clone()).unwrap();
            assert_eq!(parsed.measuring, measuring);
            assert_eq!(parsed.directory.trim_end_matches('/'), environment.directory);
            (serve.len(), padding.len() + others)
        };
        let other =
            Measuring { counting: Counting::Free, cold_caches: true, separate_threads: true };
        let short = lengths(Measuring::DEFAULT, "/tmp/a", 10);
        let long = lengths(other, "/tmp/somewhere/else", 1000);
        assert_eq!(short, long);
    }

    #[test]
    fn other_values_do_not_make_a_server() {
        for value in ["", "f", "ywt/tmp"] {
            assert_eq!(ServerEnvironment::parse(value.to_owned()), None);
        }
    }
}
