//! Options for the time of benchmarks.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use iai_callgrind_plan::Percentage;
use iai_callgrind_results::Mode;
use iai_callgrind_results::values::{number_in, parse_change, parse_duration, parse_seconds};
use iai_callgrind_store::Slot;
use iai_callgrind_timing::{TimeNote, TimeOptions};

use super::Baselines;
use crate::settings::{TimeSettings, TimedBenchmarks};

/// Options for the time of benchmarks.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Time")]
#[expect(clippy::struct_field_names, reason = "they are the names of the options")]
pub struct Time {
    /// Time the benchmarks without Valgrind; with --against or --baseline, compare the times of both sides
    ///
    /// With --against, benchmarks are counted first, and only those are timed whose counts changed: `all` times all of them.
    /// Otherwise nothing is counted. With --save-baseline, the baseline keeps the executable, and --baseline compares the
    /// functions of both executables.
    #[arg(
        long,
        value_name = "changed|all",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "changed",
        env = "IAI_CALLGRIND_TIME",
        value_enum,
        hide_possible_values = true,
        conflicts_with = "load_baseline"
    )]
    time: Option<TimedBenchmarks>,

    /// Time each benchmark for this long, on both sides together
    #[arg(
        long, value_name = "DURATION", default_value = "6s", env = "IAI_CALLGRIND_TIME_BUDGET",
        value_parser = parse_duration
    )]
    time_budget: Duration,

    /// Stop earlier when the 95 % interval is within this percentage to both sides
    #[arg(
        long, value_name = "PERCENTAGE", env = "IAI_CALLGRIND_TIME_PRECISION",
        value_parser = parse_change
    )]
    time_precision: Option<Percentage>,

    /// Fail if the time grows by more than this percentage: the whole 95 % interval must be beyond it
    #[arg(
        long, value_name = "PERCENTAGE", env = "IAI_CALLGRIND_TIME_LIMIT",
        value_parser = parse_change
    )]
    time_limit: Option<Percentage>,

    /// Link each side N times, with its functions and data in another order, and compare the times of all of them
    ///
    /// Functions, constants and variables have another order and other distances in each. Each layout is one observation, and
    /// all of them share the budget. With --limit=auto, each layout of this side is counted, too: a metric may grow by twice
    /// its spread.
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "12",
        env = "IAI_CALLGRIND_TIME_LAYOUTS",
        value_parser = number_in(6_u32..=1000)
    )]
    time_layouts: Option<u32>,

    /// Show the times next to stored ones, of the last run or of the baseline NAME
    ///
    /// A run with --time stores its times like counts: as those of the last run, or with --save-baseline as a baseline.
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "@last",
        requires = "time", conflicts_with_all = ["against", "baseline"], value_parser = Slot::parse
    )]
    time_baseline: Option<Slot>,

    /// Run each benchmark without Valgrind for this long, for a profiler such as perf or samply
    ///
    /// Its calls are repeated in a process of its own, whose id the run prints. Nothing is counted, timed or stored. A number
    /// without a unit is in seconds.
    #[arg(
        long, value_name = "DURATION", env = "IAI_CALLGRIND_PROFILE_TIME", value_parser = parse_seconds,
        conflicts_with_all = [
            "time", "time_baseline", "against", "baseline", "baseline_lenient", "save_baseline", "load_baseline"
        ]
    )]
    pub profile_time: Option<Duration>,

    /// Write the plan to this file instead of running it
    #[arg(long, hide = true, value_name = "FILE")]
    pub write_plan: Option<PathBuf>,
}

impl Time {
    /// Returns the number of layouts that are counted to learn limits. Prints a note if the option for them has no effect.
    pub fn counted_layouts(&self, baselines: &Baselines) -> Option<u32> {
        let layouts = self.time_layouts?;
        let (is_timed, has_sides) = (self.time.is_some(), baselines.against.is_some());
        let is_counted = baselines.limit.is_some() && (has_sides || !is_timed);
        let is_used = is_counted || is_timed && has_sides;
        if !is_used {
            TimeNote::UnusedLayouts.print();
        }
        is_counted.then_some(layouts)
    }

    /// Returns the settings; `None` if nothing is timed. Prints a note about each option that has no effect.
    pub fn settings(
        &self,
        baselines: &Baselines,
        mode: &Mode,
        given_limits: &[String],
    ) -> Option<TimeSettings> {
        let precision = self.time_precision.map(|percentage| percentage.get() / 100.0);
        let options = TimeOptions { budget: self.time_budget, precision };
        let Some(benchmarks) = self.time else {
            let unused = [
                ("--time-precision", self.time_precision.is_some()),
                ("--time-limit", self.time_limit.is_some()),
            ];
            let unused = unused.into_iter().filter(|(_, is_used)| *is_used);
            unused.for_each(|(option, _)| TimeNote::UnusedOption { option }.print());
            return None;
        };
        if baselines.against.is_none() {
            self.note_one_side(baselines, given_limits);
        }
        Some(TimeSettings {
            benchmarks,
            options,
            limit: self.time_limit,
            layouts: self.time_layouts,
            kept: baselines.baseline.as_ref().map(|_| mode.old.clone()),
            baseline: self.time_baseline.clone(),
        })
    }

    /// Prints a note about each option that has no effect if a single side is timed, which is not counted.
    fn note_one_side(&self, baselines: &Baselines, given_limits: &[String]) {
        if self.time_limit.is_some() && baselines.baseline.is_none() {
            TimeNote::LimitOfOneSide.print();
        }
        let counting = [("limit", baselines.limit.is_some()), ("record", baselines.record)];
        let counting = counting.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name);
        let unused = counting.chain(given_limits.iter().map(String::as_str));
        unused.for_each(|option| TimeNote::NotCounted { option }.print());
    }
}
