//! The names of a dump. Each is written in full once, with a number, and by that number from then on
//! (`fn=(12) main`, `fn=(12)`), or always in full.

use std::collections::HashMap;

use fnv::FnvBuildHasher;

use crate::malformed::Malformed;
use crate::words::{number, quote};

/// Specifications of names in the format, with the kind of each name.
const SPECS: [(&[u8], NameSpec, NameKind); 11] = [
    (b"fn", NameSpec::Function, NameKind::Function),
    (b"cfn", NameSpec::CalledFunction, NameKind::Function),
    (b"jfn", NameSpec::JumpFunction, NameKind::Function),
    (b"fl", NameSpec::File, NameKind::File),
    (b"fi", NameSpec::InlinedFile, NameKind::File),
    (b"fe", NameSpec::EndOfInlinedFile, NameKind::File),
    (b"cfi", NameSpec::CalledFile, NameKind::File),
    (b"cfl", NameSpec::CalledFileOfOldVersions, NameKind::File),
    (b"jfi", NameSpec::JumpFile, NameKind::File),
    (b"ob", NameSpec::Object, NameKind::Object),
    (b"cob", NameSpec::CalledObject, NameKind::Object),
];

/// The role of a name in its line. The order is that of [`SPECS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameSpec {
    Function,
    CalledFunction,
    JumpFunction,
    File,
    InlinedFile,
    EndOfInlinedFile,
    CalledFile,
    CalledFileOfOldVersions,
    JumpFile,
    Object,
    CalledObject,
}

impl NameSpec {
    /// Parses `fn`.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        SPECS.iter().find(|(known, ..)| *known == text).map(|(_, spec, _)| *spec)
    }

    pub(crate) fn text(self) -> &'static [u8] {
        SPECS[self as usize].0
    }

    fn kind(self) -> NameKind {
        SPECS[self as usize].2
    }
}

/// The subject of a name. A number has a meaning for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    Function,
    File,
    Object,
}

impl NameKind {
    pub(crate) const ALL: [Self; 3] = [Self::Function, Self::File, Self::Object];
}

/// A name of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NameId {
    pub(crate) kind: NameKind,
    /// Number of names of this kind that the dump has before it.
    pub(crate) index: u32,
}

/// All names of a dump up to the current line.
#[derive(Debug, Default)]
pub(crate) struct Names([Table; 3]);

/// The names of one kind.
#[derive(Debug, Default)]
struct Table {
    names: Vec<Name>,
    /// Indices by the numbers in the dump, and by the texts of names without one.
    numbers: HashMap<u64, u32, FnvBuildHasher>,
    texts: HashMap<Vec<u8>, u32, FnvBuildHasher>,
}

#[derive(Debug)]
struct Name {
    /// The number in the dump.
    number: Option<u64>,
    /// Empty until the dump has it in full.
    text: Vec<u8>,
}

impl Names {
    /// Looks up the name in a line. The first text of a number is its name.
    pub(crate) fn read(&mut self, spec: NameSpec, value: &[u8]) -> Result<NameId, Malformed> {
        let kind = spec.kind();
        let Table { names, numbers, texts } = &mut self.0[kind as usize];
        let next = u32::try_from(names.len()).map_err(|_| Malformed::NameTooLarge)?;
        let (number, text) = match split_id(value)? {
            Some((number, text)) => (Some(number), text.trim_ascii()),
            None => (None, value.trim_ascii()),
        };
        let known = match number {
            Some(number) => *numbers.entry(number).or_insert(next),
            None => match texts.get(text) {
                Some(known) => *known,
                None => *texts.entry(text.to_owned()).or_insert(next),
            },
        };
        match names.get_mut(known as usize) {
            None => names.push(Name { number, text: text.to_owned() }),
            Some(name) if name.text.is_empty() => text.clone_into(&mut name.text),
            Some(_) => {}
        }
        Ok(NameId { kind, index: known })
    }

    /// Returns the text of a name; empty if the dump did not have it in full yet.
    pub(crate) fn text(&self, id: NameId) -> &[u8] {
        &self.name(id).text
    }

