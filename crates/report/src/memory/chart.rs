//! A curve in a few lines of braille characters, with eight dots each.
//!
//! Zero is at the bottom. All dots between the least and the largest sample of a column are set, so
//! that the teeth of a collected heap are visible; a column without samples repeats the last one.

use model::metric::Unit;
use words::quantity::{quantity, scale_for};

/// The first braille character: no dots (Unicode, Braille Patterns).
const BLANK: u32 = 0x2800;

/// The bits of the dots of a character, by column and from the bottom up.
const DOTS: [[u32; 4]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];

/// The layout of a chart.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Lines of dots.
    pub rows: usize,
    /// Columns of the terminal, including labels.
    pub columns: usize,
    /// The time at the right end, in seconds.
    pub seconds: f64,
    /// The amount at the top, in bytes.
    pub bytes: f64,
}

/// The lines of the chart: the curve with two labels on its left, and the times below.
pub fn chart(seconds: &[f64], bytes: &[f64], frame: Frame) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
