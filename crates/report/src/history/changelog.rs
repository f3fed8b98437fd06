//! A changelog line for each commit with a step, such as
//! `**Improvement**: Allocations: -46.17%  Memory: +0.00%  Time: -36.88% (Commit [e66f1e0...57f3e9d](LINK))`,
//! with an interval after each figure that has one.

use page::{Block, Line, Section, Span, Tone, line};

use super::{Shown, comparison, shown, steps_by_commit};
use findings::short;
use findings::{Document, HistoryCommit, Step};
use model::verdict::Verdict;
use words::quantity::ChangeSize;

/// The lines in the order of the commits; in a suite, benchmark after benchmark. `None` if no
/// commit has a step.
pub(super) fn section(document: &Document, each: &[Document]) -> Option<Block> {
    let all = if each.is_empty() { std::slice::from_ref(document) } else { each };
    let blocks: Vec<Block> = all.iter().flat_map(lines).map(Block::Sentence).collect();
    let section = Section { title: "Changelog".into(), blocks, is_folded: true };
    (!section.blocks.is_empty()).then_some(Block::Section(section))
}

fn lines(document: &Document) -> Vec<Line> {
    let shown = shown(document);
    let steps = steps_by_commit(document);
    let line = |commit: &HistoryCommit| {
        line(document, commit, steps.get(&*commit.hash)?.as_slice(), &shown)
    };
    document.commits().iter().filter_map(line).collect()
}

fn line(
    document: &Document,
    commit: &HistoryCommit,
    steps: &[&Step],
    shown: &[Shown],
) -> Option<Line> {
    let from = &steps.first()?.from;
    let compared = shown.iter().filter_map(|one| {
        let part = comparison(document, from, &commit.hash, one)?;
        Some(figure(&one.name, part.into()))
    });
    // A step in an unusual metric is reported as well.
    let others = steps.iter().filter(|step| !shown.iter().any(|one| one.is(step)));
    let others = others.map(|step| figure(words::label(&step.metric), (*step).into()));
    let benchmark = document.histories().first();
    Some(line![
        Span::from(word(steps)).toned(Tone::Strong),
        ": ",
        benchmark.map_or_else(Line::default, |one| line![Span::code(&one.benchmark), ": "]),
        Line::join(compared.chain(others), "  "),
        " (Commit ",
        link(document, from, &commit.hash),
        ")"
    ])
}

fn word(steps: &[&Step]) -> &'static str {
    let any = |verdict| steps.iter().any(|step| step.verdict == verdict);
    match (any(Verdict::Improved), any(Verdict::Regressed)) {
        (true, true) => "Improvement and regression",
        (false, true) => "Regression",
        _ => "Improvement",
    }
}

/// `Time: -36.88% [-37.90%, -35.80%]`.
fn figure(name: &str, size: ChangeSize) -> Line {
    // As in the first published series: no blank before the percent sign.
    let words = |words: String| words.replace(" %", "%");
    let interval = size.interval().map(|interval| format!(" {}", words(interval)));
    let shown = words(size.words()) + &interval.unwrap_or_default();
    line![words::capitalised(name), ": ", Span::quantity(shown, size.ratio())]
}

fn link(document: &Document, from: &str, to: &str) -> Span {
    let text = format!("{}...{}", short(from), short(to));
    let url = document.history().and_then(|history| history.subject.compare_url.as_ref());
    match url {
        Some(url) => Span::link(text, url.replace("{from}", from).replace("{to}", to)),
        None => Span::foreign(text),
    }
}
