//! Whose blocks were counted, beside a result: DHAT's own file tells of the whole process, so whoever reads
//! it later without the benchmark file has to know.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::EntryPoint;
use nanoserde::SerJson;
use serde::Deserialize;

use super::DHAT;
use crate::error::{Error, Result};
use crate::tool::LaunchOptions;
use crate::tool::lines::malformed;

/// The extension of the file. Where nothing was configured there is none.
pub(super) const EXTENSION: &str = "owners.json";

/// The options that decide.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Recorded {
    pub(super) entry_point: EntryPoint,
    pub(super) frames: Vec<String>,
}

impl Recorded {
    pub(super) fn of(options: &LaunchOptions) -> Self {
        Self { entry_point: options.entry_point.clone(), frames: options.frames.clone() }
    }

    /// What stands beside the result's file.
    pub(super) fn beside(result: &Path) -> Result<Self> {
        let path = result.with_extension(EXTENSION);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        serde_json::from_str(&text)
            .map_err(|error| malformed(&DHAT, &path, error.line(), error.to_string()))
    }

    /// Writes it beside the result of this process, unless nothing was configured.
    pub(super) fn write(&self, process: &Path) -> Result<Option<PathBuf>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let path = process.with_extension(EXTENSION);
        let (entry_point, frames) =
            (self.entry_point.serialize_json(), self.frames.serialize_json());
        let text = format!("{{\"entry_point\":{entry_point},\"frames\":{frames}}}");
        fs::write(&path, text).map_err(Error::io("write", &path))?;
        Ok(Some(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let process = directory.path().join("17");
        let result = process.with_extension("out");
        assert_eq!(Recorded::default().write(&process).unwrap(), None);
        assert_eq!(Recorded::beside(&result).unwrap(), Recorded::default());
        for entry_point in [EntryPoint::None, EntryPoint::Custom("a\"::*".to_owned())] {
            let recorded = Recorded { entry_point, frames: vec!["b".to_owned()] };
            let path = recorded.write(&process).unwrap().unwrap();
            assert_eq!(Recorded::beside(&result).unwrap(), recorded);
            fs::write(path, "{").unwrap();
            let error = Recorded::beside(&result).unwrap_err().to_string();
            assert!(error.contains("17.owners.json"), "{error}");
        }
    }
}
