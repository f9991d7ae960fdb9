//! The options of gungraun's `Perf`, so that its benchmark files compile. `--time` is the counterpart.

use std::fmt;
use std::time::Duration;

use iai_callgrind_plan::PerfConfig;

use super::tool::AnyTool;
use super::{Limit, Tool, ToolArgs, from_references};

/// Metrics of perf that are times, without the letters that say what is counted.
const TIMES: [&str; 3] = ["duration_time", "task-clock", "cpu-clock"];

/// gungraun's perf, for which `--time` is the counterpart.
///
/// Perf does not run. The benchmarks are counted as without it, and `cargo bench -- --time` measures their time. A note of
/// each run says so, with the options that have no counterpart.
///
/// ```
/// use iai_callgrind::{LibraryBenchmarkConfig, Perf};
///
/// // With `--time --against`, the same as `time_limit(5.0)`
/// LibraryBenchmarkConfig::default().tool(Perf::default().soft_limits([("task-clock", 5.0)]));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Perf(PerfConfig);

/// The name of an event of perf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfMetric(pub String);

/// The number of calls that gungraun measures in one run of perf. `--time` calls a benchmark as often as its clock needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PerfRunMode {
    /// Subtract the overhead of perf.
    DefaultCalibrate,
    /// Subtract the overhead of perf, which is measured for this long.
    Calibrate(Duration),
    /// Measure one call.
    #[default]
    Direct,
}

/// The unit of a hard limit of [`Perf`].
#[allow(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
    Hertz,
    Kilohertz,
    Megahertz,
    Gigahertz,
    Bytes,
    Kilobytes,
    Megabytes,
    Gigabytes,
    Kibibytes,
    Mebibytes,
    Gibibytes,
    Percent,
    Joules,
    Watts,
    Volts,
    Amperes,
    RevolutionsPerMinute,
    Celsius,
    Capacity,
    Cycles,
    Rate(Box<Self>, Box<Self>),
    Unknown(String),
}

impl Perf {
    /// Creates perf with these arguments, see [`Self::args`].
    pub fn with_args<T: Into<ToolArgs>>(args: T) -> Self {
        let mut perf = Self::default();
        perf.args(args);
        perf
    }

    /// Has no counterpart: arguments of `perf stat`.
    pub fn args<T: Into<ToolArgs>>(&mut self, args: T) -> &mut Self {
        let ToolArgs(args) = args.into();
        self.miss_if(!args.is_empty(), "args")
    }

    /// Enables the tool; `false` disables it if a level above added it.
    pub fn enable(&mut self, value: bool) -> &mut Self {
        self.0.enable = Some(value);
        self
    }

    /// Limits the increase of metrics in percent.
    ///
    /// A limit of `duration_time`, `task-clock` or `cpu-clock` is the
    /// [`time_limit`](super::LibraryBenchmarkConfig::time_limit). Those of other metrics, and limits of improvements, have no
    /// counterpart.
    pub fn soft_limits<K, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        T: IntoIterator<Item = (K, f64)>,
    {
        for (metric, percentage) in limits {
            if TIMES.contains(&name(&metric.into())) && percentage >= 0.0 {
                self.0.time_limit = Some(percentage.into());
            } else {
                self.0.miss("soft_limits");
            }
        }
        self
    }

    /// Has no counterpart: largest values of metrics. `--time` limits changes, which other machines have too.
    pub fn hard_limits<K, L, U, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        L: Into<Limit>,
        U: Into<Option<Unit>>,
        T: IntoIterator<Item = (K, U, L)>,
    {
        self.miss_if(limits.into_iter().next().is_some(), "hard_limits")
    }

    /// Has no counterpart: the significance of soft limits. A run with `--time` has 5 % for all its benchmarks together.
    pub fn alpha(&mut self, _value: f64) -> &mut Self {
        self.miss_if(true, "alpha")
    }

    /// Has no counterpart: the end of the run at the first limit that is exceeded.
    pub fn fail_fast(&mut self, value: bool) -> &mut Self {
        self.miss_if(value, "fail_fast")
    }

    /// Has no counterpart: events that perf counts, unless all of them are times.
    pub fn event_set<T: AsRef<str>>(&mut self, events: T) -> &mut Self {
        let has_others = !events.as_ref().split(',').all(|event| TIMES.contains(&name(event)));
        self.miss_if(has_others, "event_set")
    }

    /// Has no counterpart, see [`Self::event_set`].
    pub fn event_sets<I: AsRef<str>, T: IntoIterator<Item = I>>(&mut self, events: T) -> &mut Self {
        for events in events {
            self.event_set(events);
        }
        self
    }

    /// Has no counterpart: metrics that must not be zero.
    pub fn non_zero_metrics<I, T>(&mut self, metrics: T) -> &mut Self
    where
        I: AsRef<str>,
        T: IntoIterator<Item = I>,
    {
        self.miss_if(metrics.into_iter().next().is_some(), "non_zero_metrics")
    }

