//! Messages of a fixed size between the runner and the fork server, over two pipes.
//!
//! In each turn, the runner sends one [`ServerCommand`] and the server replies with one
//! [`Message::Turn`]. A child at the end of its case adds a [`Message::Region`]. All have the
//! [`Token`] of the command. The size is fixed because the server must take the same path through
//! its code for every case: the next case inherits the simulated caches of the server.

mod environment;
mod message;
mod native;
mod time;

use std::ffi::CStr;

pub use self::environment::{Counting, Measuring, ParentId, ServerEnvironment};
pub use self::message::{MeasuredRegion, Message, ServerCommand, Token};
pub use self::native::{Hook, NativeCase};
pub use self::time::{BatchTime, Batches};

/// A request to callgrind right before or right after the measured region.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// Label of the dump. The dump at the end is the result.
    pub label: &'static CStr,
    /// Monitor command for a dump of each thread. The client request dumps a single one.
    pub command: &'static CStr,
}

/// Symbol of the library's instructions between caller and measured function that make the request
/// to count.
pub const ENTER: &str = "iai_callgrind_enter";

/// Start of the names of the functions that mark a loop in foreign code. Their own instructions do not count.
pub const LOOP: &str = "iai_callgrind_loop_";

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

/// Returns the file name of a child's captured output, and of the link to its directory: `number`
/// as eight hexadecimal digits. Any number takes the same number of steps, see the module.
#[must_use]
pub fn capture_name(number: u32) -> [u8; 8] {
    let mut name = [0; 8];
    for (place, digit) in name.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (28 - 4 * place)) as usize & 0xf];
    }
    name
}

/// Extension of the file with a child's counters, instead of that of its output. It is as long as
/// `stderr`.
pub const COUNTERS: &str = "values";

/// Extension of a link to a child's namespace of processes, next to its output.
pub const NAMESPACE: &str = "ns";

/// Extension of the directory for a tool's files about a child with its own namespace, which the
/// child sees as [`TOOL_FILES`]. Processes of two namespaces can have the same id, and so the same
/// file names.
pub const CHILD_FILES: &str = "d";

/// Name of the directory to which the server's tool writes files if children have their own
/// namespaces.
pub const TOOL_FILES: &str = "files";

/// Mode with which the harness opens files: read and write for the user, and bits that the kernel
/// ignores. The runner recognises the harness's calls by them and does not stop them: while a
/// thread is stopped, other threads take a turn.
pub const UNSTOPPED: u32 = 0x6961_6000 | 0o600;

/// The real-time priority of threads. It is not the lowest one, to which the runner takes a thread that has to queue behind
/// the others.
pub const REAL_TIME_PRIORITY: i32 = 2;

/// The number of the server's output, see [`capture_name`]. Cases have the numbers after it.
pub const SERVER_NUMBER: u32 = 0;

/// Descriptors of the server's ends of the pipes, for commands and for messages. They do not change
/// the numbers of the descriptors that benchmarks open, and other programs do not inherit them.
pub const DESCRIPTORS: [i32; 2] = [200, 201];

/// The exit code of a case that reached its end and could not send its message.
pub const NOT_SENT: i32 = 103;

/// The exit code of a case whose front end has described why it failed.
pub const FAILED: i32 = 104;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_name_is_the_number_in_hexadecimal_digits() {
        assert_eq!(&capture_name(0), b"00000000");
        assert_eq!(&capture_name(0x00ab_cdef), b"00abcdef");
    }
}
