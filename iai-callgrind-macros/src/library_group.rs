//! `library_benchmark_group!`: a group of benchmark functions.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::group::{Group, GroupMacro};
use crate::level::Level;
use crate::library_path::LibraryPath;
use crate::parameters::{ListedFunction, Parameters, Syntax};
use crate::subject::Subject;
use crate::tokens::{table, text};

pub(crate) const MACRO: GroupMacro = GroupMacro {
    syntax: Syntax {
        name: "`library_benchmark_group!`",
        keys: &[
            "name",
            "benchmarks",
            "compare_by_id",
            "max_parallel",
            "config",
            "setup",
            "teardown",
            "crate",
        ],
    },
    example: "library_benchmark_group!(name = some_group; benchmarks = some_function)",
    declares: "LibraryBenchmarkGroup",
    take,
};

fn take(
    _: &Ident,
    library: &LibraryPath,
    parameters: &mut Parameters,
    errors: &mut Errors,
) -> Group {
    let is_compared = parameters.contains("compare_by_id");
    let benchmarks = parameters
        .require("benchmarks", MACRO.example, errors)
        .and_then(|benchmarks| errors.check(benchmarks.into_functions(is_compared)))
        .unwrap_or_default();
    let functions: Vec<_> = benchmarks.iter().map(|listed| function(library, listed)).collect();
    let functions = table(library, "LibraryFunction", &functions);
    let functions = quote_spanned! {Span::mixed_site()=>
        #library::Functions::Library(#functions)
    };
    let level = Level::take(library, parameters, errors);
    let config = level.config(Subject::Library);
    Group { config, hooks: level.hooks(), functions, items: TokenStream::new() }
}

/// Expands with the path's span, so that the compiler shows a wrong path.
fn function(library: &LibraryPath, listed: &ListedFunction) -> TokenStream {
    let ListedFunction { path, title } = listed;
    let span = Span::mixed_site().located_at(path.span());
    let library = library.located_at(span);
    let function = quote_spanned!(span=> <#path as #library::LibraryBenchmark>::FUNCTION);
    match title {
        Some(title) => {
            let title = text(&library, title);
            quote_spanned!(span=> #library::LibraryFunction { title: #title, ..#function })
        }
        None => function,
    }
}
