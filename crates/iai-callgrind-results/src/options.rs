//! The options of a benchmark: the levels of its configuration and the command line, resolved.

pub(crate) mod error;

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

use iai_callgrind_compare::{Limits, Noise};
use iai_callgrind_flamegraph::Flamegraphs;
use iai_callgrind_plan::metric::{MetricKind, unique};
use iai_callgrind_plan::{
    self as plan, Config, CounterName, EntryPoint, ExitWith, Fixture, Limit, Percentage,
    ProcessName, Throughput, ToolConfig, ValgrindTool,
};
use iai_callgrind_tools::tool::{LaunchOptions, TOOLS, Tool};
use iai_callgrind_tools::valgrind::{Environment, partition};

use self::error::ConfigurationError;

type Result<T, E = ConfigurationError> = std::result::Result<T, E>;

/// The tool that benchmarks run under if no level names another one.
const DEFAULT_TOOL: ValgrindTool = ValgrindTool::Callgrind;

/// Metrics that need a trace of all allocations.
const PEAKS: [MetricKind; 2] = [MetricKind::RegionPeakBytes, MetricKind::RegionPeakBlocks];

/// Default number of characters of a benchmark's arguments in its title.
pub const LONGEST_DESCRIPTION: usize = 40;

/// The options of a benchmark.
#[derive(Debug, Clone)]
pub struct Options {
    /// Environment of the benchmark.
    pub environment: Environment,
    /// Tools to run it under, the default tool first.
    pub tools: Vec<ToolOptions>,
    /// Number of characters of its arguments in the title.
    pub longest_description: usize,
    /// Show processes and threads one by one.
    pub show_intermediate: bool,
    /// Names of processes, if each is a result of its own.
    pub processes: Option<Vec<ProcessName>>,
    /// Start the lines below a title with a bar.
    pub show_grid: bool,
    /// Largest difference in percent that is shown as tolerated.
    pub tolerance: f64,
    /// Largest increase of the time in percent.
    pub time_limit: Option<Percentage>,
    /// Names of the options of gungraun's perf that have no counterpart, if perf would run.
    pub perf: Option<Vec<String>>,
    /// Place of the benchmark.
    pub place: PlaceOptions,
    /// Expected exit of a command.
    pub exit_with: ExitWith,
    /// Continue the setup while a command runs.
    pub setup_parallel: bool,
    /// Amount of data that the benchmark processes.
    pub throughput: Option<Throughput>,
}

/// The working directory of a benchmark and its hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOptions {
    /// Run in a sandbox, not in the package.
    pub sandbox: bool,
    /// Files and directories to copy into the sandbox.
    pub fixtures: Vec<Fixture>,
    /// Working directory of the benchmark, in the sandbox or in the package.
    pub current_dir: PathBuf,
}

impl PlaceOptions {
    /// Resolves a configuration. By default commands run in a sandbox, and functions do not.
    pub fn resolve(config: &Config, is_command: bool) -> Self {
        let mut fixtures: Vec<Fixture> = Vec::new();
        for fixture in &config.fixtures {
            if !fixtures.contains(fixture) {
                fixtures.push(fixture.clone());
            }
        }
        Self {
            sandbox: config.sandbox.unwrap_or(is_command),
            fixtures,
            current_dir: plan::decode(config.current_dir.as_deref().unwrap_or_default()).into(),
        }
    }

    /// Returns `true` if the benchmark does not run in the directory of the package.
    pub fn is_needed(&self) -> bool {
        self.sandbox || !self.current_dir.as_os_str().is_empty()
    }
}

/// A tool that a benchmark runs under.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    /// Row in the table of tools.
    pub tool: &'static Tool,
    /// Options that require a launch of their own.
    pub launch: LaunchOptions,
    /// Metrics to show, in this order.
    pub metrics: Vec<MetricKind>,
    /// Limits of the results.
    pub limits: Limits,
    /// Noise of the results, if limits are learned.
    pub noise: Option<Noise>,
    /// End the run at the first broken limit.
    pub fail_fast: bool,
    /// Flamegraphs of the results.
    pub flamegraphs: Option<Flamegraphs>,
}

