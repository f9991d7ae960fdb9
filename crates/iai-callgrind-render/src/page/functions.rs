//! The table of functions, new against old.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use iai_callgrind_base::numbers::{self, grouped};
use iai_callgrind_flamegraph::FunctionCost;
use maud::{Markup, html};

use super::layout::{header, path};
use super::metrics::number_class;

/// Maximum number of functions in the table.
const MOST: usize = 300;

/// A function with its costs in the new and in the old result.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FunctionRow {
    name: String,
    new: Option<Costs>,
    old: Option<Costs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Costs {
    self_cost: u64,
    /// `None` if it is not known.
    inclusive: Option<u64>,
}

/// Functions of a new result, next to the old ones.
#[derive(Debug)]
pub(super) struct Functions {
    rows: Vec<FunctionRow>,
    total: u64,
    /// There is an old result, and it differs.
    has_changed: bool,
}

impl Functions {
    /// Joins the functions of two results by name.
    pub(super) fn new(new: Vec<FunctionCost>, old: Option<Vec<FunctionCost>>) -> Self {
        let total = new.iter().map(|cost| cost.self_cost).sum();
        let is_compared = old.is_some();
        let mut rows: BTreeMap<String, FunctionRow> = BTreeMap::new();
        let costs = |cost: &FunctionCost| {
            Some(Costs { self_cost: cost.self_cost, inclusive: cost.inclusive })
        };
        for cost in new {
            let new = costs(&cost);
            rows.insert(cost.name.clone(), FunctionRow { name: cost.name, new, old: None });
        }
        for cost in old.into_iter().flatten() {
            let old = costs(&cost);
            let row = rows.entry(cost.name.clone());
            row.or_insert(FunctionRow { name: cost.name, new: None, old: None }).old = old;
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        let has_changed = is_compared && rows.iter().any(|row| row.new != row.old);
        rows.retain(|row| row.largest() > 0);
        rows.sort_by_key(|row| Reverse((row.largest(), row.self_cost())));
        Self { rows, total, has_changed }
    }

    /// Returns the section of the page.
    pub(super) fn section(&self) -> Markup {
        let left_out = self.rows.len().saturating_sub(MOST);
        html! {
            section {
                h2 id="functions" { "Functions" }
                p { "Instructions of each function: self, with inlined code, and inclusive, with all calls. "
                    "“–” is a cost that a recursion through other functions makes unknown." }
                p.filter { label { "Filter " input type="search" data-filter="function-table"; } }
                div.scroll.tall tabindex="0" role="region" aria-label="Functions" {
                    table id="function-table" data-sortable {
                        (self.header())
                        tbody { @for row in self.rows.iter().take(MOST) { (self.row(row)) } }
                    }
                }
                @if left_out > 0 {
                    p { (grouped(left_out as u64)) " functions with smaller costs are left out." }
                }
            }
        }
    }

    fn header(&self) -> Markup {
        header([
            Some(("Self", "number")),
            Some(("Share", "number middle")),
            self.has_changed.then_some(("Self change", "number")),
            Some(("Inclusive", "number")),
            self.has_changed.then_some(("Inclusive change", "number")),
            Some(("Function", "")),
        ])
    }

    fn row(&self, row: &FunctionRow) -> Markup {
        let inclusive = |costs: Option<Costs>| costs.map_or(Some(0), |costs| costs.inclusive);
        let (new, old) = (inclusive(row.new), inclusive(row.old));
        let self_cost = |costs: Option<Costs>| costs.map_or(0, |costs| costs.self_cost);
        let (own, old_own) = (self_cost(row.new), self_cost(row.old));
        html! { tr {
            td.number { (grouped(own)) }
            td.number.middle { (share(own, self.total)) }
            @if self.has_changed { (difference(Some(own), Some(old_own))) }
            td.number { @match new { Some(cost) => (grouped(cost)), None => "–" } }
            @if self.has_changed { (difference(new, old)) }
            th scope="row" { code { (path(&row.name)) } }
        } }
    }
}

impl FunctionRow {
    fn sides(&self) -> impl Iterator<Item = Costs> {
        self.new.into_iter().chain(self.old)
    }

    /// Returns the largest of its costs.
    fn largest(&self) -> u64 {
        let costs = self.sides().flat_map(|costs| [costs.self_cost, costs.inclusive.unwrap_or(0)]);
        costs.max().unwrap_or(0)
    }

    fn self_cost(&self) -> u64 {
        self.sides().map(|costs| costs.self_cost).max().unwrap_or(0)
    }
}

/// Formats a share of the total: `12.5 %`.
pub(super) fn share(part: u64, total: u64) -> String {
    if total == 0 {
        return String::new();
    }
    format!("{:.1} %", part as f64 / total as f64 * 100.0)
}

/// Returns the cell of a difference.
pub(super) fn difference(new: Option<u64>, old: Option<u64>) -> Markup {
    let (Some(new), Some(old)) = (new, old) else { return html! { td.number { "–" } } };
    let (text, class) = match new.cmp(&old) {
        Ordering::Greater => (numbers::difference(old, new), Some("worse up")),
        Ordering::Less => (numbers::difference(old, new), Some("better down")),
        Ordering::Equal => ("0".to_owned(), Some("unchanged")),
    };
    html! { td class=(number_class(class)) { (text) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(name: &str, self_cost: u64, inclusive: Option<u64>) -> FunctionCost {
        FunctionCost { name: name.to_owned(), self_cost, inclusive }
    }

    #[test]
    fn functions_of_both_sides_are_joined() {
        let new = vec![cost("a", 5, Some(9)), cost("b", 4, None), cost("zero", 0, Some(0))];
        let old = vec![cost("a", 6, Some(6)), cost("c", 20, Some(20))];
        let functions = Functions::new(new, Some(old));
        let names: Vec<_> = functions.rows.iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["c", "a", "b"], "the largest first, without those that cost nothing");
        assert_eq!(functions.total, 9);
        let html = functions.section().into_string();
        let cell = |class: &str, text: &str| format!("<td class=\"number {class}\">{text}</td>");
        assert!(html.contains(&cell("better down", "-20")), "{html}");
        assert!(html.contains(&cell("worse up", "+3")), "{html}");
        assert!(html.contains("<td class=\"number\">–</td>"), "{html}");
    }
}
