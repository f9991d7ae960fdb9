//! Pages in a browser: sorting, filtering, zooming, searching, and nothing that leaves the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use end_to_end_tests::{Browser, Suite, axe_core, clean, git, run, runner};
use serde_json::{Value, json};

const FIVE: &str = "numbers::fibonacci::five";

fn runner_in(directory: &Path, home: &Path, arguments: &[&str]) {
    let mut command = Command::new(runner());
    clean(&mut command).args(arguments).env("IAI_CALLGRIND_HOME", home).current_dir(directory);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let _ = run(&mut command).expect(0);
}

fn url(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Returns the pages of two benchmarks, one of them with three recorded commits.
fn pages_with_history(suite: &Suite) -> PathBuf {
    let directory = suite.subdirectory("repository");
    let _ = git(&directory, &["init", "--quiet"]);
    for (subject, count) in [("First", 100), ("Second", 150), ("Third", 120)] {
        fs::write(directory.join("file"), subject).expect("a file");
        let _ = git(&directory, &["add", "file"]);
        let _ = git(&directory, &["commit", "--quiet", "--message", subject]);
        suite.pretend(FIVE, count);
        suite.measured_at(&directory);
        runner_in(&directory, &suite.home(), &["record"]);
    }
    let pages = suite.root().join("pages");
    runner_in(&directory, &suite.home(), &["report", "--html", &pages.to_string_lossy()]);
    pages
}

/// Returns the summaries of a run with other names and counts.
fn renamed(suite: &Suite, names: impl Iterator<Item = (String, u64)>) -> PathBuf {
    let report = suite.run(&["five", "--output-format=json"]).expect(0).stdout;
    let summary: Value = serde_json::from_str(&report).expect("a summary");
    let mut text = String::new();
    for (name, count) in names {
        let mut summary = summary.clone();
        summary["name"] = json!(name);
        let instructions = &mut summary["tools"][0]["total"]["Ir"];
        instructions["new"] = json!(count);
        instructions["old"] = json!(1000);
        text.push_str(&summary.to_string());
        text.push('\n');
    }
    let path = suite.root().join("renamed.json");
    fs::write(&path, text).expect("a file");
    path
}

/// Returns the pages of a file with summaries.
fn pages_of(suite: &Suite, file: &Path) -> PathBuf {
    let directory = suite.root().join("pages");
    let arguments = ["report", "--html", &directory.to_string_lossy(), &file.to_string_lossy()];
    runner_in(suite.root(), &suite.home(), &arguments);
    directory
}

/// Returns the text in the cells of a column of the rows that are shown.
fn column(browser: &Browser, table: &str, column: usize) -> Vec<String> {
    let script = format!(
        "return [...document.getElementById('{table}').tBodies[0].rows]
            .filter(row => row.getClientRects().length > 0)
            .map(row => row.cells[{column}].textContent.trim());"
    );
    serde_json::from_value(browser.run(&script)).expect("texts")
}

fn type_into(browser: &Browser, selector: &str, text: &str) {
    let _ = browser.run(&format!(
        "const field = document.querySelector({selector:?}); field.value = {text:?};
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    ));
}

/// Demands that nothing was requested but the files of the pages, and that the console is empty.
fn assert_alone(browser: &Browser, pages: &Path) {
    let foreign = browser.requests().into_iter().filter(|request| {
        !request.starts_with(&url(pages))
            && !request.starts_with("data:")
            && !request.starts_with("about:")
    });
    assert_eq!(foreign.collect::<Vec<_>>(), [""; 0]);
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn tables_sort_and_filter() {
    let suite = Suite::new("order");
    let Some(browser) = Browser::start(1200) else { return };
    let counts = [("a::g::two", 9), ("a::g::ten", 1000), ("a::g::one", 200), ("a::h::two", 2000)];
    let names = counts.iter().map(|(name, count)| ((*name).to_owned(), *count));
    let file = renamed(&suite, names);
    let pages = pages_of(&suite, &file);
    browser.open(&url(&pages.join("index.html")));
    let click = |column: usize| {
        let _ = browser.run(&format!(
            "document.querySelectorAll('#benchmark-table thead button')[{column}].click();"
        ));
    };
    let values = || column(&browser, "benchmark-table", 2);
    assert_eq!(values(), ["2,000", "9", "200"], "worse ones, then better ones; others are folded");
    type_into(&browser, "[data-filter]", "ten");
    assert_eq!(values(), ["1,000"], "a name is found among all");
    type_into(&browser, "[data-filter]", "");
    type_into(&browser, "[data-status]", "");
    assert_eq!(values(), ["2,000", "9", "200", "1,000"]);
    click(2);
    assert_eq!(values(), ["2,000", "1,000", "200", "9"]);
    click(2);
    assert_eq!(values(), ["9", "200", "1,000", "2,000"]);
    let sorted = browser.run("return document.querySelectorAll('th[aria-sort=ascending]').length;");
    assert_eq!(sorted, 1);
    click(3);
    let changes = column(&browser, "benchmark-table", 3);
    assert_eq!(changes, ["+100 %", "0 %", "-80.0 %", "-99.1 %"]);
    click(0);
    assert_eq!(
        column(&browser, "benchmark-table", 0),
        ["a::g::one", "a::g::ten", "a::g::two", "a::h::two"]
    );
    type_into(&browser, "[data-filter]", "TWO a::");
    assert_eq!(column(&browser, "benchmark-table", 0), ["a::g::two", "a::h::two"]);
    type_into(&browser, "[data-status]", "worse");
    assert_eq!(column(&browser, "benchmark-table", 0), ["a::h::two"]);
    let count = browser.run("return document.querySelector('[data-count]').value;");
    assert_eq!(count, "1 of 4 benchmarks");
    assert_alone(&browser, &pages);
}

#[test]
fn charts_and_flamegraphs_answer() {
    let (suite, _) = Suite::after("order", &["fibonacci"]);
    let Some(browser) = Browser::start(1200) else { return };
    let pages = pages_with_history(&suite);
    browser.open(&url(&pages.join("index.html")));
    let _ = browser.run(
        "const links = [...document.querySelectorAll('#benchmark-table a')];
         links.find(a => a.textContent.endsWith('five')).click();",
    );
    let title = browser.run("return document.title;");
    assert_eq!(title, format!("order::{FIVE}"));
    // The middle of the three commits, then the next one by the keyboard
    let place = browser.run(
        "const mark = document.querySelectorAll('circle[data-text]')[1];
         mark.scrollIntoView({ block: 'center' });
         const box = mark.getBoundingClientRect();
         return [Math.round(box.x + box.width / 2), Math.round(box.y + 20)];",
    );
    browser.point(place[0].as_i64().expect("a place"), place[1].as_i64().expect("a place"));
    let output = || browser.run("return document.querySelector('figure output').value;");
    let second = output();
    assert!(
        second.as_str().is_some_and(|text| text.starts_with("150 at ") && text.ends_with("Second")),
        "{second}"
    );
    let _ = browser.run(
        "const chart = document.querySelector('[data-chart]');
         chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));",
    );
    let third = output();
    assert!(third.as_str().is_some_and(|text| text.ends_with("Third")), "{third}");

    // Frames are loaded when they are in view
    let _ = browser.run("document.querySelector('iframe').scrollIntoView();");
    let in_frame = |script: &str| {
        browser.run(&format!(
            "const frame = document.querySelector('iframe').contentWindow;
             const own = frame.document; {script}"
        ))
    };
    let is_ready = || {
        in_frame(
            "return typeof frame.search === 'function'
                && own.querySelector('#frames [tabindex]') !== null;",
        )
    };
    let end = Instant::now() + Duration::from_secs(60);
    while is_ready() != true {
        assert!(Instant::now() < end, "the flamegraph is not loaded");
        thread::sleep(Duration::from_millis(50));
    }
    type_into(&browser, "[data-search]", "other");
    let matched = in_frame("return own.getElementById('matched').textContent;");
    assert_eq!(matched, "Matched: 100%");
    let _ = in_frame(
        "const frames = [...own.querySelectorAll('#frames > *')];
         const other = frames.find(f => f.textContent.startsWith('other'));
         other.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));",
    );
    let parents = || in_frame("return own.querySelectorAll('#frames .parent').length;");
    assert_eq!(parents(), 1, "`all` is above the frame");
    let _ = in_frame("own.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));");
    assert_eq!(parents(), 0);
    let narrow = json!({ "width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.emulate("Emulation.setDeviceMetricsOverride", &narrow);
    let sideways = browser.run(
        "const { scrollWidth, clientWidth } = document.getElementById('function-table').parentElement;
         return scrollWidth - clientWidth;",
    );
    assert_eq!(sideways, 0, "functions on a narrow page");
    type_into(&browser, "[data-filter]", "missing");
    assert_eq!(column(&browser, "function-table", 0), [""; 0]);
    assert_alone(&browser, &pages);
}

/// Returns the summary with an explanation that names a line of the source.
fn explained(mut summary: Value, cause: u64) -> Value {
    let line = |number: u64, change: &str, old: u64, new: u64| json!({ "number": number, "text": "    sum += <b>;", "change": change, "old": old, "new": new });
    let entry = json!({
        "function": format!("f{cause}"), "file": "src/lib.rs", "line": 7, "kind": "other-code",
        "old": 100, "new": 200, "share": 1.0,
    });
    summary["tools"][0]["explanation"] = json!({
        "verdict": "changed-lines",
        "text": ["+100 instructions"],
        "cause": {
            "name": format!("f{cause}"), "text": format!("f{cause}, src/lib.rs:7 changed"),
            "function": format!("f{cause}"), "file": "src/lib.rs", "line": 7,
        },
        "source": { "file": "src/lib.rs", "lines": [
            line(6, "none", 50, 50), line(7, "removed", 50, 0), line(7, "added", 0, 150),
        ] },
        "entries": [entry],
        "executed_in": [],
        "changed_files": null,
    });
    summary
}

/// Returns pages with fifty changes of four causes.
fn fifty_changes(suite: &Suite) -> PathBuf {
    let names = (0..50).map(|number| (format!("a::g::f{number}"), 700 + 20 * number));
    let file = renamed(suite, names);
    let text = fs::read_to_string(&file).expect("summaries");
    let summaries = text.lines().zip(0..).map(|(line, number)| {
        explained(serde_json::from_str(line).expect("a summary"), number % 4).to_string()
    });
    fs::write(&file, summaries.collect::<Vec<_>>().join("\n")).expect("a file");
    pages_of(suite, &file)
}

/// Runs axe-core on the page that is open, with all details shown, and returns the rules that are violated.
fn violations(browser: &Browser, axe: &str) -> Vec<String> {
    let _ = browser.run(axe);
    let script = "const [done] = arguments;
        for (const folded of document.querySelectorAll('details')) folded.open = true;
        axe.run(document, { iframes: false }).then(
            ({ violations }) => done(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)),
            (error) => done([String(error)]));";
    serde_json::from_value(browser.run_async(script)).expect("texts")
}

