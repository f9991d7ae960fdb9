//! Summaries for the tests of formats.

use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric;
use iai_callgrind_summary::{
    self as summary, Baselines, Files, Limit, LimitKind, LimitValue, Metric, Regression, Status,
    Summary, Tool, Unit, Value,
};

use super::document::Document;

/// Returns a benchmark with these instructions and a constant number of hits.
pub(crate) fn summary(function: &str, new: u64, old: Option<u64>) -> Summary {
    let metric = |name: &str, label: &str, new: u64, old: Option<u64>| {
        let count = |count| Some(metric::Value::Count(count));
        let change = Change::between(count(new), old.and_then(count));
        let metric = Metric {
            label: label.to_owned(),
            unit: Unit::Count,
            new: Some(Value::Count(new)),
            old: old.map(Value::Count),
            change: change.percentage().map(|percentage| summary::Change {
                percentage: Some(percentage),
                factor: change.factor(),
            }),
            tolerated: false,
        };
        (name.to_owned(), metric)
    };
    let hits = metric("LLhits", "L2 Hits", 50, old.map(|_| 50));
    Summary {
        version: summary::VERSION,
        runner: "1.0.0".to_owned(),
        name: format!("file::group::{function}::id"),
        package: "crate".to_owned(),
        package_dir: None,
        file: "file".to_owned(),
        group: "group".to_owned(),
        function: Some(function.to_owned()),
        id: Some("id".to_owned()),
        external_id: None,
        size: None,
        label: None,
        arguments: None,
        executable: None,
        target: None,
        baselines: Baselines::default(),
        invocation: None,
        status: Status::Ok,
        error: None,
        tools: vec![Tool {
            tool: "callgrind".to_owned(),
            command: None,
            valgrind_args: Vec::new(),
            files: Files::default(),
            shown: vec!["Ir".to_owned(), "LLhits".to_owned(), "L1hits".to_owned()],
            total: [metric("Ir", "Instructions", new, old), hits].into(),
            parts: Vec::new(),
            limits: Vec::new(),
            regressions: Vec::new(),
            spread: None,
            explanation: None,
            varies_with: Vec::new(),
            environment: None,
            environment_changes: Vec::new(),
        }],
        comparisons: Vec::new(),
        growth: None,
        time: None,
        commits: None,
        change: None,
    }
}

/// Returns a benchmark with a regression.
pub(super) fn regressed(function: &str, new: u64, old: u64) -> Summary {
    let mut summary = summary(function, new, Some(old));
    let limit = Limit {
        metric: "Ir".to_owned(),
        kind: LimitKind::Soft,
        value: LimitValue::Number(Value::Rate(5.0)),
        learned_from: None,
        learned_from_layouts: None,
    };
    summary.status = Status::Regressed;
    summary.tools[0].regressions.push(Regression {
        limit,
        new: LimitValue::Number(Value::Count(new)),
        old: Some(Value::Count(old)),
        message: format!("Instructions {old} → {new}"),
    });
    summary
}

/// Returns a failed benchmark.
pub(super) fn failed(function: &str, error: &str) -> Summary {
    let (status, error) = (Status::Failed, Some(error.to_owned()));
    Summary { status, error, tools: Vec::new(), ..summary(function, 0, None) }
}

/// Returns a document.
pub(super) fn document(summaries: &[Summary]) -> Document<'_> {
    Document { summaries, hook_failures: &[], seconds: Some(1.5) }
}
