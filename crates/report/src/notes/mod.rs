//! The words of the notes.

mod layouts;
mod machines;
mod readings;
mod saved;
mod separate;

use page::{Block, Label, Line, Page, Section, Span, line};

use findings::Document;
use model::metric::{INSTRUCTIONS, Unit};
use model::note::Note;
use words::quantity::{percent, quantity};
use words::{counted, named};

/// Names a variant in a sentence.
pub type Name<'a> = &'a dyn Fn(u32) -> Line;

/// The notes of a document in words, with variants by their letters and given names: either those
/// about the experiment, or those that are always true of the machine.
pub fn lines(document: &Document, of_the_machine: bool) -> impl Iterator<Item = Line> {
    let notes = document.notes.iter().filter(move |it| it.is_of_the_machine() == of_the_machine);
    notes.map(|note| words(note, &|variant| named(document, variant)))
}

/// Adds all notes, with variants named by `name`: those about the experiment, and folded those that
/// are always true of the machine.
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

/// A note in words, with variants named by `name`.
pub fn words(note: &Note, name: Name<'_>) -> Line {
    order(note, name)
        .or_else(|| regimes(note, name))
        .or_else(|| runs(note, name))
        .or_else(|| left_behind(note, name))
        .or_else(|| separate::words(note, name))
        .or_else(|| readings::words(note))
        .or_else(|| readings::of_figures(note))
        .or_else(|| readings::of_work(note, name))
        .or_else(|| saved::words(note))
        .or_else(|| machines::words(note, name))
        .or_else(|| layouts::words(note, name))
        .unwrap_or_default()
}

/// Effects related to the order of the runs.
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

/// Events in the runs.
fn runs(note: &Note, name: Name<'_>) -> Option<Line> {
    let seconds = |value: f64| Span::quantity(quantity(value, Unit::Seconds), value);
    Some(match note {
        Note::Contention { wait_share, quota_cpus } => {
            let cause = match quota_cpus {
                Some(cpus) => line![
                    "the quota of its control group, ",
                    ((cpus * 1e3).round() / 1e3).to_string(),
                    " CPUs, holds up programs that want more; other programs may be running, too ("
                ],
                None => "other programs are running (".into(),
            };
            line![
                "up to ",
                percent(*wait_share),
                " of the wall time was spent waiting for a processor: ",
                cause,
                Span::code("brisk doctor"),
                " shows which)"
            ]
        }
        Note::Idle { variant, cpu, wall, .. } => line![
            name(*variant),
            " used a processor for ",
            seconds(*cpu),
            " of ",
            seconds(*wall),
            ": the rest of the time it slept, or waited for a disk, the network or a program that it \
             did not start (a server), whose work shows in the wall time alone"
        ],
        Note::FirstRunSlow { variant, times, warmup } => line![
            "the first run of ",
            name(*variant),
            match warmup {
                0 => String::new(),
                rounds => format!(" after {}", counted(*rounds, "warm-up round")),
            },
            format!(" took {times:.1} times its median: caches were cold; "),
            Span::code(format!("--warmup {}", (2 * warmup).max(1))),
            if *warmup == 0 { " keeps such runs out" } else { " may keep such runs out" }
        ],
        Note::ShortRuns { median } => line![
            "a run takes ",
            seconds(*median),
            ": most of that is the cost of starting and ending a process, for any program"
        ],
        Note::Failures { variant, runs, how } => line![
            counted(*runs as u64, "run"),
            " of ",
            name(*variant),
            plural(
                *runs,
                " failed, and was counted because of ",
                " failed, and were counted because of "
            ),
            Span::code("--ignore-failure"),
            format!(" ({how})")
        ],
        _ => return None,
    })
}

/// Runs of more than one kind.
fn regimes(note: &Note, name: Name<'_>) -> Option<Line> {
    let seconds = |value: f64| Span::quantity(quantity(value, Unit::Seconds), value);
    Some(match note {
        Note::Bimodal { variant, low, high, share_of_high, goes_with, counted, .. } => {
            let what =
                line![name(*variant), " has two regimes: ", seconds(*low), " and ", seconds(*high)];
            let share = line![" (", percent(*share_of_high), " of its runs); "];
            let with = match goes_with.as_ref().and_then(model::metric::find) {
                Some(metric) => line![Span::code(metric.label), " differs between them"],
                None => line!["no other reading differs between them"],
            };
            let decides = match (goes_with, counted) {
                (Some(metric), _) if *metric == INSTRUCTIONS => Line::default(),
                (_, true) => "; the instructions decide where the times cannot".into(),
                (_, false) => line![
                    "; where the times cannot decide, ",
                    Span::code("--counters valgrind"),
                    " does: it counts instructions"
                ],
            };
            what.and(share).and(with).and(decides)
        }
        Note::RareRegime { .. } => rare(note, name)?,
        _ => return None,
    })
}

