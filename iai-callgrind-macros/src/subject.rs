//! What a benchmark measures, and how the macros differ in it.

use proc_macro2::{Ident, Span};
use syn::Signature;

/// What a benchmark measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The function.
    Library,
    /// The command that the function makes.
    Binary,
}

/// A function and what its benchmarks measure.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) function: &'a Signature,
    pub(crate) subject: Subject,
}

impl Subject {
    /// The attribute that the user writes.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Library => "`#[library_benchmark]`",
            Self::Binary => "`#[binary_benchmark]`",
        }
    }

    /// The function that takes the value of a `config = ...`.
    pub(crate) fn config(self) -> Ident {
        let name = match self {
            Self::Library => "library_config",
            Self::Binary => "binary_config",
        };
        Ident::new(name, Span::mixed_site())
    }
}
