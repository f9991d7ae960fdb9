//! Shards: stable parts of the selected benchmarks, which several machines run together.

use std::collections::BTreeMap;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_results::{Benchmark, Mode};
use iai_callgrind_store::{OutputDirectory, ShardRecord, ShardUnit, Slot, divide_into_shards};
use iai_callgrind_tools::tool::ReadOptions;

use crate::error::Result;
use crate::note::{DividedBy, Note};
use crate::resolve::no_baseline;

/// Cost of running a function in addition to its instructions, in instructions: a fork, and the
/// files of the tool.
const COST_OF_FUNCTION: u64 = 500_000;

/// Cost of running a command in addition to its instructions: a start of Valgrind.
const COST_OF_COMMAND: u64 = 20_000_000;

/// The unit of a partition that benchmarks belong to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The group, because the run measures its hooks, which would otherwise be in several shards.
    Group(usize),
    /// The sizes of a curve, which are fitted together. In a group that compares by id, the curves with the same name after
    /// the function.
    Curve(usize, String),
    /// The benchmarks with the same id in a group that compares by id.
    Id(usize, String),
    Single(usize),
}

/// Returns the benchmarks of the shard in the settings, or all. Records which shards a baseline consists of.
pub(crate) fn select(benchmarks: Vec<Benchmark>, settings: &Settings) -> Result<Vec<Benchmark>> {
    let Some(shard) = settings.shard else {
        if let Some(slot) = saved_baseline(&settings.mode) {
            let exists = ShardRecord::path(&settings.directory, slot).exists();
            if exists && !benchmarks.is_empty() && !settings.list {
                let _lock = OutputDirectory::open(&settings.home, &settings.directory)?;
                ShardRecord::remove(&settings.directory, slot)?;
            }
        }
        return Ok(benchmarks);
    };
    let basis = Basis::read(&benchmarks, settings, shard.total.get())?;
    let file = settings.directory.strip_prefix(&settings.home).unwrap_or(&settings.directory);
    let names: Vec<_> = benchmarks.iter().map(|benchmark| name(benchmark, settings)).collect();
    let shards = shards(&benchmarks, &names, &basis, &file.to_string_lossy(), shard.total.get());
    let record = ShardRecord {
        total: shard.total.get(),
        ran: [shard.number].into(),
        benchmarks: names.into_iter().zip(shards.iter().copied()).collect(),
    };
    let all = benchmarks.len();
    let of_shard = benchmarks.into_iter().zip(shards).filter(|(_, other)| *other == shard.number);
    let of_shard: Vec<_> = of_shard.map(|(benchmark, _)| benchmark).collect();
    if settings.list {
        return Ok(of_shard);
    }
    Note::Shard {
        shard: &shard.to_string(),
        benchmarks: of_shard.len(),
        all,
        by: basis.note(),
        fingerprint: &record.fingerprint(),
    }
    .print();
    if let Some(slot) = saved_baseline(&settings.mode) {
        let _lock = OutputDirectory::open(&settings.home, &settings.directory)?;
        record.write(&settings.directory, slot)?;
    }
    Ok(of_shard)
}

/// Returns the baseline that the run saves, if it saves one.
fn saved_baseline(mode: &Mode) -> Option<&Slot> {
    Some(&mode.new).filter(|slot| mode.run && matches!(slot, Slot::Baseline(_)))
}

/// Returns the directory of a benchmark in that of its file: `group/function.id`.
fn name(benchmark: &Benchmark, settings: &Settings) -> String {
    let directory = benchmark.files.directory();
    let name = directory.strip_prefix(&settings.directory).unwrap_or(directory);
    name.to_string_lossy().into_owned()
}

