//! Reads the machine-readable output.

use std::fs;
use std::sync::LazyLock;

use serde_json::{Deserializer, Value};

use crate::{Schema, checkout};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let path = checkout().join("schemas/summary.v1.schema.json");
    Schema::parse(&fs::read_to_string(path).expect("there is a schema"))
});

/// Returns the objects of a run's standard output, which must hold nothing else. Each has to be as the schema says.
#[must_use]
pub fn objects(stdout: &str) -> Vec<Value> {
    let values = Deserializer::from_str(stdout).into_iter::<Value>();
    let valid = values.map(|value| {
        let value = value.unwrap_or_else(|error| panic!("{error}:\n{stdout}"));
        let errors = SCHEMA.errors(&value);
        assert!(errors.is_empty(), "{errors:#?} in\n{value:#}");
        value
    });
    valid.collect()
}
