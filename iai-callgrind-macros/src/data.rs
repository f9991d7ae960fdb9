//! What a benchmark function's data is declared as, whatever it measures.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, ItemFn};

/// A type with the function's name, under which the group finds the data.
///
/// A struct with braces has its name in the types' namespace only, so that it doesn't get in the
/// function's way.
pub(crate) struct Marker {
    /// The type's name.
    pub(crate) name: Ident,
    /// The function's name, for titles and paths.
    pub(crate) text: String,
    /// The attributes of all that belongs to it.
    pub(crate) conditions: TokenStream,
    /// The type.
    pub(crate) declaration: TokenStream,
}

impl Marker {
    /// What stands for the function.
    pub(crate) fn of(function: &ItemFn) -> Self {
        let ItemFn { attrs, vis, sig, .. } = function;
        let conditions = attrs.iter().filter(|attribute| holds_for_data(attribute));
        let conditions = quote!(#(#conditions)*);
        // Our span: if no group lists the function, the compiler's warning shall be about the function
        let mut name = sig.ident.clone();
        name.set_span(Span::mixed_site().located_at(name.span()));
        let declaration = quote_spanned! {Span::mixed_site()=>
            #conditions
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis struct #name {}
        };
        Self { name, text: sig.ident.unraw().to_string(), conditions, declaration }
    }
}

/// Attributes that have to be on the data as well: where there is no function there is no data, and
/// the arguments move from the function's attributes to there.
fn holds_for_data(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("allow")
}
