//! Literal arguments, which a benchmark gets from copies at a fixed place in their lines of the cache.

use std::cell::RefCell;
use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, ExprLit, ExprReference, ExprRepeat, ExprUnary, Lit, LitByteStr, UnOp};

use crate::library_path::LibraryPath;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Copies of the literal arguments of a function. Those of a kind are parts of a single static: one for each argument would
/// take a millisecond to compile and 250 bytes for its symbol.
#[derive(Default)]
pub(crate) struct Literals {
    texts: RefCell<Copies>,
    bytes: RefCell<Copies>,
}

/// Literals with lines of their own.
#[derive(Default)]
struct Copies {
    all: Vec<u8>,
    starts: HashMap<Vec<u8>, usize>,
}

impl Copies {
    /// Adds a literal unless it is there, and returns where it starts.
    fn add(&mut self, literal: &[u8]) -> usize {
        if let Some(start) = self.starts.get(literal) {
            return *start;
        }
        let start = self.all.len().next_multiple_of(LINE);
        self.all.resize(start, 0);
        self.all.extend_from_slice(literal);
        self.starts.insert(literal.to_vec(), start);
        start
    }
}

impl Literals {
    /// Expands to the declarations of the copies.
    pub(crate) fn declare(&self, library: &LibraryPath) -> TokenStream {
        let (texts, bytes) = (self.texts.borrow(), self.bytes.borrow());
        let texts = (!texts.starts.is_empty()).then(|| {
            let (name, length) = (Self::texts_name(), texts.all.len());
            let text = std::str::from_utf8(&texts.all).expect("texts with zeros between them");
            quote_spanned!(Span::mixed_site()=> #library::argument_static!(#name, #length, #text);)
        });
        let bytes = (!bytes.starts.is_empty()).then(|| {
            let (name, length) = (Self::bytes_name(), bytes.all.len());
            let bytes = LitByteStr::new(&bytes.all, Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> #library::bytes_static!(#name, #length, #bytes);)
        });
        quote_spanned!(Span::mixed_site()=> #texts #bytes)
    }

    /// Expands to the argument. A text, a byte string and a reference to an array of literals refer to a copy.
    ///
    /// The compiler's own place for a literal is behind all others of the crate, and searches in it execute other
    /// instructions when the address modulo 32 or 64 is another.
    pub(crate) fn with_fixed_place(&self, library: &LibraryPath, argument: &Expr) -> TokenStream {
        let span = Span::mixed_site().located_at(argument.span());
        let library = library.located_at(span);
        let inner = match argument {
            Expr::Group(group) => &group.expr,
            Expr::Paren(paren) => &paren.expr,
            other => other,
        };
        match inner {
            Expr::Lit(ExprLit { attrs, lit: Lit::Str(text) }) if attrs.is_empty() => {
                let text = text.value();
                let start = self.texts.borrow_mut().add(text.as_bytes());
                let (name, end) = (Self::texts_name(), start + text.len());
                quote_spanned!(span=> #library::text_argument(#name.0.part(#start, #end)))
            }
            Expr::Lit(ExprLit { attrs, lit: Lit::ByteStr(bytes) }) if attrs.is_empty() => {
                let bytes = bytes.value();
                let start = self.bytes.borrow_mut().add(&bytes);
                let (name, length) = (Self::bytes_name(), bytes.len());
                quote_spanned!(span=> #library::bytes_argument::<#length>(&#name.0, #start))
            }
            Expr::Reference(ExprReference { attrs, mutability: None, expr, .. })
                if attrs.is_empty() && is_array_of_literals(expr) =>
            {
                quote_spanned!(span=> const { &#library::Aligned(#expr).0 })
            }
            other => other.to_token_stream(),
        }
    }

    /// Returns a name that is visible to the arguments in the attributes, which do not use it.
    fn texts_name() -> Ident {
        Ident::new("__IAI_CALLGRIND_ARGUMENTS", Span::mixed_site())
    }

    /// Returns another such name.
    fn bytes_name() -> Ident {
        Ident::new("__IAI_CALLGRIND_BYTES", Span::mixed_site())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_literal_is_there_once_and_starts_at_a_line() {
        let mut copies = Copies::default();
        assert_eq!(copies.add(b"first"), 0);
        assert_eq!(copies.add(b"second"), LINE);
        assert_eq!(copies.add(b"first"), 0);
        assert_eq!(copies.add(b""), 2 * LINE);
        assert_eq!(copies.add(&[1; LINE + 1]), 2 * LINE);
        assert_eq!(copies.add(b"last"), 4 * LINE);
        assert_eq!(copies.all.len(), 4 * LINE + 4);
        assert_eq!(copies.all[4 * LINE..], *b"last");
    }
}
