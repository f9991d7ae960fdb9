//! Stacks of a flow. Callgrind records callers and callees, not whole call paths.
//!
//! The cost that reaches a function on one call path is split between self cost and calls in the
//! proportion of its whole cost. Shares are integers, taken from the remaining cost, so that all call paths
//! together have exactly the counted cost.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::apportion::apportion;
use super::cycles::components;
use super::flow::Flow;
use super::names::readable;

/// Maximum length of the text of all stacks, which bounds the memory and the size of the picture.
/// Browsers have trouble with less.
const MOST_TEXT: usize = 48 << 20;

/// Functions, the outermost first, with the self cost of the last one.
pub(super) type Stacks = BTreeMap<String, u64>;

/// Separator of the functions of a stack. Sorted before any character of a name, it keeps the stacks of a
/// frame together.
pub(super) const SEPARATOR: &str = "\n";

/// Returns the stacks of a flow. Functions with less than `smallest` on a call path are part of their
/// caller. If the text gets too long, so are larger ones.
pub(super) fn stacks(flow: &Flow<'_>, smallest: u64) -> Stacks {
    let mut smallest = smallest.max(1);
    loop {
        if let Some(tree) = Tree::grow(flow, smallest) {
            return tree.stacks();
        }
        // A narrower frame is invisible in any browser
        smallest = (smallest * 4).max(flow.total() / 1_000_000);
    }
}

/// The frames of a flamegraph.
struct Tree {
    frames: Vec<Frame>,
}

struct Frame {
    /// `None` for the outermost function.
    parent: Option<usize>,
    name: String,
    /// Length of the text of the stack.
    length: usize,
    /// Self cost.
    own: u64,
}

impl Tree {
    /// Returns the frames with at least this cost; `None` if they are too many.
    fn grow(flow: &Flow<'_>, smallest: u64) -> Option<Self> {
        let mut tree = Self { frames: Vec::new() };
        let mut text = 0;
        // Calls of each node: the frame of the caller, `None` for the root, and the cost
        let mut callers: Vec<Vec<(Option<usize>, u64)>> = vec![Vec::new(); flow.nodes.len()];
        // Callers first
        for index in components(&flow.nodes).into_iter().rev().flatten() {
            let node = &flow.nodes[index];
            let mut entries = std::mem::take(&mut callers[index]);
            if node.root > 0 {
                entries.push((None, node.root));
            }
            entries.sort_by_key(|(_, cost)| Reverse(*cost));
            let mut left: Vec<u64> = node.own.iter().map(|(_, cost)| *cost).collect();
            left.extend(node.calls.iter().map(|(_, cost)| *cost));
            for (parent, cost) in entries {
                let frame = tree.push(parent, readable(node.name));
                text += tree.frames[frame].length;
                let shares = apportion(cost, &left);
                for (left, share) in left.iter_mut().zip(&shares) {
                    *left -= share;
                }
                let (own, calls) = shares.split_at(node.own.len());
                for ((origin, _), &share) in node.own.iter().zip(own) {
                    match origin {
                        Some(origin) if share >= smallest => {
                            let inlined = tree.push(Some(frame), format!("[{}]", readable(origin)));
                            tree.frames[inlined].own = share;
                            text += tree.frames[inlined].length;
                        }
                        _ => tree.frames[frame].own += share,
                    }
                }
                for ((target, _), &share) in node.calls.iter().zip(calls) {
                    if share >= smallest {
                        callers[*target].push((Some(frame), share));
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
