//! The words of the notes.

mod layouts;
mod machines;
mod readings;
mod saved;
mod separate;

use page::{Block, Label, Line, Page, Section, Span, line};

use super::document::{Document, letter};
use super::quantity::{percent, quantity};
use crate::metric::Unit;
use crate::note::Note;

/// What a variant is called in a sentence.
pub type Name<'a> = &'a dyn Fn(u32) -> String;

/// The notes of a document in words, the variants by their letters: those about the experiment alone,
/// or those alone that are always true of the machine.
pub fn of(document: &Document, of_the_machine: bool) -> impl Iterator<Item = Line> {
    let notes = document.notes.iter().filter(move |it| it.is_of_the_machine() == of_the_machine);
    notes.map(|note| words(note, &letter))
}

/// Adds all notes, `name` saying what the variants are called: those about the experiment, and folded
/// those that are always true of the machine.
pub fn add(page: &mut Page, document: &Document, name: Name<'_>) {
    let (always, own): (Vec<&Note>, Vec<&Note>) =
        document.notes.iter().partition(|note| note.is_of_the_machine());
    page.notes(Label::NOTE, own.into_iter().map(|note| words(note, name)));
    let note = |note: &Note| Block::Note(Label::NOTE, words(note, name));
    let blocks: Vec<Block> = always.into_iter().map(note).collect();
    if !blocks.is_empty() {
        let title = "What always applies to this machine".into();
        page.push(Block::Section(Section { title, blocks, is_folded: true }));
    }
}

/// A note in words, `name` saying what the variants are called.
pub fn words(note: &Note, name: Name<'_>) -> Line {
    order(note, name)
        .or_else(|| runs(note, name))
        .or_else(|| separate::words(note, name))
        .or_else(|| readings::words(note))
        .or_else(|| readings::of_figures(note))
        .or_else(|| readings::of_work(note, name))
        .or_else(|| saved::words(note))
        .or_else(|| machines::words(note, name))
        .or_else(|| layouts::words(note, name))
        .unwrap_or_default()
}

/// What goes along with the order of the runs.
fn order(note: &Note, name: Name<'_>) -> Option<Line> {
    let slower = |effect: f64| if effect > 0.0 { " slower" } else { " faster" };
    Some(match note {
        Note::Drift { variant, change, p_value } => line![
            name(*variant),
            if *change > 0.0 { " slowed down by " } else { " sped up by " },
            percent(change.abs()),
            format!(" of its median from the first run to the last (p = {p_value:.1e})"),
            "; the rounds keep that out of the ratio"
        ],
        Note::Position { candidate, effect, p_value } => line![
            "against ",
            name(*candidate),
            ", the command that runs later in a round is ",
            percent(effect.abs()),
            slower(*effect),
            format!(" (p = {p_value:.1e})"),
            "; the drawn order keeps that out of the ratio"
        ],
        Note::CarryOver { variant, effect, p_value } => line![
            name(*variant),
            " is ",
            percent(effect.abs()),
            slower(*effect),
            format!(" after the other command than after itself (p = {p_value:.1e})"),
            ": one leaves something behind for the other"
        ],
        _ => return None,
    })
}

/// What happened in the runs.
fn runs(note: &Note, name: Name<'_>) -> Option<Line> {
    let seconds = |value: f64| Span::quantity(quantity(value, Unit::Seconds), value);
    Some(match note {
        Note::Bimodal { variant, low, high, share_of_high, goes_with, .. } => {
            let what =
                line![name(*variant), " has two regimes: ", seconds(*low), " and ", seconds(*high)];
            let share = line![" (", percent(*share_of_high), " of its runs); "];
            let with = match goes_with.as_ref().and_then(crate::metric::find) {
                Some(metric) => line![Span::code(metric.label), " differs between them"],
                None => line!["no other reading differs between them"],
            };
            what.and(share).and(with)
        }
        Note::Contention { wait_share } => line![
            "up to ",
            percent(*wait_share),
            " of the wall time was spent waiting for a processor: other programs are running (",
            Span::code("brisk doctor"),
            " shows which)"
        ],
        Note::FirstRunSlow { variant, times } => line![
            "the first run of ",
            name(*variant),
            format!(" took {times:.1} times its median: caches were cold; "),
            Span::code("--warmup 1"),
            " keeps such runs out"
        ],
        Note::ShortRuns { median } => line![
            "a run takes ",
            seconds(*median),
            ": most of that is the cost of starting and ending a process, whatever the program"
        ],
        Note::Failures { variant, runs, how } => line![
            format!("{runs} {} of ", plural(*runs, "run", "runs")),
            name(*variant),
            " failed, and were counted because of ",
            Span::code("--ignore-failure"),
            format!(" ({how})")
        ],
        Note::LeftBehind { variant, processes } => line![
            name(*variant),
            format!(" left {processes} "),
            plural(usize::try_from(*processes).unwrap_or(usize::MAX), "process", "processes"),
            " behind, which brisk ended before the next run"
        ],
        _ => return None,
    })
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}
