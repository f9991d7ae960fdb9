//! What `main!` and the macros of groups have in common: `config`, `setup` and `teardown`.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Expr;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::tokens::ungroup;

/// A level's configuration, and what runs before its first and after its last benchmark.
pub(crate) struct Level {
    config: Option<Expr>,
    setup: Option<Expr>,
    teardown: Option<Expr>,
}

impl Level {
    /// What is given of it.
    pub(crate) fn take(parameters: &mut Parameters, errors: &mut Errors) -> Self {
        let mut take = |key| parameters.take_expression(key, errors);
        Self { config: take("config"), setup: take("setup"), teardown: take("teardown") }
    }

    /// The level's configuration as data.
    pub(crate) fn config(&self, subject: Subject) -> TokenStream {
        config(self.config.as_ref(), subject)
    }

    /// The level's hooks as data.
    pub(crate) fn hooks(&self) -> TokenStream {
        hooks(self.setup.as_ref(), self.teardown.as_ref())
    }
}

/// What runs before and after something, as data.
pub(crate) fn hooks(setup: Option<&Expr>, teardown: Option<&Expr>) -> TokenStream {
    let (setup, teardown) = (option(setup.map(hook)), option(teardown.map(hook)));
    quote_spanned! {Span::mixed_site()=>
        ::iai_callgrind::__internal::Hooks { setup: #setup, teardown: #teardown }
    }
}

/// Calls what can only be meant to be called, and evaluates anything else.
///
/// As a statement, so that the compiler warns of a value that must be used: a `Result`, or a function
/// that was returned and not called.
fn hook(hook: &Expr) -> TokenStream {
    let statement = statement(hook);
    quote_spanned!(Span::mixed_site()=> || { #statement })
}

/// The statement that runs a hook.
pub(crate) fn statement(hook: &Expr) -> TokenStream {
    let span = Span::mixed_site().located_at(hook.span());
    match without_parentheses(hook) {
        function @ (Expr::Path(_) | Expr::Closure(_)) => quote_spanned!(span=> (#function)();),
        other => quote_spanned!(span=> #other;),
    }
}

fn without_parentheses(expression: &Expr) -> Expr {
    match ungroup(expression.clone()) {
        Expr::Paren(paren) => without_parentheses(&paren.expr),
        other => other,
    }
}

/// A `config = ...` as data.
///
/// As an argument, so that the compiler shows all of the expression if it has the wrong type.
pub(crate) fn config(config: Option<&Expr>, subject: Subject) -> TokenStream {
    option(config.map(|config| {
        let span = Span::mixed_site().located_at(config.span());
        let mut function = subject.config();
        function.set_span(span);
        quote_spanned!(span=> || ::iai_callgrind::__internal::#function(#config))
    }))
}

/// An option with these tokens in it.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
        |value| quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#value)),
    )
}
