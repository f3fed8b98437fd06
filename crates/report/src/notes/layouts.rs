//! The words of the notes on the layout of code by the linker.

use page::{Line, Span, line};

use super::Name;
use findings::short;
use model::metric::MetricId;
use model::note::{Note, OverLayouts};
use words::quantity::ChangeSize;
use words::quantity::percent;
use words::{counted, label};

pub(super) fn words(note: &Note, name: Name<'_>) -> Option<Line> {
    Some(match note {
        Note::Layouts { variant, layouts, metric, spread } => {
            let moves = spread.map(|[sd, low, high]| {
                let by = match low > 0.0 {
                    true => format!(" by {} [{}, {}]", percent(sd), percent(low), percent(high)),
                    false => format!(" by less than {}", percent(high)),
                };
                line![
                    "; layout alone moves the ",
                    label(metric).to_owned(),
                    " of ",
                    name(*variant),
                    by,
                    " (standard deviation)"
                ]
            });
            line![
                format!(
                    "each program ran in {layouts} layouts in turn, and the intervals hold over "
                ),
                "all that a linker could choose",
                moves.unwrap_or_default()
            ]
        }
        Note::LikelyLayout { baseline, candidate, ratio, instructions } => line![
            name(*candidate),
            format!(" takes {ratio:.3} times as long as "),
            name(*baseline),
            format!(" and executes as many instructions ({instructions:.4} times): "),
            "where the linker put the code is the likely cause; ",
            Span::code("--layouts 20"),
            " decides it for commits (",
            Span::code("--at"),
            ")"
        ],
        Note::Layout { commit, benchmark, metric, ratio, over } => {
            not_the_source(commit, benchmark.as_deref(), metric, *ratio, over)
        }
        Note::HiddenByLayout { metric } => line![
            "layout can also hide changes of the ",
            label(metric).to_owned(),
            "; ",
            Span::code("--layouts 60"),
            " looks for them: it measures every commit in 60 layouts"
        ],
        Note::WideOverLayouts { commit, benchmark, metric, over } => line![
            "layouts could not be told apart in this noise, so ",
            short(commit).to_owned(),
            " stands as it was built: the ",
            label(metric).to_owned(),
            of_benchmark(benchmark.as_deref()),
            " changes ",
            over_layouts(over)
        ],
        Note::NotCounted { commits, reason } => line![
            "the instructions of ",
            counted(*commits, "changed commit"),
            format!(" were not counted: {reason}; "),
            Span::code("--counters valgrind"),
            " counts them however long that takes"
        ],
        Note::NotLinked { commits, reason } => line![
            "whether ",
            counted(*commits, "commit"),
            " changed the source or only the layout was not found out: ",
            reason.clone()
        ],
        Note::NoLayouts { commit, reason } => line![
            "whether ",
            short(commit).to_owned(),
            " is a change of the source or of the layout was not found out: ",
            reason.clone()
        ],
        _ => return None,
    })
}

fn not_the_source(
    commit: &str,
    benchmark: Option<&str>,
    metric: &MetricId,
    ratio: f64,
    over: &OverLayouts,
) -> Line {
    line![
        short(commit).to_owned(),
        if over.excludes(ratio) { " did not change the " } else { " may not have changed the " },
        label(metric).to_owned(),
        of_benchmark(benchmark),
        format!(" (layout): as built by {}, ", ChangeSize::of_ratio(ratio, ratio, None).words()),
        over_layouts(over),
        moved(over)
    ]
}

fn of_benchmark(name: Option<&str>) -> Line {
    name.map(|name| line![" of ", Span::code(name.to_owned())]).unwrap_or_default()
}

/// `in 20 layouts by +0.10 % [-0.40 %, +0.60 %]`.
fn over_layouts(over: &OverLayouts) -> Line {
    let OverLayouts { layouts, over_layouts, low, high, .. } = *over;
    line![
        format!("in {layouts} layouts by "),
        ChangeSize::of_ratio(over_layouts, low, high).amount()
    ]
}

fn moved(over: &OverLayouts) -> Line {
    let told = |sd| format!("; layout alone moves it by {} (standard deviation)", percent(sd));
    over.sd.map(|sd| told(sd).into()).unwrap_or_default()
}
