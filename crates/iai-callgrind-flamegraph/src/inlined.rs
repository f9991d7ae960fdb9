//! Frames of inlined functions: divides the functions of a flow by what the compiler inlined into them.
//!
//! A function becomes a tree: its own code, the user's functions that were inlined into it, and those in these. The
//! costs of a tree are those of the function, so nothing else in the flow changes. A part that is not known for sure
//! stays in the function:
//!
//! - A function whose self cost is another one in the table is not divided.
//! - A call that is another one in the table, or that several inlined functions make whose costs are not known under the
//!   event, belongs to the function.

use std::collections::{BTreeMap, HashMap};
use std::iter;

use iai_callgrind_explain::{InlinedCall, InlinedInto, Inlining, NameId, stable_name};
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_profile::CallGraph;

use super::apportion::apportion;
use super::flow::Flow;
use super::node::Node;

/// Divides the functions of a flow by the functions that are inlined into them.
///
/// Levels of a recursion and functions of the same name are divided in the same proportion, because
/// the table contains their sum.
pub(super) fn divide<'a>(
    flow: &mut Flow<'a>,
    graph: &CallGraph,
    inlining: &'a Inlining,
    kind: MetricKind,
) {
    let events: Option<Vec<_>> = inlining.events.iter().map(|name| event(name)).collect();
    let Some(events) = events else { return };
    let names: Vec<_> = flow.nodes.iter().map(|node| stable_name(node.name)).collect();
    let recorded = calls_of_functions(graph, &names, events.first().copied());
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        by_name.entry(name).or_default().push(index);
    }
    let has_costs = events.first() == Some(&kind);
    for (name, nodes) in by_name {
        let Some(parts) = inlining.function(name) else { continue };
        let Some(costs) = self_costs(parts, &events, kind) else { continue };
        let sum_of_nodes: u64 = nodes.iter().map(|index| flow.nodes[*index].self_cost()).sum();
        if costs.iter().sum::<u64>() != sum_of_nodes {
            continue;
        }
        let calls = parts.calls.iter().filter_map(|(callee, calls)| {
            let sum = calls.iter().map(|call| call.inclusive).fold(0, u64::saturating_add);
            let is_known = recorded.get(&(name, callee.as_str())) == Some(&sum);
            is_known.then(|| (callee.as_str(), Calls::new(calls)))
        });
        let mut function =
            Function { parts, costs, calls: calls.collect(), has_costs, names: &names, inlining };
        for index in nodes {
            function.divide(flow, index);
        }
    }
}

/// Returns the event with this name.
fn event(name: &str) -> Option<MetricKind> {
    MetricKind::CALLGRIND.iter().copied().find(|kind| kind.name() == name)
}

/// Returns the recorded costs of the calls between functions of these names.
fn calls_of_functions<'a>(
    graph: &CallGraph,
    names: &'a [String],
    kind: Option<MetricKind>,
) -> HashMap<(&'a str, &'a str), u64> {
    let mut calls: HashMap<_, u64> = HashMap::new();
    // The first nodes of a flow are the functions of its graph
    for (function, caller) in graph.functions.iter().zip(names) {
        for (target, row) in &function.calls {
            let cost = kind.and_then(|kind| graph.metrics(*row).count(kind)).unwrap_or_default();
            *calls.entry((caller.as_str(), names[*target].as_str())).or_default() += cost;
        }
    }
    calls
}

/// Returns the costs of the parts of a function; `None` if the event was not counted.
fn self_costs(parts: &InlinedInto, events: &[MetricKind], kind: MetricKind) -> Option<Vec<u64>> {
    let costs = parts.costs.iter().map(|part| {
        let counts = part.counts.iter().copied().chain(iter::repeat(0));
        events.iter().copied().zip(counts).collect::<Metrics>().count(kind)
    });
    costs.collect()
}

