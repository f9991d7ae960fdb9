//! The amount of data that a benchmark processes.

use crate::json::json_enum;

/// The amount of data that one call of a benchmark function, or one run of a command, processes.
///
/// From it, the metrics `IrPerByte`, `IrPerElement` and `IrPerBit` are computed. An amount of zero has no metric.
///
/// ```
/// use iai_callgrind_plan::Throughput;
///
/// let text = "instructions per byte";
/// assert_eq!(Throughput::Bytes(text.len() as u64), Throughput::Bytes(21));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Throughput {
    /// Bytes.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Bytes(u64),
    /// Bytes, the same as `Bytes` here. Criterion prints them in powers of 1000 instead of 1024.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    BytesDecimal(u64),
    /// Elements, such as rows, requests or numbers.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Elements(u64),
    /// Elements that consist of bytes.
    ElementsAndBytes {
        /// Number of elements.
        elements: u64,
        /// Number of bytes of all elements.
        bytes: u64,
    },
    /// Bits.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Bits(u64),
}

impl Throughput {
    /// Returns an amount of these elements and bytes; `None` without both.
    #[must_use]
    #[inline]
    pub fn new(elements: Option<u64>, bytes: Option<u64>) -> Option<Self> {
        match (elements, bytes) {
            (None, None) => None,
            (Some(elements), None) => Some(Self::Elements(elements)),
            (None, Some(bytes)) => Some(Self::Bytes(bytes)),
            (Some(elements), Some(bytes)) => Some(Self::ElementsAndBytes { elements, bytes }),
        }
    }

    /// Returns the amount of several calls.
    #[must_use]
    #[inline]
    pub fn of_calls(self, calls: u16) -> Self {
        let times = |amount: u64| amount.saturating_mul(u64::from(calls));
        match self {
            Self::Bytes(bytes) => Self::Bytes(times(bytes)),
            Self::BytesDecimal(bytes) => Self::BytesDecimal(times(bytes)),
            Self::Elements(elements) => Self::Elements(times(elements)),
            Self::ElementsAndBytes { elements, bytes } => {
                Self::ElementsAndBytes { elements: times(elements), bytes: times(bytes) }
            }
            Self::Bits(bits) => Self::Bits(times(bits)),
        }
    }

    /// Returns the number of elements or, without one, that of bytes or bits.
    #[must_use]
    #[inline]
    pub fn amount(self) -> u64 {
        match self {
            Self::Bytes(amount)
            | Self::BytesDecimal(amount)
            | Self::Elements(amount)
            | Self::ElementsAndBytes { elements: amount, .. }
            | Self::Bits(amount) => amount,
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    #[inline]
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Bytes(bytes)
            | Self::BytesDecimal(bytes)
            | Self::ElementsAndBytes { bytes, .. } => Some(bytes),
            Self::Elements(_) | Self::Bits(_) => None,
        }
    }

    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn elements(self) -> Option<u64> {
        match self {
            Self::Elements(elements) | Self::ElementsAndBytes { elements, .. } => Some(elements),
            Self::Bytes(_) | Self::BytesDecimal(_) | Self::Bits(_) => None,
        }
    }

    /// Returns the number of bits.
    #[inline]
    pub(crate) fn bits(self) -> Option<u64> {
        match self {
            Self::Bits(bits) => Some(bits),
            _ => None,
        }
    }
}

json_enum!(Throughput {
    Bytes(value),
    BytesDecimal(value),
    Elements(value),
    ElementsAndBytes { elements, bytes },
    Bits(value)
});
