//! The file with the throughput of a result, next to the files of the tool.

use std::fs;
use std::io;
use std::path::Path;

use iai_callgrind_plan::Throughput;

use crate::error::{Error, Result};

/// Extension of the file. A result of a benchmark without a throughput does not have one.
pub(crate) const THROUGHPUT: &str = "throughput.json";

/// Reads the file of a result of this tool; `None` if there is none.
pub(super) fn read_throughput(tool: &'static str, path: &Path) -> Result<Option<Throughput>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Error::io("read", path))?,
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| Error::Malformed {
        path: path.to_owned(),
        line: error.line().max(1),
        what: "this is not a throughput".to_owned(),
        tool,
    })
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Json;

    use super::*;

    #[test]
    fn a_written_throughput_is_read_and_a_damaged_one_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(THROUGHPUT);
        let read = || read_throughput("callgrind", &path);
        assert_eq!(read().unwrap(), None);
        let throughput = Throughput::ElementsAndBytes { elements: 2, bytes: u64::MAX };
        let text = throughput.to_json();
        fs::write(&path, &text).unwrap();
        assert_eq!(read().unwrap(), Some(throughput));
        for damaged in ["", &text[..text.len() - 1], "{\"Bytes\":[-1]}", "{\"Bytes\":[]}", "[]"] {
            fs::write(&path, damaged).unwrap();
            let error = read().unwrap_err().to_string();
            assert!(error.contains("not a throughput"), "{damaged}: {error}");
        }
    }
}
