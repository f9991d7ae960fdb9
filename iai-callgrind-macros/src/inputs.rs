//! What a case is run with: arguments in the source, lines of a file, or items of an iterator.

use std::ops::Range;

use quote::{ToTokens, quote};
use syn::{Expr, Ident, LitStr};

use crate::errors::Errors;
use crate::file::TextFile;
use crate::hooks::Receiver;
use crate::parameters::Parameters;
use crate::tokens::{display, ungroup};

/// What the set-up or, if there is none, the benchmark function is called with.
pub(crate) enum Inputs {
    /// One expression for each argument.
    Each(Vec<Expr>),
    /// One expression, the value of which is a tuple of this many arguments.
    Tuple(Expr, usize),
    /// A line of this file, in one run for each of them.
    Line(TextFile),
    /// An item of what this expression iterates over, in one run for each of them. It is the argument,
    /// or a tuple of this many.
    Item(Expr, Option<usize>),
}

/// Where the inputs of an annotation's cases come from.
pub(crate) enum Source {
    /// A `#[bench]`'s arguments or a `#[benches]`' elements.
    Arguments(Vec<Expr>),
    /// `file = "path"`
    File(LitStr),
    /// `iter = expression`
    Iter(Expr),
}

impl Source {
    /// The source among `parameters`, whose `args` are still to be taken apart.
    pub(crate) fn take(
        parameters: &mut Parameters,
        split_args: impl FnOnce(Expr) -> syn::Result<Vec<Expr>>,
        errors: &mut Errors,
    ) -> Self {
        let given = parameters.take_one_of(&["args", "file", "iter"], errors);
        let source = given.and_then(|(key, parameter)| {
            errors.check(match key {
                "file" => parameter.into_text().map(Self::File),
                "iter" => parameter.into_expression().map(Self::Iter),
                _ => parameter.into_expression().and_then(split_args).map(Self::Arguments),
            })
        });
        source.unwrap_or(Self::Arguments(Vec::new()))
    }
}

impl Inputs {
    /// One element of `#[benches]`, which is one argument or several.
    pub(crate) fn of_element(element: Expr, receiver: Option<&Receiver>) -> Self {
        let number = receiver.map(Receiver::number);
        match (ungroup(element), number) {
            // Which a single parameter can only take as a whole
            (tuple @ Expr::Tuple(_), Some(1)) => Self::Each(vec![tuple]),
            (Expr::Tuple(tuple), _) => Self::Each(tuple.elems.into_iter().collect()),
            (Expr::Paren(paren), _) => Self::Each(vec![*paren.expr]),
            (other, Some(number @ 2..)) if can_be_a_tuple(&other) => Self::Tuple(other, number),
            (other, _) => Self::Each(vec![other]),
        }
    }

    /// A line of the file with this path.
    pub(crate) fn of_file(path: &LitStr, receiver: Option<&Receiver>) -> syn::Result<Self> {
        if let Some(receiver) = receiver.filter(|receiver| receiver.number() != 1) {
            let message = format!(
                "a line is one argument, but here it would go to what takes {receiver}: write a \
                 `setup` that makes one value of a line"
            );
            return Err(syn::Error::new(path.span(), message));
        }
        TextFile::read(path).map(Self::Line)
    }

    /// An item of what `iter` iterates over.
    pub(crate) fn of_iter(iter: Expr, receiver: Option<&Receiver>) -> Self {
        let parts = receiver.map(Receiver::number).filter(|number| *number != 1);
        Self::Item(iter, parts)
    }

    /// The inputs as they stand in the source. A line stands in its file.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::Each(arguments) => display(&quote!(#(#arguments),*)),
            Self::Tuple(tuple, _) => display(tuple),
            Self::Line(_) => String::new(),
            Self::Item(iter, _) => format!("nth of {}", display(iter)),
        }
    }

    /// The numbers of the runs; none for a single run without a number.
    pub(crate) fn numbers(&self) -> Option<Range<usize>> {
        match self {
            Self::Each(_) | Self::Tuple(..) => None,
            Self::Line(file) => Some(0..file.lines.len()),
            // How many there are shows when the benchmarks run
            Self::Item(..) => Some(0..usize::MAX),
        }
    }

    /// Whether their number is right, as far as that is known.
    pub(crate) fn check_number(&self, id: &Ident, receiver: Option<&Receiver>) -> syn::Result<()> {
        let (Self::Each(arguments), Some(receiver)) = (self, receiver) else { return Ok(()) };
        if arguments.len() == receiver.number() {
            return Ok(());
        }
        let (found, tokens) = match &**arguments {
            [] => ("none".to_owned(), id.to_token_stream()),
            some => (some.len().to_string(), quote!(#(#some),*)),
        };
        let message = format!("expected {receiver} but found {found}");
        Err(syn::Error::new_spanned(tokens, message))
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
