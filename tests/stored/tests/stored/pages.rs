//! Pages for a browser: what they say is what was printed and what the tools wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{
    Line, Run, Suite, annotated_functions, assert_unchanged, clean, git, run, runner, skip, tree,
};

const FIVE: &str = "numbers::fibonacci::five";
const FIFTEEN: &str = "numbers::fibonacci::fifteen";

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

    /// Returns the names of the pages.
    fn files(&self) -> Vec<String> {
        tree(&self.0.join("benchmarks")).into_keys().collect()
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

fn number(text: &str) -> u64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

/// Returns a page without the places at which names can break.
fn text(page: &Path) -> String {
    fs::read_to_string(page).expect("a page").replace("<wbr>", "")
}

/// Returns the row of a metric on a page, by its label on the terminal.
fn metric_row<'a>(page: &'a str, label: &str) -> &'a str {
    let (_, metrics) = page.split_once("<h2 id=\"metrics\">").expect("metrics");
    let titles = [format!(" title=\"{label}\">"), format!(": {label}\">")];
    let mut found = titles.iter().filter_map(|title| metrics.split_once(title.as_str()));
    let (_, rest) = found.next().unwrap_or_else(|| panic!("no {label}"));
    rest.split_once("</tr>").expect("a row").0
}

/// Returns the values of a metric on a page, old and new, by its label on the terminal.
fn metric(page: &str, label: &str) -> [Option<u64>; 2] {
    let cells: Vec<_> = metric_row(page, label).split("</td>").filter_map(cell).collect();
    [0, 1].map(|side| cells.get(side).filter(|cell| *cell != "–").map(|cell| number(cell)))
}

fn report(home: &Path, directory: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).args(["report", "--html"]).arg(directory).args(arguments);
    run(command.env("IAI_CALLGRIND_HOME", home).current_dir(home))
}

#[test]
fn a_run_writes_what_it_prints() {
    let suite = Suite::new("order");
    let _ = suite.report(&["fibonacci"]);
    suite.pretend(FIVE, 100);
    let directory = suite.root().join("site");
    let argument = format!("--report=html:{}", directory.display());
    let ran = suite.run(&["fibonacci", &argument]).expect(0);
    ran.complains(&["wrote the pages of 2 benchmarks: ", "site/index.html"]);
    let pages = Site(directory);
    let start = pages.start();
    assert!(start.contains(">1 worse</span>") && start.contains(">1 unchanged</span>"), "{start}");
    assert!(start.contains("1 of 2 benchmarks is worse"), "{start}");

    let report = ran.report();
    for name in [FIVE, FIFTEEN] {
        let benchmark = report.get(name);
        let page = pages.page(&format!("order::{name}"));
        for Line { label, new, old, .. } in &benchmark.lines {
            assert_eq!(metric(&page, label), [*old, Some(*new)], "{name}: {label}");
        }
        let functions = rows(&page, "<table id=\"function-table\"");
        let sum: u64 = functions.iter().map(|row| number(&row[0])).sum();
        assert_eq!(sum, report.instructions(name), "{name}: {functions:?}");
    }
    for (name, class) in [(FIVE, "number worse up"), (FIFTEEN, "number unchanged")] {
        let page = pages.page(&format!("order::{name}"));
        assert!(metric_row(&page, "Instructions").contains(class), "{page}");
    }
    // The explanation is there although the terminal shows those of regressions only
    assert!(!ran.stdout.contains("instructions ("), "{}", ran.stdout);
    assert!(start.contains("no explanation: the table of the old result can't be used"), "{start}");

    // What the run left is enough for the same pages
    let again = suite.subdirectory("again");
    let _ = self::report(&suite.home(), &again, &[]).expect(0);
    let again = Site(again);
    assert_eq!(again.files(), pages.files());
    let metrics = |pages: &Site| metric(&pages.page(&format!("order::{FIVE}")), "Instructions");
    assert_eq!(metrics(&again), metrics(&pages));
    let limit = "--callgrind-limits=ir=1%";
    let broken = self::report(&suite.home(), &again.0, &[limit]).expect(3);
    broken.complains(&["wrote the pages of 2 benchmarks"]);
    assert!(again.start().contains("(limit "), "{}", again.start());
}

