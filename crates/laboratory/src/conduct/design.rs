//! The parts of an experiment that its conduct depends on.

use model::commission::{Commission, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::metric::{MetricId, Source};
use model::sample::Treatment;

/// The parts of an experiment that its conduct depends on.
#[derive(Debug, Clone)]
pub struct Design {
    /// The number of variants.
    pub variants: u32,
    /// The handling of readings, according to the variants' labels.
    pub treatment: Treatment,
    /// The pairs of variants to compare.
    pub contrasts: Contrasts,
    /// Set if measuring continues until the value of a variant without a comparison is known. In a
    /// history the question is since when, for which such a value is irrelevant.
    pub levels_decide: bool,
    /// The stopping rule.
    pub stopping: StoppingRule,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The instruments with separate rounds.
    pub instruments: Vec<Source>,
    /// Set if the variants claim to do the same work, so that their output is compared.
    pub claims_equal_work: bool,
    /// Set if the time spent is taken from the runs' recorded starts, as when a stored experiment
    /// is judged again.
    pub replayed: bool,
}

impl Design {
    /// The design of a commission. Without an execution there are no instruments and no comparison
    /// of output.
    pub fn new(commission: &Commission) -> Self {
        let execution = commission.execution.as_ref();
        Self {
            variants: u32::try_from(commission.variants.len()).expect("at most 2^20"),
            treatment: Treatment::from_labels(
                commission.variants.iter().map(|variant| &variant.labels),
            ),
            contrasts: commission.contrasts.clone(),
            levels_decide: commission.kind != Kind::History,
            stopping: commission.rule.clone(),
            metrics: commission.metrics.clone(),
            instruments: execution.map(|one| one.instruments.clone()).unwrap_or_default(),
            claims_equal_work: execution.is_some_and(|one| one.experiment.claims_equal_work),
            replayed: false,
        }
    }
}
