//! Memory over time for people: for each variant a chart in braille characters with its figures and
//! a sentence, and a graph of all of them.

use super::pictures;
use draw::points::{Across, Curve, PointFigure, PointPanel};
use draw::{Axis, Chart, Figure, Key};
use findings::{
    Document, GrowthKind, MemoryCurve, MemoryGrowth, MemorySlope, MemoryStep, MemoryVerdict, letter,
};
use model::metric::Unit;
use page::{Art, Block, Line, Page, Span, Tone, line};
use run::curve::Quantity;
use std::rc::Rc;
use words::quantity::{quantity, scale_for};

/// The curve of the representative round.
fn curve_of<'a>(document: &'a Document, verdict: &MemoryVerdict) -> Option<&'a MemoryCurve> {
    let is_it = |part: &&MemoryCurve| {
        (part.variant, part.source, part.round) == (verdict.variant, verdict.source, verdict.round)
    };
    document.memory_over_time.iter().flatten().find(is_it)
}

/// The first braille character: no dots (Unicode, Braille Patterns).
const BLANK: u32 = 0x2800;

/// The bits of the dots of a character, by column and from the bottom up.
const DOTS: [[u32; 4]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];

/// The layout of a chart.
#[derive(Debug, Clone, Copy)]
struct Frame {
    rows: usize,
    /// Columns of the terminal, including labels.
    columns: usize,
    /// The time at the right end, in seconds.
    seconds: f64,
    /// The amount at the top, in bytes.
    bytes: f64,
}

/// The lines of the chart: the curve with two labels on its left, and the times below. Zero is at
/// the bottom. All of the eight dots of a character between the least and the largest sample of a
/// column are set, so that the teeth of a collected heap are visible; a column without samples
/// repeats the last one.
fn chart(seconds: &[f64], bytes: &[f64], frame: Frame) -> Vec<String> {
    let scale = scale_for(frame.bytes, Unit::Bytes);
    let top = scale.with_symbol(&scale.number(frame.bytes, scale.decimals(frame.bytes).min(1)));
    let labels = top.chars().count().max(4);
    let width = frame.columns.saturating_sub(labels + 2).max(10);
    let cells = cells(seconds, bytes, frame, width);
    let mut lines = Vec::new();
    for row in (0..frame.rows).rev() {
        let label = match row {
            _ if row + 1 == frame.rows => top.as_str(),
            0 => "0",
            _ => "",
        };
        let dots: String = cells.iter().map(|column| character(column[row])).collect();
        lines.push(format!("{label:>labels$} │{}", dots.trim_end_matches('\u{2800}')));
    }
    let end = quantity(frame.seconds, Unit::Seconds);
    let room = width.saturating_sub(end.chars().count() + 1);
    lines.push(format!("{:>labels$} └0{}{end}", "", "─".repeat(room)));
    lines
}

fn character(bits: u32) -> char {
    char::from_u32(BLANK + bits).expect("all 256 of them are characters")
}

