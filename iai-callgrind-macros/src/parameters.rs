//! Lists of `key = value`, the input of all macros.
//!
//! A value is one expression or several with commas between them. Both `;` and `,` end a value. A comma
//! does so only before `key =` or at the end, so that `name = group, benchmarks = a, b` has two
//! parameters.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token};

use crate::errors::{Errors, error, error_at};
use crate::message;
use crate::tokens::{display, enumerate, identifier, ungroup};

/// Parameters that a macro accepts.
pub(crate) struct Syntax {
    /// Macro as the user writes it, for error messages.
    pub(crate) name: &'static str,
    /// Keys of the parameters.
    pub(crate) keys: &'static [&'static str],
}

/// Parsed list of parameters.
#[derive(Default)]
pub(crate) struct Parameters {
    list: Vec<Parameter>,
}

/// Parsed `key = value`.
pub(crate) struct Parameter {
    key: Ident,
    values: Vec<Expr>,
    /// Value of the [`MODIFIER`] that follows the parameter.
    is_measured: bool,
}

/// Function in the list of a group.
pub(crate) struct ListedFunction {
    pub(crate) path: Path,
    /// Name of a repeated function: `function_2`.
    pub(crate) title: Option<String>,
}

impl ListedFunction {
    fn name(&self) -> String {
        self.title.clone().unwrap_or_else(|| last_identifier(&self.path))
    }
}

/// Key that modifies the parameter before it.
const MODIFIER: &str = "bench";

/// Returns `true` if the next tokens are `key =`.
pub(crate) fn starts_parameter(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==])
}

impl Syntax {
    /// Parses a macro's input.
    pub(crate) fn parse_tokens(&self, tokens: TokenStream, errors: &mut Errors) -> Parameters {
        let parsed = (|input: ParseStream<'_>| Ok(self.parse(input, errors))).parse2(tokens);
        errors.check(parsed).unwrap_or_default()
    }

    /// Parses all of `input`. Keeps the parameters before an error and after a wrong key, so that one
    /// error does not cause others.
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
            message::unknown_parameter(key, &self.usage())
        } else if earlier.iter().any(|parameter| parameter.key == *key) {
            message::duplicate_parameter(key)
        } else {
            return Ok(());
        };
        Err(error(key, message))
    }

    fn parse_one(&self, input: ParseStream<'_>) -> syn::Result<Parameter> {
        if !starts_parameter(input) {
            return Err(input.error(message::malformed_parameter(&self.usage())));
        }
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Parameter { values: parse_values(input, &key)?, key, is_measured: false })
    }

    fn usage(&self) -> String {
        message::usage(self.name, &enumerate(self.keys))
    }
}

/// Applies a `bench = true`.
fn modify(parameter: Option<&mut Parameter>, modifier: Parameter) -> syn::Result<()> {
    let missing = || error(&modifier.key, message::BENCH_WITHOUT_FUNCTION);
    let parameter = parameter.ok_or_else(missing)?;
    match ungroup(modifier.into_expression()?) {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => parameter.is_measured = value.value,
        other => return Err(error(other, message::BENCH_VALUE)),
    }
    Ok(())
}

/// Consumes the input, because syn reports input that a parser leaves over.
fn skip_rest(input: ParseStream<'_>) {
    let _ = input.parse::<TokenStream>();
}

fn parse_values(input: ParseStream<'_>, key: &Ident) -> syn::Result<Vec<Expr>> {
    if input.is_empty() || input.peek(Token![;]) || input.peek(Token![,]) {
        return Err(error(key, message::missing_value(key)));
    }

    let mut values = vec![input.parse()?];
    while !input.is_empty() {
        if input.parse::<Option<Token![;]>>()?.is_some() {
            break;
        }
        if input.parse::<Option<Token![,]>>()?.is_none() {
            return Err(input.error(message::SEPARATOR));
        }
        if input.is_empty() || starts_parameter(input) {
            break;
        }
        values.push(input.parse()?);
    }
    Ok(values)
}

