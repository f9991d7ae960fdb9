//! Measurements, as far as files name them. Counts do not use them.

use std::time::{Duration, Instant};

use crate::Throughput;

/// A measurement of something else than time.
pub trait Measurement {
    /// Value at the start.
    type Intermediate;

    /// Result.
    type Value;

    /// Starts to measure.
    fn start(&self) -> Self::Intermediate;

    /// Ends what [`Self::start`] started.
    fn end(&self, i: Self::Intermediate) -> Self::Value;

    /// Returns the sum of two results.
    fn add(&self, v1: &Self::Value, v2: &Self::Value) -> Self::Value;

    /// Returns the result of nothing.
    fn zero(&self) -> Self::Value;

    /// Returns a result as a number.
    fn to_f64(&self, value: &Self::Value) -> f64;

    /// Returns what formats the numbers.
    fn formatter(&self) -> &dyn ValueFormatter;
}

/// Formats numbers of a [`Measurement`].
pub trait ValueFormatter {
    /// Formats a value with its unit.
    fn format_value(&self, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_values(value, &mut values);
        format!("{:>6} {unit}", values[0])
    }

    /// Formats a throughput with its unit.
    fn format_throughput(&self, throughput: &Throughput, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_throughputs(value, throughput, &mut values);
        format!("{:>6} {unit}", values[0])
    }

    /// Converts values to the unit for a typical value, and returns the unit.
    fn scale_values(&self, typical_value: f64, values: &mut [f64]) -> &'static str;

    /// Converts throughputs to the unit for a typical value, and returns the unit.
    fn scale_throughputs(
        &self,
        typical_value: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str;

    /// Converts values to the same unit always, and returns the unit.
    fn scale_for_machines(&self, values: &mut [f64]) -> &'static str;
}

/// Time on the clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallTime;

impl Measurement for WallTime {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        Instant::now()
    }

    fn end(&self, start: Instant) -> Duration {
        start.elapsed()
    }

    fn add(&self, left: &Duration, right: &Duration) -> Duration {
        *left + *right
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a benchmark")]
    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Nanoseconds
    }
}

/// Formats times in nanoseconds.
struct Nanoseconds;

impl ValueFormatter for Nanoseconds {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "ns"
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of a benchmark")]
    fn scale_throughputs(
        &self,
        _: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str {
        let (number, unit) = match *throughput {
            Throughput::Bits(bits) => (bits, "b/s"),
            Throughput::Bytes(bytes) | Throughput::BytesDecimal(bytes) => (bytes, "B/s"),
            Throughput::Elements(elements) | Throughput::ElementsAndBytes { elements, .. } => {
                (elements, "elem/s")
            }
        };
        for value in values {
            *value = number as f64 * 1e9 / *value;
        }
        unit
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns"
    }
}