/// Returns the shard of each benchmark.
fn shards(
    benchmarks: &[Benchmark],
    names: &[String],
    basis: &Basis<'_>,
    file: &str,
    total: u32,
) -> Vec<u32> {
    let has_measured_hooks: Vec<_> = benchmarks
        .iter()
        .filter(|benchmark| benchmark.hook.is_some())
        .map(|benchmark| benchmark.group)
        .collect();
    let key = |(index, benchmark): (usize, &Benchmark)| {
        let id = benchmark.comparison_key();
        match &benchmark.curve {
            _ if has_measured_hooks.contains(&benchmark.group) => Key::Group(benchmark.group),
            Some(place) if id.is_some() => {
                Key::Curve(benchmark.group, place.series(benchmark).to_owned())
            }
            Some(place) => Key::Curve(benchmark.group, place.curve.clone()),
            None => match id {
                Some(id) => Key::Id(benchmark.group, id.to_owned()),
                None => Key::Single(index),
            },
        }
    };
    let keys: Vec<_> = benchmarks.iter().enumerate().map(key).collect();
    let mut units: BTreeMap<&Key, ShardUnit> = BTreeMap::new();
    for ((key, name), cost) in keys.iter().zip(names).zip(basis.costs(benchmarks)) {
        let unit = ShardUnit { name: name.clone(), cost: 0, known: None };
        let unit = units.entry(key).or_insert(unit);
        unit.cost = unit.cost.saturating_add(cost);
        unit.known = unit.known.or_else(|| basis.known_shard(name));
        unit.name = name.clone().min(std::mem::take(&mut unit.name));
    }
    let (positions, units): (Vec<_>, Vec<_>) = units.into_iter().unzip();
    let shards = divide_into_shards(&units, file, total);
    let shard = |key| positions.binary_search(&key).map_or(1, |position| shards[position]);
    keys.iter().map(shard).collect()
}

/// The results by which benchmarks are divided. All machines that run the shards must have the same
/// ones. Otherwise a benchmark would run twice or not at all.
enum Basis<'a> {
    /// None.
    Number,
    /// The instructions of each benchmark in the baseline that the run compares with and does not change.
    Instructions { baseline: &'a str, instructions: Vec<Option<u64>> },
    /// The baseline to compare with, if this machine has only some of its shards.
    Shards { baseline: &'a str, record: ShardRecord },
}

impl<'a> Basis<'a> {
    /// Reads the results.
    fn read(benchmarks: &[Benchmark], settings: &'a Settings, total: u32) -> Result<Self> {
        let Mode { new, old, .. } = &settings.mode;
        let Slot::Baseline(baseline) = old else { return Ok(Self::Number) };
        // Each machine measures another revision itself
        if old == new || settings.against.is_some() {
            return Ok(Self::Number);
        }
        let record = ShardRecord::read(&settings.directory, old)?;
        if let Some(record) = record.filter(|record| !record.missing().is_empty()) {
            let is_known = record.total == total;
            return Ok(if is_known { Self::Shards { baseline, record } } else { Self::Number });
        }
        let mut exists = false;
        let mut instructions = Vec::new();
        for benchmark in benchmarks {
            let mut found = None;
            for options in &benchmark.options.tools {
                let reading = ReadOptions { options: Some(&options.launch), wanted: &[] };
                if let Some(stored) = benchmark.files.read(options.tool, old, &reading)? {
                    exists = true;
                    found = found.or(stored.total.count(MetricKind::Ir));
                }
            }
            instructions.push(found);
        }
        if !exists && !benchmarks.is_empty() && !settings.may_lack_baseline {
            return Err(no_baseline(baseline, benchmarks).into());
        }
        let has_costs = instructions.iter().any(Option::is_some);
        Ok(if has_costs { Self::Instructions { baseline, instructions } } else { Self::Number })
    }

    fn note(&self) -> DividedBy<'_> {
        match self {
            Self::Number => DividedBy::Number,
            Self::Instructions { baseline, .. } => DividedBy::Instructions { baseline },
            Self::Shards { baseline, .. } => DividedBy::Shards { baseline },
        }
    }

    /// Returns the shard that a benchmark was in.
    fn known_shard(&self, name: &str) -> Option<u32> {
        match self {
            Self::Shards { record, .. } => record.benchmarks.get(name).copied(),
            Self::Number | Self::Instructions { .. } => None,
        }
    }

    /// Returns the cost of each benchmark. Unknown costs are the mean of the others.
    fn costs(&self, benchmarks: &[Benchmark]) -> impl Iterator<Item = u64> {
        let instructions = match self {
            Self::Instructions { instructions, .. } => &**instructions,
            Self::Number | Self::Shards { .. } => &[],
        };
        let known: Vec<_> = instructions.iter().flatten().copied().map(u128::from).collect();
        let mean = known.iter().sum::<u128>() / known.len().max(1) as u128;
        let mean = u64::try_from(mean).unwrap_or(u64::MAX);
        benchmarks.iter().enumerate().map(move |(index, benchmark)| {
            let is_command = benchmark.command().is_some();
            let more = if is_command { COST_OF_COMMAND } else { COST_OF_FUNCTION };
            let tools = benchmark.options.tools.len() as u64;
            let instructions = instructions.get(index).copied().flatten();
            instructions.unwrap_or(mean).saturating_add(more).saturating_mul(tools)
        })
    }
}
