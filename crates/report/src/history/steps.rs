//! The changes by a history's commits: a sentence for each, most important first; in brief; and as
//! a changelog.

use findings::{Confirmation, Coverage, Document, Drift, HistoryCommit, Outcome, Step, short};
use judge::step::{Origin, is_equal_count, is_moved_by_layout};
use model::metric::{INSTRUCTIONS, MetricId, Source, WALL_TIME};
use model::note::Note;
use model::verdict::Verdict;
use page::{Block, Line, Section, Span, Tone, line};
use words::quantity::ChangeSize;
use words::reasons::together;
use words::{quantity, tone};

use super::{Shown, commit_span, rank, shown, steps_by_commit};

/// Above this number of sentences, a first one counts them.
const UNCOUNTED: usize = 3;

/// The changes by a commit, or a drift.
struct Change {
    /// True if it is only about metrics that are not shown, which explain others.
    is_aside: bool,
    /// The verdict on the worst of its metrics.
    verdict: Verdict,
    /// The largest change with this verdict, as the absolute logarithm of its ratio.
    weight: f64,
    sentence: Line,
}

/// The steps of one commit, or of one benchmark there.
pub(crate) struct CommitSteps<'a> {
    /// The steps: of the metrics that are shown first, and the worse before the better.
    pub(crate) steps: Vec<&'a Step>,
    /// The verdict on the first.
    pub(crate) verdict: Verdict,
    is_aside: bool,
}

/// The sentences: regressions first, each by the weightiest; a single one if nothing changed and
/// everything is decided.
pub(super) fn answers(document: &Document, outcome: Outcome) -> Vec<Line> {
    let mut changes = changes(document);
    let is_better = |change: &Change| change.verdict != Verdict::Regressed;
    changes.sort_by(|a, b| {
        let key = |change: &Change| (change.is_aside, is_better(change));
        key(a).cmp(&key(b)).then(b.weight.total_cmp(&a.weight))
    });
    // Without comparisons, nothing can be concluded.
    if changes.is_empty() && outcome.is_decided() && !document.answers.is_empty() {
        return vec![nothing(document)];
    }
    let count = (changes.len() > UNCOUNTED)
        .then(|| counted_changes(changes.iter().map(|change| change.verdict)));
    count.into_iter().chain(changes.into_iter().map(|change| change.sentence)).collect()
}

/// `4 regressions and 3 improvements`.
pub(crate) fn counted_changes(verdicts: impl Iterator<Item = Verdict> + Clone) -> Line {
    let count = |one| verdicts.clone().filter(|verdict| *verdict == one).count();
    let (worse, better) = (count(Verdict::Regressed), count(Verdict::Improved));
    let counts = [(worse, "regression"), (better, "improvement")].into_iter();
    let counts = counts.filter(|(count, _)| *count > 0);
    let text: Vec<String> = counts.map(|(count, what)| words::counted(count, what)).collect();
    let verdict = if worse > 0 { Verdict::Regressed } else { Verdict::Improved };
    Line::from(text.join(" and ")).toned(tone(verdict))
}

/// The steps by commit and benchmark, with all metrics.
pub(crate) fn by_commit(document: &Document) -> Vec<CommitSteps<'_>> {
    let metrics = shown(document);
    let rank_of = |step: &Step| {
        let place = metrics.iter().position(|one| one.is(step));
        place.map_or(usize::MAX, |place| rank(document, place, metrics.len()))
    };
    let is_aside = |step: &Step| rank_of(step) == usize::MAX;
    let is_worse = |step: &Step| leading_verdict(document, step) == Verdict::Regressed;
    let mut steps: Vec<&Step> = document.steps().iter().collect();
    steps.sort_by_key(|step| rank_of(step));
    let key = |step: &Step| (step.commit.clone(), step.benchmark.clone(), step.confirmed);
    let steps = together(steps.into_iter().map(|step| (key(step), step)));
    let group = steps.into_iter().map(|(_, mut steps)| {
        steps.sort_by_key(|step| (is_aside(step), !is_worse(step)));
        let (verdict, is_aside) = (leading_verdict(document, steps[0]), is_aside(steps[0]));
        CommitSteps { steps, verdict, is_aside }
    });
    group.collect()
}

