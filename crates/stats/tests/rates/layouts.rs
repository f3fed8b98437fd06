//! Programs in several layouts: the interval must hold over all layouts that could be drawn.

use std::sync::atomic::{AtomicU64, Ordering};

use stats::layouts::{LAST_LOOK, half_width_by_noise, pairs, spread};
use stats::sequential::{Boundary, Look, Spending, information, next_look};
use stats::{Estimator, RatioEstimate, paired_ratio};

use crate::noise::{Chance, Noise, rate, rounds, standard_error};

const MOST_ROUNDS: usize = 300;
const FEWEST_ROUNDS: usize = 12;

fn looks() -> Vec<(usize, Look)> {
    let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
    let mut looks: Vec<(usize, Look)> = Vec::new();
    while looks.last().is_none_or(|last| last.0 < MOST_ROUNDS) {
        let done = looks.last().map_or(0, |last| last.0);
        let rounds = next_look(done, FEWEST_ROUNDS).min(MOST_ROUNDS);
        let clock = rounds as f64 / MOST_ROUNDS as f64;
        looks.push((rounds, boundary.look(information(Estimator::RankScores, rounds), clock)));
    }
    looks
}

/// The effect of a layout on a program, as a factor: normal, or nothing for most and much for some.
#[derive(Debug, Clone, Copy)]
enum Effect {
    Normal(f64),
    Rare { share: f64, size: f64 },
}

impl Effect {
    fn draw(self, chance: &mut Chance) -> f64 {
        match self {
            Self::Normal(sd) => (sd * chance.normal()).exp(),
            Self::Rare { share, size } if chance.uniform() < share => 1.0 + size,
            Self::Rare { .. } => 1.0,
        }
    }
}

/// Two programs, each in several layouts, which the rounds run in turn.
struct Series {
    layout: Vec<usize>,
    baseline: Vec<f64>,
    candidate: Vec<f64>,
    layouts: usize,
}

fn series(
    (noise, effect): (Noise, Effect),
    layouts: usize,
    ratio: f64,
    chance: &mut Chance,
) -> Series {
    let (mut baseline, mut candidate) = rounds(noise, MOST_ROUNDS, ratio, chance);
    let layout: Vec<usize> = (0..MOST_ROUNDS).map(|round| round % layouts).collect();
    for values in [&mut baseline, &mut candidate] {
        let effects: Vec<f64> = (0..layouts).map(|_| effect.draw(chance)).collect();
        values.iter_mut().zip(&layout).for_each(|(value, layout)| *value *= effects[*layout]);
    }
    Series { layout, baseline, candidate, layouts }
}

impl Series {
    fn estimate(&self, rounds: usize, look: Look, by_layout: bool) -> RatioEstimate {
        let [baseline, candidate] = [&self.baseline, &self.candidate].map(|all| &all[..rounds]);
        let (baseline, candidate) = match by_layout {
            true => pairs(&self.layout[..rounds], baseline, candidate, self.layouts),
            false => (baseline.to_vec(), candidate.to_vec()),
        };
        paired_ratio(&baseline, &candidate, Estimator::RankScores, look.nominal_alpha)
            .expect("positive")
    }

    /// The interval at the first look that finds a difference, or at the last one.
    fn stopped(&self, looks: &[(usize, Look)], by_layout: bool) -> RatioEstimate {
        let mut all = looks.iter().map(|(rounds, look)| self.estimate(*rounds, *look, by_layout));
        let found = all.find(RatioEstimate::excludes_one);
        let (rounds, look) = looks[looks.len() - 1];
        found.unwrap_or_else(|| self.estimate(rounds, look, by_layout))
    }
}

const CASES: [(Noise, Effect); 6] = [
    (Noise::Normal, Effect::Normal(0.02)),
    (Noise::Normal, Effect::Normal(0.002)),
    (Noise::Normal, Effect::Rare { share: 0.2, size: 0.05 }),
    (Noise::Slowed, Effect::Normal(0.02)),
    (Noise::Busy, Effect::Rare { share: 0.5, size: 0.03 }),
    (Noise::Growing, Effect::Normal(0.01)),
];

