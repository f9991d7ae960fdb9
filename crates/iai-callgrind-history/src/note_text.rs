//! The text of a note: a JSON object in each line, so that git merges the notes of two writers line by line.

use std::collections::{BTreeMap, BTreeSet};

use iai_callgrind_base::console::make_one_line;
use iai_callgrind_summary::Value;
use serde::{Deserialize, Serialize};

/// Version of the lines. A line of a newer version is left out.
const FORMAT: u32 = 1;

/// The results of a commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommitResults {
    /// Fingerprints of builds and machines, by their hashes.
    pub(super) environments: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) results: BTreeMap<ResultKey, Recording>,
    /// Lines that are not results, in any encoding. They stay in the note.
    pub(super) foreign: Vec<Vec<u8>>,
    /// Results that two writers measured with different values.
    pub(super) contradictions: BTreeSet<ResultKey>,
}

/// A benchmark under a tool in an environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ResultKey {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) tool: String,
    /// Hash of the environment.
    pub(super) environment: String,
}

/// The result of a benchmark at a commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Recording {
    /// Values by metric.
    pub(super) values: BTreeMap<String, Value>,
    /// Hash of the machine code that ran and of its work; `None` if it is not known.
    pub(super) code: Option<String>,
    /// The work tree had changes that the commit does not have.
    pub(super) is_dirty: bool,
}

/// A line of a note.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Result {
        format: u32,
        package: String,
        name: String,
        tool: String,
        environment: String,
        values: BTreeMap<String, Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        #[serde(default, rename = "dirty", skip_serializing_if = "std::ops::Not::not")]
        is_dirty: bool,
    },
    Environment {
        format: u32,
        environment: String,
        fingerprint: BTreeMap<String, String>,
    },
}

/// Reads the text of a note and writes it again, without damaged lines if they cannot be written.
#[cfg(any(test, feature = "fuzzing"))]
pub fn rewrite_note(text: &str) -> String {
    let written = CommitResults::parse(text.as_bytes()).write().unwrap_or_default();
    String::from_utf8(written).unwrap_or_default()
}

/// Returns the name of an environment: a hash that is the same everywhere.
pub(super) fn environment_name(fingerprint: &BTreeMap<String, String>) -> String {
    let texts = fingerprint.iter().flat_map(|(name, value)| [name, "\0", value, "\0"]);
    iai_callgrind_base::hash(texts.collect::<String>().as_bytes())
}

