//! Malicious archives: nothing is written outside of the directory of results, and the size is bounded.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use tar::EntryType;
use tempfile::TempDir;

use super::*;
use crate::names::decode_name;

/// Paths of two files of the baseline `main`.
const PLACE: &str = "crate/file/group/f.id/callgrind.f.id.base@main.out";
const OTHER: &str = "crate/file/group/f.id/callgrind.f.id.base@main.log";

/// An entry of an archive.
struct Item<'a> {
    path: &'a str,
    kind: EntryType,
    content: &'a [u8],
    /// Target of a link.
    link: &'a str,
}

impl<'a> Item<'a> {
    fn file(path: &'a str, content: &'a [u8]) -> Self {
        Self { path, kind: EntryType::Regular, content, link: "" }
    }
}

/// A directory of results and an archive.
struct Lab {
    root: TempDir,
}

impl Lab {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        Self { root }
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn archive(&self) -> PathBuf {
        self.root.path().join("archive.tar.gz")
    }

    /// Exports the baseline `main`.
    fn export(&self, force: bool) -> std::result::Result<(), String> {
        let main = Export { file: &self.archive(), baseline: "main", filters: &[], force };
        export(&self.home(), &main).map(drop).map_err(|error| error.to_string())
    }

    /// Imports files with these flags.
    fn import_files(&self, files: &[PathBuf], flags: &[&str]) -> std::result::Result<(), String> {
        let has = |flag| flags.contains(&flag);
        let baselines =
            Import { files, force: has("--force"), allow_missing: has("--allow-missing") };
        import(&self.home(), &baselines).map(drop).map_err(|error| error.to_string())
    }

