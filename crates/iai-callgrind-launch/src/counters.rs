//! Reads the counters and the amount of data that a benchmark reported.

use std::path::Path;

use iai_callgrind_base::{FileError, MalformedFile};
use iai_callgrind_plan::counter_record::{
    BYTES, ELEMENTS, LABEL, LENGTH, ReportedCounter, ReportedValue, SKIPPED,
};
use iai_callgrind_plan::{
    Counter, CounterName, CounterNameError, CounterValue, MOST_COUNTERS, Throughput,
};
use iai_callgrind_store::read_if_exists;

use crate::error::{CounterProblem, Error, LaunchError, Result};

/// The counters of a benchmark, not validated, the data that it processed, and texts, as far as it
/// reported them.
#[derive(Debug, Default)]
pub struct Reported {
    /// Text about the benchmark.
    pub label: Option<String>,
    /// The reason why the benchmark skips itself.
    pub skipped: Option<String>,
    counters: Vec<ReportedCounter>,
    elements: Option<u64>,
    bytes: Option<u64>,
}

impl Reported {
    /// Checks the counters.
    pub fn counters(self) -> Result<Vec<Counter>> {
        if self.counters.len() > MOST_COUNTERS {
            return Err(LaunchError::TooManyCounters { most: MOST_COUNTERS }.into());
        }
        let counter = |reported: ReportedCounter| {
            check(&reported).map_err(|problem| {
                let name = reported.name.escape_debug().to_string();
                LaunchError::WrongCounter { name, problem }.into()
            })
        };
        self.counters.into_iter().map(counter).collect()
    }

    /// Returns the amount of data that was reported or, otherwise, configured.
    pub fn throughput(&self, configured: Option<Throughput>) -> Option<Throughput> {
        if (self.elements, self.bytes) == (None, None) {
            return configured;
        }
        let elements = || configured.and_then(Throughput::elements);
        let bytes = || configured.and_then(Throughput::bytes);
        Throughput::new(self.elements.or_else(elements), self.bytes.or_else(bytes))
    }
}

/// Reads the file of a case under this tool. A missing file means that nothing was reported.
pub fn read_reported(tool: &'static str, path: &Path) -> Result<Reported> {
    let Some(content) = read_if_exists(path)? else { return Ok(Reported::default()) };
    let mut all = Reported::default();
    for record in content.chunks(LENGTH) {
        let reported = record.try_into().ok().and_then(ReportedCounter::decode);
        let reported = reported.ok_or_else(|| malformed(tool, path))?;
        match (&*reported.name, reported.value) {
            (ELEMENTS, ReportedValue::Unsigned(amount)) => all.elements = Some(amount),
            (BYTES, ReportedValue::Unsigned(amount)) => all.bytes = Some(amount),
            (name, _) => match (name.strip_prefix(LABEL), name.strip_prefix(SKIPPED)) {
                (Some(label), _) => all.label = Some(label.to_owned()),
                (_, Some(reason)) => all.skipped = Some(reason.to_owned()),
                _ => all.counters.push(reported),
            },
        }
    }
    Ok(all)
}

fn malformed(tool: &'static str, path: &Path) -> Error {
    FileError::Malformed { path: path.to_owned(), line: 1, cause: MalformedFile::NotCounters, tool }
        .into()
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
    use std::fs;

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
        let reported = read_reported("callgrind", &path).and_then(Reported::counters);
        let counters = reported.map_err(|error| error.to_string())?;
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
        assert_eq!(read_reported("callgrind", Path::new("/missing")).unwrap().counters, []);
    }

    #[test]
    fn amounts_are_no_counters() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("1.values");
        let [elements, bytes, counter] = [ELEMENTS, BYTES, "n"];
        let records = [(elements, 3_u64), (counter, 4), (bytes, 5)]
            .map(|(name, amount)| record(name, UNSIGNED, amount.to_le_bytes()));
        fs::write(&path, records.as_flattened()).unwrap();
        let reported = read_reported("callgrind", &path).unwrap();
        let both = Throughput::ElementsAndBytes { elements: 3, bytes: 5 };
        assert_eq!(reported.throughput(Some(Throughput::Bytes(9))), Some(both));
        let elements = Reported { bytes: None, ..reported };
        let mixed = Throughput::ElementsAndBytes { elements: 3, bytes: 9 };
        assert_eq!(elements.throughput(Some(Throughput::Bytes(9))), Some(mixed));
        let nothing = Reported::default();
        assert_eq!(nothing.throughput(Some(Throughput::Bits(9))), Some(Throughput::Bits(9)));
        assert_eq!(elements.counters.len(), 1);
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
