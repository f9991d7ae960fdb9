//! Cuts DHAT's file down to the selected blocks, so that DHAT's viewer shows what the metrics count.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use super::filter::ProcessFilter;
use super::parser::{Head, IS_CUT, POINTS, Text, read};
use crate::{Error, Result};

/// Cuts the file of a process down to the blocks that the filter selects. The head is that of the file.
pub(super) fn cut(file: &Path, head: &Head, filter: &ProcessFilter<'_>) -> Result<()> {
    let copy = file.with_extension("cut");
    let output = File::create(&copy).map_err(Error::io("create", &copy))?;
    let writer = RefCell::new(CutWriter {
        output: BufWriter::new(output),
        head,
        filter,
        points: 0,
        frames: vec![0],
        numbers: HashMap::from([(0, 0)]),
        failure: None,
    });
    let parsed = read(file, |file| file.deserialize_map(Fields(&writer)));
    let mut writer = writer.into_inner();
    if let Some(failure) = writer.failure.take() {
        return Err(Error::io("write", &copy)(failure));
    }
    parsed?;
    writer.finish().map_err(Error::io("write", &copy))?;
    fs::rename(&copy, file).map_err(Error::io("write", file))
}

/// Writes the selected points, and the frames on their stacks.
struct CutWriter<'a, W: Write> {
    output: W,
    head: &'a Head,
    filter: &'a ProcessFilter<'a>,
    /// Number of written points.
    points: usize,
    /// The frames of the written points by their old indexes. The first one is the root.
    frames: Vec<usize>,
    /// The new indexes of frames by the old ones.
    numbers: HashMap<usize, usize>,
    /// The reason why the file can't be written. It ends the reading.
    failure: Option<io::Error>,
}

impl<W: Write> CutWriter<'_, W> {
    /// Writes a field of the file. The version comes first, as in the original.
    fn field(&mut self, key: &str, value: &Value) -> io::Result<()> {
        let start = if key == "dhatFileVersion" { '{' } else { ',' };
        writeln!(self.output, "{start}{}:{value}", Value::from(key))?;
        if start == '{' {
            writeln!(self.output, ",{}:true", Value::from(IS_CUT))?;
        }
        Ok(())
    }

    /// Writes a point if the filter selects it.
    fn point(&mut self, mut point: Map<String, Value>) -> Result<io::Result<()>, &'static str> {
        const WRONG: &str = "`fs` is not a list of frames";
        let Some(Value::Array(stack)) = point.get_mut("fs") else { return Err(WRONG) };
        let index = |frame: &Value| frame.as_u64().and_then(|frame| usize::try_from(frame).ok());
        let indexes = stack.iter().map(index).collect::<Option<Vec<_>>>().ok_or(WRONG)?;
        let names = indexes.iter().map(|index| self.head.frame(*index));
        if !self.filter.selects(&names.collect::<Option<Vec<_>>>().ok_or(WRONG)?) {
            return Ok(Ok(()));
        }
        for (frame, old) in stack.iter_mut().zip(indexes) {
            let new = *self.numbers.entry(old).or_insert_with(|| {
                self.frames.push(old);
                self.frames.len() - 1
            });
            *frame = new.into();
        }
        let start = if self.points == 0 { " [" } else { " ," };
        self.points += 1;
        Ok(writeln!(self.output, "{start}{}", Value::from(point)))
    }

    fn finish(mut self) -> io::Result<()> {
        for (number, frame) in self.frames.iter().enumerate() {
            let start = if number == 0 { ",\"ftbl\":\n [" } else { " ," };
            let name = self.head.frame(*frame).unwrap_or_default();
            writeln!(self.output, "{start}{}", Value::from(name))?;
        }
        writeln!(self.output, " ]\n}}")?;
        self.output.flush()
    }
}

/// Passes on the fields of a file.
struct Fields<'a, 'b, W: Write>(&'a RefCell<CutWriter<'b, W>>);

/// Passes on the points of a file.
struct Points<'a, 'b, W: Write>(&'a RefCell<CutWriter<'b, W>>);

