//! Writes the bodies of several dumps into one profile, whose names have numbers that differ between the dumps.

use std::collections::HashSet;

use crate::line::BodyLine;
use crate::malformed::Malformed;
use crate::names::{NameId, NameKind, NameSpec, Names};

/// Writes one body after the other.
#[derive(Debug, Default)]
pub(crate) struct BodyText {
    /// Added to the numbers of the current body, by the kind of a name.
    offsets: [u64; NameKind::ALL.len()],
    /// The names of the current body that were written in full.
    written: HashSet<NameId>,
}

impl BodyText {
    /// Appends a line.
    pub(crate) fn write(
        &mut self,
        line: BodyLine<'_>,
        names: &Names,
        output: &mut Vec<u8>,
    ) -> Result<(), Malformed> {
        let parts: [&[u8]; 3] = match line {
            BodyLine::Nothing => [b"", b"", b""],
            BodyLine::Name(spec, name) => return self.name(spec, name, names, output),
            BodyLine::Calls(value) => [b"calls", b"=", value],
            BodyLine::Jump(spec, value) => [spec.text(), b"=", value],
            BodyLine::Costs(value) => [value, b"", b""],
        };
        for part in parts {
            output.extend_from_slice(part);
        }
        output.push(b'\n');
        Ok(())
    }

    /// Ends a body with these names.
    pub(crate) fn end_body(&mut self, names: &Names) -> Result<(), Malformed> {
        for kind in NameKind::ALL {
            let offset = &mut self.offsets[kind as usize];
            *offset =
                offset.checked_add(names.next_number(kind)?).ok_or(Malformed::NameTooLarge)?;
        }
        self.written.clear();
        Ok(())
    }

    /// Appends a line with a name, in full for the first time.
    fn name(
        &mut self,
        spec: NameSpec,
        name: NameId,
        names: &Names,
        output: &mut Vec<u8>,
    ) -> Result<(), Malformed> {
        output.extend_from_slice(spec.text());
        output.push(b'=');
        let text = names.text(name);
        if let Some(number) = names.number(name) {
            let offset = self.offsets[name.kind as usize];
            let number = number.checked_add(offset).ok_or(Malformed::NameTooLarge)?;
            output.extend_from_slice(format!("({number})").as_bytes());
            if !text.is_empty() && self.written.insert(name) {
                output.push(b' ');
                output.extend_from_slice(text);
            }
        } else {
            output.extend_from_slice(text);
        }
        output.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a body of these entries.
    fn body(text: &mut BodyText, entries: &[(NameSpec, &str)]) -> String {
        let (mut names, mut output) = (Names::default(), Vec::new());
        for (spec, value) in entries {
            let line = BodyLine::Name(*spec, names.read(*spec, value.as_bytes()).unwrap());
            text.write(line, &names, &mut output).unwrap();
        }
        text.end_body(&names).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn numbers_move_out_of_the_way_in_each_kind() {
        let entries = [
            (NameSpec::Object, "(1) o"),
            (NameSpec::File, "(7) f"),
            (NameSpec::Function, "(3) a"),
            (NameSpec::CalledObject, "(1)"),
            (NameSpec::CalledFunction, "(4) b"),
        ];
        let mut text = BodyText::default();
        assert_eq!(body(&mut text, &entries), "ob=(1) o\nfl=(7) f\nfn=(3) a\ncob=(1)\ncfn=(4) b\n");
        assert_eq!(
            body(&mut text, &entries),
            "ob=(3) o\nfl=(15) f\nfn=(8) a\ncob=(3)\ncfn=(9) b\n"
        );
    }

    #[test]
    fn the_first_one_written_is_in_full() {
        let mut names = Names::default();
        let called = names.read(NameSpec::CalledFunction, b"(3) a").unwrap();
        let (mut text, mut output) = (BodyText::default(), Vec::new());
        for spec in [NameSpec::Function, NameSpec::CalledFunction] {
            text.write(BodyLine::Name(spec, called), &names, &mut output).unwrap();
        }
        assert_eq!(output, b"fn=(3) a\ncfn=(3)\n");
    }

    #[test]
    fn plain_names_stay() {
        let entries = [(NameSpec::Function, "(below main)"), (NameSpec::File, "a b.c")];
        let expected = "fn=(below main)\nfl=a b.c\n";
        assert_eq!(body(&mut BodyText::default(), &entries), expected);
    }

    #[test]
    fn numbers_have_64_bits() {
        let mut names = Names::default();
        let name = names.read(NameSpec::Function, b"(18446744073709551615) a").unwrap();
        let mut text = BodyText { offsets: [1, 0, 0], ..BodyText::default() };
        let line = BodyLine::Name(NameSpec::Function, name);
        assert!(text.write(line, &names, &mut Vec::new()).is_err());
        assert!(text.end_body(&names).is_err());
    }
}
