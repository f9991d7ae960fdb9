//! `library_benchmark_group!`: functions under a name.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::level::Level;
use crate::parameters::Syntax;
use crate::subject::Subject;

const SYNTAX: Syntax = Syntax {
    name: "`library_benchmark_group!`",
    keys: &["name", "benchmarks", "compare_by_id", "config", "setup", "teardown"],
};

const EXAMPLE: &str = "library_benchmark_group!(name = some_group; benchmarks = some_function)";

/// Declares the group, or reports the mistakes.
///
/// A group with mistakes is declared all the same, so that `main!` doesn't complain about it too.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut parameters = SYNTAX.parse_tokens(input, &mut errors);

    let name = parameters
        .require("name", EXAMPLE, &mut errors)
        .and_then(|name| errors.check(name.into_identifier()));
    let benchmarks = parameters
        .require("benchmarks", EXAMPLE, &mut errors)
        .and_then(|benchmarks| errors.check(benchmarks.into_paths()))
        .unwrap_or_default();

    let compare_by_id = parameters
        .take_expression("compare_by_id", &mut errors)
        .map_or_else(|| quote_spanned!(Span::mixed_site()=> false), ToTokens::into_token_stream);

    let level = Level::take(&mut parameters, &mut errors);
    let (config, hooks) = (level.config(Subject::Library), level.hooks());

    let group = name.map(|name| {
        let text = name.unraw().to_string();
        let functions = benchmarks.iter().map(function);
        quote_spanned! {Span::mixed_site()=>
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            pub struct #name {}

            impl ::iai_callgrind::__internal::LibraryBenchmarkGroup for #name {
                const GROUP: ::iai_callgrind::__internal::Group =
                    ::iai_callgrind::__internal::Group {
                        name: #text,
                        compare_by_id: #compare_by_id,
                        config: #config,
                        hooks: #hooks,
                        functions: ::iai_callgrind::__internal::Functions::Library(
                            &[#(#functions),*]
                        ),
                    };
            }
        }
    });

    let errors = errors.into_compile_errors();
    quote_spanned!(Span::mixed_site()=> #errors #group)
}

/// With the path's span, so that it is the path that the compiler shows if it is wrong.
fn function(path: &Path) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    quote_spanned!(span=> <#path as ::iai_callgrind::__internal::LibraryBenchmark>::FUNCTION)
}
