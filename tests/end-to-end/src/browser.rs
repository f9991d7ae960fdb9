//! A headless Chromium that the tests drive through the `WebDriver` protocol (<https://www.w3.org/TR/webdriver2/>).

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

use crate::skip;

/// Returns the script of axe-core, which finds accessibility faults. Reports that the test is skipped if it is not
/// installed.
#[must_use]
pub fn axe_core() -> Option<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    let script = fs::read_to_string(directory.join("node_modules/axe-core/axe.min.js")).ok();
    if script.is_none() {
        skip("there is no axe-core: `npm ci --prefix tests/end-to-end/browser` installs it");
    }
    script
}

/// A browser with a profile of its own, which ends with this value.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    session: String,
    agent: Agent,
    _profile: TempDir,
}

impl Browser {
    /// Starts Chromium with a window of this width. Reports that the test is skipped if chromedriver is missing.
    #[must_use]
    pub fn start(width: u32) -> Option<Self> {
        let profile = tempfile::tempdir().expect("a temporary directory");
        let mut driver = Command::new("chromedriver");
        // With port 0, the system chooses a free one
        driver.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // All files of both programs are removed with the profile
        driver.env("HOME", profile.path()).env("TMPDIR", profile.path());
        let Ok(mut driver) = driver.spawn() else {
            skip("there is no chromedriver");
            return None;
        };
        let output = BufReader::new(driver.stdout.take().expect("its output"));
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let directory = format!("--user-data-dir={}", profile.path().display());
        let config = Agent::config_builder().http_status_as_error(false).build();
        let mut browser = Self {
            driver,
            session: format!("http://127.0.0.1:{}/session", port.expect("a port")),
            agent: config.into(),
            _profile: profile,
        };
        let size = format!("--window-size={width},900");
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let arguments = [&arguments[..], &[&directory, &size]].concat();
        let capabilities = json!({ "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } });
        let session = browser.post("", &json!({ "capabilities": capabilities }));
        let id = session["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {session}"));
        browser.session = format!("{}/{id}", browser.session);
        Some(browser)
    }

    /// Opens a page and waits until it is loaded.
    pub fn open(&self, url: &str) {
        let _ = self.post("/url", &json!({ "url": url }));
    }

    /// Runs the body of a function and returns what it returns.
    #[must_use]
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs the body of a function and returns what it passes to its argument, which is a function.
    #[must_use]
    pub fn run_async(&self, script: &str) -> Value {
        self.post("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Emulates a device or a medium with a command of Chromium's protocol.
    pub fn emulate(&self, command: &str, parameters: &Value) {
        let _ = self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, x: i64, y: i64) {
        let moved = json!({ "type": "pointerMove", "duration": 0, "x": x, "y": y });
        let _ = self.post(
            "/actions",
            &json!({ "actions": [
            { "type": "pointer", "id": "mouse", "actions": [moved] },
        ] }),
        );
    }

    /// Returns the messages of the console since the last call.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.log("browser").iter().map(ToString::to_string).collect()
    }

    /// Returns the addresses that were requested since the last call, but those of the browser's own pages.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        let entries = self.log("performance").into_iter().filter_map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let is_request = event["method"] == "Network.requestWillBeSent";
            is_request.then(|| event["params"]["request"]["url"].as_str().map(str::to_owned))?
        });
        entries.filter(|url: &String| !url.starts_with("chrome:")).collect()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("/se/log", &json!({ "type": kind }));
        entries.as_array().expect("a list of entries").clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.session);
        let mut response = self.agent.post(&url).send(body.to_string()).expect("an answer");
        let answer = response.body_mut().read_to_string().expect("a text");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session, and chromedriver does not end it when it is killed
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
