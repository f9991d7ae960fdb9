//! The type that represents a benchmark function.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, ItemFn, Path};

use crate::library_path::LibraryPath;
use crate::primitives::is_primitive;
use crate::subject::Subject;
use crate::tokens::text;

/// Type with the function's name, under which the group finds the benchmark's data.
///
/// A struct with braces has its name only in the namespace of types, where it does not conflict with the
/// function.
pub(crate) struct Marker {
    /// Name of the type.
    pub(crate) name: Ident,
    /// Name of the measured function.
    pub(crate) function: Ident,
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
        let mut function = sig.ident.clone();
        if text == "gen" {
            // A keyword in the edition of this crate, but not in that of all users
            function = Ident::new_raw(&text, function.span());
        }
        // Located at the function: if no group lists it, the compiler's warning is about the function
        function.set_span(Span::mixed_site().located_at(function.span()));
        let name = type_name(&function);
        let declaration = quote_spanned! {Span::mixed_site()=>
            #conditions
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis struct #name {}
        };
        Self { name, function, text, conditions, declaration }
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

/// Expands the path of a function to that of the type that represents it.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    syn::parse2(input).map_or_else(syn::Error::into_compile_error, |path| type_path(&path))
}

/// Returns the path of the type that represents the function with a path.
pub(crate) fn type_path(function: &Path) -> TokenStream {
    let mut path: Vec<_> = function.to_token_stream().into_iter().collect();
    if let Some(TokenTree::Ident(last)) = path.last_mut() {
        *last = type_name(last);
    }
    path.into_iter().collect()
}

/// Returns the name of the type that represents a function. A type with the name of a primitive one would hide it in the
/// whole module.
fn type_name(function: &Ident) -> Ident {
    if is_primitive(function) {
        format_ident!("__iai_callgrind_{}", function)
    } else {
        function.clone()
    }
}

/// Returns `true` for attributes that the data needs too: `cfg`, and `allow` for the arguments, which
/// move from the function's attributes to the data.
fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("allow")
}
