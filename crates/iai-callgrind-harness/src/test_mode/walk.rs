//! Runs the benchmarks that a walk reaches, once and natively.

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use iai_callgrind_plan as plan;
use iai_callgrind_plan::protocol::Measuring;

use super::arguments::Arguments;
use super::settings::Settings;
use super::summary::{Failures, Numbers, list, summarize, test};
use crate::error::Cause;
use crate::listing::{self, Listing, Names};
use crate::region::Region;
use crate::walk::{Reached, Visitor, enter, walk};

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

/// Runs or lists the benchmarks that the rest of this thread's code reaches. Returns a function for its end, which takes
/// `true` if the code panicked.
pub(crate) fn begin(file: &'static str, arguments: Vec<String>) -> Result<End, Cause> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.list {
        let listing = Listing::start()?;
        enter(&listing.list);
        return Ok(Box::new(move |panicked| {
            let cases = selected(listing.finish(!panicked, file)?, file, &arguments);
            list(&cases.iter().flatten().map(|name| &**name).collect::<Vec<_>>(), arguments.terse);
            Ok(ExitCode::SUCCESS)
        }));
    }
    let settings = Settings::of_this_process()?;
    let tester = Rc::new(RefCell::new(Companion {
        file,
        arguments,
        names: Names::default(),
        settings,
        numbers: Numbers { selected: 0, ignored: 0, filtered_out: 0 },
        failures: Failures::default(),
    }));
    let start = Instant::now();
    // Their number is not known yet
    println!("\nrunning tests");
    enter(&tester);
    Ok(Box::new(move |panicked| {
        let Companion { numbers, failures, .. } = &mut *tester.borrow_mut();
        failures.hooks += usize::from(panicked);
        Ok(summarize(numbers, failures, start))
    }))
}

/// The end of a walk.
pub(crate) type End = Box<dyn FnOnce(bool) -> Result<ExitCode, Cause>>;

/// Runs the selected ones of a walk whose benchmarks are not known in advance.
struct Companion {
    file: &'static str,
    arguments: Arguments,
    names: Names,
    settings: Settings,
    numbers: Numbers,
    failures: Failures,
}

impl Visitor for Companion {
    fn visit(&mut self, reached: Reached<'_>, run: &mut dyn FnMut(&mut Region)) {
        let name = self.names.next(self.file, &reached);
        if !self.arguments.selects_one_of(&[&name, reached.external_id]) {
            self.numbers.filtered_out += 1;
            return;
        }
        self.numbers.selected += 1;
        let passed = self.settings.run(&name, true, || run(&mut Region::new(Measuring::DEFAULT)));
        self.failures.cases += usize::from(!passed);
    }
}

/// Returns the names of the benchmarks in the order of the walk, `None` for those that are not selected.
fn cases(
    code: fn(),
    file: &'static str,
    arguments: &Arguments,
) -> Result<Vec<Option<String>>, Cause> {
    Ok(selected(listing::list(code, file)?, file, arguments))
}

/// Returns the names of these benchmarks, `None` for those that are not selected.
fn selected(groups: Vec<plan::Group>, file: &str, arguments: &Arguments) -> Vec<Option<String>> {
    let mut cases = Vec::new();
    for group in groups {
        for function in group.functions {
            let name = plan::path(file, &group.name, function.name.as_deref());
            let external_id = function.cases.into_iter().find_map(|case| case.external_id);
            let names = [&*name, external_id.as_deref().unwrap_or(&name)];
            let is_selected = arguments.selects_one_of(&names);
            cases.push(is_selected.then_some(name));
        }
    }
    cases
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
