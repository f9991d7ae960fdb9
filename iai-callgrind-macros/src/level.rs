//! Parameters that `main!` and the macros of groups share: `config`, `setup` and `teardown`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::growth::GrowthLimits;
use crate::library_path::LibraryPath;
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::tokens::{function_pointer, option};

/// Configuration and hooks of a group or of the whole file.
pub(crate) struct Level<'a> {
    library: &'a LibraryPath,
    config: Option<Expr>,
    setup: Option<Expr>,
    teardown: Option<Expr>,
}

impl<'a> Level<'a> {
    /// Takes the parameters of the level.
    pub(crate) fn take(
        library: &'a LibraryPath,
        parameters: &mut Parameters,
        errors: &mut Errors,
    ) -> Self {
        let mut take = |key| parameters.take_expression(key, errors);
        Self { library, config: take("config"), setup: take("setup"), teardown: take("teardown") }
    }

    /// Expands the configuration.
    pub(crate) fn config(&self, subject: Subject) -> TokenStream {
        config(self.library, self.config.as_ref(), subject, None)
    }

    /// Expands the configuration of a file that lists no groups.
    pub(crate) fn file_config(&self) -> TokenStream {
        let function = Ident::new("file_config", Span::mixed_site());
        config_by(self.library, self.config.as_ref(), &function, None)
    }

    /// Expands the hooks.
    pub(crate) fn hooks(&self) -> TokenStream {
        hooks(self.library, self.setup.as_ref(), self.teardown.as_ref())
    }
}

/// Expands hooks to the library's `Hooks`.
pub(crate) fn hooks(
    library: &LibraryPath,
    setup: Option<&Expr>,
    teardown: Option<&Expr>,
) -> TokenStream {
    let (setup, teardown) = (
        option(setup.map(|setup| hook("setup", setup))),
        option(teardown.map(|teardown| hook("teardown", teardown))),
    );
    quote_spanned!(Span::mixed_site()=> #library::Hooks { setup: #setup, teardown: #teardown })
}

/// Expands to a pointer to a function with the hook as a statement.
///
/// The compiler warns about an unused value of a statement: a `Result`, or a function that was returned
/// and not called.
fn hook(name: &str, hook: &Expr) -> TokenStream {
    let statement = statement(hook);
    function_pointer(name, &TokenStream::new(), &quote!(()), &statement)
}

/// Expands to the statement that runs a hook: calls a path or a closure, evaluates any other expression.
pub(crate) fn statement(hook: &Expr) -> TokenStream {
    let span = Span::mixed_site().located_at(hook.span());
    match without_parentheses(hook) {
        function @ (Expr::Path(_) | Expr::Closure(_)) => quote_spanned!(span=> (#function)();),
        other => quote_spanned!(span=> #other;),
    }
}

fn without_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => without_parentheses(&group.expr),
        Expr::Paren(paren) => without_parentheses(&paren.expr),
        other => other,
    }
}

/// Expands a `config = ...`.
fn config(
    library: &LibraryPath,
    config: Option<&Expr>,
    subject: Subject,
    case: Option<usize>,
) -> TokenStream {
    config_by(library, config, &subject.config_function(Span::mixed_site()), case)
}

/// Expands a `config = ...` that this function of the library converts.
fn config_by(
    library: &LibraryPath,
    config: Option<&Expr>,
    function: &Ident,
    case: Option<usize>,
) -> TokenStream {
    option(config.map(|config| {
        let value = converted(library, config, function);
        config_pointer(library, &value, case)
    }))
}

/// Expands a `config = ...` with the limits next to it, which win over those of the configuration.
pub(crate) fn limited_config(
    library: &LibraryPath,
    config: Option<&Expr>,
    limits: &GrowthLimits,
    subject: Subject,
    case: Option<usize>,
) -> TokenStream {
    let GrowthLimits { complexity, per_element } = limits;
    if complexity.is_none() && per_element.is_none() {
        return self::config(library, config, subject, case);
    }
    let function = subject.config_function(Span::mixed_site());
    let mut value = config.map_or_else(
        || quote_spanned!(Span::mixed_site()=> ::core::default::Default::default()),
        |config| converted(library, config, &function),
    );
    if let Some(class) = complexity {
        value = quote_spanned! {Span::mixed_site()=>
            #library::with_complexity(#value, #library::Complexity::#class)
        };
    }
    if let Some(percentage) = per_element {
        let span = Span::mixed_site().located_at(percentage.span());
        let library = library.located_at(span);
        value = quote_spanned!(span=> #library::with_per_element(#value, #percentage));
    }
    option(Some(config_pointer(library, &value, case)))
}

/// Expands to a pointer to a function that returns the converted configuration. A case has an index.
fn config_pointer(library: &LibraryPath, value: &TokenStream, case: Option<usize>) -> TokenStream {
    let output = quote_spanned!(Span::mixed_site()=> #library::PlanConfig);
    let name = case.map_or("config".to_owned(), |index| format!("config_{index:04}"));
    function_pointer(&name, &TokenStream::new(), &output, value)
}

/// Expands to a call of the function that converts a configuration.
///
/// The expression is an argument, so that the compiler shows all of it if it has the wrong type.
fn converted(library: &LibraryPath, config: &Expr, function: &Ident) -> TokenStream {
    let span = Span::mixed_site().located_at(config.span());
    let (library, mut function) = (library.located_at(span), function.clone());
    function.set_span(span);
    quote_spanned!(span=> #library::#function(#config))
}