impl<W: Write> Fields<'_, '_, W> {
    fn write<E: serde::de::Error>(
        &self,
        write: impl FnOnce(&mut CutWriter<'_, W>) -> io::Result<()>,
    ) -> Result<(), E> {
        let mut writer = self.0.borrow_mut();
        let written = write(&mut writer);
        written.map_err(|error| {
            let message = E::custom(&error);
            writer.failure = Some(error);
            message
        })
    }
}

impl<'de, W: Write> Visitor<'de> for Fields<'_, '_, W> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the fields of a file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                points if POINTS.contains(&points) => {
                    self.write(|writer| writeln!(writer.output, ",{}:", Value::from(points)))?;
                    map.next_value_seed(Points(self.0))?;
                }
                "ftbl" => drop(map.next_value::<IgnoredAny>()?),
                "cmd" => {
                    // A command line can be of any encoding
                    let value = Value::from(map.next_value::<Text>()?.0);
                    self.write(|writer| writer.field(&key, &value))?;
                }
                _ => {
                    let value = map.next_value::<Value>()?;
                    self.write(|writer| writer.field(&key, &value))?;
                }
            }
        }
        Ok(())
    }
}

impl<'de, W: Write> DeserializeSeed<'de> for Points<'_, '_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, W: Write> Visitor<'de> for Points<'_, '_, W> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("points")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut points: A) -> Result<(), A::Error> {
        let fields = Fields(self.0);
        while let Some(point) = points.next_element::<Map<String, Value>>()? {
            let written = self.0.borrow_mut().point(point).map_err(A::Error::custom)?;
            fields.write(|_| written)?;
        }
        fields.write(|writer| {
            writeln!(writer.output, "{}", if writer.points == 0 { " []" } else { " ]" })
        })
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::EntryPoint;

    use super::*;
    use crate::tool::dhat::filter::BlockFilter;
    use crate::tool::dhat::read_metrics;
    use crate::tool::fixtures::fixtures;

    fn filter(pattern: &str) -> BlockFilter {
        BlockFilter { entry_point: EntryPoint::Custom(pattern.to_owned()), frames: Vec::new() }
    }

    #[test]
    fn a_cut_file_has_the_metrics_of_the_selected_blocks() {
        let directory = tempfile::tempdir().unwrap();
        for fixture in fixtures("dhat") {
            for pattern in ["leak", "*", "no_such_function", "*alloc*"] {
                let file = directory.path().join("7.out");
                fs::copy(&fixture, &file).unwrap();
                let selected = filter(pattern);
                let selected = selected.of_process(true);
                let expected = read_metrics(&file, &selected).unwrap();
                let before = serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap();
                cut(&file, &Head::read(&file).unwrap(), &selected).unwrap();
                // The filter of today does not matter
                for other in [pattern, "something_else"] {
                    let metrics = read_metrics(&file, &filter(other).of_process(true)).unwrap();
                    assert_eq!(metrics, expected, "{} {pattern}", fixture.display());
                }
                let after = serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap();
                for (key, value) in before.as_object().unwrap() {
                    let is_cut = key == "ftbl" || POINTS.contains(&&**key);
                    assert!(is_cut || after[key] == *value, "{key}");
                }
                assert_eq!(after["ftbl"][0], "[root]");
                assert_stacks(&before, &after);
            }
        }
    }

    /// Asserts that each point is one of the original ones, with the same stack, and that each frame is on a stack.
    fn assert_stacks(before: &Value, after: &Value) {
        let resolved = |file: &Value| {
            let points = POINTS.iter().find_map(|name| file[*name].as_array());
            let points = points.unwrap().iter().cloned();
            let points = points.map(|mut point| {
                for frame in point["fs"].as_array_mut().unwrap() {
                    let index = usize::try_from(frame.as_u64().unwrap()).unwrap();
                    *frame = file["ftbl"][index].clone();
                    assert!(frame.is_string());
                }
                point
            });
            points.collect::<Vec<_>>()
        };
        let (before, points) = (resolved(before), resolved(after));
        assert!(points.iter().all(|point| before.contains(point)));
        let on_stacks = |frame: &Value| {
            points.iter().any(|point| point["fs"].as_array().unwrap().contains(frame))
        };
        assert!(after["ftbl"].as_array().unwrap().iter().skip(1).all(on_stacks));
    }

    #[test]
    fn text_of_any_encoding() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("7.out");
        let text = b"{\"dhatFileVersion\":2,\"mode\":\"ad-hoc\",\"bklt\":false,\"bkacc\":false,\"cmd\":\"\xff\",\
                     \"pps\":[{\"tb\":1,\"tbk\":1,\"fs\":[1]}],\"ftbl\":[\"[root]\",\"0x1: \xff (a)\"]}";
        fs::write(&file, text).unwrap();
        cut(&file, &Head::read(&file).unwrap(), &filter("*").of_process(true)).unwrap();
        let after = serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(after["ftbl"][1], "0x1: \u{fffd} (a)");
    }
}
