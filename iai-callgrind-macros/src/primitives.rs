//! Names of primitive types.

use proc_macro2::Ident;
use syn::ext::IdentExt;

const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize",
];

/// Returns `true` for the name of a primitive type.
pub(crate) fn is_primitive(name: &Ident) -> bool {
    PRIMITIVES.iter().any(|primitive| name.unraw() == primitive)
}
