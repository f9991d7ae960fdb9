//! Reads summaries, from one file or from the stream that `--output-format=json` makes.

use std::fmt;

use serde::Deserialize;

use super::{Summary, VERSION};

/// Why a text can't be read as summaries
#[derive(Debug)]
pub enum ReadError {
    /// It is no JSON, or not that of a summary
    Json(serde_json::Error),
    /// It is of another version than [`VERSION`]
    Version(u64),
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(formatter, "not a summary of iai-callgrind: {error}"),
            Self::Version(found) => write!(
                formatter,
                "a summary of version {found}, but iai-callgrind-runner {} reads version {VERSION}.\n\
                 Use the runner that wrote it",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }
}

impl std::error::Error for ReadError {}

impl Summary {
    /// Reads the objects of a text, which may stand on one line each, or indented, or in an array
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

    /// The version comes first, because in another one anything can be different
    fn from_value(value: serde_json::Value) -> Result<Self, ReadError> {
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => Err(ReadError::Version(version)),
            _ => Self::deserialize(value).map_err(ReadError::Json),
        }
    }
}