    /// Imports an archive of these entries after a manifest of these files.
    fn import(&self, files: &[Entry], items: &[Item<'_>]) -> std::result::Result<(), String> {
        let manifest = Manifest {
            version: manifest::VERSION,
            runner: String::new(),
            baseline: "main".to_owned(),
            files: files.iter().map(Entry::clone).collect(),
            shards: BTreeMap::new(),
        };
        let json = serde_json::to_vec(&manifest).unwrap();
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        append(&mut archive, manifest::NAME, json.len() as u64, &*json).unwrap();
        for item in items {
            let mut header = Header::new_gnu();
            header.set_entry_type(item.kind);
            header.set_size(item.content.len() as u64);
            // Without the functions of `tar`, which reject such paths
            header.as_old_mut().name[..item.path.len()].copy_from_slice(item.path.as_bytes());
            header.as_old_mut().linkname[..item.link.len()].copy_from_slice(item.link.as_bytes());
            header.set_cksum();
            archive.append(&header, item.content).unwrap();
        }
        self.import_bytes(&archive.into_inner().unwrap().finish().unwrap())
    }

    fn import_bytes(&self, bytes: &[u8]) -> std::result::Result<(), String> {
        fs::write(self.root.path().join("archive.tar.gz"), bytes).unwrap();
        self.import_files(&[self.archive()], &[])
    }

    /// Returns all files but locks, from the root on.
    fn files(&self) -> Vec<String> {
        let mut directories = vec![self.root.path().to_owned()];
        let mut files = Vec::new();
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    directories.push(path);
                } else if !path.ends_with(".lock") && !path.ends_with(".format-version") {
                    let path = path.strip_prefix(self.root.path()).unwrap();
                    files.push(path.display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

fn entry_of(path: &str, content: &[u8]) -> Entry {
    let (size, checksum) = copy(&mut &*content, &mut io::sink()).unwrap();
    Entry { path: path.to_owned(), size, checksum }
}

#[test]
fn a_valid_archive_is_imported() {
    let lab = Lab::new();
    let files = [entry_of(PLACE, b"out"), entry_of(OTHER, b"log")];
    let items = [Item::file(PLACE, b"out"), Item::file(OTHER, b"log")];
    lab.import(&files, &items).unwrap();
    let expected = ["archive.tar.gz", &format!("home/{OTHER}"), &format!("home/{PLACE}")];
    assert_eq!(lab.files(), expected);
    assert!(lab.import(&files, &items).unwrap_err().contains("1 benchmark in "));
}

#[test]
fn paths_that_lead_elsewhere() {
    for path in [
        "../callgrind.f.id.base@main.out",
        "../../../../../callgrind.f.id.base@main.out",
        "/tmp/file/group/f.id/callgrind.f.id.base@main.out",
        "crate/../../outside/f.id/callgrind.f.id.base@main.out",
        "crate/file/group/../callgrind.f.id.base@main.out",
        "./crate/../file/group/f.id/callgrind.f.id.base@main.out",
        ".ssh/file/group/f.id/callgrind.f.id.base@main.out",
        "",
    ] {
        let lab = Lab::new();
        let error = lab.import(&[entry_of(path, b"x")], &[Item::file(path, b"x")]).unwrap_err();
        assert!(
            error.contains("is not a file of a baseline\nnote: nothing was imported"),
            "{error}"
        );
        assert_eq!(lab.files(), ["archive.tar.gz"]);
    }
}

#[test]
fn an_entry_with_another_path_than_in_the_manifest() {
    for path in ["../x", "/tmp/x", OTHER] {
        let lab = Lab::new();
        let error = lab.import(&[entry_of(PLACE, b"x")], &[Item::file(path, b"x")]).unwrap_err();
        assert!(error.contains("is missing"), "{error}");
        assert_eq!(lab.files(), ["archive.tar.gz"]);
    }
}

#[test]
fn links_are_no_files() {
    for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Directory] {
        let lab = Lab::new();
        let link = Item { path: PLACE, kind, content: b"", link: "/etc/passwd" };
        // With the content of the target, and without
        for files in
            [vec![entry_of(PLACE, b"")], vec![entry_of(PLACE, &fs::read("/etc/passwd").unwrap())]]
        {
            let link = Item { ..link };
            let error = lab.import(&files, &[link]).unwrap_err();
            assert!(error.contains("is missing"), "{kind:?}: {error}");
            assert_eq!(lab.files(), ["archive.tar.gz"]);
        }
    }
}

#[test]
fn a_symbolic_link_in_the_directory_for_results_is_not_followed() {
    for link in ["home/crate", "home/crate/file", "home/crate/file/group/f.id"] {
        let lab = Lab::new();
        let outside = lab.root.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let link = lab.root.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&outside, &link).unwrap();
        let error = lab.import(&[entry_of(PLACE, b"x")], &[Item::file(PLACE, b"x")]).unwrap_err();
        assert!(error.contains("a symbolic link below the output directory"), "{error}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{}", link.display());
    }
}

#[test]
fn a_directory_in_the_place_of_a_file() {
    let lab = Lab::new();
    fs::create_dir_all(lab.home().join(PLACE).join("x")).unwrap();
    let files = [entry_of(OTHER, b"log"), entry_of(PLACE, b"out")];
    let items = [Item::file(OTHER, b"log"), Item::file(PLACE, b"out")];
    assert!(lab.import(&files, &items).unwrap_err().contains(" has it\n"));
    let error = lab.import_files(&[lab.archive()], &["--force"]).unwrap_err();
    assert!(error.contains("is a directory\nnote: nothing was imported"), "{error}");
    assert_eq!(lab.files(), ["archive.tar.gz"]);
}

#[test]
fn implausible_sizes() {
    for size in [1 << 40, u64::MAX, u64::MAX - LARGEST_HEADERS] {
        let lab = Lab::new();
        let file = Entry { size, ..entry_of(PLACE, b"x") };
        for files in [vec![file.clone()], vec![file.clone(), file]] {
            let error = lab.import(&files, &[Item::file(PLACE, b"x")]).unwrap_err();
            assert!(error.contains("too large for an archive of"), "{error}");
        }
    }
}

// Without a bound these would fill the disk, or the memory with names.
#[test]
fn bombs() {
    // More than any manifest may have, with room for what is free
    let zeros = vec![0; 100 << 20];
    let name =
        Item { path: "././@LongLink", kind: EntryType::GNULongName, content: &zeros, link: "" };
    let records = Item { path: "x", kind: EntryType::XHeader, content: &zeros, link: "" };
    for item in [Item::file(PLACE, &zeros), name, records] {
        let lab = Lab::new();
        let error = lab.import(&[entry_of(PLACE, b"x")], &[item]).unwrap_err();
        assert!(error.contains("larger than listed in the manifest"), "{error}");
        assert_eq!(lab.files(), ["archive.tar.gz"]);
    }
    // The manifest itself, and what follows the end
    let mut archive = GzEncoder::new(Vec::new(), Compression::fast());
    archive.write_all(&zeros).unwrap();
    let error = Lab::new().import_bytes(&archive.finish().unwrap()).unwrap_err();
    assert!(
        error.contains("does not start with a manifest") || error.contains("larger than listed"),
        "{error}"
    );
}

#[test]
fn another_version_of_the_format() {
    let lab = Lab::new();
    let json = br#"{"version": 2}"#;
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    append(&mut archive, manifest::NAME, json.len() as u64, &json[..]).unwrap();
    let error = lab.import_bytes(&archive.into_inner().unwrap().finish().unwrap()).unwrap_err();
    assert!(error.contains("version 2, but iai-callgrind-runner"), "{error}");
}

/// Generates pieces of paths, most of which make sense somewhere.
fn path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("f.id".to_owned()),
        Just("callgrind.f.id.base@main.out".to_owned()),
        "[a-z%.@/\\\\]{0,12}",
        "callgrind\\.[a-z.]{1,4}\\.(base@[a-z./]{1,6}\\.)?(out|log)(\\.p?[0-9]{1,3})?",
    ];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    // Nothing is written outside of the directory of results, for any path in an archive.
    #[test]
    fn nothing_is_written_elsewhere(path in path()) {
        prop_assume!(path.len() < 100);
        let lab = Lab::new();
        let imported = lab.import(&[entry_of(&path, b"x")], &[Item::file(&path, b"x")]);
        let files = lab.files();
        let inside = files.iter().all(|file| file == "archive.tar.gz" || file.starts_with("home/"));
        prop_assert!(inside, "{files:?}");
        prop_assert_eq!(files.len(), if imported.is_ok() { 2 } else { 1 }, "{:?}", imported);
    }