/// The largest number of benchmarks changed by one commit that have a sentence each.
const MOST_BENCHMARKS: usize = 3;

/// A change for each commit, with all of its metrics and benchmarks, and for each drift.
fn changes(document: &Document) -> Vec<Change> {
    let metrics = shown(document);
    let key = |one: &CommitSteps<'_>| {
        let step = one.steps[0];
        let standing = (one.verdict, one.is_aside, step.confirmed, step.machine.clone());
        (step.commit.clone(), standing)
    };
    let by_commit = together(by_commit(document).into_iter().map(|one| (key(&one), one)));
    let steps = by_commit.into_iter().flat_map(|(_, alike)| {
        let changed = |one: &CommitSteps<'_>, sentence: Line| Change {
            is_aside: one.is_aside,
            verdict: one.verdict,
            weight: weight(document, one),
            sentence: sentence.toned(tone(one.verdict)),
        };
        match alike.len() {
            0..=MOST_BENCHMARKS => {
                alike.iter().map(|one| changed(one, sentence(document, &one.steps))).collect()
            }
            _ => {
                let mut alike = alike;
                alike.sort_by(|a, b| weight(document, b).total_cmp(&weight(document, a)));
                vec![changed(&alike[0], of_many(document, &alike))]
            }
        }
    });
    let drifts = document.drifts().iter().map(|one| Change {
        is_aside: !metrics.iter().any(|shown| shown.drifts(one)),
        verdict: one.verdict,
        weight: one.ratio.ln().abs(),
        sentence: drift(one).toned(tone(one.verdict)),
    });
    steps.chain(drifts).collect()
}

/// The largest change with the leading verdict, as the absolute logarithm of its ratio.
fn weight(document: &Document, one: &CommitSteps<'_>) -> f64 {
    let alike = one.steps.iter().filter(|step| leading_verdict(document, step) == one.verdict);
    alike.map(|step| step.weight()).fold(0.0, f64::max)
}

/// `1d9c84e regressed 30 benchmarks, most: `parse`, time +50.24 % [+49.56 %, +50.81 %]; ... and 27
/// more (Round the corners)`.
fn of_many(document: &Document, alike: &[CommitSteps<'_>]) -> Line {
    let one = |one: &CommitSteps<'_>| {
        let step = one.steps[0];
        let amount = ChangeSize::from(step).amount();
        line![benchmark(step.benchmark.as_ref()), metric(&step.metric, step.source), " ", amount]
    };
    let first = alike[0].steps[0];
    let count = words::counted(alike.len(), "benchmark");
    let named = Line::join(alike.iter().take(MOST_BENCHMARKS).map(one), "; ");
    let beginning = format!(" {} {count}, most: ", alike[0].verdict.word());
    let more = format!("; and {} more", alike.len() - MOST_BENCHMARKS);
    line![commit_span(&first.commit), beginning, named, more, circumstances(document, first)]
}

/// `, not confirmed by builds from scratch, on CLASS (Round the corners)`: the standing of a step,
/// and the subject of its commit.
fn circumstances(document: &Document, step: &Step) -> Line {
    let confirmed = match step.confirmed {
        Confirmation::CleanBuilds | Confirmation::NothingToBuild => "",
        Confirmation::Measured => ", confirmed by builds from scratch",
        Confirmation::Unchecked => ", not confirmed by builds from scratch",
    };
    line![confirmed, place(step.machine.as_ref()), subject(document, step)]
}

/// ` (Round the corners)`, the subject of a step's commit; empty without one.
fn subject(document: &Document, step: &Step) -> Line {
    let commit = document.commits().iter().find(|commit| commit.hash == step.commit);
    let subject = commit.map(|commit| commit.subject.clone()).filter(|text| !text.is_empty());
    subject.map(|subject| line![" (", subject, ")"]).unwrap_or_default()
}

