//! The origin of a step: all evidence about a change between two programs in, one decision out.
//!
//! A time changes with the work that a program does, and with the place of its code chosen by the
//! linker. Equal bytes have an equal layout, so neither more rounds nor a build from scratch can
//! separate the two. Two kinds of evidence can:
//!
//! * *Counts.* Instructions do not depend on layout, nor on the rest of the machine. If they change
//!   in the direction of the time, and by enough, the program does different work, and no more
//!   evidence is needed.
//! * *Layouts.* The same two programs, linked in many orders. A change that most orders show comes
//!   from the source, one that they rule out does not. If the interval is wide because the machine
//!   was noisy, it rules nothing out, and the step stays as it was found.
//!
//! `docs/design/layouts.md` justifies the limits.

use model::metric::{self, CYCLES, MetricId, Unit};
use model::note::OverLayouts;
use model::verdict::Margin;
use serde::{Deserialize, Serialize};

/// The smallest part of a change of time that a change of instructions must reach to explain it: a
/// program that waits for memory executes little more while it takes much longer.
pub(crate) const EXPLAINED: f64 = 0.5;

/// The part of an interval's half-width up to which its width is not attributed to noise.
const NOISE_SHARE: f64 = 0.75;

/// The part of both half-widths, added in quadrature, by which the change over layouts must differ
/// from the change as built to be certainly less. The half-width over a dozen layouts is about 4.5
/// standard errors, because all steps and looks share its error. Nothing has to be shared here: a
/// step that is ruled out is only removed. So 2.5 standard errors will do: of some 150 true steps,
/// one is removed.
const RULED_OUT: f64 = 0.55;

/// The evidence about a change of a metric between two programs; all ratios are candidate over
/// baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Set if the metric depends on the place of the code.
    pub moves_with_layout: bool,
    /// The ratio of the programs as built.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end of the interval; `None` if unbounded.
    pub high: Option<f64>,
    /// The smallest change that matters.
    pub margin: Margin,
    /// The ratio of the instructions that the two execute; `None` if not counted.
    pub instructions: Option<f64>,
    /// The ratio over many layouts; `None` if the programs were not linked again.
    pub layouts: Option<OverLayouts>,
}

/// The origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The program does different work.
    Source,
    /// The linker put the same work elsewhere: not a step.
    Layout,
    /// The evidence is not sufficient.
    Open,
}

impl Evidence {
    /// The origin of the change, according to this evidence.
    pub fn origin(&self) -> Origin {
        if !self.moves_with_layout || self.is_explained_by_counts() {
            return Origin::Source;
        }
        let Some(over) = self.layouts else { return Origin::Open };
        let (near, far) = self.along(over.low, over.high);
        let (estimate, _) = self.along(over.over_layouts, Some(over.over_layouts));
        if near > 0.0 && estimate > self.margin.log() {
            return Origin::Source;
        }
        let is_ruled_out = far <= self.margin.log() || self.is_less(&over);
        match is_ruled_out || self.is_told_apart(&over) {
            true => Origin::Layout,
            false => Origin::Open,
        }
    }

    /// True if the instructions change in the direction of the metric, and by enough.
    fn is_explained_by_counts(&self) -> bool {
        let Some(count) = self.instructions.filter(|count| !is_equal_count(*count)) else {
            return false;
        };
        let (counted, _) = self.along(count, Some(count));
        let (near, _) = self.along(self.low, self.high);
        counted > 0.0 && counted >= EXPLAINED * near
    }

    /// True if the change over layouts is certainly less than the change as built. The errors of the
    /// two estimates are independent, so they add in quadrature.
    fn is_less(&self, over: &OverLayouts) -> bool {
        let (near_as_built, _) = self.along(self.low, self.high);
        let (_, far) = self.along(over.low, over.high);
        let (estimate, _) = self.along(over.over_layouts, Some(over.over_layouts));
        let as_built = self.ratio.ln().abs();
        let half_width = (far - estimate).hypot(as_built - near_as_built);
        as_built - estimate > RULED_OUT * half_width
    }

    /// True if noise would not have hidden the change over layouts: the interval from noise alone
    /// would be narrower than the change as built, or than the actual interval, which then is wide
    /// because layouts differ.
    fn is_told_apart(&self, over: &OverLayouts) -> bool {
        let Some(noise_sd) = over.noise_sd else { return false };
        let (near, far) = self.along(over.low, over.high);
        let by_noise = stats::layouts::half_width_by_noise(noise_sd, over.layouts);
        by_noise < self.ratio.ln().abs().max(NOISE_SHARE * 0.5 * (far - near)) && far.is_finite()
    }

