//! The programs that `doctor` runs against themselves: their work, and their part of the time.
//!
//! Each is this executable, started as `brisk spin --iterations N`. Its work does not read memory or
//! call the kernel, so its variation comes from the machine, and from the start and end that every
//! program has.

use measure::clock::Stopwatch;

/// Steps a random number generator this number of times, and returns its state: a chain of
/// multiplications, each of which depends on the one before.
pub fn work(iterations: u64) -> u64 {
    let mut state: u64 = 1;
    for _ in 0..iterations {
        // Knuth's MMIX constants (The Art of Computer Programming 2, 3.3.4, line 26).
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state = std::hint::black_box(state);
    }
    state
}

/// The approximate duration of a timed batch.
const BATCH_SECONDS: f64 = 0.002;

/// The number of batches. The median counts, because the fastest exceeds the rate of a whole
/// second.
const BATCHES: usize = 25;

/// The current number of iterations per second.
pub fn iterations_a_second() -> f64 {
    let mut iterations: u64 = 1000;
    while seconds(iterations) < BATCH_SECONDS {
        iterations *= 2;
    }
    let batches: Vec<f64> = (0..BATCHES).map(|_| seconds(iterations)).collect();
    let middle = stats::describe::summarise(&batches).expect("there are some").median;
    iterations as f64 / middle
}

fn seconds(iterations: u64) -> f64 {
    let watch = Stopwatch::start();
    std::hint::black_box(work(iterations));
    watch.elapsed().as_secs_f64()
}

/// A program of known length that is run against itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialProgram {
    /// Its name.
    pub name: &'static str,
    /// The intended duration, in seconds.
    pub seconds: f64,
    /// Its part of the time, as a weight.
    weight: f64,
}

/// The programs. The longest gets most of the time: of 25 s as much as its seven rounds take, the
/// minimum for a verdict. The shortest gets more than the next, because the rates of false
/// positives come from its runs.
pub const PROGRAMS: [TrialProgram; 3] = [
    TrialProgram { name: "10 ms", seconds: 0.01, weight: 0.22 },
    TrialProgram { name: "100 ms", seconds: 0.1, weight: 0.12 },
    TrialProgram { name: "1 s", seconds: 1.0, weight: 0.66 },
];

/// A program is not run if the time is too short for this number of rounds.
pub const FEWEST_ROUNDS: u32 = 3;

/// The seconds for which each program of [`PROGRAMS`] runs against itself. None if the time is too
/// short for [`FEWEST_ROUNDS`]. Time that a program cannot use goes to the shorter ones.
pub fn divide(seconds: f64) -> [Option<f64>; 3] {
    for tried in (1..=PROGRAMS.len()).rev() {
        let total: f64 = PROGRAMS[..tried].iter().map(|program| program.weight).sum();
        let share = |program: &TrialProgram| seconds * program.weight / total;
        let longest = &PROGRAMS[tried - 1];
        if share(longest) >= least(longest) {
            return std::array::from_fn(|index| (index < tried).then(|| share(&PROGRAMS[index])));
        }
    }
    [None; 3]
}

/// The minimum time for enough rounds of a program, in seconds; a round runs it twice.
pub fn least(program: &TrialProgram) -> f64 {
    2.0 * program.seconds * f64::from(FEWEST_ROUNDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_iteration_changes_the_state() {
        assert_eq!(work(0), 1);
        assert_ne!(work(1), work(2));
    }

    #[test]
    fn the_rate_is_a_rate() {
        assert!(iterations_a_second() > 1000.0);
    }

    #[test]
    fn every_program_has_its_part_of_enough_time() {
        let shares = divide(20.0).map(|share| share.expect("enough time"));
        assert!((shares.iter().sum::<f64>() - 20.0).abs() < 1e-9);
        assert!(shares[2] > shares[0] && shares[0] > shares[1]);
    }

    #[test]
    fn what_does_not_suffice_for_a_long_program_goes_to_the_shorter_ones() {
        let [Some(short), Some(middle), None] = divide(4.0) else { panic!("{:?}", divide(4.0)) };
        assert!((short + middle - 4.0).abs() < 1e-9);
        assert_eq!(divide(1.0), [Some(1.0), None, None]);
        assert_eq!(divide(0.05), [None; 3]);
    }
}
