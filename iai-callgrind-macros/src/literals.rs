//! Literal arguments, which a benchmark gets from copies at a fixed place in their lines of the cache.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, ExprLit, ExprReference, ExprRepeat, ExprUnary, Lit, UnOp};

use crate::library_path::LibraryPath;

/// Expands to the argument. A text, a byte string and a reference to an array of literals refer to a copy.
///
/// The compiler's own place for a literal is behind all others of the crate, and searches in it execute other
/// instructions when the address modulo 32 or 64 is another.
pub(crate) fn with_fixed_place(library: &LibraryPath, argument: &Expr) -> TokenStream {
    let span = Span::mixed_site().located_at(argument.span());
    let library = library.located_at(span);
    match argument {
        Expr::Group(group) => with_fixed_place_in(&library, &group.expr, span),
        Expr::Paren(paren) => with_fixed_place_in(&library, &paren.expr, span),
        other => with_fixed_place_in(&library, other, span),
    }
}

fn with_fixed_place_in(library: &TokenStream, argument: &Expr, span: Span) -> TokenStream {
    match argument {
        Expr::Lit(ExprLit { attrs, lit: Lit::Str(text) }) if attrs.is_empty() => {
            let length = text.value().len();
            quote_spanned!(span=> #library::text_argument(#library::argument!(#length, #text)))
        }
        Expr::Lit(ExprLit { attrs, lit: Lit::ByteStr(bytes) }) if attrs.is_empty() => {
            let length = bytes.value().len();
            quote_spanned! {span=>
                #library::bytes_argument(#library::bytes!(#length, #bytes))
            }
        }
        Expr::Reference(ExprReference { attrs, mutability: None, expr, .. })
            if attrs.is_empty() && is_array_of_literals(expr) =>
        {
            quote_spanned!(span=> const { &#library::Aligned(#expr).0 })
        }
        other => other.to_token_stream(),
    }
}

fn is_array_of_literals(expression: &Expr) -> bool {
    match expression {
        Expr::Array(ExprArray { attrs, elems, .. }) => {
            attrs.is_empty() && elems.iter().all(is_literal)
        }
        Expr::Repeat(ExprRepeat { attrs, expr, len, .. }) => {
            attrs.is_empty() && is_literal(expr) && is_literal(len)
        }
        _ => false,
    }
}

/// Returns `true` for a literal without an address, also with a sign, and for an array of such.
fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => {
            matches!(lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Char(_) | Lit::Byte(_))
        }
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => is_literal(expr),
        array => is_array_of_literals(array),
    }
}
