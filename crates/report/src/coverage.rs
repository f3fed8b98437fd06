//! Benchmarks of a suite that could not be measured, and those that came and went: the first lines
//! of its report.

use page::{Line, Span, Tone, line};

use findings::short;
use findings::{Coverage, Document, Gap, Side};
use words::counted;
use words::reasons::{first_and_last_line, named, telling_line, together};

/// The gaps in the measurements; of a history, those of its newest commit.
pub(super) fn gaps(document: &Document, coverage: &Coverage) -> Vec<Line> {
    let is_history = document.history().is_some();
    let gaps = coverage.gaps.iter().filter(|gap| !is_history || gap.side == Side::New);
    let groups = gaps.map(|gap| ((gap.side, gap.rounds, &gap.reason), gap));
    let lines = together(groups).into_iter();
    lines.map(|(_, gaps)| gap_line(document, &gaps).toned(Tone::Bad)).collect()
}

/// The benchmarks that came and went between a history's oldest commit and its newest.
pub(super) fn comings_of(document: &Document, coverage: &Coverage) -> Option<Line> {
    let is_history = document.history().is_some();
    let names =
        |names: &[String]| named(names.iter().map(|name| Span::code(name).into()).collect());
    let (added, gone) = (names(&coverage.added), names(&coverage.gone));
    let tone = if gone.is_empty() || is_history { Tone::Plain } else { Tone::Bad };
    let comings = comings(side(document, Side::New), added, gone, is_history);
    comings.map(|line| line.toned(tone))
}

/// The benchmarks that a side gained or lost against the side before it.
pub(super) fn comings(side: Span, added: Line, gone: Line, is_history: bool) -> Option<Line> {
    match (added.is_empty(), gone.is_empty()) {
        (true, true) => None,
        (false, true) => Some(line![side, " adds ", added]),
        (true, false) => Some(line![side, " no longer has ", gone]),
        (false, false) => {
            let renamed = ": a renamed benchmark is compared where brisk.toml says that it is one";
            let renamed = if is_history { renamed } else { "" };
            Some(line![side, " adds ", added, " and no longer has ", gone, renamed])
        }
    }
}

/// A line for benchmarks of one side that share a reason.
fn gap_line(document: &Document, gaps: &[&Gap]) -> Line {
    let Gap { side: which, reason, rounds, .. } = gaps[0];
    let names: Vec<Line> =
        gaps.iter().filter_map(|gap| Some(Span::code(gap.benchmark.as_ref()?).into())).collect();
    let what = if names.is_empty() { line!["any benchmark"] } else { named(names) };
    if gaps[0].is_unbuilt {
        return line![
            side(document, *which),
            " does not build: ",
            telling_line(reason).unwrap_or("no log").to_owned()
        ];
    }
    let left_out = rounds.map(|rounds| format!("; left out after {}", counted(rounds, "round")));
    line![
        side(document, *which),
        " cannot measure ",
        what,
        ": ",
        first_and_last_line(reason),
        left_out.unwrap_or_default()
    ]
}

/// A side, named by its commit or its program.
fn side(document: &Document, side: Side) -> Span {
    if let [oldest, .., newest] = document.commits() {
        let hash = if side == Side::New { &newest.hash } else { &oldest.hash };
        return Span::commit(short(hash), hash.clone());
    }
    let mut programs = document.suite().into_iter().flat_map(|suite| &suite.programs);
    let program = match side {
        Side::Old => programs.next(),
        Side::New => programs.last(),
    };
    Span::code(program.map_or("the suite", |program| program.name.as_str()))
}
