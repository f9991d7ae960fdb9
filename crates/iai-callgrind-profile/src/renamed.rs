//! A path in a file that is replaced by another one.

/// A path under which a program ran, and the path to write instead of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed {
    from: String,
    to: String,
}

impl Renamed {
    /// Writes all paths as they are.
    pub(crate) const NONE: &'static Self = &Self { from: String::new(), to: String::new() };

    /// Writes `to` for `from`.
    #[must_use]
    pub fn new(from: String, to: String) -> Self {
        Self { from, to }
    }

    /// Returns the path under which the program ran.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.from
    }

    /// Returns the path to write.
    #[must_use]
    pub fn to(&self) -> &str {
        &self.to
    }

    /// Returns a text with the path to write.
    #[must_use]
    pub fn restored(&self, text: &str) -> String {
        if self.from == self.to { text.to_owned() } else { text.replace(&self.from, &self.to) }
    }

    /// Appends a line to `output`, with the path to write.
    pub fn restore_line(&self, line: &[u8], output: &mut Vec<u8>) {
        let mut rest = line;
        while let Some(at) = self.find(rest) {
            output.extend_from_slice(&rest[..at]);
            output.extend_from_slice(self.to.as_bytes());
            rest = &rest[at + self.from.len()..];
        }
        output.extend_from_slice(rest);
    }

    /// Finds the path in a line.
    fn find(&self, line: &[u8]) -> Option<usize> {
        let path = self.from.as_bytes();
        let first = path.first().filter(|_| self.from != self.to)?;
        // Most lines do not have even the first byte
        let mut starts = line.iter().enumerate().filter(|(_, byte)| *byte == first);
        starts.find(|(at, _)| line[*at..].starts_with(path)).map(|(at, _)| at)
    }
}
