//! The words of the notes: what the reader of a finding should know of its runs, its readings, its
//! machines and its baseline.

use findings::{Document, short};
use model::metric::{INSTRUCTIONS, MetricId, Unit};
use model::note::{Note, OverLayouts};
use page::{Block, Label, Line, Page, Section, Span, line};
use words::names::named;
use words::quantity::ChangeSize;
use words::quantity::{percent, quantity};
use words::{counted, label};

/// Names a variant in a sentence.
pub type Name<'a> = &'a dyn Fn(u32) -> Line;

/// The notes about the experiment, or those that are always true of the machine.
pub(super) fn lines(document: &Document, of_the_machine: bool) -> impl Iterator<Item = Line> {
    let notes = document.notes.iter().filter(move |it| it.is_of_the_machine() == of_the_machine);
    notes.map(|note| words(note, &|variant| named(document, variant)))
}

/// Adds all notes; those that are always true of the machine are folded.
pub(super) fn add(page: &mut Page, document: &Document, name: Name<'_>) {
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
    match note {
        // The order of the runs.
        Note::Drift { variant, change, p_value } => line![
            name(*variant),
            if *change > 0.0 { " slowed down by " } else { " sped up by " },
            percent(change.abs()),
            format!(" of its median wall time from the first run to the last (p = {p_value:.1e})"),
            "; the rounds keep that out of the ratio"
        ],
        Note::Position { candidate, effect, p_value } => line![
            "against ",
            name(*candidate),
            ", the command that runs later in a round is ",
            percent(effect.abs()),
            slower(*effect),
            format!(" in wall time (p = {p_value:.1e})"),
            "; the drawn order keeps that out of the ratio"
        ],
        Note::CarryOver { variant, effect, p_value } => line![
            name(*variant),
            " is ",
            percent(effect.abs()),
            slower(*effect),
            " in wall time after the other command than after itself",
            format!(" (p = {p_value:.1e})"),
            ": one leaves something behind for the other"
        ],
        // The runs.
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
            format!(" took {times:.1} times its median wall time: caches were cold; "),
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
                *runs == 1,
                " failed, and was counted because of ",
                " failed, and were counted because of "
            ),
            Span::code("--ignore-failure"),
            format!(" ({how})")
        ],
        // Runs of more than one kind.
        Note::Bimodal { variant, low, high, share_of_high, goes_with, counted, .. } => {
            let what = line![
                name(*variant),
                " has two regimes of wall time: ",
                seconds(*low),
                " and ",
                seconds(*high)
            ];
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
        Note::RareRegime { variant, usual, rare, runs, share, mean, goes_with } => {
            let with = goes_with
                .as_ref()
                .and_then(model::metric::find)
                .map(|metric| line!["; ", Span::code(metric.label), " differs between them"]);
            let quantile = if rare > usual { 1.0 - share / 2.0 } else { share / 2.0 };
            let quantile =
                format!("--metrics wall_time.p{}", (quantile * 100.0).round().clamp(1.0, 99.0));
            line![
                format!("{runs} runs of "),
                name(*variant),
                " (",
                percent(*share),
                ") took a wall time of about ",
                seconds(*rare),
                ", the others ",
                seconds(*usual),
                with.unwrap_or_default(),
                ". Medians and ratios tell of the usual runs alone, the mean of all is ",
                seconds(*mean),
                "; ",
                Span::code(quantile),
                " judges the rare ones"
            ]
        }
        // Processes that brisk had to end.
        Note::LeftBehind { variant, processes } => line![
            name(*variant),
            format!(" left {processes} "),
            plural(*processes == 1, "process", "processes"),
            " behind, which brisk ended before the next run; what all processes of such a run would \
             have used together is not known"
        ],
        Note::HookLeftBehind { variant, hook, processes } => line![
            "the ",
            Span::code(format!("--{hook}")),
            " command of ",
            name(*variant),
            format!(" left {processes} "),
            plural(*processes == 1, "process", "processes"),
            " behind, which brisk ended before anything else ran; a server that the command needs is \
             to be started before brisk"
        ],
        // The readings of every run, and their origin.
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
                label(metric),
                of.unwrap_or_default(),
                ", but builds from scratch do not show it"
            ]
        }
        Note::EnergyOfAll => {
            "energy is that of whole processor packages during a run, with all that other \
                              programs did meanwhile"
                .into()
        }
        Note::FewForQuantile { metric, runs, needed } => line![
            counted(*runs as u64, "run"),
            " cannot bound ",
            label(metric),
            format!(" on both sides: a 95 % interval takes {needed}")
        ],
        // The amount of work.
        Note::ScaledWork { least, whole } => line![
            format!("slow commits did less than their work, down to {least} of {whole}"),
            "; their times, instructions and allocations are scaled to the whole, start-up included"
        ],
        Note::OtherWork { baseline, candidate, done: [before, after], metrics } => line![
            name(*candidate),
            format!(" did {after} of the work, and "),
            name(*baseline),
            format!(" {before}: what does not grow in proportion to it is not compared ("),
            Line::join(metrics.iter().map(|id| label(id).into()), ", "),
            ")"
        ],
        // Readings of separate runs.
        Note::Instrumented { rounds, exact } => line![
            "valgrind counted (caches and branches are simulated) in ",
            counted(*rounds, "separate round"),
            match exact {
                true => " that agreed exactly",
                false => "; some program does not do the same work every time",
            }
        ],
        Note::RuntimeFigures { rounds, exact } => line![
            "the runtime's figures come from ",
            counted(*rounds, "separate round"),
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
            line![
                "memory over time comes from ",
                counted(*rounds, "separate round"),
                ", which are not timed"
            ]
        }
        Note::SamplingCost { variant, seconds, share } => line![
            "sampling the memory of ",
            name(*variant),
            ", and asking its runtime meanwhile, costs ",
            cost(*seconds, *share)
        ],
        // Measurements from another time: a baseline saved by a harness, or a stored experiment.
        Note::ValuesAlone { from } => line![
            "the values of ",
            Span::code(from.clone()),
            " stand alone, without runs, intervals or machines: a change is one of level, and \
             nobody can tell what else was different"
        ],
        Note::MeasuredElsewhere { file, harness, processes, spread } => {
            let within = spread.map(|[least, most]| {
                let range = match (percent(least), percent(most)) {
                    (one, other) if one == other => one,
                    (least, most) => format!("{least} to {most}"),
                };
                format!("; a benchmark's own times have a standard deviation of {range}")
            });
            let where_from = match processes {
                0 | 1 => "in one process".to_owned(),
                count => format!("in up to {count} processes, one after the other"),
            };
            let limit = (*processes < 2)
                .then_some("; another process may differ by more, so one decides nothing");
            line![
                file.clone(),
                format!(" has what {harness} measured elsewhere, {where_from}"),
                within.unwrap_or_default(),
                limit.unwrap_or_default()
            ]
        }
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
        // Changes of machine in a history.
        Note::MachineChanged { variant, fact, from, to } => line![
            format!("from {} on {fact} is {to}, and was {from}", name(*variant)),
            ": figures on either side are not comparable, and every ratio is of runs on one side; ",
            Span::code("--remeasure"),
            " measures everything as it is now"
        ],
        Note::Bridge { variant, metric, ratio } => {
            let label = label(metric);
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
        Note::Disagreement { variant, metric, shown, earlier } => {
            let amount = |[ratio, low, high]: [f64; 3]| {
                ChangeSize::of_ratio(ratio, low, Some(high)).amount()
            };
            line![
                "two experiments disagree about ",
                name(*variant),
                format!(": its {} changes by ", label(metric)),
                amount(*shown),
                " in the one that is shown, and by ",
                amount(*earlier),
                " in an earlier one. Something other than the program differed; ",
                Span::code("--remeasure"),
                " measures it again"
            ]
        }
        // The layout of code by the linker.
        Note::Layouts { variant, layouts, metric, spread } => {
            let moves = spread.map(|[sd, low, high]| {
                let by = match low > 0.0 {
                    true => format!(" by {} [{}, {}]", percent(sd), percent(low), percent(high)),
                    false => format!(" by less than {}", percent(high)),
                };
                line![
                    "; layout alone moves the ",
                    label(metric),
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
            label(metric),
            "; ",
            Span::code("--layouts 60"),
            " looks for them: it measures every commit in 60 layouts"
        ],
        Note::WideOverLayouts { commit, benchmark, metric, over } => line![
            "layouts could not be told apart in this noise, so ",
            short(commit).to_owned(),
            " stands as it was built: the ",
            label(metric),
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
    }
}

fn seconds(value: f64) -> Span {
    Span::quantity(quantity(value, Unit::Seconds), value)
}

fn slower(effect: f64) -> &'static str {
    if effect > 0.0 { " slower" } else { " faster" }
}

fn cost(cost: f64, share: f64) -> Line {
    line![seconds(cost), " (", percent(share), "): such runs are not timed"]
}

fn plural(is_one: bool, one: &'static str, many: &'static str) -> &'static str {
    if is_one { one } else { many }
}

/// The share of the time spent waiting for a processor, and its consequence.
fn waited(when: &'static str, share: Option<f64>, follows: &'static str) -> Line {
    let said = |share: f64| {
        let waiting = " of the time was spent waiting for a processor, so that ";
        line![when, percent(share), waiting, follows]
    };
    share.map(said).unwrap_or_default()
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
        label(metric),
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
        assert!(slow.contains(
            "10 runs of A (10 %) took a wall time of about 20.00 ms, the others 1.000 ms. "
        ));
        assert!(slow.contains("`--metrics wall_time.p95` judges the rare ones"), "{slow}");
        assert!(of(0.02, 0.001).contains("wall_time.p5`"));
    }
}
