//! The words of the notes on changes of machine in a history.

use page::{Line, Span, line};

use super::Name;
use model::note::Note;

pub(super) fn words(note: &Note, name: Name<'_>) -> Option<Line> {
    Some(match note {
        Note::MachineChanged { variant, fact, from, to } => line![
            format!("from {} on {fact} is {to}, and was {from}", name(*variant)),
            ": figures on either side are not comparable, and every ratio is of runs on one side; ",
            Span::code("--remeasure"),
            " measures everything as it is now"
        ],
        Note::Bridge { variant, metric, ratio } => {
            let label = words::label(metric);
            line![
                format!(
                    "{} is the bridge: it was measured before and after the change, and its ",
                    name(*variant)
                ),
                format!(
                    "{label} is {ratio:.3} times what it was; the ratios before it are those of the "
                ),
                "earlier machine, those after it of the later one"
            ]
        }
        _ => return None,
    })
}
