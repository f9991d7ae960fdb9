//! Summaries as JSON objects.

use super::document::{Format, Rendering, Syntax};

/// One line for each benchmark.
pub(super) static JSON: Format = Format {
    name: "json",
    about: "a JSON object for each benchmark, on one line",
    syntax: Syntax::Json,
    rendering: Rendering::Each(|summary| line(serde_json::to_string(summary))),
};

/// An indented object for each benchmark.
pub(super) static PRETTY_JSON: Format = Format {
    name: "pretty-json",
    about: "the same, indented",
    syntax: Syntax::Json,
    rendering: Rendering::Each(|summary| line(serde_json::to_string_pretty(summary))),
};

/// Appends a line break. Never fails, because the keys of a summary are text and the numbers finite.
fn line(json: serde_json::Result<String>) -> String {
    json.map(|json| json + "\n").unwrap_or_default()
}