    // An import restores an export byte for byte.
    #[test]
    fn an_export_survives_the_import(
        contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..2000), 1..6),
        names in prop::collection::vec("[a-z_]{1,8}", 6),
    ) {
        let lab = Lab::new();
        let mut expected = Vec::new();
        for (index, (content, name)) in contents.iter().zip(&names).enumerate() {
            let stem = format!("{}.{index}", decode_name(name));
            let path = format!("crate/file/group/{stem}/callgrind.{stem}.base@main.out");
            let place = lab.home().join(&path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(&place, content).unwrap();
            expected.push((path, content));
        }
        lab.export(false).unwrap();
        fs::remove_dir_all(lab.home()).unwrap();
        lab.import_files(&[lab.archive()], &[]).unwrap();
        for (path, content) in &expected {
            prop_assert_eq!(&fs::read(lab.home().join(path)).unwrap(), *content);
        }
        prop_assert_eq!(lab.files().len(), expected.len() + 1);
    }
}

/// Archives of the baseline `main` of a benchmark file with the benchmarks `a`, `b` and `c`.
struct Archives(Lab);

/// The shards that ran, and the benchmarks of all shards.
type Shards<'a> = (&'a [u32], &'a [(&'a str, u32)]);

/// The benchmarks of three shards, of which the last one is empty.
const DIVIDED: [(&str, u32); 3] = [("group/a", 1), ("group/b", 2), ("group/c", 1)];

