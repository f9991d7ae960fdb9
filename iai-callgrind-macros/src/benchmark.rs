//! Parses a function with `#[library_benchmark]` or `#[binary_benchmark]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ItemFn, Meta, Signature, parse_quote_spanned};

use crate::cases::{self, Case, Defaults, Kind};
use crate::errors::{Errors, error, error_at};
use crate::growth::GrowthLimits;
use crate::library_path::LibraryPath;
use crate::message;
use crate::parameters::{Parameters, Syntax};
use crate::primitives::is_primitive;
use crate::subject::{Subject, Target};

/// Benchmark function with its cases.
pub(crate) struct Benchmark {
    /// Function without `#[bench]` and `#[benches]`. A measured one has no `#[inline]` either.
    pub(crate) function: ItemFn,
    /// Subject of the cases.
    pub(crate) subject: Subject,
    /// Path of the library in the expansion.
    pub(crate) library: LibraryPath,
    /// Configuration of all cases.
    pub(crate) config: Option<Expr>,
    /// Limits of all cases.
    pub(crate) limits: GrowthLimits,
    /// Empty if there are errors.
    pub(crate) cases: Vec<Case>,
}

/// Parses the attribute and its function, and appends the expansion of the benchmark to the errors.
///
/// A function with errors is expanded too, so that its group does not report another error about it.
pub(crate) fn expand(
    attribute: TokenStream,
    item: &TokenStream,
    subject: Subject,
    expansion: fn(&Benchmark) -> TokenStream,
) -> TokenStream {
    let mut function = match parse_function(item.clone(), subject) {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };

    let mut errors = Errors::default();
    check_signature(&function.sig, &mut errors);
    check_own_name(&function, &mut errors);
    if subject == Subject::Library {
        take_inline(&mut function.attrs, &mut errors);
    }
    let syntax = Syntax { name: subject.attribute(), keys: keys(subject) };
    let mut parameters = syntax.parse_tokens(attribute, &mut errors);
    let block_on = parameters.take_expression("block_on", &mut errors);
    run_future(&mut function, block_on, subject, &mut errors);
    let library = LibraryPath::take(&mut parameters, &mut errors);
    let config = parameters.take_expression("config", &mut errors);
    let limits = GrowthLimits::take(&mut parameters, &mut errors);
    let cases = take_cases(&mut parameters, &mut function, subject, &mut errors);
    let cases = if errors.is_empty() { cases } else { Vec::new() };

    let errors = errors.into_compile_errors();
    let benchmark = expansion(&Benchmark { function, subject, library, config, limits, cases });
    quote!(#errors #benchmark)
}

/// Returns the parameters of the attribute.
fn keys(subject: Subject) -> &'static [&'static str] {
    const KEYS: &[&str] = &[
        "config",
        "throughput",
        "size",
        "complexity",
        "per_element",
        "setup",
        "teardown",
        "crate",
        "block_on",
    ];
    match subject {
        Subject::Library => KEYS,
        Subject::Binary => KEYS.split_at(KEYS.len() - 1).0,
    }
}

