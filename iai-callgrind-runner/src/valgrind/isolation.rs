//! Isolation of the measured processes from the machine and the checkout.

use std::num::NonZeroU16;

use clap::{Args, ValueEnum};

use crate::samples::Seed;

/// Options that turn off a part of the isolation.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct IsolationOptions {
    /// Show benchmarks these values of the machine as they are, in place of fixed ones
    ///
    /// Separated by commas. The chapter "Stability of the counts" of the guide has the values of each name.
    #[arg(long, value_name = "VALUES", value_delimiter = ',', env = "IAI_CALLGRIND_NATIVE")]
    native: Vec<NativeValue>,

    /// Do not turn off address space layout randomization; short for --native=addresses
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_ALLOW_ASLR")]
    allow_aslr: bool,

    /// Let the C library choose its functions for this CPU; short for --native=c-library
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_NATIVE_CPU")]
    native_cpu: bool,

    /// Run the executable under its original path, instead of a path of constant length; short for --native=path
    #[arg(long, value_name = "yes|no", default_value = "no", env = "IAI_CALLGRIND_OWN_PATH")]
    own_path: bool,

    /// Number of CPUs that benchmarks see, each running on a single one, or those of the machine
    #[arg(
        long, value_name = "N|native", default_value = "4", env = "IAI_CALLGRIND_CPUS",
        value_parser = Cpus::parse
    )]
    cpus: Cpus,

    /// The clock that benchmarks read: the same times in each run, or the system's
    #[arg(
        long,
        value_name = "virtual|system",
        default_value = "virtual",
        env = "IAI_CALLGRIND_CLOCK",
        value_enum,
        hide_possible_values = true
    )]
    clock: Clock,
}

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

    /// Returns the isolation without a fixed value.
    pub(crate) fn with_native(self, value: NativeValue) -> Self {
        Self { native: self.native | value.bit(), ..self }
    }

    /// Returns the CPUs that benchmarks see.
    pub(crate) fn cpus(self) -> Cpus {
        self.cpus
    }
}

impl IsolationOptions {
    /// Returns the isolation of a run with this seed. A value is the machine's if one of the options says so.
    pub(crate) fn resolve(&self, seed: Seed) -> Isolation {
        let short_forms = [
            (self.allow_aslr, NativeValue::Addresses),
            (self.native_cpu, NativeValue::CLibrary),
            (self.own_path, NativeValue::Path),
            (self.cpus == Cpus::Native, NativeValue::Cpus),
            (self.clock == Clock::System, NativeValue::Clock),
            (seed == Seed::Random, NativeValue::Random),
        ];
        let short_forms = short_forms.into_iter().filter_map(|(is, value)| is.then_some(value));
        let native = self.native.iter().copied().chain(short_forms);
        let fixed = Isolation { native: 0, cpus: self.cpus };
        let isolation = native.fold(fixed, Isolation::with_native);
        let is_native = isolation.is_native(NativeValue::Cpus);
        Isolation { cpus: if is_native { Cpus::Native } else { self.cpus }, ..isolation }
    }

    /// Returns `true` if benchmarks have the environment of this process.
    pub(crate) fn keeps_environment(&self) -> bool {
        self.native.contains(&NativeValue::Environment)
    }
}

/// The clock of a benchmark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Clock {
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
