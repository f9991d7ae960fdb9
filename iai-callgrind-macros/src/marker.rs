//! The type that represents a benchmark function.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, ItemFn};

use crate::library_path::LibraryPath;
use crate::subject::Subject;
use crate::tokens::text;

/// Type with the function's name, under which the group finds the benchmark's data.
///
/// A struct with braces has its name only in the namespace of types, where it does not conflict with the
/// function.
pub(crate) struct Marker {
    /// Name of the type.
    pub(crate) name: Ident,
    /// Name of the function, for titles and paths.
    pub(crate) text: String,
    /// Attributes for all items of the benchmark.
    pub(crate) conditions: TokenStream,
    /// Declaration of the type.
    pub(crate) declaration: TokenStream,
}

impl Marker {
    /// Declares the type for a function.
    pub(crate) fn new(function: &ItemFn) -> Self {
        let ItemFn { attrs, vis, sig, .. } = function;
        let conditions = attrs.iter().filter(|attribute| is_condition(attribute));
        let conditions = quote!(#(#conditions)*);
        let text = sig.ident.unraw().to_string();
        let mut name = sig.ident.clone();
        if text == "gen" {
            // A keyword in the edition of this crate, but not in that of all users
            name = Ident::new_raw(&text, name.span());
        }
        // Located at the function: if no group lists it, the compiler's warning is about the function
        name.set_span(Span::mixed_site().located_at(name.span()));
        let declaration = quote_spanned! {Span::mixed_site()=>
            #conditions
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis struct #name {}
        };
        Self { name, text, conditions, declaration }
    }

    /// Registers the function for a `main!` without groups.
    pub(crate) fn registration(&self, library: &LibraryPath, subject: Subject) -> TokenStream {
        let Self { name, conditions, .. } = self;
        let (kind, function) = (subject.variant(), subject.function_trait(Span::mixed_site()));
        let package_dir = text(library, &quote!(::core::env!("CARGO_MANIFEST_DIR")));
        let module = text(library, &quote!(::core::module_path!()));
        let file = text(library, &quote!(::core::file!()));
        quote_spanned! {Span::mixed_site()=>
            #conditions
            const _: () = {
                #library::submit! {
                    #library::Registered(#library::table!(
                        #library::Registration,
                        #library::Registration {
                            package_dir: #package_dir,
                            module: #module,
                            place: #library::Place {
                                file: #file,
                                line: ::core::line!(),
                                column: ::core::column!(),
                            },
                            function: #library::RegisteredFunction::#kind(
                                <#name as #library::#function>::FUNCTION
                            ),
                        }
                    ))
                }
            };
        }
    }
}

/// Returns `true` for attributes that the data needs too: `cfg`, and `allow` for the arguments, which
/// move from the function's attributes to the data.
fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("allow")
}
