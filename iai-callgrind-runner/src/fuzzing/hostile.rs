//! Files from other people with hostile paths: nothing outside of the directory for results may
//! change.

use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use fnv::FnvHasher;
use iai_callgrind_cli::{Cli, Command};
use iai_callgrind_explain::Table;
use iai_callgrind_history::rewrite_note;
use iai_callgrind_plan::{Amounts, Config, Group, Hooks, PLAN_VERSION, Plan, VERSION};
use iai_callgrind_render::page::Pages;
use iai_callgrind_results::Mode;
use iai_callgrind_store::{
    Files, NewFiles, OutputDirectory, ReadDirectory, Slot, await_imports, write_amounts,
    write_chart,
};
use iai_callgrind_summary::Summary;
use iai_callgrind_tools::tool::CALLGRIND;
use serde_json::json;
use tar::{Builder, EntryType, Header};

use super::fence::Fence;
use crate::error::Result;
use crate::plan::check_names;
use crate::stored;

/// A report with one benchmark, whose names are replaced.
const REPORT: &str = include_str!("report.json");

/// Contents of the files in an archive.
const CONTENT: &[u8] = b"content";

/// Reads a directory with a journal, which must not change it, and writes to it. The first byte
/// selects links instead of the journal and of its directory.
pub fn journal(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    let fence = Fence::new();
    let (home, content) = (fence.home(), fence.expand(data));
    let staging = home.join(".staging-x");
    let prepare = || match kind % 8 {
        0 => {
            fs::write(staging.join("target"), content)?;
            symlink("target", staging.join("import.journal"))
        }
        1 => {
            fs::write(staging.join("import.journal"), content)?;
            fs::rename(&staging, home.join("target"))?;
            symlink("target", staging)
        }
        _ => fs::write(staging.join("import.journal"), content),
    };
    prepare().expect("the directory is new");
    let fence = fence.again();
    let _ = await_imports(&home);
    let _ = ReadDirectory::open(&home, &home);
    fence.check_all();
    match OutputDirectory::open(&home, &home) {
        Ok(_) => fence.check_outside(),
        Err(_) => fence.check_files(),
    }
}

/// Imports an archive of files with these paths. The first byte selects `--force` and the kinds of
/// the entries.
pub fn archive(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    let fence = Fence::new();
    let mut paths = fence.paths(data);
    paths.truncate(8);
    let file = fence.home().join("archive");
    fs::write(&file, pack(&paths, kind / 2)).expect("the directory is new");
    // An import removes what killed runs have left, even if it fails
    fs::remove_dir_all(fence.home().join(".staging-x")).expect("the directory is new");
    let fence = fence.again();
    let home = fence.home();
    let words = ["x", "import"].map(Into::into).into_iter();
    let words = words.chain([file.into_os_string(), "--home".into(), home.into_os_string()]);
    let words = words.chain((kind % 2 == 0).then(|| "--force".into()));
    let cli = Cli::try_parse_from(words).expect("these are its arguments");
    let Command::Results(command) = cli.command else { unreachable!("it is `import`") };
    match stored::run(command) {
        Ok(_) => fence.check_outside(),
        Err(_) => fence.check_files(),
    }
}

