//! Names of functions that are the same in every build.

use crate::cpp_names;

/// Start of the names of closures in Rust and C++, after the name of the function around them.
const CLOSURES: [&str; 2] = ["::{closure", "::{lambda"];

/// Name of a function without a symbol. The object file follows if it is known.
pub const NAMELESS: &str = "a function without a name";

/// Returns the name of code without a symbol in an object file: the tool's name, an address, with the file.
pub(crate) fn nameless(name: &str, object: &str) -> String {
    let file = object.rsplit('/').next().unwrap_or(object);
    if is_address(name) { format!("{name} in {file}") } else { demangle(name) }
}

/// Returns true for an address in place of a name.
pub(crate) fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the words for a function whose name is an address.
fn in_words(name: &str) -> Option<String> {
    let (address, file) = name.split_once(" in ").unwrap_or((name, ""));
    let words = match file {
        "" | "???" => NAMELESS.to_owned(),
        file => format!("{NAMELESS} in {file}"),
    };
    is_address(address).then_some(words)
}

/// Returns the name of a symbol without hashes, with closures as both manglings spell them.
pub(crate) fn demangle(symbol: &str) -> String {
    // LLVM appends `.llvm.123` to exported symbols
    let symbol = symbol.split(".llvm.").next().unwrap_or(symbol);
    // The C library's symbols have versions: `memcpy@GLIBC_2.2.5`, `memcpy@@GLIBC_2.14`
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    let name = match rustc_demangle::try_demangle(symbol) {
        Ok(name) => format!("{name:#}"),
        Err(_) => cpp_names::demangle(symbol).unwrap_or_else(|| symbol.to_owned()),
    };
    let name = name.replace("{{", "{").replace("}}", "}");
    without_numbers(&name)
}

/// Removes the numbers of closures and the hashes of crates: `{closure#0}`, `core[846817f741e54dfd]`.
fn without_numbers(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(['#', '[']) {
        let (before, from) = rest.split_at(at);
        result.push_str(before);
        let is_hash =
            |text: &str| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        rest = &from[1..];
        if from.starts_with('#') {
            rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        } else if let Some((_, behind)) = rest.split_once(']').filter(|(hash, _)| is_hash(hash)) {
            rest = behind;
        } else {
            result.push('[');
        }
    }
    result + rest
}

/// Returns the name without type arguments, in a form that is the same for both manglings. In C++,
/// parameters and result are removed too. An address is replaced by words.
///
/// Legacy mangling has `a::B<T>::c`, `a::<impl B>::c` and `a::<impl B for C>::d`, the other one
/// `<a::B<u8>>::c`, `<B>::c` and `<C as B>::d`. The standard library and the user's crates can have
/// different manglings.
pub(crate) fn short(name: &str) -> String {
    if let Some(words) = in_words(name) {
        return words;
    }
    let name = without_arguments(name);
    if let Some(name) = cpp_names::without_parameters(&name) {
        return name;
    }
    if let Some((inner, method)) = name.split_once("<impl ").and_then(|(_, from)| bracket(from)) {
        return match inner.split_once(" for ") {
            Some((trait_name, own)) => format!("<{own} as {trait_name}>{method}"),
            None => format!("{inner}{method}"),
        };
    }
    match name.strip_prefix('<').and_then(bracket) {
        Some((inner, method)) if !has_trait(inner) => format!("{inner}{method}"),
        _ => name,
    }
}

/// Returns the text up to the closing bracket, and the text after it.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut before) = (1_usize, ' ');
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            // The arrow of a function type closes nothing
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
        before = character;
    }
    None
}

/// Returns true for `A as B`, also if a type in `A` has a qualified path of its own.
fn has_trait(inner: &str) -> bool {
    match inner.strip_prefix('<').and_then(bracket) {
        Some((_, rest)) => rest.contains(" as "),
        None => inner.contains(" as "),
    }
}

/// Removes the type arguments: angle brackets after a name or after `::`.
fn without_arguments(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('<') {
        let (before, from) = (&rest[..at], &rest[at + 1..]);
        result.push_str(before);
        let is_impl = from.starts_with("impl ");
        let is_turbofish = result.ends_with("::") && !is_impl;
        let follows_name =
            result.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == '}');
        let arguments = bracket(from).filter(|_| is_turbofish || follows_name);
        if let Some((_, after)) = arguments {
            if is_turbofish {
                result.truncate(result.len() - 2);
            }
            rest = after;
        } else {
            result.push('<');
            rest = from;
        }
    }
    result + rest
}

/// Returns the function without type arguments. A closure is a part of the function around it.
pub(crate) fn function(name: &str) -> String {
    let mut name = short(name);
    let closures = CLOSURES.iter().filter_map(|closure| name.find(closure));
    if let Some(end) = closures.min() {
        name.truncate(end);
    }
    name
}

/// Returns true for a closure, or for a function in one.
pub(crate) fn is_closure(name: &str) -> bool {
    let name = short(name);
    CLOSURES.iter().any(|closure| name.contains(closure))
}

