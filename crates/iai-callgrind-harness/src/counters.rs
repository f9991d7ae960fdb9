//! Counters: values that a benchmark reports by name.
//!
//! A report must not change what is counted. So it uses neither the heap nor another function: the runner leaves out the
//! instructions of [`record`] by its symbol. A child of the fork server writes the records to a file at its end, if there
//! are any.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use iai_callgrind_plan::MOST_COUNTERS;
use iai_callgrind_plan::counter_record::{
    BYTES, ELEMENTS, FLOAT, KIND, LENGTH, LONGEST_NAME, NAME, NAME_LENGTH, SIGNED, TOO_LONG,
    UNSIGNED, VALUE,
};

/// Reports a named value of the running benchmark, such as a compression ratio, the number of visited nodes or of written
/// bytes.
///
/// It is printed after the metrics of the benchmark, compared with the old value, and checked against limits
/// (`--counter-limits`,
/// [`counter_soft_limits`](crate::LibraryBenchmarkConfig::counter_soft_limits)).
/// Integers and floating-point numbers are values, unless they are negative, infinite or NaN. If a benchmark reports a
/// name several times, the last value counts.
///
/// The name has 1 to 60 characters without `|`, `:`, `,` and `=`, on one line. It is not the name of a metric such as
/// `Ir`. A benchmark has up to 64 counters. Anything else is an error of the benchmark.
///
/// A benchmark can report in its setup, in the function, in its teardown and in any of its threads, but not in another
/// process. Outside of a benchmark under Valgrind, nothing happens.
///
/// # Instructions
///
/// In the benchmark function, the instructions that pass the arguments and make the call count, about five. Those of the
/// report itself do not, under callgrind and cachegrind with the default entry point and with symbols in the executable.
/// In a setup or a teardown nothing counts. The report does not use the heap.
///
/// ```
/// use iai_callgrind::{counter, library_benchmark};
/// # fn compress(text: &str) -> Vec<u8> { text.into() }
///
/// fn report(compressed: Vec<u8>) {
///     counter("compressed bytes", compressed.len());
/// }
///
/// #[library_benchmark(teardown = report)]
/// #[bench::hello("hello hello hello")]
/// fn compression(text: &str) -> Vec<u8> {
///     compress(text)
/// }
/// ```
#[inline]
pub fn counter<V: CounterValue>(name: &str, value: V) {
    let Parts { kind, bits } = value.into_parts();
    record(name.as_ptr(), name.len(), kind, bits);
}

/// Reports the elements and bytes that all counted calls of the running benchmark process together. They replace the amounts
/// of its configuration.
pub fn report_amount(elements: Option<u64>, bytes: Option<u64>) {
    for (name, amount) in [(ELEMENTS, elements), (BYTES, bytes)] {
        if let Some(amount) = amount {
            counter(name, amount);
        }
    }
}

/// Reports a text of the running benchmark, in a record whose name starts like this.
pub fn report_text(start: &str, text: &str) {
    counter(&format!("{start}{text}"), 0_u8);
}

/// A value of a [`counter`]: an integer of up to 64 bits, or a floating-point number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a counter",
    label = "neither an integer of up to 64 bits nor a floating-point number"
)]
pub trait CounterValue: Copy {
    /// Returns the value as a record has it.
    #[doc(hidden)]
    fn into_parts(self) -> Parts;
}

/// The value of a record.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    kind: u8,
    bits: u64,
}

/// Implements [`CounterValue`] for types of numbers.
macro_rules! values {
    ($($kind:ident: $($number:ty)+ => $bits:expr;)+) => {$($(
        impl CounterValue for $number {
            #[inline]
            fn into_parts(self) -> Parts {
                let bits: fn($number) -> u64 = $bits;
                Parts { kind: $kind, bits: bits(self) }
            }
        }
    )+)+};
}

values! {
    UNSIGNED: u8 u16 u32 => |value| value.into();
    UNSIGNED: u64 => |value| value;
    UNSIGNED: usize => |value| value as u64;
    SIGNED: i8 i16 i32 => |value| signed_bits(value.into());
    SIGNED: i64 => signed_bits;
    SIGNED: isize => |value| signed_bits(value as i64);
    FLOAT: f32 => |value| f64::from(value).to_bits();
    FLOAT: f64 => f64::to_bits;
}

#[inline]
fn signed_bits(value: i64) -> u64 {
    u64::from_ne_bytes(value.to_ne_bytes())
}

/// Number of records: one more counter than a benchmark can have, so that the runner sees the excess, two amounts and a text.
const RECORDS: usize = MOST_COUNTERS + 4;

