//! The program that `doctor` runs against itself: work for the processor alone, as much as asked.
//!
//! It is this very executable, started as `brisk spin --iterations N`. Its work reads no memory and
//! asks the kernel for nothing, so what varies from run to run is the machine, and what every
//! program has: being started and ended.

use measure::clock::Stopwatch;

/// Steps a generator of random numbers so often, and returns its state: a chain of multiplications,
/// each of which waits for the one before.
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

/// Batches of about this length are timed.
const BATCH_SECONDS: f64 = 0.002;

/// How many batches. The middle one counts: the fastest is faster than a second of them.
const BATCHES: usize = 25;

/// How many iterations take a second here, now.
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
