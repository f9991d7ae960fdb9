//! The file with the amounts of a result, next to the files of the tool.

use std::fs;
use std::path::Path;

use iai_callgrind_base::read_json;
use iai_callgrind_plan::{Amounts, Json};

use crate::{Error, Result};

/// Extension of the file. Results of benchmarks without amounts have no such file.
pub const AMOUNTS: &str = "amounts.json";

/// Writes the file of a result. Returns `false` and writes nothing if there are no amounts.
pub fn write_amounts(amounts: &Amounts, path: &Path) -> Result<bool> {
    if *amounts == Amounts::default() {
        return Ok(false);
    }
    fs::write(path, amounts.to_json()).map_err(Error::io("write", path))?;
    Ok(true)
}

/// Reads the file of a result of this tool. Without a file there are no amounts.
pub(super) fn read_amounts(tool: &'static str, path: &Path) -> Result<Amounts> {
    let amounts = read_json(path, tool, "these are not the amounts of a result")?;
    Ok(amounts.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::{Counter, CounterName, CounterValue, Throughput};

    use super::*;

    #[test]
    fn written_amounts_are_read_and_a_damaged_file_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(AMOUNTS);
        let read = || read_amounts("callgrind", &path);
        assert!(!write_amounts(&Amounts::default(), &path).unwrap());
        assert_eq!(read().unwrap(), Amounts::default());
        let amounts = Amounts {
            throughput: Some(Throughput::ElementsAndBytes { elements: 2, bytes: u64::MAX }),
            counters: vec![Counter {
                name: CounterName::new("nodes visited").unwrap(),
                value: CounterValue::number(0.1).unwrap(),
            }],
            size: Some(-3),
            curve: Some("function id".to_owned()),
            label: Some("a label".to_owned()),
        };
        assert!(write_amounts(&amounts, &path).unwrap());
        assert_eq!(read().unwrap(), amounts);
        let text = amounts.to_json();
        let wrong = "{\"throughput\":{\"Bytes\":[-1]}}";
        for damaged in ["", &text[..text.len() - 1], wrong, "{\"size\":0.5}", "[1]"] {
            fs::write(&path, damaged).unwrap();
            let error = read().unwrap_err().to_string();
            assert!(error.contains("not the amounts"), "{damaged}: {error}");
        }
    }
}
