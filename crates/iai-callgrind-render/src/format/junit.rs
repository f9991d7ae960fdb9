//! `JUnit` XML for CI servers: a test suite for each benchmark file, a test case for each benchmark.

use std::io;

use iai_callgrind_base::numbers;
use iai_callgrind_summary::{Metric, Status, Summary, Value};
use iai_callgrind_timing::text::{change as change_of_time, change_interval};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::causes::cause;
use super::changes::{change, is_changed, shown};
use super::document::{Document, Format, Rendering, Syntax};
use super::times::time_verdict;

/// Row in the table of formats.
pub(super) static JUNIT: Format = Format {
    name: "junit",
    about: "JUnit XML with a failure for each regression",
    syntax: Syntax::Text,
    rendering: Rendering::Whole(document),
};

type Xml = Writer<Vec<u8>>;

fn document(document: &Document<'_>) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Never fails in memory
    let _ = write_suites(&mut xml, document);
    legal(&String::from_utf8_lossy(&xml.into_inner())) + "\n"
}

fn write_suites(xml: &mut Xml, document: &Document<'_>) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let are_of_one_file = |a: &Summary, b: &Summary| (&a.package, &a.file) == (&b.package, &b.file);
    xml.create_element("testsuites")
        .with_attribute(("name", "iai-callgrind"))
        .write_inner_content(|xml| {
            for summaries in document.summaries.chunk_by(are_of_one_file) {
                write_suite(xml, summaries, document)?;
            }
            Ok(())
        })?;
    Ok(())
}

