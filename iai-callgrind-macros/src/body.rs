//! Decides which measured functions consist of the user's code themselves.
//!
//! A measured function usually calls the user's function, which is inlined. The compiler passes an argument of
//! a large `Copy` type by a pointer to a copy, and without optimizations one of any type that needs more than two
//! registers. The copy would count. A macro does not know which types these are, so a function with an argument of such
//! a type, or of an unknown one, is repeated.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ItemFn, PathSegment, Type};

use crate::primitives::is_primitive;

/// Types that are passed in registers, as primitive ones are.
const NEVER_COPIED: [&str; 3] = ["Arc", "Box", "Rc"];

/// Words of items that a program can have only once, or of which two are not the same.
const ONCE: [&str; 5] = ["export_name", "impl", "link_name", "no_mangle", "static"];

/// Returns `true` if the measured function consists of the statements of the user's function, and `false` if it
/// calls the user's function.
pub(crate) fn is_repeated(function: &ItemFn) -> bool {
    let copies = function.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(typed) => may_be_copied(&typed.ty),
        FnArg::Receiver(_) => false,
    });
    copies
        // A function with `impl Trait` cannot be named without a call
        && !contains(function.sig.inputs.to_token_stream(), &["impl"])
        && !contains(function.block.to_token_stream(), &ONCE)
}

fn may_be_copied(argument: &Type) -> bool {
    match argument {
        Type::Reference(_) | Type::Ptr(_) | Type::Never(_) => false,
        Type::Path(path) => {
            path.path.segments.last().is_none_or(|PathSegment { ident, .. }| {
                !is_primitive(ident) && !NEVER_COPIED.iter().any(|name| ident == name)
            })
        }
        _ => true,
    }
}

/// Returns `true` if one of the words occurs, other than as a lifetime.
fn contains(tokens: TokenStream, words: &[&str]) -> bool {
    let mut after_quote = false;
    tokens.into_iter().any(|token| {
        let is_lifetime = after_quote;
        after_quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        match token {
            TokenTree::Group(group) => contains(group.stream(), words),
            TokenTree::Ident(ident) => !is_lifetime && words.iter().any(|word| ident == word),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use syn::parse_str;

    use super::*;

    #[test]
    fn functions_with_arguments_that_may_be_copied_are_repeated() {
        for (function, expected) in [
            ("fn f() {}", false),
            ("fn f(n: u64, text: &str, list: Box<[u64; 8]>) {}", false),
            ("fn f(list: Vec<u64>) {}", true),
            ("fn f(n: u64, matrix: [u64; 8]) {}", true),
            ("fn f((a, b): (u64, u64)) {}", true),
            ("fn f(matrix: glam::Mat4) -> &'static str { text::<'static>(matrix) }", true),
            ("fn f<T: Copy>(value: T) {}", true),
            ("fn f(matrix: Mat4, display: impl Display) {}", false),
            (
                "fn f(matrix: Mat4) { thread_local! { static CALLS: Cell<u64> = Cell::new(0) } }",
                false,
            ),
            ("fn f(matrix: Mat4) { { impl Display for Mat4 {} } }", false),
        ] {
            assert_eq!(is_repeated(&parse_str(function).unwrap()), expected, "{function}");
        }
    }
}
