//! The benchmarks of a plan with their resolved configuration.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use iai_callgrind_plan::protocol::Start;
use iai_callgrind_plan::{
    self as plan, Amounts, Compare, Config, Function, Group, HookKind, MeasuredHook, Plan,
    Throughput, ValgrindTool,
};
use iai_callgrind_store::{Files, Slot};
use iai_callgrind_tools::tool::MeasuredFunction;

use crate::error::{Error, Result};
use crate::note::Note;
use crate::options::{Options, with_command_line};
use crate::run::error::RunError;
use crate::settings::Settings;
use crate::similar::did_you_mean;

/// The subject of a benchmark.
#[derive(Debug)]
pub(crate) enum Subject {
    /// A function of the benchmark executable.
    Library {
        /// The function as callgrind knows it.
        function: MeasuredFunction,
        /// The case as the fork server knows it, see [`plan::Subject::Library`].
        entry: u64,
        item: u64,
    },
    /// A command.
    Binary(BinaryCase),
}

/// A command with its hooks.
#[derive(Debug)]
pub(crate) struct BinaryCase {
    /// The command.
    pub(crate) command: plan::Command,
    /// See [`plan::Subject::Binary`].
    pub(crate) index: u64,
    /// The hooks around it.
    pub(crate) hooks: plan::Hooks,
}

/// The place of a benchmark on a growth curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CurvePlace {
    /// The size of the input.
    pub(crate) size: i64,
    /// The name of the curve in its group, see [`plan::Case::curve`].
    pub(crate) curve: String,
    /// The user declared the size as such. Otherwise it is that of the throughput, or of a parameter.
    pub(crate) is_declared: bool,
    /// The number of the curve's benchmarks, with those that are not selected.
    pub(crate) points: usize,
}

impl CurvePlace {
    /// Returns the name of the curve: `file::group::function id`.
    pub(crate) fn title(&self, benchmark: &Benchmark) -> String {
        let curve = Some(&*self.curve).filter(|curve| !curve.is_empty());
        plan::path(&benchmark.file, &benchmark.group_name, curve)
    }

    /// Returns the part of the name that it has in common with the curves of other functions.
    pub(crate) fn series(&self, benchmark: &Benchmark) -> &str {
        self.curve.strip_prefix(benchmark.function()).unwrap_or(&self.curve)
    }
}

/// One benchmark: a case of a function in a group.
#[derive(Debug)]
pub(crate) struct Benchmark {
    /// The name of the benchmark file.
    pub(crate) file: String,
    /// The name of its group.
    pub(crate) group_name: String,
    /// The name of the function, if it has one.
    pub(crate) function: Option<String>,
    /// The id of the case, if it has one.
    pub(crate) id: Option<String>,
    /// See [`plan::Case::external_id`].
    pub(crate) external_id: Option<String>,
    /// The place on a growth curve, if the size of the input is known.
    pub(crate) curve: Option<CurvePlace>,
    /// The arguments as in the source, or the command.
    pub(crate) arguments: String,
    /// The function or command that is measured.
    pub(crate) subject: Subject,
    /// The hook of the group that it measures.
    pub(crate) hook: Option<HookKind>,
    /// The number of its group.
    pub(crate) group: usize,
    /// The benchmarks of its group that it is compared with.
    pub(crate) compare: Compare,
    /// Number of benchmarks of its group that may run in parallel, if there is a limit.
    pub(crate) max_parallel: Option<usize>,
    /// The files of its results.
    pub(crate) files: Files,
    /// The resolved configuration.
    pub(crate) options: Arc<Options>,
}

impl Benchmark {
    /// Returns the start of its name: `file::group::function`, or `file::group` without a function.
    pub(crate) fn path(&self) -> String {
        plan::path(&self.file, &self.group_name, self.function.as_deref())
    }

    /// Returns the name that filters match: `file::group::function::id`.
    pub(crate) fn name(&self) -> String {
        plan::name(&self.path(), self.id.as_deref())
    }

    /// Returns the name of the function or, if there is none, of the group.
    pub(crate) fn function(&self) -> &str {
        self.function.as_ref().unwrap_or(&self.group_name)
    }

