//! The two kinds of benchmarks, and the differences between their macros.

use proc_macro2::{Ident, Span};
use syn::Signature;

/// Subject of a measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The benchmark function.
    Library,
    /// The command that the benchmark function returns.
    Binary,
}

/// Benchmark function with the subject of its benchmarks.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) function: &'a Signature,
    pub(crate) subject: Subject,
}

impl Subject {
    /// Returns the attribute that the user writes.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Library => "`#[library_benchmark]`",
            Self::Binary => "`#[binary_benchmark]`",
        }
    }

    /// Returns the library's function that takes the value of a `config = ...`.
    pub(crate) fn config_function(self, span: Span) -> Ident {
        let name = match self {
            Self::Library => "library_config",
            Self::Binary => "binary_config",
        };
        Ident::new(name, span)
    }
}
