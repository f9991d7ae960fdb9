//! `#[bench]` and `#[benches]`: reads them into [`Case`]s.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprAssign, FnArg, Ident, Meta, Signature, Token};

use crate::errors::Errors;
use crate::parameters::{
    Parameters, Syntax, display, enumerate, identifier, starts_parameter, ungroup,
};

/// One run of a benchmark function.
pub(crate) struct Case {
    /// None for a function that has neither `#[bench]` nor `#[benches]`.
    pub(crate) id: Option<String>,
    pub(crate) inputs: Inputs,
    pub(crate) hooks: Hooks,
}

/// What the set-up or, if there is none, the benchmark function is called with.
pub(crate) enum Inputs {
    /// One expression for each argument.
    Each(Vec<Expr>),
    /// One expression, the value of which is a tuple of the arguments.
    Tuple(Expr),
}

/// What runs before and after the measured call.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) setup: Option<Expr>,
    pub(crate) teardown: Option<Expr>,
}

/// The two attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `#[bench]`: one case.
    Bench,
    /// `#[benches]`: one case for each element.
    Benches,
}

/// A parsed attribute.
struct Annotation {
    kind: Kind,
    id: Ident,
    /// A `#[bench]`'s arguments or a `#[benches]`' elements.
    arguments: Vec<Expr>,
    hooks: Hooks,
}

impl Inputs {
    /// The inputs as they stand in the source.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::Each(arguments) => display(&quote!(#(#arguments),*)),
            Self::Tuple(tuple) => display(tuple),
        }
    }

    /// The tokens to show when there is something wrong with the inputs.
    fn tokens(&self, id: &Ident) -> TokenStream {
        match self {
            Self::Each(arguments) if arguments.is_empty() => id.to_token_stream(),
            Self::Each(arguments) => quote!(#(#arguments),*),
            Self::Tuple(tuple) => tuple.to_token_stream(),
        }
    }
}

impl Hooks {
    /// The hooks among `parameters`.
    pub(crate) fn take(
        parameters: &mut Parameters,
        function: &Signature,
        errors: &mut Errors,
    ) -> Self {
        let setup = parameters.take_expression("setup", errors);
        let teardown = parameters.take_expression("teardown", errors);
        if let Some(setup) = &setup {
            errors.check(check_setup(setup, function));
        }
        Self { setup, teardown }
    }

    fn or(self, defaults: &Self) -> Self {
        let defaults = defaults.clone();
        Self { setup: self.setup.or(defaults.setup), teardown: self.teardown.or(defaults.teardown) }
    }
}

impl Kind {
    const ALL: [Self; 2] = [Self::Bench, Self::Benches];

    /// Which of the attributes this is, with or without an id.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let first = &attribute.path().segments.first()?.ident;
        Self::ALL.into_iter().find(|kind| first == kind.name())
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Benches => "benches",
        }
    }

    fn syntax(self) -> Syntax {
        let name = match self {
            Self::Bench => "`#[bench]`",
            Self::Benches => "`#[benches]`",
        };
        Syntax { name, keys: &["args", "setup", "teardown"] }
    }

    /// The value of `args`, taken apart.
    fn split_args(self, args: Expr) -> syn::Result<Vec<Expr>> {
        match (self, ungroup(args)) {
            (Self::Bench, Expr::Tuple(tuple)) => Ok(tuple.elems.into_iter().collect()),
            (Self::Bench, Expr::Paren(paren)) => Ok(vec![*paren.expr]),
            (Self::Benches, Expr::Array(array)) => Ok(array.elems.into_iter().collect()),
            (Self::Bench, other) => {
                let example = format!("({})", display(&other));
                Err(expected_args("a tuple", &example, &other))
            }
            (Self::Benches, other) => Err(expected_args("an array", "[first, second]", &other)),
        }
    }
}

