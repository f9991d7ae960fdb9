//! The flow of one event through the call graph: the cost that enters a function leaves it as self cost
//! and as the cost of its calls.

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::CallGraph;

use super::apportion::apportion;
use super::cycles;
use super::node::Node;

/// Maximum number of rounds in which contradictory costs are balanced.
const ROUNDS: usize = 1000;

/// The functions with the cost that flows through them, without cycles: see [`cycles`].
#[derive(Debug, Default, Clone)]
pub(super) struct Flow<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

impl<'a> Flow<'a> {
    /// Returns the flow of an event; `None` if it was not counted.
    pub(super) fn new(graph: &'a CallGraph, kind: MetricKind) -> Option<Self> {
        let value = |row| graph.metrics(row).count(kind);
        let mut nodes = Vec::with_capacity(graph.functions.len());
        for (index, function) in graph.functions.iter().enumerate() {
            let mut node = Node { name: &function.name, ..Node::default() };
            for (file, row) in &function.own {
                node.own.push((file.as_deref(), value(*row)?));
            }
            for (target, row) in &function.calls {
                let cost = value(*row)?;
                // The cost of a recursive call is part of the self cost and of the other calls
                if *target != index && cost > 0 {
                    node.calls.push((*target, cost));
                }
            }
            nodes.push(node);
        }
        let mut flow = Self { nodes };
        cycles::cancel_recursion(&mut flow.nodes);
        if !flow.balance() {
            // Only a damaged profile has cycles that cost more than everything outside of them
            cycles::cancel_all(&mut flow.nodes);
            flow.balance();
        }
        flow.find_roots();
        cycles::unroll(&mut flow.nodes);
        Some(flow)
    }

    /// Makes inlined code of libraries and of other files part of the functions that contain it.
    pub(super) fn without_libraries(mut self) -> Self {
        for node in &mut self.nodes {
            node.own = vec![(None, node.self_cost())];
        }
        self
    }

    /// Returns the total cost.
    pub(super) fn total(&self) -> u64 {
        self.nodes.iter().map(|node| node.root).sum()
    }

    /// Reduces calls that cost more than the inclusive cost of the called function, so that each cost is
    /// included once. Callgrind leaves such calls at the end of a thread or a process. Returns false if
    /// cycles prevent that.
    fn balance(&mut self) -> bool {
        let mut callers = vec![Vec::new(); self.nodes.len()];
        for (caller, node) in self.nodes.iter().enumerate() {
            for (call, (target, _)) in node.calls.iter().enumerate() {
                callers[*target].push((caller, call));
            }
        }
        // Callees first, so that one round is enough without cycles
        let order: Vec<_> = cycles::components(&self.nodes).into_iter().flatten().collect();
        for _ in 0..ROUNDS {
            let mut is_balanced = true;
            for &index in &order {
                let leaving = self.nodes[index].leaving();
                let calls = &callers[index];
                let costs: Vec<_> =
                    calls.iter().map(|&(caller, call)| self.nodes[caller].calls[call].1).collect();
                if costs.iter().sum::<u64>() <= leaving {
                    continue;
                }
                is_balanced = false;
                for (&(caller, call), cost) in calls.iter().zip(apportion(leaving, &costs)) {
                    self.nodes[caller].calls[call].1 = cost;
                }
            }
            if is_balanced {
                return true;
            }
        }
        false
    }

    /// Finds the functions where a thread or the measurement starts: more cost leaves them than enters by
    /// calls.
    fn find_roots(&mut self) {
        let entering = cycles::entering(&self.nodes);
        for (node, entering) in self.nodes.iter_mut().zip(entering) {
            node.root = node.leaving().saturating_sub(entering);
        }
    }
}
