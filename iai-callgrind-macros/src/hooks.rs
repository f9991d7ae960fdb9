//! `setup` and `teardown` of a case, and the receiver of the case's inputs.

use std::fmt;
use std::rc::Rc;

use syn::ext::IdentExt;
use syn::{Expr, ExprClosure, FnArg, Pat, Signature};

use crate::errors::{Errors, error};
use crate::message;
use crate::parameters::Parameters;
use crate::subject::{Subject, Target};
use crate::tokens::{display, enumerate, ungroup};

/// Code that runs before and after the measured call.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) setup: Option<Rc<Expr>>,
    pub(crate) teardown: Option<Rc<Expr>>,
}

impl Hooks {
    /// Takes the hooks out of `parameters`.
    pub(crate) fn take(
        parameters: &mut Parameters,
        target: Target<'_>,
        errors: &mut Errors,
    ) -> Self {
        let mut take = |key| parameters.take_expression(key, errors).map(ungroup).map(Rc::new);
        let (setup, teardown) = (take("setup"), take("teardown"));
        if let (Some(setup), Subject::Library) = (&setup, target.subject) {
            errors.check(check_setup(setup, target.function));
        }
        Self { setup, teardown }
    }

    /// Takes missing hooks from `defaults`.
    pub(crate) fn with_defaults(self, defaults: &Self) -> Self {
        let defaults = defaults.clone();
        Self { setup: self.setup.or(defaults.setup), teardown: self.teardown.or(defaults.teardown) }
    }

    /// Returns the receiver of the inputs: the setup of a measured function or, without one, the
    /// function. `None` for a setup that is not a closure, whose parameters only the compiler knows.
    pub(crate) fn receiver(&self, target: Target<'_>) -> Option<Receiver> {
        match (self.setup.as_deref(), target.subject) {
            (None, _) | (_, Subject::Binary) => Some(Receiver::from(target.function)),
            (Some(Expr::Closure(closure)), Subject::Library) => Some(Receiver::from(closure)),
            (Some(_), Subject::Library) => None,
        }
    }
}

/// Checks that the function takes one argument, the return value of the setup.
fn check_setup(setup: &Expr, function: &Signature) -> syn::Result<()> {
    if function.inputs.len() == 1 {
        return Ok(());
    }
    Err(error(setup, message::setup_value(&function.ident, &Receiver::from(function))))
}

/// Returns the expression if it is a closure with a parameter that has no type.
pub(crate) fn untyped_closure(expression: &Expr) -> Option<&ExprClosure> {
    match expression {
        Expr::Closure(closure) => {
            let is_untyped = |parameter: &Pat| !matches!(parameter, Pat::Type(_));
            closure.inputs.iter().any(is_untyped).then_some(closure)
        }
        _ => None,
    }
}

/// Parameters of the function or closure that takes a case's inputs.
pub(crate) struct Receiver(Vec<Parameter>);

/// Parameter of a receiver.
struct Parameter {
    /// Pattern with its type, as text.
    text: String,
    /// Name without underscores at its start, `None` for a parameter without a name.
    name: Option<String>,
}

impl Parameter {
    fn new(text: String, pattern: &Pat) -> Self {
        let name = match pattern {
            Pat::Ident(pattern) => pattern.ident.unraw().to_string(),
            _ => String::new(),
        };
        let name = name.trim_start_matches('_');
        Self { text, name: (!name.is_empty()).then(|| name.to_owned()) }
    }
}

impl Receiver {
    /// Returns the number of parameters.
    pub(crate) fn number(&self) -> usize {
        self.0.len()
    }

    /// Returns the names of the parameters.
    pub(crate) fn names(&self) -> Vec<Option<String>> {
        self.0.iter().map(|parameter| parameter.name.clone()).collect()
    }
}

impl From<&Signature> for Receiver {
    fn from(function: &Signature) -> Self {
        let parameters = function.inputs.iter().map(|input| match input {
            FnArg::Typed(typed) => Parameter::new(display(input), &typed.pat),
            FnArg::Receiver(_) => Parameter { text: display(input), name: None },
        });
        Self(parameters.collect())
    }
}

impl From<&ExprClosure> for Receiver {
    fn from(closure: &ExprClosure) -> Self {
        let parameters = closure.inputs.iter().map(|input| {
            let pattern = if let Pat::Type(typed) = input { &typed.pat } else { input };
            Parameter::new(display(input), pattern)
        });
        Self(parameters.collect())
    }
}

/// "2 arguments (`a: u64`, `b: &str`)"
impl fmt::Display for Receiver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = enumerate(self.0.iter().map(|parameter| &parameter.text));
        match self.number() {
            0 => formatter.write_str("no arguments"),
            1 => write!(formatter, "1 argument ({list})"),
            number => write!(formatter, "{number} arguments ({list})"),
        }
    }
}
