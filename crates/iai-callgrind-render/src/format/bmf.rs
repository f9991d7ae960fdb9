//! Bencher Metric Format: `{"benchmark": {"instructions": {"value": 1733}}}`
//! (<https://bencher.dev/docs/reference/bencher-metric-format/>).

use std::collections::BTreeMap;

use iai_callgrind_summary::{Range, Summary, Tool, Value};
use serde::Serialize;

use super::document::{Document, Format, Rendering, Syntax};

/// Row in the table of formats.
pub(super) static BMF: Format = Format {
    name: "bmf",
    about: "Bencher Metric Format",
    syntax: Syntax::Json,
    rendering: Rendering::Whole(document),
};

#[derive(Serialize)]
struct Measure {
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<Value>,
}

/// Renders the shown metrics of each measured benchmark.
fn document(document: &Document<'_>) -> String {
    let measured = document.summaries.iter().filter(|summary| !summary.tools.is_empty());
    let benchmarks: BTreeMap<_, _> =
        measured.map(|summary| (&summary.name, measures(summary))).collect();
    // Never fails: the keys are text, and the numbers are finite
    serde_json::to_string_pretty(&benchmarks).unwrap_or_default() + "\n"
}

/// Returns the measures by slug. A slug that an earlier tool has is prefixed with the name of the tool.
fn measures(summary: &Summary) -> BTreeMap<String, Measure> {
    let mut measures = BTreeMap::new();
    for tool in &summary.tools {
        for (slug, measure) in tool.shown.iter().filter_map(|name| measure(tool, name)) {
            let mut slug = slug;
            while measures.contains_key(&slug) {
                slug = format!("{}-{slug}", tool.tool);
            }
            measures.insert(slug, measure);
        }
    }
    measures
}

fn measure(tool: &Tool, name: &str) -> Option<(String, Measure)> {
    let metric = tool.total.get(name)?;
    let range = tool.spread.as_ref().and_then(|spread| spread.metrics.get(name));
    let bound = |bound: fn(&Range) -> Value| range.map(bound);
    let measure = Measure {
        value: metric.new?,
        lower_value: bound(|range| range.minimum),
        upper_value: bound(|range| range.maximum),
    };
    Some((slug(name, &metric.label), measure))
}

/// Returns a name of lowercase letters, digits and dashes: `total-read-write`.
pub(super) fn slug(name: &str, label: &str) -> String {
    if name == "LLhits" {
        // The label is `L2 Hits`, which services parse in the terminal's text
        return "ll-hits".to_owned();
    }
    let words = label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(str::to_ascii_lowercase).collect();
    // A counter can have a name without such letters
    if words.is_empty() { name.to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind;

    use super::*;
    use crate::format::sample_summaries;

    #[test]
    fn measured_benchmarks_have_measures() {
        let summaries = [
            sample_summaries::summary("a", 100, Some(90)),
            sample_summaries::failed("b", "panicked"),
        ];
        let text = BMF.document(&sample_summaries::document(&summaries));
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let instructions = serde_json::json!({"value": 100});
        let hits = serde_json::json!({"value": 50});
        let expected = serde_json::json!({"file::group::a::id": {"instructions": instructions, "ll-hits": hits}});
        assert_eq!(document, expected);
    }

    #[test]
    fn two_tools_can_have_metrics_of_the_same_name() {
        let mut summary = sample_summaries::summary("a", 100, None);
        let second = Tool { tool: "cachegrind".to_owned(), ..summary.tools[0].clone() };
        summary.tools.push(second);
        let measures: Vec<_> = measures(&summary).into_keys().collect();
        let expected = ["cachegrind-instructions", "cachegrind-ll-hits", "instructions", "ll-hits"];
        assert_eq!(measures, expected);
    }

    #[test]
    fn slugs_are_those_of_bencher() {
        use MetricKind::{EstimatedCycles, Ir, L1hits, LLhits, RamHits, TotalRW};
        let slugs = [Ir, L1hits, LLhits, RamHits, TotalRW, EstimatedCycles]
            .map(|kind| slug(kind.name(), kind.label()));
        let expected = [
            "instructions",
            "l1-hits",
            "ll-hits",
            "ram-hits",
            "total-read-write",
            "estimated-cycles",
        ];
        assert_eq!(slugs, expected);
    }
}
