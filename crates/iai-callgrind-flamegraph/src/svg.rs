//! A picture of stacks.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use iai_callgrind_base::FileError;
use iai_callgrind_plan::Direction;
use inferno::flamegraph::color::{BackgroundColor, MultiPalette};
use inferno::flamegraph::{self, Palette};

use super::apportion::apportion;
use super::options::Flamegraphs;
use super::stacks::{SEPARATOR, Stacks};
use iai_callgrind_tools::Result;

/// Texts and options of a flamegraph.
pub(super) struct Picture<'a> {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// Unit of the costs.
    pub(super) unit: &'a str,
    pub(super) options: &'a Flamegraphs,
}

impl Picture<'_> {
    /// Draws the stacks of one profile.
    pub(super) fn regular(&self, stacks: &Stacks, to: &Path) -> Result<()> {
        let lines = stacks.iter().map(|(stack, cost)| format!("{} {cost}", line(stack)));
        self.draw(&lines.collect::<Vec<_>>(), to)
    }

    /// Draws the stacks of the new profile with the changes as colours; if negated, those of the old one
    /// in the same colours.
    pub(super) fn differential(&self, new: &Stacks, old: &Stacks, to: &Path) -> Result<()> {
        let (before, after) = if self.options.negate { (new, old) } else { (old, new) };
        let mut costs: Vec<u64> = before.values().copied().collect();
        if self.options.normalize {
            costs = apportion(after.values().sum(), &costs);
        }
        let mut both: Vec<_> =
            before.keys().zip(costs).map(|(stack, cost)| (stack, cost, 0)).collect();
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
        // Keeps the order of the lines: sorted as text, `a::b` would be in the middle of `a`. A chart
        // starts with the last line
        options.flame_chart = true;
        let lines = lines.iter().rev().map(String::as_str);
        let mut output = BufWriter::new(File::create(to).map_err(FileError::io("create", to))?);
        flamegraph::from_lines(&mut options, lines, &mut output)
            .and_then(|()| output.flush())
            .map_err(FileError::io("write", to))?;
        Ok(())
    }
}

fn line(stack: &str) -> String {
    stack.replace(SEPARATOR, ";")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use iai_callgrind_plan as plan;

    use super::*;

    fn stacks(stacks: &[(&str, u64)]) -> Stacks {
        stacks.iter().map(|(stack, cost)| (stack.replace(';', SEPARATOR), *cost)).collect()
    }

    /// Returns the titles of the frames in a picture.
    fn draw(config: &plan::Flamegraph, draw: impl Fn(&Picture<'_>, &Path)) -> Vec<String> {
        let picture = Picture {
            title: "A <title>".to_owned(),
            subtitle: String::new(),
            unit: "Ir",
            options: &Flamegraphs::resolve(config).unwrap().unwrap(),
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        draw(&picture, file.path());
        let svg = fs::read_to_string(file.path()).unwrap();
        assert!(svg.contains("A &lt;title&gt;"));
        let frames = svg.split("<g><title>").skip(1);
        frames.map(|frame| frame.split_once("</title>").unwrap().0.to_owned()).collect()
    }

    #[test]
    fn a_function_whose_name_begins_another_ones_is_one_frame() {
        let stacks = stacks(&[("a", 1), ("a::b", 2), ("a b", 4), ("a;c", 8)]);
        let mut frames = draw(&plan::Flamegraph::default(), |picture, to| {
            picture.regular(&stacks, to).unwrap();
        });
        frames.sort();
        assert_eq!(
            frames,
            [
                "a (9 Ir, 60.00%)",
                "a b (4 Ir, 26.67%)",
                "a::b (2 Ir, 13.33%)",
                "all (15 Ir, 100%)",
                "c (8 Ir, 53.33%)",
            ]
        );
    }

    #[test]
    fn differences() {
        let (new, old) = (stacks(&[("a", 10), ("a;b", 30)]), stacks(&[("a", 10), ("a;c", 10)]));
        let frames = |negate, normalize| {
            let config = plan::Flamegraph {
                negate_differential: Some(negate),
                normalize_differential: Some(normalize),
                ..Default::default()
            };
            let mut frames = draw(&config, |picture, to| {
                picture.differential(&new, &old, to).unwrap();
            });
            frames.retain(|frame| !frame.starts_with("all"));
            frames.sort();
            frames
        };
        let (a, b) = ("a (40 Ir, 100.00%; 0.00%)", "b (30 Ir, 75.00%; +75.00%)");
        assert_eq!(frames(false, false)[..2], [a, b]);
        assert_eq!(frames(false, true)[..2], ["a (40 Ir, 100.00%; -25.00%)", b]);
        let negated = frames(true, false);
        assert_eq!(negated[0], "a (20 Ir, 100.00%; 0.00%)");
        assert!(negated.contains(&"c (10 Ir, 50.00%; -50.00%)".to_owned()), "{negated:?}");
    }
}
