//! Owners of costs.
//!
//! A cost belongs to the innermost function of the user's on its inline stack. Where there is none, the calls lead to
//! one: the cost is split among the callers in proportion to the inclusive cost of their calls. With several callers
//! the split is an assumption.

use std::collections::{BTreeMap, HashMap};

use crate::names;
use crate::table::{Frame, Table};

/// The place that a cost belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    /// The function; `None` for a cost without an owner.
    pub(crate) owner: Option<String>,
    pub(crate) file: String,
    /// The hash of the line's text, or its number if the text is not known.
    pub(crate) text: u32,
    /// The function that the line calls, if the cost is spent there.
    pub(crate) via: Option<String>,
}

/// The costs at a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) cost: u64,
    /// The part of it that was split between several callers.
    pub(crate) assumed: u64,
    /// The number of the line.
    pub(crate) line: u32,
}

/// Full names of functions of which line tables only have the last part, by this part and the file.
pub(crate) struct Aliases(HashMap<(String, String), Option<String>>);

impl Aliases {
    /// Collects the full names of all tables: a function that is inlined in one can have a symbol in another.
    pub(crate) fn new(tables: &[&Table]) -> Self {
        let mut all: HashMap<_, Option<String>> = HashMap::new();
        for table in tables {
            for frame in &table.frames {
                let name = names::function(table.text(frame.name));
                if !name.contains("::") {
                    continue;
                }
                let key = (names::last(&name).to_owned(), table.text(frame.file).to_owned());
                let known = all.entry(key).or_insert_with(|| Some(name.clone()));
                if known.as_ref().is_some_and(|known| *known != name) {
                    *known = None;
                }
            }
        }
        Self(all)
    }

    /// Returns the name of a frame, which is the same wherever it was inlined; `None` for a closure whose function is
    /// not known.
    pub(crate) fn name(&self, table: &Table, frame: &Frame) -> Option<String> {
        let name = names::function(table.text(frame.name));
        if name.contains("::") {
            return Some(name);
        }
        let last = names::last(&name).to_owned();
        if last.is_empty() || last.starts_with("{closure") {
            return None;
        }
        let key = (last.clone(), table.text(frame.file).to_owned());
        Some(self.0.get(&key).cloned().flatten().unwrap_or(last))
    }
}

/// Returns the place that code with this stack belongs to, and its line; `None` without a frame of the user's.
pub(crate) fn site(table: &Table, aliases: &Aliases, stack: u32) -> Option<(Site, u32)> {
    let frames = &table.stacks[stack as usize];
    let frame = &table.frames[*frames.last()? as usize];
    let mut names = frames.iter().rev();
    // A closure counts as a part of the function around it
    let name = names.find_map(|&frame| aliases.name(table, &table.frames[frame as usize]));
    let text = if frame.text == 0 { frame.line } else { frame.text };
    let file = table.text(frame.file).to_owned();
    let owner = Some(name.unwrap_or_else(|| "{closure}".to_owned()));
    Some((Site { owner, file, text, via: None }, frame.line))
}

/// Returns the place of a row or a call without debug information: the crate of its function.
fn crate_site(table: &Table, function: u32) -> Option<(Site, u32)> {
    let krate = names::crate_of(table.function_name(function))?;
    let owner = Some(format!("crate {krate}"));
    Some((Site { owner, file: String::new(), text: 0, via: None }, 0))
}

/// Returns what each place is charged with under the first event. The sum is the total.
///
/// With `by_crate`, the owners are crates, for lack of debug information.
pub(crate) fn charge(table: &Table, aliases: &Aliases, by_crate: bool) -> BTreeMap<Site, Charge> {
    let place = |function, stack| {
        if by_crate { crate_site(table, function) } else { site(table, aliases, stack) }
    };
    let mut parts = Parts::default();
    let mut flow = vec![Flow::default(); table.functions.len()];
    for row in &table.rows {
        let cost = row.counts.first().copied().unwrap_or_default() as f64;
        match place(row.function, row.stack) {
            Some((site, line)) => parts.add(site, line, Flow { cost, assumed: 0.0 }),
            None => flow[row.function as usize].cost += cost,
        }
    }
    let mut callers = vec![Vec::new(); table.functions.len()];
    for edge in table.edges.iter().filter(|edge| edge.caller != edge.callee && edge.inclusive > 0) {
        let site = place(edge.caller, edge.stack);
        callers[edge.callee as usize].push((edge.caller as usize, site, edge.inclusive as f64));
    }
    flow_up(table, flow, &callers, &mut parts);
    parts.round(table.totals.first().copied().unwrap_or_default())
}

