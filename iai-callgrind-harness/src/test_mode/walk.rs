//! Runs the benchmarks that a walk reaches, once and natively.

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;

use iai_callgrind_plan as plan;
use iai_callgrind_plan::protocol::Measuring;

use super::arguments::Arguments;
use super::{Failures, Numbers, Settings, list, test};
use crate::error::Cause;
use crate::listing;
use crate::region::Region;
use crate::walk::{Reached, Visitor, walk};

/// Runs or lists the benchmarks in the code of a file.
pub(super) fn run(
    code: fn(),
    file: &'static str,
    arguments: &Arguments,
) -> Result<ExitCode, Cause> {
    let cases = cases(code, file, arguments)?;
    let selected: Vec<_> = cases.iter().flatten().map(|name| &**name).collect();
    if arguments.list {
        list(&selected, arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    let (selected, filtered_out) = (selected.len(), cases.len() - selected.len());
    let settings = Settings::of_this_process()?;
    Ok(test(&Numbers { selected, ignored: 0, filtered_out }, || {
        let failures = Failures::default();
        let tester = Rc::new(RefCell::new(Tester { cases: cases.into_iter(), settings, failures }));
        let is_complete = walk(code, &tester);
        let mut failures = std::mem::take(&mut tester.borrow_mut().failures);
        failures.hooks += usize::from(!is_complete);
        failures
    }))
}

/// Returns the names of the benchmarks in the order of the walk, `None` for those that are not selected.
fn cases(
    code: fn(),
    file: &'static str,
    arguments: &Arguments,
) -> Result<Vec<Option<String>>, Cause> {
    let mut cases = Vec::new();
    for group in listing::list(code, file)? {
        for function in group.functions {
            let name = plan::path(file, &group.name, function.name.as_deref());
            let external_id = function.cases.into_iter().find_map(|case| case.external_id);
            let names = [&*name, external_id.as_deref().unwrap_or(&name)];
            let is_selected = arguments.selects_one_of(&names);
            cases.push(is_selected.then_some(name));
        }
    }
    Ok(cases)
}

/// Runs the selected ones.
struct Tester {
    /// The benchmarks that the walk has not reached, as of [`cases`].
    cases: std::vec::IntoIter<Option<String>>,
    settings: Settings,
    failures: Failures,
}

impl Visitor for Tester {
    fn visit(&mut self, _: Reached<'_>, run: &mut dyn FnMut(&mut Region)) {
        let Some(name) = self.cases.next().flatten() else { return };
        let passed = self.settings.run(&name, true, || run(&mut Region::new(Measuring::DEFAULT)));
        self.failures.cases += usize::from(!passed);
    }
}
