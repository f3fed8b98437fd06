//! Ratios of parts to their wholes: the frequency with which an end claims too much, if the parts
//! vary by much of the change.

use stats::interval::{Interval, ratio, sum};
use stats::student::two_sided;

use crate::noise::{Chance, rate, standard_error};

/// The mean of values with Student's interval at 95 %.
fn mean(values: &[f64]) -> Interval {
    let count = values.len() as f64;
    let estimate = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - estimate).powi(2)).sum();
    let reach = two_sided(0.05, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    Interval { estimate, low: estimate - reach, high: estimate + reach }
}

/// The means of changes of a program's own time, of its time in a queue, and of their sum with a time
/// of waiting that has this share of the true change; own time and queue vary by `spread` of it.
fn changes(waiting: f64, spread: f64, runs: usize, chance: &mut Chance) -> [Interval; 3] {
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..runs {
        let own = 0.6 * (1.0 - waiting) + spread * chance.normal();
        let queued = 0.4 * (1.0 - waiting) + spread * chance.normal();
        let wall = own + queued + waiting + 0.02 * chance.normal();
        parts.iter_mut().zip([own, queued, wall]).for_each(|(all, one)| all.push(one));
    }
    parts.map(|values| mean(&values))
}

#[test]
fn a_part_is_seldom_told_to_be_smaller_than_it_is() {
    let experiments = 4000;
    let limit = 0.05 + 3.0 * standard_error(0.05, experiments);
    for (waiting, spread, runs) in
        [(0.5, 0.05, 10), (0.5, 0.3, 10), (0.5, 0.6, 30), (0.1, 0.3, 10), (0.8, 0.2, 6)]
    {
        let claims = |chance: &mut Chance| {
            let [own, queued, wall] = changes(waiting, spread, runs, chance);
            ratio(sum(own, queued), wall).is_some_and(|busy| busy.high < 1.0 - waiting)
        };
        let rate = rate(experiments, 71, claims);
        println!("waiting {waiting}, spread {spread}, {runs} runs: claims too much in {rate}");
        assert!(rate <= limit, "{waiting} {spread} {runs}: {rate}");
    }
}

#[test]
fn errors_as_squares_tell_more_than_ends_at_their_worst() {
    let tells = |combine: fn([Interval; 3]) -> Option<f64>| {
        move |chance: &mut Chance| {
            combine(changes(0.7, 0.18, 10, chance)).is_some_and(|busy| busy < 0.5)
        }
    };
    let squares =
        rate(2000, 73, tells(|[own, queued, wall]| Some(ratio(sum(own, queued), wall)?.high)));
    let worst =
        rate(2000, 73, tells(|[own, queued, wall]| Some((own.high + queued.high) / wall.low)));
    println!("told in {squares}; with ends at their worst in {worst}");
    assert!(squares > worst + 0.3, "{squares} {worst}");
}
