//! `main!`: the groups of a benchmark file, and the file's `main` function.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Ident, Path, Token};

use crate::errors::Errors;
use crate::level::Level;
use crate::library_path::LibraryPath;
use crate::parameters::{Parameters, Syntax};
use crate::subject::Subject;
use crate::tokens::{table, text};

const MAIN: Syntax = Syntax {
    name: "`main!`",
    keys: &[
        "library_benchmark_groups",
        "binary_benchmark_groups",
        "config",
        "setup",
        "teardown",
        "crate",
    ],
};

const CRITERION: Syntax = Syntax { name: "`criterion!`", ..MAIN };

/// Expands to the `main` function and the errors.
///
/// With errors there is a `main` function too, so that the compiler does not report a missing one.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(input.clone());
    match names {
        Ok(names) if !names.is_empty() => expand_functions(&names.into_iter().collect::<Vec<_>>()),
        _ => expand_groups(input, &MAIN, &quote!(main)),
    }
}

/// Expands `criterion!` to a `main` function that runs the benchmarks under Criterion.
pub(crate) fn expand_criterion(input: TokenStream) -> TokenStream {
    expand_groups(input, &CRITERION, &quote!(criterion))
}

/// Expands `main!(first, second)`, a list of functions without attributes, to a group of them.
///
/// The functions and the group have modules of their own, because the types that represent them have the
/// names of the functions and of the group.
fn expand_functions(names: &[Ident]) -> TokenStream {
    let mut errors = Errors::default();
    let library = LibraryPath::take(&mut Parameters::default(), &mut errors);
    let groups = quote!(library_benchmark_groups = __iai_callgrind_group::functions);
    let main = expand_groups(groups, &MAIN, &quote!(main));
    let errors = errors.into_compile_errors();
    quote_spanned! {Span::mixed_site()=>
        #errors

        mod __iai_callgrind_functions {
            #(
                #[#library::library_benchmark]
                pub fn #names() -> impl ::core::marker::Sized {
                    super::#names()
                }
            )*
        }

        mod __iai_callgrind_group {
            #library::library_benchmark_group! {
                name = functions;
                benchmarks = #(super::__iai_callgrind_functions::#names),*
            }
        }

        #main
    }
}

/// Expands to a `main` function that passes the groups on to this function of the library.
fn expand_groups(input: TokenStream, syntax: &Syntax, run: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut parameters = syntax.parse_tokens(input, &mut errors);
    let library = LibraryPath::take(&mut parameters, &mut errors);

    let keys = ["library_benchmark_groups", "binary_benchmark_groups"];
    // Without one of them, the benchmarks are those that register themselves
    let listed = parameters.take_one_of(&keys, &mut errors).map(|(key, groups)| {
        let subject = if key == keys[0] { Subject::Library } else { Subject::Binary };
        (subject, errors.check(groups.into_paths()).unwrap_or_default())
    });
    let level = Level::take(&library, &mut parameters, &mut errors);
    let (config, groups) = match &listed {
        Some((subject, groups)) => {
            let groups = groups.iter().map(|path| group(&library, path, *subject));
            (level.config(*subject), groups.collect::<Vec<_>>())
        }
        None => (level.file_config(), Vec::new()),
    };
    let groups = table(&library, &Ident::new("Group", Span::mixed_site()), &groups);
    let [package, package_dir, file] = ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO_CRATE_NAME"]
        .map(|name| text(&library, &quote!(::core::env!(#name))));
    let hooks = level.hooks();

    let errors = errors.into_compile_errors();
    // Only the compiler with libtest's harness keeps a test, and reads its body
    quote_spanned! {Span::mixed_site()=>
        #errors

        #library::page_starts!();

        #[::core::prelude::v1::test]
        fn __iai_callgrind_needs_own_harness() {
            #library::needs_own_harness::<#library::Libtest>();
        }

        fn main() -> ::std::process::ExitCode {
            #library::#run(#library::table!(#library::Suite, #library::Suite {
                package: #package,
                package_dir: #package_dir,
                file: #file,
                config: #config,
                hooks: #hooks,
                groups: #groups,
                walk: ::core::option::Option::None,
            }))
        }
    }
}

/// Expands with the path's span, so that the compiler shows a wrong path.
fn group(library: &LibraryPath, path: &Path, subject: Subject) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    let (library, group) = (library.located_at(span), subject.group_trait(span));
    quote_spanned!(span=> <#path as #library::#group>::GROUP)
}