fn expected_args(what: &str, example: &str, found: &Expr) -> syn::Error {
    let message = format!("`args` takes {what} here: write `args = {example}`");
    syn::Error::new_spanned(found, message)
}

/// The case of a function without `#[bench]` and `#[benches]`.
pub(crate) fn without_annotation(function: &Signature, hooks: Hooks) -> syn::Result<Case> {
    if hooks.setup.is_none() && !function.inputs.is_empty() {
        let message = format!(
            "`{}` takes {} but there is no `#[bench]` that says which: write `#[bench::some_id(..)]` \
             above it",
            function.ident,
            parameters_of(function),
        );
        return Err(syn::Error::new_spanned(&function.inputs, message));
    }
    Ok(Case { id: None, inputs: Inputs::Each(Vec::new()), hooks })
}

/// The cases of all `#[bench]` and `#[benches]` in their order.
pub(crate) fn from_annotations(
    attributes: &[Attribute],
    function: &Signature,
    defaults: &Hooks,
    errors: &mut Errors,
) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for attribute in attributes {
        let Some(kind) = Kind::of(attribute) else { continue };
        let Some(mut annotation) = parse_annotation(kind, attribute, function, errors) else {
            continue;
        };
        annotation.hooks = annotation.hooks.or(defaults);

        let id = annotation.id.clone();
        for case in annotation.into_cases(function, errors) {
            if cases.iter().any(|earlier| earlier.id == case.id) {
                errors.push(duplicate_id(&id, case.id.as_deref().unwrap_or_default()));
            }
            cases.push(case);
        }
    }
    cases
}

fn duplicate_id(id: &Ident, text: &str) -> syn::Error {
    let message = format!("the id `{text}` is taken: ids must be unique within a function");
    syn::Error::new(id.span(), message)
}

fn parse_annotation(
    kind: Kind,
    attribute: &Attribute,
    function: &Signature,
    errors: &mut Errors,
) -> Option<Annotation> {
    let id = errors.check(parse_id(kind, attribute))?;
    let mut annotation = Annotation { kind, id, arguments: Vec::new(), hooks: Hooks::default() };
    let Meta::List(list) = &attribute.meta else { return Some(annotation) };

    let before = errors.len();
    let parsed = list.parse_args_with(|input: ParseStream<'_>| {
        if starts_parameter(input) {
            let mut parameters = kind.syntax().parse(input, errors);
            annotation.hooks = Hooks::take(&mut parameters, function, errors);
            if let Some(args) = parameters.take_expression("args", errors) {
                annotation.arguments = kind.split_args(args)?;
            }
        } else {
            annotation.arguments = parse_plain(input)?;
        }
        Ok(())
    });
    errors.check(parsed);
    // The number of arguments can't be right now, which doesn't deserve an error of its own
    (errors.len() == before).then_some(annotation)
}

/// The part after the `::`, or what to write if it isn't there.
fn parse_id(kind: Kind, attribute: &Attribute) -> syn::Result<Ident> {
    let name = kind.name();
    let path = attribute.path();
    match &attribute.meta {
        Meta::Path(_) | Meta::List(_) if path.segments.len() == 2 => {
            Ok(path.segments[1].ident.clone())
        }
        Meta::List(list) if path.segments.len() == 1 => {
            let arguments = display(&list.tokens);
            let message = format!("missing id: write `#[{name}::some_id({arguments})]`");
            Err(syn::Error::new_spanned(path, message))
        }
        _ => {
            let message = format!("expected an id and arguments: write `#[{name}::some_id(..)]`");
            Err(syn::Error::new_spanned(&attribute.meta, message))
        }
    }
}

/// Arguments or elements without `args =`.
fn parse_plain(input: ParseStream<'_>) -> syn::Result<Vec<Expr>> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    let parameter = list.iter().find(|expression| is_parameter(expression));
    match parameter {
        Some(parameter) => Err(syn::Error::new_spanned(
            parameter,
            "arguments and parameters can't be mixed: write the arguments as `args = ..` too",
        )),
        None => Ok(list.into_iter().collect()),
    }
}