    /// The ends of an interval on the log scale, the one nearer to no change first, in the
    /// direction in which the programs differ as built.
    fn along(&self, low: f64, high: Option<f64>) -> (f64, f64) {
        let high = high.unwrap_or(f64::INFINITY);
        if self.ratio >= 1.0 { (low.ln(), high.ln()) } else { (-high.ln(), -low.ln()) }
    }
}

/// Programs whose instructions differ by no more than this fraction are assumed to do the same
/// work.
const EQUAL_COUNT: f64 = 0.001;

/// True if counts of instructions with this ratio indicate the same work.
pub fn is_equal_count(ratio: f64) -> bool {
    (1.0 / (1.0 + EQUAL_COUNT)..=1.0 + EQUAL_COUNT).contains(&ratio)
}

/// True if a metric depends on the place of the code: times do, counts and allocations do not.
pub fn is_moved_by_layout(metric: &MetricId) -> bool {
    *metric == CYCLES || metric::find(metric).is_some_and(|known| known.unit == Unit::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::metric::{ALLOCATED, INSTRUCTIONS, WALL_TIME};

    fn time(ratio: f64, low: f64, high: f64) -> Evidence {
        let margin = Margin::new(0.01).expect("positive");
        let (instructions, layouts) = (None, None);
        let high = Some(high);
        Evidence { moves_with_layout: true, ratio, low, high, margin, instructions, layouts }
    }

    fn counted(evidence: Evidence, instructions: f64) -> Evidence {
        Evidence { instructions: Some(instructions), ..evidence }
    }

    fn over(evidence: Evidence, ratio: f64, low: f64, high: f64) -> Evidence {
        let over = OverLayouts {
            layouts: 12,
            over_layouts: ratio,
            low,
            high: Some(high),
            sd: None,
            noise_sd: None,
        };
        Evidence { layouts: Some(over), ..evidence }
    }

    /// Too few pairs over layouts for an upper end.
    fn time_over_unbounded(evidence: Evidence) -> Evidence {
        let wide = over(evidence, 1.0, 0.9, 1.1);
        Evidence { layouts: wide.layouts.map(|over| OverLayouts { high: None, ..over }), ..wide }
    }

    fn noisy(evidence: Evidence, sd: f64) -> Evidence {
        let layouts = evidence.layouts.map(|over| OverLayouts { noise_sd: Some(sd), ..over });
        Evidence { layouts, ..evidence }
    }

    #[test]
    fn each_kind_of_evidence_has_its_say() {
        let slower = time(1.10, 1.08, 1.12);
        let faster = time(0.70, 0.61, 0.80);
        for (case, evidence, origin) in [
            ("nothing but the time", slower, Origin::Open),
            (
                "memory does not move with layout",
                Evidence { moves_with_layout: false, ..slower },
                Origin::Source,
            ),
            // Counts.
            ("as many more instructions", counted(slower, 1.10), Origin::Source),
            ("more instructions than time", counted(slower, 1.31), Origin::Source),
            ("half of it in instructions", counted(slower, 1.04), Origin::Source),
            ("a tenth of it in instructions", counted(slower, 1.01), Origin::Open),
            ("instructions the other way", counted(slower, 0.90), Origin::Open),
            ("equal instructions", counted(slower, 1.0009), Origin::Open),
            ("a noisy time, exact counts", counted(faster, 0.70), Origin::Source),
            ("an unbounded time", counted(Evidence { high: None, ..slower }, 1.2), Origin::Source),
            // Layouts.
            ("the same over layouts", over(slower, 1.09, 1.05, 1.13), Origin::Source),
            ("less over layouts, and certain", over(slower, 1.04, 1.02, 1.06), Origin::Source),
            ("within the margin", over(slower, 1.0, 0.995, 1.005), Origin::Layout),
            ("certain, and within the margin", over(slower, 1.005, 1.002, 1.008), Origin::Layout),
            ("on the other side", over(slower, 0.95, 0.90, 0.99), Origin::Layout),
            (
                "less than as built, and perhaps none",
                over(slower, 1.01, 0.97, 1.05),
                Origin::Layout,
            ),
            // Differences of 0.66 and 0.52 of the half-widths in quadrature.
            (
                "three standard errors from as built",
                over(time(1.10, 1.06, 1.14), 1.03, 0.94, 1.13),
                Origin::Layout,
            ),
            (
                "two standard errors from as built",
                over(time(1.10, 1.06, 1.14), 1.05, 0.97, 1.14),
                Origin::Open,
            ),
            ("merely wide", over(slower, 1.01, 0.80, 1.25), Origin::Open),
            ("wide, and faster", over(faster, 0.80, 0.39, 1.61), Origin::Open),
            ("faster in every layout", over(faster, 0.72, 0.60, 0.85), Origin::Source),
            ("faster in no layout", over(faster, 1.0, 0.992, 1.009), Origin::Layout),
            // Wide because of noise, or because layouts differ: 0.03 leaves an interval of 5.5 %.
            (
                "noise hides less than the change",
                noisy(over(slower, 1.02, 0.93, 1.11), 0.03),
                Origin::Layout,
            ),
            (
                "noise hides as much, and makes it wide",
                noisy(over(slower, 1.06, 0.96, 1.18), 0.06),
                Origin::Open,
            ),
            (
                "noise hides as much, and layouts make it wide",
                noisy(over(slower, 1.02, 0.80, 1.25), 0.06),
                Origin::Layout,
            ),
            ("wide, faster and noisy", noisy(over(faster, 0.80, 0.39, 1.61), 0.5), Origin::Open),
            ("unbounded", noisy(time_over_unbounded(slower), 0.001), Origin::Open),
            // Counts and layouts.
            (
                "counts decide, whatever layouts say",
                over(counted(faster, 0.70), 0.80, 0.39, 1.61),
                Origin::Source,
            ),
            (
                "equal counts, and layouts rule it out",
                over(counted(slower, 1.0), 1.0, 0.995, 1.005),
                Origin::Layout,
            ),
            (
                "equal counts, and layouts show it",
                over(counted(slower, 1.0), 1.09, 1.05, 1.13),
                Origin::Source,
            ),
        ] {
            assert_eq!(evidence.origin(), origin, "{case}");
        }
    }

    /// Approximately normal numbers with mean 0 and standard deviation 1, always the same.
    fn normals() -> impl FnMut() -> f64 {
        let mut state: u64 = 34;
        let mut uniform = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        };
        move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }

    /// The share of steps of 4 % that are told as layout, if this is the change over layouts, known
    /// with a standard error of 1 %, and as built with one of 0.3 %. Their half-widths are 4.5 and 4
    /// standard errors (`crates/stats/tests/rates/layouts.rs`).
    fn told_as_layout(change: f64) -> f64 {
        const STEPS: usize = 20_000;
        let mut normal = normals();
        let is_layout = |_: &usize| {
            let built = 0.04 + 0.003 * normal();
            let layouts = change + 0.01 * normal();
            let as_built = time(built.exp(), (built - 0.012).exp(), (built + 0.012).exp());
            let ends = [layouts - 0.045, layouts + 0.045].map(f64::exp);
            over(as_built, layouts.exp(), ends[0], ends[1]).origin() == Origin::Layout
        };
        (0..STEPS).filter(is_layout).count() as f64 / STEPS as f64
    }

    #[test]
    fn a_true_step_is_hardly_ever_told_as_layout_and_a_false_one_mostly_is() {
        // By the normal distribution 0.0071 and 0.9159: the difference has a standard error of
        // 1.04 %, and must exceed 0.55 of 4.66 %.
        let (of_true, of_false) = (told_as_layout(0.04), told_as_layout(0.0));
        assert!((of_true - 0.0071).abs() < 0.003, "{of_true}");
        assert!((of_false - 0.9159).abs() < 0.01, "{of_false}");
    }

    /// A result for a change also holds for the same change in the opposite direction.
    #[test]
    fn the_origin_does_not_depend_on_the_direction() {
        let turned = |evidence: Evidence| Evidence {
            ratio: 1.0 / evidence.ratio,
            low: 1.0 / evidence.high.expect("bounded"),
            high: Some(1.0 / evidence.low),
            instructions: evidence.instructions.map(|count| 1.0 / count),
            layouts: evidence.layouts.map(|over| OverLayouts {
                over_layouts: 1.0 / over.over_layouts,
                low: 1.0 / over.high.expect("bounded"),
                high: Some(1.0 / over.low),
                ..over
            }),
            ..evidence
        };
        for count in [None, Some(0.8), Some(1.0), Some(1.02), Some(1.3)] {
            for (low, high) in
                [(0.5_f64, 0.9_f64), (0.995, 1.005), (0.9, 1.1), (1.03, 1.04), (1.05, 1.3)]
            {
                let as_built = Evidence { instructions: count, ..time(1.10, 1.08, 1.12) };
                let evidence = over(as_built, (low * high).sqrt(), low, high);
                assert_eq!(evidence.origin(), turned(evidence).origin(), "{evidence:?}");
            }
        }
    }

    #[test]
    fn a_thousandth_more_or_less_is_the_same_work() {
        for (ratio, is_equal) in
            [(1.0, true), (1.0009, true), (0.9991, true), (1.0011, false), (0.9989, false)]
        {
            assert_eq!(is_equal_count(ratio), is_equal, "{ratio}");
        }
        assert!(is_moved_by_layout(&WALL_TIME));
        assert!(is_moved_by_layout(&MetricId::known("cost[seconds]")));
        assert!(!is_moved_by_layout(&INSTRUCTIONS) && !is_moved_by_layout(&ALLOCATED));
    }
}