    /// Returns the title without the colon that it ends with if there are no arguments.
    pub(crate) fn title_in_text(&self) -> String {
        self.to_string().trim_end_matches(':').to_owned()
    }

    /// Returns the text that it has in common with the benchmarks of its group that it is compared with, if there are
    /// any.
    pub(crate) fn comparison_key(&self) -> Option<&str> {
        match self.compare {
            Compare::No => None,
            Compare::ById => self.id.as_deref(),
            Compare::All => Some(""),
        }
    }

    /// Returns the amounts that its results have, apart from those of each run.
    pub(crate) fn amounts(&self) -> Amounts {
        let place = self.curve.as_ref();
        Amounts {
            throughput: self.options.throughput,
            counters: Vec::new(),
            size: place.map(|place| place.size),
            curve: place.map(|place| place.curve.clone()),
        }
    }

    /// Returns the command, `None` for a function.
    pub(crate) fn command(&self) -> Option<&BinaryCase> {
        match &self.subject {
            Subject::Binary(case) => Some(case),
            Subject::Library { .. } => None,
        }
    }

    /// Returns the start of a function with this seed, `None` for a command.
    pub(crate) fn start(&self, seed: Option<u64>) -> Option<Start> {
        match self.subject {
            Subject::Library { entry, item, .. } => Some(Start { entry, item, seed }),
            Subject::Binary(_) => None,
        }
    }

    /// Returns the arguments, truncated for the title. The dots count: arguments that leave no room for them
    /// are truncated too.
    pub(crate) fn description(&self) -> String {
        const DOTS: &str = "...";
        let kept = self.options.longest_description.saturating_sub(DOTS.len());
        if self.arguments.chars().count() <= kept {
            return self.arguments.clone();
        }
        self.arguments.chars().take(kept).chain(DOTS.chars()).collect()
    }
}

/// The title above the results of a benchmark: `file::group::function id:arguments`.
impl fmt::Display for Benchmark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path())?;
        match &self.id {
            Some(id) => write!(formatter, " {id}:{}", self.description()),
            None => Ok(()),
        }
    }
}

/// Returns the error for a baseline that none of these benchmarks has, with similar ones that they have.
pub(crate) fn no_baseline(name: &str, benchmarks: &[Benchmark]) -> RunError {
    let slots = benchmarks.iter().flat_map(|benchmark| benchmark.files.slots());
    let baselines: BTreeSet<_> = slots
        .filter_map(|slot| match slot {
            // One with the same name has only counts, or only times
            Slot::Baseline(other) if other != name => Some(other),
            Slot::Baseline(_) | Slot::Latest | Slot::Old => None,
        })
        .collect();
    let similar = did_you_mean(name, baselines.iter().map(String::as_str));
    RunError::NoBaseline { name: name.to_owned(), similar }
}

/// Returns the selected benchmarks of a plan, in the order of declaration.
pub(crate) fn selected(plan: Plan, settings: &Settings) -> Result<Vec<Benchmark>> {
    let resolver = Resolver { settings, last: None, ignored: BTreeSet::new() };
    let (others, benchmarks) = (Vec::new(), Vec::new());
    let mut selector = Selector { file: plan.file, settings, resolver, benchmarks, others };
    for (number, group) in plan.groups.into_iter().enumerate() {
        let config = on_top(&plan.config, group.config.clone());
        selector.select_group(number, group, &config)?;
    }
    if selector.benchmarks.is_empty() {
        note_no_match(&selector);
    }
    for argument in selector.resolver.ignored {
        log::warn!("ignored `{argument}`: the runner needs that option itself");
    }
    Ok(selector.benchmarks)
}

/// Selects the benchmarks of a plan.
struct Selector<'a> {
    file: String,
    settings: &'a Settings,
    resolver: Resolver<'a>,
    benchmarks: Vec<Benchmark>,
    /// The names that are not selected.
    others: Vec<String>,
}

