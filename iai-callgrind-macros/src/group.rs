//! What the macros of groups have in common: a group's name, and the type that stands for it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::parameters::{Parameters, Syntax};

/// A macro of groups.
pub(crate) struct Macro {
    /// What it accepts.
    pub(crate) syntax: Syntax,
    /// How to write it.
    pub(crate) example: &'static str,
    /// The trait of what it declares.
    pub(crate) declares: &'static str,
    /// Reads what isn't in every group.
    pub(crate) take: fn(&Ident, &mut Parameters, &mut Errors) -> Group,
}

/// What a group consists of, as data.
pub(crate) struct Group {
    pub(crate) config: TokenStream,
    pub(crate) hooks: TokenStream,
    pub(crate) functions: TokenStream,
    /// What is declared beside it.
    pub(crate) others: TokenStream,
}

impl Macro {
    /// Declares the group, or reports the mistakes.
    ///
    /// A group with mistakes is declared all the same, so that `main!` doesn't complain about it too.
    pub(crate) fn expand(&self, input: TokenStream) -> TokenStream {
        let mut errors = Errors::default();
        let mut parameters = self.syntax.parse_tokens(input, &mut errors);
        let name = parameters
            .require("name", self.example, &mut errors)
            .and_then(|name| errors.check(name.into_identifier()));
        let compare_by_id = parameters.take_expression("compare_by_id", &mut errors).map_or_else(
            || quote_spanned!(Span::mixed_site()=> false),
            ToTokens::into_token_stream,
        );
        let group = name.map(|name| {
            let group = (self.take)(&name, &mut parameters, &mut errors);
            self.declare(&name, &compare_by_id, &group)
        });
        let errors = errors.into_compile_errors();
        quote_spanned!(Span::mixed_site()=> #errors #group)
    }

    fn declare(&self, name: &Ident, compare_by_id: &TokenStream, group: &Group) -> TokenStream {
        let Group { config, hooks, functions, others } = group;
        let text = name.unraw().to_string();
        let declares = format_ident!("{}", self.declares, span = Span::mixed_site());
        quote_spanned! {Span::mixed_site()=>
            #others

            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            pub struct #name {}

            impl ::iai_callgrind::__internal::#declares for #name {
                const GROUP: ::iai_callgrind::__internal::Group =
                    ::iai_callgrind::__internal::Group {
                        name: #text,
                        compare_by_id: #compare_by_id,
                        config: #config,
                        hooks: #hooks,
                        functions: #functions,
                    };
            }
        }
    }
}
