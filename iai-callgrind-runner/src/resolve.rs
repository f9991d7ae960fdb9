//! Resolves a plan: the selected benchmarks with their configuration.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use iai_callgrind_base::similar::did_you_mean;
use iai_callgrind_cli::settings::Settings;
use iai_callgrind_plan::{
    self as plan, Compare, Config, Function, Group, HookKind, MeasuredHook, Plan, Throughput,
    ValgrindTool,
};
use iai_callgrind_render::format::TextForm;
use iai_callgrind_results::{
    Benchmark, BinaryCase, CurvePlace, Options, Subject, with_command_line,
};
use iai_callgrind_store::{Files, Slot, find_names};
use iai_callgrind_tools::tool::MeasuredFunction;

use crate::error::{Error, Result};
use crate::note::Note;
use crate::run::error::RunError;

/// Returns the error for a baseline that none of these benchmarks has, with similar names.
pub(crate) fn no_baseline(name: &str, benchmarks: &[Benchmark]) -> RunError {
    let slots = benchmarks.iter().flat_map(|benchmark| benchmark.files.slots());
    let baselines: BTreeSet<_> = slots
        .filter_map(|slot| match slot {
            // A baseline of the same name has only counts, or only times
            Slot::Baseline(other) if other != name => Some(other),
            Slot::Baseline(_) | Slot::Latest | Slot::Old => None,
        })
        .collect();
    let similar = did_you_mean(name, baselines.iter().map(String::as_str));
    RunError::NoBaseline { name: name.to_owned(), similar }
}

/// The benchmarks of a plan that filters select.
pub(crate) struct Selection {
    /// The benchmarks, in the order of declaration.
    pub(crate) benchmarks: Vec<Benchmark>,
    /// Number of the others.
    pub(crate) filtered_out: usize,
}

/// Returns the selected benchmarks of a plan, in the order of declaration.
pub(crate) fn selected(plan: Plan, settings: &Settings) -> Result<Vec<Benchmark>> {
    select(plan, settings).map(|selection| selection.benchmarks)
}

/// Selects the benchmarks of a plan.
pub(crate) fn select(plan: Plan, settings: &Settings) -> Result<Selection> {
    let resolver = Resolver { settings, last: None, ignored: BTreeSet::new() };
    let (others, benchmarks) = (Vec::new(), Vec::new());
    let mut selector = Selector { file: plan.file, settings, resolver, benchmarks, others };
    for (number, group) in plan.groups.into_iter().enumerate() {
        let config = on_top(&plan.config, group.config.clone());
        selector.select_group(number, group, &config)?;
    }
    check_subcommand(&selector)?;
    if selector.benchmarks.is_empty() {
        note_no_match(&selector);
    }
    for argument in selector.resolver.ignored {
        log::warn!("ignored `{argument}`: the runner needs that option itself");
    }
    Ok(Selection { benchmarks: selector.benchmarks, filtered_out: selector.others.len() })
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

/// Returns an error if the first word is a mistyped subcommand.
fn check_subcommand(selector: &Selector<'_>) -> Result<(), RunError> {
    let selected: Vec<_> = selector.benchmarks.iter().map(Benchmark::name).collect();
    let names = selected.iter().chain(&selector.others).map(|name| &**name);
    match selector.settings.filters.mistyped(names, &plan::SUBCOMMANDS) {
        None => Ok(()),
        Some((name, subcommand)) => Err(RunError::UnknownSubcommand {
            name: name.to_owned(),
            subcommand: subcommand.to_owned(),
        }),
    }
}

/// Prints a note if filters match nothing, with the most similar names.
///
/// Cargo passes filters to all benchmark files, each a process that does not know whether another one runs. There is no note if
/// they match a benchmark of another file with a result. If there is another file, a note without similar names would say in
/// each of them what the closing line says on a terminal.
fn note_no_match(selector: &Selector<'_>) {
    let settings = selector.settings;
    let filters: Vec<_> = settings.filters.texts().collect();
    if filters.is_empty() || selector.others.is_empty() {
        return;
    }
    let stored = find_names(&settings.home, &[]).unwrap_or_default();
    let of_others =
        stored.iter().filter(|benchmark| *benchmark.files.output() != *settings.directory);
    let of_others: Vec<_> = of_others.collect();
    if of_others.iter().any(|other| settings.filters.selects(&other.name(), None)) {
        return;
    }
    let names = || selector.others.iter().map(String::as_str);
    let similar = filters.iter().find_map(|filter| did_you_mean(filter, names()));
    let is_closed_with_number = settings.reports.text_form == TextForm::Lines;
    if similar.is_none() && !of_others.is_empty() && is_closed_with_number {
        return;
    }
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
                let is_selected = case.is_selected.unwrap_or(true);
                if !is_selected || !self.settings.filters.selects(&full_name, external_id) {
                    self.others.push(full_name);
                    continue;
                }
                let id = case.id.as_deref();
                let files = Files::new(&self.settings.directory, &name, function.as_deref(), id);
                let subject = subject(case.subject);
                let mut config = on_top(&config, case.config);
                let calls = self.settings.calls;
                if calls > 1 && external_id.is_some() {
                    // Without an amount of data, a call counts as an element
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

    /// Returns a hook of a group as a benchmark. Hooks of commands are measured with the first
    /// command of the group and use its configuration.
    fn measured_hook(
        &mut self,
        hook: MeasuredHook,
        group: &str,
        number: usize,
        config: &Config,
    ) -> Result<Benchmark> {
        let files = hook_files(&self.settings.directory, group, &hook);
        let MeasuredHook { kind, name, subject } = hook;
        let path = plan::path(&self.file, group, Some(&name));
        let mut config = config.clone();
        // The commands decide about the entry point, and the hook runs in the directory of one of
        // them
        for tool in &mut config.tools {
            tool.entry_point = None;
        }
        (config.sandbox, config.current_dir) = (None, None);
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
            files,
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

/// Returns the files of a measured hook of a group in the directory of a benchmark file.
pub(crate) fn hook_files(directory: &Path, group: &str, hook: &MeasuredHook) -> Files {
    let kind = format!("{:?}", hook.kind).to_lowercase();
    Files::new(directory, group, Some(&kind), Some(&hook.name))
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

/// Returns a configuration overridden by a more specific level.
pub(crate) fn on_top(upper: &Config, lower: Config) -> Config {
    let mut config = upper.clone();
    config.update(lower);
    config
}

/// Resolves configurations, and caches the last one, because most benchmarks have the same one as
/// the previous benchmark.
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
