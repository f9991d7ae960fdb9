//! `main!`: the groups of a benchmark file, and the file's `main` function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Path;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::level::Level;
use crate::parameters::Syntax;

const SYNTAX: Syntax =
    Syntax { name: "`main!`", keys: &["library_benchmark_groups", "config", "setup", "teardown"] };

const EXAMPLE: &str = "main!(library_benchmark_groups = some_group)";

/// The `main` function, or the mistakes.
///
/// There is one in any case, so that the compiler doesn't miss it too.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut parameters = SYNTAX.parse_tokens(input, &mut errors);

    let groups = parameters
        .require("library_benchmark_groups", EXAMPLE, &mut errors)
        .and_then(|groups| errors.check(groups.into_paths()))
        .unwrap_or_default();
    let groups = groups.iter().map(group);
    let level = Level::take(&mut parameters, &mut errors);
    let (config, hooks) = (level.config(), level.hooks());

    let errors = errors.into_compile_errors();
    quote_spanned! {Span::mixed_site()=>
        #errors

        fn main() -> ::std::process::ExitCode {
            ::iai_callgrind::__internal::main(&::iai_callgrind::__internal::Suite {
                package: ::core::env!("CARGO_PKG_NAME"),
                package_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                file: ::core::env!("CARGO_CRATE_NAME"),
                config: #config,
                hooks: #hooks,
                groups: &[#(#groups),*],
            })
        }
    }
}

/// With the path's span, so that it is the path that the compiler shows if it is wrong.
fn group(path: &Path) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    quote_spanned!(span=> <#path as ::iai_callgrind::__internal::LibraryBenchmarkGroup>::GROUP)
}
