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
    let name = settings
        .name
        .as_ref()
        .map_or_else(|| quote!(#private::text!(#plain)), |name| quote!(#name));
    let text = |text: TokenStream| quote!(#private::text!(#text));
    let [package, package_dir, crate_name] =
        ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO_CRATE_NAME"]
            .map(|name| text(quote!(::core::env!(#name))));
    let [module, file] = [quote!(::core::module_path!()), quote!(::core::file!())].map(&text);
    let identifier = text(quote!(#identifier));
    quote! {
        #private::Entry {
            target: #private::Target {
                package: #package,
                package_dir: #package_dir,
                name: #crate_name,
                is_benchmark: ::core::option_env!("CARGO_TARGET_TMPDIR").is_some(),
            },
            module: #module,
            identifier: #identifier,
            name: #name,
            place: (#file, ::core::line!(), ::core::column!()),
            options: #options,
        }
    }
}
