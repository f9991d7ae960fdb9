//! Reasons why a tool can't count a benchmark.

use iai_callgrind_plan::EntryPoint;
use iai_callgrind_plan::metric::MetricKind;

/// A reason why a benchmark has no counts of a tool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolFailure {
    #[error(
        "{tool} could not write its files: the benchmark changed its user, its root directory or its \
         limits\nhelp: measure the code without `setuid`, `chroot` and `setrlimit`"
    )]
    NotWritten { tool: &'static str },
    #[error("{tool} found errors")]
    ToolErrors { tool: &'static str },
    #[error("the benchmark ended its process before it returned")]
    EndedEarly,
    #[error(
        "the benchmark started {command}, which outlived it or was killed: its counts are unknown\nhelp: \
         wait for the process in the benchmark"
    )]
    ProcessLeft { command: String },
    #[error(
        "the benchmark forks: {tool} counts everything before the fork twice\nhelp: turn {tool} off for this \
         benchmark"
    )]
    Forks { tool: &'static str },
    #[error(
        "the benchmark starts other processes, and with `cold_caches` callgrind can't count them\nhelp: turn \
         `cold_caches` off for this benchmark"
    )]
    ColdProcesses,
    #[error(
        "callgrind's costs have no addresses, from which its calls are found on AArch64\nhelp: remove `--dump-instr`, \
         `--dump-line` and `--dump-bb` from its arguments"
    )]
    NoAddresses,
    #[error(
        "callgrind can't tell on AArch64 when the entry point `{pattern}` runs: it takes branches for calls\nhelp: \
         count the benchmark function as a whole"
    )]
    EntryPointUnknown { pattern: String },
    #[error(
        "the benchmark starts other processes, and cachegrind can't count them\nhelp: use callgrind for this \
         benchmark and turn cachegrind off"
    )]
    UncountedProcesses,
    #[error("nothing was counted: {}", nothing_counted(.entry_point))]
    NothingCounted { entry_point: EntryPoint },
    #[error(
        "DHAT saw no symbols: it can't find the allocations of the benchmark\nhelp: set `strip = false` in \
         [profile.bench], or count everything with `entry_point(EntryPoint::None)`"
    )]
    NoSymbols,
    #[error(
        "can't draw a flamegraph of `{event}`: callgrind did not count it\nhelp: remove it from \
         `event_kinds`, or pass callgrind the argument that it needs"
    )]
    NoFlamegraph { event: MetricKind },
}

/// Returns the reason why callgrind counted nothing with an entry point.
fn nothing_counted(entry_point: &EntryPoint) -> String {
    match entry_point {
        EntryPoint::Default => "callgrind did not see the benchmark function's symbol".to_owned(),
        EntryPoint::Custom(pattern) => format!(
            "the benchmark executed no function that the entry point `{pattern}` matches\nhelp: match \
             a whole name of `callgrind_annotate`, such as `my_crate::my_function` or \
             `*::my_function*`, of a function that is not inlined"
        ),
        EntryPoint::None => {
            "there is no entry point, and neither callgrind's arguments nor client requests \
                             started collection"
                .to_owned()
        }
    }
}
