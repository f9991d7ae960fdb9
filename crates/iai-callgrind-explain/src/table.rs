//! The table of attributed costs that is stored with a result. It contains no address, so it needs
//! no executable.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::revision::Revision;
use crate::sources::{Line, Source};

/// The name of the number of codegen units in the environment.
pub(crate) const UNITS: &str = "codegen units";

/// The version of the format.
const VERSION: u32 = 1;

/// Maximum number of bytes of a table, so that a damaged one does not fill the memory.
const LARGEST: u64 = 1 << 30;

/// Maximum of sums of counts. Shares are computed in floating point, which is exact up to here.
const LARGEST_COUNT: u64 = 1 << 53;

/// The costs of a profile by owner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    version: u32,
    /// Names of the events.
    pub(crate) events: Vec<String>,
    /// The sums of all costs.
    pub(crate) totals: Vec<u64>,
    /// True if the inline frames of the executable are known.
    pub(crate) has_debug_info: bool,
    /// The environment as far as the profile and the object files describe it.
    pub environment: Environment,
    /// The state of the work tree, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Names of functions and files.
    pub(crate) texts: Vec<String>,
    pub(crate) functions: Vec<Function>,
    pub(crate) frames: Vec<Frame>,
    /// User frames, from the outermost to the innermost, by their indices.
    pub(crate) stacks: Vec<Vec<u32>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) edges: Vec<Edge>,
    /// The user's source files that run, by their paths.
    pub(crate) files: BTreeMap<String, File>,
    /// Lines without machine code that belong to lines that run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) implied: Vec<Frame>,
    /// Hashes of the code of all source files of each package in the workspace, by its directory; empty if there are too
    /// many files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) packages: BTreeMap<String, u32>,
    /// Hash of the executed object files, with their constants; 0 if one of them is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) object_files: u64,
    /// The names of the values of the machine that the code asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) asked: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The environment of a build and of a run: names and values.
pub type Environment = BTreeMap<String, String>;

/// A function in machine code. Stored as an array, like the following ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u64, u64)", into = "(u32, u64, u64)")]
pub(crate) struct Function {
    /// The index of its name.
    pub(crate) name: u32,
    /// Number of calls.
    pub(crate) calls: u64,
    /// The hash of its machine code; 0 if it is not known.
    pub(crate) code: u64,
}

/// A user function at a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, u32, u32)", into = "(u32, u32, u32, u32, u32)")]
pub(crate) struct Frame {
    pub(crate) name: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The hash of the line's text; 0 if it is not known.
    pub(crate) text: u32,
    /// Hash of the line's text and of the line of code before it; 0 if it is not known.
    pub(crate) pair: u32,
}

/// Costs of the instructions of a function with the same user frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, Vec<u64>)", into = "(u32, u32, u32, Vec<u64>)")]
pub(crate) struct Row {
    pub(crate) function: u32,
    pub(crate) stack: u32,
    /// The name of the innermost function.
    pub(crate) inner: u32,
    /// The counts of the events, without zeros at the end.
    pub(crate) counts: Vec<u64>,
}

/// Calls of a function from the same code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, u64, u64)", into = "(u32, u32, u32, u64, u64)")]
pub(crate) struct Edge {
    pub(crate) caller: u32,
    pub(crate) stack: u32,
    pub(crate) callee: u32,
    pub(crate) times: u64,
    /// The count of the first event during the calls.
    pub(crate) inclusive: u64,
}

/// A source file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct File {
    /// The hash of its text.
    pub(crate) hash: u64,
    /// The hash of its lines of code, without comments and blank lines.
    pub(crate) code: u64,
    /// The hashes of the texts of its lines, each as often as the text occurs.
    pub(crate) texts: Hashes,
    /// The hashes of its lines with the line of code before.
    pub(crate) pairs: Hashes,
}

/// Hashes as differences in ascending order, which need few bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Hashes(Vec<u32>);

impl Hashes {
    pub(crate) fn new(hashes: impl Iterator<Item = u32>) -> Self {
        let mut sorted: Vec<_> = hashes.collect();
        sorted.sort_unstable();
        let mut last = 0;
        let difference = |hash| hash - std::mem::replace(&mut last, hash);
        Self(sorted.into_iter().map(difference).collect())
    }

    /// Returns how often a hash occurs.
    pub(crate) fn number_of(&self, hash: u32) -> usize {
        let sums = self.0.iter().scan(0_u32, |sum, difference| {
            *sum = sum.wrapping_add(*difference);
            Some(*sum)
        });
        sums.filter(|sum| *sum == hash).count()
    }
}

macro_rules! arrays {
    ($($type:ident { $($field:ident: $kind:ty),* })*) => {$(
        impl From<($($kind),*)> for $type {
            fn from(($($field),*): ($($kind),*)) -> Self {
                Self { $($field),* }
            }
        }

        impl From<$type> for ($($kind),*) {
            fn from($type { $($field),* }: $type) -> Self {
                ($($field),*)
            }
        }
    )*};
}

