//! The functions of a profile with their costs.

use std::collections::BTreeMap;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::CallGraph;

use super::cycles::{components, is_recursive};
use super::names::readable;
use super::node::Node;

/// A function with its costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCost {
    /// Readable name. A recursive call has a mark at its end: `'2`.
    pub name: String,
    /// Cost of its instructions, with inlined code.
    pub self_cost: u64,
    /// Self cost and the cost of its calls; `None` where a recursion through other functions makes it unknown.
    pub inclusive: Option<u64>,
}

/// Returns the functions of a profile with the costs of an event, sorted by name. Functions that differ only in what a
/// name does not show, such as type arguments, are one. Returns `None` if the event was not counted.
pub fn function_costs(graph: &CallGraph, kind: MetricKind) -> Option<Vec<FunctionCost>> {
    let names: Vec<_> = graph.functions.iter().map(|function| readable(&function.name)).collect();
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        members.entry(name).or_default().push(index);
    }
    let mut group_of = vec![0; names.len()];
    for (group, indices) in members.values().enumerate() {
        for index in indices {
            group_of[*index] = group;
        }
    }
    let mut nodes = Vec::with_capacity(members.len());
    for (group, (name, indices)) in members.iter().enumerate() {
        let mut node = Node { name, ..Node::default() };
        for function in indices.iter().map(|index| &graph.functions[*index]) {
            for (_, row) in &function.own {
                node.own.push((None, graph.metrics(*row).count(kind)?));
            }
            for (target, row) in &function.calls {
                let (target, cost) = (group_of[*target], graph.metrics(*row).count(kind)?);
                // A call of the same function is part of its self cost and of its other calls
                if target != group && cost > 0 {
                    node.calls.push((target, cost));
                }
            }
        }
        nodes.push(node);
    }
    let in_cycle = components(&nodes).into_iter().filter(|component| component.len() > 1);
    let mut is_exact = vec![true; nodes.len()];
    for index in in_cycle.flatten() {
        // For a function that is not on the stack yet, callgrind counts the calls without deeper
        // levels
        is_exact[index] = !is_recursive(nodes[index].name) && members[nodes[index].name].len() == 1;
    }
    let cost = |(node, is_exact): (&Node<'_>, bool)| FunctionCost {
        name: node.name.to_owned(),
        self_cost: node.self_cost(),
        inclusive: is_exact.then(|| node.leaving()),
    };
    Some(nodes.iter().zip(is_exact).map(cost).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the self and inclusive costs of the functions of a profile with these lines.
    fn costs(lines: &str) -> Vec<(String, u64, Option<u64>)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let total: u64 = 0;
        let text = format!(
            "version: 1\ncreator: callgrind-3.19.0\ncmd: x\npart: 1\npositions: line\nevents: Ir\n{lines}\ntotals: {total}\n"
        );
        fs::write(file.path(), text).unwrap();
        let graph = CallGraph::read(file.path()).unwrap();
        let costs = function_costs(&graph, MetricKind::Ir).unwrap();
        costs.into_iter().map(|cost| (cost.name, cost.self_cost, cost.inclusive)).collect()
    }

    #[test]
    fn calls_are_a_part_of_the_inclusive_cost() {
        let all = costs(
            "fn=a::f::h0123456789abcdef\n1 10\ncfn=g\ncalls=1 1\n2 5\nfn=g\n1 5\n\
             fn=a::f::hfedcba9876543210\n1 100\n",
        );
        let expected = [("a::f", 110, Some(115)), ("g", 5, Some(5))];
        assert_eq!(all, expected.map(|(name, own, all)| (name.to_owned(), own, all)));
    }

    #[test]
    fn a_recursion_through_others_is_not_known() {
        let all = costs(
            "fn=f\n1 1\ncfn=f'2\ncalls=1 1\n1 6\nfn=f'2\n1 2\ncfn=f'2\ncalls=1 1\n1 9\ncfn=g'2\ncalls=1 1\n1 4\n\
             fn=g'2\n1 3\ncfn=f'2\ncalls=1 1\n1 1\n",
        );
        let expected = [("f", 1, Some(7)), ("f'2", 2, None), ("g'2", 3, None)];
        assert_eq!(all, expected.map(|(name, own, all)| (name.to_owned(), own, all)));
    }
}
