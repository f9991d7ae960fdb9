//! The one parser for lists of `key = value`, whichever macro they are written in.
//!
//! A value is one expression or several with commas between them. Both `;` and `,` end a value; a
//! comma does so only if `key =` or nothing follows, which is what lets
//! `name = group, benchmarks = a, b` mean what it seems to.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token};

use crate::errors::Errors;
use crate::tokens::{enumerate, identifier, ungroup};

/// What a macro accepts.
pub(crate) struct Syntax {
    /// The macro as the user writes it, for the error messages.
    pub(crate) name: &'static str,
    /// The keys.
    pub(crate) keys: &'static [&'static str],
}

/// A parsed list.
#[derive(Default)]
pub(crate) struct Parameters {
    list: Vec<Parameter>,
}

/// A `key = value`.
pub(crate) struct Parameter {
    key: Ident,
    values: Vec<Expr>,
    /// The value of the [`MODIFIER`] behind it.
    is_measured: bool,
}

/// The key that says something of the parameter before it.
const MODIFIER: &str = "bench";

/// Whether the next tokens are `key =`.
pub(crate) fn starts_parameter(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==])
}

impl Syntax {
    /// Parses a macro's input.
    pub(crate) fn parse_tokens(&self, tokens: TokenStream, errors: &mut Errors) -> Parameters {
        let parsed = (|input: ParseStream<'_>| Ok(self.parse(input, errors))).parse2(tokens);
        errors.check(parsed).unwrap_or_default()
    }

    /// Parses all of `input`; what is right before a mistake and after a wrong key is kept, so that
    /// a mistake doesn't cause others.
    pub(crate) fn parse(&self, input: ParseStream<'_>, errors: &mut Errors) -> Parameters {
        let mut list: Vec<Parameter> = Vec::new();
        while !input.is_empty() {
            match self.parse_one(input) {
                Ok(parameter) if parameter.key == MODIFIER && self.keys.contains(&MODIFIER) => {
                    errors.check(modify(list.last_mut(), parameter));
                }
                Ok(parameter) => match self.check_key(&parameter.key, &list) {
                    Ok(()) => list.push(parameter),
                    Err(error) => errors.push(error),
                },
                Err(error) => {
                    errors.push(error);
                    skip_rest(input);
                }
            }
        }
        Parameters { list }
    }

    fn check_key(&self, key: &Ident, earlier: &[Parameter]) -> syn::Result<()> {
        let message = if !self.keys.iter().any(|known| key == known) {
            format!("unknown parameter `{key}`: {}", self.usage())
        } else if earlier.iter().any(|parameter| parameter.key == *key) {
            format!("`{key}` is given twice: remove one of them")
        } else {
            return Ok(());
        };
        Err(syn::Error::new(key.span(), message))
    }

    fn parse_one(&self, input: ParseStream<'_>) -> syn::Result<Parameter> {
        if !starts_parameter(input) {
            return Err(input.error(format!("expected `key = value`: {}", self.usage())));
        }
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Parameter { values: parse_values(input, &key)?, key, is_measured: false })
    }

    fn usage(&self) -> String {
        format!("{} takes {}", self.name, enumerate(self.keys))
    }
}

/// Applies a `bench = true`.
fn modify(parameter: Option<&mut Parameter>, modifier: Parameter) -> syn::Result<()> {
    const MESSAGE: &str =
        "`bench` belongs behind a function: write `setup = some_function, bench = true`";
    let key = modifier.key.clone();
    let parameter = parameter.ok_or_else(|| syn::Error::new(key.span(), MESSAGE))?;
    match ungroup(modifier.into_expression()?) {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => parameter.is_measured = value.value,
        other => return Err(syn::Error::new_spanned(other, "`bench` takes `true` or `false`")),
    }
    Ok(())
}

/// A parser has to consume its input, or it would report the rest as a mistake of its own.
fn skip_rest(input: ParseStream<'_>) {
    let _ = input.parse::<TokenStream>();
}

