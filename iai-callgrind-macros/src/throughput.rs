//! `throughput` of a case: a value, or a function of the inputs of the case.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath};

use crate::cases::Throughput;
use crate::hooks::untyped_closure;
use crate::library_path::LibraryPath;
use crate::run::{Run, apply, arguments, helper};

/// Expands to the throughput of a case.
pub(crate) fn throughput(run: &Run<'_>) -> TokenStream {
    let library = run.library;
    let kind = quote_spanned!(Span::mixed_site()=> #library::CaseThroughput);
    match &run.case.throughput {
        None => quote_spanned!(Span::mixed_site()=> #kind::None),
        Some(Throughput::OfFunction(value)) => {
            let closure = closure(run, value);
            quote_spanned!(Span::mixed_site()=> #kind::OfFunction(#closure))
        }
        Some(Throughput::OfCase(value)) => {
            let closure = closure(run, value);
            quote_spanned!(Span::mixed_site()=> #kind::OfCase(#closure))
        }
    }
}

/// Expands to a closure that returns the throughput of the item with an index.
///
/// A function or a closure is called with references to the inputs. Any other expression is the throughput.
fn closure(run: &Run<'_>, value: &Expr) -> TokenStream {
    if !is_function(value) {
        let checked = checked(run.library, value, &quote!(#value));
        return quote_spanned!(Span::mixed_site()=> |_| #checked);
    }
    let helper = untyped_closure(value).map(|closure| helper(closure.inputs.len()));
    let (index, input) = run.input();
    let body = run.with_inputs(&input, |number| {
        let span = Span::mixed_site().located_at(value.span());
        let arguments = arguments(number, span);
        let call = apply(value, &quote_spanned!(span=> #(&#arguments),*));
        checked(run.library, value, &call)
    });
    quote_spanned! {Span::mixed_site()=>
        |#index| {
            #helper
            #body
        }
    }
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

/// Expands to a call that takes only a throughput, with the span of the user's expression.
fn checked(library: &LibraryPath, value: &Expr, throughput: &TokenStream) -> TokenStream {
    let span = Span::mixed_site().located_at(value.span());
    let library = library.located_at(span);
    quote_spanned!(span=> #library::throughput(#throughput))
}
