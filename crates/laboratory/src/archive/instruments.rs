//! Notes about the counters and about the runtimes that were queried, each made once.

use findings::{Document, MetricSummary, MissingValues};
use model::metric::{
    ASKED_WALL_TIME, COUNTERS_RUNNING, INSTRUCTIONS, MetricId, SAMPLED_WALL_TIME, Source,
    TIME_PER_ITERATION, WALL_TIME,
};
use model::note::Note;

/// Adds the notes about the counters: the reason that they are missing, unless the user turned them
/// off; what they leave out; whether they were scaled.
pub(super) fn note_counters(document: &mut Document) {
    // In a suite, the counters measure only the processor's frequency.
    let metrics = document.experiment.metrics.as_deref().unwrap_or_default();
    if metrics.contains(&TIME_PER_ITERATION) {
        return;
    }
    let of = |id: MetricId, source| {
        document.summaries.iter().filter(move |s| s.metric == id && s.source == source)
    };
    let by_hardware = of(INSTRUCTIONS, Source::Run).next().is_some();
    let by_valgrind = of(INSTRUCTIONS, Source::Valgrind).next().is_some();
    let least_share = of(COUNTERS_RUNNING, Source::Run).map(|s| s.min).reduce(f64::min);
    let user_mode = document.conditions["hardware_counters"] == model::host::USER_MODE_ONLY;
    let missing = document.missing.iter().find(|part| part.metric == INSTRUCTIONS);
    let absent = missing.filter(|part| part.reason != "not requested");
    let absent = absent.filter(|_| !by_hardware && !by_valgrind);
    let absent = absent.map(|part| Note::NoCounters { reason: part.reason.clone() });
    let scaled = least_share.filter(|&share| share < 1.0);
    let scaled = scaled.map(|least_share| Note::ScaledCounters { least_share });
    let partial = (by_hardware && user_mode).then_some(Note::UserModeCounters);
    document.notes.extend(absent.into_iter().chain(partial).chain(scaled));
}

/// Notes the reason that a queried runtime gave no figures, and the cost of querying if it is
/// noticeable.
pub(super) fn note_runtimes(document: &mut Document) {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    let notes = variants.filter_map(|variant| {
        let of = |id: MetricId, source| {
            let mut summaries = document.summaries_of(variant);
            summaries.find(|part| part.metric == id && part.source == source)
        };
        let Some(asked) = of(ASKED_WALL_TIME, Source::Runtime) else {
            let is_its =
                |part: &&MissingValues| part.variant == variant && part.metric == ASKED_WALL_TIME;
            let silent = document.missing.iter().find(is_its)?;
            return Some(Note::NoRuntimeFigures { variant, reason: silent.reason.clone() });
        };
        let timed = of(WALL_TIME, Source::Run)?;
        cost(asked, timed).map(|(seconds, share)| Note::AskingCost { variant, seconds, share })
    });
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    let sampling = variants.filter_map(|variant| {
        let of = |id: MetricId, source| {
            let mut summaries = document.summaries_of(variant);
            summaries.find(|part| part.metric == id && part.source == source)
        };
        let sampled = of(SAMPLED_WALL_TIME, Source::Sampled)?;
        let (seconds, share) = cost(sampled, of(WALL_TIME, Source::Run)?)?;
        Some(Note::SamplingCost { variant, seconds, share })
    });
    let notes: Vec<Note> = notes.chain(sampling).collect();
    document.notes.extend(notes);
}

/// The least noticeable cost of querying, as a share: a few runs cannot tell less from noise.
const NOTICEABLE_COST: f64 = 0.05;

/// The cost of separate runs, if all of them took longer than any timed run: in seconds, and as a
/// share.
fn cost(asked: &MetricSummary, timed: &MetricSummary) -> Option<(f64, f64)> {
    let seconds = asked.median - timed.median;
    let share = seconds / timed.median;
    let is_noticeable = asked.min > timed.max && share > NOTICEABLE_COST && share.is_finite();
    is_noticeable.then_some((seconds, share))
}
