//! Memory over time: separate runs whose resident memory is sampled, and whose runtime reports the
//! live heap after each collection, if it can do so with the time.
//!
//! Both come from the same run, so that the two curves belong together. The launcher samples
//! ([`measure::MemorySample`]); the request to a runtime is defined by its [`LiveHeapQuery`].

use measure::{CommandLine, FinishedRun, Outcome, Reads};
use toolchains::runtime::adapter::{Asking, LiveHeapQuery, LiveSample, Said};

use super::recognise::{self, RuntimeProgram};
use super::runtime::value_of;
use super::{Collected, Instrument};
use crate::curve::{Curve, Quantity, Samples};
use model::metric::{Missing, SAMPLED_WALL_TIME, Source};
use model::spec::Experiment;
use model::spec::reading::RuntimeOption;

/// The approximate size of one line for each of 200,000 collections.
const STDERR_KEPT_BYTES: u32 = 1 << 24;

/// The approximate maximum number of samples in a curve: more cannot be seen.
const MOST_SAMPLES: usize = 1000;

/// The instrument that samples memory.
#[derive(Debug)]
pub struct MemoryOverTime {
    /// The runtime of each variant; `None` if it has none to query.
    programs: Vec<Option<RuntimeProgram>>,
    /// The reason why a variant's runtime is no longer queried.
    given_up: Vec<Option<Missing>>,
    curves: Vec<Curve>,
}

impl MemoryOverTime {
    /// The instrument for all variants of the experiment.
    pub fn new(runtime: RuntimeOption, experiment: &Experiment) -> Self {
        let count = experiment.variants.len();
        let programs = match runtime {
            RuntimeOption::None => vec![None; count],
            RuntimeOption::Auto => recognise::certain(experiment),
            RuntimeOption::Named(adapter) => recognise::possible(experiment, adapter),
        };
        Self { programs, given_up: vec![None; count], curves: Vec::new() }
    }

    /// The request to the variant's runtime; `None` if there is no runtime, or it is not queried.
    fn asked(&self, variant: u32) -> Option<&'static LiveHeapQuery> {
        let variant = variant as usize;
        let program = self.programs[variant].filter(|_| self.given_up[variant].is_none());
        program.and_then(|program| program.adapter.live_heap.ok())
    }

    /// The live heap of a run; `None` if the variant has no known runtime.
    fn live_heap(&self, variant: u32, finished: &FinishedRun) -> Option<Curve> {
        let program = self.programs[variant as usize]?;
        let samples = match (program.adapter.live_heap, &self.given_up[variant as usize]) {
            (Err(reason), _) => Err(Missing(reason.into())),
            (Ok(_), Some(reason)) => Err(reason.clone()),
            (Ok(asked), None) => live_samples(asked, program, finished),
        };
        Some(Curve { quantity: Quantity::LiveHeap, samples })
    }
}

impl Instrument for MemoryOverTime {
    fn source(&self) -> Source {
        Source::Sampled
    }

    fn applies_to(&self, _variant: u32) -> bool {
        true
    }

    fn reads(&self) -> Reads {
        Reads { memory_over_time: true, ..Reads::default() }
    }

    fn stderr_kept_bytes(&self) -> u32 {
        STDERR_KEPT_BYTES
    }

    fn wrap(&mut self, variant: u32, command: &CommandLine) -> CommandLine {
        let mut changed = command.clone();
        let Some(asked) = self.asked(variant) else { return changed };
        let nowhere = std::path::Path::new("/dev/null");
        let asking = Asking { argv: None, mailbox: nowhere, folder: nowhere };
        for variable in (asked.request)(&asking).variables {
            let value = value_of(&variable, command);
            changed.env.push((variable.name.into(), Some(value)));
        }
        changed
    }

    fn collect(
        &mut self,
        variant: u32,
        _command: &CommandLine,
        finished: &FinishedRun,
        permitted: bool,
    ) -> Collected {
        let failed = matches!(finished.outcome, Outcome::Exited(_)) && !permitted;
        if let Some(asked) = self.asked(variant).filter(|_| failed) {
            let reason = format!("the command fails with `{}`", asked.shown);
            self.given_up[variant as usize] = Some(Missing(reason.into()));
            return Collected::Again;
        }
        let resident = match &finished.memory {
            Ok(samples) => {
                let pairs = samples.iter().map(|s| (s.at.as_seconds(), s.resident.0 as f64));
                Ok(Samples::from_pairs(pairs, usize::MAX))
            }
            Err(missing) => Err(Missing::from(missing)),
        };
        self.curves = vec![Curve { quantity: Quantity::Resident, samples: resident }];
        self.curves.extend(self.live_heap(variant, finished));
        let wall = finished.raw.wall.as_seconds();
        Collected::Readings([(SAMPLED_WALL_TIME, Ok(wall))].into_iter().collect())
    }

    fn curves(&mut self) -> Vec<Curve> {
        std::mem::take(&mut self.curves)
    }
}

fn live_samples(
    asked: &LiveHeapQuery,
    program: RuntimeProgram,
    finished: &FinishedRun,
) -> Result<Samples, Missing> {
    let stderr = String::from_utf8_lossy(&finished.stderr_tail);
    if let Some(words) = (program.adapter.refusal)(&stderr) {
        return Err(super::runtime::refused(words));
    }
    let is_stderr_whole = finished.stderr_tail.len() < STDERR_KEPT_BYTES as usize;
    let said = Said { stderr: &stderr, is_stderr_whole, ..Said::default() };
    let samples = (asked.read)(&said)
        .map_err(|error| Missing(format!("{}: {error}", program.adapter.name).into()))?;
    let pairs = samples.iter().map(|LiveSample { seconds, bytes }| (*seconds, *bytes));
    Ok(Samples::from_pairs(pairs, MOST_SAMPLES))
}
