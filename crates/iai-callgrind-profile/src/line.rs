//! Lines of a profile, as Valgrind's manual defines them ("Callgrind Format").

use crate::malformed::Malformed;
use crate::names::{NameId, NameSpec, Names};

/// A line of a profile, classified by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProfileLine<'a> {
    /// An empty line or a comment.
    Nothing,
    /// `key: value`.
    Header { key: &'a [u8], value: &'a [u8] },
    /// A name in full or by its number: `fn=(3) main`.
    Name { spec: NameSpec, value: &'a [u8] },
    /// Calls: their number and their target.
    Calls(&'a [u8]),
    /// A jump: its numbers and its target.
    Jump(JumpSpec, &'a [u8]),
    /// Positions and the costs there.
    Costs(&'a [u8]),
}

/// A line of a profile's body, whose name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLine<'a> {
    /// An empty line.
    Nothing,
    Name(NameSpec, NameId),
    Calls(&'a [u8]),
    Jump(JumpSpec, &'a [u8]),
    Costs(&'a [u8]),
}

/// A receiver of lines with the names of their body. Returns the reason why a line can't be used.
pub(crate) type LineSink<'a> = dyn FnMut(BodyLine<'_>, &Names) -> Result<(), Malformed> + 'a;

/// The kind of a jump: `jump` or, if it depends on a condition, `jcnd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JumpSpec {
    Always,
    Conditional,
}

impl JumpSpec {
    pub(crate) fn text(self) -> &'static [u8] {
        match self {
            Self::Always => b"jump",
            Self::Conditional => b"jcnd",
        }
    }
}

impl<'a> ProfileLine<'a> {
    /// Classifies a line; returns `None` for one that no profile has.
    pub(crate) fn classify(line: &'a [u8]) -> Option<Self> {
        match line.trim_ascii_start().first() {
            None | Some(b'#') => return Some(Self::Nothing),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => return Some(Self::Costs(line)),
            Some(_) => {}
        }
        let end = line.iter().position(|byte| !byte.is_ascii_alphabetic())?;
        let (word, rest) = line.split_at(end);
        match (word, rest.split_first()?) {
            (b"", _) => None,
            (key, (b':', value)) => Some(Self::Header { key, value: value.trim_ascii() }),
            (b"calls", (b'=', value)) => Some(Self::Calls(value)),
            (b"jump", (b'=', value)) => Some(Self::Jump(JumpSpec::Always, value)),
            (b"jcnd", (b'=', value)) => Some(Self::Jump(JumpSpec::Conditional, value)),
            (spec, (b'=', value)) => Some(Self::Name { spec: NameSpec::parse(spec)?, value }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_lines() {
        let header = ProfileLine::Header { key: b"cmd", value: b"a=b c" };
        assert_eq!(ProfileLine::classify(b"cmd:  a=b c"), Some(header));
        let name = ProfileLine::Name { spec: NameSpec::Function, value: b"(1) a::b" };
        assert_eq!(ProfileLine::classify(b"fn=(1) a::b"), Some(name));
        let calls = ProfileLine::Calls(b"3 0x10 27");
        assert_eq!(ProfileLine::classify(b"calls=3 0x10 27"), Some(calls));
        let jump = ProfileLine::Jump(JumpSpec::Conditional, b"1/2 7");
        assert_eq!(ProfileLine::classify(b"jcnd=1/2 7"), Some(jump));
        for costs in [&b"+3 * 5"[..], b"* 1", b"-4 2", b"0x12 3 4", b"16 20"] {
            assert_eq!(ProfileLine::classify(costs), Some(ProfileLine::Costs(costs)));
        }
        for nothing in [&b""[..], b"  ", b"# x"] {
            assert_eq!(ProfileLine::classify(nothing), Some(ProfileLine::Nothing));
        }
        for wrong in [&b"garbage"[..], b"two words: x", b":", b"=", b"\xff=1", b"fn", b"zz=(1) a"] {
            assert_eq!(ProfileLine::classify(wrong), None);
        }
    }
}
