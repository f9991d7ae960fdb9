//! Divides the costs of functions between their callers.

use std::collections::{BTreeMap, BTreeSet};

use super::observed::{Address, add};

/// The calls of a function by one instruction.
#[derive(Debug, Default)]
pub(super) struct Edge {
    /// The index of the calling function.
    pub(super) caller: usize,
    /// The index of the called function.
    pub(super) target: usize,
    /// The calling instruction.
    pub(super) at: Address,
    pub(super) times: u64,
    /// The inclusive costs.
    pub(super) costs: Vec<u64>,
}

/// Sets the inclusive costs of all calls. `own` has the self costs of the functions.
pub(super) fn distribute(own: &[Vec<u64>], edges: &mut [Edge]) {
    let (mut outgoing, mut incoming) = (vec![Vec::new(); own.len()], vec![Vec::new(); own.len()]);
    for (index, edge) in edges.iter().enumerate() {
        outgoing[edge.caller].push(index);
        incoming[edge.target].push(index);
    }
    let units = units(own.len(), edges, &outgoing);
    let mut unit_of = vec![0; own.len()];
    for (unit, functions) in units.iter().enumerate() {
        for function in functions {
            unit_of[*function] = unit;
        }
    }
    // Each after all functions that it calls
    for functions in &units {
        let entries = entries(functions, edges, &incoming, &outgoing, &unit_of);
        for (function, calls) in entries.iter().rev() {
            let mut total = own[*function].clone();
            for index in &outgoing[*function] {
                add(&mut total, &edges[*index].costs);
            }
            divide(&total, edges, calls);
        }
    }
}

/// Returns the functions of a unit in the order of their distance from outside, each with the calls that get its cost: those
/// from outside, or else those from the functions that are nearer. Calls that go back in a recursion have no cost, so that
/// no cost goes around.
fn entries(
    functions: &[usize],
    edges: &[Edge],
    incoming: &[Vec<usize>],
    outgoing: &[Vec<usize>],
    unit_of: &[usize],
) -> Vec<(usize, Vec<usize>)> {
    let is_inside = |index: usize| unit_of[edges[index].caller] == unit_of[edges[index].target];
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut layer: Vec<(usize, Vec<usize>)> = Vec::new();
    for function in functions {
        let calls = incoming[*function].iter().copied().filter(|index| !is_inside(*index));
        let calls: Vec<_> = calls.collect();
        if !calls.is_empty() {
            layer.push((*function, calls));
        }
    }
    let mut entries = Vec::with_capacity(functions.len());
    while !layer.is_empty() {
        found.extend(layer.iter().map(|(function, _)| *function));
        let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let calls = layer.iter().flat_map(|(function, _)| &outgoing[*function]);
        for index in calls.copied().filter(|index| is_inside(*index)) {
            if !found.contains(&edges[index].target) {
                next.entry(edges[index].target).or_default().push(index);
            }
        }
        entries.append(&mut layer);
        layer = next.into_iter().collect();
    }
    entries
}

/// Divides a cost between calls by their numbers, so that the parts add up to it.
fn divide(total: &[u64], edges: &mut [Edge], calls: &[usize]) {
    let all: u128 = calls.iter().map(|index| u128::from(edges[*index].times)).sum();
    let mut before = 0;
    for index in calls {
        let after = before + u128::from(edges[*index].times);
        let part = |cost: &u64| {
            let up_to = |calls: u128| u128::from(*cost).saturating_mul(calls) / all.max(1);
            u64::try_from(up_to(after) - up_to(before)).unwrap_or(u64::MAX)
        };
        edges[*index].costs = total.iter().map(part).collect();
        before = after;
    }
}

/// Returns the functions in units, a unit for each recursion and for each function outside of one. Each unit comes after
/// all that it calls (Tarjan's algorithm, with a stack of its own).
fn units(functions: usize, edges: &[Edge], outgoing: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NONE: usize = usize::MAX;
    let (mut number, mut low) = (vec![NONE; functions], vec![NONE; functions]);
    let (mut open, mut is_open) = (Vec::new(), vec![false; functions]);
    let (mut units, mut next) = (Vec::new(), 0);
    for start in 0..functions {
        if number[start] != NONE {
            continue;
        }
        // Functions with the number of their calls that are done
        let mut path = vec![(start, 0)];
        while let Some((function, done)) = path.pop() {
            if done == 0 {
                (number[function], low[function]) = (next, next);
                next += 1;
                open.push(function);
                is_open[function] = true;
            }
            if let Some(index) = outgoing[function].get(done) {
                path.push((function, done + 1));
                let target = edges[*index].target;
                if number[target] == NONE {
                    path.push((target, 0));
                } else if is_open[target] {
                    low[function] = low[function].min(number[target]);
                }
                continue;
            }
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[function]);
            }
            if low[function] == number[function] {
                let at = open.iter().rposition(|other| *other == function).unwrap_or(0);
                let unit = open.split_off(at);
                for function in &unit {
                    is_open[*function] = false;
                }
                units.push(unit);
            }
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the calls as caller, target, and number.
    fn costs(own: &[u64], calls: &[(usize, usize, u64)]) -> Vec<u64> {
        let own: Vec<_> = own.iter().map(|cost| vec![*cost]).collect();
        let edge = |(caller, target, times): &(usize, usize, u64)| Edge {
            caller: *caller,
            target: *target,
            times: *times,
            ..Edge::default()
        };
        let mut edges: Vec<_> = calls.iter().map(edge).collect();
        distribute(&own, &mut edges);
        edges.iter().map(|edge| edge.costs.first().copied().unwrap_or_default()).collect()
    }

    #[test]
    fn a_function_with_one_caller_has_its_exact_cost() {
        assert_eq!(costs(&[1, 10, 100], &[(0, 1, 3), (1, 2, 7)]), [110, 100]);
        // However the functions are ordered
        assert_eq!(costs(&[100, 10, 1], &[(1, 0, 7), (2, 1, 3)]), [100, 110]);
    }

    #[test]
    fn several_callers_share_the_cost_and_nothing_is_lost() {
        assert_eq!(costs(&[1, 1, 100], &[(0, 1, 1), (0, 2, 1), (1, 2, 2)]), [68, 33, 67]);
        assert_eq!(costs(&[0, 0, 0, 10], &[(0, 3, 1), (1, 3, 1), (2, 3, 1)]), [3, 3, 4]);
    }

    #[test]
    fn calls_that_go_back_in_a_recursion_cost_nothing_more() {
        assert_eq!(costs(&[5, 70], &[(0, 1, 1), (1, 1, 176)]), [70, 0]);
        // Two functions that call each other
        let calls = [(0, 1, 1), (1, 2, 10), (2, 1, 10), (1, 3, 1), (2, 3, 10)];
        assert_eq!(costs(&[1, 131, 160, 430], &calls), [721, 551, 0, 39, 391]);
        // Entered at either of them
        let calls = [(0, 1, 1), (0, 2, 3), (1, 2, 9), (2, 1, 9), (2, 3, 1)];
        assert_eq!(costs(&[0, 10, 20, 10], &calls), [10, 30, 0, 0, 10]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let calls: Vec<_> = (0..100_000).map(|index| (index, index + 1, 1)).collect();
        assert_eq!(costs(&vec![1; 100_001], &calls)[0], 100_000);
    }
}