/// Returns the last part of a function's name: `c` of `a::b::c`. Line tables contain nothing else.
pub(crate) fn last(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or_default();
    if name.starts_with('<') { name } else { name.split('<').next().unwrap_or_default() }
}

/// Returns the crate of a function's full name, `None` for a function of another language.
pub(crate) fn crate_of(name: &str) -> Option<&str> {
    let name = name.trim_start_matches(['<', '&', '*']);
    let name = name.strip_prefix("mut ").unwrap_or(name);
    let (first, _) = name.split_once("::")?;
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (!first.is_empty() && is_name(first)).then_some(first)
}

/// Returns true for a function of the standard library: its path, or type and trait of `<A as B>::f`, are in it.
pub(crate) fn is_standard(name: &str) -> bool {
    const CRATES: [&str; 3] = ["alloc", "core", "std"];
    let own = match name.strip_prefix('<').and_then(bracket) {
        Some((inner, _)) => inner,
        None => name,
    };
    let (own, of_trait) = own.split_once(" as ").unwrap_or((own, ""));
    let crates: Vec<_> = [own, of_trait].into_iter().filter_map(crate_of).collect();
    !crates.is_empty() && crates.iter().all(|name| CRATES.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manglings_have_the_same_names() {
        let legacy = "_ZN4core3fmt5write17h0123456789abcdefE";
        let v0 = "_RNvNtCs4fqI2P2rA0_4core3fmt5write";
        assert_eq!(demangle(legacy), "core::fmt::write");
        assert_eq!(demangle(v0), "core::fmt::write");
        assert_eq!(demangle("memcpy"), "memcpy");
        assert_eq!(demangle("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(demangle("_ZN1a1b17h0123456789abcdefE.llvm.42"), "a::b");
        assert_eq!(without_numbers("a::{closure#12}::b[0]"), "a::{closure}::b[0]");
    }

    #[test]
    fn addresses_are_functions_without_a_name() {
        let address = "0x0000000000117310";
        let name = nameless(address, "/usr/lib/libz.so.1");
        assert_eq!(short(&name), "a function without a name in libz.so.1");
        assert_eq!(short(address), "a function without a name");
        assert_eq!(nameless("memcpy@@GLIBC_2.14", "/usr/lib/libc.so.6"), "memcpy");
        assert_eq!([short("0xy"), short("0x")], ["0xy", "0x"]);
    }

    #[test]
    fn type_arguments_and_closures_are_left_out() {
        assert_eq!(short("a::b::<u8, Vec<u8>>::c"), "a::b::c");
        assert_eq!(short("a::f::<fn() -> u8>"), "a::f");
        assert_eq!(short("<a::T as b::U>::c"), "<a::T as b::U>::c");
        assert_eq!(short("<a::T as b::U<fn() -> c::V>>::c::<u8>"), "<a::T as b::U>::c");
        assert_eq!(function("a::b::{closure}::{closure}"), "a::b");
        assert_eq!(last("a::b::c"), "c");
        assert_eq!(last("c<u8>"), "c");
    }

    #[test]
    fn a_trait_of_the_users_makes_a_function_the_users() {
        for standard in ["core::fmt::write", "<I as core::iter::IntoIterator>::into_iter"] {
            assert!(is_standard(standard), "{standard}");
        }
        for own in [
            "a::b",
            "f",
            "<alloc::vec::Vec<T> as a::Area>::area",
            "<a::Square as core::ops::Drop>::drop",
            "<u8 as a::Area>::area",
        ] {
            assert!(!is_standard(own), "{own}");
        }
    }

    #[test]
    fn both_manglings_have_the_same_short_names() {
        for (legacy, v0, name) in [
            ("a::V<T,A>::push", "<a::V<u8, b::A>>::push", "a::V::push"),
            ("a::V<T,A>::push", "<a::V<u8>>::push::<fn() -> u8>", "a::V::push"),
            ("a::str::<impl str>::trim", "<str>::trim", "str::trim"),
            ("a::b::<impl c::D for e::F<T>>::g", "<e::F<&str> as c::D>::g", "<e::F as c::D>::g"),
            (
                "<a::S<P> as a::I>::next",
                "<a::S<<b::P as b::Q>::R> as a::I>::next",
                "<a::S as a::I>::next",
            ),
            ("<a::B<T> as c::D>::e", "<a::B<<u8 as f::G>::H> as c::D>::e", "<a::B as c::D>::e"),
        ] {
            assert_eq!([short(legacy), short(v0)], [name, name]);
        }
        assert_eq!(short("<&a::T as b::U>::c"), "<&a::T as b::U>::c");
        assert_eq!(short("operator<"), "operator<");
    }

    #[test]
    fn crates() {
        assert_eq!(crate_of("json::write"), Some("json"));
        assert_eq!(crate_of("<json::Value as core::fmt::Display>::fmt"), Some("json"));
        assert_eq!(crate_of("<&mut json::Value as core::fmt::Display>::fmt"), Some("json"));
        assert_eq!(crate_of("memcpy"), None);
        assert_eq!(crate_of("(below main)"), None);
    }
}