impl Parameters {
    /// Returns `true` if there is a parameter with this key.
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.list.iter().any(|parameter| parameter.key == key)
    }

    /// Takes the parameter with this key, if there is one.
    pub(crate) fn take(&mut self, key: &str) -> Option<Parameter> {
        let index = self.list.iter().position(|parameter| parameter.key == key)?;
        Some(self.list.swap_remove(index))
    }

    /// Takes the parameter with this key. The error for a missing one contains `example`.
    ///
    /// After another error a missing parameter is not reported, because that error can be about it.
    pub(crate) fn require(
        &mut self,
        key: &str,
        example: &str,
        errors: &mut Errors,
    ) -> Option<Parameter> {
        let parameter = self.take(key);
        if parameter.is_none() && errors.is_empty() {
            errors.push(error_at(Span::call_site(), message::missing_parameter(key, example)));
        }
        parameter
    }

    /// Takes the parameter with one of these keys, which exclude each other, and returns the key too.
    pub(crate) fn take_one_of(
        &mut self,
        keys: &[&'static str],
        errors: &mut Errors,
    ) -> Option<(&'static str, Parameter)> {
        let mut given = keys.iter().filter_map(|key| Some((*key, self.take(key)?)));
        let first = given.next()?;
        for (key, parameter) in given {
            errors.push(error(parameter.key, message::exclusive_parameters(first.0, key)));
        }
        Some(first)
    }

    /// Takes the single expression of the parameter with this key, if there is one.
    pub(crate) fn take_expression(&mut self, key: &str, errors: &mut Errors) -> Option<Expr> {
        errors.check(self.take(key)?.into_expression())
    }
}

impl Parameter {
    /// Returns `true` if `bench = true` follows.
    pub(crate) fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// Returns the value if it is a closure.
    pub(crate) fn closure(&self) -> Option<&ExprClosure> {
        match &*self.values {
            [Expr::Closure(closure)] => Some(closure),
            _ => None,
        }
    }

    /// Returns the key, for errors about the parameter.
    pub(crate) fn key(&self) -> &Ident {
        &self.key
    }

    /// Returns the value as a single expression.
    pub(crate) fn into_expression(self) -> syn::Result<Expr> {
        let Self { key, mut values, .. } = self;
        if let Some(second) = values.get(1) {
            return Err(error(second, message::several_values(&key)));
        }
        Ok(values.swap_remove(0))
    }

    /// Returns the value as a string.
    pub(crate) fn into_text(self) -> syn::Result<LitStr> {
        let key = self.key.clone();
        match ungroup(self.into_expression()?) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
            other => Err(error(other, message::text_value(&key))),
        }
    }

    /// Returns the value as an identifier.
    pub(crate) fn into_identifier(self) -> syn::Result<Ident> {
        let key = self.key.clone();
        let value = self.into_expression()?;
        let expected = || error(&value, message::identifier_value(&key));
        identifier(&value).cloned().ok_or_else(expected)
    }

    /// Returns the value as a path.
    pub(crate) fn into_path(self) -> syn::Result<Path> {
        let key = self.key.clone();
        path(self.into_expression()?, &message::path_value(&key))
    }

    /// Returns the value as the functions of a group. A group that compares its functions can contain the
    /// same one repeatedly: each repetition has a name of its own.
    pub(crate) fn into_functions(self, is_compared: bool) -> syn::Result<Vec<ListedFunction>> {
        let mut functions: Vec<ListedFunction> = Vec::new();
        for path in self.into_list(is_compared)? {
            let name = last_identifier(&path);
            let is_taken = |name: &String| functions.iter().any(|earlier| earlier.name() == *name);
            let title = is_taken(&name).then(|| {
                let mut names = (2..).map(|number| format!("{name}_{number}"));
                names.find(|name| !is_taken(name)).unwrap_or_default()
            });
            functions.push(ListedFunction { path, title });
        }
        Ok(functions)
    }

    /// Returns the value as paths with different last segments. Brackets around them are optional.
    pub(crate) fn into_paths(self) -> syn::Result<Vec<Path>> {
        self.into_list(false)
    }

    fn into_list(self, can_repeat: bool) -> syn::Result<Vec<Path>> {
        let Self { key, values, .. } = self;
        let (span, values) = match <[Expr; 1]>::try_from(values) {
            Ok([Expr::Array(array)]) => (array.span(), array.elems.into_iter().collect()),
            Ok([value]) => (key.span(), vec![value]),
            Err(values) => (key.span(), values),
        };
        if values.is_empty() {
            return Err(error_at(span, message::empty_paths(&key)));
        }

        let mut errors = Errors::default();
        let mut paths: Vec<Path> = Vec::with_capacity(values.len());
        for value in values {
            let Some(path) = errors.check(path(value, &message::paths_value(&key))) else {
                continue;
            };
            let name = last_identifier(&path);
            let is_duplicate = |earlier: &Path| {
                last_identifier(earlier) == name
                    && !(can_repeat && display(earlier) == display(&path))
            };
            if paths.iter().any(is_duplicate) {
                errors.push(error(&path, message::duplicate_name(&name, &key)));
            }
            paths.push(path);
        }
        errors.finish(paths)
    }
}