/// Prints a note if filters match nothing, with the names that are most similar to them.
fn note_no_match(selector: &Selector<'_>) {
    let filters: Vec<_> = selector.settings.filters.texts().collect();
    if filters.is_empty() || selector.others.is_empty() {
        return;
    }
    let names = || selector.others.iter().map(String::as_str);
    let similar = filters.iter().find_map(|filter| did_you_mean(filter, names()));
    let filters: Vec<_> = filters.iter().map(|filter| format!("`{filter}`")).collect();
    Note::NoMatch {
        file: &selector.file,
        benchmarks: selector.others.len(),
        filters: &filters.join(", "),
        similar,
    }
    .print();
}

impl Selector<'_> {
    fn select_group(&mut self, number: usize, group: Group, config: &Config) -> Result<()> {
        let Group { name, compare, max_parallel, functions, measured_hooks, .. } = group;
        let max_parallel = usize::try_from(max_parallel).ok().filter(|number| *number > 0);
        let first = self.benchmarks.len();
        let mut config_of_first = None;
        let mut points = HashMap::new();
        for case in functions.iter().flat_map(|function| &function.cases) {
            *points.entry(case.curve.clone()).or_insert(0) += 1;
        }
        for Function { name: function, config: of_function, cases } in functions {
            let config = on_top(config, of_function);
            let path = plan::path(&self.file, &name, function.as_deref());
            for case in cases {
                let full_name = plan::name(&path, case.id.as_deref());
                let external_id = case.external_id.as_deref();
                if !self.settings.filters.selects(&full_name, external_id) {
                    self.others.push(full_name);
                    continue;
                }
                let id = case.id.as_deref();
                let files = Files::new(&self.settings.directory, &name, function.as_deref(), id);
                let subject = subject(case.subject);
                let mut config = on_top(&config, case.config);
                let calls = self.settings.calls;
                if calls > 1 && external_id.is_some() {
                    // Without an amount of data, a call is an element
                    let amount = config.throughput.unwrap_or(Throughput::Elements(1));
                    config.throughput = Some(amount.of_calls(calls));
                }
                let is_command = matches!(subject, Subject::Binary(_));
                config_of_first.get_or_insert_with(|| config.clone());
                let options = self.resolver.resolve(config, is_command, &full_name)?;
                let is_declared = case.size.is_some() && case.external_id.is_none();
                let amount = || i64::try_from(options.throughput?.amount()).ok();
                let size = case.size.or_else(amount);
                let points = points.get(&case.curve).copied().unwrap_or(0);
                let place = |(size, curve)| CurvePlace { size, curve, is_declared, points };
                self.benchmarks.push(Benchmark {
                    file: self.file.clone(),
                    group_name: name.clone(),
                    function: function.clone(),
                    id: case.id,
                    external_id: case.external_id,
                    curve: size.zip(case.curve).map(place),
                    arguments: case.arguments,
                    subject,
                    hook: None,
                    group: number,
                    compare,
                    max_parallel,
                    files,
                    options,
                });
            }
        }
        if let Some(config_of_first) = config_of_first {
            let hook = |hook: MeasuredHook| {
                let is_of_first = matches!(hook.kind, HookKind::Setup | HookKind::Teardown);
                let config = if is_of_first { &config_of_first } else { config };
                self.measured_hook(hook, &name, number, config)
            };
            let hooks = measured_hooks.into_iter().map(hook).collect::<Result<_>>()?;
            self.insert(hooks, first);
        }
        Ok(())
    }

    /// Returns a hook of a group as a benchmark. Hooks of commands are measured with the first command of
    /// the group and have its configuration.
    fn measured_hook(
        &mut self,
        hook: MeasuredHook,
        group: &str,
        number: usize,
        config: &Config,
    ) -> Result<Benchmark> {
        let MeasuredHook { kind, name, subject } = hook;
        let path = plan::path(&self.file, group, Some(&name));
        let mut config = config.clone();
        // The entry point is that of the commands, and the place is one of theirs
        for tool in &mut config.tools {
            tool.entry_point = None;
        }
        (config.sandbox, config.current_dir) = (None, None);
        let kind_name = format!("{kind:?}").to_lowercase();
        let directory = &self.settings.directory;
        Ok(Benchmark {
            file: self.file.clone(),
            group_name: group.to_owned(),
            id: None,
            external_id: None,
            curve: None,
            arguments: String::new(),
            subject: self::subject(subject),
            hook: Some(kind),
            group: number,
            compare: Compare::No,
            max_parallel: None,
            files: Files::new(directory, group, Some(&kind_name), Some(&name)),
            options: self.resolver.resolve(config, false, &path)?,
            function: Some(name),
        })
    }

    /// Inserts measured hooks in the order of the run: before or after the first benchmark or all of them.
    fn insert(&mut self, hooks: Vec<Benchmark>, first: usize) {
        for hook in hooks.into_iter().rev() {
            let last = self.benchmarks.len();
            let at = match hook.hook {
                Some(HookKind::Teardown) => first + 1,
                Some(HookKind::After) => last,
                Some(HookKind::Before | HookKind::Setup) | None => first,
            };
            self.benchmarks.insert(at, hook);
        }
    }
}

