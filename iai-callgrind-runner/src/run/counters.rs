//! Reads the counters that a benchmark reported.

use std::fs;
use std::io;
use std::path::Path;

use iai_callgrind_plan::counter_record::{LENGTH, ReportedCounter, ReportedValue};
use iai_callgrind_plan::{Counter, CounterName, CounterNameError, CounterValue, MOST_COUNTERS};

use crate::error::{Error, Result};
use crate::failure::{CounterProblem, Failure};

/// Reads the file of a case under this tool. Without a file there are no counters.
pub(super) fn read_counters(tool: &'static str, path: &Path) -> Result<Vec<Counter>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(Error::io("read", path))?,
    };
    let records = bytes.chunks(LENGTH);
    if records.len() > MOST_COUNTERS {
        return Err(Failure::TooManyCounters { most: MOST_COUNTERS }.into());
    }
    let counter = |record: &[u8]| {
        let reported = record.try_into().ok().and_then(ReportedCounter::decode);
        let reported = reported.ok_or_else(|| malformed(tool, path))?;
        check(&reported).map_err(|problem| {
            let name = reported.name.escape_debug().to_string();
            Failure::WrongCounter { name, problem }.into()
        })
    };
    records.map(counter).collect()
}

fn malformed(tool: &'static str, path: &Path) -> Error {
    let what = "these are not the counters of a benchmark".to_owned();
    Error::Malformed { path: path.to_owned(), line: 1, what, tool }
}

fn check(reported: &ReportedCounter) -> Result<Counter, CounterProblem> {
    if reported.is_cut_off {
        return Err(CounterProblem::Name(CounterNameError::TooLong));
    }
    let name = CounterName::new(&reported.name).map_err(CounterProblem::Name)?;
    let wrong = |value: &dyn ToString| CounterProblem::Value { value: value.to_string() };
    let value = match reported.value {
        ReportedValue::Unsigned(value) => CounterValue::Count(value),
        ReportedValue::Signed(value) => {
            CounterValue::Count(u64::try_from(value).map_err(|_| wrong(&value))?)
        }
        ReportedValue::Float(value) => CounterValue::number(value).ok_or_else(|| wrong(&value))?,
    };
    Ok(Counter { name, value })
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::counter_record::{FLOAT, KIND, NAME, NAME_LENGTH, SIGNED, UNSIGNED};

    use super::*;

    fn record(name: &str, kind: u8, value: [u8; 8]) -> [u8; LENGTH] {
        let mut record = [0; LENGTH];
        record[..8].copy_from_slice(&value);
        record[KIND] = kind;
        record[NAME_LENGTH] = u8::try_from(name.len()).unwrap();
        record[NAME..][..name.len()].copy_from_slice(name.as_bytes());
        record
    }

    fn read(records: &[[u8; LENGTH]]) -> Result<Vec<(&'static str, CounterValue)>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("1.values");
        fs::write(&path, records.as_flattened()).unwrap();
        let counters = read_counters("callgrind", &path).map_err(|error| error.to_string())?;
        Ok(counters.iter().map(|counter| (counter.name.as_str(), counter.value)).collect())
    }

    #[test]
    fn counters_have_the_order_of_the_file() {
        let records = [
            record("z", UNSIGNED, u64::MAX.to_le_bytes()),
            record("größe", SIGNED, 5_i64.to_le_bytes()),
            record("a b", FLOAT, 2.5_f64.to_le_bytes()),
        ];
        let expected = vec![
            ("z", CounterValue::Count(u64::MAX)),
            ("größe", CounterValue::Count(5)),
            ("a b", CounterValue::number(2.5).unwrap()),
        ];
        assert_eq!(read(&records), Ok(expected));
        assert_eq!(read_counters("callgrind", Path::new("/missing")).unwrap(), []);
    }

    #[test]
    fn wrong_counters_are_failures() {
        let mut cut_off = record("x", UNSIGNED, [0; 8]);
        cut_off[NAME_LENGTH] = u8::MAX;
        for (record, part) in [
            (record("a=b", UNSIGNED, [0; 8]), "the counter `a=b`: the name contains `=`\nhelp: "),
            (record("a\nb", UNSIGNED, [0; 8]), "the counter `a\\nb`: the name contains `\\n`"),
            (record("", UNSIGNED, [0; 8]), "the counter ``: the name is empty"),
            (cut_off, "the name is longer than 60 characters"),
            (
                record("n", SIGNED, (-5_i64).to_le_bytes()),
                "the counter `n`: -5 is not a value\nhelp:",
            ),
            (record("n", FLOAT, f64::NAN.to_le_bytes()), "NaN is not a value"),
            (record("n", 9, [0; 8]), "these are not the counters of a benchmark"),
        ] {
            let error = read(&[record]).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let names: Vec<_> = (0..=MOST_COUNTERS).map(|number| number.to_string()).collect();
        let records: Vec<_> = names.iter().map(|name| record(name, UNSIGNED, [0; 8])).collect();
        assert_eq!(read(&records[1..]).unwrap().len(), MOST_COUNTERS);
        let error = read(&records).unwrap_err();
        assert!(error.starts_with("the benchmark reported more than 64 counters"), "{error}");
    }
}
