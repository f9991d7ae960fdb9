//! What the user should know about a run before it starts, and what is no error.

use iai_callgrind_plan::{Config, EntryPoint, Tool, ValgrindTool};

use crate::benchmark::Benchmark;
use crate::executable::Executable;
use crate::options::ToolOptions;
use crate::tool::TOOLS;

/// The command line says something of a tool that no benchmark runs under: a limit that nothing is held
/// against would look as if it held.
pub(super) fn idle_tools(command_line: &Config, benchmarks: &[Benchmark]) {
    if benchmarks.is_empty() {
        return;
    }
    let runs = |kind| {
        let mut tools = benchmarks.iter().flat_map(|benchmark| &benchmark.options.tools);
        tools.any(|options| options.tool.kind == kind)
    };
    for options in &command_line.tools {
        // This one is said of all tools at once
        let said = Tool { fail_fast: None, ..options.clone() };
        if said != Tool::new(options.tool) && !runs(options.tool) {
            let name = TOOLS.iter().find(|tool| tool.kind == options.tool).map_or("", |it| it.name);
            eprintln!(
                "note: no benchmark runs under {name}, so its options have no effect; \
                 `--tools={name}` runs them under it too"
            );
        }
    }
}

/// Marks around the call are less exact than the benchmark function's symbol.
pub(super) fn stripped(executable: &Executable, benchmarks: &[Benchmark]) {
    let functions = benchmarks.iter().filter(|benchmark| benchmark.command().is_none());
    let tools = functions.flat_map(|benchmark| &benchmark.options.tools);
    let is_default = |options: &ToolOptions| {
        options.tool.kind == ValgrindTool::Callgrind
            && options.launch.entry_point == EntryPoint::Default
    };
    if !executable.has_symbols && tools.into_iter().any(is_default) {
        eprintln!(
            "note: the benchmarks are stripped of their symbols, so a few instructions around each \
             call count as well; `strip = false` in [profile.bench] avoids that"
        );
    }
}