fn subject(subject: plan::Subject) -> Subject {
    match subject {
        plan::Subject::Library { owner, function: name, entry, item } => {
            Subject::Library { function: MeasuredFunction { owner, name }, entry, item }
        }
        plan::Subject::Binary { command, index, hooks } => {
            Subject::Binary(BinaryCase { command, index, hooks })
        }
    }
}

/// Returns a configuration with that of a lower level on top of it.
pub(crate) fn on_top(upper: &Config, lower: Config) -> Config {
    let mut config = upper.clone();
    config.update(lower);
    config
}

/// Resolves configurations, and caches the last one: most benchmarks have the same as the previous one.
struct Resolver<'a> {
    settings: &'a Settings,
    last: Option<(Config, bool, Arc<Options>)>,
    ignored: BTreeSet<String>,
}

impl Resolver<'_> {
    /// Resolves a configuration for the benchmark with this name.
    fn resolve(&mut self, config: Config, is_command: bool, name: &str) -> Result<Arc<Options>> {
        if let Some((last, of_command, options)) = &self.last {
            if *last == config && *of_command == is_command {
                return Ok(Arc::clone(options));
            }
        }
        let mut command_line = self.settings.config.clone();
        if is_command {
            // A command starts with cold caches
            command_line.tool_mut(ValgrindTool::Callgrind).cold_caches = None;
        }
        let mut all = with_command_line(&config, command_line);
        let counters = &self.settings.counter_limits;
        if !counters.is_empty() {
            all.counter_limits.clear();
        }
        let options = Options::resolve(&all, is_command, &mut self.ignored)
            .and_then(|options| options.with_counter_limits(counters))
            .map_err(|cause| Error::InConfiguration { benchmark: name.to_owned(), cause })?;
        let options = Arc::new(options);
        self.last = Some((config, is_command, Arc::clone(&options)));
        Ok(options)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;

    pub(crate) fn benchmark(id: Option<&str>, arguments: &str) -> Benchmark {
        Benchmark {
            file: "file".to_owned(),
            group_name: "group".to_owned(),
            id: id.map(ToOwned::to_owned),
            external_id: None,
            curve: None,
            arguments: arguments.to_owned(),
            function: Some("function".to_owned()),
            subject: Subject::Library { function: MeasuredFunction::default(), entry: 0, item: 0 },
            hook: None,
            group: 0,
            compare: Compare::No,
            max_parallel: None,
            files: Files::new(Path::new("/out"), "group", Some("function"), id),
            options: Arc::new(
                Options::resolve(&Config::default(), false, &mut BTreeSet::new()).unwrap(),
            ),
        }
    }

    #[test]
    fn titles() {
        assert_eq!(benchmark(None, "").to_string(), "file::group::function");
        assert_eq!(benchmark(Some("short"), "10").to_string(), "file::group::function short:10");
        let long = "benchmark-tests-printargs \"--foo=fixtures/test1.txt\"";
        assert_eq!(
            benchmark(Some("do foo"), long).to_string(),
            "file::group::function do foo:benchmark-tests-printargs \"--foo=fixt..."
        );
        let close = "benchmark-tests-printargs foo \"foo bar\"";
        assert_eq!(
            benchmark(Some("args"), close).to_string(),
            "file::group::function args:benchmark-tests-printargs foo \"foo ba..."
        );
    }
}