fn path(value: Expr, expected: &str) -> syn::Result<Path> {
    match ungroup(value) {
        Expr::Path(ExprPath { qself: None, path, .. }) => Ok(path),
        other => Err(error(other, expected)),
    }
}

/// Returns the last identifier of a path, which always has one.
fn last_identifier(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTAX: Syntax = Syntax { name: "`test!`", keys: &["name", "list"] };

    fn parse_with(source: &str, errors: &mut Errors) -> Parameters {
        SYNTAX.parse_tokens(source.parse().unwrap(), errors)
    }

    fn parse(source: &str) -> Parameters {
        let mut errors = Errors::default();
        let parameters = parse_with(source, &mut errors);
        errors.finish(parameters).unwrap()
    }

    fn errors_in(source: &str) -> Vec<String> {
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

    fn error_in_list(source: &str) -> String {
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
            errors_in("nam = g; name = a; name = b"),
            [
                "unknown parameter `nam`: `test!` takes `name`, `list`",
                "`name` is given twice: remove one of them",
            ]
        );
    }

    #[test]
    fn right_parameters_survive_an_error() {
        let mut errors = Errors::default();
        let mut parameters = parse_with("name = g; nam = g; 1", &mut errors);
        assert!(parameters.take("name").is_some());
        assert!(parameters.require("list", "list = a", &mut errors).is_none());
        assert_eq!(errors.finish(()).unwrap_err().into_iter().count(), 2);
    }

    #[test]
    fn other_tokens_are_an_error() {
        assert_eq!(errors_in("g"), ["expected `key = value`: `test!` takes `name`, `list`"]);
        assert_eq!(
            errors_in("name == g"),
            ["expected `key = value`: `test!` takes `name`, `list`"]
        );
        assert_eq!(errors_in("name = a list = b"), ["expected `;` or `,` before this"]);
        assert_eq!(errors_in("name ="), ["`name` has no value: write `name = ..`"]);
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
    fn a_function_can_be_repeated_where_functions_are_compared() {
        let functions = |list, is_compared| {
            let list = parse(list).take("list").unwrap();
            let functions = list.into_functions(is_compared).ok()?;
            Some(functions.iter().map(ListedFunction::name).collect::<Vec<_>>())
        };
        let names = functions("list = a, a, a_3, a", true).unwrap();
        assert_eq!(names, ["a", "a_2", "a_3", "a_4"]);
        assert!(functions("list = a, m::a", true).is_none());
        assert!(functions("list = a, a", false).is_none());
    }

    #[test]
    fn names_have_to_differ() {
        assert!(error_in_list("list = a, m::a").starts_with("`a` is already in `list`"));
        assert!(error_in_list("list = []").starts_with("`list` is empty"));
        assert!(error_in_list("list = a, 1").starts_with("`list` takes names and paths"));
    }
}
