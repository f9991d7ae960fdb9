//! Elements of `#[benches]` that ranges generate, alone or as axes of a `product(..)`, with ids that contain their
//! values.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Expr, ExprArray, ExprLit, ExprPath, ExprTuple, ExprUnary, Lit, Pat, Token, UnOp};

use crate::errors::error;
use crate::hooks::Receiver;
use crate::integer::Integer;
use crate::message;
use crate::range::{self, MAX_ELEMENTS};
use crate::tokens::display;

/// Generated elements.
pub(crate) enum Matrix {
    /// The numbers of a range.
    Range(Axis),
    /// All combinations of the values of several axes.
    Product(Vec<Axis>),
}

/// Values of one parameter.
pub(crate) struct Axis {
    /// At least one.
    values: Vec<Value>,
}

/// Value on an axis.
struct Value {
    expression: TokenStream,
    /// Text in ids, unique on the axis.
    text: String,
    /// Number of a range.
    number: Option<Integer>,
}

/// Amounts of the cases, which decide about the curves that the cases are on.
#[derive(Clone, Copy)]
pub(crate) struct Amounts<'a> {
    pub(crate) size: Option<&'a Expr>,
    pub(crate) throughput: Option<&'a Expr>,
}

/// Generated element of `#[benches]`.
pub(crate) struct Element {
    pub(crate) id: String,
    /// Id without the parameters that the size depends on.
    pub(crate) curve: String,
    /// Value, or a tuple of values.
    pub(crate) expression: Expr,
    /// Size, if one axis is the size.
    pub(crate) size: Option<Expr>,
}

/// Names that were given so far.
#[derive(Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// Returns the name, with a number if it is taken.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 1;
        while !self.0.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        candidate
    }
}

impl Matrix {
    /// Parses the value of `args`. `None` if it does not generate elements.
    pub(crate) fn parse(args: &Expr) -> Option<syn::Result<Self>> {
        if let Some(numbers) = range::parse(args) {
            return Some(numbers.map(|numbers| Self::Range(Axis::of_range(args, numbers))));
        }
        let (name, axes) = range::call(args)?;
        (name == "product").then(|| Self::parse_product(args, axes))
    }

    fn parse_product(product: &Expr, axes: &Punctuated<Expr, Token![,]>) -> syn::Result<Self> {
        if !(2..=6).contains(&axes.len()) {
            return Err(error(product, message::PRODUCT_USAGE));
        }
        let axes = axes.iter().map(Axis::parse).collect::<syn::Result<Vec<_>>>()?;
        let number = axes.iter().try_fold(1_usize, |number, axis| {
            number.checked_mul(axis.values.len()).filter(|number| *number <= MAX_ELEMENTS)
        });
        match number {
            Some(_) => Ok(Self::Product(axes)),
            None => Err(error(product, message::too_many_elements(MAX_ELEMENTS))),
        }
    }

    /// Returns the elements in the order of nested loops. `name` is the id of the attribute. Their ids can repeat.
    pub(crate) fn elements(
        &self,
        name: &str,
        receiver: Option<&Receiver>,
        amounts: Amounts<'_>,
    ) -> Vec<Element> {
        match self {
            Self::Range(axis) => axis.elements(name, amounts.size.is_none()),
            Self::Product(axes) => {
                let names = receiver.map(Receiver::names).filter(|names| names.len() == axes.len());
                let names = names.unwrap_or_else(|| vec![None; axes.len()]);
                Product { name, axes, names, series: Series::new(axes, amounts) }.elements()
            }
        }
    }
}

impl Value {
    /// Returns a copy of the expression. syn's own expressions can't be copied.
    fn to_expression(&self) -> Expr {
        Expr::Verbatim(self.expression.clone())
    }

    /// Returns the number of a range as a size.
    fn size(&self) -> Option<Expr> {
        Some(self.number.as_ref()?.size(self.expression.span()))
    }
}

impl Axis {
    fn parse(axis: &Expr) -> syn::Result<Self> {
        if let Some(numbers) = range::parse(axis) {
            return numbers.map(|numbers| Self::of_range(axis, numbers));
        }
        match axis {
            Expr::Group(group) => Self::parse(&group.expr),
            Expr::Array(array) if !array.elems.is_empty() => Ok(Self::of_array(array)),
            _ => Err(error(axis, message::AXIS)),
        }
    }

