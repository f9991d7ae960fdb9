//! Functions on tokens and expressions that several macros need.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Expr, ExprPath, Ident};

use crate::source_text::source_text;

/// Returns the identifier that an expression consists of.
pub(crate) fn identifier(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Path(ExprPath { qself: None, path, .. }) => path.get_ident(),
        Expr::Group(group) => identifier(&group.expr),
        _ => None,
    }
}

/// Removes the invisible group that a `macro_rules!` variable puts around an expression.
pub(crate) fn ungroup(expression: Expr) -> Expr {
    match expression {
        Expr::Group(group) => ungroup(*group.expr),
        other => other,
    }
}

/// Lists items as `a`, `b`, `c`.
pub(crate) fn enumerate<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(", ")
}

/// Formats tokens for the user, on one line.
pub(crate) fn display(tokens: &impl ToTokens) -> String {
    let text = source_text(tokens.to_token_stream());
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |joined, line| joined + " " + line.trim_start())
}

/// Expands to an `Option` with these tokens in it.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
        |value| quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#value)),
    )
}

/// Expands to a pointer to a function with this body, which can't use the variables around it.
///
/// The compiler puts functions and their literals in the order of their symbols. Those of closures differ only in a hash, which
/// is another one after each release of the crate.
pub(crate) fn function_pointer(
    name: &str,
    parameters: &TokenStream,
    output: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    // Visible to the arguments in the attributes, which do not use it
    let name = format_ident!("__iai_callgrind_{name}", span = Span::mixed_site());
    quote_spanned! {Span::mixed_site()=> {
        fn #name(#parameters) -> #output {
            #body
        }
        #name
    }}
}

/// Expands to a text of this tokens' value, which is in the section of texts.
pub(crate) fn text(library: &impl ToTokens, text: &impl ToTokens) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #library::text!(#text))
}

/// Texts of a function's cases, which are parts of a single one: a static for each would take a millisecond to compile.
#[derive(Default)]
pub(crate) struct Texts(String);

impl Texts {
    /// Adds a text, and expands to it.
    pub(crate) fn add(&mut self, text: &str) -> TokenStream {
        let start = self.0.len();
        self.0.push_str(text);
        let (end, name) = (self.0.len(), Self::name());
        quote_spanned!(Span::mixed_site()=> #name.part(#start, #end))
    }

    /// Expands to the declaration of the text.
    pub(crate) fn declare(&self, library: &impl ToTokens) -> TokenStream {
        let (name, text, length) = (Self::name(), &self.0, self.0.len());
        quote_spanned!(Span::mixed_site()=> #library::text_static!(#name, #length, #text);)
    }

    /// Returns a name that is visible to the arguments in the attributes, which do not use it.
    fn name() -> Ident {
        Ident::new("__IAI_CALLGRIND_TEXTS", Span::mixed_site())
    }
}

/// Expands to a list in the section of tables. `element` is the type of its items in the library.
pub(crate) fn table(
    library: &impl ToTokens,
    element: &Ident,
    items: &[TokenStream],
) -> TokenStream {
    if items.is_empty() {
        return quote_spanned!(Span::mixed_site()=> &[]);
    }
    let number = items.len();
    quote_spanned! {Span::mixed_site()=>
        #library::table!([#library::#element; #number], [#(#items),*])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_on_one_line() {
        let text = "\"first\n      second\"";
        let tokens: TokenStream = text.parse().unwrap();
        assert_eq!(display(&tokens), "\"first second\"");
    }
}
