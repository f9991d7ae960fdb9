//! Converts results to summaries.

use std::fmt::Display;
use std::path::PathBuf;

use iai_callgrind_compare::{Broken, Change, LearnedLimit, Limits, Observations, Regression};
use iai_callgrind_plan::metric::{MetricKind, Metrics, unique};
use iai_callgrind_plan::{Plan, VERSION};
use iai_callgrind_results::{
    Benchmark, BenchmarkResult, Mode, Samples, ToolResult, Totals, summary_value as value,
};
use iai_callgrind_store::{Files, Slot};
use iai_callgrind_summary::{
    self as summary, Baselines, ComparedTool, Comparison, EnvironmentChange, Invocation, Limit,
    LimitKind, LimitValue, Metric, Part, Process, Status, Summary, Tool, Value,
};
use iai_callgrind_tools::fingerprint::FingerprintChange;
use iai_callgrind_tools::tool::{self, Measurement};
use iai_callgrind_tools::valgrind::log::preamble;

use super::explanation;
use super::growth;
use super::options::ReportOptions;
use super::values::{range, unit};
use crate::format::benchmark_change;

/// The fields that all summaries of a run have in common.
#[derive(Debug)]
pub struct Context {
    pub(super) package: String,
    file: String,
    /// The groups of the benchmark file, as `file::group`.
    pub(super) groups: Vec<String>,
    package_dir: Option<String>,
    executable: Option<String>,
    target: Option<String>,
    mode: Mode,
    samples: Samples,
    invocation: Invocation,
    /// Maximum number of lines of an explanation.
    explanation_lines: usize,
}

impl Context {
    /// Returns the context of a run of this plan.
    pub fn new(plan: &Plan, options: &ReportOptions) -> Self {
        let executable = plan.executable.as_ref();
        Self {
            package: plan.package.clone(),
            file: plan.file.clone(),
            groups: plan
                .groups
                .iter()
                .map(|group| format!("{}::{}", plan.file, group.name))
                .collect(),
            package_dir: Some(plan.package_dir.clone()),
            executable: executable.map(|executable| executable.path.clone()),
            target: executable.map(|executable| executable.build.target.clone()),
            mode: options.mode.clone(),
            samples: options.samples.clone(),
            invocation: options.invocation.clone(),
            explanation_lines: options.explanation_lines,
        }
    }

    /// Summarizes a benchmark that ran.
    pub(super) fn finished(&self, result: &BenchmarkResult<'_>) -> Summary {
        let benchmark = result.benchmark;
        let errors = result.errors();
        let has_regressed = result.has_regressed();
        let status = match (errors.is_empty(), has_regressed) {
            (false, _) => Status::Failed,
            (true, true) => Status::Regressed,
            (true, false) => Status::Ok,
        };
        let errors = errors.into_iter().reduce(|all, next| all + "\n" + &next);
        let mut summary = Summary {
            error: errors,
            label: result.label().map(str::to_owned),
            tools: result.tools.iter().map(|tool| self.tool(benchmark, tool)).collect(),
            comparisons: result
                .comparisons
                .iter()
                .map(|(other, totals)| comparison(result, other, totals))
                .collect(),
            growth: result.growth.as_ref().map(growth::summary),
            ..self.empty(benchmark, status)
        };
        summary.change = benchmark_change(&summary);
        summary
    }

    /// Summarizes a benchmark that was only timed.
    pub(super) fn timed(&self, benchmark: &Benchmark) -> Summary {
        self.empty(benchmark, Status::Ok)
    }

    /// Summarizes a benchmark that failed.
    pub(super) fn failed(&self, benchmark: &Benchmark, error: &dyn Display) -> Summary {
        Summary { error: Some(error.to_string()), ..self.empty(benchmark, Status::Failed) }
    }

    /// Summarizes setups and teardowns of the file or of groups that failed, like a benchmark.
    pub(super) fn failed_hooks(&self, errors: &[String]) -> Summary {
        let function = "setup or teardown";
        Summary {
            name: format!("{}::{function}", self.file),
            file: self.file.clone(),
            function: Some(function.to_owned()),
            error: Some(errors.join("\n")),
            ..self.common(Status::Failed)
        }
    }

    fn empty(&self, benchmark: &Benchmark, status: Status) -> Summary {
        Summary {
            name: benchmark.name(),
            file: benchmark.file.clone(),
            group: benchmark.group_name.clone(),
            function: benchmark.function.clone(),
            id: benchmark.id.clone(),
            external_id: benchmark.external_id.clone(),
            size: benchmark.curve.as_ref().map(|place| place.size),
            arguments: Some(benchmark.arguments.clone()),
            ..self.common(status)
        }
    }

    /// Returns the fields that all summaries of a run have in common.
    fn common(&self, status: Status) -> Summary {
        Summary {
            version: summary::VERSION,
            runner: VERSION.to_owned(),
            name: String::new(),
            package: self.package.clone(),
            package_dir: self.package_dir.clone(),
            file: String::new(),
            group: String::new(),
            function: None,
            id: None,
            external_id: None,
            size: None,
            label: None,
            arguments: None,
            executable: self.executable.clone(),
            target: self.target.clone(),
            baselines: baselines(&self.mode),
            invocation: Some(self.invocation.clone()),
            status,
            error: None,
            tools: Vec::new(),
            comparisons: Vec::new(),
            growth: None,
            time: None,
            commits: None,
            change: None,
        }
    }

