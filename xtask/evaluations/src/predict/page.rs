//! The figures of the page in the guide.

use std::fmt::Write as _;
use std::fs;

use xtask::command::{self, in_file};

use crate::predict::function::NAMES;
use crate::predict::model::Model;
use crate::predict::quality::{Errors, Evaluation, Prediction, directions};

/// The heading of the part of the page that is replaced.
const HEADING: &str = "## Figures\n";

/// Changes of less than this part of the time have no direction.
const LEAST: f64 = 0.05;

/// Number of functions that are listed for their large errors.
const WORST: usize = 10;

/// The reason why a result is not an error.
const TAKES_ALL: &str = "a string takes all";

/// The machine and the time of the measurement.
#[derive(Debug)]
pub(crate) struct Surroundings {
    date: String,
    cpu: String,
    rustc: String,
    valgrind: String,
    load: String,
}

impl Surroundings {
    /// Returns those of now.
    pub(crate) fn new() -> Result<Self, String> {
        let output = |program: &str, arguments: &[&str]| {
            let output = command::output(command::new(program).args(arguments))?;
            Ok::<_, String>(output.trim().to_owned())
        };
        let read = |file: &'static str| fs::read_to_string(file).map_err(in_file(file.as_ref()));
        let cpus = read("/proc/cpuinfo")?;
        let mut models = cpus.lines().filter_map(|line| line.strip_prefix("model name"));
        let model = models.next().unwrap_or("unknown CPU").trim_start_matches(['\t', ':', ' ']);
        let load = read("/proc/loadavg")?;
        Ok(Self {
            date: output("date", &["--utc", "+%Y-%m-%d %H:%M UTC"])?,
            cpu: format!("{model}, {} of its CPUs", models.count() + 1),
            rustc: output("rustc", &["--version"])?,
            valgrind: output("valgrind", &["--version"])?,
            load: load.split(' ').next().unwrap_or_default().to_owned(),
        })
    }
}

/// Returns the page with these figures in the place of the last ones.
pub(crate) fn with_figures(page: &str, figures: &str) -> Result<String, String> {
    let (text, _) = page.split_once(HEADING).ok_or("the page has no section `Figures`")?;
    Ok(format!("{text}{figures}"))
}

/// Returns the figures in Markdown.
pub(crate) fn figures(
    evaluation: &Evaluation,
    surroundings: &Surroundings,
    budget: &str,
) -> String {
    let Surroundings { date, cpu, rustc, valgrind, load } = surroundings;
    let mut text = format!(
        "{HEADING}\n{date}, {cpu}, {rustc}, {valgrind}, {budget} for each function. The load average of the minute \
         before was {load}.\n\n![Predicted times and changes against measured ones](prediction.svg)\n\n"
    );
    times(evaluation, &mut text);
    changes(evaluation, &mut text);
    weights(evaluation, &mut text);
    worst(evaluation, &mut text);
    text
}

fn times(evaluation: &Evaluation, text: &mut String) {
    let (times, subjects) = (&evaluation.times, &evaluation.subjects);
    write!(
        text,
        "### Times\n\n{} functions of the standard library and of {} crates: {}.\n\n{HEADER} |\n{LINE} |\n",
        times.len(),
        subjects.len() - 1,
        subjects.iter().filter(|subject| *subject != "std").cloned().collect::<Vec<_>>().join(", "),
    )
    .expect(TAKES_ALL);
    for model in Model::ALL {
        writeln!(text, "{} |", row(times, model)).expect(TAKES_ALL);
    }
}

const HEADER: &str = "| Predicted by | Half of the errors are below | Nine of ten | Within 25 % | Closer than estimated cycles";
const LINE: &str = "| --- | ---: | ---: | ---: | ---:";

fn row(predictions: &[Prediction], model: Model) -> String {
    let all = predictions.len();
    let Errors { median, most, close, closer } = Errors::of(predictions, model);
    let closer = match model {
        Model::EstimatedCycles => String::new(),
        _ => format!("{closer} of {all}"),
    };
    format!(
        "| {} | {:.0} % | {:.0} % | {close} of {all} | {closer}",
        model.name(),
        median * 100.0,
        most * 100.0
    )
}

fn changes(evaluation: &Evaluation, text: &mut String) {
    let changes = &evaluation.changes;
    write!(
        text,
        "\n### Changes\n\n{} functions in two versions: the error of the predicted ratio of their times.\n\n{HEADER} | Right direction of \
         changes by more than {:.0} % |\n{LINE} | ---: |\n",
        changes.len(),
        LEAST * 100.0
    )
    .expect(TAKES_ALL);
    for model in Model::ALL {
        let (all, right) = directions(changes, model, LEAST);
        writeln!(text, "{} | {right} of {all} |", row(changes, model)).expect(TAKES_ALL);
    }
    text.push_str(
        "\n| Function | Change of the time | By instructions | By estimated cycles | By fitted weights |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for change in changes {
        let percent = |ratio: f64| format!("{:+.0} %", (ratio - 1.0) * 100.0);
        let [instructions, cycles, fitted] = change.predicted.map(percent);
        let (name, measured) = (&change.name, percent(change.measured));
        writeln!(text, "| `{name}` | {measured} | {instructions} | {cycles} | {fitted} |")
            .expect(TAKES_ALL);
    }
}

fn weights(evaluation: &Evaluation, text: &mut String) {
    text.push_str(
        "\n### Fitted weights\n\nThose that fit all crates best:\n\n| Event | Nanoseconds |\n| --- | ---: |\n",
    );
    for (name, weight) in NAMES.iter().zip(&evaluation.weights.weights) {
        writeln!(text, "| {name} | {weight:.3} |").expect(TAKES_ALL);
    }
    let verdict = if evaluation.is_fit_clearly_better() {
        "**are clearly better** than 1/5/35 for crates that they were not fitted to: they have less than three quarters of the \
         errors, for times and for changes"
    } else {
        "**are not clearly better** than 1/5/35 for crates that they were not fitted to: they would be with less than three \
         quarters of the errors, for times and for changes. So the formula of the estimated cycles stays as it is"
    };
    writeln!(text, "\nFitted weights {verdict}.").expect(TAKES_ALL);
}

/// Lists the functions whose time the estimated cycles predict worst.
fn worst(evaluation: &Evaluation, text: &mut String) {
    let ratio = |time: &Prediction| time.by(Model::EstimatedCycles) / time.measured;
    let mut times: Vec<_> = evaluation.times.iter().collect();
    times.sort_by(|a, b| ratio(b).ln().abs().total_cmp(&ratio(a).ln().abs()));
    text.push_str(
        "\n### Furthest from the estimated cycles\n\n| Function | Measured | Predicted by estimated cycles | By fitted weights |\n\
         | --- | ---: | ---: | ---: |\n",
    );
    for time in times.iter().take(WORST) {
        writeln!(
            text,
            "| `{}` | {:.0} ns | {:.0} ns | {:.0} ns |",
            time.name,
            time.measured,
            time.by(Model::EstimatedCycles),
            time.by(Model::Fitted)
        )
        .expect(TAKES_ALL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_replace_those_of_the_page() {
        let page = "# Title\n\ntext\n\n## Figures\n\nold\n\n### Times\n";
        let new = with_figures(page, "## Figures\n\nnew\n").unwrap();
        assert_eq!(new, "# Title\n\ntext\n\n## Figures\n\nnew\n");
        assert!(with_figures("# Title\n", "").is_err());
    }
}