/// The bits of each row from the bottom up, for each character of the width.
fn cells(seconds: &[f64], bytes: &[f64], frame: Frame, width: usize) -> Vec<Vec<u32>> {
    let mut cells = vec![vec![0; frame.rows]; width];
    let height = frame.rows * 4;
    let dot = |value: f64| {
        let share = (value / frame.bytes.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        ((share * height as f64) as usize).min(height - 1)
    };
    let column = |time: f64| {
        let share = time / frame.seconds.max(f64::MIN_POSITIVE);
        ((share * 2.0 * width as f64) as usize).min(2 * width - 1)
    };
    // The least, the largest and the last dot of each column with samples.
    let mut spans: Vec<Option<(usize, usize, usize)>> = vec![None; 2 * width];
    for (time, value) in seconds.iter().zip(bytes) {
        let dot = dot(*value);
        let (low, high, _) = spans[column(*time)].unwrap_or((dot, dot, dot));
        spans[column(*time)] = Some((low.min(dot), high.max(dot), dot));
    }
    let ended = seconds.last().map_or(0, |time| column(*time) + 1);
    let mut before = None;
    for (index, span) in spans.into_iter().enumerate().take(ended) {
        let level = before.map(|last| (last, last, last));
        let Some((low, high, last)) = span.or(level) else { continue };
        for dot in low..=high {
            cells[index / 2][dot / 4] |= DOTS[index % 2][dot % 4];
        }
        before = Some(last);
    }
    cells
}

/// The graph of all variants, one panel each, all with the same axes.
pub(super) fn graph(document: &Document) -> Chart {
    let curves: Vec<Vec<Curve>> = (0..)
        .zip(&document.variants)
        .map(|(variant, _)| {
            verdicts_of(document, variant).filter_map(|one| curve(document, one)).collect()
        })
        .collect();
    let most = |of: fn(&(f64, f64)) -> f64| {
        curves.iter().flatten().flat_map(|curve| &curve.places).map(of).fold(0.0, f64::max)
    };
    let time = Axis::from_zero(most(|place| place.0), &pictures::along(Unit::Seconds));
    let vertical = Axis::from_zero(most(|place| place.1), &pictures::along(Unit::Bytes));
    let is_empty = curves.iter().flatten().all(|curve| curve.places.is_empty());
    let variants = (0..).zip(&document.variants).zip(curves).filter(|_| !is_empty);
    let panels = variants.map(|((variant, part), curves)| PointPanel {
        name: format!("{}  {}", letter(variant), part.name),
        sentences: verdicts_of(document, variant).map(sentence).collect(),
        curves,
        ..PointPanel::new(170.0, vertical.clone())
    });
    let figure =
        PointFigure { across: Across::Axis(time, "time".to_owned()), panels: panels.collect() };
    Chart {
        title: "Memory over time".to_owned(),
        subtitle: format!("separate runs, {}", pictures::origin(document)),
        description: description(document),
        figures: vec![Figure::Points(figure)],
        keys: vec![
            (Key::Line, Quantity::Resident.label()),
            (Key::Second, Quantity::LiveHeap.label()),
        ],
    }
}

fn description(document: &Document) -> String {
    let of_variant = |(variant, part): (u32, &findings::Contender)| {
        let sentences: Vec<String> = verdicts_of(document, variant).map(sentence).collect();
        format!("{}: {}.", part.name, sentences.join("; "))
    };
    (0..).zip(&document.variants).map(of_variant).collect::<Vec<_>>().join("\n")
}

fn verdicts_of(document: &Document, variant: u32) -> impl Iterator<Item = &MemoryVerdict> {
    let verdicts = document.memory_verdicts.iter().flatten();
    verdicts.filter(move |verdict| verdict.variant == variant)
}

fn curve(document: &Document, verdict: &MemoryVerdict) -> Option<Curve> {
    let part = curve_of(document, verdict)?;
    // A number without its counterpart becomes NaN, which is refused with the panel's name.
    let at = |numbers: &[f64], index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
    let count = part.seconds.len().max(part.bytes.len());
    let places = (0..count).map(|index| (at(&part.seconds, index), at(&part.bytes, index)));
    Some(Curve { is_second: verdict.source == Quantity::LiveHeap, places: places.collect() })
}

/// Wider charts show nothing more.
const MOST_COLUMNS: usize = 80;

/// Above this number of variants, sentences replace charts.
const MOST_CHARTS: usize = 6;

/// Adds the sampled memory, if any.
pub(super) fn add_to_page(page: &mut Page, document: &Document) {
    let Some(curves) = &document.memory_over_time else { return };
    let verdicts = document.memory_verdicts.as_deref().unwrap_or_default();
    for (variant, part) in (0..).zip(&document.variants) {
        let name = Span::code(part.name.clone());
        page.push(Block::Heading(line![letter(variant), "  memory over time of ", name]));
        for source in Quantity::ALL {
            let is_it = |part: &&MemoryVerdict| part.variant == variant && part.source == source;
            match verdicts.iter().find(is_it) {
                Some(verdict) => add_verdict(page, document, verdict),
                None => page.sentences(missing(curves, variant, source)),
            }
        }
    }
}

fn add_verdict(page: &mut Page, document: &Document, part: &MemoryVerdict) {
    let name = line![part.source.label(), ": ", figures(&part.verdict)];
    let curve = curve_of(document, part).filter(|_| document.variants.len() <= MOST_CHARTS);
    match curve {
        Some(curve) => page.push(Block::Art(art(document, part, curve, name))),
        None => page.push(Block::Sentence(name.toned(Tone::Quiet))),
    }
    let is_leak = part.verdict.kind == GrowthKind::Proportional
        && part.verdict.slope.is_some_and(|slope| slope.low > 0.0);
    let tone = if is_leak { Tone::Bad } else { Tone::Plain };
    page.push(Block::Sentence(Line::from(sentence(part)).toned(tone)));
}

fn art(document: &Document, part: &MemoryVerdict, curve: &MemoryCurve, name: Line) -> Art {
    let of_variant = document.memory_over_time.iter().flatten();
    let of_variant = of_variant.filter(|other| other.variant == part.variant);
    // Both quantities of a variant share a scale of time.
    let seconds = of_variant.filter_map(|other| other.seconds.last()).copied().fold(0.0, f64::max);
    let rows = if part.source == Quantity::Resident { 6 } else { 4 };
    let bytes = curve.bytes.iter().copied().fold(0.0, f64::max);
    let (times, amounts) = (curve.seconds.clone(), curve.bytes.clone());
    let draw = move |columns: usize| {
        let frame = Frame { rows, columns: columns.min(MOST_COLUMNS), seconds, bytes };
        chart(&times, &amounts, frame)
    };
    Art { name, draw: Rc::new(draw) }
}

/// The reason for a missing curve, if it was requested.
fn missing(curves: &[MemoryCurve], variant: u32, source: Quantity) -> Option<Line> {
    let is_it = |part: &&MemoryCurve| part.variant == variant && part.source == source;
    let reason = curves.iter().find(is_it)?.missing.clone()?;
    Some(line![source.label(), ": missing (", reason, ")"].toned(Tone::Quiet))
}

/// More steps than this are counted, not listed.
const MOST_STEPS: usize = 3;

/// `resident memory grows by 12.30 MB/s [11.90, 12.70]: it looks like a leak`.
fn sentence(part: &MemoryVerdict) -> String {
    let what = part.source.label();
    let growth = &part.verdict;
    let bytes = |value: f64| quantity(value, Unit::Bytes);
    let sentence = match growth.kind {
        GrowthKind::Constant => format!("{what} stays at about {}", bytes(growth.level)),
        GrowthKind::Proportional => match growth.slope {
            Some(slope) if slope.bytes_per_second > 0.0 => {
                format!("{what} grows by {}: it looks like a leak", rate(slope))
            }
            Some(slope) => format!("{what} falls by {}", rate(negated(slope))),
            None => format!("{what} changes evenly"),
        },
        GrowthKind::Steps => format!("{what} changes in steps: {}", steps(&growth.steps)),
        GrowthKind::Undecided => format!(
            "it is open whether {what} grows: {}",
            growth.reason.as_deref().unwrap_or("no reason is known")
        ),
    };
    // If at most half of them agree, the reason mentions it.
    if part.agree < part.rounds && 2 * part.agree > part.rounds {
        format!("{sentence} ({} of {} rounds)", part.agree, part.rounds)
    } else {
        sentence
    }
}

/// `peak 52.3 MB, level 48.1 MB`.
fn figures(growth: &MemoryGrowth) -> String {
    let bytes = |value: f64| quantity(value, Unit::Bytes);
    format!("peak {}, level {}", bytes(growth.peak), bytes(growth.level))
}

fn negated(slope: MemorySlope) -> MemorySlope {
    MemorySlope { bytes_per_second: -slope.bytes_per_second, low: -slope.high, high: -slope.low }
}

fn rate(slope: MemorySlope) -> String {
    let scale = scale_for(slope.bytes_per_second, Unit::Bytes);
    let decimals = scale.decimals(slope.bytes_per_second).saturating_sub(1);
    let number = |value: f64| scale.number(value, decimals);
    let (estimate, low, high) =
        (number(slope.bytes_per_second), number(slope.low), number(slope.high));
    format!("{}/s [{low}, {high}]", scale.with_symbol(&estimate))
}

fn steps(steps: &[MemoryStep]) -> String {
    let sign = |step: &MemoryStep| if step.after >= step.before { "+" } else { "-" };
    let told = steps.iter().take(MOST_STEPS).map(|step| {
        let by = quantity((step.after - step.before).abs(), Unit::Bytes);
        let begin = quantity(step.begin_seconds, Unit::Seconds);
        if step.end_seconds > step.begin_seconds {
            format!(
                "{}{by} from {begin} to {}",
                sign(step),
                quantity(step.end_seconds, Unit::Seconds)
            )
        } else {
            format!("{}{by} at {begin}", sign(step))
        }
    });
    let told: Vec<String> = told.collect();
    match steps.len().saturating_sub(MOST_STEPS) {
        0 => told.join(", "),
        more => format!("{}, and {more} more", told.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use run::curve::Quantity;

    #[test]
    fn a_rising_line_rises_from_the_left_to_the_right() {
        let times: Vec<f64> = (0..=100).map(|i| f64::from(i) / 100.0).collect();
        let bytes: Vec<f64> = times.iter().map(|time| 8e6 * time).collect();
        let frame = Frame { rows: 2, columns: 16, seconds: 1.0, bytes: 8e6 };
        let lines = chart(&times, &bytes, frame);
        assert!(
            lines[0].starts_with("8.0 MB │⠀⠀⠀") && lines[1].starts_with("     0 │⣀"),
            "{lines:?}"
        );
        assert_eq!(lines[2], "       └0──1.000 s");
        assert_eq!(lines.len(), 3);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_it_may_be(
            values in prop::collection::vec(0.0..1e12_f64, 0..300), columns in 24..120_usize,
        ) {
            let times: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            let bytes = values.iter().copied().fold(0.0, f64::max);
            let frame = Frame { rows: 4, columns, seconds: values.len() as f64, bytes };
            for line in chart(&times, &values, frame) {
                prop_assert!(line.chars().count() <= columns, "{line}");
            }
        }
    }

    fn part(kind: GrowthKind) -> MemoryVerdict {
        let verdict = MemoryGrowth {
            peak: 2e7,
            level: 1e7,
            from_seconds: 0.0,
            kind,
            slope: Some(MemorySlope { bytes_per_second: 1.23e7, low: 1.19e7, high: 1.27e7 }),
            steps: vec![MemoryStep {
                begin_seconds: 1.5,
                end_seconds: 1.5,
                before: 1e6,
                after: 3e6,
            }],
            reason: Some("the rounds differ".to_owned()),
        };
        MemoryVerdict {
            variant: 0,
            source: Quantity::Resident,
            round: 0,
            agree: 3,
            rounds: 3,
            verdict,
        }
    }

    #[test]
    fn each_verdict_has_its_sentence() {
        for (kind, expected) in [
            (GrowthKind::Constant, "resident memory stays at about 10.00 MB"),
            (
                GrowthKind::Proportional,
                "resident memory grows by 12.3 MB/s [11.9, 12.7]: it looks like a leak",
            ),
            (GrowthKind::Steps, "resident memory changes in steps: +2.000 MB at 1.500 s"),
            (GrowthKind::Undecided, "it is open whether resident memory grows: the rounds differ"),
        ] {
            assert_eq!(sentence(&part(kind)), expected);
        }
    }

    #[test]
    fn a_fall_is_no_leak_and_a_majority_is_told() {
        let mut falling = part(GrowthKind::Proportional);
        falling.verdict.slope =
            Some(MemorySlope { bytes_per_second: -1.5e6, low: -2e6, high: -1e6 });
        falling.agree = 2;
        assert_eq!(
            sentence(&falling),
            "resident memory falls by 1.50 MB/s [1.00, 2.00] (2 of 3 rounds)"
        );
    }
}
