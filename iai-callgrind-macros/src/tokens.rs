//! Tokens as the macros look at them, and as they show them to the user.

use std::fmt::Display;

use quote::ToTokens;
use syn::{Expr, ExprPath, Ident};

/// The identifier that an expression consists of.
pub(crate) fn identifier(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Path(ExprPath { qself: None, path, .. }) => path.get_ident(),
        Expr::Group(group) => identifier(&group.expr),
        _ => None,
    }
}

/// The expression without the invisible group that a `macro_rules!` variable puts around it.
pub(crate) fn ungroup(expression: Expr) -> Expr {
    match expression {
        Expr::Group(group) => ungroup(*group.expr),
        other => other,
    }
}

/// `a`, `b`, `c`
pub(crate) fn enumerate<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(", ")
}

/// Tokens as they are shown to the user, on one line.
pub(crate) fn display(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |joined, line| joined + " " + line.trim_start())
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use super::*;

    #[test]
    fn display_is_on_one_line() {
        let text = "\"first\n      second\"";
        let tokens: TokenStream = text.parse().unwrap();
        assert_eq!(display(&tokens), "\"first second\"");
    }
}
