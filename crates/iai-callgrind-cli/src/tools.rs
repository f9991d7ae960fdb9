//! The options of Valgrind's tools: the same ones for each row of the table of tools.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Config, Flamegraph, FlamegraphKind, Limit, ValgrindTool};
use iai_callgrind_results::values::{
    MetricLimits, group_names, metric_names, parse_counter_limits, parse_flamegraph_kind,
    parse_limits, parse_metrics, parse_regression, parse_tool, tool_names,
};
use iai_callgrind_tools::tool::callgrind::CALLGRIND;
use iai_callgrind_tools::tool::{TOOLS, Tool};
use iai_callgrind_tools::valgrind::Arguments;

use super::LIMITS;
use super::switch::YES_OR_NO;

const DEFAULT_TOOL: &str = "default-tool";
const OTHER_TOOLS: &str = "tools";
const COUNTER_LIMITS: &str = "counter-limits";
const REGRESSION: &str = "regression";
const FAIL_FAST: &str = "regression-fail-fast";
const COLD_CACHES: &str = "cold-caches";
const FLAMEGRAPH: &str = "flamegraph";

/// The options of the tools.
#[derive(Debug, Default)]
pub struct Tools {
    /// The options as the configuration of a benchmark file.
    pub config: Config,
    /// Limits of counters, whose names are checked, other than those of a benchmark file.
    pub counters: MetricLimits,
    /// Names of the options with limits on the command line, not only in variables.
    pub given_limits: Vec<String>,
}

impl Args for Tools {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Tools").arg(default_tool()).arg(other_tools());
        let command = TOOLS.iter().fold(command, |command, tool| {
            command.arg(arguments(tool)).arg(metrics(tool)).arg(limits(tool))
        });
        command
            .arg(counter_limits())
            .arg(regression())
            .arg(fail_fast())
            .arg(cold_caches())
            .arg(flamegraph())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Tools {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut tools = Self::default();
        tools.update_from_arg_matches(matches)?;
        Ok(tools)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.config.default_tool = matches.get_one(DEFAULT_TOOL).copied();
        for tool in matches.get_many::<ValgrindTool>(OTHER_TOOLS).unwrap_or_default() {
            self.config.tool_mut(*tool).enable = Some(true);
        }
        let fail_fast = matches.get_one::<bool>(FAIL_FAST).copied();
        for tool in TOOLS {
            let options = self.config.tool_mut(tool.kind);
            if let Some(arguments) = matches.get_one::<Arguments>(&argument_name(tool, "args")) {
                options.args.clone_from(&arguments.0);
            }
            options.limits = tool_limits(matches, tool);
            options.fail_fast = fail_fast;
            let metrics = matches.get_one::<Vec<MetricKind>>(&argument_name(tool, "metrics"));
            options.metrics = metrics.cloned();
        }
        self.counters = limits_of_counters(matches);
        self.given_limits = given_limits(matches).collect();
        let callgrind = self.config.tool_mut(ValgrindTool::Callgrind);
        callgrind.cold_caches = matches.get_one::<bool>(COLD_CACHES).copied();
        let kind = matches.get_one::<FlamegraphKind>(FLAMEGRAPH).copied();
        callgrind.flamegraph =
            kind.map(|kind| Flamegraph { kind: Some(kind), ..Flamegraph::default() });
        Ok(())
    }
}

/// The limits of each tool and of counters.
#[derive(Debug, Default)]
pub struct StoredLimits {
    limits: Vec<(ValgrindTool, MetricLimits)>,
    /// Limits of counters, which the results of any tool can have.
    pub counters: MetricLimits,
    /// Some of them are on the command line, not only in variables.
    pub is_on_command_line: bool,
}

impl StoredLimits {
    /// Returns the limits of this tool.
    pub fn of(&self, tool: &Tool) -> &[(MetricKind, Limit)] {
        let found = self.limits.iter().find(|(kind, _)| *kind == tool.kind);
        found.map_or(&[], |(_, limits)| limits)
    }
}

impl Args for StoredLimits {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading(LIMITS);
        let options = TOOLS.iter().map(|tool| limits_of_results(tool, ""));
        command.args(options).arg(counter_limits()).arg(regression())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for StoredLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut limits = Self::default();
        limits.update_from_arg_matches(matches)?;
        Ok(limits)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.limits = TOOLS.iter().map(|tool| (tool.kind, tool_limits(matches, tool))).collect();
        self.counters = limits_of_counters(matches);
        self.is_on_command_line = given_limits(matches).next().is_some();
        Ok(())
    }
}

/// Returns the names of the options with limits on the command line.
fn given_limits(matches: &ArgMatches) -> impl Iterator<Item = String> {
    let of_tools = TOOLS.iter().map(|tool| argument_name(tool, "limits"));
    let all = of_tools.chain([COUNTER_LIMITS, REGRESSION].map(ToOwned::to_owned));
    all.filter(|name| matches.value_source(name) == Some(ValueSource::CommandLine))
}

