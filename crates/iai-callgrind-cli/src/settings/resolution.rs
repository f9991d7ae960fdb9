//! The settings of a run from its options, the plan and the environment.

use std::path::{Path, PathBuf};

use iai_callgrind_base::invocation::{bench_command_line, command_line};
use iai_callgrind_base::{FileError, workspace_directory};
use iai_callgrind_plan::Plan;
use iai_callgrind_process::NativeValue;
use iai_callgrind_results::{Mode, Samples, Seed};
use iai_callgrind_revisions::target_directory;
use iai_callgrind_store::Slot;
use iai_callgrind_summary::Invocation;
use iai_callgrind_tools::valgrind::ToolRunner;

use super::{Explanations, Jobs, OtherRevision, Settings};
use crate::error::{OptionsError, Result};
use crate::{Baselines, Bench, Run, cores};

impl Bench {
    /// Resolves the settings of a run.
    pub fn settings(self, plan: &Plan) -> Result<Settings> {
        let mode = mode(&self.baselines)?;
        let executable = plan.executable.as_ref();
        let executable_path = executable.map(|executable| Path::new(&executable.path));
        let home = match &self.run.home {
            Some(home) => absolute(home)?,
            None => target_directory(executable_path, Path::new(&plan.package_dir))?.join("iai"),
        };
        let mut directory = home.clone();
        let build = executable.map(|executable| executable.build.clone());
        if let Some(build) = build.as_ref().filter(|_| self.run.separate_targets) {
            directory.push(&build.target);
        }
        let tool_runner = tool_runner(plan, &self.run, &home)?;
        let mut config = self.benchmarks.config();
        config.update(self.tools.config);
        config.update(self.growth.config());
        config.output_format = self.output.format();
        let time = self.time.settings(&self.baselines, &mode, &self.tools.given_limits);
        let is_counted = time.is_none() || self.baselines.against.is_some();
        let isolation = self.benchmarks.isolation.resolve(self.benchmarks.seed);
        let is_random = isolation.is_native(NativeValue::Random);
        let program = match executable {
            Some(_) => bench_command_line(&plan.file, "").trim_end().to_owned(),
            None => command_line("exec"),
        };
        let invocation = Invocation { program, arguments: self.repetition.0 };
        let counted_layouts = self.time.counted_layouts(&self.baselines);
        Ok(Settings {
            home,
            directory: directory.join(&plan.package).join(&plan.file),
            jobs: Jobs(self.run.parallel.unwrap_or_else(cores)),
            command_jobs: Jobs(self.run.parallel.unwrap_or(1)),
            timeout: self.run.timeout,
            keep_sandbox: self.run.keep_sandbox,
            program_arguments: self.run.program_argument,
            shard: self.selection.shard,
            list: self.selection.list,
            filters: self.selection.filters(),
            mode,
            may_lack_baseline: self.baselines.baseline_lenient.is_some(),
            against: self.baselines.against.map(|name| OtherRevision {
                name,
                benches: self.baselines.benches.against_benches,
                build: self.baselines.build,
            }),
            shown: self.output.nocapture,
            show: self.output.show,
            only_comparison: self.output.show_only_comparison,
            only_aggregates: self.benchmarks.aggregates_only,
            explanations: Explanations {
                of: self.output.explain,
                lines: self.output.explanation_length.lines(),
                profile_note: self.output.profile_note,
            },
            time,
            profile_time: self.time.profile_time,
            checks: self.output.checks,
            limit: self.baselines.limit.filter(|_| is_counted),
            counted_layouts,
            invocation,
            record: self.baselines.record,
            snapshot: self.snapshots.settings(&plan.config),
            summary: !self.output.nosummary,
            reports: self.output.formats.reports().resolve(&plan.package, &plan.file),
            valgrind: self.run.valgrind_path,
            tool_runner,
            isolation,
            samples: Samples::new(
                if is_random { Seed::Random } else { self.benchmarks.seed },
                self.benchmarks.seeds,
                self.benchmarks.repeat,
            ),
            warm_up_calls: self.benchmarks.warm_up_calls,
            calls: self.benchmarks.calls.max(1),
            build,
            config,
            counter_limits: self.tools.counters,
        })
    }
}

/// Returns the sources and the destination of results.
fn mode(options: &Baselines) -> Result<Mode> {
    let named = |name: &Option<String>| name.as_deref().map(Slot::baseline).transpose();
    let (save, load) = (named(&options.save_baseline)?, named(&options.load_baseline)?);
    let compare = named(&options.baseline)?.or(named(&options.baseline_lenient)?);
    let mode = match (save, load, compare) {
        (Some(new), _, old) => Mode { run: true, old: old.unwrap_or_else(|| new.clone()), new },
        (None, Some(new), Some(old)) => Mode { run: false, new, old },
        (None, _, Some(old)) => Mode { run: true, new: Slot::Latest, old },
        (None, _, None) => Mode { run: true, new: Slot::Latest, old: Slot::Latest },
    };
    if !mode.run && mode.new == mode.old {
        return Err(OptionsError::SameBaseline { name: mode.new.name().to_owned() }.into());
    }
    Ok(mode)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(path).map_err(FileError::io("use", path))?)
}

/// Returns the tool runner that the options name.
fn tool_runner(plan: &Plan, options: &Run, home: &Path) -> Result<Option<ToolRunner>> {
    let Some(program) = &options.tool_runner else { return Ok(None) };
    let workspace = match &options.workspace_root {
        Some(workspace) => absolute(workspace)?,
        None => workspace_directory(Path::new(&plan.package_dir)),
    };
    Ok(Some(ToolRunner {
        program: program.clone(),
        arguments: options.tool_runner_args.iter().flat_map(|words| words.0.clone()).collect(),
        destination: options.tool_runner_dest.clone(),
        root: options.tool_runner_root.clone(),
        home: home.to_owned(),
        workspace,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(save: Option<&str>, compare: Option<&str>, load: Option<&str>) -> Result<Mode> {
        let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
        super::mode(&Baselines {
            save_baseline: owned(save),
            baseline: owned(compare),
            load_baseline: owned(load),
            ..Baselines::default()
        })
    }

    #[test]
    fn modes_are_values() {
        let base = |name: &str| Slot::Baseline(name.to_owned());
        let run = |new, old| Mode { run: true, new, old };
        assert_eq!(mode(None, None, None).unwrap(), run(Slot::Latest, Slot::Latest));
        assert_eq!(mode(Some("a"), None, None).unwrap(), run(base("a"), base("a")));
        assert_eq!(mode(None, Some("a"), None).unwrap(), run(Slot::Latest, base("a")));
        assert_eq!(mode(Some("b"), Some("a"), None).unwrap(), run(base("b"), base("a")));
        assert_eq!(mode(Some("a"), Some("a"), None).unwrap(), run(base("a"), base("a")));
        let load = Mode { run: false, new: base("b"), old: base("a") };
        assert_eq!(mode(None, Some("a"), Some("b")).unwrap(), load);
    }

    #[test]
    fn a_baseline_is_not_compared_with_itself() {
        assert!(mode(None, Some("a"), Some("a")).is_err());
    }
}
