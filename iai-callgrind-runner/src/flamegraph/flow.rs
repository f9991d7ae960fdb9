//! How one event flows through the call graph: what enters a function leaves it again, as what it
//! executed itself and what its calls cost.

use iai_callgrind_plan::metric::MetricKind;

use super::apportion::apportion;
use super::cycles;
use crate::tool::callgrind::CallGraph;

/// How often costs that contradict each other may lead round in cycles.
const ROUNDS: usize = 1000;

/// The functions with what flows through them. There are no cycles: see [`cycles`].
#[derive(Debug, Default)]
pub(super) struct Flow<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

/// A function. One that others of its cycle call stands here several times.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    /// What enters it without having been called
    pub(super) root: u64,
    /// What it executed itself; code that was inlined from another file stands apart
    pub(super) own: Vec<(Option<&'a str>, u64)>,
    /// What its calls cost, by the index of the called function
    pub(super) calls: Vec<(usize, u64)>,
}

impl<'a> Flow<'a> {
    /// The flow of an event. None if it was not counted.
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
                // What a function does when it calls itself is among its own costs and those of its
                // other calls
                if *target != index && cost > 0 {
                    node.calls.push((*target, cost));
                }
            }
            nodes.push(node);
        }
        let mut flow = Self { nodes };
        cycles::cancel_recursion(&mut flow.nodes);
        if !flow.balance() {
            // Only a damaged profile has cycles that cost more than all that is outside of them
            cycles::cancel_all(&mut flow.nodes);
            flow.balance();
        }
        flow.find_roots();
        cycles::unroll(&mut flow.nodes);
        Some(flow)
    }

    /// The same with inlined code as a part of the functions that it is in.
    pub(super) fn without_files(mut self) -> Self {
        for node in &mut self.nodes {
            let own = node.own.iter().map(|(_, cost)| cost).sum();
            node.own = vec![(None, own)];
        }
        self
    }

    /// All that flows.
    pub(super) fn total(&self) -> u64 {
        self.nodes.iter().map(|node| node.root).sum()
    }

    /// Reduces calls that cost more than what the called function and its calls did, so that each cost
    /// is there once. Callgrind leaves such calls where a thread or a process ended. False if this leads
    /// round in cycles.
    fn balance(&mut self) -> bool {
        let mut callers = vec![Vec::new(); self.nodes.len()];
        for (caller, node) in self.nodes.iter().enumerate() {
            for (call, (target, _)) in node.calls.iter().enumerate() {
                callers[*target].push((caller, call));
            }
        }
        // Called ones first, so that without cycles once is enough
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

    /// What leaves a function without having entered it by a call has entered it otherwise: a thread
    /// starts there, or the measurement does.
    fn find_roots(&mut self) {
        let entering = cycles::entering(&self.nodes);
        for (node, entering) in self.nodes.iter_mut().zip(entering) {
            node.root = node.leaving().saturating_sub(entering);
        }
    }
}

impl Node<'_> {
    /// What leaves the function: what it executed itself and what its calls cost.
    pub(super) fn leaving(&self) -> u64 {
        let own: u64 = self.own.iter().map(|(_, cost)| cost).sum();
        own + self.calls.iter().map(|(_, cost)| cost).sum::<u64>()
    }
}
