//! Options for the environment of benchmarks.

use clap::Args;
use iai_callgrind_plan::{Config, Variable};
use iai_callgrind_results::Seed;
use iai_callgrind_results::values::number_in;
use iai_callgrind_tools::valgrind::Arguments;

use super::isolation::IsolationOptions;
use super::switch::YES_OR_NO;

/// Options for the environment of benchmarks.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Benchmarks")]
pub struct Benchmarks {
    /// Clear the environment of the benchmarks [default: yes]
    #[arg(long, value_name = YES_OR_NO, env = "IAI_CALLGRIND_ENV_CLEAR")]
    env_clear: Option<bool>,

    /// Set environment variables of the benchmarks: 'NAME=VALUE OTHER=VALUE'
    ///
    /// A name without a value passes the variable through. The text is split like words in a shell. Can be
    /// repeated.
    #[arg(long, value_name = "VARIABLES", env = "IAI_CALLGRIND_ENVS", value_parser = Variables::parse)]
    envs: Vec<Variables>,

    /// Run each benchmark in an empty directory of its own, or in that of the package [default: yes for commands]
    #[arg(long, value_name = YES_OR_NO, env = "IAI_CALLGRIND_SANDBOX")]
    sandbox: Option<bool>,

    /// Take randomness from this seed, or from the system
    #[arg(
        long, value_name = "N|random", default_value = "0", env = "IAI_CALLGRIND_SEED",
        value_parser = Seed::parse
    )]
    pub seed: Seed,

    /// Run each benchmark with this many seeds and show the spread of the counts
    ///
    /// The result of the first seed, which --seed sets, is stored and compared.
    #[arg(
        long, value_name = "N", default_value = "1", env = "IAI_CALLGRIND_SEEDS",
        value_parser = number_in(1..=u16::MAX)
    )]
    pub seeds: u16,

    /// Run each benchmark this many times and show the spread of the counts
    ///
    /// The run with the median of the first shown metric is stored, compared and checked against limits.
    #[arg(
        long, value_name = "N", default_value = "1", env = "IAI_CALLGRIND_REPEAT",
        value_parser = number_in(1..=u16::MAX)
    )]
    pub repeat: u16,

    /// Show only minimum, median, maximum, mean and standard deviation of several runs
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_AGGREGATES_ONLY")]
    pub(crate) aggregates_only: bool,

    /// Call the routines of Criterion's and divan's benchmarks this many times before the calls that count
    #[arg(
        long, value_name = "N", default_value = "0", env = "IAI_CALLGRIND_WARM_UP_CALLS",
        value_parser = number_in(0..=u16::MAX)
    )]
    pub warm_up_calls: u16,

    /// Count this many calls of the routines of Criterion's and divan's benchmarks, and show the mean of a call
    #[arg(
        long, value_name = "N", default_value = "1", env = "IAI_CALLGRIND_CALLS",
        value_parser = number_in(1..=u16::MAX)
    )]
    pub calls: u16,

    #[command(flatten)]
    pub isolation: IsolationOptions,

    /// Pass these arguments on to Valgrind, under any tool
    ///
    /// The text is split like words in a shell.
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true,
        env = "IAI_CALLGRIND_VALGRIND_ARGS", value_parser = Arguments::parse
    )]
    valgrind_args: Option<Arguments>,
}

impl Benchmarks {
    /// Returns the options as the configuration of a benchmark file.
    pub fn config(&self) -> Config {
        Config {
            env_clear: if self.isolation.keeps_environment() {
                Some(false)
            } else {
                self.env_clear
            },
            sandbox: self.sandbox,
            envs: self.envs.iter().flat_map(|variables| variables.0.clone()).collect(),
            valgrind_args: self.valgrind_args.clone().unwrap_or_default().0,
            ..Config::default()
        }
    }
}

/// A list of variables: `NAME=VALUE NAME`.
#[derive(Debug, Clone)]
struct Variables(Vec<Variable>);

impl Variables {
    fn parse(text: &str) -> Result<Self, String> {
        let words = shlex::split(text).ok_or("a quotation mark or a backslash has no end")?;
        words.into_iter().map(|word| Self::variable(&word)).collect::<Result<_, _>>().map(Self)
    }

    fn variable(word: &str) -> Result<Variable, String> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        if name.is_empty() {
            return Err(format!("`{word}` has no name: write `NAME=VALUE` or `NAME`"));
        }
        Ok(Variable { name: name.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use iai_callgrind_process::{Cpus, NativeValue};

    use super::*;
    use crate::{Cli, Command};

    fn resolve(arguments: &[&str], seed: Seed) -> Vec<NativeValue> {
        let words = ["iai-callgrind-runner", "bench"].iter().chain(arguments);
        let Command::Bench(bench) = Cli::try_parse_from(words).unwrap().command else {
            unreachable!("the first word is `bench`");
        };
        let isolation = bench.benchmarks.isolation.resolve(seed);
        assert_eq!(isolation.cpus() == Cpus::Native, isolation.is_native(NativeValue::Cpus));
        let values = NativeValue::ALL.into_iter();
        values.filter(|value| isolation.is_native(*value)).collect()
    }

    #[test]
    fn the_old_options_are_short_forms_of_names() {
        let seed = Seed::default();
        assert_eq!(resolve(&[], seed), []);
        for (arguments, value) in [
            (&["--allow-aslr"][..], NativeValue::Addresses),
            (&["--native=addresses"], NativeValue::Addresses),
            (&["--clock=system"], NativeValue::Clock),
            (&["--clock=virtual", "--native=clock"], NativeValue::Clock),
            (&["--cpus=native"], NativeValue::Cpus),
            (&["--cpus=2", "--native=cpus"], NativeValue::Cpus),
            (&["--native=c-library"], NativeValue::CLibrary),
        ] {
            assert_eq!(resolve(arguments, seed), [value], "{arguments:?}");
        }
        assert_eq!(resolve(&[], Seed::Random), [NativeValue::Random]);
        let several = [NativeValue::Ids, NativeValue::Limits, NativeValue::Memory];
        assert_eq!(resolve(&["--native=memory,ids", "--native", "limits"], seed), several);
    }
}
