//! Collects errors, so that one compilation reports all of them.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Errors found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

/// Returns an error with this message, which the compiler shows at the tokens.
pub(crate) fn error(tokens: impl ToTokens, message: impl AsRef<str>) -> syn::Error {
    syn::Error::new_spanned(tokens, message.as_ref())
}

/// Returns an error with this message, which the compiler shows at the span.
pub(crate) fn error_at(span: Span, message: impl AsRef<str>) -> syn::Error {
    syn::Error::new(span, message.as_ref())
}

impl Errors {
    /// Adds an error.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Returns the value of a result, or adds the error.
    pub(crate) fn check<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns `true` if there is no error yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the number of errors.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Returns `value` if there was no error, otherwise all errors.
    pub(crate) fn finish<T>(self, value: T) -> syn::Result<T> {
        self.0.map_or(Ok(value), Err)
    }

    /// Converts the errors to `compile_error!`s.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.0.map(syn::Error::into_compile_error).unwrap_or_default()
    }
}
