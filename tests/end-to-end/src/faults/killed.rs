//! Checks of the results and processes that a killed run leaves.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use super::reference::{Reference, values};
use super::{Figure, SIZES, arguments, list_and_restore};
use crate::{Suite, processes_of, soon};

/// A suite whose runs are killed, and what was found after that.
pub(super) struct Killed {
    pub(super) suite: Suite,
    reference: &'static Reference,
    /// The baseline that no run writes.
    kept: BTreeMap<String, Vec<u8>>,
    whole: Figure,
    gone: Figure,
    next: Figure,
}

impl Killed {
    /// Returns a suite with results in all slots. Its figures start with how it is killed.
    pub(super) fn new(how: &str) -> Self {
        let suite = Suite::new("faults");
        Reference::prepare(&suite.home());
        let figure = |what| Figure::new(&format!("{how}: {what}"));
        Self {
            kept: Reference::kept(&suite.directory()),
            suite,
            reference: Reference::get(),
            whole: figure("each stored result is that of one run, with all files"),
            gone: figure("no process is left"),
            next: figure("the next run succeeds and counts the same"),
        }
    }

    /// Returns a run of one of the sizes that will be killed.
    pub(super) fn command(&self, size: usize, with_baseline: bool) -> Command {
        let mut command = self.suite.command();
        command.args(arguments(SIZES[size])).args(with_baseline.then_some("--save-baseline=main"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Looks at what is left of a killed run of this size.
    pub(super) fn look(&mut self, size: usize, at: &str) {
        let (suite, reference) = (&self.suite, self.reference);
        let _ = soon(|| processes_of(suite.root()).is_empty());
        self.gone.count(processes_of(suite.root()));

        let mut problems = reference.problems_of_files(&suite.directory());
        problems.extend(list_and_restore(suite));
        problems.extend(reference.problems(&suite.directory(), &self.kept));
        let problems = problems.into_iter().map(|problem| format!("{at}: {problem}"));
        self.whole.count(problems.collect());

        // The other size, so that the next killed run changes what is there
        let other = 1 - size;
        let run = suite.run(&arguments(SIZES[other]).each_ref().map(String::as_str));
        let is_right = run.code == Some(0) && values(&run.stdout) == reference.printed[other];
        self.next.count(if is_right { Vec::new() } else { vec![format!("{at}: {run:?}")] });
    }

    pub(super) fn figures(self) -> Vec<Figure> {
        vec![self.whole, self.gone, self.next]
    }
}