#[test]
fn pages_are_accessible_in_each_state() {
    let suite = Suite::new("order");
    let Some(browser) = Browser::start(1200) else { return };
    let Some(axe) = axe_core() else { return };
    let report = |state: &str, arguments: &[&str]| {
        let directory = suite.root().join(state);
        let argument = format!("--report=html:{}", directory.display());
        let _ = suite.run(&[&["fibonacci", &argument], arguments].concat());
        directory
    };
    let first = report("first", &[]);
    let equal = report("equal", &[]);
    suite.pretend(FIVE, 100);
    let one = report("one", &["--callgrind-limits=ir=1%"]);
    let fifty = fifty_changes(&suite);
    for (pages, verdict) in [
        (first, "2 benchmarks, without earlier results"),
        (equal, "Nothing changed in 2 benchmarks."),
        (one, "1 of 2 benchmarks exceeds a limit"),
        (fifty, "are better, for 4 known causes. The worst, "),
    ] {
        browser.open(&url(&pages.join("index.html")));
        let sentence = browser.run("return document.querySelector('.verdict').textContent;");
        assert!(sentence.as_str().is_some_and(|text| text.contains(verdict)), "{sentence}");
        let page = browser.run("return document.querySelector('#benchmark-table a').href;");
        let page = page.as_str().expect("a link").to_owned();
        for scheme in ["light", "dark"] {
            let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
            browser.emulate("Emulation.setEmulatedMedia", &json!({ "features": feature }));
            for page in [&url(&pages.join("index.html")), &page] {
                browser.open(page);
                assert_eq!(violations(&browser, &axe), [""; 0], "{page}, {scheme}");
            }
        }
        assert_alone(&browser, &pages);
    }
}

