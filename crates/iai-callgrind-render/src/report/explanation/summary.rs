//! Explanations in the machine-readable output.

use iai_callgrind_compare::{NoiseFloor, Observations, WithinNoise};
use iai_callgrind_explain::{Entry, MachineValue, Verdict};
use iai_callgrind_results::{ChangedFile, Explained, Explanation};
use iai_callgrind_summary::explanation as summary;

use super::{cause, code, lines};

/// Summarizes an explanation, with a text of at most this number of lines.
pub fn summary(name: &str, explanation: &Explanation, most: usize) -> summary::Explanation {
    let text = lines(name, explanation, most);
    let Ok(Explained { difference, changed_files, noise, .. }) = explanation else {
        let (entries, executed_in) = (Vec::new(), Vec::new());
        return summary::Explanation {
            verdict: summary::Verdict::Unknown,
            text,
            cause: None,
            source: None,
            entries,
            executed_in,
            changed_files: None,
            noise: None,
        };
    };
    let all: u64 = difference.entries.iter().map(|entry| entry.old.abs_diff(entry.new)).sum();
    let entry = |entry: &Entry| summary::Entry {
        function: entry.owner.clone(),
        file: Some(entry.file.clone()).filter(|file| !file.is_empty()),
        line: entry
            .lines()
            .iter()
            .find(|line| line.line > 0 && !line.is_gone)
            .map(|line| line.line),
        kind: code(entry.code).0,
        old: entry.old,
        new: entry.new,
        share: entry.old.abs_diff(entry.new) as f64 / all as f64,
    };
    let executed_in = |(function, change): &(String, i64)| summary::ExecutedIn {
        function: function.clone(),
        change: *change,
    };
    let file =
        |file: &ChangedFile| summary::ChangedFile { path: file.path.clone(), runs: file.runs };
    summary::Explanation {
        verdict: kind(&difference.verdict),
        text,
        cause: cause(explanation),
        source: None,
        entries: difference.entries.iter().map(entry).collect(),
        executed_in: difference.executed_in.iter().map(executed_in).collect(),
        changed_files: changed_files.as_ref().map(|changed| summary::ChangedFiles {
            old: changed.old.clone(),
            new: changed.new.clone(),
            uncommitted: changed.is_uncommitted,
            files: changed.files.iter().map(file).collect(),
        }),
        noise: noise.as_ref().map(summary_noise),
    }
}

/// Summarizes values of the machine.
pub fn machine_values(values: &[&MachineValue]) -> Vec<iai_callgrind_summary::MachineValue> {
    let value = |value: &&MachineValue| iai_callgrind_summary::MachineValue {
        name: value.name.to_owned(),
        text: value.text.to_owned(),
    };
    values.iter().map(value).collect()
}

fn summary_noise(noise: &WithinNoise) -> summary::Noise {
    let floor = |floor: &NoiseFloor| {
        let NoiseFloor { kind, largest, percentage } = *floor;
        (kind.name().to_owned(), summary::NoiseFloor { largest, percentage })
    };
    let Observations { pairs, layouts } = noise.observations;
    summary::Noise { pairs, layouts, metrics: noise.floors.iter().map(floor).collect() }
}

fn kind(verdict: &Verdict) -> summary::Verdict {
    match verdict {
        Verdict::Environment(_) => summary::Verdict::Environment,
        Verdict::Equal => summary::Verdict::Equal,
        Verdict::Caches => summary::Verdict::Caches,
        Verdict::ChangedLines(_) => summary::Verdict::ChangedLines,
        Verdict::MachineValues(_) => summary::Verdict::MachineValues,
        Verdict::DataAddresses => summary::Verdict::DataAddresses,
        Verdict::Spread => summary::Verdict::Spread,
        Verdict::Calls(_) => summary::Verdict::Calls,
        Verdict::OtherInFile { .. } | Verdict::OtherFiles { .. } => summary::Verdict::OtherInFile,
        Verdict::CodeGeneration { .. } => summary::Verdict::CodeGeneration,
    }
}
