//! Names of functions in C++.

use std::fmt;

use cpp_demangle::{DemangleOptions, Symbol};

/// A namespace without a name. Its parentheses are not those of parameters.
const ANONYMOUS: &str = "(anonymous namespace)";

/// The start of the names of operators.
const OPERATOR: &str = "operator";

/// Returns the demangled name, as in Valgrind's output; `None` if the symbol is not one of C++.
pub(crate) fn demangle(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    let mut name = Bounded(String::new());
    let symbol = Symbol::new(symbol.as_bytes()).ok()?;
    symbol.structured_demangle(&mut name, &DemangleOptions::default()).ok()?;
    Some(name.0)
}

/// A name of limited length: a short symbol can refer to its own parts again and again.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const LONGEST: usize = 1 << 16;
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Returns the name of a function without its parameters and result and what follows them, such as
/// `const` or the suffix of code that the compiler moved away. `None` for a name without
/// parameters. Type arguments are removed already.
pub(crate) fn without_parameters(name: &str) -> Option<String> {
    let (mut path, mut rest, mut has_parameters) = (String::new(), name, false);
    while let Some(at) = rest.find(['(', '{']) {
        let (before, from) = rest.split_at(at);
        path.push_str(before);
        let end = bracket(from)?;
        let is_call = from.starts_with("()") && before.ends_with(OPERATOR);
        if from.starts_with('{') || is_call || from.starts_with(ANONYMOUS) {
            path.push_str(&from[..end]);
            rest = &from[end..];
            continue;
        }
        // No name of C++ starts like this, but `(below main)` and `<(A, B) as C>::f` do
        if path.is_empty() || path.starts_with('<') {
            return None;
        }
        has_parameters = true;
        // Functions and classes in a function
        let Some(inner) = from[end..].find("::") else { break };
        rest = &from[end + inner..];
    }
    has_parameters.then(|| without_result(&path).to_owned())
}

/// Returns the index after the bracket that closes the first one.
fn bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the name without the result, which precedes the names of template instances.
fn without_result(path: &str) -> &str {
    let end = path.find(OPERATOR).unwrap_or(path.len());
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in path[..end].char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    path[start..].trim_start_matches(['*', '&'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_valgrind() {
        for (symbol, name) in [
            ("_Z3sumRN9benchmark5StateE", Some("sum(benchmark::State&)")),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                Some("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            ),
            ("_ZN12_GLOBAL__N_13addEii", Some("(anonymous namespace)::add(int, int)")),
            ("_ZZ3fooiENKUlvE_clEv", Some("foo(int)::{lambda()#1}::operator()() const")),
            ("_Z3foov.cold", Some("foo() [clone .cold]")),
            ("memcpy", None),
            ("_ZN", None),
        ] {
            assert_eq!(demangle(symbol).as_deref(), name, "{symbol}");
        }
    }

    #[test]
    fn parameters_and_results_are_left_out() {
        for (name, expected) in [
            ("sum(benchmark::State&)", Some("sum")),
            ("void a::fill(int)", Some("a::fill")),
            ("std::ostream& a::operator<<(std::ostream&, a::B)", Some("a::operator<<")),
            ("a::B::operator()(int) const", Some("a::B::operator()")),
            ("a::B::operator unsigned long() const", Some("a::B::operator unsigned long")),
            ("void (anonymous namespace)::add(int)", Some("(anonymous namespace)::add")),
            ("foo(int)::{lambda()}::operator()() const", Some("foo::{lambda()}::operator()")),
            ("foo(void (*)(int)) [clone .cold]", Some("foo")),
            ("(below main)", None),
            ("a::b::{closure}", None),
            ("<(A, B) as C>::f", None),
            ("main", None),
            ("f(", None),
        ] {
            assert_eq!(without_parameters(name).as_deref(), expected, "{name}");
        }
    }
}
