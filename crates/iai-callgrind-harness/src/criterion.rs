//! Times library benchmarks with Criterion, for its statistics, its plots and its report.

use std::process::ExitCode;
use std::time::Duration;

use criterion::{Bencher, Criterion};

use crate::platform::use_library;
use crate::region::Region;
use crate::registry;
use crate::suite::{LibraryCase, Suite};
use crate::timing::Timing;

/// Runs the functions of a benchmark file under Criterion, which reads the command line.
///
/// Criterion's name of a case is `group/function/id`. Only the call of the benchmark function is timed, each call by itself:
/// setup and teardown run around each. Binary benchmarks do not run.
#[must_use]
pub fn criterion(suite: &Suite) -> ExitCode {
    use_library();
    let suite = registry::complete(suite);
    let mut criterion = Criterion::default().configure_from_args();
    suite.hooks.setup.into_iter().for_each(|setup| setup());
    for group in suite.groups {
        let functions = group.library_functions();
        if functions.is_empty() {
            continue;
        }
        group.hooks.setup.into_iter().for_each(|setup| setup());
        for function in functions {
            let path = format!("{}/{}", group.name, function.title);
            let cases = function.cases.iter().flat_map(|case| {
                let runs = case.runs(&path).into_iter().enumerate();
                runs.map(move |(item, run)| (case, item, run.id))
            });
            for (case, item, id) in cases {
                let name = id.map_or_else(|| path.clone(), |id| format!("{path}/{id}"));
                criterion.bench_function(&name, |bencher| time(bencher, case, item));
            }
        }
        group.hooks.teardown.into_iter().for_each(|teardown| teardown());
    }
    suite.hooks.teardown.into_iter().for_each(|teardown| teardown());
    criterion.final_summary();
    ExitCode::SUCCESS
}

/// Times the runs of a case.
fn time(bencher: &mut Bencher<'_>, case: &LibraryCase, item: usize) {
    bencher.iter_custom(|iterations| {
        let mut time = Duration::ZERO;
        for _ in 0..iterations {
            let mut timing = Timing::of_call();
            Region::run_batch(&mut timing, None, |region| (case.run)(region, item));
            time += Duration::from_nanos(timing.shortest(false, false).wall);
        }
        time
    });
}
