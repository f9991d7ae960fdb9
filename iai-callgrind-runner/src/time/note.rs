//! Notes about times.

use crate::note::print_line;

/// A note about times, in the words that the user reads.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(crate) enum TimeNote<'a> {
    /// An option is about times, and nothing is timed.
    #[error("note: {option} has no effect: it is about times, which --time measures")]
    UnusedOption { option: &'a str },
    /// A limit is about a change, and a single side has none.
    #[error(
        "note: --time-limit has no effect: it is about the change between two sides (--time --against=REV, or --baseline)"
    )]
    LimitOfOneSide,
    /// An option is about counts, and nothing is counted.
    #[error(
        "note: {option} has no effect: it is about counts, and --time counts only with --against"
    )]
    NotCounted { option: &'a str },
    /// Layouts are asked for, and there is nothing to learn from them.
    #[error(
        "note: --time-layouts has no effect: it is about the times of two sides (--time --against=REV) and about \
         learned limits (--limit=auto)"
    )]
    UnusedLayouts,
    /// Times of different runs are shown next to each other.
    #[error(
        "warning: times of different runs differ by several percent without a change of the code: by the clock \
         rate, other work of the machine and addresses\nhelp: compare both sides at once with `--time --against=REV`"
    )]
    OfRuns,
    /// There are no times of another run.
    #[error("note: no stored times: these are the first")]
    NoStored,
    /// The kernel does not let the events of the CPU be counted.
    #[error("note: times come without cycles and misses of the CPU: {}", no_events(*error))]
    NoCpuEvents { error: i32 },
}

impl TimeNote<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

/// Returns the reason of the kernel for this error number.
fn no_events(error: i32) -> &'static str {
    match error {
        libc::EACCES | libc::EPERM => {
            "this user may not count them\nhelp: allow it with `sysctl kernel.perf_event_paranoid=2`, and with \
             the capability `PERFMON` in a container"
        }
        libc::ENOSYS => "this system does not count them",
        libc::EBUSY => "another program uses its counters",
        _ => "this machine does not count them, as most virtual machines",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_the_kernel_decides_about_the_help() {
        let note = |error| TimeNote::NoCpuEvents { error }.to_string();
        assert!(
            note(libc::EACCES)
                .contains("help: allow it with `sysctl kernel.perf_event_paranoid=2`")
        );
        assert!(
            note(libc::ENOENT)
                .ends_with(": this machine does not count them, as most virtual machines")
        );
    }
}
