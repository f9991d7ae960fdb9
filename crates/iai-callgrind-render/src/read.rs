//! Reads summaries of other runs, which are not trusted.

use std::mem;
use std::path::{Path, PathBuf};

use iai_callgrind_base::console::{make_one_line, one_line, visible_text};
use iai_callgrind_base::input::read_text;
use iai_callgrind_summary::Summary;
use serde_json::Value;

use super::error::{Error, ReportError, Result};

/// Reads the summaries of earlier runs.
pub fn read_summaries(files: &[PathBuf]) -> Result<Vec<Summary>> {
    let mut summaries = Vec::new();
    for path in files {
        let text = read_text(path)?;
        let invalid = |source| ReportError::InvalidSummary { path: path.clone(), source };
        summaries.extend(Summary::read_all(&text).map_err(invalid)?);
    }
    summaries.into_iter().map(|summary| visible(&summary)).collect()
}

/// Returns a summary whose texts have no control characters, and whose names are lines.
fn visible(summary: &Summary) -> Result<Summary> {
    let escape = || {
        let mut value = serde_json::to_value(summary)?;
        escape_texts(&mut value);
        serde_json::from_value(value)
    };
    let mut summary = escape().map_err(|error: serde_json::Error| {
        Error::io("read", Path::new("the summary"))(error.into())
    })?;
    make_names_lines(&mut summary);
    Ok(summary)
}

/// Escapes the control characters of all texts in a value. Names of metrics and fields are keys.
fn escape_texts(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible_text(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(escape_texts),
        Value::Object(fields) => {
            *fields = mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    escape_texts(&mut value);
                    (one_line(&name).into_owned(), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Makes the names in a summary lines.
fn make_names_lines(summary: &mut Summary) {
    let Summary {
        name,
        package,
        file,
        group,
        function,
        id,
        external_id,
        label,
        arguments,
        target,
        ..
    } = summary;
    let optional = [function, id, external_id, label, arguments, target].into_iter().flatten();
    [name, package, file, group].into_iter().chain(optional).for_each(make_one_line);
}
