//! The rate at which the search finds the result of an exhaustive sweep, and the rate at which it
//! finds something that is not there.

use tune::Options;

use crate::held_out::HELD_OUT;
use crate::simulated::{Machine, confirmation, search};
use crate::surfaces::{Cost, FLAT, LIST_5, Surface, TREES, UNEVEN, VALLEY};

/// The number of searches for each surface and noise; set `BRISK_TUNE_SEARCHES` for more.
fn searches() -> u64 {
    std::env::var("BRISK_TUNE_SEARCHES").ok().and_then(|text| text.parse().ok()).unwrap_or(50)
}

/// The result of an exhaustive sweep without noise.
struct Truth {
    base: Cost,
    best: Cost,
    has_thrifty: bool,
}

impl Truth {
    fn of(surface: &Surface, limit: f64) -> Self {
        let space = surface.space();
        let mut all: Vec<Cost> = space.points().filter_map(|p| (surface.cost)(&p)).collect();
        all.retain(|cost| cost.peak_bytes < limit);
        let best = all.iter().copied().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let truth = Self { base: surface.base(), best: best.expect("some"), has_thrifty: false };
        let has_thrifty = all.iter().any(|cost| truth.is_thrifty(*cost, truth.best, 0.9));
        Self { has_thrifty, ..truth }
    }

    /// True if this keeps the share of the gain of `fastest` for at most half of its memory.
    fn is_thrifty(&self, cost: Cost, fastest: Cost, share: f64) -> bool {
        let gain = self.base.seconds - fastest.seconds;
        let price = fastest.peak_bytes - self.base.peak_bytes;
        price > 0.0
            && self.base.seconds - cost.seconds >= share * gain
            && cost.peak_bytes - self.base.peak_bytes <= 0.5 * price
    }
}

/// The number of searches that named a point within 5 % of the best, and a thrifty one.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    near: u64,
    /// With the share of the gain as far as the noise of one run permits.
    thrifty: u64,
    strictly_thrifty: u64,
    runs: usize,
}

fn count(surface: &Surface, noise: f64, drift: f64, limit_bytes: Option<f64>) -> Counts {
    let truth = Truth::of(surface, limit_bytes.unwrap_or(f64::INFINITY));
    let options = Options { limit_bytes, ..Options::default() };
    let mut counts = Counts::default();
    for seed in 0..searches() {
        let mut machine = Machine::new(1 + seed, noise, drift);
        let search = search(surface, options, &mut machine);
        let named = search.candidates();
        let rounds = search.confirmation_rounds(named.points().len());
        let runs = search.runs() + rounds * (1 + named.points().len());
        assert!(runs <= options.runs, "{runs} runs");
        counts.runs = counts.runs.max(search.runs());
        let cost = |e: &tune::Estimate| (surface.cost)(&e.point).expect("it ran");
        let fastest = named.fastest.as_ref().map_or(truth.base, cost);
        counts.near += u64::from(fastest.seconds <= 1.05 * truth.best.seconds);
        let thrifty = named.thrifty.as_ref().map(cost);
        let keeps = |share| {
            thrifty.is_some_and(|thrifty| truth.is_thrifty(thrifty, fastest, share))
                || truth.is_thrifty(fastest, truth.best, 0.9)
        };
        counts.thrifty += u64::from(keeps(0.9 - noise));
        counts.strictly_thrifty += u64::from(keeps(0.9));
    }
    counts
}

/// The noise of a run, and the number of searches in a hundred that must name a point near the best
/// and, if there is one, a thrifty one, with the allowance for noise and without. At 10 % nothing
/// is promised: the bound only detects a regression. The results with 400 seeds each are in
/// `docs/design/tuning.md`; with 50 seeds the counts vary by some 2 (near) or 3 (thrifty) in a
/// hundred.
type Bound = (f64, u64, u64, u64);

const BOUNDS: [Bound; 3] = [(0.01, 97, 93, 90), (0.03, 93, 87, 78), (0.1, 65, 58, 45)];

/// The same for the held-out programs.
const HELD_OUT_BOUNDS: [Bound; 3] = [(0.01, 88, 73, 68), (0.03, 88, 48, 43), (0.1, 58, 24, 18)];

#[test]
fn the_named_point_is_within_five_percent_of_the_best() {
    counts_reach(&UNEVEN, &BOUNDS);
}

#[test]
fn so_it_is_with_programs_on_which_nothing_was_chosen() {
    counts_reach(&HELD_OUT, &HELD_OUT_BOUNDS);
}

#[expect(clippy::print_stdout, reason = "the rates are shown with --nocapture")]
fn counts_reach(surfaces: &[Surface], bounds: &[Bound]) {
    for &(noise, least_near, least_thrifty, least_strictly) in bounds {
        let (mut near, mut thrifty, mut strictly, mut with_thrifty) = (0, 0, 0, 0);
        for surface in surfaces {
            let truth = Truth::of(surface, f64::INFINITY);
            let counts = count(surface, noise, 0.0, None);
            near += counts.near;
            if truth.has_thrifty {
                thrifty += counts.thrifty;
                strictly += counts.strictly_thrifty;
                with_thrifty += searches();
            }
            println!(
                "{:16} noise {noise}: near {} of {}, thrifty {} ({}), at most {} runs to search",
                surface.name,
                counts.near,
                searches(),
                counts.thrifty,
                if truth.has_thrifty { "exists" } else { "does not exist" },
                counts.runs
            );
        }
        let of = searches() * surfaces.len() as u64;
        println!("all, noise {noise}: near {near} of {of}, thrifty {thrifty} of {with_thrifty}");
        println!("    of them {strictly} with 90 % of the gain in truth");
        assert!(near * 100 >= of * least_near, "{near} of {of} at {noise}");
        assert!(thrifty * 100 >= with_thrifty * least_thrifty, "{thrifty} at {noise}");
        assert!(strictly * 100 >= with_thrifty * least_strictly, "{strictly} at {noise}");
    }
}

#[test]
fn nothing_is_recommended_where_nothing_matters() {
    for noise in [0.01, 0.03, 0.1] {
        let (mut recommended, mut named_any) = (0, 0);
        for seed in 0..searches() {
            let mut machine = Machine::new(1_000_000 + seed, noise, 0.0);
            let search = search(&FLAT, Options::default(), &mut machine);
            let named = search.candidates();
            named_any += u64::from(named.fastest.is_some());
            let confirmed = confirmation(&FLAT, &search, &named, &mut machine);
            recommended += u64::from(confirmed.contains(&true));
        }
        println!(
            "flat, noise {noise}: {recommended} of {} recommend, {named_any} name",
            searches()
        );
        assert!(recommended * 50 <= 2 * searches(), "{recommended} at {noise}");
    }
}

#[test]
fn a_machine_that_slows_down_changes_little() {
    let mut near = 0;
    for surface in [&LIST_5, &TREES, &VALLEY] {
        // A drift of one third from the first run to the last.
        let counts = count(surface, 0.01, 0.01, None);
        println!("{:16} drift: near {} of {}", surface.name, counts.near, searches());
        near += counts.near;
    }
    assert!(near * 100 >= 3 * searches() * 88, "{near}");
}

#[test]
fn a_limit_is_kept_and_the_best_below_it_found() {
    let limit = 700.0 * 1_048_576.0;
    for surface in [&TREES, &VALLEY] {
        let counts = count(surface, 0.01, 0.0, Some(limit));
        println!("{:16} limit: near {} of {}", surface.name, counts.near, searches());
        assert!(counts.near * 100 >= searches() * 90, "{counts:?} on {}", surface.name);
    }
}
