//! Amounts of a case, `throughput` and `size`: a value, or a function of the inputs of the case.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Ident};

use crate::cases::Throughput;
use crate::hooks::untyped_closure;
use crate::library_path::LibraryPath;
use crate::run::{Run, apply, arguments, helper};
use crate::tokens::option;

/// Expands to the throughput of a case.
pub(crate) fn throughput(run: &Run<'_>) -> TokenStream {
    let library = run.library;
    let kind = quote_spanned!(Span::mixed_site()=> #library::CaseThroughput);
    match &run.case.throughput {
        None => quote_spanned!(Span::mixed_site()=> #kind::None),
        Some(Throughput::OfFunction(value)) => {
            let function = function(run, value, "throughput");
            quote_spanned!(Span::mixed_site()=> #kind::OfFunction(#function))
        }
        Some(Throughput::OfCase(value)) => {
            let function = function(run, value, "throughput");
            quote_spanned!(Span::mixed_site()=> #kind::OfCase(#function))
        }
    }
}

/// Expands to the size of a case.
pub(crate) fn size(run: &Run<'_>) -> TokenStream {
    option(run.case.size.as_deref().map(|value| function(run, value, "size")))
}

/// Expands to a pointer to a function that returns the amount of the item with an index.
///
/// A function or a closure is called with references to the inputs. Any other expression is the amount. The function
/// `convert` of the library converts the amount.
fn function(run: &Run<'_>, value: &Expr, convert: &str) -> TokenStream {
    let library = run.library;
    let output = if convert == "size" {
        quote_spanned!(Span::mixed_site()=> ::core::primitive::i64)
    } else {
        quote_spanned!(Span::mixed_site()=> #library::Throughput)
    };
    let index_of =
        |name: &TokenStream| quote_spanned!(Span::mixed_site()=> #name: ::core::primitive::usize);
    if !is_function(value) {
        let converted = converted(run.library, value, convert, &quote!(#value));
        return run.function(convert, &index_of(&quote!(_)), &output, &converted);
    }
    let helper = untyped_closure(value).map(|closure| helper(closure.inputs.len()));
    let (index, input) = run.input();
    let body = run.with_inputs(&input, |number| {
        let span = Span::mixed_site().located_at(value.span());
        let arguments = arguments(number, span);
        let call = apply(value, &quote_spanned!(span=> #(&#arguments),*));
        converted(run.library, value, convert, &call)
    });
    run.function(convert, &index_of(&index), &output, &quote!(#helper #body))
}

/// Returns `true` for a closure, and for a path unless it has the name of a constant.
fn is_function(value: &Expr) -> bool {
    match value {
        Expr::Closure(_) => true,
        Expr::Path(ExprPath { path, .. }) => path.segments.last().is_some_and(|segment| {
            segment.ident.to_string().contains(|character: char| character.is_lowercase())
        }),
        _ => false,
    }
}

/// Expands to a call of the library's function that takes only the right type, with the span of the user's expression.
fn converted(
    library: &LibraryPath,
    value: &Expr,
    convert: &str,
    amount: &TokenStream,
) -> TokenStream {
    let span = Span::mixed_site().located_at(value.span());
    let library = library.located_at(span);
    let convert = Ident::new(convert, span);
    quote_spanned!(span=> #library::#convert(#amount))
}