/// Writes the benchmarks of one file.
fn write_suite(xml: &mut Xml, summaries: &[Summary], document: &Document<'_>) -> io::Result<()> {
    let count =
        |status| summaries.iter().filter(|summary| summary.status == status).count().to_string();
    let first = &summaries[0];
    let mut element = xml
        .create_element("testsuite")
        .with_attribute(("name", &*format!("{}::{}", first.package, first.file)))
        .with_attribute(("tests", &*summaries.len().to_string()))
        .with_attribute(("failures", &*count(Status::Regressed)))
        .with_attribute(("errors", &*count(Status::Failed)));
    if let Some(seconds) = document.seconds {
        element = element.with_attribute(("time", &*format!("{seconds:.3}")));
    }
    element.write_inner_content(|xml| {
        summaries.iter().try_for_each(|summary| write_case(xml, summary))?;
        if !document.hook_failures.is_empty() {
            let text = document.hook_failures.join("\n");
            xml.create_element("system-err").write_text_content(BytesText::new(&text))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Writes a benchmark with metrics as output and regressions as failures.
fn write_case(xml: &mut Xml, summary: &Summary) -> io::Result<()> {
    let path = [Some(&summary.file), Some(&summary.group), summary.function.as_ref()];
    let path: Vec<_> = path.into_iter().flatten().map(String::as_str).collect();
    let (class, name) = match (&summary.id, &*path) {
        (None, [path @ .., last]) => (path.join("::"), (*last).to_owned()),
        (Some(id), path) => (path.join("::"), id.clone()),
        (None, []) => (String::new(), summary.name.clone()),
    };
    xml.create_element("testcase")
        .with_attribute(("classname", &*class))
        .with_attribute(("name", &*name))
        .write_inner_content(|xml| {
            let regressions = summary.tools.iter().flat_map(|tool| &tool.regressions);
            let messages = regressions.map(|regression| regression.message.clone());
            let mut messages: Vec<_> = messages.chain(time_regression(summary)).collect();
            if !messages.is_empty() {
                messages.extend(cause(summary).map(|cause| format!("cause: {}", cause.text)));
                write_problem(xml, "failure", "regression", &messages.join("\n"))?;
            }
            if let Some(error) = &summary.error {
                write_problem(xml, "error", "error", error)?;
            }
            let metrics = list_metrics(summary);
            if !metrics.is_empty() {
                xml.create_element("system-out").write_text_content(BytesText::new(&metrics))?;
            }
            Ok(())
        })?;
    Ok(())
}

/// Returns the message about a time that exceeds its limit.
fn time_regression(summary: &Summary) -> Option<String> {
    let time = summary.time.as_ref().filter(|time| time.exceeded_limit.is_some())?;
    let ratio = &time.ratio.as_ref()?.wall;
    let interval = ratio.low.zip(ratio.high);
    let (change, interval) = (change_of_time(ratio.value, interval), change_interval(interval));
    Some(format!("Time {change} {interval}: {}", time_verdict(time)?))
}

/// Writes an element with the text as its content and the first line as its message.
fn write_problem(xml: &mut Xml, element: &str, kind: &str, text: &str) -> io::Result<()> {
    xml.create_element(element)
        .with_attribute(("type", kind))
        .with_attribute(("message", text.lines().next().unwrap_or_default()))
        .write_text_content(BytesText::new(text))?;
    Ok(())
}

/// Lists the shown metrics, one on each line: `Instructions: 1733`, or `Instructions: 1244 → 1733 (+39.3 %)`.
fn list_metrics(summary: &Summary) -> String {
    let line = |(metric, value): (&Metric, Value)| {
        let label = &metric.label;
        let Some(old) = metric.old.filter(|_| is_changed(metric)) else {
            return format!("{label}: {value}");
        };
        // A change from zero has no percentage
        let percentage = change(metric).percentage().filter(|percentage| percentage.is_finite());
        let percentage = percentage.map(numbers::percent);
        let percentage = percentage.map_or_else(String::new, |text| format!(" ({text})"));
        format!("{label}: {old} → {value}{percentage}")
    };
    summary.tools.iter().flat_map(shown).map(line).collect::<Vec<_>>().join("\n")
}

/// Removes control characters, which names, labels and errors can contain and XML cannot.
fn legal(text: &str) -> String {
    let is_legal = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(is_legal).filter(|c| !('\u{fffe}'..='\u{ffff}').contains(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries;

    #[test]
    fn a_test_for_each_benchmark() {
        let summaries = [
            sample_summaries::summary("good", 100, None),
            sample_summaries::regressed("bad", 100, 50),
            sample_summaries::failed("ugly", "it <panicked> &\u{1b}[31m died\nlong ago"),
        ];
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="iai-callgrind">
  <testsuite name="crate::file" tests="3" failures="1" errors="1" time="1.500">
    <testcase classname="file::group::good" name="id">
      <system-out>Instructions: 100
L2 Hits: 50</system-out>
    </testcase>
    <testcase classname="file::group::bad" name="id">
      <failure type="regression" message="Instructions 50 → 100">Instructions 50 → 100</failure>
      <system-out>Instructions: 50 → 100 (+100 %)
L2 Hits: 50</system-out>
    </testcase>
    <testcase classname="file::group::ugly" name="id">
      <error type="error" message="it &lt;panicked&gt; &amp;[31m died">it &lt;panicked&gt; &amp;[31m died
long ago</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(JUNIT.document(&sample_summaries::document(&summaries)), expected);
    }

    #[test]
    fn no_text_makes_the_document_illegal() {
        let colour = "\u{1b}[31mred\u{0}\u{ffff}";
        let mut summary = sample_summaries::regressed(colour, 100, 50);
        for text in [&mut summary.package, &mut summary.file, &mut summary.group] {
            text.push_str(colour);
        }
        summary.id = Some(colour.to_owned());
        for metric in summary.tools[0].total.values_mut() {
            metric.label.push_str(colour);
        }
        let text = JUNIT.document(&sample_summaries::document(&[summary]));
        assert!(text.contains("[31mred"), "{text}");
        let is_illegal = |c: char| (c.is_control() && c != '\n') || c == '\u{ffff}';
        assert!(!text.contains(is_illegal), "{text:?}");
    }

    #[test]
    fn a_function_without_cases_is_the_name_of_a_test() {
        let summary = Summary { id: None, ..sample_summaries::summary("function", 1, None) };
        let text = JUNIT.document(&sample_summaries::document(&[summary]));
        assert!(text.contains(r#"classname="file::group" name="function""#), "{text}");
    }
}
