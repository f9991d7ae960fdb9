//! Integers that the source contains: literals, and sums, differences, products and shifts of them.

use proc_macro2::Span;
use syn::{BinOp, Expr, ExprBinary, ExprLit, ExprUnary, Lit, LitInt, UnOp};

use crate::errors::error;
use crate::message;

/// Integer with the suffix of its type, which can be empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) value: u64,
    pub(crate) suffix: String,
}

impl Integer {
    /// Evaluates an expression of the function with this name.
    pub(crate) fn evaluate(expression: &Expr, function: &str) -> syn::Result<Self> {
        let (value, suffix) = evaluate(expression)
            .map_err(|unknown| error(unknown, message::not_an_integer(function)))?;
        let value = value.and_then(|value| u64::try_from(value).ok());
        let value = value.ok_or_else(|| error(expression, message::INTEGER_OUT_OF_RANGE))?;
        Ok(Self { value, suffix })
    }

    /// Returns the integer as an expression.
    pub(crate) fn literal(&self, span: Span) -> Expr {
        let lit = Lit::Int(LitInt::new(&format!("{}{}", self.value, self.suffix), span));
        Expr::Lit(ExprLit { attrs: Vec::new(), lit })
    }

    /// Returns the integer as a size, whatever type it has in the source.
    pub(crate) fn size(&self, span: Span) -> Expr {
        Self { value: self.value, suffix: "u64".to_owned() }.literal(span)
    }
}

/// Evaluates an expression. The value is `None` if it is too large, and the error is the part that is not known.
fn evaluate(expression: &Expr) -> Result<(Option<i128>, String), &Expr> {
    match expression {
        Expr::Group(group) => evaluate(&group.expr),
        Expr::Paren(paren) => evaluate(&paren.expr),
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => {
            Ok((literal.base10_parse().ok(), literal.suffix().to_owned()))
        }
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            let (value, suffix) = evaluate(expr)?;
            Ok((value.and_then(i128::checked_neg), suffix))
        }
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            let compute = match op {
                BinOp::Add(_) => i128::checked_add,
                BinOp::Sub(_) => i128::checked_sub,
                BinOp::Mul(_) => i128::checked_mul,
                BinOp::Shl(_) => shift_left,
                _ => return Err(expression),
            };
            let ((left, mut suffix), (right, of_right)) = (evaluate(left)?, evaluate(right)?);
            if suffix.is_empty() && !matches!(op, BinOp::Shl(_)) {
                suffix = of_right;
            }
            Ok((left.zip(right).and_then(|(left, right)| compute(left, right)), suffix))
        }
        other => Err(other),
    }
}

/// Shifts to the left. `None` if bits are lost.
fn shift_left(value: i128, bits: i128) -> Option<i128> {
    value.checked_mul(1_i128.checked_shl(u32::try_from(bits).ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(source: &str) -> Result<(u64, String), String> {
        let expression = syn::parse_str(source).unwrap();
        let integer = Integer::evaluate(&expression, "range").map_err(|error| error.to_string())?;
        Ok((integer.value, integer.suffix))
    }

    #[test]
    fn constant_expressions_have_their_value() {
        for (source, value, suffix) in [
            ("0", 0, ""),
            ("1_000", 1000, ""),
            ("0x10_u8", 16, "u8"),
            ("8 << 10", 8192, ""),
            ("2 * (3 + 4) - 1", 13, ""),
            ("-1 + 2_usize", 1, "usize"),
            ("1_u64 << 3_u32", 8, "u64"),
            ("1 << 3_u32", 8, ""),
            ("18446744073709551615", u64::MAX, ""),
        ] {
            assert_eq!(evaluate(source), Ok((value, suffix.to_owned())), "{source}");
        }
    }

    #[test]
    fn other_expressions_are_errors() {
        for source in ["N", "1 + N", "8 / 2", "f()", "1.0", "8 as u64", "\"8\""] {
            assert_eq!(evaluate(source), Err(message::not_an_integer("range")), "{source}");
        }
        for source in ["-1", "1 << 64", "1 << 200", "1 << -1", "2 * 18446744073709551615"] {
            let expected = message::INTEGER_OUT_OF_RANGE.to_owned();
            assert_eq!(evaluate(source), Err(expected), "{source}");
        }
    }
}