fn parse_values(input: ParseStream<'_>, key: &Ident) -> syn::Result<Vec<Expr>> {
    if input.is_empty() || input.peek(Token![;]) || input.peek(Token![,]) {
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` has no value: write `{key} = ..`"),
        ));
    }

    let mut values = vec![input.parse()?];
    while !input.is_empty() {
        if input.parse::<Option<Token![;]>>()?.is_some() {
            break;
        }
        if input.parse::<Option<Token![,]>>()?.is_none() {
            return Err(input.error("expected `;` or `,` before this"));
        }
        if input.is_empty() || starts_parameter(input) {
            break;
        }
        values.push(input.parse()?);
    }
    Ok(values)
}

impl Parameters {
    /// The parameter with this key, if it is there.
    pub(crate) fn take(&mut self, key: &str) -> Option<Parameter> {
        let index = self.list.iter().position(|parameter| parameter.key == key)?;
        Some(self.list.swap_remove(index))
    }

    /// The parameter with this key; `example` shows how to write it if it is missing.
    ///
    /// After another mistake it isn't reported as missing: it may be what the mistake is about.
    pub(crate) fn require(
        &mut self,
        key: &str,
        example: &str,
        errors: &mut Errors,
    ) -> Option<Parameter> {
        let parameter = self.take(key);
        if parameter.is_none() && errors.is_empty() {
            let message = format!("missing `{key}`: write `{example}`");
            errors.push(syn::Error::new(Span::call_site(), message));
        }
        parameter
    }

    /// The only parameter that is there of those with these keys, and its key.
    pub(crate) fn take_one_of(
        &mut self,
        keys: &[&'static str],
        errors: &mut Errors,
    ) -> Option<(&'static str, Parameter)> {
        let mut given = keys.iter().filter_map(|key| Some((*key, self.take(key)?)));
        let first = given.next()?;
        for (key, parameter) in given {
            let message =
                format!("`{}` and `{key}` exclude each other: remove one of them", first.0);
            errors.push(syn::Error::new(parameter.key.span(), message));
        }
        Some(first)
    }

    /// The single expression of the parameter with this key, if it is there.
    pub(crate) fn take_expression(&mut self, key: &str, errors: &mut Errors) -> Option<Expr> {
        errors.check(self.take(key)?.into_expression())
    }
}

impl Parameter {
    /// Whether `bench = true` follows.
    pub(crate) fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// The closure that is the value, if it is one.
    pub(crate) fn closure(&self) -> Option<&ExprClosure> {
        match &*self.values {
            [Expr::Closure(closure)] => Some(closure),
            _ => None,
        }
    }

    /// The key, for errors that are about it.
    pub(crate) fn key(&self) -> &Ident {
        &self.key
    }

    /// The value as a single expression.
    pub(crate) fn into_expression(self) -> syn::Result<Expr> {
        let Self { key, mut values, .. } = self;
        if let Some(second) = values.get(1) {
            let message = format!(
                "`{key}` takes one value, and what follows it has to be another `key = value`"
            );
            return Err(syn::Error::new_spanned(second, message));
        }
        Ok(values.swap_remove(0))
    }

    /// The value as a string.
    pub(crate) fn into_text(self) -> syn::Result<LitStr> {
        let key = self.key.clone();
        match ungroup(self.into_expression()?) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
            other => {
                let message = format!("`{key}` takes a string: write `{key} = \"...\"`");
                Err(syn::Error::new_spanned(other, message))
            }
        }
    }

    /// The value as an identifier.
    pub(crate) fn into_identifier(self) -> syn::Result<Ident> {
        let key = self.key.clone();
        let value = self.into_expression()?;
        identifier(&value).cloned().ok_or_else(|| {
            let message = format!("`{key}` takes an identifier: write `{key} = some_name`");
            syn::Error::new_spanned(&value, message)
        })
    }

    /// The value as paths whose last segments differ, with or without brackets around them.
    pub(crate) fn into_paths(self) -> syn::Result<Vec<Path>> {
        let Self { key, values, .. } = self;
        let (span, values) = match <[Expr; 1]>::try_from(values) {
            Ok([Expr::Array(array)]) => (array.span(), array.elems.into_iter().collect()),
            Ok([value]) => (key.span(), vec![value]),
            Err(values) => (key.span(), values),
        };
        if values.is_empty() {
            let message =
                format!("`{key}` is empty: write `{key} = some_name, module::other_name`");
            return Err(syn::Error::new(span, message));
        }

        let mut errors = Errors::default();
        let mut paths: Vec<Path> = Vec::with_capacity(values.len());
        for value in values {
            let Some(path) = errors.check(path(value, &key)) else { continue };
            let name = last_identifier(&path);
            if paths.iter().any(|earlier| last_identifier(earlier) == name) {
                errors.push(duplicate_name(&path, &key));
            }
            paths.push(path);
        }
        errors.finish(paths)
    }
}

fn duplicate_name(path: &Path, key: &Ident) -> syn::Error {
    let message = format!(
        "`{}` is already in `{key}`: titles and output directories are made of the last \
         identifier, so remove or rename one of them",
        last_identifier(path)
    );
    syn::Error::new_spanned(path, message)
}

