//! Several processes against one: the rates at which equal processes are taken for a change, and a
//! change is found.

use stats::unpaired::ratio_to_one;

use crate::noise::{Chance, rate, standard_error};

/// The differences between processes; all but the regimes by 1 %.
#[derive(Debug, Clone, Copy)]
enum Between {
    Normal,
    /// Student's t with 3 degrees of freedom.
    HeavyTails,
    /// Only ever slower, by an exponential amount.
    Slower,
    /// Normal, and one process in seven is slower by 20 %.
    Regimes,
}

fn process(kind: Between, chance: &mut Chance) -> f64 {
    let log = match kind {
        Between::Normal => 0.01 * chance.normal(),
        Between::HeavyTails => 0.01 * chance.student(3) / 3.0_f64.sqrt(),
        Between::Slower => -0.01 * chance.uniform().ln(),
        Between::Regimes => {
            0.01 * chance.normal() + if chance.uniform() < 1.0 / 7.0 { 0.2 } else { 0.0 }
        }
    };
    log.exp()
}

/// The rate at which a change is found, if the one process takes `ratio` times as long as others of
/// its kind.
fn found(kind: Between, count: usize, (ratio, alpha): (f64, f64)) -> f64 {
    rate(TRIALS, count as u64 * 7 + 1, |chance| {
        let one = process(kind, chance) * ratio;
        let several: Vec<f64> = (0..count).map(|_| process(kind, chance)).collect();
        ratio_to_one(&several, one, 0.0, alpha).expect("a ratio").excludes_one()
    })
}

const TRIALS: u64 = 20_000;

/// One comparison, and one of fifty that share 5 %.
const ALPHAS: [f64; 2] = [0.05, 0.001];

#[test]
fn one_process_of_the_same_kind_is_seldom_a_change() {
    for alpha in ALPHAS {
        for kind in [Between::Normal, Between::HeavyTails, Between::Slower] {
            for count in [10, 20] {
                let rate = found(kind, count, (1.0, alpha));
                println!("{kind:?}, {count} processes at {alpha}: {:.2} %", 100.0 * rate);
                assert!(rate <= alpha + 3.0 * standard_error(alpha, TRIALS), "{kind:?} {rate}");
            }
        }
    }
}

/// A case that cannot be distinguished from a change: the one process is of the slow kind, and the
/// others are not; (6/7)^n / 7 of all. If some are, it lies among them.
#[test]
fn an_odd_process_is_taken_for_a_change_as_often_as_none_of_the_others_is_odd() {
    for alpha in ALPHAS {
        for count in [10, 20] {
            let rate = found(Between::Regimes, count, (1.0, alpha));
            println!("regimes, {count} processes at {alpha}: {:.2} %", 100.0 * rate);
            let odd = (6.0_f64 / 7.0).powi(i32::try_from(count).expect("few")) / 7.0;
            let bound = odd + alpha;
            assert!(rate <= bound + 3.0 * standard_error(bound, TRIALS), "{count} {rate}");
        }
    }
}

#[test]
fn a_change_of_twenty_times_the_spread_is_found() {
    for (alpha, ratio) in [(0.05, 1.0 / 1.05), (0.001, 1.0 / 1.2)] {
        let rate = found(Between::Normal, 20, (ratio, alpha));
        println!(
            "{:.0} % more, 20 processes at {alpha}: {:.1} %",
            100.0 / ratio - 100.0,
            100.0 * rate
        );
        assert!(rate > 0.9, "{ratio} {rate}");
    }
}
