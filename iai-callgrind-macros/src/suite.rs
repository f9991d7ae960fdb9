//! `main!`: the groups of a benchmark file, and the file's `main` function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Path;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::level::Level;
use crate::library_path::LibraryPath;
use crate::parameters::Syntax;
use crate::subject::Subject;

const SYNTAX: Syntax = Syntax {
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

const EXAMPLE: &str = "main!(library_benchmark_groups = some_group)";

/// Expands to the `main` function and the errors.
///
/// With errors there is a `main` function too, so that the compiler does not report a missing one.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut parameters = SYNTAX.parse_tokens(input, &mut errors);
    let library = LibraryPath::take(&mut parameters, &mut errors);

    let keys = ["library_benchmark_groups", "binary_benchmark_groups"];
    let (key, groups) = match parameters.take_one_of(&keys, &mut errors) {
        Some((key, groups)) => (key, Some(groups)),
        None => (keys[0], parameters.require(keys[0], EXAMPLE, &mut errors)),
    };
    let subject = if key == keys[0] { Subject::Library } else { Subject::Binary };
    let groups = groups.and_then(|groups| errors.check(groups.into_paths())).unwrap_or_default();
    let groups = groups.iter().map(|path| group(&library, path, subject));
    let level = Level::take(&library, &mut parameters, &mut errors);
    let (config, hooks) = (level.config(subject), level.hooks());

    let errors = errors.into_compile_errors();
    quote_spanned! {Span::mixed_site()=>
        #errors

        fn main() -> ::std::process::ExitCode {
            #library::main(&#library::Suite {
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

/// Expands with the path's span, so that the compiler shows a wrong path.
fn group(library: &LibraryPath, path: &Path, subject: Subject) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    let group = match subject {
        Subject::Library => quote_spanned!(span=> LibraryBenchmarkGroup),
        Subject::Binary => quote_spanned!(span=> BinaryBenchmarkGroupData),
    };
    let library = library.located_at(span);
    quote_spanned!(span=> <#path as #library::#group>::GROUP)
}
