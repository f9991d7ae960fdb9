//! Reads the machine-readable output.

use serde_json::{Deserializer, Value};

/// Returns the objects of a run's standard output, which must hold nothing else.
#[must_use]
pub fn objects(stdout: &str) -> Vec<Value> {
    let values = Deserializer::from_str(stdout).into_iter();
    values.map(|value| value.unwrap_or_else(|error| panic!("{error}:\n{stdout}"))).collect()
}
