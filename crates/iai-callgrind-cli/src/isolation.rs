//! Options that turn off a part of the isolation.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use iai_callgrind_process::{Cpus, Isolation, NativeValue};
use iai_callgrind_results::Seed;

/// Options that turn off a part of the isolation.
#[derive(Debug, Clone, Default, Args)]
pub struct IsolationOptions {
    /// Show benchmarks these values of the machine as they are, in place of fixed ones
    ///
    /// Separated by commas. The chapter "Stability of the counts" of the guide has the values of each name.
    #[arg(
        long, value_name = "VALUES", value_delimiter = ',', env = "IAI_CALLGRIND_NATIVE",
        value_parser = native_values()
    )]
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

impl IsolationOptions {
    /// Returns the isolation of a run with this seed. A value is the machine's if one of the options says so.
    pub fn resolve(&self, seed: Seed) -> Isolation {
        let short_forms = [
            (self.allow_aslr, NativeValue::Addresses),
            (self.native_cpu, NativeValue::CLibrary),
            (self.own_path, NativeValue::Path),
            (self.clock == Clock::System, NativeValue::Clock),
            (seed == Seed::Random, NativeValue::Random),
        ];
        let short_forms = short_forms.into_iter().filter_map(|(is, value)| is.then_some(value));
        let native = self.native.iter().copied().chain(short_forms);
        native.fold(Isolation::with_cpus(self.cpus), Isolation::with_native)
    }

    /// Returns `true` if benchmarks have the environment of this process.
    pub(crate) fn keeps_environment(&self) -> bool {
        self.native.contains(&NativeValue::Environment)
    }
}

/// Returns the parser of the names of values.
fn native_values() -> impl TypedValueParser<Value = NativeValue> {
    let possible = NativeValue::ALL.map(|value| {
        let [name, description] = value.texts();
        PossibleValue::new(name).help(description)
    });
    PossibleValuesParser::new(possible).map(|name| {
        let named = NativeValue::ALL.into_iter().find(|value| value.texts()[0] == name);
        named.unwrap_or_else(|| unreachable!("it is a possible value"))
    })
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
