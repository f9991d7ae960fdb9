//! Rewrites the body of a profile so that it can stand behind that of another.
//!
//! Two things in a body depend on what stands before it in the file: name ids (`fn=(12) main`
//! once, `fn=(12)` from then on) and relative positions (`+3`, `*`), which count from the previous
//! cost line.

use super::line::{Line, number, quote, words};

/// The spaces of name ids: an id means different things as function, file and object
const NAMESPACES: usize = 3;

/// The bodies written so far
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Added to the ids of the current source
    offsets: [u64; NAMESPACES],
    /// Greater than any id written yet
    unused: [u64; NAMESPACES],
    /// Numbers at the start of a cost line that are positions
    columns: usize,
    /// No cost line of the current source was written, so nothing can be relative to one
    at_start: bool,
    /// The line being written, kept to reuse its memory
    line: Vec<u8>,
}

impl Body {
    /// Begins with the next source, whose cost lines start with this many positions
    pub(super) fn start(&mut self, columns: usize) {
        self.offsets = self.unused;
        self.columns = columns;
        self.at_start = true;
    }

    /// The line as it has to be in the joined file; `None` if it doesn't belong in a body
    pub(super) fn rewrite<'a>(&'a mut self, line: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        match Line::classify(line) {
            Some(Line::Header { .. }) => Ok(None),
            // Only empty lines between functions: those in the header would pile up
            Some(Line::Nothing) => Ok((!self.at_start && line.is_empty()).then_some(line)),
            Some(Line::Costs) => {
                let first = std::mem::take(&mut self.at_start);
                if first { self.absolute(line, 0).map(Some) } else { Ok(Some(line)) }
            }
            Some(Line::Entry { spec: b"calls" | b"jump" | b"jcnd", .. }) => {
                if !self.at_start {
                    return Ok(Some(line));
                }
                // The target stands last, behind the counts, of which there is at least one
                let target = words(line).count().saturating_sub(self.columns).max(1);
                self.absolute(line, target).map(Some)
            }
            Some(Line::Entry { spec, value }) => self.renumber(spec, value).map(Some),
            None => Err(format!("{} doesn't belong among the costs", quote(line))),
        }
    }

    /// Makes the positions from word `first` on absolute: before the first cost line, they are
    /// relative to zero
    fn absolute(&mut self, line: &[u8], first: usize) -> Result<&[u8], String> {
        if words(line).count() < first + self.columns {
            return Err(format!("{} lacks a position", quote(line)));
        }
        self.line.clear();
        for (index, word) in words(line).enumerate() {
            let position = (first..first + self.columns).contains(&index);
            self.line.extend_from_slice(match word.split_first() {
                Some((b'*', [])) if position => b"0",
                Some((b'+', difference)) if position => difference,
                Some((b'-', _)) if position => {
                    return Err(format!("the position {} is below zero", quote(word)));
                }
                _ => word,
            });
            self.line.push(b' ');
        }
        self.line.pop();
        Ok(&self.line)
    }

    /// Moves the id of a name out of the range of the previous sources
    fn renumber(&mut self, spec: &[u8], value: &[u8]) -> Result<&[u8], String> {
        let namespace = namespace(spec)
            .ok_or_else(|| format!("{} is no position specification that is known", quote(spec)))?;
        self.line.clear();
        self.line.extend_from_slice(spec);
        self.line.push(b'=');
        match split_id(value)? {
            None => self.line.extend_from_slice(value),
            Some((id, name)) => {
                let too_large = || format!("the name id {id} is too large");
                let id = id.checked_add(self.offsets[namespace]).ok_or_else(too_large)?;
                let next = id.checked_add(1).ok_or_else(too_large)?;
                self.unused[namespace] = self.unused[namespace].max(next);
                self.line.extend_from_slice(format!("({id})").as_bytes());
                self.line.extend_from_slice(name);
            }
        }
        Ok(&self.line)
    }
}

/// The space in which a specification's ids are counted
fn namespace(spec: &[u8]) -> Option<usize> {
    match spec {
        b"fn" | b"cfn" | b"jfn" => Some(0),
        b"fl" | b"fi" | b"fe" | b"cfi" | b"cfl" | b"jfi" => Some(1),
        b"ob" | b"cob" => Some(2),
        _ => None,
    }
}

/// The id and what follows it; `None` if the value is a plain name like `(below main)`
fn split_id(value: &[u8]) -> Result<Option<(u64, &[u8])>, String> {
    let [b'(', rest @ ..] = value.trim_ascii_start() else { return Ok(None) };
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    let end = rest.iter().position(|byte| *byte == b')');
    let id = end.and_then(|end| Some((number(&rest[..end])?, &rest[end + 1..])));
    id.map(Some).ok_or_else(|| format!("{} is not a name id", quote(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewrites sources one after the other
    fn rewrite(sources: &[&str], columns: usize) -> Result<String, String> {
        let mut body = Body::default();
        let mut text = String::new();
        for source in sources {
            body.start(columns);
            for line in source.lines() {
                if let Some(line) = body.rewrite(line.as_bytes())? {
                    text += std::str::from_utf8(line).unwrap();
                    text.push('\n');
                }
            }
        }
        Ok(text)
    }

    #[test]
    fn ids_move_out_of_the_way_in_each_namespace() {
        let source = "ob=(1) o\nfl=(7) f\nfn=(3) a\n1 1\ncob=(1)\ncfi=(7)\ncfn=(4) b\n";
        let again = "ob=(3) o\nfl=(15) f\nfn=(8) a\n1 1\ncob=(3)\ncfi=(15)\ncfn=(9) b\n";
        assert_eq!(rewrite(&[source, source], 1).unwrap(), format!("{source}{again}"));
    }

    #[test]
    fn plain_names_stay() {
        let source = "fn=(below main)\nfl=a b.c\n1 1\n";
        assert_eq!(rewrite(&[source], 1).unwrap(), source);
    }

    #[test]
    fn positions_are_absolute_up_to_the_first_costs() {
        let source = "fn=a\ncalls=1 +3 *\njcnd=1/2 * 0x5\n+0x10 * 7\n+3 * 5\n";
        let expected = "fn=a\ncalls=1 3 0\njcnd=1/2 0 0x5\n0x10 0 7\n+3 * 5\n";
        assert_eq!(rewrite(&[source, source], 2).unwrap(), expected.repeat(2));
    }

    #[test]
    fn header_lines_are_left_out() {
        let source = "version: 1\n\n# note\nevents: Ir\n\nfn=a\n1 2\n\nfn=b\n1 2\ntotals: 4\n";
        assert_eq!(rewrite(&[source], 1).unwrap(), "fn=a\n1 2\n\nfn=b\n1 2\n");
    }

    #[test]
    fn mistakes() {
        for wrong in [
            "fn=(12 main",
            "fn=(12x) main",
            "fn=(99999999999999999999) main",
            "fn=(18446744073709551615) main",
            "zz=(1) a",
            "-1 5",
            "calls=1",
            "garbage",
        ] {
            assert!(rewrite(&[wrong], 1).is_err(), "{wrong}");
        }
        assert!(rewrite(&["1"], 2).is_err());
    }
}
