//! Values of settings about time and plots, which have no effect on counts.

/// Number of inputs that are set up at once. Here it is always one: a single call counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchSize {
    /// Inputs of which many fit into the memory.
    SmallInput,
    /// Inputs of which some fit into the memory.
    LargeInput,
    /// One input at a time.
    PerIteration,
    /// As many inputs as this number of batches needs.
    NumBatches(u64),
    /// As many inputs as this number.
    NumIterations(u64),
}

/// Distribution of the samples in time. Without effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SamplingMode {
    /// Criterion's choice.
    #[default]
    Auto,
    /// More calls from sample to sample.
    Linear,
    /// The same number of calls in each sample.
    Flat,
}

/// Scale of an axis of a plot. Without effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Logarithmic,
}

/// Configuration of plots. Without effect.
#[derive(Debug, Clone, Default)]
pub struct PlotConfiguration {}

impl PlotConfiguration {
    /// Sets the scale of a group's plot. Without effect.
    #[must_use]
    pub fn summary_scale(self, _: AxisScale) -> Self {
        self
    }
}

/// Program that draws plots. Without effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlottingBackend {
    /// Gnuplot.
    Gnuplot,
    /// The crate `plotters`.
    Plotters,
    /// None.
    None,
}

/// Handling of a baseline. Without effect: the command line selects baselines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// Compares with a baseline if it exists.
    CompareLenient,
    /// Compares with a baseline that must exist.
    CompareStrict,
    /// Saves a baseline.
    Save,
    /// Removes a baseline.
    Discard,
}
