//! Owners of costs.
//!
//! A cost belongs to the innermost user function on its inline stack. Without one, calls lead to
//! it: the cost is split among the callers in proportion to the inclusive cost of their calls, or
//! to their number for a function that calls the user's code back. With several callers the split
//! is an assumption.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// The names of the user's functions, which are the same in both tables.
pub(crate) struct Aliases {
    /// Full names of functions by the last part and the file, which is all that line tables have.
    full: HashMap<(String, String), Option<String>>,
    /// Functions that have another name in the other table.
    same: HashMap<String, String>,
}

impl Aliases {
    /// Collects the names of both tables: a function that is inlined in one can have a symbol in the other.
    pub(crate) fn new(old: &Table, new: &Table) -> Self {
        let mut full: HashMap<_, Option<String>> = HashMap::new();
        for table in [old, new] {
            for frame in &table.frames {
                let name = names::function(table.text(frame.name));
                if !name.contains("::") {
                    continue;
                }
                let key = (names::last(&name).to_owned(), table.text(frame.file).to_owned());
                let known = full.entry(key).or_insert_with(|| Some(name.clone()));
                if known.as_ref().is_some_and(|known| *known != name) {
                    *known = None;
                }
            }
        }
        let mut aliases = Self { full, same: HashMap::new() };
        let [old, new] = [old, new].map(|table| aliases.texts(table));
        aliases.same = same_functions(&old, &new);
        aliases
    }

    /// Returns the name of a frame, independent of where it was inlined; `None` for a closure whose
    /// function is not known.
    pub(crate) fn name(&self, table: &Table, frame: &Frame) -> Option<String> {
        self.own_name(table, frame).map(|name| self.common(name))
    }

    /// Returns the name that a function has in both tables.
    pub(crate) fn common(&self, name: String) -> String {
        self.same.get(&name).cloned().unwrap_or(name)
    }

    fn own_name(&self, table: &Table, frame: &Frame) -> Option<String> {
        let name = names::function(table.text(frame.name));
        if name.contains("::") {
            return Some(name);
        }
        let last = names::last(&name).to_owned();
        if last.is_empty() || last.starts_with("{closure") {
            return None;
        }
        let key = (last.clone(), table.text(frame.file).to_owned());
        Some(self.full.get(&key).cloned().flatten().unwrap_or(last))
    }

    /// Returns the identifying lines of each function: lines whose text occurs once in the file.
    /// The first line, with the name, is left out, because another implementation of a trait can
    /// have the same one.
    fn texts(&self, table: &Table) -> BTreeMap<String, BTreeSet<u32>> {
        let mut lines: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
        for frame in table.frames.iter().filter(|frame| frame.text != 0) {
            let file = table.files.get(table.text(frame.file));
            if file.is_some_and(|file| file.texts.number_of(frame.text) == 1) {
                let name = self.own_name(table, frame).unwrap_or_default();
                lines.entry(name).or_default().insert(frame.line, frame.text);
            }
        }
        let body = |mut lines: BTreeMap<u32, u32>| {
            if lines.len() > 1 {
                lines.pop_first();
            }
            lines.into_values().collect()
        };
        lines.into_iter().map(|(name, lines)| (name, body(lines))).collect()
    }
}

/// Finds functions that have different names in two tables: they moved to another module, or the
/// manglings name a method by the trait or by the type. Their names end in the same way, and most
/// of their lines have the same text.
fn same_functions(
    old: &BTreeMap<String, BTreeSet<u32>>,
    new: &BTreeMap<String, BTreeSet<u32>>,
) -> HashMap<String, String> {
    let number = |a: &BTreeSet<u32>, b: &BTreeSet<u32>| a.intersection(b).count();
    let mut same = HashMap::new();
    let [gone, added] = [(old, new), (new, old)]
        .map(|(own, other)| own.iter().filter(move |(name, _)| !other.contains_key(*name)));
    let added: Vec<_> = added.collect();
    for (before, texts) in gone {
        let is_same = |(name, others): &&(&String, &BTreeSet<u32>)| {
            names::last(name) == names::last(before)
                && number(texts, others) * 2 > texts.len().min(others.len())
        };
        let matching: Vec<_> = added.iter().filter(is_same).map(|(name, _)| *name).collect();
        match &*matching {
            [] => {}
            [after] => drop(same.insert(before.clone(), (*after).clone())),
            // One function in the old table, whose instances have their own names in the new one
            several => same.extend(several.iter().map(|name| ((*name).clone(), before.clone()))),
        }
    }
    same
}