/// `key = value` reads as an assignment.
fn is_parameter(expression: &Expr) -> bool {
    matches!(expression, Expr::Assign(ExprAssign { left, .. }) if identifier(left).is_some())
}

impl Annotation {
    fn into_cases(self, function: &Signature, errors: &mut Errors) -> Vec<Case> {
        let Self { kind, id, arguments, hooks } = self;
        let name = id.unraw().to_string();
        let inputs: Vec<(String, Inputs)> = match kind {
            Kind::Bench => vec![(name, Inputs::Each(arguments))],
            Kind::Benches => arguments
                .into_iter()
                .enumerate()
                .map(|(index, element)| {
                    (format!("{name}_{index}"), element_inputs(element, function, &hooks))
                })
                .collect(),
        };

        if inputs.is_empty() {
            let message = "no elements: write `(first, second)` or `args = [first, second]`";
            errors.push(syn::Error::new(id.span(), message));
        }
        for (_, inputs) in &inputs {
            errors.check(check_number(inputs, &id, function, &hooks));
        }
        inputs
            .into_iter()
            .map(|(id, inputs)| Case { id: Some(id), inputs, hooks: hooks.clone() })
            .collect()
    }
}

/// Tells whether an element of `#[benches]` is one argument or several.
fn element_inputs(element: Expr, function: &Signature, hooks: &Hooks) -> Inputs {
    let parameters = function.inputs.len();
    match ungroup(element) {
        // Which a function's single parameter can only take as a whole
        tuple @ Expr::Tuple(_) if hooks.setup.is_none() && parameters == 1 => {
            Inputs::Each(vec![tuple])
        }
        Expr::Tuple(tuple) => Inputs::Each(tuple.elems.into_iter().collect()),
        Expr::Paren(paren) => Inputs::Each(vec![*paren.expr]),
        // What can have a tuple as its value
        other @ (Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Path(_)
        | Expr::Macro(_)
        | Expr::Block(_)
        | Expr::Field(_)
        | Expr::If(_)
        | Expr::Index(_)
        | Expr::Match(_)
        | Expr::Unsafe(_))
            if hooks.setup.is_none() && parameters > 1 =>
        {
            Inputs::Tuple(other)
        }
        other => Inputs::Each(vec![other]),
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
        parameters_of(function),
    );
    Err(syn::Error::new_spanned(setup, message))
}

/// What a set-up takes isn't known here; the compiler checks it.
fn check_number(
    inputs: &Inputs,
    id: &Ident,
    function: &Signature,
    hooks: &Hooks,
) -> syn::Result<()> {
    let Inputs::Each(arguments) = inputs else { return Ok(()) };
    if hooks.setup.is_some() || arguments.len() == function.inputs.len() {
        return Ok(());
    }
    let message = format!(
        "expected {} but found {}",
        parameters_of(function),
        if arguments.is_empty() { "none".to_owned() } else { arguments.len().to_string() },
    );
    Err(syn::Error::new_spanned(inputs.tokens(id), message))
}

/// "2 arguments (`a: u64`, `b: &str`)"
fn parameters_of(function: &Signature) -> String {
    let list = || enumerate(function.inputs.iter().map(parameter));
    match function.inputs.len() {
        0 => "no arguments".to_owned(),
        1 => format!("1 argument ({})", list()),
        number => format!("{number} arguments ({})", list()),
    }
}

/// Without the spaces that separate the tokens of a type, depending on the compiler's version.
fn parameter(parameter: &FnArg) -> String {
    const COMPACT: [(&str, &str); 6] =
        [(" :: ", "::"), (" : ", ": "), (" < ", "<"), (" >", ">"), (" ;", ";"), ("& ", "&")];
    COMPACT.iter().fold(display(parameter), |text, (from, to)| text.replace(from, to))
}
