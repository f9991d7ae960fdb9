//! Isolation of the measured processes from the machine and the checkout.

use std::num::NonZeroU16;

use clap::{Args, ValueEnum};

/// Options that turn off a part of the isolation.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Isolation {
    /// Do not turn off address space layout randomization
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_ALLOW_ASLR")]
    pub(crate) allow_aslr: bool,

    /// Let the C library choose its functions for this CPU
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_NATIVE_CPU")]
    pub(crate) native_cpu: bool,

    /// Run the executable under its original path, instead of a path of constant length
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_OWN_PATH")]
    pub(crate) own_path: bool,

    /// Number of CPUs that benchmarks see, each running on a single one, or those of the machine
    #[arg(
        long, value_name = "N|native", default_value = "4", env = "IAI_CALLGRIND_CPUS",
        value_parser = Cpus::parse
    )]
    pub(crate) cpus: Cpus,

    /// The clock that benchmarks read: the same times in each run, or the system's
    #[arg(
        long,
        value_name = "virtual|system",
        default_value = "virtual",
        env = "IAI_CALLGRIND_CLOCK",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) clock: Clock,
}

/// The clock of a benchmark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// A clock that starts at the same time in each benchmark, and goes on when it is read and when a thread has waited.
    Virtual,
    /// The clock of the system.
    #[default]
    System,
}

/// The CPUs of a benchmark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Cpus {
    /// The benchmark runs on one CPU and sees this number.
    Fixed(NonZeroU16),
    /// Those of the machine.
    #[default]
    Native,
}

impl Cpus {
    /// The largest number: the bits in the C library's set of CPUs.
    const MAXIMUM: u16 = 1024;

    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "native" => Ok(Self::Native),
            number => number
                .parse()
                .ok()
                .filter(|number: &NonZeroU16| number.get() <= Self::MAXIMUM)
                .map(Self::Fixed)
                .ok_or("expected a number from 1 to 1024, or `native`"),
        }
    }

    /// Returns the number that benchmarks see, 0 for that of the machine.
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::Fixed(number) => number.get(),
            Self::Native => 0,
        }
    }
}