/// Processes that brisk had to end.
fn left_behind(note: &Note, name: Name<'_>) -> Option<Line> {
    Some(match note {
        Note::LeftBehind { variant, processes } => line![
            name(*variant),
            format!(" left {processes} "),
            plural(usize::try_from(*processes).unwrap_or(usize::MAX), "process", "processes"),
            " behind, which brisk ended before the next run; what all processes of such a run would \
             have used together is not known"
        ],
        Note::HookLeftBehind { variant, hook, processes } => line![
            "the ",
            Span::code(format!("--{hook}")),
            " command of ",
            name(*variant),
            format!(" left {processes} "),
            plural(usize::try_from(*processes).unwrap_or(usize::MAX), "process", "processes"),
            " behind, which brisk ended before anything else ran; a server that the command needs is \
             to be started before brisk"
        ],
        _ => return None,
    })
}

/// A rare regime, and its meaning for the answer.
fn rare(note: &Note, name: Name<'_>) -> Option<Line> {
    let Note::RareRegime { variant, usual, rare, runs, share, mean, goes_with } = note else {
        return None;
    };
    let seconds = |value: f64| Span::quantity(quantity(value, Unit::Seconds), value);
    let with = goes_with
        .as_ref()
        .and_then(model::metric::find)
        .map(|metric| line!["; ", Span::code(metric.label), " differs between them"]);
    let quantile = if rare > usual { 1.0 - share / 2.0 } else { share / 2.0 };
    let quantile = format!("--metrics wall_time.p{}", (quantile * 100.0).round().clamp(1.0, 99.0));
    Some(line![
        format!("{runs} runs of "),
        name(*variant),
        " (",
        percent(*share),
        ") took about ",
        seconds(*rare),
        ", the others ",
        seconds(*usual),
        with.unwrap_or_default(),
        ". Medians and ratios tell of the usual runs alone, the mean of all is ",
        seconds(*mean),
        "; ",
        Span::code(quantile),
        " judges the rare ones"
    ])
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::letter;

    fn text(note: &Note) -> String {
        words(note, &|variant| letter(variant).into()).to_string()
    }

    #[test]
    fn a_quota_is_named_before_other_programs_are_blamed() {
        let of = |quota_cpus| text(&Note::Contention { wait_share: 0.4, quota_cpus });
        assert!(of(None).contains("other programs are running ("));
        let limited = of(Some(0.5));
        assert!(
            limited.contains("the quota of its control group, 0.5 CPUs, holds up"),
            "{limited}"
        );
    }

    #[test]
    fn two_regimes_say_what_decides() {
        let of = |goes_with: Option<&'static str>, counted| {
            let (goes_with, separation) = (goes_with.map(model::metric::MetricId::known), None);
            let (low, high, share_of_high) = (0.0016, 0.0073, 0.5);
            let variant = 0;
            text(&Note::Bimodal {
                variant,
                low,
                high,
                share_of_high,
                goes_with,
                separation,
                counted,
            })
        };
        assert!(of(None, false).ends_with("`--counters valgrind` does: it counts instructions"));
        assert!(of(None, true).ends_with("the instructions decide where the times cannot"));
        assert!(!of(Some("instructions"), true).contains("decide"), "they differ, too");
    }

    #[test]
    fn rare_runs_name_the_quantile_that_judges_them() {
        let of = |usual, rare| {
            let (variant, runs, share, mean) = (0, 10, 0.1, 0.003);
            text(&Note::RareRegime { variant, usual, rare, runs, share, mean, goes_with: None })
        };
        let slow = of(0.001, 0.02);
        assert!(slow.contains("10 runs of A (10 %) took about 20.00 ms, the others 1.000 ms. "));
        assert!(slow.contains("`--metrics wall_time.p95` judges the rare ones"), "{slow}");
        assert!(of(0.02, 0.001).contains("wall_time.p5`"));
    }
}
