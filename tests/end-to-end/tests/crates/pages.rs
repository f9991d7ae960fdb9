//! Pages for a browser: what they say is what was printed and what the tools wrote.

use std::fs;
use std::path::{Path, PathBuf};

use end_to_end_tests::{FreshCrate, run, runner};

/// A pages that was written.
struct Site(PathBuf);

impl Site {
    fn start(&self) -> String {
        text(&self.0.join("index.html"))
    }

    /// Returns the page of the benchmark with this name, which the start page links to.
    fn page(&self, name: &str) -> String {
        let start = self.start();
        let link = format!("\"><bdi>{name}</bdi></a>");
        let (before, _) = start.split_once(&link).unwrap_or_else(|| panic!("no {name}: {start}"));
        let (_, file) = before.rsplit_once('"').expect("a link");
        text(&self.0.join(file))
    }
}

/// Returns the rows of the first table after a text, each with its cells as text.
fn rows(page: &str, after: &str) -> Vec<Vec<String>> {
    let (_, rest) = page.split_once(after).unwrap_or_else(|| panic!("no {after}"));
    let (table, _) = rest.split_once("</table>").expect("a table");
    let (_, body) = table.split_once("<tbody>").expect("rows");
    let rows = body.split("<tr").skip(1);
    rows.map(|row| row.split("</t").filter_map(cell).collect()).collect()
}

/// Returns the text of a cell, up to its end.
fn cell(html: &str) -> Option<String> {
    let start = [html.rfind("<td"), html.rfind("<th")].into_iter().flatten().max()?;
    let mut text = String::new();
    for piece in html[start..].split('<').skip(1) {
        text += piece.split_once('>').map_or("", |(_, text)| text);
    }
    Some(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

/// Returns a page without the places at which names can break.
fn text(page: &Path) -> String {
    fs::read_to_string(page).expect("a page").replace("<wbr>", "")
}

#[test]
fn source_lines_add_up_to_the_count() {
    const LIBRARY: &str = include_str!("explained/lib.rs");
    const BENCHMARK: &str = include_str!("explained/benchmark.rs");
    const PROFILE: &str = "\n[profile.bench]\ndebug = 1\ncodegen-units = 1\n";
    let crate_ = FreshCrate::new("paged", &BENCHMARK.replace("explained", "paged"), PROFILE);
    crate_.write("src/lib.rs", LIBRARY);
    let directory = crate_.directory().join("site");
    let mut command = crate_.cargo_bench();
    let argument = format!("--report=html:{}", directory.display());
    command.args(["--bench", &crate_.file(), "--", &argument]);
    let ran = run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
    let report = ran.report();
    let pages = Site(directory);
    for name in ["group::most_frequent::short", "group::areas"] {
        let page = pages.page(&format!("paged_benchmark::{name}"));
        let (_, rest) = page.split_once("<h2 id=\"source\">Source</h2><p>").expect("source lines");
        let (section, _) = rest.split_once("</section>").expect("the end of the section");
        let (text, listings) = section.split_once("</p>").expect("a text");
        let text = text.replace(',', "");
        let numbers =
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
        let numbers: Vec<u64> = numbers.collect();
        let (of_lines, total, none) = (numbers[0], numbers[1], *numbers.last().expect("a number"));
        assert_eq!((of_lines + none, total), (total, report.instructions(name)), "{text}");
        let mut sum = 0;
        for listing in listings.split("<details").skip(1) {
            let lines = rows(listing, "<summary>");
            sum += lines
                .iter()
                .filter_map(|row| row[0].replace(',', "").parse::<u64>().ok())
                .sum::<u64>();
        }
        assert_eq!(sum, of_lines, "{name}: each line has its own cost, once");
        // Lines without costs are around those with one
        assert!(listings.contains("fn most_frequent") || name != "group::most_frequent::short");
    }
}