impl Options {
    /// Resolves a configuration. Arguments that only the runner may set are added to `ignored`.
    pub fn resolve(
        config: &Config,
        is_command: bool,
        ignored: &mut BTreeSet<String>,
    ) -> Result<Self> {
        let tools = tools(config);
        if tools.is_empty() {
            return Err(ConfigurationError::NoTool);
        }
        let tools = tools
            .iter()
            .map(|options| ToolOptions::resolve(options, config, is_command, ignored))
            .collect::<Result<Vec<_>>>()?;
        let counters = counter_limits(config)?;
        check_growth_limits(config, &tools)?;
        let format = &config.output_format;
        let perf = config.perf.as_ref().filter(|perf| perf.enable != Some(false));
        let time_limit = config.time_limit.or(perf.and_then(|perf| perf.time_limit));
        let options = Self {
            environment: environment(config),
            tools,
            longest_description: format.truncate_description.unwrap_or(LONGEST_DESCRIPTION),
            show_intermediate: format.show_intermediate.unwrap_or(false),
            processes: format
                .separate_processes
                .unwrap_or(false)
                .then(|| config.process_names.clone()),
            show_grid: format.show_grid.unwrap_or(false),
            tolerance: format.tolerance.map_or(Ok(0.0), resolve_tolerance)?,
            time_limit: time_limit.map(resolve_time_limit).transpose()?,
            perf: perf.map(|perf| perf.without_counterpart.clone()),
            place: PlaceOptions::resolve(config, is_command),
            exit_with: config.exit_with.clone().unwrap_or_default(),
            setup_parallel: config.setup_parallel.unwrap_or(false),
            throughput: config.throughput,
        };
        options.with_counter_limits(&counters)
    }

    /// Adds limits of counters to the first tool, whose results have the counters.
    pub fn with_counter_limits(mut self, limits: &[(MetricKind, Limit)]) -> Result<Self> {
        if let Some(first) = self.tools.first_mut() {
            first.limits.extend(Limits::resolve(limits)?);
        }
        Ok(self)
    }
}

/// Returns the limits of counters in a configuration.
fn counter_limits(config: &Config) -> Result<Vec<(MetricKind, Limit)>> {
    let limit = |(name, limit): &(String, Limit)| match CounterName::new(name) {
        Ok(name) => Ok((MetricKind::Counter(name), *limit)),
        Err(reason) => Err(ConfigurationError::CounterLimit { name: name.clone(), reason }),
    };
    config.counter_limits.iter().map(limit).collect()
}

/// Overrides a configuration with the options of the command line. The default tool of the command
/// line replaces that of the configuration, which then runs only if it is enabled explicitly.
pub fn with_command_line(config: &Config, command_line: Config) -> Config {
    let mut config = config.clone();
    let replaced = config.default_tool.unwrap_or(DEFAULT_TOOL);
    if command_line.default_tool.is_some_and(|tool| tool != replaced) {
        config.tool_mut(replaced).enable = Some(false);
    }
    config.update(command_line);
    config
}

/// Returns the default tool, unless it is disabled, then the other enabled tools in the order of the table.
fn tools(config: &Config) -> Vec<ToolConfig> {
    let default = config.default_tool.unwrap_or(DEFAULT_TOOL);
    let configured = |kind| config.tools.iter().find(|tool| tool.tool == kind).cloned();
    let first = configured(default).unwrap_or_else(|| ToolConfig::new(default));
    let others = TOOLS.iter().filter(|tool| tool.kind != default);
    let others = others.filter_map(|tool| configured(tool.kind));
    let enabled = others.filter(|tool| tool.enable == Some(true));
    let first = Some(first).filter(|tool| tool.enable != Some(false));
    first.into_iter().chain(enabled).collect()
}

/// Returns the tool's row in the table.
fn row(kind: ValgrindTool) -> &'static Tool {
    let found = TOOLS.iter().find(|tool| tool.kind == kind);
    found.unwrap_or_else(|| unreachable!("each tool has a row"))
}

impl ToolOptions {
    fn resolve(
        options: &ToolConfig,
        config: &Config,
        is_command: bool,
        ignored: &mut BTreeSet<String>,
    ) -> Result<Self> {
        let tool = row(options.tool);
        let entry_point = match options.entry_point.clone().unwrap_or_default() {
            EntryPoint::Default if is_command => EntryPoint::None,
            other => other,
        };
        let arguments = config.valgrind_args.iter().chain(&options.args).cloned();
        let (arguments, not_allowed) = partition(arguments, &entry_point);
        ignored.extend(not_allowed);
        let cold_caches = options.cold_caches.unwrap_or(false);
        if cold_caches && is_command {
            return Err(ConfigurationError::ColdCommand);
        }
        let metrics = options.metrics.as_deref().map_or_else(|| tool.metrics.default(), unique);
        check_metrics(tool, metrics.iter().chain(options.limits.iter().map(|(kind, _)| kind)))?;
        let limits = Limits::resolve(&options.limits)?
            .with_growth(of_tool(tool, &config.complexity), of_tool(tool, &config.per_element))?;
        let flamegraph = options.flamegraph.as_ref();
        let separate_threads = config.output_format.show_intermediate.unwrap_or(false);
        let needs_trace = |kind: MetricKind| PEAKS.contains(&kind);
        let traces_heap = metrics.iter().copied().chain(limits.kinds()).any(needs_trace);
        Ok(Self {
            tool,
            launch: LaunchOptions {
                arguments,
                entry_point,
                frames: options.frames.clone(),
                sanitize_output: options.sanitize_output.unwrap_or_default(),
                cold_caches,
                separate_threads,
                traces_heap,
            },
            metrics,
            limits,
            noise: None,
            fail_fast: options.fail_fast.unwrap_or(false),
            flamegraphs: flamegraph.map_or(Ok(None), Flamegraphs::resolve)?,
        })
    }
}

