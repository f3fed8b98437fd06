//! The words of the notes on measurements from another time: a baseline saved by a harness, or a
//! stored experiment.

use page::{Line, Span, line};

use model::note::Note;
use words::quantity::percent;

pub(super) fn words(note: &Note) -> Option<Line> {
    Some(match note {
        Note::ValuesAlone { from } => line![
            "the values of ",
            Span::code(from.clone()),
            " stand alone, without runs, intervals or machines: a change is one of level, and \
             nobody can tell what else was different"
        ],
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
                " has the times of a single process, from another time",
                together,
                "; brisk assumes that its processes vary as they do here, and anything else that \
                 was different then looks like a change",
                waited("; here, up to ", *wait_share, "being slower proves nothing")
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
                    "; no other experiment of its command on this machine is stored, so brisk \
                     does not know how far experiments differ, and decides nothing. Measure both \
                     in one experiment, or measure the stored command again"
                ],
                some => {
                    let all: Vec<String> = some.iter().map(i64::to_string).collect();
                    line![
                        "; ratios to it are judged by how much the experiments of its command \
                         differ (",
                        format!("{}; since {since})", all.join(", "))
                    ]
                }
            };
            line![
                format!("experiment {experiment} is from {date}"),
                ", and was not interleaved with this one: what the machine did differently then \
                 looks like a change",
                judged,
                waited("; while it ran, up to ", *wait_share, "being faster now proves nothing")
            ]
        }
        _ => return None,
    })
}

/// The share of the time spent waiting for a processor, and its consequence.
fn waited(when: &'static str, share: Option<f64>, follows: &'static str) -> Line {
    let said = |share: f64| {
        let waiting = " of the time was spent waiting for a processor, so that ";
        line![when, percent(share), waiting, follows]
    };
    share.map(said).unwrap_or_default()
}
