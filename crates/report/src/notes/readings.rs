//! The words of the notes on the readings of every run, and their origin.

use page::{Line, Span, line};

use super::Name;
use model::metric::Unit;
use model::note::Note;
use words::quantity::{percent, quantity};
use words::{counted, label};

/// Notes on the runs that a quantile needs, and on readings that are not the program's alone.
pub(super) fn of_figures(note: &Note) -> Option<Line> {
    if let Note::EnergyOfAll = note {
        let whose = "energy is that of whole processor packages during a run, with all that other \
                     programs did meanwhile";
        return Some(whose.into());
    }
    let Note::FewForQuantile { metric, runs, needed } = note else { return None };
    Some(line![
        counted(*runs as u64, "run"),
        " cannot bound ",
        label(metric).to_owned(),
        format!(" on both sides: a 95 % interval takes {needed}")
    ])
}

pub(super) fn words(note: &Note) -> Option<Line> {
    Some(match note {
        Note::AtFloor { floor_bytes } => line![
            "peak rss cannot be measured below ",
            Span::quantity(quantity(*floor_bytes, Unit::Bytes), *floor_bytes),
            ", the size of brisk's launcher process"
        ],
        Note::NoCounters { reason } => line![
            "no instruction counts: ",
            reason.clone(),
            "; ",
            Span::code("--counters valgrind"),
            " counts them in separate runs"
        ],
        Note::UserModeCounters => {
            "the counters leave out work done in the kernel: this user may not see it".into()
        }
        Note::ScaledCounters { least_share } => line![
            "the counters shared the hardware with others and ran for as little as ",
            percent(*least_share),
            " of a run; such counts are scaled up"
        ],
        Note::Shell { shell, syntax, command } => {
            let because = match (syntax, command) {
                (Some(syntax), Some(command)) => line![
                    ", because of ",
                    Span::code(syntax.to_string()),
                    " in ",
                    Span::code(command.clone())
                ],
                _ => Line::default(),
            };
            line!["every command runs through ", Span::code(format!("{shell} -c")), because]
        }
        Note::SequentialOrder => {
            "all runs of one command came before those of the next: if the machine changed \
             meanwhile, that looks like a difference, and no statistics can tell them apart"
                .into()
        }
        Note::NoRunsKept { names } => line![
            "the file has no single runs of ",
            names.join(", "),
            "; its means alone cannot decide anything"
        ],
        Note::NotConfirmed { commit, benchmark, metric } => {
            let of = benchmark.as_ref().map(|name| line![" of ", Span::code(name.clone())]);
            line![
                commit.clone(),
                " seemed to change the ",
                label(metric).to_owned(),
                of.unwrap_or_default(),
                ", but builds from scratch do not show it"
            ]
        }
        _ => return None,
    })
}

/// The effect of the amount of work on the readings.
pub(super) fn of_work(note: &Note, name: Name<'_>) -> Option<Line> {
    Some(match note {
        Note::ScaledWork { least, whole } => line![
            format!("slow commits did less than their work, down to {least} of {whole}"),
            "; their times, instructions and allocations are scaled to the whole, start-up included"
        ],
        Note::OtherWork { baseline, candidate, done: [before, after], metrics } => line![
            name(*candidate),
            format!(" did {after} of the work, and "),
            name(*baseline),
            format!(" {before}: what does not grow in proportion to it is not compared ("),
            Line::join(metrics.iter().map(|id| label(id).to_owned().into()), ", "),
            ")"
        ],
        _ => return None,
    })
}