/// Returns the limits of a tool. Those in the older spelling come first, so that the others win.
fn tool_limits(matches: &ArgMatches, tool: &Tool) -> MetricLimits {
    let older = (tool.kind == ValgrindTool::Callgrind).then_some(REGRESSION.to_owned());
    let names = older.into_iter().chain([argument_name(tool, "limits")]);
    let limits = names.filter_map(|name| matches.get_one::<MetricLimits>(&name).cloned());
    limits.flatten().collect()
}

/// Returns the limits of counters.
fn limits_of_counters(matches: &ArgMatches) -> MetricLimits {
    matches.get_one::<MetricLimits>(COUNTER_LIMITS).cloned().unwrap_or_default()
}

/// Returns the name of a tool's option: `callgrind-args`.
fn argument_name(tool: &Tool, option: &str) -> String {
    format!("{}-{option}", tool.name)
}

/// Makes an option with a value and an environment variable.
fn option(name: String, value: &'static str, help: String) -> Arg {
    let variable = format!("IAI_CALLGRIND_{}", name.to_uppercase().replace('-', "_"));
    let is_limit = name.ends_with("limits") || name.starts_with(REGRESSION);
    // In the short help, the options of the default tool are enough
    let mut others = TOOLS.iter().filter(|tool| tool.kind != ValgrindTool::Callgrind);
    let is_of_other = others.any(|tool| name.starts_with(&format!("{}-", tool.name)));
    let option = Arg::new(name.clone()).long(name).value_name(value).env(variable).help(help);
    let option = option.hide_short_help(is_of_other);
    if is_limit { option.help_heading(LIMITS) } else { option }
}

fn default_tool() -> Arg {
    let help = "Run the benchmarks under this tool instead of callgrind";
    option(DEFAULT_TOOL.to_owned(), "TOOL", help.to_owned())
        .long_help(format!(
            "{help}: {}\n\nIts results come first, and the output of the benchmarks is that of its run.",
            tool_names()
        ))
        .value_parser(parse_tool)
}

fn other_tools() -> Arg {
    let help = "Run the benchmarks under these tools too: dhat,memcheck";
    option(OTHER_TOOLS.to_owned(), "TOOLS", help.to_owned())
        .long_help(format!("{help}\n\nThere are {}.", tool_names()))
        .value_delimiter(',')
        .value_parser(parse_tool)
}

fn arguments(tool: &Tool) -> Arg {
    let Tool { name, .. } = tool;
    option(argument_name(tool, "args"), "ARGUMENTS", format!("Pass these arguments on to {name}"))
        .long_help(format!(
            "Pass these arguments on to {name}, split as a shell splits words: {}, for example",
            tool.example
        ))
        .allow_hyphen_values(true)
        .value_parser(Arguments::parse)
}

/// Returns examples of metrics and limits: with the tool's first metric and a group, if there is one.
fn examples(tool: &Tool) -> [String; 2] {
    let first = tool.metrics.all[0].name().to_lowercase();
    let group = tool.metrics.groups.get(1).or(tool.metrics.groups.first());
    let group = group.map_or("default", |group| group.names[0]);
    [format!("{first},@{group}"), format!("{first}=5%|10000,@all=10%")]
}

fn metrics(tool: &'static Tool) -> Arg {
    let help = format!("Show these metrics, in this order: {}", examples(tool)[0]);
    option(argument_name(tool, "metrics"), "METRICS", help.clone())
        .long_help(format!(
            "{help}\n\nThere are {}, and groups of them: {}. Metrics that were not counted are left out: some \
             need an option of {}. With none only the titles are shown.",
            metric_names(tool.metrics),
            group_names(tool.metrics),
            tool.name
        ))
        .value_parser(|text: &str| parse_metrics(text, tool.metrics))
}

fn limits(tool: &'static Tool) -> Arg {
    limits_of_results(tool, &format!(" --{}-metrics takes the same names.", tool.name))
}

/// Makes the option for limits with more help at the end.
fn limits_of_results(tool: &'static Tool, more: &str) -> Arg {
    let [_, example] = examples(tool);
    let help = format!("Fail the run when a benchmark breaks one of these limits: {example}");
    option(argument_name(tool, "limits"), "LIMITS", help.clone())
        .long_help(format!(
            "{help}\n\nA number with % limits the increase over the old value, a negative one the decrease. A \
             bare number limits the value itself. Of two limits for the same metric the last one wins. The exit code is 3.{more}"
        ))
        .value_parser(|text: &str| parse_limits(text, tool.metrics))
}

