//! Reads real logs, and damaged ones.

use std::fs;
use std::path::Path;

use iai_callgrind_plan::metric::MetricKind;
use tempfile::TempDir;

use super::super::fixtures::{
    assert_names_line, describe, fixture, fixtures, garbage_changes_nothing, outcome, truncations,
};
use super::super::results::is_count;
use super::totals;
use crate::Result;
use crate::tool::{Measurement, ProcessMetrics};
use crate::valgrind::log;

fn read(path: &Path, _: &TempDir) -> Result<Measurement> {
    let mut parts = Vec::new();
    for log in log::processes(path, is_count)? {
        let metrics = totals(path, &log)?;
        parts.push(ProcessMetrics {
            pid: log.pid,
            thread: None,
            command: log.preamble.command,
            metrics,
        });
    }
    Ok(Measurement::from_parts(parts).expect("the sum fits"))
}

#[test]
fn threads_and_processes_are_summed() {
    let directory = TempDir::new().unwrap();
    for version in ["319", "324"] {
        let path = fixture("bbv", &format!("threads_{version}.log"));
        let threads = read(&path, &directory).unwrap();
        assert_eq!(threads.total.count(MetricKind::Intervals), Some(0));
        assert!(threads.total.count(MetricKind::Instructions) > Some(100_000));
        let path = fixture("bbv", &format!("processes_{version}.log"));
        let processes = read(&path, &directory).unwrap();
        assert_eq!(processes.parts.len(), 2, "{}", describe(&processes));
        assert!(processes.total.count(MetricKind::Intervals) > Some(200));
    }
}

// A log without the summary of a thread looks like that of a process without the thread.
#[test]
fn truncations_are_errors_or_lack_whole_threads() {
    for path in fixtures("bbv") {
        let content = fs::read(&path).unwrap();
        for start in truncations(&content) {
            if let Err(error) = outcome(start, read) {
                assert_names_line(&error);
                continue;
            }
            let text = String::from_utf8_lossy(start);
            let number = |what: &str| text.matches(what).count();
            assert_eq!(number("# Thread"), number("Total instructions: "), "{text}");
        }
    }
}

#[test]
fn garbage_in_any_field_changes_nothing() {
    for path in fixtures("bbv") {
        garbage_changes_nothing(&fs::read(&path).unwrap(), read);
    }
}
