//! The recommendation of a tuning, from its confirmation.

use super::program::TunedProgram;
use findings::{Document, TriedSetting, TuningFinding, UnvariedKnob, VariedKnob};
use model::metric::Source;
use model::verdict::{Margin, Verdict};
use tune::Search;

/// The search and its recommendation: of the settings that are certainly better than the default,
/// with an estimate better by at least the margin, the one with the lowest ratio.
pub(super) fn tuning(
    program: &TunedProgram,
    search: &Search,
    confirmed: &Document,
    margin: Margin,
) -> TuningFinding {
    let recommended = recommended(confirmed, margin);
    let point = recommended.map(|variant| program.point_of(confirmed, variant));
    let settings = search.space().points().count() as u64;
    TuningFinding {
        runtime: program.adapter.word.to_owned(),
        knobs: program.menu.items.iter().map(knob).collect(),
        left_out: left_out(program),
        settings,
        search_runs: search.runs(),
        tried: tried(program, search),
        is_confirmed: !search.candidates().points().is_empty(),
        recommended,
        line: point.and_then(|point| program.line(&point)),
        check: None,
    }
}

fn recommended(confirmed: &Document, margin: Margin) -> Option<u32> {
    let minimized = &confirmed.sweep()?.minimized;
    let enough = 1.0 - margin.fraction();
    confirmed
        .comparisons
        .iter()
        .filter(|part| part.metric == *minimized && part.source == Source::Run)
        .filter(|part| part.verdict == Verdict::Improved && part.ratio <= enough)
        .min_by(|a, b| a.ratio.total_cmp(&b.ratio))
        .map(|part| part.candidate)
}

fn knob(item: &toolchains::runtime::tuning::Item) -> VariedKnob {
    VariedKnob {
        name: item.knob.name.to_owned(),
        about: item.knob.about.to_owned(),
        default: item.knob.default.to_owned(),
        levels: item.levels.iter().map(|level| level.text.to_owned()).collect(),
    }
}

/// The knobs that were not varied. A knob with several versions is only listed if none of them was
/// varied.
fn left_out(program: &TunedProgram) -> Vec<UnvariedKnob> {
    let is_turned = |name: &str| program.menu.items.iter().any(|item| item.knob.name == name);
    (program.menu.left_out.iter())
        .filter(|left| !is_turned(left.knob.name))
        .map(|left| UnvariedKnob { name: left.knob.name.to_owned(), reason: left.reason() })
        .collect()
}

fn tried(program: &TunedProgram, search: &Search) -> Vec<TriedSetting> {
    let mut estimates = search.estimates();
    estimates.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let known = estimates.into_iter().map(|estimate| TriedSetting {
        setting: program.label(&estimate.point),
        runs: estimate.runs,
        seconds: Some(estimate.seconds),
        peak_bytes: Some(estimate.peak_bytes),
    });
    let out = search.out().into_iter().map(|point| TriedSetting {
        setting: program.label(&point),
        runs: 1,
        seconds: None,
        peak_bytes: None,
    });
    known.chain(out).collect()
}