/// Makes an `async` function an ordinary one, which has the executor run its body.
fn run_future(
    function: &mut ItemFn,
    block_on: Option<Expr>,
    subject: Subject,
    errors: &mut Errors,
) {
    match (&function.sig.asyncness, block_on) {
        (Some(_), Some(block_on)) => {
            function.sig.asyncness = None;
            let block = &function.block;
            function.block =
                parse_quote_spanned!(Span::mixed_site()=> { (#block_on)(async move #block) });
        }
        (Some(token), None) => {
            let message =
                if subject == Subject::Library { message::ASYNC } else { message::ASYNC_COMMAND };
            errors.push(error(token, message));
        }
        (None, Some(block_on)) => errors.push(error(block_on, message::NOT_ASYNC)),
        (None, None) => {}
    }
}

fn parse_function(item: TokenStream, subject: Subject) -> syn::Result<ItemFn> {
    let function = syn::parse2::<ItemFn>(item)
        .map_err(|error| error_at(error.span(), message::not_a_function(subject.attribute())))?;
    match function.sig.receiver() {
        Some(receiver) => Err(error(receiver, message::METHOD)),
        None => Ok(function),
    }
}

/// Checks that a pointer of the type `fn(..) -> ..` can refer to the function.
fn check_signature(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = unsafe_of(signature) {
        errors.push(error(token, message::UNSAFE));
    }
    if let Some(abi) = &signature.abi {
        errors.push(error(abi, message::EXTERN));
    }
}

/// Returns the keyword `unsafe` of a function. Versions 2 and 3 of syn have different fields for it.
fn unsafe_of(signature: &Signature) -> Option<TokenTree> {
    let before = signature.to_token_stream().into_iter();
    let mut before = before.take_while(|token| token.to_string() != "fn");
    before.find(|token| token.to_string() == "unsafe")
}

/// Rejects paths that start with the function's name. They refer to the type that represents the benchmark,
/// which hides a crate with this name and a module from a glob import.
fn check_own_name(function: &ItemFn, errors: &mut Errors) {
    let ItemFn { attrs, sig, block, .. } = function;
    let arguments = attrs.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) => Some(&list.tokens),
        _ => None,
    });
    let tokens = quote!(#sig #block #(#arguments)*);
    let name = sig.ident.to_string();
    // An import in the body can give the name another meaning
    if !is_primitive(&sig.ident) && !contains_word(tokens.clone(), "use") {
        if let Some(found) = own_path(tokens, &name) {
            errors.push(error(found, message::own_name(&name)));
        }
    }
}

fn contains_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => contains_word(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    })
}

/// Returns the first identifier that starts a path with this name. `name::<T>` is a call of the function.
fn own_path(tokens: TokenStream, name: &str) -> Option<TokenTree> {
    let tokens = tokens.into_iter().collect::<Vec<_>>();
    let is = |index: Option<usize>, character: char| {
        let token = index.and_then(|index| tokens.get(index));
        matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
    };
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                if let Some(found) = own_path(group.stream(), name) {
                    return Some(found);
                }
            }
            TokenTree::Ident(ident) if ident == name => {
                let before = index.checked_sub(1);
                let starts_path = is(Some(index + 1), ':') && is(Some(index + 2), ':');
                let continues = is(before, ':') && is(index.checked_sub(2), ':');
                if starts_path && !is(Some(index + 3), '<') && !continues && !is(before, '.') {
                    return Some(token.clone());
                }
            }
            _ => {}
        }
    }
    None
}

/// Removes `#[inline(never)]`, and rejects other forms, because a benchmark function is never inlined.
fn take_inline(attributes: &mut Vec<Attribute>, errors: &mut Errors) {
    attributes.retain(|attribute| {
        let is_inline = attribute.path().is_ident("inline");
        if is_inline && !is_inline_never(attribute) {
            errors.push(error(attribute, message::INLINE));
        }
        !is_inline
    });
}

fn is_inline_never(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == "never")
}

/// Removes `#[bench]` and `#[benches]` from the function and parses them.
fn take_cases(
    parameters: &mut Parameters,
    function: &mut ItemFn,
    subject: Subject,
    errors: &mut Errors,
) -> Vec<Case> {
    let target = Target { function: &function.sig, subject };
    let defaults = Defaults::take(parameters, target, errors);

    let attributes = std::mem::take(&mut function.attrs);
    let (annotations, others): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|attribute| Kind::from_attribute(attribute).is_some());
    function.attrs = others;

    if !annotations.is_empty() {
        return cases::annotated_cases(&annotations, target, &defaults, errors);
    }
    // A `setup` with an error is not among the defaults, and without it arguments would be missing
    if !errors.is_empty() {
        return Vec::new();
    }
    errors.check(cases::single_case(target, defaults)).into_iter().collect()
}