/// Returns the owner and the line of code with this stack; `None` without a user frame.
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

/// Returns the user's functions with the places of instructions without a line, such as those that
/// save registers.
fn own_functions(table: &Table, aliases: &Aliases) -> BTreeMap<u32, Site> {
    let mut own = BTreeMap::new();
    for row in &table.rows {
        let Some(outermost) = table.stacks[row.stack as usize].first() else { continue };
        let frame = &table.frames[*outermost as usize];
        if frame.name != table.functions[row.function as usize].name {
            continue;
        }
        if let Some(owner) = aliases.name(table, frame) {
            let (owner, file) = (Some(owner), table.text(frame.file).to_owned());
            own.insert(row.function, Site { owner, file, text: 0, via: None });
        }
    }
    own
}

/// Returns the place of a row or a call without debug information: the crate of its function.
fn crate_site(table: &Table, function: u32) -> Option<(Site, u32)> {
    let krate = names::crate_of(table.function_name(function))?;
    let owner = Some(format!("crate {krate}"));
    Some((Site { owner, file: String::new(), text: 0, via: None }, 0))
}

/// Returns the cost of each place under the first event. The sum is the total.
///
/// With `by_crate`, the owners are crates, for lack of debug information.
pub(crate) fn charge(table: &Table, aliases: &Aliases, by_crate: bool) -> BTreeMap<Site, Charge> {
    let own = if by_crate { BTreeMap::new() } else { own_functions(table, aliases) };
    let place = |function, stack| {
        if by_crate {
            crate_site(table, function)
        } else {
            let without_line = || Some((own.get(&function)?.clone(), 0));
            site(table, aliases, stack).or_else(without_line)
        }
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
    let calls_back = calling_back(table, by_crate);
    let mut callers = vec![Vec::new(); table.functions.len()];
    for edge in table.edges.iter().filter(|edge| edge.caller != edge.callee && edge.inclusive > 0) {
        let site = place(edge.caller, edge.stack);
        let callee = edge.callee as usize;
        // Most of the inclusive cost of a function that calls the user's code back belongs to this
        // code
        let weight = if calls_back[callee] { edge.times } else { edge.inclusive };
        callers[callee].push((edge.caller as usize, site, weight.max(1) as f64));
    }
    flow_up(table, flow, &callers, &mut parts);
    parts.round(table.totals.first().copied().unwrap_or_default())
}

/// Returns for each library function whether its calls lead to a user place.
fn calling_back(table: &Table, by_crate: bool) -> Vec<bool> {
    let mut calls_back = vec![false; table.functions.len()];
    for row in &table.rows {
        let is_own = if by_crate {
            crate_site(table, row.function).is_some()
        } else {
            !table.stacks[row.stack as usize].is_empty()
        };
        calls_back[row.function as usize] |= is_own;
    }
    let mut callers = vec![Vec::new(); table.functions.len()];
    for edge in &table.edges {
        callers[edge.callee as usize].push(edge.caller as usize);
    }
    let mut found: Vec<_> =
        (0..calls_back.len()).filter(|&function| calls_back[function]).collect();
    while let Some(function) = found.pop() {
        for &caller in &callers[function] {
            if !calls_back[caller] {
                calls_back[caller] = true;
                found.push(caller);
            }
        }
    }
    calls_back
}

type Caller = (usize, Option<(Site, u32)>, f64);

/// Passes costs on to the callers until they reach a user place.
fn flow_up(table: &Table, mut flow: Vec<Flow>, callers: &[Vec<Caller>], parts: &mut Parts) {
    /// Recursion does not divide further: it ends here.
    const DEEPEST: usize = 500;
    const NEGLIGIBLE: f64 = 1e-6;
    for depth in 0..=DEEPEST {
        let mut next = vec![Flow::default(); flow.len()];
        let mut is_over = true;
        for (function, flow) in flow.iter().enumerate().filter(|(_, flow)| flow.cost > NEGLIGIBLE) {
            is_over = false;
            let via = names::short(table.text(table.functions[function].name));
            let callers = &callers[function];
            let sum: f64 = callers.iter().map(|(.., weight)| weight).sum();
            if callers.is_empty() || depth == DEEPEST {
                let site = Site { owner: None, file: String::new(), text: 0, via: Some(via) };
                parts.add(site, 0, *flow);
                continue;
            }
            let is_split = callers.len() > 1;
            for (caller, site, weight) in callers {
                let share = weight / sum;
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
