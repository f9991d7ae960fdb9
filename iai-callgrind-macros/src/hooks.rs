//! `setup` and `teardown` of a case, and who gets the case's inputs.

use std::fmt;

use quote::ToTokens;
use syn::{Expr, ExprClosure, Pat, Signature};

use crate::errors::Errors;
use crate::parameters::Parameters;
use crate::subject::{Subject, Target};
use crate::tokens::{display, enumerate, ungroup};

/// What runs before and after the measured call.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) setup: Option<Expr>,
    pub(crate) teardown: Option<Expr>,
}

impl Hooks {
    /// The hooks among `parameters`.
    pub(crate) fn take(
        parameters: &mut Parameters,
        target: Target<'_>,
        errors: &mut Errors,
    ) -> Self {
        let setup = parameters.take_expression("setup", errors).map(ungroup);
        let teardown = parameters.take_expression("teardown", errors).map(ungroup);
        if let (Some(setup), Subject::Library) = (&setup, target.subject) {
            errors.check(check_setup(setup, target.function));
        }
        Self { setup, teardown }
    }

    /// These, and `defaults` for what is missing.
    pub(crate) fn or(self, defaults: &Self) -> Self {
        let defaults = defaults.clone();
        Self { setup: self.setup.or(defaults.setup), teardown: self.teardown.or(defaults.teardown) }
    }

    /// What takes the inputs: the set-up of a function that is measured or, if there is none, the
    /// function. None if only the compiler knows: of a set-up that isn't a closure.
    pub(crate) fn receiver(&self, target: Target<'_>) -> Option<Receiver> {
        match (&self.setup, target.subject) {
            (None, _) | (_, Subject::Binary) => Some(Receiver::from(target.function)),
            (Some(Expr::Closure(closure)), Subject::Library) => Some(Receiver::from(closure)),
            (Some(_), Subject::Library) => None,
        }
    }
}

/// The function's single argument is what the set-up returns.
fn check_setup(setup: &Expr, function: &Signature) -> syn::Result<()> {
    if function.inputs.len() == 1 {
        return Ok(());
    }
    let message = format!(
        "`setup` returns one value but `{}` takes {}: let it take one parameter, which can be a \
         tuple",
        function.ident,
        Receiver::from(function),
    );
    Err(syn::Error::new_spanned(setup, message))
}

/// The closure that this expression is, if there is a parameter whose type it doesn't say.
pub(crate) fn untyped_closure(expression: &Expr) -> Option<&ExprClosure> {
    match expression {
        Expr::Closure(closure) => {
            let is_untyped = |parameter: &Pat| !matches!(parameter, Pat::Type(_));
            closure.inputs.iter().any(is_untyped).then_some(closure)
        }
        _ => None,
    }
}

/// The parameters of what gets a case's inputs, as they stand in the source.
pub(crate) struct Receiver(Vec<String>);

impl Receiver {
    /// How many there are.
    pub(crate) fn number(&self) -> usize {
        self.0.len()
    }
}

impl From<&Signature> for Receiver {
    fn from(function: &Signature) -> Self {
        Self(function.inputs.iter().map(parameter).collect())
    }
}

impl From<&ExprClosure> for Receiver {
    fn from(closure: &ExprClosure) -> Self {
        Self(closure.inputs.iter().map(parameter).collect())
    }
}

/// "2 arguments (`a: u64`, `b: &str`)"
impl fmt::Display for Receiver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = enumerate(&self.0);
        match self.number() {
            0 => formatter.write_str("no arguments"),
            1 => write!(formatter, "1 argument ({list})"),
            number => write!(formatter, "{number} arguments ({list})"),
        }
    }
}

/// Without the spaces that separate the tokens of a type, depending on the compiler's version.
fn parameter(parameter: &impl ToTokens) -> String {
    const COMPACT: [(&str, &str); 6] =
        [(" :: ", "::"), (" : ", ": "), (" < ", "<"), (" >", ">"), (" ;", ";"), ("& ", "&")];
    COMPACT.iter().fold(display(parameter), |text, (from, to)| text.replace(from, to))
}
