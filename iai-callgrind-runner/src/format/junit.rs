//! `JUnit` XML, as CI servers read it: a test suite for each benchmark file, a test for each benchmark.

use std::io;

use iai_callgrind_summary::{Status, Summary};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::document::{Document, Format, Write};

/// The row of the table of formats.
pub(crate) static JUNIT: Format = Format {
    name: "junit",
    about: "JUnit XML, where a broken limit is a failure",
    write: Write::Whole(document),
};

type Xml = Writer<Vec<u8>>;

fn document(document: &Document<'_>) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory can't fail
    let _ = suites(&mut xml, document);
    String::from_utf8_lossy(&xml.into_inner()).into_owned() + "\n"
}

fn suites(xml: &mut Xml, document: &Document<'_>) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let of_a_file = |a: &Summary, b: &Summary| (&a.package, &a.file) == (&b.package, &b.file);
    xml.create_element("testsuites")
        .with_attribute(("name", "iai-callgrind"))
        .write_inner_content(|xml| {
            for summaries in document.summaries.chunk_by(of_a_file) {
                suite(xml, summaries, document)?;
            }
            Ok(())
        })?;
    Ok(())
}

/// The benchmarks of one file.
fn suite(xml: &mut Xml, summaries: &[Summary], document: &Document<'_>) -> io::Result<()> {
    let count = |status| summaries.iter().filter(|it| it.status == status).count().to_string();
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
        summaries.iter().try_for_each(|summary| test(xml, summary))?;
        if !document.hook_failures.is_empty() {
            let text = document.hook_failures.join("\n");
            xml.create_element("system-err").write_text_content(BytesText::new(&legal(&text)))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// A benchmark: what it counted as its output, the limits that it broke as failures.
fn test(xml: &mut Xml, summary: &Summary) -> io::Result<()> {
    let path = [Some(&summary.file), Some(&summary.group), summary.function.as_ref()];
    let path: Vec<_> = path.into_iter().flatten().map(String::as_str).collect();
    let (class, name) = match (&summary.id, &*path) {
        (None, [path @ .., last]) => (path.join("::"), (*last).to_owned()),
        (Some(id), path) => (path.join("::"), id.clone()),
        (None, []) => (String::new(), summary.name.clone()),
    };
    xml.create_element("testcase")
        .with_attribute(("classname", &*legal(&class)))
        .with_attribute(("name", &*legal(&name)))
        .write_inner_content(|xml| {
            let broken = summary.tools.iter().flat_map(|tool| &tool.regressions);
            let broken: Vec<_> = broken.map(|it| it.message.as_str()).collect();
            if !broken.is_empty() {
                problem(xml, "failure", "regression", &broken.join("\n"))?;
            }
            if let Some(error) = &summary.error {
                problem(xml, "error", "error", error)?;
            }
            let counted = counted(summary);
            if !counted.is_empty() {
                xml.create_element("system-out").write_text_content(BytesText::new(&counted))?;
            }
            Ok(())
        })?;
    Ok(())
}

/// An element with the first line as its message and all of the text in it.
fn problem(xml: &mut Xml, element: &str, kind: &str, text: &str) -> io::Result<()> {
    let text = legal(text);
    xml.create_element(element)
        .with_attribute(("type", kind))
        .with_attribute(("message", text.lines().next().unwrap_or_default()))
        .write_text_content(BytesText::new(&text))?;
    Ok(())
}

/// A line for each metric that is shown: `Instructions: 1733`.
fn counted(summary: &Summary) -> String {
    let shown = summary.tools.iter().flat_map(|tool| {
        tool.shown.iter().filter_map(|name| {
            let metric = tool.total.get(name)?;
            Some(format!("{}: {}", metric.label, metric.new?))
        })
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// XML has no way to write control characters, which an error's text can contain.
fn legal(text: &str) -> String {
    let is_legal = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(is_legal).filter(|c| !('\u{fffe}'..='\u{ffff}').contains(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::fixtures;

    #[test]
    fn a_test_for_each_benchmark() {
        let summaries = [
            fixtures::summary("good", 100, None),
            fixtures::regressed("bad", 100, 50),
            fixtures::failed("ugly", "it <panicked> &\u{1b}[31m died\nlong ago"),
        ];
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="iai-callgrind">
  <testsuite name="crate::file" tests="3" failures="1" errors="1" time="1.500">
    <testcase classname="file::group::good" name="id">
      <system-out>Instructions: 100
L2 Hits: 50</system-out>
    </testcase>
    <testcase classname="file::group::bad" name="id">
      <failure type="regression" message="Instructions (50 -&gt; 100) regressed">Instructions (50 -&gt; 100) regressed</failure>
      <system-out>Instructions: 100
L2 Hits: 50</system-out>
    </testcase>
    <testcase classname="file::group::ugly" name="id">
      <error type="error" message="it &lt;panicked&gt; &amp;[31m died">it &lt;panicked&gt; &amp;[31m died
long ago</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(JUNIT.document(&fixtures::document(&summaries)), expected);
    }

    #[test]
    fn a_function_without_cases_has_its_own_name() {
        let summary = Summary { id: None, ..fixtures::summary("function", 1, None) };
        let text = JUNIT.document(&fixtures::document(&[summary]));
        assert!(text.contains(r#"classname="file::group" name="function""#), "{text}");
    }
}
