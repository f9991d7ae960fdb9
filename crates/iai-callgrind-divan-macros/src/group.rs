//! Expansion of `#[divan::bench_group]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Token, Visibility};

use crate::entry::entry;
use crate::message;
use crate::settings::Settings;

/// Returns the module, and its registration.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> syn::Result<TokenStream> {
    let settings = Settings::parse(options)?;
    let module = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<Token![mod]>()?;
        let ident: Ident = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok((attributes, ident))
    };
    let (attributes, ident) = module.parse2(item.clone())?;
    let of_functions = [
        ("args", settings.args.is_some()),
        ("consts", settings.consts.is_some()),
        ("types", settings.types.is_some()),
    ];
    if let Some((option, _)) = of_functions.iter().find(|(_, is_set)| *is_set) {
        return Err(syn::Error::new(ident.span(), message::unknown(option)));
    }
    let private = settings.private();
    let entry = entry(&settings, &ident, &attributes);
    Ok(quote! {
        #item
        const _: () = {
            #private::submit! {
                #private::Registered(#private::table!(#private::Group, #private::Group { entry: #entry }))
            }
        };
    })
}
