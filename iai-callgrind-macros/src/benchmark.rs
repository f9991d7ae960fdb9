//! `#[library_benchmark]` and `#[binary_benchmark]`: reads the function and what is written above it
//! into a [`Benchmark`].

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ItemFn, Meta, Safety, Signature};

use crate::cases::{self, Case, Kind};
use crate::errors::Errors;
use crate::hooks::Hooks;
use crate::parameters::{Parameters, Syntax};
use crate::subject::{Subject, Target};

/// A function and the runs that are made of it.
pub(crate) struct Benchmark {
    /// The function without `#[bench]` and `#[benches]`.
    pub(crate) function: ItemFn,
    /// What its cases measure.
    pub(crate) subject: Subject,
    /// The configuration of all cases.
    pub(crate) config: Option<Expr>,
    /// None if there are mistakes.
    pub(crate) cases: Vec<Case>,
}

/// The function, what the suite needs of it, and the mistakes.
///
/// A function with mistakes is declared as a benchmark all the same, so that its group doesn't
/// complain about it too.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream, subject: Subject) -> TokenStream {
    let mut function = match parse_function(item.clone(), subject) {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };

    let mut errors = Errors::default();
    check_signature(&function.sig, &mut errors);
    if subject == Subject::Library {
        check_inline(&function.attrs, &mut errors);
    }
    let syntax = Syntax { name: subject.attribute(), keys: &["config", "setup", "teardown"] };
    let mut parameters = syntax.parse_tokens(attribute, &mut errors);
    let config = parameters.take_expression("config", &mut errors);
    let cases = take_cases(&mut parameters, &mut function, subject, &mut errors);
    let cases = if errors.is_empty() { cases } else { Vec::new() };

    let errors = errors.into_compile_errors();
    let benchmark = Benchmark { function, subject, config, cases };
    let benchmark = match subject {
        Subject::Library => crate::library::expand(&benchmark),
        Subject::Binary => crate::binary::expand(&benchmark),
    };
    quote!(#errors #benchmark)
}

fn parse_function(item: TokenStream, subject: Subject) -> syn::Result<ItemFn> {
    let function = syn::parse2::<ItemFn>(item).map_err(|error| {
        let attribute = subject.attribute();
        syn::Error::new(error.span(), format!("{attribute} belongs on a function with a body"))
    })?;
    match function.sig.receiver() {
        Some(receiver) => Err(syn::Error::new_spanned(
            receiver,
            "a method can't be a benchmark: write a function outside of the `impl` that calls it",
        )),
        None => Ok(function),
    }
}

/// The call goes through a pointer of the type `fn(..) -> ..`.
fn check_signature(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.asyncness {
        let message = "a benchmark function can't be `async`: call the executor's `block_on` in it";
        errors.push(syn::Error::new_spanned(token, message));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        let message =
            "a benchmark function can't be `unsafe`: write an `unsafe` block in its body instead";
        errors.push(syn::Error::new_spanned(token, message));
    }
    if let Some(abi) = &signature.abi {
        let message = "a benchmark function can't be `extern`: write a function that calls it";
        errors.push(syn::Error::new_spanned(abi, message));
    }
}

/// `#[inline]` promises what can't be kept.
fn check_inline(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes.iter().filter(|attribute| is_inline(attribute)) {
        if !is_inline_never(attribute) {
            let message = "a benchmark function is never inlined: remove this attribute, and write \
                           it on the functions that the benchmark calls";
            errors.push(syn::Error::new_spanned(attribute, message));
        }
    }
}

/// Whether this is any form of `#[inline]`.
pub(crate) fn is_inline(attribute: &Attribute) -> bool {
    attribute.path().is_ident("inline")
}

fn is_inline_never(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == "never")
}

/// Removes `#[bench]` and `#[benches]` from the function and reads them.
fn take_cases(
    parameters: &mut Parameters,
    function: &mut ItemFn,
    subject: Subject,
    errors: &mut Errors,
) -> Vec<Case> {
    let target = Target { function: &function.sig, subject };
    let defaults = Hooks::take(parameters, target, errors);

    let attributes = std::mem::take(&mut function.attrs);
    let (annotations, others): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|attribute| Kind::of(attribute).is_some());
    function.attrs = others;

    if !annotations.is_empty() {
        return cases::from_annotations(&annotations, target, &defaults, errors);
    }
    // A `setup` with a mistake isn't among the defaults; without it the arguments seem to be missing
    if !errors.is_empty() {
        return Vec::new();
    }
    errors.check(cases::without_annotation(target, defaults)).into_iter().collect()
}
