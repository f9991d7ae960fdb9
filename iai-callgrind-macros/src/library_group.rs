//! `library_benchmark_group!`: functions under a name.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Path;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::group::{Group, Macro};
use crate::level::Level;
use crate::parameters::{Parameters, Syntax};
use crate::subject::Subject;

/// The macro.
pub(crate) const MACRO: Macro = Macro {
    syntax: Syntax {
        name: "`library_benchmark_group!`",
        keys: &["name", "benchmarks", "compare_by_id", "config", "setup", "teardown"],
    },
    example: "library_benchmark_group!(name = some_group; benchmarks = some_function)",
    declares: "LibraryBenchmarkGroup",
    take,
};

fn take(_: &Ident, parameters: &mut Parameters, errors: &mut Errors) -> Group {
    let benchmarks = parameters
        .require("benchmarks", MACRO.example, errors)
        .and_then(|benchmarks| errors.check(benchmarks.into_paths()))
        .unwrap_or_default();
    let functions = benchmarks.iter().map(function);
    let functions = quote_spanned! {Span::mixed_site()=>
        ::iai_callgrind::__internal::Functions::Library(&[#(#functions),*])
    };
    let level = Level::take(parameters, errors);
    let config = level.config(Subject::Library);
    Group { config, hooks: level.hooks(), functions, others: TokenStream::new() }
}

/// With the path's span, so that it is the path that the compiler shows if it is wrong.
fn function(path: &Path) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    quote_spanned!(span=> <#path as ::iai_callgrind::__internal::LibraryBenchmark>::FUNCTION)
}
