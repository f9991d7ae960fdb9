//! Stacks as a picture.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use inferno::flamegraph::color::{BackgroundColor, MultiPalette};
use inferno::flamegraph::{self, Palette};

use super::apportion::apportion;
use super::options::Flamegraphs;
use super::stacks::{SEPARATOR, Stacks};
use crate::error::{Error, Result};
use crate::plan::Direction;

/// What is drawn.
pub(super) struct Picture<'a> {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// What is counted.
    pub(super) unit: &'a str,
    pub(super) options: &'a Flamegraphs,
}

impl Picture<'_> {
    /// Draws the stacks of one profile.
    pub(super) fn regular(&self, stacks: &Stacks, to: &Path) -> Result<()> {
        let lines = stacks.iter().map(|(stack, cost)| format!("{} {cost}", line(stack)));
        self.draw(&lines.collect::<Vec<_>>(), to)
    }

    /// Draws the stacks of the new profile in colours that tell what changed; if that is to be negated
    /// those of the old one, in the same colours.
    pub(super) fn differential(&self, new: &Stacks, old: &Stacks, to: &Path) -> Result<()> {
        let (before, after) = if self.options.negate { (new, old) } else { (old, new) };
        let mut costs: Vec<u64> = before.values().copied().collect();
        if self.options.normalize {
            costs = apportion(after.values().sum(), &costs);
        }
        let mut both: Vec<_> = before.keys().zip(costs).map(|(stack, it)| (stack, it, 0)).collect();
        both.extend(after.iter().map(|(stack, cost)| (stack, 0, *cost)));
        both.sort();
        both.dedup_by(|second, first| {
            let is_same = first.0 == second.0;
            if is_same {
                (first.1, first.2) = (first.1 + second.1, first.2 + second.2);
            }
            is_same
        });
        let lines = both
            .into_iter()
            .map(|(stack, before, after)| format!("{} {before} {after}", line(stack)));
        self.draw(&lines.collect::<Vec<_>>(), to)
    }

    fn draw(&self, lines: &[String], to: &Path) -> Result<()> {
        let mut options = flamegraph::Options::default();
        options.title.clone_from(&self.title);
        options.subtitle = Some(self.subtitle.clone());
        self.unit.clone_into(&mut options.count_name);
        options.min_width = self.options.min_width;
        options.negate_differentials = self.options.negate;
        options.direction = match self.options.direction {
            Direction::TopToBottom => flamegraph::Direction::Inverted,
            Direction::BottomToTop => flamegraph::Direction::Straight,
        };
        options.colors = Palette::Multi(MultiPalette::Rust);
        options.bgcolors = Some(BackgroundColor::Grey);
        // The same picture for the same profile
        options.deterministic = true;
        // Lines come in their order: sorted as text, functions whose names begin with another one's
        // would stand in the middle of that one. In a chart it is the last line that comes first.
        options.flame_chart = true;
        let lines = lines.iter().rev().map(String::as_str);
        let mut output = BufWriter::new(File::create(to).map_err(Error::io("create", to))?);
        flamegraph::from_lines(&mut options, lines, &mut output)
            .and_then(|()| output.flush())
            .map_err(Error::io("write", to))
    }
}

fn line(stack: &str) -> String {
    stack.replace(SEPARATOR, ";")
}
