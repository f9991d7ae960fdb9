//! Makes a flow without cycles out of one with cycles.
//!
//! Callgrind marks recursive calls of a function, direct or not, with `'2`. So the functions of a profile
//! are of two kinds:
//!
//! - An unmarked function is on a stack at most once, and its inclusive cost is exact. A cycle through
//!   such a function is the sum of several stacks: `a` called `b`, and another time `b` called `a`. The
//!   cycle is unrolled.
//! - In a marked function, each level of a recursion contains the costs of all deeper levels, so a
//!   cycle costs many times what was executed. The cost that goes around is removed.

use std::collections::BTreeMap;

use super::apportion::apportion;
use super::node::Node;

/// Returns the cost that enters each function by calls.
pub(super) fn entering(nodes: &[Node<'_>]) -> Vec<u64> {
    let mut entering = vec![0; nodes.len()];
    for (target, cost) in nodes.iter().flat_map(|node| &node.calls) {
        entering[*target] += cost;
    }
    entering
}

/// Removes the cost that goes around in recursions.
pub(super) fn cancel_recursion(nodes: &mut [Node<'_>]) {
    let is_recursive: Vec<_> = nodes.iter().map(|node| is_recursive(node.name)).collect();
    cancel_among(nodes, |index| is_recursive[index]);
}

/// Removes the cost that goes around in any cycle.
pub(super) fn cancel_all(nodes: &mut [Node<'_>]) {
    cancel_among(nodes, |_| true);
}

fn cancel_among(nodes: &mut [Node<'_>], belongs: impl Fn(usize) -> bool) {
    let mut calls: Vec<_> = nodes.iter_mut().map(|node| std::mem::take(&mut node.calls)).collect();
    cancel(&mut calls, belongs);
    for (node, calls) in nodes.iter_mut().zip(calls) {
        node.calls = calls;
    }
}

/// Returns true for the name of a recursive call.
pub(super) fn is_recursive(name: &str) -> bool {
    let level = name.rsplit_once('\'').map(|(_, level)| level);
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Calls by the index of the calling function: the called function and the cost.
type Calls = Vec<Vec<(usize, u64)>>;

/// Takes as much from each call of a cycle as the cheapest of them costs, until there is no cycle left
/// among these functions.
fn cancel(calls: &mut Calls, belongs: impl Fn(usize) -> bool) {
    let mut next_call = vec![0; calls.len()];
    let mut is_done = vec![false; calls.len()];
    for start in (0..calls.len()).filter(|&index| belongs(index)) {
        // The functions from the start to the current one, each with its call of the next one
        let mut path = if is_done[start] { Vec::new() } else { vec![start] };
        while let Some(&last) = path.last() {
            let Some(&(target, cost)) = calls[last].get(next_call[last]) else {
                is_done[last] = true;
                path.pop();
                continue;
            };
            if cost == 0 || is_done[target] || !belongs(target) {
                next_call[last] += 1;
            } else if let Some(start) = path.iter().position(|&index| index == target) {
                let cycle = &path[start..];
                let cheapest = cycle.iter().map(|&index| calls[index][next_call[index]].1).min();
                let cheapest = cheapest.unwrap_or(cost);
                for &index in cycle {
                    calls[index][next_call[index]].1 -= cheapest;
                }
                // Continues at the first call without cost
                let empty = cycle.iter().position(|&index| calls[index][next_call[index]].1 == 0);
                path.truncate(start + empty.unwrap_or(0) + 1);
            } else {
                path.push(target);
            }
        }
    }
    for calls in calls {
        calls.retain(|(_, cost)| *cost > 0);
    }
}

/// Unrolls the remaining cycles.
pub(super) fn unroll(nodes: &mut Vec<Node<'_>>) {
    let entering = entering(nodes);
    for cycle in components(nodes).into_iter().filter(|cycle| cycle.len() > 1) {
        Cycle::new(nodes, &entering, &cycle).unroll(nodes);
    }
}

/// Functions that lead to each other.
struct Cycle {
    /// The functions of the cycle with the cost that enters each of them from outside.
    entries: Vec<(usize, u64)>,
    /// Remaining calls within the cycle, by the caller.
    inside: BTreeMap<usize, Vec<(usize, u64)>>,
}

impl Cycle {
    fn new(nodes: &mut [Node<'_>], entering: &[u64], members: &[usize]) -> Self {
        let mut entries: BTreeMap<usize, u64> =
            members.iter().map(|&index| (index, nodes[index].root + entering[index])).collect();
        let mut inside = BTreeMap::new();
        for &index in members {
            let calls = std::mem::take(&mut nodes[index].calls);
            let (within, outside): (Vec<_>, Vec<_>) =
                calls.into_iter().partition(|(target, _)| entries.contains_key(target));
            for (target, cost) in &within {
                *entries.entry(*target).or_default() -= cost;
            }
            nodes[index].calls = outside;
            inside.insert(index, within);
        }
        Self { entries: entries.into_iter().collect(), inside }
    }

    /// Follows the cost that enters the cycle from function to function until it leaves, layer by layer.
    /// As much as possible stays within the cycle: the cost leaves as deep as it can, because no function
    /// is on a stack twice.
    fn unroll(mut self, nodes: &mut Vec<Node<'_>>) {
        let mut left: BTreeMap<usize, Node<'_>> = BTreeMap::new();
        // The functions of a layer, each with the index of its node and the entering cost
        let mut layer = BTreeMap::new();
        for &(index, entering) in &self.entries {
            left.insert(index, std::mem::take(&mut nodes[index]));
            nodes[index] = Node { name: left[&index].name, ..Node::default() };
            nodes[index].root = left[&index].root;
            layer.insert(index, (index, entering));
        }
        for depth in 0.. {
            if depth == self.entries.len() {
                // A stack has no more functions than that, so the rest is a recursion
                self.cancel();
            }
            let mut next_layer = BTreeMap::new();
            for (index, (place, entering)) in layer {
                let Some(rest) = left.get_mut(&index) else { continue };
                let inside = self.inside.entry(index).or_default();
                let going_on = entering.min(inside.iter().map(|(_, cost)| cost).sum());
                for (target, share) in take(inside, going_on) {
                    let (place_of_target, entering) =
                        next_layer.entry(target).or_insert_with(|| {
                            nodes.push(Node { name: nodes[target].name, ..Node::default() });
                            (nodes.len() - 1, 0)
                        });
                    *entering += share;
                    nodes[place].calls.push((*place_of_target, share));
                }
                rest.take(entering - going_on, &mut nodes[place]);
            }
            if next_layer.is_empty() {
                return;
            }
            layer = next_layer;
        }
    }

    fn cancel(&mut self) {
        let members: Vec<_> = self.inside.keys().copied().collect();
        let position = |index: &usize| members.binary_search(index).unwrap_or_default();
        let numbered = |(target, cost): &(usize, u64)| (position(target), *cost);
        let mut calls: Calls =
            self.inside.values().map(|calls| calls.iter().map(numbered).collect()).collect();
        cancel(&mut calls, |_| true);
        for (inside, calls) in self.inside.values_mut().zip(calls) {
            *inside = calls.into_iter().map(|(target, cost)| (members[target], cost)).collect();
        }
    }
}

/// Takes this much from the calls. Returns the cost taken from each.
fn take(calls: &mut [(usize, u64)], amount: u64) -> Vec<(usize, u64)> {
    let costs: Vec<_> = calls.iter().map(|(_, cost)| *cost).collect();
    let shares = apportion(amount, &costs);
    for ((_, cost), share) in calls.iter_mut().zip(&shares) {
        *cost -= share;
    }
    let taken = calls.iter().map(|(target, _)| *target).zip(shares);
    taken.filter(|(_, share)| *share > 0).collect()
}

/// Returns the strongly connected components, callees before their callers (Tarjan's algorithm, without
/// recursion).
pub(super) fn components(nodes: &[Node<'_>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut components = Vec::new();
    let mut number = vec![UNSEEN; nodes.len()];
    let mut lowest = vec![UNSEEN; nodes.len()];
    let mut is_open = vec![false; nodes.len()];
    let (mut open, mut numbers) = (Vec::new(), 0);
    for start in 0..nodes.len() {
        let mut path = if number[start] == UNSEEN { vec![(start, 0)] } else { Vec::new() };
        while let Some((index, next)) = path.last_mut() {
            let index = *index;
            if number[index] == UNSEEN {
                (number[index], lowest[index], is_open[index]) = (numbers, numbers, true);
                numbers += 1;
                open.push(index);
            }
            if let Some(&(target, _)) = nodes[index].calls.get(*next) {
                *next += 1;
                if number[target] == UNSEEN {
                    path.push((target, 0));
                } else if is_open[target] {
                    lowest[index] = lowest[index].min(number[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(caller, _)) = path.last() {
                lowest[caller] = lowest[caller].min(lowest[index]);
            }
            if lowest[index] == number[index] {
                let start = open.iter().rposition(|&member| member == index).unwrap_or_default();
                let component = open.split_off(start);
                for &member in &component {
                    is_open[member] = false;
                }
                components.push(component);
            }
        }
    }
    components
}
