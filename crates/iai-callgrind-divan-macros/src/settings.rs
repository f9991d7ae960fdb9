//! The options of an attribute.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Path, Token, Type, bracketed};

use crate::message;

/// Options that become calls of a method of `Options`.
const METHODS: [&str; 11] = [
    "bytes_count",
    "chars_count",
    "counter",
    "cycles_count",
    "ignore",
    "items_count",
    "max_time",
    "min_time",
    "sample_count",
    "sample_size",
    "skip_ext_time",
];

/// Parsed options.
#[derive(Default)]
pub(crate) struct Settings {
    krate: Option<Path>,
    pub(crate) name: Option<Expr>,
    pub(crate) args: Option<Expr>,
    pub(crate) consts: Option<Expr>,
    pub(crate) types: Option<Vec<Type>>,
    /// Calls of methods of `Options`.
    calls: Vec<TokenStream>,
    seen: Vec<String>,
}

impl Settings {
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let list = |input: ParseStream<'_>| {
            let mut settings = Self::default();
            while !input.is_empty() {
                settings.option(input)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(settings)
        };
        list.parse2(tokens)
    }

    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let ident = input.call(Ident::parse_any)?;
        let name = ident.unraw().to_string();
        if self.seen.contains(&name) {
            return Err(syn::Error::new(ident.span(), message::repeated(&name)));
        }
        let has_value = input.parse::<Option<Token![=]>>()?.is_some();
        if !has_value && !["ignore", "skip_ext_time", "threads"].contains(&&*name) {
            return Err(input.error("expected `=`"));
        }
        match &*name {
            "crate" => self.krate = Some(input.call(Path::parse_mod_style)?),
            "name" => self.name = Some(input.parse()?),
            "args" => self.args = Some(input.parse()?),
            "consts" => self.consts = Some(input.parse()?),
            "types" => self.types = Some(list(input)?),
            "counters" => {
                let counters = list::<Expr>(input)?;
                self.calls.extend(counters.iter().map(|counter| quote!(.counter(#counter))));
            }
            "threads" | "skip_ext_time" | "ignore" if !has_value => {
                self.calls.push(quote_spanned!(ident.span() => .#ident(true)));
            }
            "threads" => {
                let value: Expr = input.parse()?;
                self.calls.push(quote!(.threads(#value)));
            }
            method if METHODS.contains(&method) => {
                let value: Expr = input.parse()?;
                self.calls.push(quote_spanned!(ident.span() => .#ident(#value)));
            }
            _ => return Err(syn::Error::new(ident.span(), message::unknown(&name))),
        }
        self.seen.push(name);
        Ok(())
    }

    /// Returns the path of the module that expansions name.
    pub(crate) fn private(&self) -> TokenStream {
        let path = self.krate.as_ref().map_or_else(|| quote!(::divan), |path| quote!(#path));
        quote!(#path::__private)
    }

    /// Returns a closure that evaluates the options.
    pub(crate) fn options(&self, is_ignored: bool) -> TokenStream {
        let (private, calls) = (self.private(), &self.calls);
        let ignore = is_ignored.then(|| quote!(.ignore(true)));
        quote!(|| <#private::Options as ::core::default::Default>::default() #(#calls)* #ignore)
    }
}

/// Parses a list in brackets.
fn list<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let content;
    bracketed!(content in input);
    let list = Punctuated::<T, Token![,]>::parse_terminated(&content)?;
    Ok(list.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> syn::Result<Settings> {
        Settings::parse(text.parse().unwrap())
    }

    #[test]
    fn options_are_calls_in_their_order() {
        let settings =
            parse("ignore = cfg!(miri), counters = [a, b], threads, r#sample_size = 1").unwrap();
        let calls = settings.calls.iter().map(ToString::to_string).collect::<String>();
        let expected: TokenStream =
            ".ignore(cfg!(miri)).counter(a).counter(b).threads(true).r#sample_size(1)"
                .parse()
                .unwrap();
        assert_eq!(calls.replace(' ', ""), expected.to_string().replace(' ', ""));
    }

    #[test]
    fn the_crate_has_another_path_on_request() {
        assert_eq!(parse("").unwrap().private().to_string(), ":: divan :: __private");
        assert_eq!(parse("crate = a::b").unwrap().private().to_string(), "a :: b :: __private");
    }

    #[test]
    fn wrong_options_have_a_message() {
        for (text, expected) in [
            ("sample = 1", "there is no option `sample` here"),
            ("min_time = 1, min_time = 2", "the option `min_time` is given twice"),
            ("min_time", "expected `=`"),
        ] {
            let error = parse(text).err().unwrap().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
