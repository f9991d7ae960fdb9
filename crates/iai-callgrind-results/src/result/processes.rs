//! The processes of a benchmark as results of their own.

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_compare::{Limits, Regression};
use iai_callgrind_plan::ProcessName;
use iai_callgrind_plan::filter::matches_pattern;
use iai_callgrind_plan::metric::Metrics;
use iai_callgrind_tools::tool::{Measurement, ProcessMetrics};

/// Number of hexadecimal digits that cargo adds to the names of executables.
const HASH: usize = 16;

/// The result of one process of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessResult {
    /// The executable, or the name that the user gave it, with a number for the second one and the next ones.
    pub name: String,
    /// The counts of this run.
    pub new: Metrics,
    /// The counts of the old result's process with the same name.
    pub old: Option<Metrics>,
    /// The limits of the benchmark that the process exceeds.
    pub regressions: Vec<Regression>,
}

/// Compares the processes of a benchmark one by one. A single process has no result of its own.
pub fn compare_processes(
    names: &[ProcessName],
    new: &Measurement,
    old: Option<&Measurement>,
    limits: &Limits,
) -> Vec<ProcessResult> {
    let processes = named(names, &new.parts);
    if processes.len() < 2 {
        return Vec::new();
    }
    let mut old_processes: BTreeMap<_, _> =
        old.map_or_else(Vec::new, |old| named(names, &old.parts)).into_iter().collect();
    if let (Some(old), Some((first, _))) =
        (old.filter(|old| old.parts.is_empty()), processes.first())
    {
        // The only process of the old result was the first one
        old_processes.insert(first.clone(), old.total.clone());
    }
    let result = |(name, new): (String, Metrics)| {
        let old = old_processes.remove(&name);
        let regressions = limits.check(&new, old.as_ref());
        ProcessResult { name, new, old, regressions }
    };
    processes.into_iter().map(result).collect()
}

/// Returns the processes with their names, in the order of their start. The threads of a process are added up.
fn named(names: &[ProcessName], parts: &[ProcessMetrics]) -> Vec<(String, Metrics)> {
    let mut processes: Vec<(u64, String, Metrics)> = Vec::new();
    for part in parts {
        match processes.last_mut().filter(|(pid, ..)| *pid == part.pid) {
            // All threads of a process count the same events
            Some((_, _, sum)) => *sum = sum.checked_add(&part.metrics).unwrap_or_default(),
            None => processes.push((part.pid, name(names, &part.command), part.metrics.clone())),
        }
    }
    let mut numbers = BTreeMap::new();
    let number = |(_, name, metrics): (u64, String, Metrics)| {
        let number = numbers.entry(name.clone()).and_modify(|number| *number += 1).or_insert(1);
        let name = if *number == 1 { name } else { format!("{name}#{number}") };
        (name, metrics)
    };
    processes.into_iter().map(number).collect()
}

/// Returns the name that the user gave to a command, or that of its executable.
fn name(names: &[ProcessName], command: &str) -> String {
    let given = names.iter().find(|given| matches_pattern(&given.pattern, command));
    if let Some(ProcessName { name, .. }) = given {
        return name.clone();
    }
    // Valgrind writes a space in a path as `\ `
    let separator =
        command.match_indices(' ').find(|(place, _)| !command[..*place].ends_with('\\'));
    let program = separator.map_or(command, |(place, _)| &command[..place]).replace('\\', "");
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.rsplit_once('-') {
        Some((stem, hash))
            if hash.len() == HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            stem.to_owned()
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Limit;
    use iai_callgrind_plan::metric::MetricKind::Ir;

    use super::*;

    fn part(pid: u64, thread: Option<u64>, command: &str, instructions: u64) -> ProcessMetrics {
        let metrics = [(Ir, instructions)].into_iter().collect();
        ProcessMetrics { pid, thread, command: command.to_owned(), metrics }
    }

    fn measurement(parts: Vec<ProcessMetrics>) -> Measurement {
        let sum = parts.iter().filter_map(|part| part.metrics.count(Ir)).sum();
        let parts = if parts.len() == 1 { Vec::new() } else { parts };
        Measurement { total: [(Ir, sum)].into_iter().collect(), parts, ..Measurement::default() }
    }

    fn results(
        new: Vec<ProcessMetrics>,
        old: Vec<ProcessMetrics>,
    ) -> Vec<(String, Option<u64>, usize)> {
        let names = [ProcessName { name: "server".to_owned(), pattern: "*serve *".to_owned() }];
        let limits = Limits::resolve(&[(Ir, Limit::Soft { change: 5.0.into() })]).unwrap();
        let (new, old) = (measurement(new), measurement(old));
        let results = compare_processes(&names, &new, Some(&old), &limits).into_iter();
        let old = |old: Option<Metrics>| old.and_then(|old| old.count(Ir));
        results.map(|result| (result.name, old(result.old), result.regressions.len())).collect()
    }

    #[test]
    fn processes_are_compared_by_name_whatever_their_order() {
        let new = vec![
            part(7, None, "/target/deps/bench-0123456789abcdef --x", 10),
            part(8, None, "/my\\ bin/worker 1", 106),
            part(9, None, "/bin/serve 80", 20),
            part(10, None, "/my\\ bin/worker 2", 300),
        ];
        let old = vec![
            part(3, None, "/target/deps/bench-fedcba9876543210", 10),
            part(4, None, "/bin/serve 81", 20),
            part(5, None, "/other/worker 1", 100),
        ];
        let name = |name: &str, old, regressions| (name.to_owned(), old, regressions);
        let expected = [
            name("bench", Some(10), 0),
            name("worker", Some(100), 1),
            name("server", Some(20), 0),
            name("worker#2", None, 0),
        ];
        assert_eq!(results(new, old), expected);
    }

    #[test]
    fn threads_are_added_up_and_a_single_process_is_the_benchmark() {
        let threads = vec![part(7, Some(1), "/a", 10), part(7, Some(2), "/a", 5)];
        assert_eq!(results(threads.clone(), Vec::new()), []);
        let new = [threads, vec![part(8, None, "/b", 1)]].concat();
        let old = vec![part(3, None, "/a", 15)];
        let expected = [("a".to_owned(), Some(15), 0), ("b".to_owned(), None, 0)];
        assert_eq!(results(new, old), expected);
    }
}
