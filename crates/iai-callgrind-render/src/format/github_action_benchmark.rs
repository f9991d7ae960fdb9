//! The format `customSmallerIsBetter` of github-action-benchmark: `[{"name", "unit", "value"}]`.

use iai_callgrind_summary::{Unit, Value};
use serde::Serialize;

use super::document::{Document, Format, Rendering, Syntax};

/// Row in the table of formats.
pub(super) static GITHUB_ACTION_BENCHMARK: Format = Format {
    name: "github-action-benchmark",
    about: "customSmallerIsBetter of github-action-benchmark",
    syntax: Syntax::Json,
    rendering: Rendering::Whole(document),
};

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
}

/// Renders an entry for each shown metric.
fn document(document: &Document<'_>) -> String {
    let mut entries = Vec::new();
    for summary in document.summaries {
        for tool in &summary.tools {
            for name in &tool.shown {
                let Some(metric) = tool.total.get(name) else { continue };
                let Some(value) = metric.new else { continue };
                let spread = tool.spread.as_ref().and_then(|spread| spread.metrics.get(name));
                entries.push(Entry {
                    name: format!("{} - {}", summary.name, metric.label),
                    unit: match metric.unit {
                        Unit::Count => "count",
                        Unit::Percent => "%",
                        Unit::Ratio => "ratio",
                    },
                    value,
                    range: spread.map(|range| range.width().to_string()),
                });
            }
        }
    }
    // Never fails: the numbers are finite
    serde_json::to_string_pretty(&entries).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries;

    #[test]
    fn an_entry_for_each_metric() {
        let summaries =
            [sample_summaries::summary("a", 100, None), sample_summaries::failed("b", "panicked")];
        let text = GITHUB_ACTION_BENCHMARK.document(&sample_summaries::document(&summaries));
        let expected = serde_json::json!([
            {"name": "file::group::a::id - Instructions", "unit": "count", "value": 100},
            {"name": "file::group::a::id - L2 Hits", "unit": "count", "value": 50},
        ]);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
    }
}
