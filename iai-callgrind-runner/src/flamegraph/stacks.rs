//! Stacks made of a flow: callgrind knows who called whom, not by which ways.
//!
//! The cost that reaches a function by one way is split among what it executed itself and its calls as
//! all of its cost is. Shares are integers and taken from what is left, so that all ways together have
//! exactly what callgrind counted.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::apportion::apportion;
use super::cycles::components;
use super::flow::Flow;
use super::names::readable;

/// The most text that the stacks of a flamegraph may have, which bounds the memory and the size of the
/// picture. A browser has trouble with less.
const MOST_TEXT: usize = 48 << 20;

/// Functions, the outermost first, with what was executed in the last one of them.
pub(super) type Stacks = BTreeMap<String, u64>;

/// What stands between the functions of a stack. It sorts before all that is in a name, so that a frame's
/// stacks stand together.
pub(super) const SEPARATOR: &str = "\n";

/// The stacks of a flow. Functions with less than `smallest` by one way, or less than what makes an
/// endless text, count for the one that called them.
pub(super) fn stacks(flow: &Flow<'_>, smallest: u64) -> Stacks {
    let mut smallest = smallest.max(1);
    loop {
        if let Some(tree) = Tree::grow(flow, smallest) {
            return tree.stacks();
        }
        // What is narrower than this can't be seen in any browser
        smallest = (smallest * 4).max(flow.total() / 1_000_000);
    }
}

/// The frames of a flamegraph.
struct Tree {
    frames: Vec<Frame>,
}

struct Frame {
    /// None for those at the root
    parent: Option<usize>,
    name: String,
    /// How long the text of its stack is
    length: usize,
    /// What was executed in the function itself
    own: u64,
}

impl Tree {
    /// The frames with at least this cost. None if they are too many.
    fn grow(flow: &Flow<'_>, smallest: u64) -> Option<Self> {
        let mut tree = Self { frames: Vec::new() };
        let mut text = 0;
        // By node: the callers' frames, none for the root, and what comes from there
        let mut ways: Vec<Vec<(Option<usize>, u64)>> = vec![Vec::new(); flow.nodes.len()];
        // Callers first
        for index in components(&flow.nodes).into_iter().rev().flatten() {
            let node = &flow.nodes[index];
            let mut ways_here = std::mem::take(&mut ways[index]);
            if node.root > 0 {
                ways_here.push((None, node.root));
            }
            ways_here.sort_by_key(|(_, cost)| Reverse(*cost));
            let mut left: Vec<u64> = node.own.iter().map(|(_, cost)| *cost).collect();
            left.extend(node.calls.iter().map(|(_, cost)| *cost));
            for (parent, cost) in ways_here {
                let frame = tree.push(parent, readable(node.name));
                text += tree.frames[frame].length;
                let shares = apportion(cost, &left);
                for (left, share) in left.iter_mut().zip(&shares) {
                    *left -= share;
                }
                let (own, calls) = shares.split_at(node.own.len());
                for ((file, _), &share) in node.own.iter().zip(own) {
                    match file {
                        Some(file) if share >= smallest => {
                            let inlined = tree.push(Some(frame), format!("[{}]", readable(file)));
                            tree.frames[inlined].own = share;
                            text += tree.frames[inlined].length;
                        }
                        _ => tree.frames[frame].own += share,
                    }
                }
                for ((target, _), &share) in node.calls.iter().zip(calls) {
                    if share >= smallest {
                        ways[*target].push((Some(frame), share));
                    } else {
                        tree.frames[frame].own += share;
                    }
                }
                if text > MOST_TEXT {
                    return None;
                }
            }
        }
        Some(tree)
    }

    fn push(&mut self, parent: Option<usize>, name: String) -> usize {
        let before = parent.map_or(0, |parent| self.frames[parent].length);
        let length = before + name.len() + 1;
        self.frames.push(Frame { parent, name, length, own: 0 });
        self.frames.len() - 1
    }

    fn stacks(self) -> Stacks {
        let mut stacks = Stacks::new();
        for frame in self.frames.iter().filter(|frame| frame.own > 0) {
            let parents = |frame: &&Frame| frame.parent.map(|parent| &self.frames[parent]);
            let mut names: Vec<_> = std::iter::successors(Some(frame), parents)
                .map(|frame| frame.name.as_str())
                .collect();
            names.reverse();
            *stacks.entry(names.join(SEPARATOR)).or_default() += frame.own;
        }
        stacks
    }
}

#[cfg(test)]
mod tests;
