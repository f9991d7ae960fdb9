//! The data that benchmarks and groups have in common.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Attribute;
use syn::ext::IdentExt;

use crate::settings::Settings;

/// Returns the `Entry` of a function or module.
pub(crate) fn entry(settings: &Settings, ident: &Ident, attributes: &[Attribute]) -> TokenStream {
    let private = settings.private();
    let is_ignored = attributes.iter().any(|attribute| attribute.path().is_ident("ignore"));
    let options = settings.options(is_ignored);
    let (identifier, plain) = (ident.to_string(), ident.unraw().to_string());
    let name = settings.name.as_ref().map_or_else(|| quote!(#plain), |name| quote!(#name));
    quote! {
        #private::Entry {
            target: #private::Target {
                package: ::core::env!("CARGO_PKG_NAME"),
                package_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                name: ::core::env!("CARGO_CRATE_NAME"),
                is_benchmark: ::core::option_env!("CARGO_TARGET_TMPDIR").is_some(),
            },
            module: ::core::module_path!(),
            identifier: #identifier,
            name: #name,
            place: (::core::file!(), ::core::line!(), ::core::column!()),
            options: #options,
        }
    }
}
