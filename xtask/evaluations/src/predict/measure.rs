//! The package with the benchmarks, which is built outside of the workspace.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use xtask::command::{self, in_file};

use crate::harness;
use crate::predict::function::Function;

/// The files of the package next to its manifest.
const FILES: [(&str, &str); 22] = [
    ("lib.rs", ""),
    ("main.rs", include_str!("benches/main.rs")),
    ("inputs.rs", include_str!("benches/inputs.rs")),
    ("std_collections.rs", include_str!("benches/std_collections.rs")),
    ("std_numbers.rs", include_str!("benches/std_numbers.rs")),
    ("std_text.rs", include_str!("benches/std_text.rs")),
    ("base64.rs", include_str!("benches/base64.rs")),
    ("fnv.rs", include_str!("benches/fnv.rs")),
    ("hashbrown.rs", include_str!("benches/hashbrown.rs")),
    ("heck.rs", include_str!("benches/heck.rs")),
    ("httparse.rs", include_str!("benches/httparse.rs")),
    ("indexmap.rs", include_str!("benches/indexmap.rs")),
    ("itoa.rs", include_str!("benches/itoa.rs")),
    ("memchr.rs", include_str!("benches/memchr.rs")),
    ("miniz_oxide.rs", include_str!("benches/miniz_oxide.rs")),
    ("percent_encoding.rs", include_str!("benches/percent_encoding.rs")),
    ("ryu.rs", include_str!("benches/ryu.rs")),
    ("semver.rs", include_str!("benches/semver.rs")),
    ("smallvec.rs", include_str!("benches/smallvec.rs")),
    ("strsim.rs", include_str!("benches/strsim.rs")),
    ("textwrap.rs", include_str!("benches/textwrap.rs")),
    ("unicode_segmentation.rs", include_str!("benches/unicode_segmentation.rs")),
];

const MANIFEST: &str = include_str!("benches/manifest.toml");

/// The benchmarks of all functions.
#[derive(Debug)]
pub(crate) struct Suite {
    directory: PathBuf,
    runner: PathBuf,
}

impl Suite {
    /// Writes the package. It stays in the target directory, so that a second run builds nothing.
    pub(crate) fn new() -> Result<Self, String> {
        let runner = harness::runner()?;
        let directory = command::target().join("xtask/predict");
        fs::create_dir_all(&directory).map_err(in_file(&directory))?;
        let library = command::root().join("iai-callgrind").display().to_string();
        let dependency = format!("[dependencies]\niai-callgrind = {{ path = {library:?} }}");
        let manifest = MANIFEST.replacen("[dependencies]", &dependency, 1);
        for (name, text) in FILES.into_iter().chain([("Cargo.toml", &*manifest)]) {
            let file = directory.join(name);
            // An equal file keeps its time, so that cargo builds nothing
            if fs::read_to_string(&file).ok().as_deref() != Some(text) {
                fs::write(&file, text).map_err(in_file(&file))?;
            }
        }
        Ok(Self { directory, runner })
    }

    /// Counts and times each function.
    pub(crate) fn measure(&self, budget: &str) -> Result<Vec<Function>, String> {
        println!("counting");
        let counted =
            harness::summaries(self.bench().args(["--", "--callgrind-args=--branch-sim=yes"]))?;
        println!("timing {} functions for {budget} each", counted.len());
        let budget = format!("--time-budget={budget}");
        let timed = harness::summaries(self.bench().args(["--", "--time", &budget]))?;
        let function = |counted: &iai_callgrind_summary::Summary| {
            let same = timed.iter().find(|timed| timed.name == counted.name);
            Function::new(counted, same.ok_or_else(|| format!("{}: no time", counted.name))?)
        };
        counted.iter().map(function).collect()
    }

    fn bench(&self) -> Command {
        let mut command =
            harness::bench(&self.directory, "predict", &self.directory.join("target"));
        command.env("IAI_CALLGRIND_RUNNER", &self.runner);
        command.env("IAI_CALLGRIND_OUTPUT_FORMAT", "json");
        command
    }
}
