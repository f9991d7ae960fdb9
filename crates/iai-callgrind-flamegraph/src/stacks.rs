//! Stacks of a flow. Callgrind records callers and callees, not whole call paths.
//!
//! The cost that reaches a function on one call path is split between self cost and calls in the
//! proportion of its whole cost. Shares are integers, taken from the remaining cost, so that all call paths
//! together have exactly the counted cost.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

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
    /// Length of the text of all stacks.
    text: usize,
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
        let mut tree = Self { frames: Vec::new(), text: 0 };
        // Calls of each node: the frame of the caller, `None` for the root, and the cost
        let mut callers: Vec<Vec<(Option<usize>, u64)>> = vec![Vec::new(); flow.nodes.len()];
        let mut left = vec![Vec::new(); flow.nodes.len()];
        // Callers first. Inlined functions are drawn with their containing function
        let order = components(&flow.nodes).into_iter().rev().flatten();
        for index in order.filter(|index| !flow.nodes[*index].is_inlined) {
            let node = &flow.nodes[index];
            let mut entries = std::mem::take(&mut callers[index]);
            if node.root > 0 {
                entries.push((None, node.root));
            }
            entries.sort_by_key(|(_, cost)| Reverse(*cost));
            for (parent, cost) in entries {
                let frame = tree.push(parent, readable(node.name));
                for (target, caller, cost) in
                    tree.add(flow, (index, frame, cost), &mut left, smallest)
                {
                    callers[target].push((Some(caller), cost));
                }
                if tree.text > MOST_TEXT {
                    return None;
                }
            }
        }
        Some(tree)
    }

    /// Adds a part of the cost of a node to its frame, and that of functions that are inlined into it, with frames of
    /// their own if they are large enough. Returns the calls: the callee, the frame of the caller and the cost.
    ///
    /// The calls of inlined functions without a frame are those of the function that contains them.
    fn add(
        &mut self,
        flow: &Flow<'_>,
        whole: (usize, usize, u64),
        left: &mut [Vec<u64>],
        smallest: u64,
    ) -> Vec<(usize, usize, u64)> {
        let (mut libraries, mut calls) = (Sums::default(), Sums::default());
        let mut parts = vec![whole];
        while let Some((index, frame, cost)) = parts.pop() {
            let node = &flow.nodes[index];
            let left = &mut left[index];
            if left.is_empty() {
                left.extend(node.own.iter().map(|(_, cost)| *cost));
                left.extend(node.calls.iter().map(|(_, cost)| *cost));
            }
            let shares = apportion(cost, left);
            for (left, share) in left.iter_mut().zip(&shares) {
                *left -= share;
            }
            let (own, of_calls) = shares.split_at(node.own.len());
            for ((origin, _), &share) in node.own.iter().zip(own) {
                match origin {
                    Some(origin) => libraries.add((frame, *origin), share),
                    None => self.frames[frame].own += share,
                }
            }
            for ((target, _), &share) in node.calls.iter().zip(of_calls) {
                let callee = &flow.nodes[*target];
                if !callee.is_inlined {
                    calls.add((frame, *target), share);
                } else if share >= smallest {
                    let inlined = self.push(Some(frame), readable(callee.name));
                    parts.push((*target, inlined, share));
                } else if share > 0 {
                    parts.push((*target, frame, share));
                }
            }
        }
        for ((frame, origin), share) in libraries.sums {
            let is_large = share >= smallest;
            let frame = if is_large {
                self.push(Some(frame), format!("[{}]", readable(origin)))
            } else {
                frame
            };
            self.frames[frame].own += share;
        }
        let (large, small): (Vec<_>, Vec<_>) =
            calls.sums.into_iter().partition(|(_, share)| *share >= smallest);
        for ((frame, _), share) in small {
            self.frames[frame].own += share;
        }
        large.into_iter().map(|((frame, target), share)| (target, frame, share)).collect()
    }

    fn push(&mut self, parent: Option<usize>, name: String) -> usize {
        let before = parent.map_or(0, |parent| self.frames[parent].length);
        let length = before + name.len() + 1;
        self.text += length;
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

/// Sums by keys, in the order of their first occurrence.
struct Sums<K> {
    sums: Vec<(K, u64)>,
    indices: HashMap<K, usize>,
}

impl<K> Default for Sums<K> {
    fn default() -> Self {
        Self { sums: Vec::new(), indices: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Sums<K> {
    fn add(&mut self, key: K, share: u64) {
        let index = *self.indices.entry(key).or_insert_with(|| {
            self.sums.push((key, 0));
            self.sums.len() - 1
        });
        self.sums[index].1 += share;
    }
}

#[cfg(test)]
mod tests;
