//! Which benchmarks run together: stages between set-ups and tear-downs of groups, in them launches.

use std::collections::HashMap;

use iai_callgrind_plan::Hooks;

use crate::benchmark::Benchmark;
use crate::options::ToolOptions;
use crate::tool::{LaunchOptions, Tool};
use crate::valgrind::Environment;

/// What runs between the set-up and the tear-down of a group; all groups that have neither are in one.
pub(super) struct Stage<'a> {
    /// The group that has something to run before or after.
    pub(super) group: Option<usize>,
    /// What fork servers run, one after the other.
    pub(super) launches: Vec<Launch<'a>>,
    /// What runs in processes of its own.
    pub(super) commands: Vec<LaunchCase>,
}

/// The benchmarks that one Valgrind command runs.
pub(super) struct Launch<'a> {
    pub(super) tool: &'static Tool,
    pub(super) options: &'a LaunchOptions,
    pub(super) environment: &'a Environment,
    /// In the order of declaration.
    pub(super) cases: Vec<LaunchCase>,
}

/// A benchmark in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaunchCase {
    /// The benchmark's index.
    pub(super) benchmark: usize,
    /// The index of the launch's tool among the tools that the benchmark runs under.
    pub(super) tool: usize,
}

/// Has as many benchmarks as possible run in one launch.
pub(super) fn schedule<'a>(benchmarks: &'a [Benchmark], hooks: &[Hooks]) -> Vec<Stage<'a>> {
    let mut stages: Vec<Stage<'a>> = Vec::new();
    let mut known = HashMap::new();
    // Hooks that are measured run where the group's others do
    let cases = benchmarks.iter().enumerate().filter(|(_, benchmark)| benchmark.hook.is_none());
    for (index, benchmark) in cases {
        let has_hooks = hooks.get(benchmark.group).is_some_and(|it| *it != Hooks::default());
        let group = has_hooks.then_some(benchmark.group);
        let stage = stages.iter().rposition(|stage| stage.group == group).unwrap_or_else(|| {
            stages.push(Stage { group, launches: Vec::new(), commands: Vec::new() });
            stages.len() - 1
        });
        let Stage { launches, commands, .. } = &mut stages[stage];
        if benchmark.command().is_some() {
            let tools = 0..benchmark.options.tools.len();
            commands.extend(tools.map(|tool| LaunchCase { benchmark: index, tool }));
            continue;
        }
        let environment = &benchmark.options.environment;
        for (tool_index, ToolOptions { tool, launch: options, .. }) in
            benchmark.options.tools.iter().enumerate()
        {
            let launch =
                *known.entry((stage, tool.name, options, environment)).or_insert_with(|| {
                    launches.push(Launch { tool, options, environment, cases: Vec::new() });
                    launches.len() - 1
                });
            launches[launch].cases.push(LaunchCase { benchmark: index, tool: tool_index });
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    use iai_callgrind_plan::protocol::Start;
    use iai_callgrind_plan::{Config, Variable};

    use super::*;
    use crate::benchmark::Subject;
    use crate::options::Options;
    use crate::output::Files;
    use crate::tool::MeasuredFunction;

    fn benchmark(group: usize, variable: Option<&str>) -> Benchmark {
        let variable =
            variable.map(|name| Variable { name: name.to_owned(), value: Some(String::new()) });
        let config = Config { envs: variable.into_iter().collect(), ..Config::default() };
        Benchmark {
            path: String::new(),
            id: None,
            arguments: String::new(),
            function: String::new(),
            subject: Subject::Library {
                function: MeasuredFunction::default(),
                start: Start { entry: 0, item: 0, seed: None },
            },
            hook: None,
            group,
            is_compared: false,
            files: Files::new(Path::new("/out"), "group", None, None),
            options: Arc::new(Options::resolve(&config, false, &mut BTreeSet::new()).unwrap()),
        }
    }

    fn cases(benchmarks: &[Benchmark], hooks: &[Hooks]) -> Vec<Vec<Vec<usize>>> {
        let launch = |launch: &Launch<'_>| launch.cases.iter().map(|case| case.benchmark).collect();
        let stage = |stage: &Stage<'_>| stage.launches.iter().map(launch).collect();
        schedule(benchmarks, hooks).iter().map(stage).collect()
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
}
