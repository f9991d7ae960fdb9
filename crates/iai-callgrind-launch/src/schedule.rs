//! The order of a run: stages between the setups and teardowns of groups, and the launches in them.

use std::collections::HashMap;

use iai_callgrind_plan::Hooks;
use iai_callgrind_results::{Benchmark, RunId, ToolOptions};
use iai_callgrind_tools::tool::{LaunchOptions, Tool};
use iai_callgrind_tools::valgrind::Environment;

/// The benchmarks between the setup and the teardown of a group. All groups without hooks and
/// without a limit of parallel benchmarks share a stage.
pub struct Stage<'a> {
    /// The group with a setup, a teardown or a limit of parallel benchmarks.
    pub group: Option<usize>,
    /// The number of benchmarks that may run in parallel.
    pub max_parallel: Option<usize>,
    /// The launches of functions, which run one after the other.
    pub launches: Vec<Launch<'a>>,
    /// The runs of commands.
    pub commands: Vec<RunId>,
}

/// The functions that one Valgrind process runs.
pub struct Launch<'a> {
    /// The tool of Valgrind.
    pub tool: &'static Tool,
    /// The options that all functions have in common.
    pub options: &'a LaunchOptions,
    /// The variables of the process.
    pub environment: &'a Environment,
    /// The number of functions that may run in parallel.
    pub max_parallel: Option<usize>,
    /// The runs of the functions in the order of declaration.
    pub cases: Vec<RunId>,
}

impl<'a> Launch<'a> {
    /// Returns the launch of a single run.
    pub fn of_single(benchmarks: &'a [Benchmark], id: RunId) -> Self {
        let Benchmark { options, max_parallel, .. } = &benchmarks[id.benchmark];
        let ToolOptions { tool, launch, .. } = &options.tools[id.tool];
        Self {
            tool,
            options: launch,
            environment: &options.environment,
            max_parallel: *max_parallel,
            cases: vec![id],
        }
    }
}

/// Puts as many benchmarks as possible into the same launch. `ids` returns the runs of a benchmark.
pub fn schedule<'a>(
    benchmarks: &'a [Benchmark],
    hooks: &[Hooks],
    ids: impl Fn(usize) -> Vec<RunId>,
) -> Vec<Stage<'a>> {
    let mut stages: Vec<Stage<'a>> = Vec::new();
    let mut known = HashMap::new();
    // Measured hooks run with the other hooks of the group
    let cases = benchmarks.iter().enumerate().filter(|(_, benchmark)| benchmark.hook.is_none());
    for (index, benchmark) in cases {
        let has_hooks = hooks.get(benchmark.group).is_some_and(|hooks| *hooks != Hooks::default());
        let max_parallel = benchmark.max_parallel;
        let group = (has_hooks || max_parallel.is_some()).then_some(benchmark.group);
        let stage = stages.iter().rposition(|stage| stage.group == group).unwrap_or_else(|| {
            stages.push(Stage { group, max_parallel, launches: Vec::new(), commands: Vec::new() });
            stages.len() - 1
        });
        let Stage { launches, commands, .. } = &mut stages[stage];
        if benchmark.command().is_some() {
            commands.extend(ids(index));
            continue;
        }
        for id in ids(index) {
            let launch = Launch::of_single(benchmarks, id);
            let key = (stage, launch.tool.name, launch.options, launch.environment);
            let index = *known.entry(key).or_insert_with(|| {
                launches.push(Launch { cases: Vec::new(), ..launch });
                launches.len() - 1
            });
            launches[index].cases.push(id);
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    use iai_callgrind_plan::{Compare, Config, Variable};
    use iai_callgrind_results::{Options, Subject};
    use iai_callgrind_store::Files;
    use iai_callgrind_tools::tool::MeasuredFunction;

    use super::*;

    fn benchmark(group: usize, variable: Option<&str>) -> Benchmark {
        let variable =
            variable.map(|name| Variable { name: name.to_owned(), value: Some(String::new()) });
        let config = Config { envs: variable.into_iter().collect(), ..Config::default() };
        let options = Options::resolve(&config, false, &mut BTreeSet::new()).unwrap();
        Benchmark {
            file: "file".to_owned(),
            group_name: "group".to_owned(),
            function: Some("function".to_owned()),
            id: None,
            external_id: None,
            curve: None,
            arguments: String::new(),
            subject: Subject::Library { function: MeasuredFunction::default(), entry: 0, item: 0 },
            hook: None,
            group,
            compare: Compare::No,
            max_parallel: None,
            files: Files::new(Path::new("/out"), "group", Some("function"), None),
            options: Arc::new(options),
        }
    }

    fn ids(benchmark: usize) -> Vec<RunId> {
        vec![RunId { benchmark, tool: 0, sample: 0 }]
    }

    fn cases(benchmarks: &[Benchmark], hooks: &[Hooks]) -> Vec<Vec<Vec<usize>>> {
        let launch = |launch: &Launch<'_>| launch.cases.iter().map(|case| case.benchmark).collect();
        let stage = |stage: &Stage<'_>| stage.launches.iter().map(launch).collect();
        schedule(benchmarks, hooks, ids).iter().map(stage).collect()
    }

    #[test]
    fn what_runs_with_the_same_options_runs_in_one_launch() {
        let benchmarks = [(0, None), (0, Some("A")), (1, None), (1, Some("A")), (1, Some("B"))]
            .map(|(group, variable)| benchmark(group, variable));
        let hooks = [Hooks::default(); 2];
        assert_eq!(cases(&benchmarks, &hooks), [[vec![0, 2], vec![1, 3], vec![4]]]);
    }

    #[test]
    fn a_group_with_hooks_is_a_stage_of_its_own() {
        let benchmarks = [0, 1, 0, 2].map(|group| benchmark(group, None));
        let has_setup = Hooks { setup: true, teardown: false };
        let hooks = [Hooks::default(), has_setup, Hooks::default()];
        assert_eq!(cases(&benchmarks, &hooks), [[vec![0, 2, 3]], [vec![1]]]);
    }

    #[test]
    fn a_group_with_a_limit_of_parallel_benchmarks_is_a_stage_of_its_own() {
        let mut benchmarks = [0, 1, 0].map(|group| benchmark(group, None));
        benchmarks[1].max_parallel = Some(2);
        assert_eq!(cases(&benchmarks, &[Hooks::default(); 2]), [[vec![0, 2]], [vec![1]]]);
        let stages = schedule(&benchmarks, &[], ids);
        let limits = stages.iter().map(|stage| stage.max_parallel).collect::<Vec<_>>();
        assert_eq!(limits, [None, Some(2)]);
        assert_eq!(stages[1].launches[0].max_parallel, Some(2));
    }
}
