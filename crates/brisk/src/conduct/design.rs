//! What the conduct of an experiment depends on.

use model::commission::{Commission, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::metric::{MetricId, Source};
use model::sample::Treatment;

/// What an experiment consists of, as far as its conduct depends on it.
#[derive(Debug, Clone)]
pub struct Design {
    /// How many variants.
    pub variants: u32,
    /// What the variants' labels say of how their readings are taken.
    pub treatment: Treatment,
    /// Which of them are compared.
    pub contrasts: Contrasts,
    /// Whether measuring goes on until the value of a variant that is compared with nothing is known. A
    /// history asks since when, and such a value decides nothing of that.
    pub levels_decide: bool,
    /// When to stop.
    pub stopping: StoppingRule,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The instruments that have rounds of their own.
    pub instruments: Vec<Source>,
    /// Whether the variants are said to do the same work, so that what they print is compared.
    pub claims_equal_work: bool,
    /// Whether the time spent is taken from the runs' own starts, as when a stored experiment is
    /// judged again.
    pub replayed: bool,
}

impl Design {
    /// What a commission says of it. Without an execution nothing is known of instruments and of
    /// what is printed.
    pub fn new(commission: &Commission) -> Self {
        let execution = commission.execution.as_ref();
        Self {
            variants: u32::try_from(commission.variants.len()).expect("at most 2^20"),
            treatment: Treatment::of(commission.variants.iter().map(|variant| &variant.labels)),
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
