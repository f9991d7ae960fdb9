//! Reads DHAT's files: JSON, with a line for each field.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::DHAT;
use super::malformed;
use crate::error::{Error, Result};
use crate::metric::EventKind::{
    AtTEndBlocks, AtTEndBytes, AtTGmaxBlocks, AtTGmaxBytes, MaximumBlocks, MaximumBytes,
    ReadsBytes, TotalBlocks, TotalBytes, TotalEvents, TotalLifetimes, TotalUnits, WritesBytes,
};
use crate::metric::{EventKind, Metrics};

/// The version of the format.
const VERSION: u64 = 2;

/// The modes that there are.
const MODES: [&str; 3] = ["heap", "copy", "ad-hoc"];

/// A file of DHAT's.
#[derive(Debug)]
pub(super) struct Profile {
    /// The metrics that the mode has.
    kinds: Vec<EventKind>,
    /// What was allocated, by the stacks.
    pub(super) points: Vec<Point>,
    /// The functions on the stacks, with their places.
    pub(super) frames: Vec<String>,
}

/// A place in the program that allocates: a stack.
#[derive(Debug)]
pub(super) struct Point {
    /// The line in the file on which it ends.
    pub(super) line: usize,
    pub(super) metrics: Metrics,
    frames: Vec<usize>,
}

#[derive(Deserialize)]
struct Json {
    #[serde(rename = "dhatFileVersion")]
    version: u64,
    mode: String,
    /// Whether it has lifetimes of blocks.
    bklt: bool,
    /// Whether it has accesses to blocks.
    bkacc: bool,
    pps: Vec<JsonPoint>,
    ftbl: Vec<String>,
}

#[derive(Deserialize)]
struct JsonPoint {
    tb: u64,
    tbk: u64,
    tl: Option<u64>,
    mb: Option<u64>,
    mbk: Option<u64>,
    gb: Option<u64>,
    gbk: Option<u64>,
    eb: Option<u64>,
    ebk: Option<u64>,
    rb: Option<u64>,
    wb: Option<u64>,
    fs: Vec<usize>,
}

impl Profile {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(Error::io("read", path))?;
        // A command line or a function's name can be of any encoding
        let text = String::from_utf8_lossy(&bytes);
        let json: Json = serde_json::from_str(&text)
            .map_err(|error| malformed(&DHAT, path, error.line(), error.to_string()))?;
        if json.version != VERSION {
            let what = format!("version {} of the format is not known", json.version);
            return Err(malformed(&DHAT, path, 1, what));
        }
        // What is missing or out of range is known by its place, not by its line
        let lines: Vec<_> = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| line.contains("\"fs\":").then_some(number))
            .collect();
        let line = |point: usize| lines.get(point).copied().unwrap_or(1);
        if !MODES.contains(&&*json.mode) {
            let line = text.lines().position(|line| line.contains("\"mode\"")).unwrap_or(0) + 1;
            return Err(malformed(
                &DHAT,
                path,
                line,
                format!("the mode `{}` is not known", json.mode),
            ));
        }
        let is_ad_hoc = json.mode == "ad-hoc";
        let (points, frames) = (json.pps, json.ftbl);
        let points = points.into_iter().enumerate().map(|(index, point)| {
            if let Some(frame) = point.fs.iter().find(|frame| **frame >= frames.len()) {
                let what = format!("there is no frame {frame}");
                return Err(malformed(&DHAT, path, line(index), what));
            }
            let metrics = point.metrics(is_ad_hoc, json.bklt, json.bkacc).ok_or_else(|| {
                malformed(&DHAT, path, line(index), "a field is missing".to_owned())
            })?;
            Ok(Point { line: line(index), metrics, frames: point.fs })
        });
        let points = points.collect::<Result<_>>()?;
        Ok(Self { kinds: kinds(is_ad_hoc, json.bklt, json.bkacc), points, frames })
    }

    /// What no point is: zero of each metric.
    pub(super) fn none(&self) -> Metrics {
        self.kinds.iter().map(|kind| (*kind, 0)).collect()
    }

    /// The functions on the stack of a point, innermost first.
    pub(super) fn frames_of(&self, point: &Point) -> Vec<&str> {
        point.frames.iter().map(|frame| &*self.frames[*frame]).collect()
    }
}

/// The metrics of a mode.
fn kinds(is_ad_hoc: bool, has_lifetimes: bool, has_accesses: bool) -> Vec<EventKind> {
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

impl JsonPoint {
    /// Its metrics; none if it lacks one that the mode has.
    fn metrics(&self, is_ad_hoc: bool, has_lifetimes: bool, has_accesses: bool) -> Option<Metrics> {
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
        let kinds = kinds(is_ad_hoc, has_lifetimes, has_accesses);
        kinds.into_iter().map(|kind| Some((kind, value(kind)?))).collect()
    }
}