impl CommitResults {
    /// Reads a note. Blank lines belong to the foreign ones around them.
    pub(super) fn parse(note: &[u8]) -> Self {
        let mut all = Self::default();
        // A carriage return belongs to its line, which stays in the note as it is
        for line in note.split(|byte| *byte == b'\n') {
            if is_blank(line) && all.foreign.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(Line::Result {
                    format: FORMAT,
                    package,
                    name,
                    tool,
                    environment,
                    values,
                    code,
                    is_dirty,
                }) => {
                    let mut key = ResultKey { package, name, tool, environment };
                    [&mut key.package, &mut key.name].into_iter().for_each(make_one_line);
                    all.add(key, Recording { values, code, is_dirty });
                }
                Ok(Line::Environment { format: FORMAT, environment, fingerprint }) => {
                    all.environments.insert(environment, fingerprint);
                }
                _ => all.foreign.push(line.to_owned()),
            }
        }
        while all.foreign.last().is_some_and(|line| is_blank(line)) {
            all.foreign.pop();
        }
        all
    }

    /// Returns the number of foreign lines with text.
    pub(super) fn foreign_lines(&self) -> usize {
        self.foreign.iter().filter(|line| !is_blank(line)).count()
    }

    /// Adds the result of a line. Of two lines with the same values, the code can be in one only. A result of the commit
    /// itself wins over one with changes.
    fn add(&mut self, key: ResultKey, mut new: Recording) {
        if let Some(earlier) = self.results.remove(&key) {
            if earlier.is_dirty != new.is_dirty {
                new = if new.is_dirty { earlier } else { new };
            } else if earlier.values == new.values {
                new.code = new.code.or(earlier.code);
            } else {
                self.contradictions.insert(key.clone());
            }
        }
        self.results.insert(key, new);
    }

    /// Adds results. They replace those of the same benchmarks, tools and environments. Results
    /// with changes do not replace results of the commit itself.
    pub(super) fn update(&mut self, new: Self) {
        self.environments.extend(new.environments);
        let is_clean = |old: &Recording| !old.is_dirty;
        for (key, recording) in new.results {
            if !(recording.is_dirty && self.results.get(&key).is_some_and(is_clean)) {
                self.results.insert(key, recording);
            }
        }
    }

    /// Writes the note, with the lines in a fixed order.
    pub(super) fn write(&self) -> serde_json::Result<Vec<u8>> {
        let environments = self.environments.iter().map(|(environment, fingerprint)| {
            let (environment, fingerprint) = (environment.clone(), fingerprint.clone());
            Line::Environment { format: FORMAT, environment, fingerprint }
        });
        let results = self.results.iter().map(|(key, recording)| {
            let ResultKey { package, name, tool, environment } = key.clone();
            let Recording { values, code, is_dirty } = recording.clone();
            let format = FORMAT;
            Line::Result { format, package, name, tool, environment, values, code, is_dirty }
        });
        let mut note = Vec::new();
        for line in environments.chain(results) {
            serde_json::to_writer(&mut note, &line)?;
            note.push(b'\n');
        }
        for line in &self.foreign {
            note.extend(line);
            note.push(b'\n');
        }
        Ok(note)
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> ResultKey {
        ResultKey {
            package: "p".to_owned(),
            name: name.to_owned(),
            tool: "callgrind".to_owned(),
            environment: "e".to_owned(),
        }
    }

    fn text(all: &CommitResults) -> String {
        String::from_utf8(all.write().unwrap()).unwrap()
    }

    fn parse(text: &str) -> CommitResults {
        CommitResults::parse(text.as_bytes())
    }

    fn values(count: u64) -> Recording {
        let values = BTreeMap::from([("Ir".to_owned(), Value::Count(count))]);
        Recording { values, ..Recording::default() }
    }

    #[test]
    fn lines_of_two_writers_are_one_note() {
        let environments = BTreeMap::from([("e".to_owned(), BTreeMap::new())]);
        let results = |name: &str, count| BTreeMap::from([(key(name), values(count))]);
        let first = CommitResults { environments, results: results("a", 1), ..Default::default() };
        let second = CommitResults { results: results("b", 2), ..first.clone() };
        let both = [text(&first), text(&second)].concat();
        let merged = parse(&both);
        assert_eq!(merged.results, BTreeMap::from([(key("a"), values(1)), (key("b"), values(2))]));
        assert_eq!((merged.foreign.len(), merged.contradictions.len()), (0, 0));
        let mut updated = first;
        updated.update(second);
        assert_eq!(updated, merged);
        assert_eq!(parse(&text(&merged)), merged);
    }

    #[test]
    fn damaged_and_foreign_lines_are_left_out() {
        let results = BTreeMap::from([(key("a"), values(7))]);
        let good = CommitResults { results, ..Default::default() };
        let text = text(&good);
        let half = &text[..text.len() / 2];
        let newer = text.replace("\"format\":1", "\"format\":2");
        let note = format!("Reviewed-by: someone\r\r\n{text}{half}\n{newer}[1]\n\n");
        let parsed = parse(&note);
        assert_eq!(parsed.results, good.results);
        assert_eq!(parsed.foreign.len(), 4);
        assert_eq!(CommitResults::parse(&parsed.write().unwrap()), parsed, "they stay in the note");
    }

    #[test]
    fn a_foreign_note_stays_as_it_is() {
        let note = b"Reviewed in the caf\xe9\n\nbinary \0\xff\n";
        let mut all = CommitResults::parse(&[b"\n", &note[..], b" \n\n"].concat());
        assert_eq!((all.foreign.len(), all.foreign_lines()), (3, 2));
        assert_eq!(all.write().unwrap(), note);
        all.update(CommitResults {
            results: BTreeMap::from([(key("a"), values(7))]),
            ..all.clone()
        });
        let written = all.write().unwrap();
        assert!(written.ends_with(note) && written.len() > note.len());
        assert_eq!(CommitResults::parse(&written), all);
    }

    #[test]
    fn the_code_is_optional() {
        let results = BTreeMap::from([(key("a"), values(7))]);
        let old = CommitResults { results, ..Default::default() };
        assert!(!text(&old).contains("code"), "{}", text(&old));
        let mut new = old.clone();
        new.results.get_mut(&key("a")).unwrap().code = Some("c0de".to_owned());
        assert_eq!(parse(&text(&new)), new);
        // A commit that was recorded before there was a code, and again since then
        let (old, text) = (text(&old), text(&new));
        for both in [[&*old, &*text].concat(), [text, old].concat()] {
            assert_eq!(parse(&both), new);
        }
    }

    #[test]
    fn different_values_of_the_same_result_are_seen() {
        let written = |count| {
            let results = BTreeMap::from([(key("a"), values(count))]);
            text(&CommitResults { results, ..Default::default() })
        };
        let parsed = parse(&[written(1), written(2), written(2)].concat());
        assert_eq!(parsed.contradictions, BTreeSet::from([key("a")]));
        assert!(parse(&[written(1), written(1)].concat()).contradictions.is_empty());
    }
}
