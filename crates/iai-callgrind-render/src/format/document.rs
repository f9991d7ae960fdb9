//! Formats and documents.

use iai_callgrind_base::console::{visible_json, visible_lines};
use iai_callgrind_summary::Summary;

/// A format, as a row in the table of formats.
#[derive(Debug)]
pub struct Format {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in `--help`.
    pub about: &'static str,
    /// Syntax of a document.
    pub syntax: Syntax,
    /// Function that renders summaries.
    pub rendering: Rendering,
}

/// The function that renders summaries.
#[derive(Debug, Clone, Copy)]
pub enum Rendering {
    /// Renders one benchmark, whose text can be printed at once.
    Each(fn(&Summary) -> String),
    /// Renders all benchmarks of a file.
    Whole(fn(&Document<'_>) -> String),
}

/// The syntax of a format, which decides how control characters are escaped.
#[derive(Debug, Clone, Copy)]
pub enum Syntax {
    Json,
    Text,
}

impl Syntax {
    /// Escapes control characters and commands of CI services, which names and output of others can contain.
    fn visible(self, text: &str) -> String {
        match self {
            Self::Json => visible_json(text).into_owned(),
            Self::Text => visible_lines(text),
        }
    }
}

/// The content of a document.
pub struct Document<'a> {
    /// Summaries of the benchmarks, in order of declaration.
    pub summaries: &'a [Summary],
    /// Errors of setups and teardowns.
    pub hook_failures: &'a [String],
    /// Duration of the run; `None` if nothing ran.
    pub seconds: Option<f64>,
}

impl Format {
    /// Renders one benchmark, if the format allows it.
    pub fn each(&self, summary: &Summary) -> Option<String> {
        match self.rendering {
            Rendering::Each(render) => Some(self.syntax.visible(&render(summary))),
            Rendering::Whole(_) => None,
        }
    }

    /// Renders all benchmarks, if the format does not allow to render them one by one.
    pub fn whole(&self, document: &Document<'_>) -> Option<String> {
        match self.rendering {
            Rendering::Each(_) => None,
            Rendering::Whole(render) => Some(self.syntax.visible(&render(document))),
        }
    }

    /// Renders all benchmarks.
    pub fn document(&self, document: &Document<'_>) -> String {
        self.syntax.visible(&match self.rendering {
            Rendering::Each(render) => document.summaries.iter().map(render).collect(),
            Rendering::Whole(render) => render(document),
        })
    }
}
