//! The contents of a page that come from the stored files of a benchmark: functions, source lines and flamegraphs.

use std::path::Path;

use iai_callgrind_base::StagedFile;
use iai_callgrind_explain::{Annotation, Table};
use iai_callgrind_flamegraph::{Base, Drawable, Drawing, Flamegraphs, function_costs};
use iai_callgrind_plan as plan;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::{CallGraph, files};
use iai_callgrind_results::ResultTable;
use iai_callgrind_store::{Files, Slot, StoredBenchmark};
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::SourceExcerpt;
use iai_callgrind_tools::tool::CALLGRIND;

use super::commits::SiteRepository;
use super::functions::Functions;
use super::source::AnnotatedSources;
use crate::error::{Error, Result};
use crate::format::cause;

/// Height of a flamegraph's title, which its style cuts off because the page has it.
const TITLE: u32 = 36;

/// The colours of a differential flamegraph in the dark: white becomes grey, black remains, red and blue remain bright.
const DARK: &str =
    "<filter id=\"dark\" color-interpolation-filters=\"sRGB\"><feColorMatrix values=\"
    1.25 -1.2 .43 0 0
    .43 -.38 .43 0 0
    .43 -1.28 1.33 0 0
    0 0 0 1 0\"/></filter>";

/// A benchmark and the slots of the results to show.
#[derive(Clone, Copy)]
pub(super) struct StoredResult<'a> {
    pub(super) benchmark: &'a StoredBenchmark,
    pub(super) new: &'a Slot,
    /// `None` if the old result is no longer there.
    pub(super) old: Option<&'a Slot>,
}

/// The contents.
#[derive(Default)]
pub(super) struct Details {
    /// The source around the line that the change comes from.
    pub(super) excerpt: Option<SourceExcerpt>,
    pub(super) functions: Option<Functions>,
    pub(super) source: Option<AnnotatedSources>,
    /// The reason why there are no source lines.
    pub(super) no_source: Option<String>,
    pub(super) flamegraphs: Vec<Flamegraph>,
}

/// A flamegraph.
pub(super) struct Flamegraph {
    pub(super) is_differential: bool,
    pub(super) svg: String,
}

impl Flamegraph {
    /// Returns the document that contains it, in the colours of the page and for the keyboard.
    pub(super) fn document(&self) -> String {
        let start = self.svg.find("<svg").unwrap_or(0);
        let (style, script) = (include_str!("flamegraph.css"), include_str!("flamegraph.js"));
        let svg = self.svg[start..].replacen("<defs>", &format!("<defs>{DARK}"), 1);
        let class = if self.is_differential { "changes" } else { "costs" };
        format!(
            "<!DOCTYPE html><body class=\"{class}\"><style>{style}</style>{svg}<script>{script}</script>"
        )
    }

    /// Returns the style with the height of a picture as wide as the page.
    pub(super) fn style(&self) -> Option<String> {
        let (_, rest) = self.svg.split_once(" height=\"")?;
        let (height, _) = rest.split_once('"')?;
        let height = height.parse::<u32>().ok()?.saturating_sub(TITLE);
        Some(format!("height:{height}px"))
    }
}

/// A profile with its table.
struct Profile {
    graph: CallGraph,
    table: std::result::Result<Table, String>,
}

impl Details {
    /// Reads the results of callgrind. Without one there is nothing to show.
    pub(super) fn read(
        stored: StoredResult<'_>,
        summary: &Summary,
        repository: &SiteRepository,
    ) -> Result<Self> {
        let Some((new, old)) = profiles(stored)? else { return Ok(Self::default()) };
        let costs = |profile: &Profile| function_costs(&profile.graph, MetricKind::Ir);
        let functions = costs(&new)
            .map(|costs_of_new| Functions::new(costs_of_new, old.as_ref().and_then(costs)));
        let (source, no_source) = match sources(&new, old.as_ref(), &repository.workspace) {
            Ok(source) => (Some(source), None),
            Err(reason) => (None, Some(reason)),
        };
        let excerpt = source.as_ref().and_then(|source| excerpt(source, summary, repository));
        let old_name = stored.old.map_or("", Slot::name);
        let flamegraphs = draw(&new, old, old_name, &summary.name)?;
        Ok(Self { excerpt, functions, source, no_source, flamegraphs })
    }
}