    /// Returns the axis of a range with these numbers.
    fn of_range(range: &Expr, numbers: Vec<Integer>) -> Self {
        let value = |number: Integer| Value {
            expression: number.literal(range.span()).into_token_stream(),
            text: number.value.to_string(),
            number: Some(number),
        };
        Self { values: numbers.into_iter().map(value).collect() }
    }

    fn of_array(array: &ExprArray) -> Self {
        let mut names = Names::default();
        let value = |(index, expression): (usize, &Expr)| Value {
            expression: expression.to_token_stream(),
            text: names.unique(&text(expression).unwrap_or_else(|| index.to_string())),
            number: None,
        };
        Self { values: array.elems.iter().enumerate().map(value).collect() }
    }

    fn is_range(&self) -> bool {
        self.values.iter().all(|value| value.number.is_some())
    }

    /// Returns the elements of a range.
    fn elements(&self, name: &str, is_size: bool) -> Vec<Element> {
        let element = |value: &Value| Element {
            id: format!("{name}_{}", value.text),
            curve: name.to_owned(),
            expression: value.to_expression(),
            size: if is_size { value.size() } else { None },
        };
        self.values.iter().map(element).collect()
    }
}

/// Axes that distinguish the curves of a product. The others are points of a curve.
struct Series {
    /// `true` for an axis that distinguishes curves.
    is_series: Vec<bool>,
    /// Axis that is the size itself.
    size: Option<usize>,
}

impl Series {
    fn new(axes: &[Axis], Amounts { size, throughput }: Amounts<'_>) -> Self {
        let mut ranges = axes.iter().enumerate().filter(|(_, axis)| axis.is_range());
        match (size, ranges.next(), ranges.next()) {
            (None, Some((range, _)), None) => {
                let is_series = (0..axes.len()).map(|index| index != range).collect();
                Self { is_series, size: Some(range) }
            }
            _ => Self { is_series: ignored(size.or(throughput), axes.len()), size: None },
        }
    }
}

/// Product of axes for a `#[benches]`.
struct Product<'a> {
    /// Id of the attribute.
    name: &'a str,
    axes: &'a [Axis],
    /// Names of the axes.
    names: Vec<Option<String>>,
    series: Series,
}

impl Product<'_> {
    fn elements(&self) -> Vec<Element> {
        let mut combinations = vec![Vec::new()];
        for axis in self.axes {
            let longer = |combination: Vec<usize>| {
                (0..axis.values.len()).map(move |index| [&*combination, &[index]].concat())
            };
            combinations = combinations.into_iter().flat_map(longer).collect();
        }
        let (mut curves, mut names) = (HashMap::new(), Names::default());
        let element = |combination: Vec<usize>| {
            let is_series = |axis: usize| self.series.is_series[axis];
            let series: Vec<_> = (0..self.axes.len())
                .map(|axis| is_series(axis).then(|| combination[axis]))
                .collect();
            let curve = curves
                .entry(series)
                .or_insert_with(|| names.unique(&self.text(&combination, is_series)))
                .clone();
            Element {
                id: self.text(&combination, |_| true),
                curve,
                expression: self.tuple(&combination),
                size: self.series.size.and_then(|axis| self.value(&combination, axis).size()),
            }
        };
        combinations.into_iter().map(element).collect()
    }

    fn value(&self, combination: &[usize], axis: usize) -> &Value {
        &self.axes[axis].values[combination[axis]]
    }

    /// Returns the id of a combination, with the axes that `is_named` selects.
    fn text(&self, combination: &[usize], is_named: impl Fn(usize) -> bool) -> String {
        let mut text = self.name.to_owned();
        for axis in (0..self.axes.len()).filter(|axis| is_named(*axis)) {
            if let Some(name) = &self.names[axis] {
                text = format!("{text}_{name}");
            }
            text = format!("{text}_{}", self.value(combination, axis).text);
        }
        text
    }

    fn tuple(&self, combination: &[usize]) -> Expr {
        let values = (0..self.axes.len()).map(|axis| self.value(combination, axis));
        let elems: Punctuated<_, _> = values.map(Value::to_expression).collect();
        let paren_token = Paren(elems.first().map_or_else(Span::call_site, Spanned::span));
        Expr::Tuple(ExprTuple { attrs: Vec::new(), paren_token, elems })
    }
}

