//! The crates that are changed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::command::{self, in_file};

use crate::explanations::seeds::{Edit, Profile, Seed};
use crate::harness;
use crate::registry;

/// A crate.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    edition: &'static str,
    source: Source,
    /// Names of the benchmark files, that of the functions first.
    benches: &'static [&'static str],
    /// Lines of the manifest between those of the package and of the benchmark files.
    manifest: &'static str,
}

/// The source of a crate.
#[derive(Debug)]
enum Source {
    /// Files of this directory.
    Own(&'static [(&'static str, &'static str)]),
    /// The library of a published package with this version, and benchmarks of this directory.
    Published { version: &'static str, benchmarks: &'static str },
}

const SAMPLE: &[(&str, &str)] = &[
    ("build.rs", include_str!("sample/build.rs")),
    ("src/generated.rs", include_str!("sample/src/generated.rs")),
    ("src/lib.rs", include_str!("sample/src/lib.rs")),
    ("src/main.rs", include_str!("sample/src/main.rs")),
    ("src/numbers.rs", include_str!("sample/src/numbers.rs")),
    ("src/settings.rs", include_str!("sample/src/settings.rs")),
    ("src/shapes.rs", include_str!("sample/src/shapes.rs")),
    ("src/tables.rs", include_str!("sample/src/tables.rs")),
    ("src/tasks.rs", include_str!("sample/src/tasks.rs")),
    ("src/text.rs", include_str!("sample/src/text.rs")),
    ("src/threads.rs", include_str!("sample/src/threads.rs")),
    ("benches/sample_benchmark.rs", include_str!("sample/benches/sample_benchmark.rs")),
    ("benches/sample_commands.rs", include_str!("sample/benches/sample_commands.rs")),
    ("member/src/lib.rs", include_str!("sample/member/lib.rs")),
    (
        "member/Cargo.toml",
        "[package]\nname = \"member\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    ("../outside/src/lib.rs", include_str!("sample/outside/lib.rs")),
    (
        "../outside/Cargo.toml",
        "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\nchecked = []\n",
    ),
];

/// All crates.
pub(crate) const SUBJECTS: [Subject; 5] = [
    Subject {
        name: "sample",
        edition: "2021",
        source: Source::Own(SAMPLE),
        benches: &["sample_benchmark", "sample_commands"],
        manifest: "[dependencies]\nmember = { path = \"member\" }\noutside = { path = \"../outside\" }\n",
    },
    Subject {
        name: "strsim",
        edition: "2021",
        source: Source::Published {
            version: "0.11.1",
            benchmarks: include_str!("benches/strsim.rs"),
        },
        benches: &["bench"],
        manifest: "",
    },
    Subject {
        name: "heck",
        edition: "2021",
        source: Source::Published { version: "0.5.0", benchmarks: include_str!("benches/heck.rs") },
        benches: &["bench"],
        manifest: "",
    },
    Subject {
        name: "semver",
        edition: "2021",
        source: Source::Published {
            version: "1.0.28",
            benchmarks: include_str!("benches/semver.rs"),
        },
        benches: &["bench"],
        manifest: "[features]\ndefault = [\"std\"]\nstd = []\n",
    },
    Subject {
        name: "smallvec",
        edition: "2018",
        source: Source::Published {
            version: "1.15.1",
            benchmarks: include_str!("benches/smallvec.rs"),
        },
        benches: &["bench"],
        manifest: "[features]\ndefault = []\nunion = []\nwrite = []\n",
    },
];

/// The files of a crate in a directory of its own.
#[derive(Debug)]
pub(crate) struct Package<'a> {
    subject: &'a Subject,
    /// The directory of all packages of the crate.
    root: PathBuf,
    /// The directory of cargo's builds, the same for all crates.
    target: PathBuf,
}

impl<'a> Package<'a> {
    /// Writes the files of a crate.
    pub(crate) fn new(subject: &'a Subject, work: &Path) -> Result<Self, String> {
        let root = work.join(subject.name);
        let target = command::target().join("xtask/explanations");
        let package = Self { subject, root, target };
        match subject.source {
            Source::Own(files) => {
                for (name, text) in files {
                    package.write(name, text)?;
                }
            }
            Source::Published { version, benchmarks } => {
                let published = registry::download(subject.name, version)?;
                registry::copy(&published.join("src"), &package.path("src"))?;
                package.write("benches/bench.rs", benchmarks)?;
            }
        }
        package.reset()?;
        Ok(package)
    }

