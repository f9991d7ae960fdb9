//! The names in a profile's body. Each is written in full once, with an id, and by that id from then on
//! (`fn=(12) main`, `fn=(12)`).

use std::collections::HashMap;

use crate::line::{number, quote};

/// Number of namespaces: an id has separate meanings as function, file and object.
const NAMESPACES: usize = 3;

/// A name after a position specification.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// Written in full everywhere.
    Plain(Vec<u8>),
    /// Written as an id.
    Id { namespace: usize, id: u64 },
}

/// The names of all bodies, with ids that differ between bodies.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Added to the ids of the current body.
    offsets: [u64; NAMESPACES],
    /// Greater than all previous ids.
    unused: [u64; NAMESPACES],
    /// Names that were read but not written yet.
    unwritten: HashMap<(usize, u64), Vec<u8>>,
}

impl Names {
    /// Starts with the next body.
    pub(crate) fn start(&mut self) {
        self.offsets = self.unused;
        self.unwritten.clear();
    }

    /// Parses the name in the value of this position specification.
    pub(crate) fn read(&mut self, spec: &[u8], value: &[u8]) -> Result<Name, String> {
        let namespace = namespace(spec)
            .ok_or_else(|| format!("{} is no position specification that is known", quote(spec)))?;
        let Some((id, name)) = split_id(value)? else { return Ok(Name::Plain(value.to_vec())) };
        let too_large = || format!("the name id {id} is too large");
        let id = id.checked_add(self.offsets[namespace]).ok_or_else(too_large)?;
        let next = id.checked_add(1).ok_or_else(too_large)?;
        self.unused[namespace] = self.unused[namespace].max(next);
        if !name.is_empty() {
            self.unwritten.insert((namespace, id), name.to_vec());
        }
        Ok(Name::Id { namespace, id })
    }

    /// Returns the text of a name that was not written yet; empty if the body never has it in full.
    pub(crate) fn text<'a>(&'a self, name: &'a Name) -> &'a [u8] {
        match name {
            Name::Plain(text) => text,
            Name::Id { namespace, id } => {
                self.unwritten.get(&(*namespace, *id)).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// Appends a line with this name, in full for the first time.
    pub(crate) fn write(&mut self, spec: &[u8], name: &Name, output: &mut Vec<u8>) {
        output.extend_from_slice(spec);
        output.push(b'=');
        match name {
            Name::Plain(name) => output.extend_from_slice(name),
            Name::Id { namespace, id } => {
                output.extend_from_slice(format!("({id})").as_bytes());
                if let Some(name) = self.unwritten.remove(&(*namespace, *id)) {
                    output.extend_from_slice(&name);
                }
            }
        }
        output.push(b'\n');
    }
}

/// Returns the namespace of a specification's ids.
fn namespace(spec: &[u8]) -> Option<usize> {
    match spec {
        b"fn" | b"cfn" | b"jfn" => Some(0),
        b"fl" | b"fi" | b"fe" | b"cfi" | b"cfl" | b"jfi" => Some(1),
        b"ob" | b"cob" => Some(2),
        _ => None,
    }
}

/// Splits a value into id and name; `None` for a plain name like `(below main)`.
pub(crate) fn split_id(value: &[u8]) -> Result<Option<(u64, &[u8])>, String> {
    let [b'(', rest @ ..] = value.trim_ascii_start() else { return Ok(None) };
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    let end = rest.iter().position(|byte| *byte == b')');
    let id = end.and_then(|end| Some((number(&rest[..end])?, rest[end + 1..].trim_ascii_end())));
    id.map(Some).ok_or_else(|| format!("{} is not a name id", quote(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads and writes the same entries.
    fn copy(names: &mut Names, entries: &[(&str, &str)]) -> String {
        let mut output = Vec::new();
        for (spec, value) in entries {
            let name = names.read(spec.as_bytes(), value.as_bytes()).unwrap();
            names.write(spec.as_bytes(), &name, &mut output);
        }
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn ids_move_out_of_the_way_in_each_namespace() {
        let entries =
            [("ob", "(1) o"), ("fl", "(7) f"), ("fn", "(3) a"), ("cob", "(1)"), ("cfn", "(4) b")];
        let mut names = Names::default();
        names.start();
        assert_eq!(
            copy(&mut names, &entries),
            "ob=(1) o\nfl=(7) f\nfn=(3) a\ncob=(1)\ncfn=(4) b\n"
        );
        names.start();
        assert_eq!(
            copy(&mut names, &entries),
            "ob=(3) o\nfl=(15) f\nfn=(8) a\ncob=(3)\ncfn=(9) b\n"
        );
    }

    #[test]
    fn the_first_one_written_is_in_full() {
        let mut names = Names::default();
        let read = names.read(b"cfn", b"(3) a").unwrap();
        assert_eq!(names.read(b"fn", b"(3)").unwrap(), read);
        let mut output = Vec::new();
        names.write(b"fn", &read, &mut output);
        names.write(b"cfn", &read, &mut output);
        assert_eq!(output, b"fn=(3) a\ncfn=(3)\n");
    }

    #[test]
    fn plain_names_stay() {
        let entries = [("fn", "(below main)"), ("fl", "a b.c")];
        assert_eq!(copy(&mut Names::default(), &entries), "fn=(below main)\nfl=a b.c\n");
    }

    #[test]
    fn errors() {
        for (spec, value) in [
            ("fn", "(12 main"),
            ("fn", "(12x) main"),
            ("fn", "(99999999999999999999) main"),
            ("fn", "(18446744073709551615) main"),
            ("zz", "(1) a"),
        ] {
            assert!(Names::default().read(spec.as_bytes(), value.as_bytes()).is_err(), "{value}");
        }
    }
}
