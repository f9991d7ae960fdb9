//! The harness of iai-callgrind and its client requests, without the macros.
//!
//! Benchmark files use the crate `iai-callgrind`, which exports everything here. This crate is one of its own
//! because it does not depend on the macros, so that cargo builds it at the same time as they and syn are.

#![cfg_attr(not(feature = "benchmark"), no_std)]
#![cfg_attr(
    not(unix),
    allow(dead_code, reason = "only the fork server and the start of the runner use it")
)]

#[cfg(all(feature = "benchmark", target_os = "linux"))]
mod addresses;
#[cfg(feature = "benchmark")]
mod background;
#[cfg(feature = "benchmark")]
mod binary;
#[cfg(feature = "benchmark")]
mod caches;
#[cfg(feature = "benchmark")]
mod commands;
#[cfg(feature = "benchmark")]
mod config;
#[cfg(feature = "benchmark")]
mod conversions;
#[cfg(feature = "benchmark")]
mod counters;
#[cfg(feature = "criterion")]
mod criterion;
#[cfg(all(feature = "benchmark", counting_entry))]
mod entry;
#[cfg(feature = "benchmark")]
mod error;
#[cfg(feature = "benchmark")]
mod harness;
#[cfg(feature = "benchmark")]
#[cfg(feature = "benchmark")]
mod launch;
#[cfg(feature = "benchmark")]
mod layout;
#[cfg(feature = "benchmark")]
mod listing;
#[cfg(feature = "benchmark")]
mod lower;
#[cfg(feature = "benchmark")]
mod message;
#[cfg(feature = "benchmark")]
mod own_main;
#[cfg(feature = "benchmark")]
mod platform;
#[cfg(feature = "benchmark")]
mod region;
#[cfg(feature = "benchmark")]
mod registry;
#[cfg(feature = "benchmark")]
mod repetition;
#[cfg(feature = "benchmark")]
mod sections;
#[cfg(feature = "benchmark")]
#[cfg_attr(not(unix), path = "serve/none.rs")]
mod serve;
#[cfg(feature = "benchmark")]
pub mod sizes;
#[cfg(feature = "benchmark")]
mod suite;
#[cfg(fixed_surroundings)]
mod surroundings;
#[cfg(feature = "benchmark")]
mod test_mode;
#[cfg(feature = "benchmark")]
mod timing;
#[cfg(feature = "benchmark")]
mod walk;

pub use core::hint::black_box;

#[cfg(feature = "benchmark")]
pub use self::{
    binary::{
        Arg, Bench, BenchmarkId, BinaryBenchmark, BinaryBenchmarkGroup, Command, Delay, DelayKind,
        Options, Run, Stdin, Stdio,
    },
    config::{
        Bbv, BinaryBenchmarkConfig, Cachegrind, Callgrind, DefaultTool, Dhat, Drd, Fixtures,
        FlamegraphConfig, Helgrind, LibraryBenchmarkConfig, Limit, Massif, Memcheck, OutputFormat,
        Perf, PerfMetric, PerfRunMode, RegressionConfig, Sandbox, Tool, ToolArgs, Unit,
    },
    counters::{CounterValue, counter},
    error::Error,
};
#[cfg(feature = "benchmark")]
pub use iai_callgrind_plan::{
    Complexity, Direction, EntryPoint, ExitWith, FlamegraphKind, Pipe, SanitizeOutput, Throughput,
    ValgrindTool,
    metric::tool::{
        BbvMetric, BbvMetrics, CachegrindMetric, CachegrindMetrics, CallgrindMetrics, DhatMetric,
        DhatMetrics, ErrorMetric, ErrorMetrics, EventKind, MassifMetric, MassifMetrics,
    },
};

#[cfg(feature = "client_requests_defs")]
#[doc(inline)]
pub use iai_callgrind_requests::{
    client_requests, valgrind_printf, valgrind_printf_backtrace, valgrind_println,
    valgrind_println_backtrace,
};

/// Everything that expansions of macros name. Not part of the public interface.
#[cfg(feature = "benchmark")]
#[doc(hidden)]
pub mod __private {
    pub use iai_callgrind_plan::{Complexity, Config as PlanConfig, HookKind, Throughput};
    pub use inventory::submit;

    #[cfg(feature = "criterion")]
    pub use crate::criterion::criterion;
    #[cfg(unix)]
    pub use crate::serve::claim_pipes;
    pub use crate::{
        __iai_callgrind_argument_static as argument_static,
        __iai_callgrind_bytes_static as bytes_static, __iai_callgrind_page_starts as page_starts,
        __iai_callgrind_table as table, __iai_callgrind_text as text,
        __iai_callgrind_text_static as text_static,
        commands::declared,
        config::PerfToken,
        conversions::{
            FromLine, IntoBinaryConfig, IntoFileConfig, IntoLibraryConfig, IntoPercentage,
            IntoSize, IntoThroughput, binary_config, count, file_config, item, library_config,
            size, throughput, with_complexity, with_per_element,
        },
        counters::{report_amount, report_text},
        harness::{main, main_with_arguments},
        own_main::{Origin, begin_walk, begin_walk_of, note_panic},
        region::Region,
        sections::{Aligned, Text, bytes_argument, text_argument},
        suite::{
            BinaryBenchmarkFunction, BinaryBenchmarkGroupData, BinaryCase, BinaryFunction,
            CaseSize, CaseThroughput, Config, Filled, Functions, Group, Hooks, ItemHook, Items,
            LibraryBenchmark, LibraryBenchmarkGroup, LibraryCase, LibraryFunction, Libtest, Place,
            Registered, RegisteredFunction, Registration, Suite, needs_own_harness,
        },
        walk::{
            Reached, count_routine, count_with_drop, count_with_input, count_with_reference, reach,
            unraw,
        },
    };

    /// Names that a closure which fills a group can use without an import.
    pub mod names {
        pub use crate::BinaryBenchmarkGroup;
    }
}