/// The smallest contrast of texts with the background.
const CONTRAST: &str = "
    const light = (color) => color.match(/[0-9.]+/g).slice(0, 3).map(Number).map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, index) => sum + c * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = light(getComputedStyle(document.body).backgroundColor);
    const contrasts = [...document.querySelectorAll('p, a, td, th, .badge, .worse, .better, .failed, footer, summary')]
        .map(element => light(getComputedStyle(element).color))
        .map(text => (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05));
    return Math.min(...contrasts);";

#[test]
fn names_do_no_harm_and_fit() {
    let suite = Suite::new("order");
    let Some(browser) = Browser::start(1200) else { return };
    let long = "long_".repeat(60);
    let names = [
        "a::b::<script>document.title='x'</script>",
        "a::b::\"><img src=x onerror=document.title='x'>",
        "a::b::'&amp;\"",
        "a::b::שלום \u{202e}abc עולם",
        &long,
        "a::b::\u{1b}[31m\t",
    ];
    // In the order of the table: the largest increase first
    let counts = [1500, 1400, 1300, 1200, 20, 1000];
    let file = renamed(&suite, names.iter().map(ToString::to_string).zip(counts));
    let pages = pages_of(&suite, &file);
    let start = url(&pages.join("index.html"));
    browser.open(&start);
    assert_eq!(browser.run("return document.title;"), "Benchmarks of benchmark-tests");
    let shown: Vec<String> = serde_json::from_value(browser.run(
        "return [...document.querySelectorAll('#benchmark-table bdi')]
                .map(name => name.textContent);",
    ))
    .expect("texts");
    let visible =
        ["\u{202e}", "\u{1b}"].map(|control| (control, control.escape_unicode().to_string()));
    let visible = |name: &&str| {
        visible.iter().fold((*name).to_owned(), |name, (control, text)| name.replace(control, text))
    };
    let visible: Vec<String> = names.iter().map(visible).collect();
    assert_eq!(shown, visible);
    let links = browser
        .run("return [...document.querySelectorAll('#benchmark-table a')].map(a => a.href);");
    let links: Vec<String> = serde_json::from_value(links).expect("links");
    for scheme in ["light", "dark"] {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        browser.emulate("Emulation.setEmulatedMedia", &json!({ "features": feature }));
        for width in [400, 1200] {
            let size =
                json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
            browser.emulate("Emulation.setDeviceMetricsOverride", &size);
            let first = [(&start, "Benchmarks of benchmark-tests")];
            let others = links.iter().zip(visible.iter().map(String::as_str));
            for (page, name) in first.into_iter().chain(others) {
                browser.open(page);
                let heading = browser.run("return document.querySelector('h1').textContent;");
                assert_eq!(heading, name);
                assert_ne!(browser.run("return document.title;"), "x");
                let wide = browser.run(
                    "const root = document.documentElement;
                     return root.scrollWidth - root.clientWidth;",
                );
                assert_eq!(wide, 0, "{name} at {width} pixels");
                let contrast = browser.run(CONTRAST).as_f64().expect("a number");
                assert!(contrast >= 4.5, "{scheme}: {contrast}");
            }
        }
    }
    assert_alone(&browser, &pages);
}