/// Packs files with these paths. The last one is a record of shards in an archive of an odd kind.
fn pack(paths: &[String], kind: u8) -> Vec<u8> {
    let mut hasher = FnvHasher::default();
    hasher.write(CONTENT);
    let checksum = format!("{:016x}", hasher.finish());
    let files = paths.iter().map(|path| json!({"path": path, "size": 7, "checksum": checksum}));
    let record = json!({"total": 1, "ran": [1], "benchmarks": {"group/f": 1}});
    let shards = paths.last().filter(|_| kind % 2 == 1).map(|path| (path.clone(), record));
    let manifest = json!({
        "version": 1,
        "runner": VERSION,
        "baseline": "main",
        "files": files.collect::<Vec<_>>(),
        "shards": shards.into_iter().collect::<BTreeMap<_, _>>(),
    });
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    append(&mut archive, "manifest.json", EntryType::Regular, manifest.to_string().as_bytes());
    for (index, path) in paths.iter().enumerate() {
        let link = usize::from(kind / 2) == index + 1;
        append(
            &mut archive,
            path,
            if link { EntryType::Symlink } else { EntryType::Regular },
            CONTENT,
        );
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    packed.expect("a vector takes all")
}

/// Appends an entry with a path that the library for archives would refuse.
fn append(archive: &mut Builder<impl Write>, path: &str, kind: EntryType, content: &[u8]) {
    let mut entry = |kind, name: &[u8], content: &[u8]| {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let gnu = header.as_gnu_mut().expect("it is one");
        for (to, from) in gnu.name.iter_mut().zip(name) {
            *to = *from;
        }
        header.set_cksum();
        archive.append(&header, content).expect("a vector takes all");
    };
    if path.len() >= 100 {
        entry(EntryType::GNULongName, b"long", &[path.as_bytes(), b"\0"].concat());
    }
    entry(kind, path.as_bytes(), content);
}

/// Writes pages from a report whose names are hostile.
pub fn pages(data: &[u8]) {
    let fence = Fence::new();
    let paths = fence.paths(data);
    let mut summaries = Summary::read_all(REPORT).expect("it is a report");
    let Some(first) = summaries.first().cloned() else { return };
    summaries.clear();
    for paths in paths.chunks(4).take(4) {
        let mut summary = first.clone();
        let mut path = paths.iter().cycle().cloned();
        let mut next = || path.next().unwrap_or_default();
        (summary.package, summary.file, summary.group) = (next(), next(), next());
        summary.function = Some(next());
        summary.id = Some(next());
        summary.name = next();
        for tool in &mut summary.tools {
            tool.files.new = vec![next(), next()];
        }
        summaries.push(summary);
    }
    let site = fence.home().join("site");
    let mode = &Mode { run: false, new: Slot::Latest, old: Slot::Old };
    let pages = Pages { directory: &site, workspace: &fence.home(), mode, lines: 0 };
    let written = pages.write(&mut summaries, &[]);
    fence.check_outside();
    if written.is_ok() {
        assert!(site.join("index.html").is_file(), "there is no start page");
    }
}

/// Reads a note with these names and writes it again.
pub fn note(data: &[u8]) {
    let fence = Fence::new();
    let names = fence.paths(data);
    let mut text = String::from_utf8_lossy(&fence.expand(data)).into_owned();
    for names in names.chunks(4) {
        let mut name = names.iter().cycle();
        let mut next = || name.next().map_or("", |name| name);
        let line = json!({
            "format": 1, "package": next(), "name": next(), "tool": "callgrind",
            "environment": next(), "values": {"Ir": 1}, "code": next(),
        });
        text.extend(["\n", &line.to_string(), "\n"]);
    }
    let once = rewrite_note(&text);
    assert_eq!(rewrite_note(&once), once, "what was written is read differently");
    fence.check_all();
}

/// Stores results of benchmarks with these names.
pub fn places(data: &[u8]) {
    let fence = Fence::new();
    let names = fence.paths(data);
    let home = fence.home();
    let mut name = names.iter().cycle().cloned();
    let mut next = || name.next().unwrap_or_default();
    let plan = Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: next(),
        package_dir: home.to_string_lossy().into_owned(),
        file: next(),
        executable: None,
        config: Config::default(),
        hooks: Hooks::default(),
        groups: vec![Group::new(next(), Vec::new())],
    };
    if check_names(&plan).is_ok() {
        let directory = home.join(&plan.package).join(&plan.file);
        let group = &plan.groups[0].name;
        let files = Files::new(&directory, group, Some(&next()), Some(&next()));
        // Charts are drawn from stored results
        if store(&fence, &directory, &files).is_ok() {
            let _ = write_chart(files.group_directory(), [&*next(), &*next(), "Ir"], "<svg/>");
        }
    }
    fence.check_outside();
}

fn store(fence: &Fence, directory: &Path, files: &Files) -> Result<()> {
    let output = OutputDirectory::open(&fence.home(), directory)?;
    let staging = output.staging()?;
    let (log, out) = (staging.path().join("1.log"), staging.path().join("1.out"));
    write_amounts(&Amounts::default(), &staging.path().join("amounts"))?;
    for file in [&log, &out] {
        fs::write(file, CONTENT).expect("the directory is new");
    }
    let new = NewFiles { log, files: vec![("out".to_owned(), out)], flamegraphs: Vec::new() };
    files.place(&CALLGRIND, &new, &Slot::Latest)?;
    Ok(files.write_summary("{}")?)
}

/// Reads a table of attributed costs, all of whose texts are hostile.
pub fn texts(data: &[u8]) {
    let fence = Fence::new();
    let texts = fence.paths(data);
    let table = json!({
        "version": 1, "events": ["Ir"], "totals": [1], "has_debug_info": true,
        "environment": {}, "texts": texts, "functions": [[0, 0, 1]],
    });
    for content in [fence.expand(data), table.to_string().into_bytes()] {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&content).expect("there is memory");
        let Ok(table) = Table::read(&encoder.finish().expect("there is memory")) else { continue };
        let written = table.write().expect("there is memory");
        assert_eq!(Table::read(&written).ok().as_ref(), Some(&table));
    }
    fence.check_all();
}