impl ToolOptions {
    /// Adds limits of the shown metrics from the noise of the benchmark. The user's limits win.
    pub fn learn(&mut self, noise: Noise) {
        let known = self.noise.get_or_insert_default();
        known.merge(noise);
        self.limits.learn(known, &self.metrics);
    }

    /// Returns the metrics that are shown or that the user limits.
    pub fn wanted(&self) -> Vec<MetricKind> {
        self.metrics.iter().copied().chain(self.limits.kinds()).collect()
    }
}

/// Returns the limits of metrics that the tool has.
fn of_tool<'a, T: Copy>(
    tool: &Tool,
    limits: &'a [(MetricKind, T)],
) -> impl Iterator<Item = (MetricKind, T)> + use<'a, T> {
    let metrics = tool.metrics;
    limits.iter().copied().filter(move |(kind, _)| metrics.all.contains(kind))
}

/// Fails if no tool has one of the metrics with a growth limit.
fn check_growth_limits(config: &Config, tools: &[ToolOptions]) -> Result<()> {
    let complexity = config.complexity.iter().map(|(kind, _)| kind);
    let mut kinds = complexity.chain(config.per_element.iter().map(|(kind, _)| kind));
    let is_missing =
        |kind: &&MetricKind| !tools.iter().any(|tool| tool.tool.metrics.all.contains(kind));
    match kinds.find(is_missing) {
        Some(&kind) => Err(ConfigurationError::GrowthLimit { kind }),
        None => Ok(()),
    }
}

/// Fails if the tool lacks one of these metrics: the enum of helgrind's metrics also contains
/// leaks.
fn check_metrics<'a>(tool: &Tool, mut kinds: impl Iterator<Item = &'a MetricKind>) -> Result<()> {
    match kinds.find(|kind| !tool.metrics.all.contains(kind)) {
        Some(&kind) => Err(ConfigurationError::NoMetric { tool: tool.name, kind }),
        None => Ok(()),
    }
}

/// Fails for a tolerance that is negative or not finite.
fn resolve_tolerance(tolerance: Percentage) -> Result<f64> {
    valid(tolerance).ok_or(ConfigurationError::Tolerance { tolerance })
}

/// Returns the limit. Fails for one that is negative or not finite.
fn resolve_time_limit(limit: Percentage) -> Result<Percentage> {
    valid(limit).map(Percentage::new).ok_or(ConfigurationError::TimeLimit { limit })
}

/// Returns the percentage if it is finite and not negative.
fn valid(percentage: Percentage) -> Option<f64> {
    Some(percentage.get()).filter(|number| number.is_finite() && *number >= 0.0)
}

