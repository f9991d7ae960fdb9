//! Collects mistakes, so that one compilation reports all of them.

use proc_macro2::TokenStream;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds a mistake.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value of a result whose mistake, if it is one, is added.
    pub(crate) fn check<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether there is no mistake yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many mistakes there are.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// `value` if there was no mistake, else all of them.
    pub(crate) fn finish<T>(self, value: T) -> syn::Result<T> {
        self.0.map_or(Ok(value), Err)
    }

    /// The `compile_error!`s; nothing if there was no mistake.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.0.map(syn::Error::into_compile_error).unwrap_or_default()
    }
}