/// Reads the source around the line that the change of a benchmark comes from, if that is known.
pub(super) fn read_excerpt(
    stored: StoredResult<'_>,
    summary: &Summary,
    repository: &SiteRepository,
) -> Option<SourceExcerpt> {
    let (new, old) = profiles(stored).ok()??;
    let source = sources(&new, old.as_ref(), &repository.workspace).ok()?;
    excerpt(&source, summary, repository)
}

fn excerpt(
    source: &AnnotatedSources,
    summary: &Summary,
    repository: &SiteRepository,
) -> Option<SourceExcerpt> {
    let cause = cause(summary)?;
    let commit = summary.commits.as_ref().and_then(|commits| commits.old.as_ref());
    let old = commit.and_then(|commit| repository.source(commit, cause.file.as_deref()?));
    source.excerpt(cause, old.as_deref())
}

/// Reads the new profile and the old one, if there is one.
fn profiles(stored: StoredResult<'_>) -> Result<Option<(Profile, Option<Profile>)>> {
    let files = &stored.benchmark.files;
    let Some(new) = Profile::read(files, stored.new, false)? else { return Ok(None) };
    let old = stored.old.map_or(Ok(None), |old| Profile::read(files, old, true))?;
    Ok(Some((new, old)))
}

impl Profile {
    /// Reads the profile in a slot, if there is one.
    fn read(files: &Files, slot: &Slot, is_old: bool) -> Result<Option<Self>> {
        let Some(result) = files.find_result(&CALLGRIND, slot) else { return Ok(None) };
        let Some(path) = result.files.first() else { return Ok(None) };
        let graph = CallGraph::read(path)?;
        let table = ResultTable::read(files, &CALLGRIND, slot);
        let instructions = graph.total(MetricKind::Ir).unwrap_or_default();
        let table = table.parse(instructions, is_old).map_err(|reason| reason.to_string());
        Ok(Some(Self { graph, table }))
    }
}

/// Annotates the source lines, or returns the reason why that is not possible.
fn sources(
    new: &Profile,
    old: Option<&Profile>,
    workspace: &Path,
) -> std::result::Result<AnnotatedSources, String> {
    let table = new.table.as_ref().map_err(Clone::clone)?;
    if !table.has_debug_info() {
        return Err(
            "no debug information of the executable was found; set `debug = 1` in `[profile.bench]`, in C++ compile with `-g`"
                .to_owned(),
        );
    }
    let old = old.and_then(|old| old.table.as_ref().ok()).filter(|old| old.has_debug_info());
    let annotation = Annotation::new(table, old, MetricKind::Ir.name())
        .ok_or_else(|| "instructions were not counted".to_owned())?;
    Ok(AnnotatedSources::read(annotation, workspace))
}

/// Draws the flamegraph, and one of the changes if there is an old profile.
fn draw(
    new: &Profile,
    old: Option<Profile>,
    old_name: &str,
    title: &str,
) -> Result<Vec<Flamegraph>> {
    let options = Flamegraphs::resolve(&plan::Flamegraph::default());
    let Ok(Some(options)) = options else { return Ok(Vec::new()) };
    let temporary = std::env::temp_dir();
    let directory = tempfile::tempdir().map_err(Error::io("create a directory in", &temporary))?;
    let stem = directory.path().join(CALLGRIND.name);
    // Without a difference the picture would be one of white frames
    let changed = old.filter(|old| old.graph != new.graph);
    let base = changed.map(|old| Base {
        graph: old.graph,
        table: old.table.ok(),
        slot: Slot::Old.to_string(),
        description: format!("compared with {old_name}"),
    });
    let drawing = Drawing { title, options: &options, stem: &stem };
    let drawable = Drawable { graph: &new.graph, table: new.table.as_ref().ok() };
    let drawn = drawing.draw(drawable, base.as_ref())?;
    let read = |drawn: StagedFile| {
        let svg = files::read_to_string(&drawn.file).map_err(Error::io("read", &drawn.file))?;
        Ok(Flamegraph { is_differential: drawn.extension.contains(".diff"), svg })
    };
    drawn.into_iter().map(read).collect()
}
