//! What the runner and the fork server say to each other: messages of a fixed size over two pipes.
//!
//! Each turn is one [`Command`] from the runner, answered by one [`Message::Turn`]. A child that came
//! to the end of its case adds a [`Message::Region`]. A fixed size because the server has to take the
//! same path through its code for every case: what it touches in the simulated caches is where the
//! next case starts from.

/// The hidden argument that makes a benchmark executable a fork server; the letter of a [`Counting`]
/// follows.
const SERVE: &str = "--iai-callgrind-serve=";

/// The environment variable that tells the server where its children's output goes.
pub const DIRECTORY: &str = "IAI_CALLGRIND_SERVE";

/// The label of the dump that callgrind writes right before the measured region.
pub const BEGIN: &std::ffi::CStr = c"iai-callgrind begin";

/// The label of the dump that callgrind writes right after the measured region: the result.
pub const END: &std::ffi::CStr = c"iai-callgrind end";

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

/// What delimits the counted instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Callgrind toggles collection at the benchmark function, which it knows by its symbol.
    Function,
    /// Client requests around the call do it: for executables without symbols.
    Marks,
}

impl Counting {
    /// The argument that starts a benchmark executable as a fork server that counts this way.
    #[must_use]
    pub fn serve_argument(self) -> String {
        let letter = match self {
            Self::Function => 'f',
            Self::Marks => 'm',
        };
        format!("{SERVE}{letter}")
    }

    /// The counting in an argument that [`Counting::serve_argument`] made.
    #[must_use]
    pub fn from_serve_argument(argument: &str) -> Option<Self> {
        match argument.strip_prefix(SERVE)? {
            "f" => Some(Self::Function),
            "m" => Some(Self::Marks),
            _ => None,
        }
    }
}

/// How long all strings together are that a process finds on its stack. They lie above it, so its
/// place in the simulated caches must not depend on where a checkout lies.
const STRINGS_LENGTH: usize = 16 * 1024;

/// The value of [`DIRECTORY`]: padded with slashes, which mean the same directory, until it has a
/// constant length together with the `others` bytes that the process finds on its stack.
#[must_use]
pub fn pad_directory(directory: &str, others: usize) -> String {
    let rest = STRINGS_LENGTH.saturating_sub(directory.len() + others);
    directory.chars().chain(std::iter::repeat_n('/', rest)).collect()
}

/// What the server shall do in this turn: first wait for a child to end, then fork a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Where the case's code is: the distance of its function from the server's own, which is the
    /// same in each process that runs this executable. An index into a table would do as well, but
    /// looking it up would touch another cache line for each case, and so a case's numbers would
    /// depend on how many stand before it. [`Command::SETTLE`] runs nothing.
    pub entry: u64,
    /// Names the files of the captured output, see [`capture_name`].
    pub number: u32,
    /// Whether to wait for a child to end.
    pub wait: bool,
    /// Whether to fork.
    pub fork: bool,
}

impl Command {
    /// The length of an encoded command.
    pub const LENGTH: usize = 16;
    /// The entry of a child that ends at once. Such children bring the simulated caches into the
    /// state that the server's loop leaves behind.
    pub const SETTLE: u64 = u64::MAX;

    /// The command as it goes through the pipe.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let flags = u32::from(self.wait) | u32::from(self.fork) << 1;
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.entry.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.number.to_le_bytes());
        bytes[12..].copy_from_slice(&flags.to_le_bytes());
        bytes
    }

    /// The command in these bytes.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LENGTH]) -> Self {
        let flags = word(bytes, 12);
        Self {
            entry: long(bytes, 0),
            number: word(bytes, 8),
            wait: flags & 1 != 0,
            fork: flags & 2 != 0,
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
            let command = Command { entry: 0x0123_4567_89ab_cdef, number: 42, wait, fork };
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
    fn a_capture_name_is_the_number_in_hexadecimal_digits() {
        assert_eq!(&capture_name(0), b"00000000");
        assert_eq!(&capture_name(0x00ab_cdef), b"00abcdef");
    }

    #[test]
    fn the_directory_makes_up_for_what_else_is_on_the_stack() {
        let short = pad_directory("/tmp/a", 10);
        let long = pad_directory("/tmp/somewhere/else", 1000);
        assert_eq!(short.len() + 10, long.len() + 1000);
        assert_eq!(short.trim_end_matches('/'), "/tmp/a");
    }

    #[test]
    fn the_serve_argument_tells_the_counting() {
        for counting in [Counting::Function, Counting::Marks] {
            let argument = counting.serve_argument();
            assert_eq!(Counting::from_serve_argument(&argument), Some(counting));
        }
        for other in ["--bench", "--iai-callgrind-serve=x", "--iai-callgrind-serve="] {
            assert_eq!(Counting::from_serve_argument(other), None);
        }
    }
}