impl Archives {
    /// Writes an archive with the results of these functions, which the shards that ran have.
    fn write(&self, name: &str, results: &[(&str, &str)], shards: Option<Shards<'_>>) {
        let path =
            |function| format!("crate/file/group/{function}/callgrind.{function}.base@main.out");
        let results: Vec<_> = results
            .iter()
            .map(|(function, content)| (path(function), content.as_bytes()))
            .collect();
        let record = shards.map(|(ran, benchmarks)| ShardRecord {
            total: 3,
            ran: ran.iter().copied().collect(),
            benchmarks: benchmarks
                .iter()
                .map(|(name, shard)| ((*name).to_owned(), *shard))
                .collect(),
        });
        let manifest = Manifest {
            version: manifest::VERSION,
            runner: String::new(),
            baseline: "main".to_owned(),
            files: results.iter().map(|(path, content)| entry_of(path, content)).collect(),
            shards: record.map(|record| ("crate/file".to_owned(), record)).into_iter().collect(),
        };
        let json = serde_json::to_vec(&manifest).unwrap();
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        append(&mut archive, manifest::NAME, json.len() as u64, &*json).unwrap();
        for (path, content) in results {
            append(&mut archive, &path, content.len() as u64, content).unwrap();
        }
        fs::write(self.path(name), archive.into_inner().unwrap().finish().unwrap()).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.root.path().join(name)
    }

    /// Imports archives into an empty directory. Returns the names of the files there, or the error.
    fn import(&self, names: &[&str]) -> std::result::Result<Vec<String>, String> {
        let _ = fs::remove_dir_all(self.0.home());
        let (flags, names): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| name.starts_with("--"));
        let paths: Vec<_> = names.iter().map(|name| self.path(name)).collect();
        let result = self.0.import_files(&paths, &flags);
        let files = self.0.files().into_iter().filter(|file| file.starts_with("home/"));
        let names: Vec<_> = files.map(|file| file.rsplit('/').next().unwrap().to_owned()).collect();
        match result {
            Ok(()) => Ok(names),
            Err(error) => {
                assert!(names.is_empty(), "{error}: {names:?}");
                Err(error)
            }
        }
    }

    /// Writes the archives of three shards.
    fn of_shards() -> Self {
        let archives = Self(Lab::new());
        archives.write("1", &[("a", "A"), ("c", "C")], Some((&[1], &DIVIDED)));
        archives.write("2", &[("b", "B")], Some((&[2], &DIVIDED)));
        archives.write("3", &[], Some((&[3], &DIVIDED)));
        archives
    }
}

const ALL: [&str; 3] =
    ["callgrind.a.base@main.out", "callgrind.b.base@main.out", "callgrind.c.base@main.out"];

#[test]
fn shards_are_merged_if_they_are_complete() {
    let archives = Archives::of_shards();
    assert_eq!(archives.import(&["1", "2", "3"]).unwrap(), ALL);
    assert_eq!(archives.import(&["3", "2", "1", "2"]).unwrap(), ALL, "the same one twice");
    archives.write("1+3", &[("a", "A"), ("c", "C")], Some((&[1, 3], &DIVIDED)));
    assert_eq!(archives.import(&["2", "1+3"]).unwrap(), ALL, "two shards on one machine");

    let error = archives.import(&["1"]).unwrap_err();
    let expected = "can't import the baseline `main` without shard 2/3 of crate/file, shard 3/3 of crate/file\n\
                    help: name the archives of all shards, or import without them with --allow-missing";
    assert_eq!(error, expected);
    let imported = archives.import(&["1", "--allow-missing"]).unwrap();
    assert_eq!(imported, [ALL[0], ALL[2], "shards.base@main.json"]);
    // The rest comes later; until then the record is not that of a shard
    archives.0.export(false).unwrap();
    assert_eq!(archives.import(&["archive.tar.gz", "2", "3"]).unwrap(), ALL);
    archives.write("without c", &[("a", "A")], Some((&[1], &DIVIDED)));
    let error = archives.import(&["without c", "2", "3"]).unwrap_err();
    let start =
        "can't import the baseline `main` without the result of file::group::c (shard 1/3)\n";
    assert!(error.starts_with(start), "{error}");
}