/// Returns `true` for each parameter that a closure does not use: `_` or `_name`. Any other expression uses all.
fn ignored(amount: Option<&Expr>, number: usize) -> Vec<bool> {
    let Some(Expr::Closure(closure)) = amount else { return vec![false; number] };
    let mut patterns: Vec<_> = closure.inputs.iter().map(inner).collect();
    // A closure can take all parameters as one tuple
    if let [Pat::Tuple(tuple)] = &*patterns {
        patterns = tuple.elems.iter().map(inner).collect();
    }
    if patterns.len() != number {
        return vec![false; number];
    }
    let is_ignored = |pattern: &Pat| match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(name) => name.ident.to_string().starts_with('_'),
        _ => false,
    };
    patterns.into_iter().map(is_ignored).collect()
}

/// Returns the pattern without its type and references.
fn inner(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Type(typed) => inner(&typed.pat),
        Pat::Reference(reference) => inner(&reference.pat),
        Pat::Paren(paren) => inner(&paren.pat),
        other => other,
    }
}

/// Returns the text of a literal or of the last segment of a path, with characters for an id.
fn text(expression: &Expr) -> Option<String> {
    let text = match expression {
        Expr::Group(group) => return text(&group.expr),
        Expr::Paren(paren) => return text(&paren.expr),
        Expr::Lit(ExprLit { lit, .. }) => literal_text(lit),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if matches!(**expr, Expr::Lit(_)) => {
            format!("-{}", text(expr)?)
        }
        Expr::Path(ExprPath { path, .. }) => path.segments.last()?.ident.unraw().to_string(),
        _ => return None,
    };
    let allowed = |next: char| if next.is_alphanumeric() { next } else { '_' };
    Some(text.chars().map(allowed).collect())
}

fn literal_text(literal: &Lit) -> String {
    match literal {
        Lit::Str(text) => text.value(),
        Lit::ByteStr(bytes) => String::from_utf8_lossy(&bytes.value()).into_owned(),
        Lit::Byte(byte) => char::from(byte.value()).to_string(),
        Lit::Char(character) => character.value().to_string(),
        Lit::Int(number) => number.base10_digits().to_owned(),
        Lit::Float(number) => number.base10_digits().to_owned(),
        Lit::Bool(value) => value.value.to_string(),
        other => display(other),
    }
}

#[cfg(test)]
mod tests {
    use syn::ExprClosure;

    use super::*;

    fn parse(source: &str) -> syn::Result<Matrix> {
        Matrix::parse(&syn::parse_str(source).unwrap()).expect("generated elements")
    }

    /// Returns the ids, the curves and the sizes of the elements for a closure with parameters, with `m` as the id.
    fn elements(args: &str, receiver: &str, size: &str) -> Vec<[String; 3]> {
        let receiver = syn::parse_str::<ExprClosure>(receiver).ok().as_ref().map(Receiver::from);
        let size = syn::parse_str(size).ok();
        let amounts = Amounts { size: size.as_ref(), throughput: None };
        let elements = parse(args).unwrap().elements("m", receiver.as_ref(), amounts);
        let element = |Element { id, curve, size, .. }: Element| {
            [id, curve, size.as_ref().map(display).unwrap_or_default()]
        };
        elements.into_iter().map(element).collect()
    }

    /// Returns the ids for a receiver without names.
    fn ids(args: &str) -> Vec<String> {
        elements(args, "", "").into_iter().map(|[id, ..]| id).collect()
    }

    #[test]
    fn the_number_of_a_range_is_the_size_unless_there_is_another_one() {
        let with_size = |size| [["m_8", "m", size], ["m_20", "m", size]];
        assert_eq!(
            elements("range(8_u8, 20)", "|n: u8| ()", ""),
            [["m_8", "m", "8u64"], ["m_20", "m", "20u64"]]
        );
        assert_eq!(elements("range(8, 20)", "", "|n| 2 * n"), with_size(""));
        assert_eq!(elements("range(8, 20)", "", "|_| 2"), with_size(""));
    }

