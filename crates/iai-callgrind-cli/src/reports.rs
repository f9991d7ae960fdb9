//! Options for formats and reports.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use iai_callgrind_base::similar;
use iai_callgrind_render::format::{self, FORMATS, Format, ReportFile, Reports, TextForm};

/// Names of the text: with the form that suits the standard output, and in each form.
const AUTO: &str = "auto";
const BLOCKS: [&str; 2] = ["default", "blocks"];
const LINES: &str = "lines";

/// Name of the pages, which are not a file but a directory.
const HTML: &str = "html";

/// The path that other programs take for the standard output.
const STANDARD_OUTPUT: &str = "-";

/// Names of the formats of `summary.json`.
const SUMMARY_FORMATS: [&str; 2] = ["json", "pretty-json"];

/// Options for formats and reports.
#[derive(Debug, Default, Args)]
pub(crate) struct Formats {
    /// Print the results in this format instead of text, or choose the form of the text
    ///
    /// The text is a line for each benchmark on a terminal. It is a block for each (`default`) elsewhere and if the
    /// variable CI is set. With another format, nothing else is printed to the standard output. Errors, regressions and the output of benchmarks go to
    /// the standard error.
    #[arg(
        long, value_name = "FORMAT", default_value = AUTO, env = "IAI_CALLGRIND_OUTPUT_FORMAT",
        value_parser = on_stdout()
    )]
    output_format: OnStdout,

    /// Also write the results to a file in this format; can be repeated
    ///
    /// {file} in the path is replaced by the name of the benchmark file, {package} by that of its package. The
    /// value can contain several reports, separated by semicolons or line breaks. html:DIRECTORY writes pages for a
    /// browser, with those of other benchmark files.
    #[arg(
        long, value_name = "FORMAT:PATH", env = "IAI_CALLGRIND_REPORT", value_parser = ReportTargets::parse
    )]
    report: Vec<ReportTargets>,

    /// Save the result of each benchmark as summary.json next to its files
    #[arg(
        long, value_name = "json|pretty-json", num_args = 0..=1, require_equals = true,
        default_missing_value = "json", env = "IAI_CALLGRIND_SAVE_SUMMARY",
        value_parser = PossibleValuesParser::new(SUMMARY_FORMATS), hide_possible_values = true
    )]
    save_summary: Option<String>,
}

