//! `explain`: explanations of the differences of stored results.

use std::io::Write as _;

use iai_callgrind_base::{FileError, console};
use iai_callgrind_cli::ExplainArgs;
use iai_callgrind_explain::Verdict;
use iai_callgrind_render::report::{ExplainedChange, print_explanations};
use iai_callgrind_results::{Explanation, StoredExplainer};
use iai_callgrind_store::{Slot, find_unused};
use iai_callgrind_tools::tool::TOOLS;

use super::gone::leave_out_gone;
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &ExplainArgs) -> Result<CommandOutcome> {
    let new = options.load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?;
    let old = Slot::parse(options.base())?;
    let home = existing_directory(options.home.path())?;
    let mut selected = find_unused(&home, &options.filters(), &[&new, &old])?;
    leave_out_gone(&mut selected.benchmarks)?;
    let explainer = StoredExplainer::default();
    let (mut explanations, mut equal, mut errors) = (Vec::new(), 0, Vec::new());
    for benchmark in &selected.benchmarks {
        for tool in TOOLS.into_iter().filter(|tool| tool.has_tables()) {
            match explainer.explain(tool, benchmark, [&old, &new]) {
                Ok(Some(explanation)) if is_equal(&explanation) => equal += 1,
                Ok(explanation) => explanations.extend(explanation.map(|explanation| {
                    let (title, name) = (benchmark.title(), benchmark.name());
                    ExplainedChange { title, name, explanation }
                })),
                Err(error) => errors.push(Error::from(error)),
            }
        }
    }
    print_explanations(&explanations, options.length.lines())?;
    let all = explanations.len() + equal;
    FileError::of_output(writeln!(console::stdout(), "{equal} of {all} results are equal"))?;
    Error::all(errors).map(|()| CommandOutcome::Success)
}

/// Returns true if the results have no difference.
pub(super) fn is_equal(explanation: &Explanation) -> bool {
    explanation.as_ref().is_ok_and(|explained| explained.difference.verdict == Verdict::Equal)
}
