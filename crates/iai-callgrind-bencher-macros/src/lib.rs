//! The attribute of iai-callgrind-bencher. Use it through that crate, which exports it and to which its expansion refers.

use proc_macro::{TokenStream, TokenTree};

/// Registers a function as a benchmark, as libtest's attribute of this name does.
///
/// The crate iai-callgrind-bencher must have the name `test`. A function with `#[ignore]` is left out.
#[proc_macro_attribute]
pub fn bench(options: TokenStream, item: TokenStream) -> TokenStream {
    if !options.is_empty() {
        return error("`#[bench]` takes no arguments");
    }
    let Some(name) = function_name(item.clone()) else {
        return error("`#[bench]` is for functions");
    };
    if is_ignored(item.clone()) {
        return item;
    }
    let registration = tokens(&format!("::test::__private::register!({name});"));
    item.into_iter().chain(registration).collect()
}

/// Returns the identifier after the first `fn`.
fn function_name(item: TokenStream) -> Option<String> {
    let is_fn = |token: &TokenTree| token.to_string() == "fn";
    let mut tokens = item.into_iter().skip_while(|token| !is_fn(token)).skip(1);
    match tokens.next()? {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}

/// Returns `true` if the function has the attribute `ignore`.
fn is_ignored(item: TokenStream) -> bool {
    let mut before = item.into_iter().take_while(|token| token.to_string() != "fn");
    before.any(|token| match token {
        TokenTree::Group(attribute) => {
            attribute.stream().into_iter().next().is_some_and(|name| name.to_string() == "ignore")
        }
        _ => false,
    })
}

fn error(message: &str) -> TokenStream {
    tokens(&format!("::core::compile_error!({message:?});"))
}

/// Returns the tokens of an item.
fn tokens(item: &str) -> TokenStream {
    item.parse().expect("an item of this file")
}
