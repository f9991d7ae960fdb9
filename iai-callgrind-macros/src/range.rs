//! `range(..)` and `dense_range(..)` in `args`, with the meaning of the library's functions in `sizes`.

use std::iter;

use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprPath, Token};

use crate::errors::error;
use crate::integer::Integer;
use crate::message;

/// Largest number of elements.
pub(crate) const MAX_ELEMENTS: usize = 1000;

/// Factor of `range` and step of `dense_range` without their own.
const FACTOR: u64 = 8;
const STEP: u64 = 1;

/// The functions that make ranges.
#[derive(Clone, Copy)]
enum Kind {
    /// Powers of a factor between two numbers.
    Powers,
    /// Numbers at the same distance.
    Dense,
}

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "range" => Some(Self::Powers),
            "dense_range" => Some(Self::Dense),
            _ => None,
        }
    }

    /// Returns the numbers, at most one more than [`MAX_ELEMENTS`].
    fn numbers(self, start: u64, end: u64, third: Option<u64>) -> Vec<u64> {
        match self {
            Self::Powers => {
                let factor = third.unwrap_or(FACTOR);
                let powers = iter::successors(Some(1_u64), |power| power.checked_mul(factor));
                let between =
                    powers.take_while(|power| *power < end).filter(|&power| power > start);
                let last = (start != end).then_some(end);
                iter::once(start).chain(between).chain(last).collect()
            }
            Self::Dense => {
                let step = third.unwrap_or(STEP);
                let numbers = iter::successors(Some(start), |number| number.checked_add(step));
                numbers.take_while(|number| *number <= end).take(MAX_ELEMENTS + 1).collect()
            }
        }
    }

    /// Returns the smallest factor or step.
    fn smallest(self) -> u64 {
        match self {
            Self::Powers => 2,
            Self::Dense => 1,
        }
    }

    /// Returns the message for a factor or a step that is too small.
    fn too_small(self) -> &'static str {
        match self {
            Self::Powers => message::RANGE_FACTOR,
            Self::Dense => message::RANGE_STEP,
        }
    }

    /// Returns the message for a wrong number of arguments.
    fn usage(self) -> &'static str {
        match self {
            Self::Powers => message::RANGE_USAGE,
            Self::Dense => message::DENSE_RANGE_USAGE,
        }
    }
}

/// Returns the numbers of a range, `None` for any other expression.
pub(crate) fn parse(expression: &Expr) -> Option<syn::Result<Vec<Integer>>> {
    let (name, arguments) = call(expression)?;
    let kind = Kind::from_name(&name)?;
    Some(numbers(kind, &name, arguments, expression))
}

/// Returns the name and the arguments of a call of a function.
pub(crate) fn call(expression: &Expr) -> Option<(String, &Punctuated<Expr, Token![,]>)> {
    match expression {
        Expr::Group(group) => call(&group.expr),
        Expr::Call(ExprCall { func, args, .. }) => match &**func {
            Expr::Path(ExprPath { path, .. }) => {
                Some((path.segments.last()?.ident.to_string(), args))
            }
            _ => None,
        },
        _ => None,
    }
}

fn numbers(
    kind: Kind,
    name: &str,
    arguments: &Punctuated<Expr, Token![,]>,
    range: &Expr,
) -> syn::Result<Vec<Integer>> {
    let integers = arguments.iter().map(|argument| Integer::evaluate(argument, name));
    let integers = integers.collect::<syn::Result<Vec<_>>>()?;
    let (start, end, third) = match &*integers {
        [start, end] => (start, end, None),
        [start, end, third] => (start, end, Some(third.value)),
        _ => return Err(error(range, kind.usage())),
    };
    if start.value > end.value {
        return Err(error(range, message::RANGE_ORDER));
    }
    if third.is_some_and(|third| third < kind.smallest()) {
        return Err(error(&arguments[2], kind.too_small()));
    }
    let numbers = kind.numbers(start.value, end.value, third);
    if numbers.len() > MAX_ELEMENTS {
        return Err(error(range, message::too_many_elements(MAX_ELEMENTS)));
    }
    let suffix = if start.suffix.is_empty() { &end.suffix } else { &start.suffix };
    let integer = |value| Integer { value, suffix: suffix.clone() };
    Ok(numbers.into_iter().map(integer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &str) -> Result<Vec<String>, String> {
        let expression = syn::parse_str(source).unwrap();
        let numbers = super::parse(&expression).expect("a range");
        let text = |Integer { value, suffix }: &Integer| format!("{value}{suffix}");
        numbers.map(|numbers| numbers.iter().map(text).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_range_has_the_powers_between_its_start_and_its_end() {
        for (source, expected) in [
            ("range(8, 8 << 10)", &["8", "64", "512", "4096", "8192"][..]),
            ("range(1, 8, 2)", &["1", "2", "4", "8"]),
            ("range(0, 10)", &["0", "1", "8", "10"]),
            ("range(7, 9, 3)", &["7", "9"]),
            ("sizes::range(5_u8, 5)", &["5u8"]),
            ("dense_range(0, 1024usize, 512)", &["0usize", "512usize", "1024usize"]),
            ("dense_range(1, 6, 2)", &["1", "3", "5"]),
            ("dense_range(3, 5)", &["3", "4", "5"]),
        ] {
            let expected = expected.iter().map(ToString::to_string).collect();
            assert_eq!(parse(source), Ok(expected), "{source}");
        }
        assert_eq!(parse("range(1, 18446744073709551615, 2)").map(|numbers| numbers.len()), Ok(65));
        let last = "dense_range(18446744073709551614, 18446744073709551615)";
        assert_eq!(parse(last).map(|numbers| numbers.len()), Ok(2));
        assert_eq!(parse("dense_range(1, 1000)").map(|numbers| numbers.len()), Ok(1000));
    }

    #[test]
    fn wrong_ranges_are_errors() {
        for (source, expected) in [
            ("range(8)", message::RANGE_USAGE),
            ("dense_range(1, 2, 3, 4)", message::DENSE_RANGE_USAGE),
            ("range(9, 8)", message::RANGE_ORDER),
            ("range(8, 64, 1)", message::RANGE_FACTOR),
            ("dense_range(8, 64, 0)", message::RANGE_STEP),
            ("dense_range(0, 1000)", &message::too_many_elements(MAX_ELEMENTS)),
            ("range(8, N)", &message::not_an_integer("range")),
        ] {
            assert_eq!(parse(source), Err(expected.to_owned()), "{source}");
        }
        for other in ["other(1, 2)", "[1, 2]", "range", "a.range(1, 2)"] {
            assert!(super::parse(&syn::parse_str(other).unwrap()).is_none(), "{other}");
        }
    }
}
