//! Reads DHAT's files: JSON, in which the functions follow the stacks that refer to them.
//!
//! So a file is read twice: first the head and the functions, then the stacks one by one, without
//! keeping them.
//!
//! Valgrind before 3.17 writes version 1 of the format, which only has the heap, and other names
//! for the same fields.

use iai_callgrind_base::MalformedFile;
use iai_callgrind_profile::files;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use iai_callgrind_plan::metric::MetricKind::{
    AtTEndBlocks, AtTEndBytes, AtTGmaxBlocks, AtTGmaxBytes, MaximumBlocks, MaximumBytes,
    ReadsBytes, TotalBlocks, TotalBytes, TotalEvents, TotalLifetimes, TotalUnits, WritesBytes,
};
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::tool::lines::malformed;
use crate::{Error, Result};

/// Name of the tool in errors.
pub(super) const TOOL: &str = "dhat";

/// Field of a file that was cut down to the selected blocks.
pub(super) const IS_CUT: &str = "iaiCallgrindSelected";

/// The list of points, in versions 2 and 1.
pub(super) const POINTS: [&str; 2] = ["pps", "aps"];

/// Number of characters of an error's text that are shown.
const LONGEST_MESSAGE: usize = 200;

/// Head of a file, with the functions on the stacks and their places.
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    #[serde(rename = "dhatFileVersion")]
    _version: Version,
    #[serde(default)]
    mode: Mode,
    /// The file has lifetimes of blocks.
    #[serde(rename = "bklt", default = "yes")]
    has_lifetimes: bool,
    /// The file has accesses to blocks.
    #[serde(rename = "bkacc", default = "yes")]
    has_accesses: bool,
    /// The file was cut down to the selected blocks.
    #[serde(rename = "iaiCallgrindSelected", default)]
    pub(super) is_cut: bool,
    #[serde(rename = "pps", alias = "aps")]
    _points: IgnoredAny,
    #[serde(rename = "ftbl")]
    frames: Vec<Text>,
}

/// Returns true: version 1 always has lifetimes and accesses.
const fn yes() -> bool {
    true
}

/// A known version of the format.
#[derive(Debug, Deserialize)]
#[serde(try_from = "u64")]
struct Version;

impl TryFrom<u64> for Version {
    type Error = String;

    fn try_from(version: u64) -> Result<Self, String> {
        match version {
            1 | 2 => Ok(Self),
            _ => Err(format!("version {version} of the format is not known")),
        }
    }
}

/// DHAT's mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    #[default]
    Heap,
    Copy,
    AdHoc,
}

/// A name, which can be of any encoding.
#[derive(Debug)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// A place in the program that allocates: a stack.
#[derive(Deserialize)]
struct Point {
    tb: u64,
    tbk: u64,
    #[serde(alias = "tli")]
    tl: Option<u64>,
    mb: Option<u64>,
    mbk: Option<u64>,
    gb: Option<u64>,
    gbk: Option<u64>,
    #[serde(alias = "fb")]
    eb: Option<u64>,
    #[serde(alias = "fbk")]
    ebk: Option<u64>,
    rb: Option<u64>,
    wb: Option<u64>,
    fs: Vec<usize>,
}

impl Head {
    /// Reads the head of a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        read(path, |file| Self::deserialize(file))
    }

    /// Returns the functions on the stacks.
    pub(super) fn frames(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().map(|frame| &*frame.0)
    }

    /// Returns the function with this index.
    pub(super) fn frame(&self, index: usize) -> Option<&str> {
        self.frames.get(index).map(|frame| &*frame.0)
    }

    /// Adds the stacks that `counts` selects by their functions, innermost first.
    pub(super) fn sum(&self, path: &Path, counts: impl Fn(&[&str]) -> bool) -> Result<Metrics> {
        let kinds = kinds(self.mode == Mode::AdHoc, self.has_lifetimes, self.has_accesses);
        let mut total: Metrics = kinds.iter().map(|kind| (*kind, 0)).collect();
        let add = |point: Point| {
            let frame = |index: &usize| {
                self.frame(*index).ok_or_else(|| format!("there is no frame {index}"))
            };
            let frames = point.fs.iter().map(frame).collect::<Result<Vec<_>, _>>()?;
            let metrics = point.metrics(&kinds).ok_or("a field is missing")?;
            if counts(&frames) {
                total = total.checked_add(&metrics).map_err(|error| error.to_string())?;
            }
            Ok(())
        };
        read(path, |file| file.deserialize_map(Points(add)))?;
        Ok(total)
    }
}

/// Reads a whole file.
pub(super) fn read<T>(
    path: &Path,
    parse: impl FnOnce(
        &mut serde_json::Deserializer<serde_json::de::IoRead<BufReader<File>>>,
    ) -> serde_json::Result<T>,
) -> Result<T> {
    let file = files::open(path).map_err(Error::io("read", path))?;
    let mut file = serde_json::Deserializer::from_reader(BufReader::new(file));
    let value = parse(&mut file).and_then(|value| file.end().map(|()| value));
    value.map_err(|error| {
        if error.is_io() {
            return Error::io("read", path)(error.into());
        }
        // The error has the line already, and a quote of any length
        let what = error.to_string();
        let (what, _) = what.rsplit_once(" at line ").unwrap_or((&what, ""));
        let what: String = what.chars().take(LONGEST_MESSAGE).collect();
        // An error in a stack is found at the start of the next one
        malformed(TOOL, path, error.line().max(1), MalformedFile::Dhat(what))
    })
}

/// Passes on each point.
struct Points<F>(F);

impl<'de, F: FnMut(Point) -> Result<(), String>> Visitor<'de> for Points<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("points")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if POINTS.contains(&&*key) {
                map.next_value_seed(&mut self)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut points: A) -> Result<(), A::Error> {
        while let Some(point) = points.next_element()? {
            (self.0)(point).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

impl<'de, F: FnMut(Point) -> Result<(), String>> DeserializeSeed<'de> for &mut Points<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(Points(&mut self.0))
    }
}

/// Returns the metrics of a mode.
fn kinds(is_ad_hoc: bool, has_lifetimes: bool, has_accesses: bool) -> Vec<MetricKind> {
    let mut kinds =
        if is_ad_hoc { vec![TotalUnits, TotalEvents] } else { vec![TotalBytes, TotalBlocks] };
    if has_lifetimes {
        kinds.extend([AtTGmaxBytes, AtTGmaxBlocks, AtTEndBytes, AtTEndBlocks]);
    }
    if has_accesses {
        kinds.extend([ReadsBytes, WritesBytes]);
    }
    if has_lifetimes {
        kinds.extend([TotalLifetimes, MaximumBytes, MaximumBlocks]);
    }
    kinds
}

impl Point {
    /// Returns these metrics; `None` if one is missing.
    fn metrics(&self, kinds: &[MetricKind]) -> Option<Metrics> {
        let value = |kind| match kind {
            TotalUnits | TotalBytes => Some(self.tb),
            TotalEvents | TotalBlocks => Some(self.tbk),
            AtTGmaxBytes => self.gb,
            AtTGmaxBlocks => self.gbk,
            AtTEndBytes => self.eb,
            AtTEndBlocks => self.ebk,
            ReadsBytes => self.rb,
            WritesBytes => self.wb,
            TotalLifetimes => self.tl,
            MaximumBytes => self.mb,
            MaximumBlocks => self.mbk,
            _ => None,
        };
        kinds.iter().map(|kind| Some((*kind, value(*kind)?))).collect()
    }
}

#[cfg(test)]
mod tests;