arrays! {
    Function { name: u32, calls: u64, code: u64 }
    Frame { name: u32, file: u32, line: u32, text: u32, pair: u32 }
    Row { function: u32, stack: u32, inner: u32, counts: Vec<u64> }
    Edge { caller: u32, stack: u32, callee: u32, times: u64, inclusive: u64 }
}

impl Frame {
    /// Returns the hashes of the line.
    pub(crate) fn hashes(&self) -> Line {
        Line { text: self.text, pair: self.pair }
    }
}

impl Row {
    /// Adds the counts of another row.
    pub(crate) fn add(&mut self, counts: &[u64]) {
        if self.counts.len() < counts.len() {
            self.counts.resize(counts.len(), 0);
        }
        for (sum, count) in self.counts.iter_mut().zip(counts) {
            *sum = sum.saturating_add(*count);
        }
    }
}

impl File {
    pub(crate) fn new(hash: u64, code: u64, lines: &[Line]) -> Self {
        let texts = Hashes::new(lines.iter().map(|line| line.text));
        let pairs = Hashes::new(lines.iter().map(|line| line.pair));
        Self { hash, code, texts, pairs }
    }
}

/// The reason why a table can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The table has another version.
    #[error("it has the version {found} of the format instead of {VERSION}")]
    Version {
        /// The version of the table.
        found: u32,
    },
    /// The table is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Table {
    /// Returns a table without costs.
    pub(crate) fn new(events: Vec<String>) -> Self {
        Self { version: VERSION, events, ..Self::default() }
    }

    /// Returns the sum of all costs of an event.
    #[must_use]
    pub fn total(&self, event: &str) -> Option<u64> {
        let index = self.events.iter().position(|name| name == event)?;
        self.totals.get(index).copied()
    }

    /// Returns the names of the events.
    #[must_use]
    pub fn events(&self) -> &[String] {
        &self.events
    }

    /// Returns the name of an event, ignoring case.
    #[must_use]
    pub fn find_event(&self, name: &str) -> Option<&str> {
        self.events.iter().map(String::as_str).find(|event| event.eq_ignore_ascii_case(name))
    }

    /// Returns the lines of a source file with this content, `None` for another source than that of the result.
    #[must_use]
    pub fn source_lines<'a>(&self, path: &str, content: &'a str) -> Option<Vec<&'a str>> {
        let hash = self.files.get(path)?.hash;
        (Source::new(content).hash == Some(hash)).then(|| content.lines().collect())
    }

    /// Returns the paths of the user's source files that run.
    pub fn source_paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns true if the user's source file with this path runs.
    #[must_use]
    pub fn has_source(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Adds a source file that does not run here, so that its lines in another table can be compared. Without this content
    /// it is the same as there.
    pub fn add_source(&mut self, path: &str, content: Option<&str>, other: &Self) {
        let file = match content.map(Source::new) {
            Some(Source { hash, code, lines, .. }) => {
                Some(File::new(hash.unwrap_or_default(), code, &lines))
            }
            None => other.files.get(path).cloned(),
        };
        self.files.extend(file.map(|file| (path.to_owned(), file)));
    }

    /// Returns true if the inline frames of the executable are known.
    #[must_use]
    pub fn has_debug_info(&self) -> bool {
        self.has_debug_info
    }

    /// Returns true if one of the user's crates is known to be compiled in several units.
    #[must_use]
    pub fn has_several_units(&self) -> bool {
        self.environment.get(UNITS).is_some_and(|units| units != "1")
    }

    /// Returns the names of the functions that ran, and of functions that are inlined into them. A
    /// name can occur twice.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        let own = self.functions.iter().map(|function| function.name);
        let inlined = self.rows.iter().map(|row| row.inner);
        own.chain(inlined).map(|name| self.text(name))
    }

    /// Returns the names of the values of the machine that the code asked for.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        self.asked.iter().map(String::as_str)
    }

    /// Returns the table as compressed bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no memory for it.
    pub fn write(&self) -> std::io::Result<Vec<u8>> {
        // The encoder clears a buffer at each of its writes
        let text = serde_json::to_vec(self)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&text)?;
        encoder.finish()
    }

    /// Reads a table from compressed bytes.
    ///
    /// # Errors
    ///
    /// Returns an error for a table of another version, and for a damaged one.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut text = Vec::new();
        let damaged = |error: &dyn std::fmt::Display| ReadError::Damaged(error.to_string());
        let mut decoder = GzDecoder::new(bytes).take(LARGEST);
        decoder.read_to_end(&mut text).map_err(|error| damaged(&error))?;
        let Versioned { version } =
            serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if version != VERSION {
            return Err(ReadError::Version { found: version });
        }
        let table: Self = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        table.check().map_err(|message| damaged(&message))?;
        Ok(table)
    }

    /// Checks that all indices are valid and that the rows add up to the totals.
    fn check(&self) -> Result<(), &'static str> {
        let is_in =
            |index: u32, length: usize| usize::try_from(index).is_ok_and(|index| index < length);
        let (texts, functions, stacks) =
            (self.texts.len(), self.functions.len(), self.stacks.len());
        let frames = self.stacks.iter().flatten().all(|frame| is_in(*frame, self.frames.len()));
        let names = self.functions.iter().all(|function| is_in(function.name, texts))
            && self
                .frames
                .iter()
                .chain(&self.implied)
                .all(|frame| is_in(frame.name, texts) && is_in(frame.file, texts));
        let rows = self.rows.iter().all(|row| {
            is_in(row.function, functions) && is_in(row.stack, stacks) && is_in(row.inner, texts)
        });
        let edges = self.edges.iter().all(|edge| {
            is_in(edge.caller, functions)
                && is_in(edge.callee, functions)
                && is_in(edge.stack, stacks)
        });
        if !(frames && names && rows && edges) {
            return Err("an index is too large");
        }
        if self.sums().is_none_or(|sums| sums != self.totals) {
            return Err("the costs do not add up to the totals");
        }
        let calls =
            self.functions.iter().map(|function| function.calls).fold(0, u64::saturating_add);
        let times = self.edges.iter().map(|edge| edge.times).fold(0, u64::saturating_add);
        if self.totals.iter().chain([&calls, &times]).any(|count| *count > LARGEST_COUNT) {
            return Err("a count is too large");
        }
        Ok(())
    }

    /// Returns the sums of the rows; `None` if one is too large or there are too many counts.
    pub(crate) fn sums(&self) -> Option<Vec<u64>> {
        let mut sums = vec![0_u64; self.events.len()];
        for row in &self.rows {
            for (index, count) in row.counts.iter().enumerate() {
                let sum = sums.get_mut(index)?;
                *sum = sum.checked_add(*count)?;
            }
        }
        Some(sums)
    }

    pub(crate) fn text(&self, index: u32) -> &str {
        &self.texts[index as usize]
    }

    pub(crate) fn function_name(&self, function: u32) -> &str {
        self.text(self.functions[function as usize].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: u32) -> Line {
        Line { text, pair: text + 1 }
    }

    fn table() -> Table {
        let mut table = Table::new(vec!["Ir".to_owned(), "Dr".to_owned()]);
        table.texts = vec!["f".to_owned(), "src/lib.rs".to_owned()];
        table.functions = vec![Function { name: 0, calls: 3, code: u64::MAX }];
        table.frames = vec![Frame { name: 0, file: 1, line: 7, text: 9, pair: 8 }];
        table.stacks = vec![vec![0], vec![]];
        table.rows = vec![Row { function: 0, stack: 0, inner: 0, counts: vec![5] }];
        table.edges = vec![Edge { caller: 0, stack: 1, callee: 0, times: 2, inclusive: 4 }];
        table.files.insert("src/lib.rs".to_owned(), File::new(8, 7, &[9, 4, 9].map(line)));
        table.totals = vec![5, 0];
        table
    }

    #[test]
    fn what_is_written_is_read() {
        let table = table();
        assert_eq!(Table::read(&table.write().unwrap()).unwrap(), table);
        assert_eq!(table.total("Ir"), Some(5));
        assert_eq!(table.total("Dw"), None);
        let file = &table.files["src/lib.rs"];
        assert_eq!([4, 5, 9, 13].map(|hash| file.texts.number_of(hash)), [1, 0, 2, 0]);
        assert_eq!([4, 5, 10].map(|hash| file.pairs.number_of(hash)), [0, 1, 2]);
    }

    #[test]
    fn other_versions_and_damage_are_errors() {
        let other = Table { version: 99, ..table() };
        let error = Table::read(&other.write().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "it has the version 99 of the format instead of 1");
        let mut bytes = table().write().unwrap();
        bytes.truncate(bytes.len() / 2);
        assert!(matches!(Table::read(&bytes), Err(ReadError::Damaged(_))));
        assert!(matches!(Table::read(b"no table"), Err(ReadError::Damaged(_))));
        let damage: [fn(&mut Table); 8] = [
            |table| table.stacks[0][0] = 1,
            |table| table.rows[0].stack = 2,
            |table| table.edges[0].callee = 1,
            |table| table.rows[0].counts = vec![1, 2, 3],
            |table| table.totals[0] = 6,
            |table| (table.totals[0], table.rows[0].counts[0]) = (1 << 54, 1 << 54),
            |table| table.functions[0].calls = 1 << 54,
            |table| table.edges[0].times = u64::MAX,
        ];
        for damage in damage {
            let mut table = table();
            damage(&mut table);
            assert!(matches!(Table::read(&table.write().unwrap()), Err(ReadError::Damaged(_))));
        }
    }
}
