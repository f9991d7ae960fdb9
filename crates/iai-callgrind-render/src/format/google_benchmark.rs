//! The JSON of Google Benchmark, which its `compare.py` reads: the first shown metric takes the place of both times.

use iai_callgrind_summary::Value;
use serde::Serialize;

use super::changes::first_shown;
use super::document::{Document, Format, Rendering, Syntax};

/// Row in the table of formats.
pub(super) static GOOGLE_BENCHMARK: Format = Format {
    name: "google-benchmark",
    about: "JSON of Google Benchmark, with the first metric in place of times",
    syntax: Syntax::Json,
    rendering: Rendering::Whole(document),
};

#[derive(Serialize)]
struct Results {
    context: Context,
    benchmarks: Vec<Entry>,
}

#[derive(Serialize)]
struct Context {
    executable: &'static str,
    library_build_type: &'static str,
    /// The metric in place of times.
    metric: String,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    run_name: String,
    run_type: &'static str,
    family_index: usize,
    per_family_instance_index: usize,
    repetitions: u8,
    repetition_index: u8,
    threads: u8,
    iterations: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_occurred: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    real_time: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_time: Option<Value>,
    time_unit: &'static str,
}

/// Renders the first shown metric of each benchmark, under the name that Google Benchmark has.
fn document(document: &Document<'_>) -> String {
    let mut label = String::new();
    let mut benchmarks = Vec::new();
    for (index, summary) in document.summaries.iter().enumerate() {
        let first = first_shown(summary);
        let error = summary.error.clone();
        if first.is_none() && error.is_none() {
            continue;
        }
        if let Some((_, _, metric, _)) = first.filter(|_| label.is_empty()) {
            metric.label.clone_into(&mut label);
        }
        let name = summary.external_id.clone().unwrap_or_else(|| summary.name.clone());
        let value = first.map(|(.., value)| value);
        benchmarks.push(Entry {
            run_name: name.clone(),
            name,
            run_type: "iteration",
            family_index: index,
            per_family_instance_index: 0,
            repetitions: 1,
            repetition_index: 0,
            threads: 1,
            iterations: 1,
            label: summary.label.clone(),
            error_occurred: error.is_some().then_some(true),
            error_message: error,
            real_time: value,
            cpu_time: value,
            time_unit: "ns",
        });
    }
    let context =
        Context { executable: "iai-callgrind", library_build_type: "release", metric: label };
    // Never fails: the numbers are finite
    serde_json::to_string_pretty(&Results { context, benchmarks }).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries;

    #[test]
    fn an_entry_for_each_benchmark() {
        let summaries =
            [sample_summaries::summary("a", 1733, None), sample_summaries::failed("b", "panicked")];
        let text = GOOGLE_BENCHMARK.document(&sample_summaries::document(&summaries));
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["context"]["metric"], "Instructions");
        let [counted, failed] = [0, 1].map(|index| &read["benchmarks"][index]);
        assert_eq!(counted["name"], "file::group::a::id");
        assert_eq!([&counted["real_time"], &counted["cpu_time"]], [1733, 1733]);
        assert_eq!(failed["error_occurred"], true);
        assert!(failed.get("real_time").is_none());
    }
}
