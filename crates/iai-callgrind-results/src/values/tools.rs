//! Tools and kinds of flamegraphs as texts.

use iai_callgrind_base::similar;
use iai_callgrind_plan::{FlamegraphKind, ValgrindTool};
use iai_callgrind_tools::tool::{TOOLS, Tool};

/// Finds the tool with this name, ours or Valgrind's.
pub fn parse_tool(name: &str) -> Result<ValgrindTool, String> {
    let name = name.trim();
    let has_name = |tool: &&&Tool| {
        [tool.name, tool.valgrind_name].iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    let found = TOOLS.iter().find(has_name).map(|tool| tool.kind);
    found.ok_or_else(|| {
        let names = TOOLS.iter().map(|tool| tool.name);
        format!("unknown tool `{name}`\n{}", similar::help(name, names))
    })
}

/// Returns the names of all tools.
pub fn tool_names() -> String {
    TOOLS.map(|tool| tool.name).join(", ")
}

/// Parses the kind of a flamegraph.
pub fn parse_flamegraph_kind(text: &str) -> Result<FlamegraphKind, &'static str> {
    match text {
        "all" | "yes" | "true" => Ok(FlamegraphKind::All),
        "regular" => Ok(FlamegraphKind::Regular),
        "differential" => Ok(FlamegraphKind::Differential),
        "none" | "no" | "false" => Ok(FlamegraphKind::None),
        _ => Err("expected `all`, `regular`, `differential` or `none`"),
    }
}
