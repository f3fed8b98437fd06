//! The words of the notes about what was measured at another time: a baseline that a harness saved, a
//! stored experiment.

use page::{Line, Span, line};

use crate::judge::note::Note;
use crate::report::quantity::percent;

pub(super) fn words(note: &Note) -> Option<Line> {
    Some(match note {
        Note::SavedBaseline { file, alone, wait_share } => {
            let together = match alone {
                true => line![
                    "; it may have had other benchmarks before it, as with ",
                    Span::code("--order together")
                ],
                false => Line::default(),
            };
            line![
                file.clone(),
                " says what a single process took at another time",
                together,
                "; processes are taken to differ there as they do here, and whatever else was \
                 different then looks like a change",
                waited("; here, up to ", *wait_share, "being slower is no finding")
            ]
        }
        Note::NotInBaseline { benchmarks } => {
            let named = benchmarks
                .iter()
                .map(|(name, reason)| line![Span::code(name.clone()), format!(" ({reason})")]);
            line!["not compared with the baseline: ", Line::join(named, ", ")]
        }
        Note::StoredExperiment { experiment, date, further, since, wait_share } => {
            let judged = match further.as_slice() {
                [] => line![
                    "; no other experiment of its command on this machine is stored, so how far \
                     experiments differ is not known, and nothing is decided. Measure both in one \
                     experiment, or the stored command again"
                ],
                some => {
                    let all: Vec<String> = some.iter().map(i64::to_string).collect();
                    line![
                        "; ratios to it are judged by how far it and the other experiments of its \
                         command differ (",
                        format!("{}; since {since})", all.join(", "))
                    ]
                }
            };
            line![
                format!("experiment {experiment} is of {date}"),
                ", and was not interleaved with this one: what the machine did differently then \
                 looks like a change",
                judged,
                waited("; while it ran, up to ", *wait_share, "being faster now is no finding")
            ]
        }
        _ => return None,
    })
}

/// How much of the time was spent waiting for a processor, and what follows from it.
fn waited(when: &'static str, share: Option<f64>, follows: &'static str) -> Line {
    let said = |share: f64| {
        let waiting = " of the time was spent waiting for a processor, so that ";
        line![when, percent(share), waiting, follows]
    };
    share.map(said).unwrap_or_default()
}
