//! What a benchmark runs with: what its levels configure and the command line says, resolved.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

use iai_callgrind_plan::metric::{EventKind, Selection};
use iai_callgrind_plan::{self as plan, Config, EntryPoint, ExitWith, Fixture, ValgrindTool};

use crate::compare::Limits;
use crate::flamegraph::Flamegraphs;
use crate::tool::{LaunchOptions, TOOLS, Tool};
use crate::valgrind::{Environment, partition};

/// How many characters of a benchmark's arguments a title shows by default.
pub(crate) const LONGEST_DESCRIPTION: usize = 40;

/// What a benchmark runs with.
#[derive(Debug)]
pub(crate) struct Options {
    /// The environment that it gets.
    pub(crate) environment: Environment,
    /// The tools that it runs under, the default tool first.
    pub(crate) tools: Vec<ToolOptions>,
    /// How many characters of its arguments the title shows.
    pub(crate) longest_description: usize,
    /// Whether processes and threads are shown one by one.
    pub(crate) show_intermediate: bool,
    /// A difference up to this percentage is shown as tolerated.
    pub(crate) tolerance: f64,
    /// Where it runs, if it is a command.
    pub(crate) place: PlaceOptions,
    /// How it is expected to end, if it is a command.
    pub(crate) exit_with: ExitWith,
    /// Whether its set-up goes on while it runs, if it is a command.
    pub(crate) setup_parallel: bool,
}

/// Where commands and what runs around them run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceOptions {
    /// Whether that is a sandbox.
    pub(crate) sandbox: bool,
    /// What is copied into it.
    pub(crate) fixtures: Vec<Fixture>,
    /// Where in it, or in the package, the command runs.
    pub(crate) current_dir: PathBuf,
}

impl PlaceOptions {
    /// Resolves a configuration.
    pub(crate) fn resolve(config: &Config) -> Self {
        let mut fixtures: Vec<Fixture> = Vec::new();
        for fixture in &config.fixtures {
            if !fixtures.contains(fixture) {
                fixtures.push(fixture.clone());
            }
        }
        Self {
            sandbox: config.sandbox.unwrap_or(true),
            fixtures,
            current_dir: plan::decode(config.current_dir.as_deref().unwrap_or_default()).into(),
        }
    }
}

/// A tool that a benchmark runs under.
#[derive(Debug)]
pub(crate) struct ToolOptions {
    /// Its row in the table.
    pub(crate) tool: &'static Tool,
    /// What is different from other launches of the tool.
    pub(crate) launch: LaunchOptions,
    /// The metrics that are shown, in this order.
    pub(crate) metrics: Vec<EventKind>,
    /// What the results are held against.
    pub(crate) limits: Limits,
    /// Whether the first broken limit ends the run.
    pub(crate) fail_fast: bool,
    /// The flamegraphs that are made of the results.
    pub(crate) flamegraphs: Option<Flamegraphs>,
}

impl Options {
    /// Resolves a configuration. Arguments that are the runner's business go to `ignored`.
    pub(crate) fn resolve(
        config: &Config,
        is_command: bool,
        ignored: &mut BTreeSet<String>,
    ) -> Result<Self, String> {
        let tools = tools(config)
            .iter()
            .map(|options| ToolOptions::resolve(options, config, is_command, ignored))
            .collect::<Result<_, _>>()?;
        let format = &config.output_format;
        Ok(Self {
            environment: Environment::resolve(config),
            tools,
            longest_description: format.truncate_description.unwrap_or(LONGEST_DESCRIPTION),
            show_intermediate: format.show_intermediate.unwrap_or(false),
            tolerance: format.tolerance.as_deref().map_or(Ok(0.0), percentage)?,
            place: PlaceOptions::resolve(config),
            exit_with: config.exit_with.unwrap_or_default(),
            setup_parallel: config.setup_parallel.unwrap_or(false),
        })
    }
}

/// The default tool, and those that are asked for besides, in the order of the table.
fn tools(config: &Config) -> Vec<plan::Tool> {
    let default = config.default_tool.unwrap_or(ValgrindTool::Callgrind);
    let configured = |kind| config.tools.iter().find(|tool| tool.tool == kind).cloned();
    let first = configured(default).unwrap_or_else(|| plan::Tool::new(default));
    let others = TOOLS.iter().filter(|tool| tool.kind != default);
    let others = others.filter_map(|tool| configured(tool.kind));
    let enabled = others.filter(|tool| tool.enable == Some(true));
    [first].into_iter().chain(enabled).collect()
}

/// The tool's row in the table.
fn row(kind: ValgrindTool) -> &'static Tool {
    let found = TOOLS.iter().find(|tool| tool.kind == kind);
    found.unwrap_or_else(|| unreachable!("each tool has a row"))
}

impl ToolOptions {
    fn resolve(
        options: &plan::Tool,
        config: &Config,
        is_command: bool,
        ignored: &mut BTreeSet<String>,
    ) -> Result<Self, String> {
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
            let message =
                "`cold_caches` is for functions: a process starts with cold caches anyway";
            return Err(message.to_owned());
        }
        let flamegraph = options.flamegraph.as_ref();
        let separate_threads = config.output_format.show_intermediate.unwrap_or(false);
        Ok(Self {
            tool,
            launch: LaunchOptions {
                arguments,
                entry_point,
                frames: options.frames.clone(),
                cold_caches,
                separate_threads,
            },
            metrics: match &options.metrics {
                Some(text) => Selection::parse(text, tool.metrics)?.kinds,
                None => tool.metrics.default(),
            },
            limits: match &options.limits {
                Some(text) => Limits::parse(text, tool.metrics)?,
                None => Limits::default(),
            },
            fail_fast: options.fail_fast.unwrap_or(false),
            flamegraphs: flamegraph.map_or(Ok(None), Flamegraphs::resolve)?,
        })
    }
}

impl ToolOptions {
    /// The metrics that somebody asks for: those that are shown, and those that have a limit.
    pub(crate) fn wanted(&self) -> Vec<EventKind> {
        self.metrics.iter().copied().chain(self.limits.kinds()).collect()
    }
}

/// A percentage that can't be negative.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a percentage: write a number like `0.5`"))
}

impl Environment {
    fn resolve(config: &Config) -> Self {
        let value = |variable: &plan::Variable| {
            let value = variable.value.as_deref().map(plan::decode);
            Some((variable.name.clone(), value.or_else(|| env::var_os(&variable.name))?))
        };
        Self {
            clear: config.env_clear.unwrap_or(true),
            variables: config.envs.iter().filter_map(value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(options.environment, Environment { clear: true, variables: Default::default() });
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
    fn mistakes_in_text_are_told() {
        let mut config = Config::default();
        config.tool_mut(ValgrindTool::Callgrind).limits = Some("Ir=NaN%".to_owned());
        let error = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap_err();
        assert!(error.contains("`NaN%` is not a percentage"), "{error}");
    }
}