    #[test]
    fn ids_name_the_parameters_and_series_are_those_that_the_size_does_not_use() {
        const ARGS: &str = "product([1, 8], [\"lf\", \"crlf\"])";
        let named =
            ["m_n_1_ending_lf", "m_n_1_ending_crlf", "m_n_8_ending_lf", "m_n_8_ending_crlf"];
        let found = |receiver, size| elements(ARGS, receiver, size).into_iter();
        for receiver in ["|n, ending| ()", "|_n: usize, r#ending: &str| ()"] {
            let ids: Vec<_> = found(receiver, "").map(|[id, ..]| id).collect();
            assert_eq!(ids, named);
        }
        let curves =
            |receiver, size| found(receiver, size).map(|[_, curve, _]| curve).collect::<Vec<_>>();
        let [lf, crlf] = ["m_ending_lf", "m_ending_crlf"];
        for size in ["|n, _| *n", "|&n: &u8, _ending: &&str| n", "|(n, _)| *n"] {
            assert_eq!(curves("|n, ending| ()", size), [lf, crlf, lf, crlf], "{size}");
        }
        for size in ["", "size_of", "|n, ending| n * ending.len()", "|pair| pair.0"] {
            assert_eq!(curves("|n, ending| ()", size), ["m"; 4], "{size}");
        }
        for receiver in ["", "|pair| ()", "|_, (a, b)| ()"] {
            assert_eq!(curves(receiver, "|_, _| 1"), ["m_1_lf", "m_1_crlf", "m_8_lf", "m_8_crlf"]);
        }
    }

    #[test]
    fn without_a_size_the_throughput_distinguishes_series() {
        let throughput = syn::parse_str("|n, _| Throughput::Elements(*n)").unwrap();
        let curve = |args: &str, size: Option<&Expr>| {
            let amounts = Amounts { size, throughput: Some(&throughput) };
            parse(args).unwrap().elements("m", None, amounts).remove(0).curve
        };
        assert_eq!(curve("product([1], [2])", None), "m_2");
        let size = syn::parse_str("|_, n| *n").unwrap();
        assert_eq!(curve("product([1], [2])", Some(&size)), "m_1");
        assert_eq!(curve("product([1], range(2, 3))", None), "m_1");
    }

    #[test]
    fn a_single_range_of_a_product_is_the_size() {
        let found = elements("product([\"a\", \"b\"], dense_range(3, 4))", "|text, n| ()", "");
        let expected = [
            ["m_text_a_n_3", "m_text_a", "3u64"],
            ["m_text_a_n_4", "m_text_a", "4u64"],
            ["m_text_b_n_3", "m_text_b", "3u64"],
            ["m_text_b_n_4", "m_text_b", "4u64"],
        ];
        assert_eq!(found, expected);
        let two_ranges = elements("product(range(1, 2), range(3, 4))", "", "");
        assert!(two_ranges.iter().all(|[_, curve, size]| curve == "m" && size.is_empty()));
    }

    #[test]
    fn ids_have_the_text_of_literals_and_paths_and_the_index_of_other_values() {
        let values = "[-1, 1_000u16, 0x10, 1.5, 'a', b'b', b\"c\", true, \"d e/f\", A::B, r#type, (7), 1 + 1, &g, h()]";
        let expected = "_1 1000 16 1_5 a b c true d_e_f B type 7 12 13 14";
        let expected: Vec<_> = expected.split(' ').map(|text| format!("m_{text}_0")).collect();
        assert_eq!(ids(&format!("product({values}, [0])")), expected);
        assert_eq!(
            ids("product([\"a b\", \"a_b\"], [1, 1])"),
            ["m_a_b_1", "m_a_b_1_2", "m_a_b_2_1", "m_a_b_2_1_2"]
        );
    }

    #[test]
    fn curves_with_the_same_text_are_different() {
        let found = elements("product(range(1, 2), [\"a\", \"a_b\"], [\"b_c\", \"c\"])", "", "");
        let curves: Vec<_> = found.iter().take(4).map(|[_, curve, _]| &**curve).collect();
        assert_eq!(curves, ["m_a_b_c", "m_a_c", "m_a_b_b_c", "m_a_b_c_2"]);
    }

    #[test]
    fn wrong_products_are_errors() {
        let error = |args| parse(args).err().map(|error| error.to_string());
        for (args, expected) in [
            ("product([1])", message::PRODUCT_USAGE),
            ("product([1], [1], [1], [1], [1], [1], [1])", message::PRODUCT_USAGE),
            ("product([1], [])", message::AXIS),
            ("product([1], values())", message::AXIS),
            ("product([1], range(1))", message::RANGE_USAGE),
            ("product(dense_range(1, 26), dense_range(1, 40))", &message::too_many_elements(1000)),
        ] {
            assert_eq!(error(args), Some(expected.to_owned()), "{args}");
        }
        assert_eq!(error("product(dense_range(1, 25), dense_range(1, 40))"), None);
    }
}