#[test]
fn functions_are_those_of_callgrind_annotate() {
    let suite = Suite::new("flamegraphs");
    let names = suite.report(&["::calls::"]).names();
    let directory = suite.root().join("site");
    let _ = report(&suite.home(), &directory, &[]).expect(0);
    let pages = Site(directory);
    let mut compared = 0;
    for name in &names {
        let profile = suite.result(name, "out");
        let all =
            ["--inclusive=no", "--inclusive=yes"].map(|costs| annotated_functions(&profile, costs));
        let [Some(own), Some(inclusive)] = all else {
            skip("there is no callgrind_annotate");
            return;
        };
        for row in
            rows(&pages.page(&format!("flamegraphs::{name}")), "<table id=\"function-table\"")
        {
            let function = row.last().expect("a name");
            // It has a line for each file that a function has code of
            let sum: u64 = own.get(function).into_iter().flatten().sum();
            assert_eq!(number(&row[0]), sum, "{name}: {function}");
            if let (Ok(cost), Some([only])) =
                (row[2].parse::<u64>(), inclusive.get(function).map(Vec::as_slice))
            {
                let is_recursive = function.contains('\'');
                assert!(
                    cost == *only || is_recursive && cost < *only,
                    "{name}: {function} {cost} {only}"
                );
            }
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn a_directory_with_other_files_is_left_alone() {
    let suite = Suite::new("order");
    let page = suite.subdirectory("page");
    fs::write(page.join("index.html"), "<h1>Pages of iai-callgrind-runner</h1>").expect("a file");
    let data = suite.subdirectory("mine");
    fs::create_dir(data.join("data")).expect("a directory");
    fs::write(data.join("data/numbers.json"), "[1]").expect("a file");
    for directory in [page, data] {
        let before = tree(&directory);
        let argument = format!("--report=html:{}", directory.display());
        let refused = suite.run(&["fibonacci", &argument]).expect(1);
        refused.complains(&["can't write pages into ", "help: name an empty or a new directory"]);
        assert!(refused.stdout.is_empty(), "nothing ran: {}", refused.stdout);
        assert_unchanged(&before, &tree(&directory));
    }
}

#[test]
fn a_run_that_fails_leaves_a_directory_for_the_next_one() {
    let suite = Suite::new("order");
    let directory = suite.root().join("site");
    let argument = format!("--report=html:{}", directory.display());
    let _ = suite.run(&["fibonacci", "--valgrind-path=/missing", &argument]).expect(1);
    let _ = suite.report(&["five", &argument]);
    assert!(Site(directory).start().contains("order::numbers::fibonacci::five"));
}

#[test]
fn results_that_cannot_be_recorded_have_pages() {
    let suite = Suite::new("order");
    let directory = suite.subdirectory("repository");
    let _ = git(&directory, &["init", "--quiet"]);
    let _ = git(&directory, &["commit", "--quiet", "--allow-empty", "--message", "First"]);
    fs::write(directory.join("file"), "not in the commit").expect("a file");
    let pages = suite.root().join("site");
    let argument = format!("--report=html:{}", pages.display());
    let mut command = Command::new(runner());
    clean(&mut command).args(["exec", "--record", &argument, "--", "/bin/true"]);
    command.env("IAI_CALLGRIND_HOME", suite.home()).current_dir(&directory);
    run(&mut command).expect(1).complains(&["error: can't record exec::"]);
    assert!(Site(pages).start().contains("true"));
}

#[test]
fn pages_of_several_files_are_one_site() {
    let (order, other) = (Suite::new("order"), Suite::new("quickstart"));
    let directory = order.root().join("site");
    let argument = format!("--report=html:{}", directory.display());
    let _ = order.report(&["fibonacci"]);
    order.pretend(FIVE, 100);
    let _ = order.report(&["fibonacci", &argument]);
    let pages = Site(directory);
    let first = pages.page(&format!("order::{FIVE}"));
    let (_, explanation) = first.split_once("<pre>").expect("an explanation");
    let (explanation, _) = explanation.split_once("</pre>").expect("its end");
    let _ = other.report(&[&argument]);
    assert!(pages.start().contains(explanation), "{explanation}");
    assert!(pages.start().contains("order::numbers::fibonacci::five"), "{}", pages.start());
    assert_eq!(pages.page(&format!("order::{FIVE}")), first, "it was not written again");
    let before = pages.files();
    assert!(before.len() > 2, "{before:?}");
    // Of the first file, one benchmark is left
    let _ = order.report(&["five", &argument]);
    assert_eq!(pages.files().len(), before.len() - 1);
    assert!(!pages.start().contains("fifteen"), "{}", pages.start());
}

#[test]
fn recorded_commits_are_in_the_chart() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let directory = order.subdirectory("repository");
    let _ = git(&directory, &["init", "--quiet"]);
    let in_repository = |arguments: &[&str]| {
        let mut command = Command::new(runner());
        clean(&mut command).args(arguments).env("IAI_CALLGRIND_HOME", order.home());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        run(command.current_dir(&directory)).expect(0)
    };
    for (subject, count) in [("First", 100), ("Second <b>", 150), ("Third", 120)] {
        fs::write(directory.join("file"), subject).expect("a file");
        let _ = git(&directory, &["add", "file"]);
        let _ = git(&directory, &["commit", "--quiet", "--message", subject]);
        order.pretend(FIVE, count);
        order.measured_at(&directory);
        let _ = in_repository(&["record"]);
    }
    let pages = order.root().join("site");
    let path = pages.to_string_lossy().into_owned();
    let _ = in_repository(&["report", "--html", &path]);
    let page = Site(pages).page(&format!("order::{FIVE}"));
    let marks: Vec<_> = page.split("data-text=\"").skip(1).collect();
    assert!(marks.len() >= 3, "{marks:#?}");
    for (mark, (value, subject)) in
        marks.iter().zip([(100, "First"), (150, "Second &lt;b&gt;"), (120, "Third")])
    {
        assert!(mark.starts_with(&format!("{value} at ")), "{mark}");
        assert!(mark.split_once('"').is_some_and(|(text, _)| text.ends_with(subject)), "{mark}");
    }
}
