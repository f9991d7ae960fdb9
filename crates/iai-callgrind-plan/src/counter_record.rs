//! Records with which a benchmark reports its counters to the runner.
//!
//! A record has a fixed size, so the benchmark needs neither the heap nor another call for it: both
//! would count.

/// Length of a record.
pub const LENGTH: usize = 256;
/// Offset of the value: eight bytes, the lowest first.
pub const VALUE: usize = 0;
/// Offset of the byte with the kind of the value, see [`ReportedValue`].
pub const KIND: usize = 8;
/// Offset of the byte with the length of the name, [`TOO_LONG`] for a name that does not fit.
pub const NAME_LENGTH: usize = 9;
/// Place of the name.
pub const NAME: usize = 16;
/// Length of the longest name that a record has room for.
pub const LONGEST_NAME: usize = LENGTH - NAME;
/// Length of a name that is cut off.
pub const TOO_LONG: u8 = u8::MAX;

/// Name of the record with the number of bytes that the benchmark processed. No counter can have it.
pub const BYTES: &str = "=bytes";
/// Name of the record with the number of elements that the benchmark processed, see [`BYTES`].
pub const ELEMENTS: &str = "=elements";

/// Start of the name of the record with the text that a benchmark sets about itself, see [`BYTES`]. The text follows.
pub const LABEL: &str = "=label:";
/// Start of the name of the record of a benchmark that skips itself, see [`BYTES`]. The reason follows.
pub const SKIPPED: &str = "=skipped:";

/// The kinds of values.
pub const UNSIGNED: u8 = 0;
/// An integer with a sign, see [`UNSIGNED`].
pub const SIGNED: u8 = 1;
/// A number with a fraction, see [`UNSIGNED`].
pub const FLOAT: u8 = 2;

/// A counter as a benchmark reported it, not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedCounter {
    /// Name, cut off if it is too long.
    pub name: String,
    /// The name is longer than a record.
    pub is_cut_off: bool,
    /// Reported value.
    pub value: ReportedValue,
}

/// A value as a benchmark reported it, not checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReportedValue {
    /// An integer without a sign.
    Unsigned(u64),
    /// An integer with a sign.
    Signed(i64),
    /// A number with a fraction.
    Float(f64),
}

impl ReportedCounter {
    /// Decodes a record. `None` for other bytes.
    #[must_use]
    #[inline]
    pub fn decode(record: &[u8; LENGTH]) -> Option<Self> {
        let bits: [u8; 8] = std::array::from_fn(|index| record[VALUE + index]);
        let value = match record[KIND] {
            UNSIGNED => ReportedValue::Unsigned(u64::from_le_bytes(bits)),
            SIGNED => ReportedValue::Signed(i64::from_le_bytes(bits)),
            FLOAT => ReportedValue::Float(f64::from_le_bytes(bits)),
            _ => return None,
        };
        let length = record[NAME_LENGTH];
        let is_cut_off = length == TOO_LONG;
        let length = if is_cut_off { LONGEST_NAME } else { length.into() };
        let name = record[NAME..].get(..length)?;
        Some(Self { name: String::from_utf8_lossy(name).into_owned(), is_cut_off, value })
    }
}
