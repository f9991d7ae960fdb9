//! Isolation of the measured processes from the machine and the checkout.

use std::num::NonZeroU16;

use clap::ValueEnum;

/// A value that benchmarks can see as the machine has it, or a group of such values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NativeValue {
    /// Address space layout randomization
    Addresses,
    /// Functions that the C library chooses by the CPU
    CLibrary,
    /// Clocks
    Clock,
    /// CPUs
    Cpus,
    /// Environment variables
    Environment,
    /// Names of the host and of its kernel
    Host,
    /// Ids of processes and threads
    Ids,
    /// Limits, file mode mask, signals and terminal of the shell
    Limits,
    /// Memory, load, uptime and other processes
    Memory,
    /// Path of the executable
    Path,
    /// Random numbers
    Random,
}

impl NativeValue {
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The isolation of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Isolation {
    /// A bit for each value that is not fixed.
    native: u16,
    /// The CPUs that benchmarks see.
    cpus: Cpus,
}

impl Isolation {
    /// Returns `true` if benchmarks see this value as the machine has it.
    pub(crate) fn is_native(self, value: NativeValue) -> bool {
        self.native & value.bit() != 0
    }

    /// Returns the isolation in which benchmarks see these CPUs, and all else is fixed.
    pub(crate) fn with_cpus(cpus: Cpus) -> Self {
        let fixed = Self { native: 0, cpus };
        if cpus == Cpus::Native { fixed.with_native(NativeValue::Cpus) } else { fixed }
    }

    /// Returns the isolation without a fixed value.
    pub(crate) fn with_native(self, value: NativeValue) -> Self {
        let cpus = if value == NativeValue::Cpus { Cpus::Native } else { self.cpus };
        Self { native: self.native | value.bit(), cpus }
    }

    /// Returns the CPUs that benchmarks see.
    pub(crate) fn cpus(self) -> Cpus {
        self.cpus
    }
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

    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
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
