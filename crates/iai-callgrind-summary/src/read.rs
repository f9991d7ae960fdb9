//! Reads summaries from files and from the output of `--output-format=json`.

use std::fmt;

use serde::Deserialize;

use super::{Summary, VERSION};

/// The reason why a text cannot be read as summaries.
#[derive(Debug)]
pub enum ReadError {
    /// The text is not JSON or not a summary.
    Json(serde_json::Error),
    /// The summary has another version than [`VERSION`].
    Version(u64),
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(formatter, "not a summary of iai-callgrind: {error}"),
            Self::Version(found) => write!(
                formatter,
                "a summary of version {found}, but iai-callgrind-runner {} reads version {VERSION}\n\
                 help: use the runner that wrote it",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }
}

impl std::error::Error for ReadError {}

impl Summary {
    /// Reads all summaries of a text: one on each line, indented, or in an array.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not JSON, or contains something else than summaries of this version.
    ///
    /// ```
    /// use iai_callgrind_summary::Summary;
    ///
    /// assert_eq!(Summary::read_all("").unwrap(), []);
    /// let error = Summary::read_all(r#"{"version": 99}"#).unwrap_err();
    /// assert!(error.to_string().contains("version 99"));
    /// ```
    pub fn read_all(text: &str) -> Result<Vec<Self>, ReadError> {
        let mut summaries = Vec::new();
        for value in serde_json::Deserializer::from_str(text).into_iter() {
            match value.map_err(ReadError::Json)? {
                serde_json::Value::Array(values) => {
                    for value in values {
                        summaries.push(Self::from_value(value)?);
                    }
                }
                value => summaries.push(Self::from_value(value)?),
            }
        }
        Ok(summaries)
    }

    /// Checks the version first, because everything else can differ in another version.
    fn from_value(value: serde_json::Value) -> Result<Self, ReadError> {
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => Err(ReadError::Version(version)),
            _ => Self::deserialize(value).map_err(ReadError::Json),
        }
    }
}
