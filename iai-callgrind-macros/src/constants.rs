//! Values of a benchmark function's const parameters: `consts`.

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, GenericParam, Generics, Signature};

use crate::errors::{Errors, error};
use crate::message;
use crate::parameters::Parameters;
use crate::tokens::{display, ungroup};

/// Values of the const parameters in one case, in the order of the parameters. Empty if the compiler
/// infers them.
#[derive(Clone, Default)]
pub(crate) struct Constants(Rc<[Expr]>);

impl Constants {
    fn new(values: impl IntoIterator<Item = Expr>) -> Self {
        Self(values.into_iter().map(ungroup).collect())
    }

    /// Takes `consts` out of the parameters and splits its value. The result has at least one element.
    pub(crate) fn take(
        parameters: &mut Parameters,
        split: impl FnOnce(Expr) -> syn::Result<Vec<Self>>,
        errors: &mut Errors,
    ) -> Vec<Self> {
        let value = parameters.take_expression("consts", errors);
        let values = value.and_then(|value| errors.check(split(value)));
        values.filter(|values| !values.is_empty()).unwrap_or_else(|| vec![Self::default()])
    }

    /// Splits the values of one case: `(1, 2)` or `[1, 2]`.
    pub(crate) fn from_case(value: Expr) -> syn::Result<Self> {
        match ungroup(value) {
            Expr::Tuple(tuple) => Ok(Self::new(tuple.elems)),
            Expr::Paren(paren) => Ok(Self::new([*paren.expr])),
            Expr::Array(array) => Ok(Self::new(array.elems)),
            other => {
                let example = format!("({})", display(&other));
                Err(error(other, message::consts_value("a tuple", &example)))
            }
        }
    }

    /// Splits the values of several cases: `[1, 2]`, or `[(1, 2), (3, 4)]` for several parameters.
    pub(crate) fn from_cases(value: Expr) -> syn::Result<Vec<Self>> {
        let element = |element| match ungroup(element) {
            Expr::Tuple(tuple) => Self::new(tuple.elems),
            Expr::Paren(paren) => Self::new([*paren.expr]),
            other => Self::new([other]),
        };
        match ungroup(value) {
            Expr::Array(array) => Ok(array.elems.into_iter().map(element).collect()),
            other => Err(error(other, message::consts_value("an array", "[first, second]"))),
        }
    }

    /// Checks the number of values.
    pub(crate) fn check_number(&self, function: &Signature) -> syn::Result<()> {
        let values = self.0.iter();
        let parameters: Vec<_> = function.generics.const_params().map(display).collect();
        if self.0.is_empty() || self.0.len() == parameters.len() {
            return Ok(());
        }
        let message = message::number_of_constants(&parameters, self.0.len());
        Err(error(quote!(#(#values),*), message))
    }

    /// Expands to the generic arguments of the function, with the types left to the compiler.
    pub(crate) fn arguments(&self, generics: &Generics) -> TokenStream {
        if self.0.is_empty() {
            return TokenStream::new();
        }
        let mut values = self.0.iter().map(constant);
        let arguments = generics.params.iter().filter_map(|parameter| match parameter {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(_) => Some(quote_spanned!(Span::mixed_site()=> _)),
            GenericParam::Const(_) => values.next(),
        });
        let arguments = arguments.collect::<Vec<_>>();
        quote_spanned!(Span::mixed_site()=> ::<#(#arguments),*>)
    }

    /// Formats the values before the arguments: `<1, 2>(arguments)`.
    pub(crate) fn display(&self, arguments: String) -> String {
        if self.0.is_empty() {
            return arguments;
        }
        let values = self.0.iter();
        let values = format!("<{}>", display(&quote!(#(#values),*)));
        if arguments.is_empty() { values } else { format!("{values}({arguments})") }
    }
}

/// Expands a value. The compiler warns about braces around a literal and needs them around most others.
fn constant(value: &Expr) -> TokenStream {
    match value {
        value @ (Expr::Lit(_) | Expr::Block(_)) => value.into_token_stream(),
        value => quote_spanned!(Span::mixed_site()=> { #value }),
    }
}