/// The parts of a function that are not divided among its nodes yet.
struct Function<'a, 'p> {
    parts: &'a InlinedInto,
    /// The cost of each part.
    costs: Vec<u64>,
    /// Known calls by the callee.
    calls: HashMap<&'a str, Calls<'a>>,
    /// The costs of calls are those of the event.
    has_costs: bool,
    /// Stable names of functions by their nodes.
    names: &'p [String],
    inlining: &'a Inlining,
}

/// Calls of one function with the rest of their costs.
struct Calls<'a> {
    calls: &'a [InlinedCall],
    left: Vec<u64>,
}

impl<'a> Calls<'a> {
    fn new(calls: &'a [InlinedCall]) -> Self {
        Self { calls, left: calls.iter().map(|call| call.inclusive).collect() }
    }

    /// Divides a call among the inlined functions. Returns the remaining cost, which belongs to the function.
    fn divide(&mut self, cost: u64, has_costs: bool) -> (Vec<(&'a [NameId], u64)>, u64) {
        if let [call] = self.calls {
            return (vec![(&call.path, cost)], 0);
        }
        let left = self.left.iter().fold(0, |sum: u64, left| sum.saturating_add(*left));
        let known = if has_costs { cost.min(left) } else { 0 };
        let shares = apportion(known, &self.left);
        for (left, share) in self.left.iter_mut().zip(&shares) {
            *left -= share;
        }
        let paths = self.calls.iter().map(|call| call.path.as_slice());
        let divided = paths.zip(shares).filter(|(_, share)| *share > 0);
        (divided.collect(), cost - known)
    }
}

impl<'a> Function<'a, '_> {
    fn divide(&mut self, flow: &mut Flow<'a>, index: usize) {
        let mut tree = Tree { flow, inlining: self.inlining, root: index, children: Vec::new() };
        let node = &mut tree.flow.nodes[index];
        let cost = node.self_cost();
        let calls = std::mem::take(&mut node.calls);
        node.own.clear();
        let shares = apportion(cost, &self.costs);
        for ((part, left), share) in self.parts.costs.iter().zip(&mut self.costs).zip(shares) {
            *left -= share;
            if share > 0 {
                let library = part.library.map(|library| self.inlining.name(library));
                tree.node(&part.path).own.push((library, share));
            }
        }
        for (target, cost) in calls {
            let callee = self.names[target].as_str();
            let (divided, rest) = match self.calls.get_mut(callee) {
                Some(calls) => calls.divide(cost, self.has_costs),
                None => (Vec::new(), cost),
            };
            for (path, share) in divided.into_iter().chain([(&[][..], rest)]) {
                if share > 0 {
                    tree.node(path).calls.push((target, share));
                }
            }
        }
        tree.connect();
    }
}

/// The functions that are inlined into a node.
struct Tree<'f, 'a> {
    flow: &'f mut Flow<'a>,
    inlining: &'a Inlining,
    root: usize,
    /// Nodes of inlined functions with the node that each is inlined into, which comes before them.
    children: Vec<(usize, NameId, usize)>,
}

impl<'a> Tree<'_, 'a> {
    /// Returns the node at the end of this path.
    fn node(&mut self, path: &[NameId]) -> &mut Node<'a> {
        let mut node = self.root;
        for name in path {
            let mut children = self.children.iter();
            let known = children.find(|(parent, child, _)| (*parent, *child) == (node, *name));
            node = if let Some((_, _, known)) = known {
                *known
            } else {
                let nodes = &mut self.flow.nodes;
                let name_of_child = self.inlining.name(*name);
                nodes.push(Node { name: name_of_child, is_inlined: true, ..Node::default() });
                self.children.push((node, *name, nodes.len() - 1));
                nodes.len() - 1
            };
        }
        &mut self.flow.nodes[node]
    }

    /// Makes inlined functions callees of their containing functions.
    fn connect(self) {
        for (parent, _, child) in self.children.into_iter().rev() {
            let cost = self.flow.nodes[child].leaving();
            self.flow.nodes[parent].calls.push((child, cost));
        }
    }
}

#[cfg(test)]
mod tests;