/// Reports are recorded.
static IS_RECORDING: AtomicBool = AtomicBool::new(false);
/// A thread uses the records.
static IS_LOCKED: AtomicBool = AtomicBool::new(false);
/// Number of records in use.
static USED: AtomicUsize = AtomicUsize::new(0);
// Copies of atomic bytes do not become calls of `memcpy` and `memcmp`
static STORED: [[AtomicU8; LENGTH]; RECORDS] =
    [const { [const { AtomicU8::new(0) }; LENGTH] }; RECORDS];

/// Starts or ends the recording of reports.
pub(crate) fn set_recording(is_recording: bool) {
    IS_RECORDING.store(is_recording, Ordering::Relaxed);
}

/// Records a report. The runner knows this function by its path.
#[inline(never)]
fn record(name: *const u8, length: usize, kind: u8, bits: u64) {
    if !IS_RECORDING.load(Ordering::Relaxed) {
        return;
    }
    while IS_LOCKED.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let kept = if length < LONGEST_NAME { length } else { LONGEST_NAME };
    // SAFETY: the name is as long as `counter` says, and lives until it returns.
    let name = unsafe { std::slice::from_raw_parts(name, kept) };
    let stored_length = match u8::try_from(length) {
        Ok(stored) if length <= LONGEST_NAME => stored,
        _ => TOO_LONG,
    };
    let used = USED.load(Ordering::Relaxed);
    let mut index = 0;
    while index < used && !has_name(&STORED[index], name, stored_length) {
        index += 1;
    }
    if index < RECORDS {
        if index == used {
            USED.store(used + 1, Ordering::Relaxed);
        }
        write(&STORED[index], name, stored_length, kind, bits);
    }
    IS_LOCKED.store(false, Ordering::Release);
}

/// Returns `true` for a record with this name.
#[inline(always)]
fn has_name(record: &[AtomicU8; LENGTH], name: &[u8], length: u8) -> bool {
    if record[NAME_LENGTH].load(Ordering::Relaxed) != length {
        return false;
    }
    for (byte, stored) in name.iter().zip(&record[NAME..]) {
        if stored.load(Ordering::Relaxed) != *byte {
            return false;
        }
    }
    true
}

/// Overwrites a record.
#[inline(always)]
fn write(record: &[AtomicU8; LENGTH], name: &[u8], length: u8, kind: u8, bits: u64) {
    for (stored, byte) in record[NAME..].iter().zip(name) {
        stored.store(*byte, Ordering::Relaxed);
    }
    for (stored, byte) in record[VALUE..].iter().zip(bits.to_le_bytes()) {
        stored.store(byte, Ordering::Relaxed);
    }
    record[NAME_LENGTH].store(length, Ordering::Relaxed);
    record[KIND].store(kind, Ordering::Relaxed);
}

/// Returns the records in use, one after the other. Another thread can change them.
pub(crate) fn records() -> &'static [AtomicU8] {
    STORED[..USED.load(Ordering::Relaxed)].as_flattened()
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::counter_record::{ReportedCounter, ReportedValue};

    use super::*;

    /// Returns the recorded counters.
    fn recorded() -> Vec<ReportedCounter> {
        let bytes: Vec<u8> = records().iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
        let records = bytes.chunks(LENGTH).map(|record| record.try_into().unwrap());
        records.map(|record| ReportedCounter::decode(record).unwrap()).collect()
    }

    // The records belong to the process, so one test has all
    #[test]
    fn the_last_value_of_each_name_is_recorded() {
        counter("before", 1);
        assert!(recorded().is_empty());
        set_recording(true);
        counter("nodes", 41_u64);
        counter("ratio", 2.5);
        counter("", -1);
        counter("nodes", 42_usize);
        counter("node", f32::INFINITY);
        let counter_of =
            |name: &str, value| ReportedCounter { name: name.to_owned(), is_cut_off: false, value };
        let mut expected = vec![
            counter_of("nodes", ReportedValue::Unsigned(42)),
            counter_of("ratio", ReportedValue::Float(2.5)),
            counter_of("", ReportedValue::Signed(-1)),
            counter_of("node", ReportedValue::Float(f64::INFINITY)),
        ];
        assert_eq!(recorded(), expected);
        let longest = "x".repeat(LONGEST_NAME);
        counter(&longest, 1_u8);
        counter(&(longest.clone() + "y"), 2_u8);
        expected.push(counter_of(&longest, ReportedValue::Unsigned(1)));
        let cut_off = counter_of(&longest, ReportedValue::Unsigned(2));
        expected.push(ReportedCounter { is_cut_off: true, ..cut_off });
        assert_eq!(recorded(), expected);
        let threads = (0..4).map(|thread| {
            std::thread::spawn(move || (0..100).for_each(|n| counter(&format!("{n}"), thread)))
        });
        threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(recorded().len(), RECORDS, "there is one too many, and no more");
        assert_eq!(recorded()[..expected.len()], expected);
        set_recording(false);
    }
}