/// Returns the environment of a benchmark. Variables that the runner does not have are left out.
fn environment(config: &Config) -> Environment {
    let value = |variable: &plan::Variable| {
        let value = variable.value.as_deref().map(plan::decode);
        Some((variable.name.clone(), value.or_else(|| env::var_os(&variable.name))?))
    };
    Environment {
        clear: config.env_clear.unwrap_or(true),
        variables: config.envs.iter().filter_map(value).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use iai_callgrind_plan::Variable;

    use super::*;

    fn resolve(config: &Config) -> Options {
        Options::resolve(config, false, &mut BTreeSet::new()).unwrap()
    }

    #[test]
    fn by_default_there_is_callgrind_and_an_empty_environment() {
        let options = resolve(&Config::default());
        assert_eq!(options.tools.len(), 1);
        assert_eq!(options.tools[0].tool.name, "callgrind");
        assert_eq!(options.environment, Environment { clear: true, variables: BTreeMap::new() });
    }

    #[test]
    fn the_last_variable_of_a_name_wins_and_missing_ones_do_not_pass() {
        let variable = |name: &str, value: Option<&str>| Variable {
            name: name.to_owned(),
            value: value.map(ToOwned::to_owned),
        };
        let envs = vec![
            variable("A", Some("1")),
            variable("IAI_NOT_SET", None),
            variable("PATH", None),
            variable("A", Some("2")),
        ];
        let options = resolve(&Config { envs, ..Config::default() });
        let variables = options.environment.variables;
        assert_eq!(variables.keys().collect::<Vec<_>>(), ["A", "PATH"]);
        assert_eq!(variables["A"], "2");
    }

    #[test]
    fn a_tolerance_is_finite_and_not_negative() {
        for tolerance in [f64::NAN, f64::INFINITY, -1.0] {
            let mut config = Config::default();
            config.output_format.tolerance = Some(tolerance.into());
            let error = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap_err();
            let expected =
                format!("`{tolerance}%` is not a tolerance\nhelp: use a percentage such as `0.5`");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn limits_of_perf_hold_only_if_it_is_enabled_and_no_other_is_set() {
        let mut config = Config::default();
        assert_eq!(resolve(&config).perf, None);
        config.perf = Some(plan::PerfConfig {
            enable: None,
            time_limit: Some(Percentage::new(5.0)),
            without_counterpart: vec!["alpha".to_owned()],
        });
        let options = resolve(&config);
        assert_eq!(
            (options.perf, options.time_limit),
            (Some(vec!["alpha".to_owned()]), Some(Percentage::new(5.0)))
        );
        config.perf.as_mut().unwrap().enable = Some(false);
        let options = resolve(&config);
        assert_eq!((options.perf, options.time_limit), (None, None));
        config.perf.as_mut().unwrap().enable = Some(true);
        config.time_limit = Some(Percentage::new(2.0));
        assert_eq!(resolve(&config).time_limit, Some(Percentage::new(2.0)));
    }

    #[test]
    fn a_disabled_default_tool_needs_another_one() {
        let mut config = Config::default();
        config.tool_mut(ValgrindTool::Callgrind).enable = Some(false);
        let error = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("all tools are disabled\nhelp: enable one"), "{error}");
        config.tool_mut(ValgrindTool::DHAT).enable = Some(true);
        let tools: Vec<_> = resolve(&config).tools.iter().map(|tool| tool.tool.name).collect();
        assert_eq!(tools, ["dhat"]);
    }

    #[test]
    fn the_default_tool_of_the_command_line_replaces_that_of_the_file() {
        let mut file = Config::default();
        file.tool_mut(ValgrindTool::Callgrind).enable = Some(true);
        file.tool_mut(ValgrindTool::DHAT).enable = Some(true);
        let names = |file: &Config, default_tool, enabled: &[ValgrindTool]| {
            let mut command_line = Config { default_tool, ..Config::default() };
            for tool in enabled {
                command_line.tool_mut(*tool).enable = Some(true);
            }
            let options = resolve(&with_command_line(file, command_line));
            options.tools.iter().map(|tool| tool.tool.name).collect::<Vec<_>>().join(" ")
        };
        let massif = Some(ValgrindTool::Massif);
        assert_eq!(names(&file, None, &[]), "callgrind dhat");
        assert_eq!(names(&file, Some(ValgrindTool::Callgrind), &[]), "callgrind dhat");
        assert_eq!(names(&file, massif, &[]), "massif dhat");
        assert_eq!(names(&file, massif, &[ValgrindTool::Callgrind]), "massif callgrind dhat");
        file.default_tool = Some(ValgrindTool::DHAT);
        assert_eq!(names(&file, massif, &[]), "massif callgrind");
    }

    #[test]
    fn each_metric_is_shown_once() {
        let mut config = Config::default();
        config.tool_mut(ValgrindTool::Callgrind).metrics =
            Some([MetricKind::Dr, MetricKind::Ir, MetricKind::Dr].into());
        assert_eq!(resolve(&config).tools[0].metrics, [MetricKind::Dr, MetricKind::Ir]);
    }

    #[test]
    fn counters_have_limits_under_the_first_tool() {
        let limit = |name: &str| (name.to_owned(), Limit::Soft { change: 1.0.into() });
        let mut config =
            Config { counter_limits: vec![limit("nodes visited")], ..Config::default() };
        config.tool_mut(ValgrindTool::DHAT).enable = Some(true);
        let options = resolve(&config);
        let kinds = |tool: usize| options.tools[tool].limits.kinds().collect::<Vec<_>>();
        let name = CounterName::new("nodes visited").unwrap();
        assert_eq!((kinds(0), kinds(1)), (vec![MetricKind::Counter(name)], vec![]));
        config.counter_limits.push(limit("a:b"));
        let error = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap_err();
        let expected =
            "the limit of the counter `a:b`: the name contains `:`\nhelp: use 1 to 60 characters";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn metrics_belong_to_the_tool() {
        let default_tool = Some(ValgrindTool::Helgrind);
        let mut with_metric = Config { default_tool, ..Config::default() };
        let mut with_limit = with_metric.clone();
        let kind = MetricKind::ReachableBytes;
        with_metric.tool_mut(ValgrindTool::Helgrind).metrics = Some(vec![kind]);
        let limit = (kind, Limit::Count { value: 1 });
        with_limit.tool_mut(ValgrindTool::Helgrind).limits = vec![limit];
        for config in [with_metric, with_limit] {
            let error = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap_err();
            assert_eq!(error.to_string(), "helgrind does not have the metric `ReachableBytes`");
        }
    }
}
