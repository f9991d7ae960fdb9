//! `cargo xtask schema`: the JSON schema of the machine-readable output, made from its types.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use iai_callgrind_summary::{Summary, VERSION};
use schemars::generate::SchemaSettings;
use xtask::command;

/// Writes the schema
pub(crate) fn run() -> Result<ExitCode, String> {
    let path = path();
    fs::write(&path, text()?)
        .map_err(|error| format!("can't write {}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(ExitCode::SUCCESS)
}

fn name() -> String {
    format!("summary.v{VERSION}.schema.json")
}

fn path() -> PathBuf {
    command::root().join("schemas").join(name())
}

fn text() -> Result<String, String> {
    // The schema of written values: a value that does not exist is null and never left out
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Summary>();
    schema.insert("$id".to_owned(), name().into());
    let json = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
    Ok(json + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_types() {
        let found = fs::read_to_string(path()).unwrap_or_default();
        assert!(
            found == text().unwrap(),
            "{} is stale: run `cargo xtask schema`",
            path().display()
        );
    }
}
