//! Values as those of summaries.

use iai_callgrind_plan::metric;
use iai_callgrind_summary::Value;

/// Converts a value.
pub fn summary_value(value: metric::Value) -> Value {
    match value {
        metric::Value::Count(count) => Value::Count(count),
        metric::Value::Rate(rate) => Value::Rate(rate),
    }
}
