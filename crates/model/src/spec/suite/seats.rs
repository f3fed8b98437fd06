//! The program and benchmark of each variant of a suite, read from the variants' labels.
//!
//! So measured suites and stored ones are treated alike.

use std::collections::BTreeSet;

use super::Arrangement;
use crate::spec::labels::{BenchmarkLabel, Labels};

/// The program and benchmark of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seat {
    /// The program, by its index in the suite.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
}

/// A suite as described by its variants' labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seats {
    /// The programs, each with its harness, by their words; of two, the old one first.
    pub programs: Vec<(String, String)>,
    /// The names of the benchmarks, with a number appended if others have the same name.
    pub benchmarks: Vec<String>,
    /// The seats, by variant.
    pub seats: Vec<Seat>,
    /// The arrangement, by variant.
    pub arrangements: Vec<Arrangement>,
}

impl Seats {
    /// Reads the labels of each variant; `None` if they are not benchmarks of programs.
    pub fn from_labels<'a>(variants: impl IntoIterator<Item = &'a Labels>) -> Option<Self> {
        let mut found = Self::default();
        let mut taken: BTreeSet<(Seat, &str)> = BTreeSet::new();
        for labels in variants {
            let BenchmarkLabel { name, executable, harness, order, .. } =
                labels.benchmark.as_ref()?;
            let program = (executable.clone()?, harness.clone());
            found.arrangements.push(*order);
            let order = order.word();
            let known = found.programs.iter().position(|one| *one == program);
            let program = known.unwrap_or_else(|| {
                found.programs.push(program);
                found.programs.len() - 1
            });
            // A name with a number appended may equal another benchmark's own name.
            let named = (0..).zip(&found.benchmarks).filter(|(_, known)| *known == name);
            let seat = named
                .map(|(benchmark, _)| Seat { program, benchmark })
                .find(|seat| !taken.contains(&(*seat, order)));
            let seat = seat.unwrap_or_else(|| {
                found.benchmarks.push(name.clone());
                Seat { program, benchmark: found.benchmarks.len() - 1 }
            });
            taken.insert((seat, order));
            found.seats.push(seat);
        }
        Some(found)
    }

    /// The variant of a benchmark in an arrangement.
    pub fn variant(&self, seat: Seat, arrangement: Arrangement) -> Option<u32> {
        let mut all = self.seats.iter().zip(&self.arrangements);
        let place = all.position(|(other, order)| (*other, *order) == (seat, arrangement))?;
        u32::try_from(place).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats_of(variants: &[(&str, &str, Arrangement)]) -> Option<Seats> {
        let labels = |&(name, program, order): &(&str, &str, Arrangement)| Labels {
            benchmark: Some(BenchmarkLabel {
                executable: Some(program.to_owned()),
                ..BenchmarkLabel::new(name, "lines", order)
            }),
            ..Labels::default()
        };
        Seats::from_labels(&variants.iter().map(labels).collect::<Vec<Labels>>())
    }

    #[test]
    fn a_benchmark_is_the_same_in_every_program_and_arrangement() {
        let seats = seats_of(&[
            ("a", "old", Arrangement::Alone),
            ("a", "new", Arrangement::Alone),
            ("b", "new", Arrangement::Alone),
            ("a", "old", Arrangement::Together),
            ("b", "new", Arrangement::Shuffled),
        ])
        .expect("a suite");
        let seat = |program, benchmark| Seat { program, benchmark };
        let expected = [seat(0, 0), seat(1, 0), seat(1, 1), seat(0, 0), seat(1, 1)];
        assert_eq!(seats.seats, expected);
        assert_eq!(seats.variant(seat(1, 1), Arrangement::Shuffled), Some(4));
        assert_eq!(seats.variant(seat(1, 0), Arrangement::Shuffled), None);
    }

    #[test]
    fn who_is_called_like_a_namesake_is_somebody_else() {
        let seats = seats_of(&[("a (2)", "x", Arrangement::Together); 2]);
        assert_eq!(seats.expect("a suite").benchmarks, ["a (2)", "a (2)"]);
    }

    #[test]
    fn other_experiments_are_no_suites() {
        assert_eq!(
            Seats::from_labels(&[Labels::from(vec![("order".to_owned(), "alone".to_owned())])]),
            None
        );
    }
}
