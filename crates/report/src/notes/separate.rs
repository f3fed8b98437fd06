//! The words of the notes on readings of separate runs.

use page::{Line, Span, line};

use super::Name;
use model::metric::Unit;
use model::note::Note;
use words::counted;
use words::quantity::{percent, quantity};

pub(super) fn words(note: &Note, name: Name<'_>) -> Option<Line> {
    let rounds_of = |rounds: u32| counted(rounds, "separate round");
    let cost = |seconds: f64, share: f64| {
        let shown = Span::quantity(quantity(seconds, Unit::Seconds), seconds);
        line![shown, " (", percent(share), "): such runs are not timed"]
    };
    Some(match note {
        Note::Instrumented { rounds, exact } => line![
            "valgrind counted (caches and branches are simulated) in ",
            rounds_of(*rounds),
            match exact {
                true => " that agreed exactly",
                false => "; some program does not do the same work every time",
            }
        ],
        Note::RuntimeFigures { rounds, exact } => line![
            "the runtime's figures come from ",
            rounds_of(*rounds),
            match exact {
                true =>
                    " that agreed exactly on what was allocated and live, or on the collections \
                     where that is not known",
                false =>
                    "; some program does not allocate or keep the same every time, or collects at \
                     other times",
            }
        ],
        Note::NoRuntimeFigures { variant, reason } => {
            line!["the runtime reports nothing about ", name(*variant), ": ", reason.clone()]
        }
        Note::RuntimeSetting { variant, asked, effective } => {
            line![
                name(*variant),
                " was given ",
                Span::code(asked.clone()),
                ", but ",
                effective.clone()
            ]
        }
        Note::AskingCost { variant, seconds, share } => {
            line!["asking its runtime costs ", name(*variant), " ", cost(*seconds, *share)]
        }
        Note::MemorySampled { rounds } => {
            line!["memory over time comes from ", rounds_of(*rounds), ", which are not timed"]
        }
        Note::SamplingCost { variant, seconds, share } => line![
            "sampling the memory of ",
            name(*variant),
            ", and asking its runtime meanwhile, costs ",
            cost(*seconds, *share)
        ],
        _ => return None,
    })
}
