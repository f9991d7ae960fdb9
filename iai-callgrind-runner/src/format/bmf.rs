//! Bencher Metric Format: `{"benchmark": {"instructions": {"value": 1733}}}`
//! (<https://bencher.dev/docs/reference/bencher-metric-format/>).

use std::collections::BTreeMap;

use iai_callgrind_summary::{Range, Summary, Tool, Value};
use serde::Serialize;

use super::document::{Document, Format, Write};

/// The row of the table of formats.
pub(crate) static BMF: Format =
    Format { name: "bmf", about: "Bencher Metric Format", write: Write::Whole(document) };

#[derive(Serialize)]
struct Measure {
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<Value>,
}

/// The metrics that are shown, of each benchmark that was measured.
fn document(document: &Document<'_>) -> String {
    let measured = document.summaries.iter().filter(|summary| !summary.tools.is_empty());
    let benchmarks: BTreeMap<_, _> =
        measured.map(|summary| (&summary.name, measures(summary))).collect();
    // The keys are text, and no number is infinite
    serde_json::to_string_pretty(&benchmarks).unwrap_or_default() + "\n"
}

/// Measures by their slugs. What two tools call by the same name has the second one's before it.
fn measures(summary: &Summary) -> BTreeMap<String, Measure> {
    let mut measures = BTreeMap::new();
    for tool in &summary.tools {
        for (slug, measure) in tool.shown.iter().filter_map(|name| measure(tool, name)) {
            let slug =
                if measures.contains_key(&slug) { format!("{}-{slug}", tool.tool) } else { slug };
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

/// What a metric is called where only small letters, digits and dashes may stand: `total-read-write`.
pub(super) fn slug(name: &str, label: &str) -> String {
    if name == "LLhits" {
        // Its label says `L2`, because that is what services read from the terminal's text
        return "ll-hits".to_owned();
    }
    let words = label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::EventKind;

    use super::*;
    use crate::format::fixtures;

    #[test]
    fn measures_of_those_that_were_measured() {
        let summaries = [fixtures::summary("a", 100, Some(90)), fixtures::failed("b", "panicked")];
        let text = BMF.document(&fixtures::document(&summaries));
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let instructions = serde_json::json!({"value": 100});
        let hits = serde_json::json!({"value": 50});
        let expected = serde_json::json!({"file::group::a::id": {"instructions": instructions, "ll-hits": hits}});
        assert_eq!(document, expected);
    }

    #[test]
    fn two_tools_can_have_metrics_of_the_same_name() {
        let mut summary = fixtures::summary("a", 100, None);
        let second = Tool { tool: "cachegrind".to_owned(), ..summary.tools[0].clone() };
        summary.tools.push(second);
        let measures: Vec<_> = measures(&summary).into_keys().collect();
        let expected = ["cachegrind-instructions", "cachegrind-ll-hits", "instructions", "ll-hits"];
        assert_eq!(measures, expected);
    }

    #[test]
    fn slugs_are_benchers() {
        use EventKind::{EstimatedCycles, Ir, L1hits, LLhits, RamHits, TotalRW};
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
