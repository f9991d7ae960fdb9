//! Conversions of references to builders.

/// Converts references, which methods of builders return, to values.
macro_rules! from_references {
    ($type:ident: $($reference:ty),+) => {
        $(
            impl From<$reference> for $type {
                fn from(value: $reference) -> Self {
                    value.clone()
                }
            }
        )+
    };
}
pub(crate) use from_references;
