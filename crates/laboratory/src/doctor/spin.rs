//! The program that `doctor` runs against itself: a requested amount of pure processor work.
//!
//! It is this executable, started as `brisk spin --iterations N`. Its work does not read memory or
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
}