#[test]
fn an_empty_shard_is_exported() {
    let archives = Archives::of_shards();
    assert_eq!(archives.import(&["3", "--allow-missing"]).unwrap(), ["shards.base@main.json"]);
    archives.0.export(false).unwrap();
    assert_eq!(archives.import(&["1", "archive.tar.gz", "2"]).unwrap(), ALL);
    // Results of other benchmarks are from an earlier run
    archives.import(&["2", "--allow-missing"]).unwrap();
    let stale = archives.0.home().join("crate/file/group/a/callgrind.a.base@main.out");
    fs::create_dir_all(stale.parent().unwrap()).unwrap();
    fs::write(stale, "stale").unwrap();
    archives.0.export(true).unwrap();
    assert_eq!(archives.import(&["1", "archive.tar.gz", "3"]).unwrap(), ALL);
}

#[test]
fn archives_that_contradict_each_other_are_named() {
    let archives = Archives::of_shards();
    let path = |name: &str| archives.path(name).display().to_string();
    archives.write("other", &[("b", "other")], None);
    archives.write("b", &[("b", "B")], None);
    archives.write("a", &[("a", "A")], None);
    let error = archives.import(&["b", "other"]).unwrap_err();
    let expected = format!(
        "can't import {}: it has another result of file::group::b under callgrind than {}\n\
         note: nothing was imported",
        path("other"),
        path("b")
    );
    assert_eq!(error, expected);
    assert_eq!(archives.import(&["b", "a", "b"]).unwrap(), ALL[..2], "without shards");

    let error = archives.import(&["1", "2", "3", "b"]).unwrap_err();
    let expected = format!(
        "can't import {}: it has results of all benchmarks of crate/file, but {} those of a shard\n\
         note: nothing was imported",
        path("b"),
        path("1")
    );
    assert_eq!(error, expected);

    let divided = [("group/a", 1), ("group/b", 1), ("group/c", 2)];
    archives.write("2 of others", &[("c", "C")], Some((&[2], &divided)));
    let error = archives.import(&["1", "2 of others"]).unwrap_err();
    let start = format!(
        "can't import {} with {}: they divide the benchmarks of crate/file differently\nhelp: ",
        path("2 of others"),
        path("1")
    );
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn records_lead_nowhere_else() {
    let archives = Archives::of_shards();
    let few = ShardRecord { total: 2, ran: [1].into(), benchmarks: BTreeMap::new() };
    let many = ShardRecord { total: u32::MAX, ..few.clone() };
    let others = ["../outside", "/crate/file", "file", "a/b/c/d", "a/.b"].map(|file| (file, &few));
    for (file, record) in others.into_iter().chain([("crate/file", &many)]) {
        let record = record.clone();
        let manifest = Manifest {
            version: manifest::VERSION,
            runner: String::new(),
            baseline: "main".to_owned(),
            files: Vec::new(),
            shards: [(file.to_owned(), record)].into(),
        };
        let json = serde_json::to_vec(&manifest).unwrap();
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        append(&mut archive, manifest::NAME, json.len() as u64, &*json).unwrap();
        fs::write(archives.path("x"), archive.into_inner().unwrap().finish().unwrap()).unwrap();
        let error = archives.import(&["x", "--allow-missing"]).unwrap_err();
        assert!(error.contains("invalid record of the shards of "), "{file}: {error}");
    }
}
