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
        self.name(["library_config", "binary_config"], span)
    }

    /// Returns the library's type of a benchmark function.
    pub(crate) fn function(self) -> Ident {
        self.name(["LibraryFunction", "BinaryFunction"], Span::mixed_site())
    }

    /// Returns the field of that type with the name in the titles.
    pub(crate) fn title(self) -> Ident {
        self.name(["title", "name"], Span::mixed_site())
    }

    /// Returns the library's type of a case.
    pub(crate) fn case(self) -> Ident {
        self.name(["LibraryCase", "BinaryCase"], Span::mixed_site())
    }

    /// Returns the library's trait of an annotated function.
    pub(crate) fn function_trait(self, span: Span) -> Ident {
        self.name(["LibraryBenchmark", "BinaryBenchmarkFunction"], span)
    }

    /// Returns the library's trait of a group.
    pub(crate) fn group_trait(self, span: Span) -> Ident {
        self.name(["LibraryBenchmarkGroup", "BinaryBenchmarkGroupData"], span)
    }

    /// Returns the variant of the library's enums of functions.
    pub(crate) fn variant(self) -> Ident {
        self.name(["Library", "Binary"], Span::mixed_site())
    }

    /// Returns the name of something in the library that is for one kind of benchmarks.
    fn name(self, [library, binary]: [&str; 2], span: Span) -> Ident {
        Ident::new(if self == Self::Library { library } else { binary }, span)
    }
}
