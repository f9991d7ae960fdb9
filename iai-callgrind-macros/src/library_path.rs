//! The path under which the compiled crate reaches the library.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote, quote_spanned};
use syn::Ident;

use crate::errors::Errors;
use crate::manifest;
use crate::parameters::Parameters;

/// Path of the library's private module, which contains everything that expansions name.
#[derive(Clone)]
pub(crate) struct LibraryPath(TokenStream);

impl LibraryPath {
    /// Takes the parameter `crate`. The default is the name in the package's manifest.
    pub(crate) fn take(parameters: &mut Parameters, errors: &mut Errors) -> Self {
        let given = parameters.take("crate").and_then(|path| errors.check(path.into_path()));
        let path = given.map_or_else(default_path, ToTokens::into_token_stream);
        let private = quote_spanned!(Span::mixed_site()=> ::__private);
        Self(quote!(#path #private))
    }

    /// Returns the path located at a span, where the compiler shows errors about it.
    pub(crate) fn located_at(&self, span: Span) -> TokenStream {
        let locate = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        self.0.clone().into_iter().map(locate).collect()
    }
}

impl ToTokens for LibraryPath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.0.clone());
    }
}

fn default_path() -> TokenStream {
    let name = Ident::new(&manifest::library_name(), Span::mixed_site());
    quote_spanned!(Span::mixed_site()=> ::#name)
}