    /// Returns the number of a name in the dump.
    pub(crate) fn number(&self, id: NameId) -> Option<u64> {
        self.name(id).number
    }

    /// Gives a name another text.
    pub(crate) fn rename(&mut self, id: NameId, text: Vec<u8>) {
        self.0[id.kind as usize].names[id.index as usize].text = text;
    }

    /// Returns the texts of a kind in the order of their indices, to print them.
    pub(crate) fn texts(&self, kind: NameKind) -> Vec<String> {
        let names = self.0[kind as usize].names.iter();
        names.map(|name| String::from_utf8_lossy(&name.text).into_owned()).collect()
    }

    /// Returns true if the dump had no name of a kind yet.
    pub(crate) fn is_empty(&self, kind: NameKind) -> bool {
        self.0[kind as usize].names.is_empty()
    }

    /// Returns a number that is greater than all numbers of a kind.
    pub(crate) fn next_number(&self, kind: NameKind) -> Result<u64, Malformed> {
        let numbers = self.0[kind as usize].numbers.keys().copied();
        let next = numbers.max().map_or(Some(0), |last| last.checked_add(1));
        next.ok_or(Malformed::NameTooLarge)
    }

    fn name(&self, id: NameId) -> &Name {
        &self.0[id.kind as usize].names[id.index as usize]
    }
}

/// Splits a value into number and name; `None` for a plain name like `(below main)`.
fn split_id(value: &[u8]) -> Result<Option<(u64, &[u8])>, Malformed> {
    let [b'(', rest @ ..] = value.trim_ascii_start() else { return Ok(None) };
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    let end = rest.iter().position(|byte| *byte == b')');
    let id = end.and_then(|end| Some((number(&rest[..end])?, &rest[end + 1..])));
    id.map(Some).ok_or_else(|| Malformed::NotANameId(quote(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_name_for_each_kind() {
        let mut names = Names::default();
        let function = names.read(NameSpec::CalledFunction, b"(3) a").unwrap();
        let file = names.read(NameSpec::File, b"(3) b").unwrap();
        assert_eq!(names.read(NameSpec::Function, b"(3)").unwrap(), function);
        assert_eq!(names.read(NameSpec::InlinedFile, b"(3)").unwrap(), file);
        assert_eq!((names.text(function), names.text(file)), (&b"a"[..], &b"b"[..]));
        assert_eq!(names.number(function), Some(3));
        assert_eq!(names.next_number(NameKind::Function), Ok(4));
        assert_eq!(names.next_number(NameKind::Object), Ok(0));
    }

    #[test]
    fn a_new_text_holds_for_later_lines() {
        for line in [&b"(3) a"[..], b"a"] {
            let mut names = Names::default();
            let id = names.read(NameSpec::Function, line).unwrap();
            names.rename(id, b"b".to_vec());
            assert_eq!(names.read(NameSpec::Function, line).unwrap(), id);
            assert_eq!(names.text(id), b"b");
        }
    }

    #[test]
    fn plain_names_have_no_number() {
        let mut names = Names::default();
        for (index, name) in (0..).zip(["(below main)", "a b.c"]) {
            let id = names.read(NameSpec::Function, name.as_bytes()).unwrap();
            assert_eq!((id.index, names.text(id)), (index, name.as_bytes()));
            assert_eq!(names.number(id), None);
        }
        assert_eq!(names.texts(NameKind::Function), ["(below main)", "a b.c"]);
    }

    #[test]
    fn each_specification_has_its_row() {
        for (text, spec, _) in SPECS {
            assert_eq!((NameSpec::parse(text), spec.text()), (Some(spec), text));
        }
    }

    #[test]
    fn errors() {
        for value in ["(12 main", "(12x) main", "(99999999999999999999) main"] {
            let mut names = Names::default();
            assert!(names.read(NameSpec::Function, value.as_bytes()).is_err(), "{value}");
        }
        let mut names = Names::default();
        names.read(NameSpec::Function, b"(18446744073709551615) main").unwrap();
        assert!(names.next_number(NameKind::Function).is_err());
    }
}
