//! A tool takes no metric of another tool.

use iai_callgrind::{
    Callgrind, Dhat, DhatMetric, ErrorMetric, EventKind, FlamegraphConfig, RegressionConfig,
};

fn main() {
    Dhat::default().soft_limits([(DhatMetric::Ir, 5.0)]);
    Dhat::default().soft_limits([(EventKind::Ir, 5.0)]);
    Dhat::default().hard_limits([(ErrorMetric::Errors, 5)]);
    Callgrind::default().format([DhatMetric::TotalBytes]);
    RegressionConfig::default().limits([(DhatMetric::TotalBytes, 5.0)]);
    FlamegraphConfig::default().event_kinds([DhatMetric::TotalBytes]);
}
