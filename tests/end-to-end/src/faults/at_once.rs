//! Several runs on one directory at once.

use std::thread;

use super::reference::{Reference, values};
use super::{Figure, SIZES, arguments};
use crate::Suite;

/// The number of runs at the same time.
const RUNS: usize = 4;

/// Runs four suites at once on one directory, this many times, and compares each number that they print.
#[must_use]
pub fn at_once(rounds: usize) -> Vec<Figure> {
    let reference = Reference::get();
    let suite = Suite::new("faults");
    Reference::prepare(&suite.home());
    let kept = Reference::kept(&suite.directory());
    let mut succeeded = Figure::new("four runs at once: each succeeds");
    let mut right = Figure::new("four runs at once: each printed number is right");
    let mut whole = Figure::new("four runs at once: each stored result is that of one run");
    for _ in 0..rounds {
        let runs = thread::scope(|scope| {
            let run = |number: usize| {
                let (suite, size) = (&suite, SIZES[number % 2]);
                scope.spawn(move || suite.run(&arguments(size).each_ref().map(String::as_str)))
            };
            let runs: Vec<_> = (0..RUNS).map(run).collect();
            runs.into_iter().map(|run| run.join().expect("a run")).collect::<Vec<_>>()
        });
        for (number, run) in runs.into_iter().enumerate() {
            succeeded.count(if run.code == Some(0) { Vec::new() } else { vec![run.stderr] });
            let expected = &reference.printed[number % 2];
            let found = values(&run.stdout);
            let pairs = expected.lines().zip(found.lines().chain(std::iter::repeat("nothing")));
            for (expected, found) in pairs.filter(|(line, _)| line.starts_with("  ")) {
                let problem = format!("expected {expected:?}, but found {found:?}");
                right.count(if expected == found { Vec::new() } else { vec![problem] });
            }
        }
        whole.count(reference.problems(&suite.directory(), &kept));
    }
    vec![succeeded, right, whole]
}