#[test]
fn equal_programs_in_several_layouts_differ_in_five_of_a_hundred_at_most() {
    const EXPERIMENTS: u64 = 1000;
    let looks = looks();
    for case in CASES {
        let wrong = rate(EXPERIMENTS, 91, |chance| {
            series(case, 12, 1.0, chance).stopped(&looks, true).excludes_one()
        });
        println!("false verdicts, 12 layouts, {case:?}: {:.2} %", 100.0 * wrong);
        assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS), "{case:?}: {wrong}");
    }
}

/// The reason why the readings of a layout become one: thirty runs of a layout are not thirty
/// layouts.
#[test]
fn rounds_taken_for_independent_are_wrong_most_of_the_time() {
    let looks = looks();
    let wrong = rate(300, 92, |chance| {
        series(CASES[0], 12, 1.0, chance).stopped(&looks, false).excludes_one()
    });
    println!("false verdicts where each round counts: {:.1} %", 100.0 * wrong);
    assert!(wrong > 0.3, "{wrong}");
}

#[test]
fn the_interval_holds_the_truth_over_layouts_and_finds_three_per_cent() {
    const EXPERIMENTS: u64 = 300;
    let looks = looks();
    for case in CASES {
        let found = AtomicU64::new(0);
        let held = rate(EXPERIMENTS, 93, |chance| {
            let estimate = series(case, 20, 1.03, chance).stopped(&looks, true);
            found.fetch_add(u64::from(estimate.low > 1.0), Ordering::Relaxed);
            estimate.low <= 1.03 && 1.03 <= estimate.high
        });
        let found = found.into_inner() as f64 / EXPERIMENTS as f64;
        println!(
            "3 % in 20 layouts, {case:?}: found {:.1} %, held {:.1} %",
            100.0 * found,
            100.0 * held
        );
        assert!(held >= 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS), "{case:?}: {held}");
    }
}

#[test]
fn the_interval_of_the_spread_holds_it() {
    const EXPERIMENTS: u64 = 1000;
    for (sd, layouts) in [(0.02, 20), (0.005, 20), (0.02, 12), (0.0, 20)] {
        let held = rate(EXPERIMENTS, 94, |chance| {
            let made = series((Noise::Normal, Effect::Normal(sd)), layouts, 1.0, chance);
            let spread = spread(&made.layout, &made.baseline, layouts).expect("enough");
            spread.low <= sd && sd <= spread.high
        });
        println!("spread of {sd} between {layouts} layouts: held {:.1} %", 100.0 * held);
        assert!(held >= 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS), "{sd}: {held}");
    }
}

/// Programs without layout effects, with normal noise: the width of their intervals, at the last
/// look's part of an error that seventeen or eight comparisons share.
#[test]
fn noise_alone_leaves_intervals_as_wide_as_is_said() {
    let mut chance = Chance::new(7);
    for (layouts, alpha) in [(12, 0.05 / 8.0 * LAST_LOOK), (16, 0.05 / 17.0 * LAST_LOOK)] {
        let mut half_widths: Vec<f64> = (0..401)
            .map(|_| {
                let mut side =
                    || (0..layouts).map(|_| (0.01 * chance.normal()).exp()).collect::<Vec<f64>>();
                let (baseline, candidate) = (side(), side());
                let found = paired_ratio(&baseline, &candidate, Estimator::RankScores, alpha);
                let found = found.expect("positive");
                0.5 * (found.high / found.low).ln()
            })
            .collect();
        half_widths.sort_by(f64::total_cmp);
        let median = half_widths[200] / half_width_by_noise(0.01, layouts);
        assert!((1.0..1.2).contains(&median), "{layouts}: {median}");
    }
}
