//! Scripted experiments, their memory, and noise.

use super::*;

/// Keeps everything, and ends the experiment after this number of runs.
pub(super) struct Memory {
    pub(super) runs: Vec<Run>,
    pub(super) past: Past,
    pub(super) most: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { runs: Vec::new(), past: Past::default(), most: usize::MAX }
    }
}

impl Keeper for Memory {
    fn keep(&mut self, event: record::Event<'_>) -> Result<(), ObserverError> {
        match event {
            record::Event::Runs { .. } if self.runs.len() >= self.most => {
                return Err("killed".into());
            }
            record::Event::Runs { runs } => self.runs.extend_from_slice(&runs),
            record::Event::Look(look) => self.past.looks.push(look),
            record::Event::Pause(pause) => self.past.pauses.push(pause),
            _ => {}
        }
        Ok(())
    }
}

pub(super) fn rule() -> StoppingRule {
    StoppingRule::of_a_test()
}

pub(super) fn design(stopping: StoppingRule) -> Design {
    Design {
        variants: 2,
        treatment: model::sample::Treatment::default(),
        contrasts: Contrasts::of_commands(2, 2),
        levels_decide: true,
        stopping,
        metrics: None,
        instruments: Vec::new(),
        claims_equal_work: false,
        replayed: true,
    }
}

pub(super) struct Experiment {
    pub(super) ending: Result<Ending, RunError>,
    pub(super) runs: Vec<Run>,
    pub(super) document: Document,
    pub(super) withdrawn: Vec<Withdrawal>,
    pub(super) standings: Vec<Option<Standing>>,
}

pub(super) fn conduct(
    design: &Design,
    seed: u64,
    script: impl FnMut(RunPlace) -> Scripted,
) -> Experiment {
    let plan = Plan { seed, variants: design.variants };
    let mut executor = ScriptedExecutor { plan, script: Box::new(script), now_ns: 1 };
    let mut memory = Memory::default();
    let mut nobody = crate::watcher::nobody;
    let mut conductor = Conductor::new(design.clone(), &mut memory, &mut nobody);
    let ending = execute(&mut executor, &mut conductor);
    let conducted = conductor.finish(StopReason::Failed);
    let document = document(design, &conducted, &memory.runs);
    let Conducted { withdrawn, standings, .. } = conducted;
    Experiment { ending, runs: memory.runs, document, withdrawn, standings }
}

pub(super) fn document(design: &Design, conducted: &Conducted, runs: &[Run]) -> Document {
    let variant = |number: u32| Contender {
        name: format!("variant {number}"),
        command: String::new(),
        labels: Labels::default(),
    };
    let facts = Facts {
        experiment: Course {
            id: None,
            started_unix_ns: 0,
            brisk_version: String::new(),
            seed: None,
            rounds: conducted.rounds,
            elapsed_seconds: conducted.elapsed_seconds,
            stop: conducted.stop,
            confidence: design.stopping.confidence,
            margin: design.stopping.margin,
            resolution: None,
            estimator: design.stopping.estimator,
            order: Order::Rounds,
            commands: 2,
            metrics: design.metrics.clone(),
        },
        machine: serde_json::Value::Null,
        conditions: serde_json::Value::Null,
        variants: (0..design.variants).map(variant).collect(),
        beyond_registry: Vec::new(),
        contrasts: &design.contrasts,
        sequence: &conducted.sequence,
        settled_at: &conducted.settled_at,
        notes: Vec::new(),
    };
    let mut load = |wanted: &[MetricId]| -> Result<Columns, std::convert::Infallible> {
        let mut columns = Columns::of_experiment(design.variants as usize, conducted.rounds, true);
        runs.iter().for_each(|run| columns.push(run, |metric| wanted.contains(metric)));
        Ok(columns)
    };
    match assemble::document(facts, &mut load) {
        Ok(document) => document,
    }
}

/// Numbers in (0, 1), reproducible by seed.
pub(super) fn uniform(random: &mut impl Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Log-normal noise with a heavy upper tail: one run in twenty takes half as long again.
pub(super) fn noise(random: &mut impl Rng, spread: f64) -> f64 {
    let normal =
        (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos();
    let tail = if uniform(random) < 0.05 { 1.5 } else { 1.0 };
    (spread * normal).exp() * tail
}

pub(super) fn fixed(rounds: u32) -> StoppingRule {
    StoppingRule { min_rounds: rounds, max_rounds: rounds, budget_seconds: None, ..rule() }
}

/// The same number for the same place, independent of earlier runs.
pub(super) fn noise_at(place: RunPlace, spread: f64) -> f64 {
    let seed = u64::from(place.round) << 20 | u64::from(place.variant);
    noise(&mut Xoshiro256PlusPlus::seed_from_u64(seed), spread)
}

/// Five variants in a row, each compared with the one before.
pub(super) fn chain(stopping: StoppingRule) -> Design {
    let pairs = (0..4).map(|first| (first, first + 1)).collect();
    let contrasts = Contrasts { pairs, spans: vec![(0, 4)], ..Contrasts::default() };
    Design { variants: 5, contrasts, ..design(stopping) }
}