/// The format on the standard output.
#[derive(Debug, Clone, Copy)]
enum OnStdout {
    Text(TextForm),
    Format(&'static Format),
}

impl Default for OnStdout {
    fn default() -> Self {
        Self::Text(TextForm::Auto)
    }
}

/// A list of reports: `markdown:report.md;json:report.json;html:report`.
#[derive(Debug, Clone)]
struct ReportTargets(Vec<ReportTarget>);

/// A report besides that on the terminal.
#[derive(Debug, Clone)]
enum ReportTarget {
    File(ReportFile),
    /// The directory of pages.
    Pages(PathBuf),
}

impl ReportTargets {
    fn parse(text: &str) -> Result<Self, String> {
        let mut reports: Vec<String> = Vec::new();
        for line in text.lines() {
            let mut is_first = true;
            for part in line.split(';').map(str::trim).filter(|part| !part.is_empty()) {
                match reports.last_mut() {
                    // A path can contain a semicolon
                    Some(report) if !is_first && !is_report(part) => {
                        report.push(';');
                        report.push_str(part);
                    }
                    _ => reports.push(part.to_owned()),
                }
                is_first = false;
            }
        }
        reports.iter().map(|report| report_target(report)).collect::<Result<_, _>>().map(Self)
    }
}

impl Formats {
    /// Returns the selected reports.
    pub(crate) fn reports(&self) -> Reports {
        let (mut in_files, mut pages) = (Vec::new(), Vec::new());
        for report in self.report.iter().flat_map(|reports| reports.0.clone()) {
            match report {
                ReportTarget::File(file) => in_files.push(file),
                ReportTarget::Pages(directory) => {
                    in_files.push(ReportFile::of_pages(&directory));
                    pages.push(directory);
                }
            }
        }
        let saved = self.save_summary.as_deref().and_then(format::find);
        let (on_stdout, text_form) = match self.output_format {
            OnStdout::Text(form) => (None, form),
            OnStdout::Format(format) => (Some(format), TextForm::Auto),
        };
        Reports { on_stdout, text_form, in_files, pages, saved }
    }
}

/// Returns true if a text starts as a report does, or is the name of a format.
fn is_report(text: &str) -> bool {
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    format::find(name).is_some() || name == HTML || (name != text && is_name(name))
}

/// Returns the error for a target without a colon: the format or the path is missing.
fn no_colon(text: &str) -> String {
    if format::find(text).is_some() || text == HTML {
        return format!("no path for the format `{text}`\nhelp: write `{text}:PATH`");
    }
    let format = match Path::new(text).extension().and_then(OsStr::to_str) {
        Some("md") => "markdown",
        Some("json") => "json",
        Some("xml") => "junit",
        Some("html") => HTML,
        // Pages are the only report that is a directory
        None => {
            return format!(
                "no format for the path `{text}`\nhelp: write `{HTML}:{text}` for pages, or `FORMAT:{text}`"
            );
        }
        Some(_) => "FORMAT",
    };
    format!("no format for the path `{text}`\nhelp: write `{format}:{text}`")
}

/// Parses `markdown:target/report.md` or `html:target/report`.
fn report_target(text: &str) -> Result<ReportTarget, String> {
    let (name, path) = text.split_once(':').ok_or_else(|| no_colon(text))?;
    let format = format::find(name);
    if format.is_none() && name != HTML {
        let names = FORMATS.iter().map(|format| format.name).chain([HTML]);
        return Err(format!("unknown format `{name}`\n{}", similar::help(name, names)));
    }
    if path.is_empty() {
        return Err(format!("no path for the format `{name}`\nhelp: write `{name}:PATH`"));
    }
    if path == STANDARD_OUTPUT {
        return Err(format!("a report is not written to the standard output\n{}", instead(name)));
    }
    let path = PathBuf::from(path);
    Ok(match format {
        Some(format) => ReportTarget::File(ReportFile { format, path }),
        None => ReportTarget::Pages(path),
    })
}

/// Returns what to write instead of the standard output as the path of a report.
fn instead(format: &str) -> String {
    if format == HTML {
        return format!("help: write `{HTML}:PATH` with the path of a directory");
    }
    format!("help: use --output-format={format}, or write `{format}:./-` for a file of this name")
}

fn on_stdout() -> impl TypedValueParser<Value = OnStdout> {
    let texts = [
        PossibleValue::new(AUTO).help("text: lines on a terminal, blocks elsewhere and in CI"),
        PossibleValue::new(BLOCKS[0]).alias(BLOCKS[1]).help("a block for each benchmark"),
        PossibleValue::new(LINES).help("a line for each benchmark"),
    ];
    let formats = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(texts.into_iter().chain(formats)).map(|name| {
        let form = match &*name {
            AUTO => TextForm::Auto,
            LINES => TextForm::Lines,
            _ => TextForm::Blocks,
        };
        format::find(&name).map_or(OnStdout::Text(form), OnStdout::Format)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bench;

    #[test]
    fn formats_go_by_their_names() {
        let reports = |arguments: &[&str]| bench(arguments).unwrap().output.formats.reports();
        assert!(reports(&[]).on_stdout.is_none() && reports(&[]).saved.is_none());
        assert!(reports(&["--output-format=default"]).on_stdout.is_none());
        let form = |format: &str| reports(&[&format!("--output-format={format}")]).text_form;
        assert_eq!(reports(&[]).text_form, TextForm::Auto);
        assert_eq!(
            ["auto", "default", "blocks", "lines"].map(form),
            [TextForm::Auto, TextForm::Blocks, TextForm::Blocks, TextForm::Lines]
        );
        let json = reports(&["--output-format", "json", "--save-summary"]);
        assert_eq!(json.on_stdout.unwrap().name, "json");
        assert_eq!(json.saved.unwrap().name, "json");
        assert_eq!(reports(&["--save-summary=pretty-json"]).saved.unwrap().name, "pretty-json");
        let files = reports(&["--report=json:a;bmf:b\n", "--report", "junit:c:d"]).in_files;
        let files: Vec<_> =
            files.iter().map(|file| (file.format.name, file.path.to_str())).collect();
        assert_eq!(files, [("json", Some("a")), ("bmf", Some("b")), ("junit", Some("c:d"))]);
        let files = reports(&["--report=json:/a;b/c.json;bmf:d;"]).in_files;
        assert_eq!(
            [&files[0].path, &files[1].path].map(|path| path.to_str().unwrap()),
            ["/a;b/c.json", "d"]
        );
        for wrong in [
            "--report=json",
            "--report=json:a;junit",
            "--report=json:a;xml:b",
            "--report=xml:a",
            "--output-format=xml",
            "--output-format=",
            "--save-summary=default",
        ] {
            assert!(bench(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pages_are_made_from_summaries_in_their_directory() {
        let reports = bench(&["--report=html:pages;json:a"]).unwrap().output.formats.reports();
        assert_eq!(reports.pages, [Path::new("pages")]);
        let data = reports.in_files[0].resolve("crate", "bench");
        assert_eq!(
            (data.format.name, data.path.to_str()),
            ("json", Some("pages/data/crate.bench.json"))
        );
        assert_eq!(reports.in_files.len(), 2);
    }

    #[test]
    fn a_report_has_a_format_and_a_path() {
        let ReportTarget::File(report) =
            report_target("markdown:/tmp/{package}/a:b-{file}.md").unwrap()
        else {
            panic!("a file")
        };
        assert_eq!(report.format.name, "markdown");
        let path = report.resolve("crate", "bench").path;
        assert_eq!(path, Path::new("/tmp/crate/a:b-bench.md"));
        for (wrong, part) in [
            ("markdown", "no path for the format `markdown`\nhelp: write `markdown:PATH`"),
            (
                "json:-",
                "a report is not written to the standard output\nhelp: use --output-format=json, or write \
                 `json:./-` for a file of this name",
            ),
            (
                "html:-",
                "a report is not written to the standard output\nhelp: write `html:PATH` with the path of a directory",
            ),
            (
                "target/report.md",
                "no format for the path `target/report.md`\nhelp: write `markdown:target/report.md`",
            ),
            ("a", "write `html:a` for pages, or `FORMAT:a`"),
            ("a.txt", "write `FORMAT:a.txt`"),
            ("markdown:", "write `markdown:PATH`"),
            (
                "xml:path",
                "unknown format `xml`\nhelp: did you mean `html`? (all: json, pretty-json, ",
            ),
            ("default:path", "unknown format `default`"),
        ] {
            let message = report_target(wrong).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
