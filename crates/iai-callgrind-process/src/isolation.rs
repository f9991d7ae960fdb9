//! Isolation of the measured processes from the machine and the checkout.

use std::num::NonZeroU16;

/// A value that benchmarks can see as the machine has it, or a group of such values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeValue {
    /// Address space layout randomization
    Addresses,
    /// Functions of the C library that are chosen by the CPU
    CLibrary,
    /// Clocks
    Clock,
    /// CPUs
    Cpus,
    /// Environment variables
    Environment,
    /// Names of the host and of its kernel, mounts, and ports
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
    /// All of them, in the order of their names.
    pub const ALL: [Self; 11] = [
        Self::Addresses,
        Self::CLibrary,
        Self::Clock,
        Self::Cpus,
        Self::Environment,
        Self::Host,
        Self::Ids,
        Self::Limits,
        Self::Memory,
        Self::Path,
        Self::Random,
    ];

    /// Returns the name of the value and its meaning, as the user reads them.
    #[must_use]
    pub fn texts(self) -> [&'static str; 2] {
        match self {
            Self::Addresses => ["addresses", "Address space layout randomization"],
            Self::CLibrary => ["c-library", "Functions that the C library chooses by the CPU"],
            Self::Clock => ["clock", "Clocks"],
            Self::Cpus => ["cpus", "CPUs"],
            Self::Environment => ["environment", "Environment variables"],
            Self::Host => ["host", "Names of the host and of its kernel, mounts, ports"],
            Self::Ids => ["ids", "Ids of processes and threads"],
            Self::Limits => ["limits", "Limits, file mode mask, signals and terminal of the shell"],
            Self::Memory => ["memory", "Memory, load, uptime and other processes"],
            Self::Path => ["path", "Path of the executable"],
            Self::Random => ["random", "Random numbers"],
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The isolation of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Isolation {
    /// A bit for each value that is not fixed.
    native: u16,
    /// The CPUs that benchmarks see.
    cpus: Cpus,
}

impl Isolation {
    /// Returns `true` if benchmarks see this value as the machine has it.
    pub fn is_native(self, value: NativeValue) -> bool {
        self.native & value.bit() != 0
    }

    /// Returns the isolation with these CPUs in which everything else is fixed.
    pub fn with_cpus(cpus: Cpus) -> Self {
        let fixed = Self { native: 0, cpus };
        if cpus == Cpus::Native { fixed.with_native(NativeValue::Cpus) } else { fixed }
    }

    /// Returns the isolation without a fixed value.
    #[must_use]
    pub fn with_native(self, value: NativeValue) -> Self {
        let cpus = if value == NativeValue::Cpus { Cpus::Native } else { self.cpus };
        Self { native: self.native | value.bit(), cpus }
    }

    /// Returns the CPUs that benchmarks see.
    pub fn cpus(self) -> Cpus {
        self.cpus
    }
}

/// The CPUs of a benchmark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cpus {
    /// The benchmark runs on one CPU and sees this number.
    Fixed(NonZeroU16),
    /// Those of the machine.
    #[default]
    Native,
}

impl Cpus {
    /// The largest number: the bits in the C library's set of CPUs.
    const MAXIMUM: u16 = 1024;

    /// Parses the value of an option.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
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
    pub fn number(self) -> u16 {
        match self {
            Self::Fixed(number) => number.get(),
            Self::Native => 0,
        }
    }
}