fn counter_limits() -> Arg {
    let help = "Fail the run when a counter of a benchmark breaks one of these limits: nodes visited=5%|10000";
    option(COUNTER_LIMITS.to_owned(), "LIMITS", help.to_owned())
        .long_help(format!(
            "{help}\n\nA counter is a value that the benchmark reports by name. A number with % \
             limits the increase over the old value, a negative one the decrease, for counters of which more is better. \
             A bare number limits the value itself."
        ))
        .value_parser(parse_counter_limits)
}

fn regression() -> Arg {
    let help = "Fail the run when a metric of callgrind exceeds its old value by more than these \
                percentages: ir=5,dr=10";
    option(REGRESSION.to_owned(), "LIMITS", help.to_owned())
        .long_help(format!(
            "{help}\n\nThe older spelling of soft limits. For the same metric --callgrind-limits wins."
        ))
        .value_parser(|text: &str| parse_regression(text, CALLGRIND.metrics))
}

fn fail_fast() -> Arg {
    let help = "End the run at the first benchmark that breaks a limit";
    option(FAIL_FAST.to_owned(), YES_OR_NO, help.to_owned())
}

fn cold_caches() -> Arg {
    let help =
        "Run the setup of functions without callgrind's simulation, which is several times as fast";
    option(COLD_CACHES.to_owned(), YES_OR_NO, help.to_owned()).long_help(format!(
        "{help}\n\nThe simulated caches are empty when the function starts. The instructions are the same, but the first \
         access to each line goes to RAM."
    ))
}

fn flamegraph() -> Arg {
    let help = "Make flamegraphs of callgrind's profiles, next to these";
    option(FLAMEGRAPH.to_owned(), "all|regular|differential|none", help.to_owned())
        .long_help(format!(
            "{help}\n\nA regular one shows the new profile, a differential one also colours what changed. \
             Without a value, both are made. The default is the configuration of the benchmark file."
        ))
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("all")
        .value_parser(parse_flamegraph_kind)
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{Dr, Ir};
    use iai_callgrind_plan::{FlamegraphKind, Limit, ToolConfig, ValgrindTool};

    use crate::bench;

    fn callgrind(arguments: &[&str]) -> ToolConfig {
        bench(arguments).unwrap().tools.config.tool_mut(ValgrindTool::Callgrind).clone()
    }

    #[test]
    fn limits_come_after_those_in_the_older_spelling() {
        let soft = |percentage: f64| Limit::Soft { change: percentage.into() };
        assert_eq!(callgrind(&[]).limits, []);
        assert_eq!(callgrind(&["--regression=ir=5"]).limits, [(Ir, soft(5.0))]);
        let both = callgrind(&["--callgrind-limits=ir=7%|9", "--regression=ir=5, dr=1%"]).limits;
        let hard = Limit::Count { value: 9 };
        assert_eq!(both, [(Ir, soft(5.0)), (Dr, soft(1.0)), (Ir, soft(7.0)), (Ir, hard)]);
    }

    #[test]
    fn no_metric_differs_from_the_default() {
        assert_eq!(callgrind(&[]).metrics, None);
        assert_eq!(callgrind(&["--callgrind-metrics=none"]).metrics, Some(vec![]));
    }

    #[test]
    fn flamegraphs_have_a_kind() {
        let kind =
            |arguments: &[&str]| callgrind(arguments).flamegraph.and_then(|graph| graph.kind);
        assert_eq!(kind(&[]), None);
        assert_eq!(kind(&["--flamegraph", "filter"]), Some(FlamegraphKind::All));
        assert_eq!(kind(&["--flamegraph=none"]), Some(FlamegraphKind::None));
        assert!(bench(&["--flamegraph=x"]).is_err());
    }

    #[test]
    fn tools_have_names() {
        let tools = bench(&["--default-tool=DHAT", "--tools=memcheck, exp-bbv"]).unwrap().tools;
        assert_eq!(tools.config.default_tool, Some(ValgrindTool::DHAT));
        let enabled = tools.config.tools.iter().filter(|tool| tool.enable == Some(true));
        let enabled: Vec<_> = enabled.map(|tool| tool.tool).collect();
        assert_eq!(enabled, [ValgrindTool::Memcheck, ValgrindTool::BBV]);
        let error = bench(&["--tools=memchek"]).unwrap_err().to_string();
        assert!(
            error.contains("unknown tool `memchek`\nhelp: did you mean `memcheck`? (all: callgrind, cachegrind, dhat"),
            "{error}"
        );
    }

    #[test]
    fn caches_are_cold_on_request() {
        let cold = |arguments: &[&str]| callgrind(arguments).cold_caches;
        assert_eq!([cold(&[]), cold(&["--cold-caches"])], [None, Some(true)]);
        assert_eq!(cold(&["--cold-caches=no"]), Some(false));
    }

    #[test]
    fn arguments_are_split() {
        assert_eq!(callgrind(&["--callgrind-args=--a=1 '--b=2 3'"]).args, ["--a=1", "--b=2 3"]);
    }
}