/// The verdict by which a step is ordered: instructions follow the time of their commit.
fn leading_verdict(document: &Document, step: &Step) -> Verdict {
    if step.metric != INSTRUCTIONS {
        return step.verdict;
    }
    let is_of_time = |other: &&Step| {
        (&other.commit, &other.benchmark) == (&step.commit, &step.benchmark)
            && is_moved_by_layout(&other.metric)
    };
    let timed = document.steps().iter().find(is_of_time);
    timed.map_or(step.verdict, |timed| timed.verdict)
}

/// The largest number of steps named in a list.
const MOST_IN_SHORT: usize = 3;

/// The steps in brief, largest first: `2 steps: 1d9c84e time +16.18 %; 0778ab1 time -3.02 %`.
pub fn in_short(document: &Document) -> String {
    let mut steps: Vec<&Step> = Vec::new();
    for step in document.steps().iter() {
        let key = |step: &Step| (step.commit.clone(), step.benchmark.clone());
        if !steps.iter().any(|one| key(one) == key(step)) {
            steps.push(step);
        }
    }
    steps.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    let one = |step: &&Step| {
        let benchmark = step.benchmark.as_ref().map(|name| format!("{name} "));
        let (commit, metric) = (short(&step.commit), words::label(&step.metric));
        format!(
            "{commit} {}{metric} {}",
            benchmark.unwrap_or_default(),
            ChangeSize::from(*step).words()
        )
    };
    let mut named: Vec<String> = steps.iter().take(MOST_IN_SHORT).map(one).collect();
    let drifts = document.drifts().iter().count();
    match steps.len() {
        0 if drifts > 0 => return words::counted(drifts, "drift"),
        0 if document.answers.is_empty() => return words::circumstances(document),
        0 => {
            let commits = document.commits().iter().count();
            return format!("no step in {}", words::counted(commits, "commit"));
        }
        count if count > MOST_IN_SHORT => named.push(format!("{} more", count - MOST_IN_SHORT)),
        _ => {}
    }
    format!("{}: {}", words::counted(steps.len(), "step"), named.join("; "))
}

fn nothing(document: &Document) -> Line {
    let is_layout = |note: &Note| matches!(note, Note::Layout { .. });
    if document.notes.iter().any(is_layout) {
        return "no commit certainly changed anything but the layout of its program".into();
    }
    if document.answers.iter().all(|answer| answer.verdict == Verdict::Unchanged) {
        let margin = quantity::percent(document.experiment.margin.fraction());
        let what = match Coverage::from_document(document).is_whole() {
            true => "anything",
            false => "what could be measured",
        };
        return line!["no commit changed ", what, " by more than the margin of ", margin];
    }
    "no commit certainly changed anything".into()
}

/// The effect of a commit on one metric or several.
fn sentence(document: &Document, steps: &[&Step]) -> Line {
    let first = steps[0];
    let figure = |step: &&Step| {
        let amount = ChangeSize::from(*step).amount();
        line![metric(&step.metric, step.source), " ", amount]
    };
    let (alike, others): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| step.verdict == first.verdict);
    let directions = [alike, others].into_iter().filter_map(|steps| {
        let first = steps.first()?;
        let figures = Line::join(steps.iter().map(figure), ", ");
        Some(line![first.verdict.word(), ": ", benchmark(first.benchmark.as_ref()), figures])
    });
    line![
        commit_span(&first.commit),
        " ",
        Line::join(directions, ", but "),
        evidence(document, steps),
        circumstances(document, first)
    ]
}

