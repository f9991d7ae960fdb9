//! The errors of predictions of functions in crates that the weights were not fitted to.

use crate::predict::function::Function;
use crate::predict::model::{Model, Weights, median, percentile};

/// A measured value and the prediction of each of [`Model::ALL`].
#[derive(Debug)]
pub(crate) struct Prediction {
    pub(crate) name: String,
    pub(crate) measured: f64,
    pub(crate) predicted: [f64; Model::ALL.len()],
}

/// All predictions.
#[derive(Debug)]
pub(crate) struct Evaluation {
    /// Names of the crates.
    pub(crate) subjects: Vec<String>,
    /// Times in nanoseconds.
    pub(crate) times: Vec<Prediction>,
    /// Ratios of the times of two versions of a function, the one after to the one before the change.
    pub(crate) changes: Vec<Prediction>,
    /// The weights that are fitted to all crates.
    pub(crate) weights: Weights,
}

/// The errors of a model.
#[derive(Debug)]
pub(crate) struct Errors {
    /// The error that half of the predictions stay below, as a part of the measured value.
    pub(crate) median: f64,
    /// The error that nine of ten predictions stay below.
    pub(crate) most: f64,
    /// Number of predictions within a quarter of the measured value.
    pub(crate) close: usize,
    /// Number of predictions that are closer than those of the estimated cycles.
    pub(crate) closer: usize,
}

impl Evaluation {
    /// Predicts the time of each function with the weights of all other crates.
    pub(crate) fn new(functions: &[Function]) -> Self {
        let mut subjects: Vec<_> = functions.iter().map(|it| it.subject.clone()).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let mut times = Vec::new();
        for subject in &subjects {
            let (own, others): (Vec<_>, Vec<_>) =
                functions.iter().partition(|function| function.subject == *subject);
            let weights = Model::ALL.map(|model| model.fit(&others));
            let prediction = |function: &&Function| Prediction {
                name: function.name.clone(),
                measured: function.time,
                predicted: weights.each_ref().map(|weights| weights.predict(function)),
            };
            times.extend(own.iter().map(prediction));
        }
        let weights = Model::Fitted.fit(&functions.iter().collect::<Vec<_>>());
        Self { changes: changes(&times), subjects, times, weights }
    }

    /// Returns `true` if the fitted weights are better than the estimated cycles by a quarter of the error, for times and for
    /// changes.
    pub(crate) fn is_fit_clearly_better(&self) -> bool {
        [&self.times, &self.changes].into_iter().all(|predictions| {
            let errors = |model| Errors::of(predictions, model).median;
            errors(Model::Fitted) < 0.75 * errors(Model::EstimatedCycles)
        })
    }
}

/// Returns the change of each function that has two versions.
fn changes(times: &[Prediction]) -> Vec<Prediction> {
    let change = |before: &Prediction| {
        let name = before.name.strip_suffix("_before")?;
        let after = times.iter().find(|after| after.name.strip_suffix("_after") == Some(name))?;
        let mut predicted = after.predicted;
        predicted.iter_mut().zip(before.predicted).for_each(|(after, before)| *after /= before);
        Some(Prediction {
            name: name.to_owned(),
            measured: after.measured / before.measured,
            predicted,
        })
    };
    times.iter().filter_map(change).collect()
}

impl Prediction {
    /// Returns the prediction of a model.
    pub(crate) fn by(&self, model: Model) -> f64 {
        let models = Model::ALL.into_iter().zip(self.predicted);
        models.filter(|(other, _)| *other == model).map(|(_, predicted)| predicted).sum()
    }

    /// Returns the factor between prediction and measurement, less one: a time that is half or twice the predicted one has an
    /// error of 1.
    fn error(&self, model: Model) -> f64 {
        (self.by(model) / self.measured).ln().abs().exp() - 1.0
    }
}

impl Errors {
    /// Returns the errors of a model.
    pub(crate) fn of(predictions: &[Prediction], model: Model) -> Self {
        let errors: Vec<_> = predictions.iter().map(|it| it.error(model)).collect();
        let is_closer = |it: &&Prediction| it.error(model) < it.error(Model::EstimatedCycles);
        Self {
            close: errors.iter().filter(|error| **error <= 0.25).count(),
            closer: predictions.iter().filter(is_closer).count(),
            most: percentile(errors.clone(), 90),
            median: median(errors),
        }
    }
}

/// Returns the numbers of changes of more than this part of the time, and of those whose direction the model predicts.
pub(crate) fn directions(changes: &[Prediction], model: Model, least: f64) -> (usize, usize) {
    let large = |change: &&Prediction| change.measured.ln().abs() > (1.0 + least).ln();
    let large: Vec<_> = changes.iter().filter(large).collect();
    let is_right = |change: &&&Prediction| (change.by(model) < 1.0) == (change.measured < 1.0);
    (large.len(), large.iter().filter(is_right).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(subject: &str, name: &str, instructions: f64, time: f64) -> Function {
        Function {
            subject: subject.to_owned(),
            name: format!("{subject}::{name}"),
            events: [instructions, 0.0, 0.0, 0.0, 0.0, 0.0],
            estimated_cycles: 2.0 * instructions,
            time,
        }
    }

    #[test]
    fn weights_come_from_the_other_crates() {
        let functions = [
            function("a", "f_before", 100.0, 50.0),
            function("a", "f_after", 50.0, 100.0),
            function("b", "g", 10.0, 10.0),
        ];
        let evaluation = Evaluation::new(&functions);
        assert_eq!(evaluation.subjects, ["a", "b"]);
        let before = &evaluation.times[0];
        // One nanosecond for each instruction in the other crate
        assert!(before.predicted.iter().all(|time| (time - 100.0).abs() < 1e-6), "{before:?}");
        assert_eq!(Errors::of(&evaluation.times[..1], Model::Instructions).close, 0);
        let [change] = &*evaluation.changes else { panic!("{:?}", evaluation.changes) };
        assert_eq!(change.name, "a::f");
        assert!((change.measured - 2.0).abs() < 1e-9);
        assert!((change.by(Model::EstimatedCycles) - 0.5).abs() < 1e-9);
        assert!((change.error(Model::EstimatedCycles) - 3.0).abs() < 1e-9);
        assert_eq!(directions(&evaluation.changes, Model::Instructions, 0.05), (1, 0));
        assert_eq!(directions(&evaluation.changes, Model::Instructions, 1.5), (0, 0));
        assert!(!evaluation.is_fit_clearly_better());
    }
}