fn path(value: Expr, key: &Ident) -> syn::Result<Path> {
    match ungroup(value) {
        Expr::Path(ExprPath { qself: None, path, .. }) => Ok(path),
        other => {
            let message = format!(
                "`{key}` takes names and paths: write `{key} = some_name, module::other_name`"
            );
            Err(syn::Error::new_spanned(other, message))
        }
    }
}

/// A path always has a last segment: the parser accepts none without.
fn last_identifier(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::display;

    const SYNTAX: Syntax = Syntax { name: "`test!`", keys: &["name", "list"] };

    fn parse_with(source: &str, errors: &mut Errors) -> Parameters {
        SYNTAX.parse_tokens(source.parse().unwrap(), errors)
    }

    fn parse(source: &str) -> Parameters {
        let mut errors = Errors::default();
        let parameters = parse_with(source, &mut errors);
        errors.finish(parameters).unwrap()
    }

    fn mistakes(source: &str) -> Vec<String> {
        let mut errors = Errors::default();
        parse_with(source, &mut errors);
        errors.finish(()).unwrap_err().into_iter().map(|error| error.to_string()).collect()
    }

    fn name_and_list(source: &str) -> (String, Vec<String>) {
        let mut parameters = parse(source);
        let name = parameters.take("name").unwrap().into_identifier().unwrap().to_string();
        let paths = parameters.take("list").unwrap().into_paths().unwrap();
        (name, paths.iter().map(display).collect())
    }

    fn mistake_in_list(source: &str) -> String {
        parse(source).take("list").unwrap().into_paths().err().unwrap().to_string()
    }

    #[test]
    fn both_separators_any_order_and_trailing_separators() {
        let expected = ("g".to_owned(), vec!["a".to_owned(), "b".to_owned()]);
        for source in [
            "name = g; list = a, b",
            "name = g; list = a, b;",
            "name = g; list = a, b,",
            "name = g, list = a, b",
            "name = g, list = [a, b]",
            "name = g; list = [a, b,],",
            "list = a, b; name = g",
            "list = a, b, name = g",
            "list = [a, b]; name = g,",
        ] {
            assert_eq!(name_and_list(source), expected, "{source}");
        }
    }

    #[test]
    fn an_empty_list_has_no_parameters() {
        let mut errors = Errors::default();
        assert!(parse("").require("name", "name = g", &mut errors).is_none());
        let error = errors.finish(()).unwrap_err();
        assert_eq!(error.to_string(), "missing `name`: write `name = g`");
    }

    #[test]
    fn all_wrong_keys_are_reported() {
        assert_eq!(
            mistakes("nam = g; name = a; name = b"),
            [
                "unknown parameter `nam`: `test!` takes `name`, `list`",
                "`name` is given twice: remove one of them",
            ]
        );
    }

    #[test]
    fn what_is_right_survives_a_mistake() {
        let mut errors = Errors::default();
        let mut parameters = parse_with("name = g; nam = g; 1", &mut errors);
        assert!(parameters.take("name").is_some());
        assert!(parameters.require("list", "list = a", &mut errors).is_none());
        assert_eq!(errors.finish(()).unwrap_err().into_iter().count(), 2);
    }

    #[test]
    fn what_is_no_parameter_is_an_error() {
        assert_eq!(mistakes("g"), ["expected `key = value`: `test!` takes `name`, `list`"]);
        assert_eq!(mistakes("name == g"), ["expected `key = value`: `test!` takes `name`, `list`"]);
        assert_eq!(mistakes("name = a list = b"), ["expected `;` or `,` before this"]);
        assert_eq!(mistakes("name ="), ["`name` has no value: write `name = ..`"]);
    }

    #[test]
    fn some_keys_exclude_each_other() {
        let mut errors = Errors::default();
        let mut parameters = parse("list = a; name = \"b\"");
        let (key, name) = parameters.take_one_of(&["name", "list"], &mut errors).unwrap();
        assert_eq!((key, name.into_text().unwrap().value()), ("name", "b".to_owned()));
        let error = errors.finish(()).unwrap_err();
        assert_eq!(error.to_string(), "`name` and `list` exclude each other: remove one of them");
        assert!(parameters.take_one_of(&["name", "list"], &mut Errors::default()).is_none());
        let no_text = parse("name = b").take("name").unwrap().into_text().err().unwrap();
        assert_eq!(no_text.to_string(), "`name` takes a string: write `name = \"...\"`");
    }

    #[test]
    fn names_have_to_differ() {
        assert!(mistake_in_list("list = a, m::a").starts_with("`a` is already in `list`"));
        assert!(mistake_in_list("list = []").starts_with("`list` is empty"));
        assert!(mistake_in_list("list = a, 1").starts_with("`list` takes names and paths"));
    }
}