#[test]
fn thousands_of_benchmarks() {
    let suite = Suite::new("order");
    let Some(browser) = Browser::start(1200) else { return };
    let name = |number: u64| {
        format!("my_benchmark::group_{}::a_function_with_a_longer_name::case_{number}", number % 7)
    };
    let file =
        renamed(&suite, (0..5000).map(|number| (name(number), 1000 + number % 13 / 12 * number)));
    let pages = pages_of(&suite, &file);
    let start = pages.join("index.html");
    let bytes = fs::metadata(&start).expect("a file").len();
    assert!(bytes < 3_000_000, "{bytes} bytes");
    browser.open(&url(&start));
    let loaded = browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd;");
    let used = browser.run(
        "const start = performance.now();
         document.querySelectorAll('#benchmark-table thead button')[1].click();
         document.body.getBoundingClientRect();
         return performance.now() - start;",
    );
    println!("{bytes} bytes, loaded in {loaded} ms, sorted in {used} ms");
    // A busy machine is slower than the second that people notice
    let milliseconds = loaded.as_f64().expect("a number") + used.as_f64().expect("a number");
    assert!(milliseconds < 10_000.0, "{milliseconds} ms");
    assert_eq!(column(&browser, "benchmark-table", 0).len(), 200);
    type_into(&browser, "[data-status]", "");
    type_into(&browser, "[data-filter]", "case_4999");
    assert_eq!(column(&browser, "benchmark-table", 0), [name(4999)]);
    type_into(&browser, "[data-filter]", "");
    let _ = browser.run("document.querySelector('[data-all]').click();");
    assert_eq!(column(&browser, "benchmark-table", 0).len(), 5000);
}