    fn tool(&self, benchmark: &Benchmark, result: &ToolResult<'_>) -> Tool {
        let ToolResult { options, new, old, regressions, processes, .. } = result;
        let range =
            |kind: &MetricKind| Some((kind.name().to_owned(), range(&result.spread(*kind)?)));
        let compared = Compared {
            tool: options.tool,
            files: &benchmark.files,
            mode: &self.mode,
            shown: &options.metrics,
            tolerance: benchmark.options.tolerance,
            new,
            old: old.as_ref(),
            limits: &options.limits,
            regressions,
        };
        let of_processes = processes.iter().flat_map(|process| {
            let named = |broken: summary::Regression| {
                let message = format!("{}: {}", process.name, broken.message);
                summary::Regression { message, ..broken }
            };
            process.regressions.iter().map(regression).map(named)
        });
        Tool {
            valgrind_args: options.launch.arguments.clone(),
            spread: (!result.others.is_empty()).then(|| summary::Spread {
                seeds: self.samples.seeds().collect(),
                metrics: kinds(result.runs().map(|run| &run.total))
                    .iter()
                    .filter_map(range)
                    .collect(),
            }),
            explanation: result.explanation.as_ref().map(|explanation| {
                explanation::summary(&benchmark.name(), explanation, self.explanation_lines)
            }),
            varies_with: explanation::machine_values(&result.varies_with),
            regressions: regressions.iter().map(regression).chain(of_processes).collect(),
            ..compared.summary()
        }
    }
}

/// Two results of a benchmark under one tool.
pub struct Compared<'a> {
    /// The tool.
    pub tool: &'a tool::Tool,
    /// The files of the benchmark.
    pub files: &'a Files,
    /// The slots of both results.
    pub mode: &'a Mode,
    /// The metrics to show.
    pub shown: &'a [MetricKind],
    /// Changes up to this percentage are tolerated.
    pub tolerance: f64,
    /// The new result.
    pub new: &'a Measurement,
    /// The old result, if there is one.
    pub old: Option<&'a Measurement>,
    /// The limits of the metrics.
    pub limits: &'a Limits,
    /// The limits that the new one exceeds.
    pub regressions: &'a [Regression],
}

impl Compared<'_> {
    /// Summarizes them as far as that is possible without the configuration.
    pub fn summary(&self) -> Tool {
        let Self { tool, files, mode, .. } = *self;
        let new = files.slot_files(tool, &mode.new);
        let old = mode.old_after_run().map_or_else(Vec::new, |slot| files.slot_files(tool, slot));
        let log =
            new.iter().find(|path| path.extension().is_some_and(|extension| extension == "log"));
        let command = log.map(|log| preamble(log).command);
        let old_total = self.old.map(|old| &old.total);
        let total = metrics(Some(&self.new.total), old_total, self.tolerance);
        let exists = |kind: &MetricKind| {
            !(kind.is_per_unit() || kind.is_counter()) || total.contains_key(kind.name())
        };
        let counters = self.new.total.counters().map(|(kind, _)| kind);
        let counters = counters.filter(|_| !self.shown.is_empty());
        let shown: Vec<_> = self.shown.iter().copied().filter(exists).chain(counters).collect();
        Tool {
            tool: tool.name.to_owned(),
            command: command.filter(|command| !command.is_empty()),
            valgrind_args: Vec::new(),
            files: summary::Files { new: texts(&new), old: texts(&old) },
            shown: unique(&shown).iter().map(|kind| kind.name().to_owned()).collect(),
            total,
            parts: self.parts(),
            limits: limits(self.limits),
            regressions: self.regressions.iter().map(regression).collect(),
            spread: None,
            explanation: None,
            varies_with: Vec::new(),
            environment: self.new.fingerprint.as_ref().map(|known| known.entries().clone()),
            environment_changes: self
                .old
                .map_or_else(Vec::new, |old| self.new.environment_changes(old))
                .into_iter()
                .map(|FingerprintChange { name, old, new }| EnvironmentChange { name, old, new })
                .collect(),
        }
    }

    fn parts(&self) -> Vec<Part> {
        let (new, old) = (&self.new.parts, self.old.map_or(&[][..], |old| &old.parts));
        let part = |index: usize| {
            let (new, old) = (new.get(index), old.get(index));
            let counted =
                |part: Option<&tool::ProcessMetrics>| part.map(|part| part.metrics.clone());
            Part {
                new: new.map(process),
                old: old.map(process),
                metrics: metrics(counted(new).as_ref(), counted(old).as_ref(), self.tolerance),
            }
        };
        (0..new.len().max(old.len())).map(part).collect()
    }
}

