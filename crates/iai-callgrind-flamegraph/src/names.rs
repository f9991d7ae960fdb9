//! Readable names of functions and files.

use std::borrow::Cow;

/// Returns the name without the hashes that compilers add, and without characters that have a meaning in a
/// stack. Callgrind has demangled the name already.
pub(super) fn readable(name: &str) -> String {
    let (name, recursion) = match name.rfind('\'') {
        Some(at) if name[at + 1..].bytes().all(|byte| byte.is_ascii_digit()) => name.split_at(at),
        _ => (name, ""),
    };
    let name = without_disambiguators(without_hash(without_directories(name)));
    let mut readable: String = name
        .chars()
        .map(|c| match c {
            // Separates functions
            ';' => ',',
            // Not allowed in XML
            c if c.is_control() => '?',
            c => c,
        })
        .chain(recursion.chars())
        .collect();
    if readable.is_empty() {
        return "???".to_owned();
    }
    // A number at the end would be parsed as a count
    let last_word = readable.rfind(' ').map_or(0, |at| at + 1);
    if last_word > 0 && readable[last_word..].bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'))
    {
        readable.replace_range(last_word - 1..last_word, "\u{a0}");
    }
    readable
}

/// Removes the hash of Rust's legacy mangling: `a::b::h0123456789abcdef`.
fn without_hash(name: &str) -> &str {
    let is_hash = |hash: &str| hash.len() == 16 && is_hexadecimal(hash);
    match name.rsplit_once("::h") {
        Some((path, hash)) if is_hash(hash) => path,
        _ => name,
    }
}

/// Removes the disambiguators of Rust's v0 mangling: `crate[0123456789abcdef]::a`. A slice's type never
/// has a bracket after a name.
fn without_disambiguators(name: &str) -> Cow<'_, str> {
    let mut rest = name;
    let mut kept = String::new();
    while let Some((before, (inner, after))) =
        rest.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    {
        let is_after_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        kept.push_str(before);
        if is_after_name && is_hexadecimal(inner) {
            rest = after;
        } else {
            kept.push('[');
            rest = &rest[before.len() + 1..];
        }
    }
    if kept.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(kept + rest) }
}

/// Removes the directory of the standard library or of a registry from a path.
fn without_directories(name: &str) -> &str {
    let after = |start: &str| {
        let (_, rest) = name.split_once(start)?;
        rest.split_once('/').map(|(_, rest)| rest)
    };
    if !name.starts_with('/') {
        return name;
    }
    after("/rustc/").or_else(|| after("/registry/src/")).unwrap_or(name)
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_directories_are_left_out() {
        for (name, expected) in [
            ("a::b", "a::b"),
            ("a::b::h0123456789abcdef", "a::b"),
            ("a::b::h0123456789abcdef'2", "a::b'2"),
            ("a::h0123", "a::h0123"),
            ("core[4f2e92a3b6b5f5c1]::fmt::write", "core::fmt::write"),
            (
                "<alloc[b1]::vec::Vec<[u8; 8]> as my_crate[0a]::Trait>::f[..]",
                "<alloc::vec::Vec<[u8, 8]> as my_crate::Trait>::f[..]",
            ),
            ("a[b", "a[b"),
            ("", "???"),
            ("operator new 12", "operator new\u{a0}12"),
            ("a\u{1}\n", "a??"),
            ("f(char const*)'3", "f(char const*)'3"),
            ("<&'static str>::f", "<&'static str>::f"),
            ("/rustc/59807616e1/library/core/src/cmp.rs", "library/core/src/cmp.rs"),
            ("/home/me/.cargo/registry/src/index-1/a-1.0/src/lib.rs", "a-1.0/src/lib.rs"),
            ("/home/me/a/src/lib.rs", "/home/me/a/src/lib.rs"),
        ] {
            assert_eq!(readable(name), expected);
        }
    }
}