    /// Sets a build profile, without any change of a lock file or of other configuration.
    pub(crate) fn set(&self, profile: Profile) -> Result<(), String> {
        self.write("Cargo.toml", &self.subject.manifest(profile))
    }

    /// Sets the lock file and the configuration of the first build.
    fn reset(&self) -> Result<(), String> {
        // The versions that are there already, so that nothing is downloaded
        let lock = command::root().join("Cargo.lock");
        self.write("Cargo.lock", &fs::read_to_string(&lock).map_err(in_file(&lock))?)?;
        self.set(Profile::Recommended)
    }

    /// Runs a function while the files are changed.
    pub(crate) fn changed<T>(
        &self,
        seed: &Seed,
        run: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        self.set(seed.profile)?;
        let files = seed.edits.iter().map(|edit| edit.file).chain(["Cargo.lock"]);
        let before = files.map(|file| Ok((file, self.read(file)?)));
        let before = before.collect::<Result<Vec<_>, String>>()?;
        let result = seed.edits.iter().try_for_each(|edit| self.apply(edit)).and_then(|()| run());
        for (file, text) in before {
            match text {
                Some(text) => self.write(file, &text)?,
                None => fs::remove_file(self.path(file)).map_err(in_file(&self.path(file)))?,
            }
        }
        result
    }

    /// Returns the command that runs the benchmarks of a file.
    pub(crate) fn bench(&self, file: &str, runner: &Path, arguments: &[&str]) -> Command {
        let mut command = harness::bench(&self.path("."), file, &self.target);
        command.arg("--").args(arguments).env("IAI_CALLGRIND_RUNNER", runner);
        command.env("IAI_CALLGRIND_HOME", self.root.join("results"));
        command
    }

    fn apply(&self, edit: &Edit) -> Result<(), String> {
        let text = self.read(edit.file)?.unwrap_or_default();
        if edit.old.is_empty() {
            return self.write(edit.file, &(text + edit.new));
        }
        match text.matches(edit.old).count() {
            1 => self.write(edit.file, &text.replace(edit.old, edit.new)),
            number => Err(format!("{}: {number} times {:?}", edit.file, edit.old)),
        }
    }

    fn path(&self, file: &str) -> PathBuf {
        // A package in a directory next to it is outside of its workspace
        match file.strip_prefix("../") {
            Some(file) => self.root.join(file),
            None => self.root.join("package").join(file),
        }
    }

    fn read(&self, file: &str) -> Result<Option<String>, String> {
        let path = self.path(file);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(in_file(&path)(error)),
        }
    }

    fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.path(file);
        let directory = path.parent().unwrap_or(&path);
        fs::create_dir_all(directory).map_err(in_file(directory))?;
        fs::write(&path, text).map_err(in_file(&path))
    }
}

impl Subject {
    /// Returns the benchmark file that a seed changes the results of.
    pub(crate) fn bench(&self, seed: &Seed) -> &'static str {
        // The functions don't depend on the program
        let is_program = seed.edits.iter().all(|edit| edit.file == "src/main.rs");
        self.benches[usize::from(is_program)]
    }

    fn manifest(&self, profile: Profile) -> String {
        let Self { name, edition, manifest, .. } = self;
        let version = match self.source {
            Source::Own(_) => "0.1.0",
            Source::Published { version, .. } => version,
        };
        let library = command::root().join("iai-callgrind");
        let benches: Vec<_> = self
            .benches
            .iter()
            .map(|bench| format!("[[bench]]\nname = \"{bench}\"\nharness = false\n"))
            .collect();
        let benches = benches.join("\n");
        let profile = match profile {
            Profile::Recommended => "debug = 1\ncodegen-units = 1\n",
            Profile::Units => "debug = 1\n",
            Profile::Unoptimized => "debug = 1\ncodegen-units = 1\nopt-level = 0\n",
        };
        format!(
            "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"{edition}\"\n\n[workspace]\n\n{manifest}\n\
             [dev-dependencies]\niai-callgrind = {{ path = \"{}\" }}\n\n{benches}\n[profile.bench]\n{profile}",
            library.display()
        )
    }
}