/// Returns the baselines that are compared.
pub fn baselines(mode: &Mode) -> Baselines {
    let name = |slot: &Slot| match slot {
        Slot::Baseline(name) => Some(name.clone()),
        Slot::Latest | Slot::Old => None,
    };
    Baselines { new: name(&mode.new), old: name(&mode.old) }
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn process(part: &tool::ProcessMetrics) -> Process {
    Process { pid: part.pid, thread: part.thread, command: part.command.clone() }
}

/// Returns every metric that has a new or an old value.
fn metrics(new: Option<&Metrics>, old: Option<&Metrics>, tolerance: f64) -> summary::Metrics {
    let metric = |&kind: &MetricKind| {
        let get = |metrics: Option<&Metrics>| metrics.and_then(|metrics| metrics.get(kind));
        let (new, old) = (get(new), get(old));
        let change = Change::between(new, old);
        let metric = Metric {
            label: kind.label().to_owned(),
            unit: unit(kind, new.or(old)),
            new: new.map(value),
            old: old.map(value),
            change: change.percentage().zip(change.factor()).map(|(percentage, factor)| {
                let finite = |number: f64| Some(number).filter(|number| number.is_finite());
                summary::Change { percentage: finite(percentage), factor: finite(factor) }
            }),
            tolerated: change.is_within(tolerance),
        };
        (new.is_some() || old.is_some()).then(|| (kind.name().to_owned(), metric))
    };
    kinds(new.into_iter().chain(old)).iter().filter_map(metric).collect()
}

/// Returns all metrics of the tools, and the counters of these results.
fn kinds<'a>(results: impl Iterator<Item = &'a Metrics>) -> Vec<MetricKind> {
    let counters = results.flat_map(|result| result.counters().map(|(kind, _)| kind));
    unique(&MetricKind::ALL.iter().copied().chain(counters).collect::<Vec<_>>())
}

fn limit(kind: MetricKind, of: LimitKind, value: LimitValue) -> Limit {
    let metric = kind.name().to_owned();
    Limit { metric, kind: of, value, learned_from: None, learned_from_layouts: None }
}

fn learned(kind: MetricKind, learned: LearnedLimit) -> Limit {
    let LearnedLimit { percentage: most, observations: Observations { pairs, layouts } } = learned;
    let limit = limit(kind, LimitKind::Soft, percentage(most));
    Limit { learned_from: Some(pairs), learned_from_layouts: Some(layouts), ..limit }
}

fn percentage(number: f64) -> LimitValue {
    LimitValue::Number(Value::Rate(number))
}

fn class(class: impl Display) -> LimitValue {
    LimitValue::Class(class.to_string())
}

fn limits(limits: &Limits) -> Vec<Limit> {
    let soft = limits.soft().map(|(kind, most)| limit(kind, LimitKind::Soft, percentage(most)));
    let learned = limits.learned().map(|(kind, limit)| learned(kind, limit));
    let hard = limits
        .hard()
        .map(|(kind, most)| limit(kind, LimitKind::Hard, LimitValue::Number(value(most))));
    let complexity =
        limits.complexity().map(|(kind, worst)| limit(kind, LimitKind::Complexity, class(worst)));
    let per_element = limits
        .per_element()
        .map(|(kind, most)| limit(kind, LimitKind::PerElement, percentage(most)));
    soft.chain(learned).chain(hard).chain(complexity).chain(per_element).collect()
}

fn regression(regression: &Regression) -> summary::Regression {
    let number = |new| LimitValue::Number(value(new));
    let message = regression.to_string();
    let (kind, bound, new, old) = match &regression.limit {
        Broken::Learned { new, old, limit, .. } => {
            let (limit, new) = (learned(regression.kind, *limit), number(*new));
            return summary::Regression { limit, new, old: Some(value(*old)), message };
        }
        Broken::Soft { new, old, limit, .. } => {
            (LimitKind::Soft, percentage(*limit), number(*new), Some(value(*old)))
        }
        Broken::Hard { new, limit } => (LimitKind::Hard, number(*limit), number(*new), None),
        Broken::Complexity { new, limit } => {
            (LimitKind::Complexity, class(limit), class(new), None)
        }
        Broken::UnknownComplexity { reason, limit } => {
            (LimitKind::Complexity, class(limit), class(reason), None)
        }
        Broken::WorseClass { new, limit, .. } => {
            (LimitKind::PerElement, percentage(*limit), class(new), None)
        }
        Broken::PerElement { new, old, limit, .. } => {
            (LimitKind::PerElement, percentage(*limit), percentage(*new), Some(Value::Rate(*old)))
        }
    };
    summary::Regression { limit: limit(regression.kind, kind, bound), new, old, message }
}

/// Returns a comparison with the values of the other benchmark as the new ones, as on the terminal.
fn comparison(result: &BenchmarkResult<'_>, other: &Benchmark, totals: &Totals) -> Comparison {
    let tolerance = result.benchmark.options.tolerance;
    let compared = |(this, total): (&ToolResult<'_>, &Metrics)| ComparedTool {
        tool: this.options.tool.name.to_owned(),
        metrics: metrics(Some(total), Some(&this.new.total), tolerance),
    };
    Comparison { name: other.name(), tools: result.compared_with(totals).map(compared).collect() }
}
