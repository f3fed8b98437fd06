//! What is to be known of the counters and of the runtimes that were asked, said once.

use crate::report::document::{Document, MissingPart, SummaryPart};
use model::metric::{
    ASKED_WALL_TIME, COUNTERS_RUNNING, INSTRUCTIONS, MetricId, SAMPLED_WALL_TIME, Source,
    TIME_PER_ITERATION, WALL_TIME,
};
use model::note::Note;

/// Says once what is to be known of the counters: why there are none, where nobody chose to have
/// none; what they leave out; whether they were scaled.
pub(super) fn note_counters(document: &mut Document) {
    // Of a suite they are only asked how fast the processor ran.
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

/// Says why a runtime that was asked gave no figures, and what asking costs where that is seen.
pub(super) fn note_runtimes(document: &mut Document) {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    let notes = variants.filter_map(|variant| {
        let of = |id: MetricId, source| {
            let mut summaries = document.summaries_of(variant);
            summaries.find(|part| part.metric == id && part.source == source)
        };
        let Some(asked) = of(ASKED_WALL_TIME, Source::Runtime) else {
            let is_its =
                |part: &&MissingPart| part.variant == variant && part.metric == ASKED_WALL_TIME;
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

/// What asking must cost to be worth a word: less cannot be told from noise by a few runs.
const NOTICEABLE_COST: f64 = 0.05;

/// The cost of a separate run, where every one took longer than any timed one: in seconds, and as a part.
fn cost(asked: &SummaryPart, timed: &SummaryPart) -> Option<(f64, f64)> {
    let seconds = asked.median - timed.median;
    let share = seconds / timed.median;
    let is_noticeable = asked.min > timed.max && share > NOTICEABLE_COST && share.is_finite();
    is_noticeable.then_some((seconds, share))
}