type Caller = (usize, Option<(Site, u32)>, f64);

/// Passes costs on to the callers until they reach a place of the user's.
fn flow_up(table: &Table, mut flow: Vec<Flow>, callers: &[Vec<Caller>], parts: &mut Parts) {
    /// Recursion halves nothing: it ends here.
    const DEEPEST: usize = 500;
    const NEGLIGIBLE: f64 = 1e-6;
    for depth in 0..=DEEPEST {
        let mut next = vec![Flow::default(); flow.len()];
        let mut is_over = true;
        for (function, flow) in flow.iter().enumerate().filter(|(_, flow)| flow.cost > NEGLIGIBLE) {
            is_over = false;
            let via = names::short(table.text(table.functions[function].name));
            let callers = &callers[function];
            let sum: f64 = callers.iter().map(|(.., inclusive)| inclusive).sum();
            if callers.is_empty() || depth == DEEPEST {
                let site = Site { owner: None, file: String::new(), text: 0, via: Some(via) };
                parts.add(site, 0, *flow);
                continue;
            }
            let is_split = callers.len() > 1;
            for (caller, site, inclusive) in callers {
                let share = inclusive / sum;
                let cost = flow.cost * share;
                let assumed = if is_split { cost } else { flow.assumed * share };
                let part = Flow { cost, assumed };
                match site {
                    Some((site, line)) => {
                        parts.add(Site { via: Some(via.clone()), ..site.clone() }, *line, part);
                    }
                    None => next[*caller].add(part),
                }
            }
        }
        if is_over {
            return;
        }
        flow = next;
    }
}

/// A cost on its way to its owner.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    cost: f64,
    assumed: f64,
}

impl Flow {
    fn add(&mut self, other: Self) {
        self.cost += other.cost;
        self.assumed += other.assumed;
    }
}

#[derive(Default)]
struct Parts(BTreeMap<Site, (Flow, u32)>);

impl Parts {
    fn add(&mut self, site: Site, line: u32, part: Flow) {
        let (flow, known_line) = self.0.entry(site).or_default();
        flow.add(part);
        *known_line = line;
    }

    /// Rounds the parts so that their sum is the total: the largest remainders are rounded up.
    fn round(self, total: u64) -> BTreeMap<Site, Charge> {
        let mut parts: Vec<_> = self.0.into_iter().collect();
        // Sums of parts that were split are a little smaller than the whole
        let whole = |cost: f64| (cost + 1e-4).floor();
        let floor: u64 = parts.iter().map(|(_, (flow, _))| whole(flow.cost) as u64).sum();
        let mut missing = total.saturating_sub(floor);
        let mut surplus = floor.saturating_sub(total);
        parts.sort_by(|(left, (a, _)), (right, (b, _))| {
            let remainder = |flow: &Flow| flow.cost + 1e-4 - whole(flow.cost);
            remainder(b).total_cmp(&remainder(a)).then_with(|| left.cmp(right))
        });
        let number = parts.len().max(1) as u64;
        let mut rounded = BTreeMap::new();
        for (index, (site, (flow, line))) in parts.into_iter().enumerate() {
            let share = missing.div_ceil(number - index as u64).min(missing);
            missing -= share;
            let cost = whole(flow.cost) as u64 + share;
            let less = surplus.min(cost);
            surplus -= less;
            let cost = cost - less;
            let assumed = (flow.assumed.round() as u64).min(cost);
            rounded.insert(site, Charge { cost, assumed, line });
        }
        assert_eq!(rounded.values().map(|charge| charge.cost).sum::<u64>(), total);
        rounded
    }
}
