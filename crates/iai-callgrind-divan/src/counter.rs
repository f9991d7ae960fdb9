//! Numbers of what one call of a routine processes.

use crate::throughput::Throughput;

/// A number of bytes, characters, cycles or items.
pub trait Counter: Sized + 'static + sealed::Sealed {
    /// Sets this number among all.
    #[doc(hidden)]
    fn __insert_into(self, throughput: &mut Throughput);

    /// Counts this many.
    #[doc(hidden)]
    fn __of(count: u64) -> Self;
}

/// Values that are a [`Counter`] or can become one.
pub trait IntoCounter {
    /// Type of the counter.
    type Counter: Counter;

    /// Converts the value.
    fn into_counter(self) -> Self::Counter;
}

impl<C: Counter> IntoCounter for C {
    type Counter = C;

    fn into_counter(self) -> C {
        self
    }
}

impl Throughput {
    /// Sets the number of this kind.
    pub(crate) fn insert(&mut self, counter: impl IntoCounter) {
        counter.into_counter().__insert_into(self);
    }
}

/// Declares a counter with the field of [`Throughput`] that it sets.
macro_rules! counters {
    ($($(#[doc = $text:literal])* $name:ident: $field:ident;)+) => {$(
        $(#[doc = $text])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// Counts this many.
            pub fn new<N: CountUInt>(count: N) -> Self {
                Self(count.into_u64())
            }
        }

        impl<N: AsCountUInt> From<N> for $name {
            fn from(count: N) -> Self {
                Self(count.as_u64())
            }
        }

        impl sealed::Sealed for $name {}

        impl Counter for $name {
            fn __insert_into(self, throughput: &mut Throughput) {
                throughput.$field = Some(self.0);
            }

            fn __of(count: u64) -> Self {
                Self(count)
            }
        }
    )+};
}

counters! {
    /// Number of bytes.
    BytesCount: bytes;
    /// Number of characters.
    CharsCount: chars;
    /// Number of cycles, such as those of a loop or of a clock.
    CyclesCount: cycles;
    /// Number of items.
    ItemsCount: items;
}

/// Declares the methods that set a number of what one call processes.
macro_rules! count_methods {
    ($type:ident) => {
        impl $type {
            /// Sets the number of bytes.
            #[must_use]
            pub fn bytes_count<C: Into<$crate::counter::BytesCount>>(self, count: C) -> Self {
                self.counter(count.into())
            }

            /// Sets the number of characters.
            #[must_use]
            pub fn chars_count<C: Into<$crate::counter::CharsCount>>(self, count: C) -> Self {
                self.counter(count.into())
            }

            /// Sets the number of cycles.
            #[must_use]
            pub fn cycles_count<C: Into<$crate::counter::CyclesCount>>(self, count: C) -> Self {
                self.counter(count.into())
            }

            /// Sets the number of items.
            #[must_use]
            pub fn items_count<C: Into<$crate::counter::ItemsCount>>(self, count: C) -> Self {
                self.counter(count.into())
            }
        }
    };
}
pub(crate) use count_methods;

impl BytesCount {
    /// Counts the bytes of a value of this type.
    #[must_use]
    pub const fn of<T>() -> Self {
        Self(size_of::<T>() as u64)
    }

    /// Counts the bytes of `n` values of this type.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`u64::MAX`].
    #[must_use]
    pub const fn of_many<T>(n: usize) -> Self {
        let bytes = (size_of::<T>() as u64).checked_mul(n as u64);
        Self(bytes.expect("the bytes are more than a counter can hold"))
    }

    /// Counts the bytes of this value.
    #[must_use]
    pub fn of_val<T: ?Sized>(val: &T) -> Self {
        Self(size_of_val(val) as u64)
    }

    /// Counts the bytes of the values of an iterator.
    pub fn of_iter<T, I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::of_many::<T>(iter.into_iter().count())
    }

    /// Counts the bytes of a string.
    pub fn of_str<S: ?Sized + AsRef<str>>(s: &S) -> Self {
        Self::of_val(s.as_ref())
    }

    /// Counts the bytes of the elements of a slice.
    pub fn of_slice<T, S: ?Sized + AsRef<[T]>>(s: &S) -> Self {
        Self::of_val(s.as_ref())
    }
}

/// Declares a constructor of [`BytesCount`] for each primitive type.
macro_rules! bytes_of {
    ($($name:ident)+) => {
        impl BytesCount {$(
            #[doc = concat!("Counts the bytes of `n` values of the type `", stringify!($name), "`.")]
            #[must_use]
            pub const fn $name(n: usize) -> Self {
                Self::of_many::<$name>(n)
            }
        )+}
    };
}

bytes_of! { f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }

impl CharsCount {
    /// Counts the characters of a string.
    pub fn of_str<S: ?Sized + AsRef<str>>(s: &S) -> Self {
        Self::new(s.as_ref().chars().count())
    }
}

impl ItemsCount {
    /// Counts the items of an iterator.
    pub fn of_iter<T, I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::new(iter.into_iter().count())
    }
}

/// Base of the units of bytes. Without effect: the runner does not abbreviate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BytesFormat {
    /// Powers of 1000.
    #[default]
    Decimal,
    /// Powers of 1024.
    Binary,
}

mod sealed {
    pub trait Sealed {}

    /// Unsigned integers of at most 64 bits.
    pub trait CountUInt: Copy + 'static {
        /// Converts the number.
        fn into_u64(self) -> u64;
    }

    /// Unsigned integers of at most 64 bits, and references to them.
    pub trait AsCountUInt {
        /// Converts the number.
        fn as_u64(&self) -> u64;
    }
}

pub(crate) use self::sealed::{AsCountUInt, CountUInt};

impl<T: AsCountUInt> AsCountUInt for &T {
    fn as_u64(&self) -> u64 {
        T::as_u64(self)
    }
}

/// Implements the traits of numbers.
macro_rules! integers {
    ($($type:ty)+) => {$(
        #[allow(clippy::cast_lossless, reason = "`usize` has no other conversion")]
        impl CountUInt for $type {
            fn into_u64(self) -> u64 {
                self as u64
            }
        }

        impl AsCountUInt for $type {
            fn as_u64(&self) -> u64 {
                self.into_u64()
            }
        }

        impl IntoCounter for $type {
            type Counter = ItemsCount;

            fn into_counter(self) -> ItemsCount {
                ItemsCount::new(self)
            }
        }
    )+};
}

integers! { u8 u16 u32 u64 usize }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_all_values() {
        let numbers = [1_u32, 2, 3];
        let expected = BytesCount::new(12_u8);
        assert_eq!(BytesCount::of_slice(&numbers), expected);
        assert_eq!(BytesCount::of_iter(numbers), expected);
        assert_eq!(BytesCount::of_val(&numbers), expected);
        assert_eq!(BytesCount::of::<[u32; 3]>(), expected);
        assert_eq!(BytesCount::u32(3), expected);
        assert_eq!(BytesCount::of_str("äöü + äöü"), BytesCount::from(15_usize));
    }

    #[test]
    fn characters_are_not_bytes() {
        assert_eq!(CharsCount::of_str("äöü"), CharsCount::from(&3_u16));
    }

    #[test]
    fn a_plain_number_counts_items() {
        assert_eq!(7_u32.into_counter(), ItemsCount::of_iter(0..7));
    }
}