/// The evidence for or against a commit's steps, besides their own figures.
fn evidence(document: &Document, steps: &[&Step]) -> Line {
    let is_counted = steps.iter().any(|step| step.metric == INSTRUCTIONS);
    let Some(timed) = steps.iter().find(|step| is_moved_by_layout(&step.metric)) else {
        return if is_counted { of_time(document, steps[0]) } else { Line::default() };
    };
    let counted = timed.instructions_ratio.filter(|_| !is_counted).map(|ratio| {
        let percent = quantity::percent((ratio - 1.0).abs());
        match is_equal_count(ratio) {
            true => ", with as many instructions".to_owned(),
            false if ratio > 1.0 => format!(", with {percent} more instructions"),
            false => format!(", with {percent} fewer instructions"),
        }
    });
    let over = timed.layouts.filter(|_| timed.origin == Some(Origin::Source));
    let confirmed = over.map(|over| format!(", confirmed in {} layouts", over.layouts));
    line![counted.unwrap_or_default(), confirmed.unwrap_or_default()]
}

/// The time of a commit whose instructions changed, but which has no step in time.
fn of_time(document: &Document, step: &Step) -> Line {
    let variant = |hash: &str| document.variant_of(hash, step.benchmark.as_deref());
    let pair = variant(&step.from).zip(variant(&step.commit));
    let part =
        pair.and_then(|(old, new)| document.comparison_of(old, new, &WALL_TIME, Source::Run));
    part.map_or_else(Line::default, |part| {
        let verdict = match part.verdict {
            Verdict::Inconclusive => " does not certainly change: ",
            Verdict::Unchanged => " does not change: ",
            // A change above the margin that is not a step is due to layout.
            Verdict::Improved | Verdict::Regressed
                if (part.ratio - 1.0).abs() > document.experiment.margin.fraction() =>
            {
                " changes by layout alone: "
            }
            Verdict::Improved | Verdict::Regressed => " changes within the margin: ",
        };
        let amount = ChangeSize::from(part).amount();
        line!["; ", metric(&part.metric, part.source), verdict, amount]
    })
}

fn drift(drift: &Drift) -> Line {
    line![
        commit_span(&drift.from),
        " to ",
        commit_span(&drift.to),
        " drifted: ",
        benchmark(drift.benchmark.as_ref()),
        metric(&drift.metric, drift.source),
        " ",
        ChangeSize::from(drift).amount(),
        ", and no single commit did it",
        place(drift.machine.as_ref())
    ]
}

fn metric(id: &MetricId, source: Source) -> Line {
    line![words::label(id), source.mark()]
}

/// `, on CLASS`; empty if all machines are of one class.
fn place(machine: Option<&String>) -> Line {
    machine.map_or_else(Line::default, |name| line![", on ", name.clone()])
}

/// `sum/large, `; empty for a command.
fn benchmark(name: Option<&String>) -> Line {
    name.map_or_else(Line::default, |name| line![Span::code(name), ", "])
}

/// The lines by commit, in a suite by benchmark first; `None` if no commit has a step.
pub(super) fn changelog(document: &Document, each: &[Document]) -> Option<Block> {
    let all = if each.is_empty() { std::slice::from_ref(document) } else { each };
    let blocks: Vec<Block> = all.iter().flat_map(changelog_lines).map(Block::Sentence).collect();
    let section = Section { title: "Changelog".into(), blocks, is_folded: true };
    (!section.blocks.is_empty()).then_some(Block::Section(section))
}

fn changelog_lines(document: &Document) -> Vec<Line> {
    let shown = shown(document);
    let steps = steps_by_commit(document);
    let line = |commit: &HistoryCommit| {
        changelog_line(document, commit, steps.get(&*commit.hash)?.as_slice(), &shown)
    };
    document.commits().iter().filter_map(line).collect()
}

fn changelog_line(
    document: &Document,
    commit: &HistoryCommit,
    steps: &[&Step],
    shown: &[Shown],
) -> Option<Line> {
    let from = &steps.first()?.from;
    let pair = document.variant_of(from, None).zip(commit.variant);
    let compared = shown.iter().filter_map(|one| {
        let (old, new) = pair?;
        let part = document.comparison_of(old, new, &one.id, one.source)?;
        Some(figure(&one.name, part.into()))
    });
    // A step in an unusual metric is reported as well.
    let others = steps.iter().filter(|step| !shown.iter().any(|one| one.is(step)));
    let others = others.map(|step| figure(&words::label(&step.metric), (*step).into()));
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