    /// Has no counterpart: the part of the time for which an event must have been counted.
    pub fn min_pcnt_running(&mut self, _percent: f64) -> &mut Self {
        self.miss_if(true, "min_pcnt_running")
    }

    /// Has no counterpart: `--time` measures the benchmark function from its start to its end.
    pub fn disable_entry_point(&mut self, yes: bool) -> &mut Self {
        self.miss_if(yes, "disable_entry_point")
    }

    /// Changes nothing: `--time` calls short functions in batches, and subtracts nothing.
    pub fn run_mode(&mut self, _mode: PerfRunMode) -> &mut Self {
        self
    }

    /// Has no counterpart: a profile of `perf record`.
    pub fn record(&mut self, yes: bool) -> &mut Self {
        self.miss_if(yes, "record")
    }

    /// Has no counterpart: arguments of `perf record`.
    pub fn record_args<I: AsRef<str>, T: IntoIterator<Item = I>>(&mut self, args: T) -> &mut Self {
        self.miss_if(args.into_iter().next().is_some(), "record_args")
    }

    /// Has no counterpart in a file: `--time-budget` is the time of each benchmark.
    pub fn sample_duration(&mut self, _duration: Duration) -> &mut Self {
        self.miss_if(true, "sample_duration")
    }

    fn miss_if(&mut self, is_set: bool, option: &str) -> &mut Self {
        if is_set {
            self.0.miss(option);
        }
        self
    }
}

/// Returns the name of an event in a pattern or a group: `task-clock` in `task-clock:u` and `*task-clock*`.
fn name(pattern: &str) -> &str {
    let name = pattern.split([':', '/']).next().unwrap_or_default();
    name.trim_matches(['*', '{', '}', ' '])
}

from_references!(Perf: &mut Perf);

impl From<Perf> for Tool {
    fn from(perf: Perf) -> Self {
        Self(AnyTool::Perf(perf.0))
    }
}

impl From<&mut Perf> for Tool {
    fn from(perf: &mut Perf) -> Self {
        perf.clone().into()
    }
}

impl PerfMetric {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PerfMetric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for PerfMetric {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<String> for PerfMetric {
    fn from(name: String) -> Self {
        Self(name)
    }
}

/// Does nothing: starts the part of a benchmark function that gungraun's [`Perf`] measures. `--time` measures all of it.
#[macro_export]
macro_rules! perf_enable {
    () => {
        $crate::__private::PerfToken
    };
}

/// Does nothing: ends what [`perf_enable!`](crate::perf_enable) starts.
#[macro_export]
macro_rules! perf_disable {
    ($token:expr) => {{
        let $crate::__private::PerfToken = $token;
    }};
}

/// Does nothing: writes to the log of gungraun's [`Perf`].
#[macro_export]
macro_rules! perf_log {
    ($($arg:tt)*) => {{
        let _ = ::core::format_args!($($arg)*);
    }};
}

/// The result of [`perf_enable!`](crate::perf_enable).
#[derive(Debug, Clone, Copy)]
pub struct PerfToken;

#[cfg(test)]
mod tests {
    use iai_callgrind_plan as plan;

    use super::*;

    fn config(perf: &mut Perf) -> (Option<f64>, Vec<String>) {
        let AnyTool::Perf(config) = Tool::from(perf).0 else { unreachable!("it is perf") };
        (config.time_limit.map(plan::Percentage::get), config.without_counterpart)
    }

    #[test]
    fn limits_of_times_are_limits_of_the_time() {
        for metric in ["task-clock", "*task-clock*", "task-clock:u", "duration_time", "cpu-clock/u"]
        {
            let limits = config(Perf::default().soft_limits([(metric, 2.5)]));
            assert_eq!(limits, (Some(2.5), vec![]), "{metric}");
        }
        for (metric, limit) in [("cycles", 2.5), ("task-clock", -2.5), ("*", 1.0), ("", 1.0)] {
            let limits = config(Perf::default().soft_limits([(metric, limit)]));
            assert_eq!(limits, (None, vec!["soft_limits".to_owned()]), "{metric}");
        }
    }

    #[test]
    fn an_option_without_a_counterpart_is_named_once() {
        let mut perf = Perf::with_args(["--all-user"]);
        perf.args(["--no-big-num"]).record(false).fail_fast(false).run_mode(PerfRunMode::Direct);
        perf.disable_entry_point(false).event_set("{task-clock,duration_time:u}");
        assert_eq!(config(&mut perf), (None, vec!["args".to_owned()]));
        perf.event_sets(["task-clock", "cycles,faults"]).alpha(0.01).event_set("branches");
        assert_eq!(config(&mut perf).1, ["args", "event_set", "alpha"]);
    }
}
