//! Inputs of a case: arguments in the source, lines of a file, or items of an iterator.

use std::ops::Range;

use quote::{ToTokens, quote};
use syn::{Expr, Ident, LitStr};

use crate::errors::{Errors, error};
use crate::hooks::Receiver;
use crate::matrix::Matrix;
use crate::message;
use crate::parameters::Parameters;
use crate::text_file::TextFile;
use crate::tokens::{display, ungroup};

/// Inputs for the setup or, without one, for the benchmark function.
pub(crate) enum Inputs {
    /// One expression for each argument.
    Each(Vec<Expr>),
    /// One expression. Its value is a tuple of this many arguments.
    Tuple(Expr, usize),
    /// A line of this file. Each line has its own run.
    Line(TextFile),
    /// An item of the iterator that this expression returns. Each item has its own run, and is the
    /// argument or a tuple of this many arguments.
    Item(Expr, Option<usize>),
}

/// Source of the inputs of an annotation's cases.
pub(crate) enum Source {
    /// A `#[bench]`'s arguments or a `#[benches]`' elements.
    Arguments(Vec<Expr>),
    /// `file = "path"`
    File(LitStr),
    /// `iter = expression`
    Iter(Expr),
    /// `args = range(..)`, `args = dense_range(..)` and `args = product(..)`
    Matrix(Matrix),
}

impl Source {
    /// Takes the source out of `parameters`. `parse_args` parses the value of `args`.
    pub(crate) fn take(
        parameters: &mut Parameters,
        parse_args: impl FnOnce(Expr) -> syn::Result<Self>,
        errors: &mut Errors,
    ) -> Self {
        let given = parameters.take_one_of(&["args", "file", "iter"], errors);
        let source = given.and_then(|(key, parameter)| {
            errors.check(match key {
                "file" => parameter.into_text().map(Self::File),
                "iter" => parameter.into_expression().map(Self::Iter),
                _ => parameter.into_expression().and_then(parse_args),
            })
        });
        source.unwrap_or(Self::Arguments(Vec::new()))
    }
}

impl Inputs {
    /// Reads an element of `#[benches]`, which is one argument or several.
    pub(crate) fn from_element(element: Expr, receiver: Option<&Receiver>) -> Self {
        let number = receiver.map(Receiver::number);
        match (ungroup(element), number) {
            // A single parameter can only take the whole tuple
            (tuple @ Expr::Tuple(_), Some(1)) => Self::Each(vec![tuple]),
            (Expr::Tuple(tuple), _) => Self::Each(tuple.elems.into_iter().collect()),
            (Expr::Paren(paren), _) => Self::Each(vec![*paren.expr]),
            (other, Some(number @ 2..)) if can_be_a_tuple(&other) => Self::Tuple(other, number),
            (other, _) => Self::Each(vec![other]),
        }
    }

    /// Reads the file with this path.
    pub(crate) fn from_file(path: &LitStr, receiver: Option<&Receiver>) -> syn::Result<Self> {
        if let Some(receiver) = receiver.filter(|receiver| receiver.number() != 1) {
            return Err(error(path, message::line_for_several_parameters(&receiver)));
        }
        TextFile::read(path).map(Self::Line)
    }

    /// Reads the expression of `iter`.
    pub(crate) fn from_iter(iter: Expr, receiver: Option<&Receiver>) -> Self {
        let parts = receiver.map(Receiver::number).filter(|number| *number != 1);
        Self::Item(iter, parts)
    }

    /// Formats the inputs as they are in the source. A line is not in the source.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::Each(arguments) => display(&quote!(#(#arguments),*)),
            Self::Tuple(tuple, _) => display(tuple),
            Self::Line(_) => String::new(),
            Self::Item(iter, _) => format!("nth of {}", display(iter)),
        }
    }

    /// Returns the numbers of the runs, `None` for a single run without a number.
    pub(crate) fn numbers(&self) -> Option<Range<usize>> {
        match self {
            Self::Each(_) | Self::Tuple(..) => None,
            Self::Line(file) => Some(0..file.lines.len()),
            // Only the benchmark executable can count the items
            Self::Item(..) => Some(0..usize::MAX),
        }
    }

    /// Checks the number of arguments, as far as it is known.
    pub(crate) fn check_number(&self, id: &Ident, receiver: Option<&Receiver>) -> syn::Result<()> {
        let (Self::Each(arguments), Some(receiver)) = (self, receiver) else { return Ok(()) };
        if arguments.len() == receiver.number() {
            return Ok(());
        }
        let (found, tokens) = match &**arguments {
            [] => ("none".to_owned(), id.to_token_stream()),
            some => (some.len().to_string(), quote!(#(#some),*)),
        };
        Err(error(tokens, message::number_of_arguments(receiver, &found)))
    }
}

fn can_be_a_tuple(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Path(_)
            | Expr::Macro(_)
            | Expr::Block(_)
            | Expr::Field(_)
            | Expr::If(_)
            | Expr::Index(_)
            | Expr::Match(_)
            | Expr::Unsafe(_)
    )
}
