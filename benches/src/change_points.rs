//! Change points in long series: the rate of known ones found, and the number of false alarms.
//!
//! Apache Otava, with its defaults, sees the same series. A change is found if one is reported
//! within two points of it; every other report is a false alarm, including trends in series without
//! one.

use measure::clock::Stopwatch;
use serde_json::{Value, json};
use stats::change_points::{Options, change_points};

use crate::Row;
use crate::made_series::{Chance, Made, Noise, made};
use crate::peers::{Peers, comparisons};

/// The maximum distance of a report from its step.
const NEAR: usize = 2;

/// Different from the seed of the series with which the constants of `stats::change_points` were
/// chosen.
const SEED: u64 = 20_261_121;

const NOISES: [Noise; 6] =
    [Noise::Normal, Noise::T3, Noise::LogNormal, Noise::Memory, Noise::Spikes, Noise::Rounded];

/// Series of one kind: length, minimum length of a level, number of steps, their size in
/// deviations.
struct Kind {
    name: &'static str,
    lengths: (usize, usize),
    steps: (usize, f64),
}

const KINDS: [Kind; 6] = [
    Kind { name: "30 points, 1 step of 4 sd", lengths: (30, 5), steps: (1, 4.0) },
    Kind { name: "100 points, 2 steps of 3 sd", lengths: (100, 10), steps: (2, 3.0) },
    Kind { name: "400 points, 8 steps of 2 sd", lengths: (400, 20), steps: (8, 2.0) },
    Kind { name: "400 points, 4 steps of 5 sd", lengths: (400, 5), steps: (4, 5.0) },
    Kind { name: "2000 points, 5 steps of 1 sd", lengths: (2000, 100), steps: (5, 1.0) },
    Kind { name: "1000 points, no step", lengths: (1000, 1), steps: (0, 0.0) },
];

/// The reports against the truth.
#[derive(Default, Clone, Copy)]
struct Score {
    hits: usize,
    misses: usize,
    alarms: usize,
}

impl Score {
    fn add(&mut self, steps: &[usize], reported: &[usize], others: usize) {
        let mut free = reported.to_vec();
        for &step in steps {
            match (0..free.len()).min_by_key(|&i| free[i].abs_diff(step)) {
                Some(i) if free[i].abs_diff(step) <= NEAR => {
                    free.remove(i);
                    self.hits += 1;
                }
                _ => self.misses += 1,
            }
        }
        self.alarms += free.len() + others;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            alarms: self.alarms + other.alarms,
        }
    }

    fn shown(self) -> String {
        let Self { hits, misses, alarms } = self;
        let all = 2 * hits + misses + alarms;
        let f1 = if hits + misses == 0 {
            "no step".to_owned()
        } else {
            format!("F1 {:.3}", 2.0 * hits as f64 / all as f64)
        };
        format!("{f1}, {alarms} false alarms")
    }
}

/// Generated series, the series of Otava's own tests, and time.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let goal = "F1 at least, false alarms at most the peer's";
    tell(published(peers, goal));
    let mut all: (Score, Option<Score>) = (Score::default(), Some(Score::default()));
    for kind in &KINDS {
        for noise in NOISES {
            let mut chance = Chance::new(SEED);
            let count = comparisons(100);
            let series: Vec<Made> =
                (0..count).map(|_| made(kind.lengths, kind.steps, noise, &mut chance)).collect();
            let scores = both(peers, &series, true);
            all = (all.0.plus(scores.0), all.1.zip(scores.1).map(|(sum, score)| sum.plus(score)));
            let what = format!("{count} series, {}, {noise:?}", kind.name);
            tell(row(what, goal, scores));
        }
    }
    tell(row("all made series together".to_owned(), goal, all));
    tell(time(peers));
}

fn row(what: String, goal: &'static str, (ours, theirs): (Score, Option<Score>)) -> Row {
    let theirs =
        theirs.map_or("not checked".to_owned(), |score| format!("Otava 0.8.0: {}", score.shown()));
    Row::new(what, goal, ours.shown(), theirs)
}

/// The scores of brisk and, if it is installed, of Otava; with `trends_are_false`, trends are
/// alarms.
fn both(peers: &Peers, series: &[Made], trends_are_false: bool) -> (Score, Option<Score>) {
    let (mut ours, mut theirs) = (Score::default(), Score::default());
    for one in series {
        let found = change_points(&one.values, Options::default()).expect("finite values");
        let indices: Vec<usize> = found.change_points.iter().map(|change| change.index).collect();
        let trends = if trends_are_false { found.trends.len() } else { 0 };
        ours.add(&one.steps, &indices, trends);
    }
    let values: Vec<&[f64]> = series.iter().map(|one| one.values.as_slice()).collect();
    let Some(answers) = ask(peers, "find", &json!(values)) else {
        return (ours, None);
    };
    for (one, answer) in series.iter().zip(answers.as_array().expect("a list")) {
        theirs.add(&one.steps, &indices(answer), 0);
    }
    (ours, Some(theirs))
}

fn indices(list: &Value) -> Vec<usize> {
    let list = list.as_array().expect("a list");
    list.iter().map(|index| index.as_u64().expect("an index") as usize).collect()
}

/// Otava's answer about series, which are passed in a file.
fn ask(peers: &Peers, what: &str, series: &Value) -> Option<Value> {
    let file = peers.file("series.json");
    std::fs::write(&file, series.to_string()).expect("the work folder can be written to");
    peers.otava(&[what, file.to_str().expect("the work folder is a text")])
}

/// The steps in a series of Otava's tests: the expectations of its tests, and for the long one of
/// 365 points the steps in the drawing beside it. `None` for a series without documented steps.
fn published_steps(values: &[f64]) -> Option<Vec<usize>> {
    Some(match (values.len(), values[0]) {
        (11, 0.0) => vec![3, 6],
        (11, 1.02) => vec![6],
        (11, 2.02) => vec![4],
        (14, 0.3) => vec![5, 8],
        (16, 1.02) => vec![6, 11],
        (16, 2.02) => vec![4, 11],
        (20, 1.02) => vec![10],
        (365, _) => vec![16, 71, 97],
        _ => return None,
    })
}

fn published(peers: &Peers, goal: &'static str) -> Row {
    let folder = peers.file("otava/apache_otava-0.8.0");
    let folder = folder.to_str().expect("the work folder is a text");
    let Some(lists) = peers.otava(&["published", folder]) else {
        return Row::new("series of Otava's own tests", goal, "not checked", "not checked");
    };
    let lists: Vec<Vec<f64>> = serde_json::from_value(lists).expect("lists of numbers");
    let series: Vec<Made> = lists
        .into_iter()
        .filter_map(|values| Some(Made { steps: published_steps(&values)?, values }))
        .collect();
    // The long one is drawn with a slope.
    let scores = both(peers, &series, false);
    row(format!("{} series of Otava's own tests", series.len()), goal, scores)
}

fn time(peers: &Peers) -> Row {
    let series = made((1_000_000, 100), (100, 3.0), Noise::Normal, &mut Chance::new(SEED));
    let watch = Stopwatch::start();
    let found = change_points(&series.values, Options::default()).expect("finite values");
    let seconds = watch.elapsed().as_secs_f64();
    let ours = format!("{seconds:.2} s, {} changes", found.change_points.len());
    let theirs = match ask(peers, "time", &json!([series.values])).and_then(|s| s.as_f64()) {
        Some(seconds) => format!("Otava 0.8.0: {seconds:.1} s"),
        None => "not checked".to_owned(),
    };
    Row::new("1,000,000 points with 100 steps of 3 sd", "< 2 s", ours, theirs)
}
