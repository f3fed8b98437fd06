//! Runs turned into samples: the values of one metric, by variant, in the order of the rounds.
//!
//! A round in which either side of a pair has no value is left out of that pair and counted; it
//! never becomes a zero.

use std::collections::BTreeMap;

use crate::metric::{self, MetricId, Missing, Source, UNFINISHED};
use crate::run::Run;
use crate::spec::labels::{self, Labels};

/// The values of one metric over an experiment.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// `values[variant][round]`; NaN marks a run without a value.
    values: Vec<Vec<f64>>,
    /// The reasons for missing values, and the number of each variant's values missing for that
    /// reason.
    missing: BTreeMap<(u32, String), usize>,
    /// By variant, the factor from the work of its values to the full work, if they do not grow
    /// with the work; empty if they do, or if no variant has an amount of work.
    shares: Vec<f64>,
    /// By variant, the number of layouts it ran in, in turn; empty if all ran as built.
    layouts: Vec<u32>,
}

/// The treatment of readings, from the labels of the variants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Treatment {
    /// By variant, the factor for readings that grow with the work; empty if no variant has an
    /// amount of work.
    scales: Vec<f64>,
    /// By variant, the number of layouts it runs in, in turn; empty if all run as built.
    layouts: Vec<u32>,
}

impl Treatment {
    /// The treatment for these labels, in the order of the variants.
    pub fn from_labels<'a>(labels: impl Iterator<Item = &'a Labels> + Clone) -> Self {
        let mut layouts: Vec<u32> = labels.clone().map(|one| one.layouts).collect();
        if layouts.iter().all(|&count| count == 0) {
            layouts.clear();
        }
        Self { scales: labels::scales(labels), layouts }
    }
}

/// The pairs of a baseline and a candidate: one per round with values of both, or one per layout if
/// they ran in several layouts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// The baseline's values, in the order of the rounds.
    pub baseline: Vec<f64>,
    /// The candidate's values, in the same order.
    pub candidate: Vec<f64>,
}

impl Column {
    /// A column for a number of variants.
    #[cfg(any(test, feature = "testing"))]
    pub fn new(variants: usize) -> Self {
        Self { values: vec![Vec::new(); variants], ..Self::default() }
    }

    /// A column with its full capacity reserved, to avoid growing.
    fn with_room(variants: usize, rounds: usize) -> Self {
        let values = (0..variants).map(|_| Vec::with_capacity(rounds)).collect();
        Self { values, ..Self::default() }
    }

    /// A variant's values by round, NaN for a missing one. Empty if some are missing because the
    /// run had not finished, as the others would be a selection.
    fn rounds_of(&self, variant: u32) -> &[f64] {
        match self.missing.contains_key(&(variant, UNFINISHED.0.into_owned())) {
            true => &[],
            false => &self.values[variant as usize],
        }
    }

    /// True if the values of two variants are of the same work, or grow with it.
    pub fn is_comparable(&self, baseline: u32, candidate: u32) -> bool {
        let share = |variant: u32| self.shares.get(variant as usize);
        share(baseline) == share(candidate)
    }

    /// Stores a value, or the reason that it is missing.
    pub fn push(&mut self, variant: u32, round: u32, value: Result<f64, &Missing>) {
        let rounds = &mut self.values[variant as usize];
        let round = round as usize;
        if rounds.len() <= round {
            rounds.resize(round + 1, f64::NAN);
        }
        match value {
            Ok(value) if value.is_finite() => rounds[round] = value,
            Ok(_) => self.note_missing(variant, "not a finite number"),
            Err(reason) => self.note_missing(variant, &reason.0),
        }
    }

    fn note_missing(&mut self, variant: u32, reason: &str) {
        *self.missing.entry((variant, reason.to_owned())).or_insert(0) += 1;
    }

    /// The same column with its first rounds only.
    pub fn first_rounds(&self, rounds: usize) -> Self {
        let first = |values: &Vec<f64>| values.iter().take(rounds).copied().collect();
        Self {
            values: self.values.iter().map(first).collect(),
            missing: self.missing.clone(),
            shares: self.shares.clone(),
            layouts: self.layouts.clone(),
        }
    }

    /// A variant's values, in the order of the rounds.
    pub fn of_variant(&self, variant: u32) -> Vec<f64> {
        self.rounds_of(variant).iter().copied().filter(|value| !value.is_nan()).collect()
    }

    /// A variant's values of the first `rounds` rounds, NaN for a missing one.
    pub fn in_rounds(&self, variant: u32, rounds: usize) -> impl Iterator<Item = f64> + '_ {
        let values = self.rounds_of(variant).iter().copied();
        values.chain(std::iter::repeat(f64::NAN)).take(rounds)
    }

    /// A variant's values beside those of another metric: round, value and other value, for rounds
    /// with both.
    pub fn beside<'a>(
        &'a self,
        other: &'a Self,
        variant: u32,
    ) -> impl Iterator<Item = (u32, f64, f64)> + 'a {
        (0..)
            .zip(self.rounds_of(variant).iter().zip(other.rounds_of(variant)))
            .filter(|(_, (own, other))| !own.is_nan() && !other.is_nan())
            .map(|(round, (&own, &other))| (round, own, other))
    }

    /// The rounds in which both have a value; empty if the values cannot be compared.
    pub fn pairs(&self, baseline: u32, candidate: u32) -> Pairs {
        self.pairs_until(baseline, candidate, usize::MAX)
    }

    /// Those of the first `rounds` rounds in which both have a value; empty if the values cannot be
    /// compared.
    pub fn pairs_until(&self, baseline: u32, candidate: u32, rounds: usize) -> Pairs {
        if !self.is_comparable(baseline, candidate) {
            return Pairs::default();
        }
        let sides = self.rounds_of(baseline).iter().zip(self.rounds_of(candidate));
        let sides = sides.take(rounds);
        let rounds = sides.len();
        let mut pairs =
            Pairs { baseline: Vec::with_capacity(rounds), candidate: Vec::with_capacity(rounds) };
        let layouts = self.layouts_of(baseline).max(self.layouts_of(candidate)) as usize;
        let mut layout = Vec::new();
        for (round, (&b, &c)) in sides.enumerate().filter(|(_, (b, c))| !b.is_nan() && !c.is_nan())
        {
            pairs.baseline.push(b);
            pairs.candidate.push(c);
            layout.extend(round.checked_rem(layouts));
        }
        if layouts > 0 {
            let (baseline, candidate) =
                stats::layouts::pairs(&layout, &pairs.baseline, &pairs.candidate, layouts);
            pairs = Pairs { baseline, candidate };
        }
        pairs
    }

    /// The number of layouts a variant ran in, in turn; 0 if it ran as built.
    pub fn layouts_of(&self, variant: u32) -> u32 {
        self.layouts.get(variant as usize).copied().unwrap_or(0)
    }

    /// The spread between the layouts of a variant; `None` if it has no layouts, or too few
    /// readings.
    pub fn spread(&self, variant: u32) -> Option<stats::layouts::Spread> {
        let layouts = self.layouts_of(variant) as usize;
        let values = self.rounds_of(variant).iter().enumerate();
        let values = values.filter(|(_, value)| **value > 0.0);
        let (layout, values): (Vec<usize>, Vec<f64>) =
            values.filter_map(|(round, &value)| Some((round.checked_rem(layouts)?, value))).unzip();
        stats::layouts::spread(&layout, &values, layouts)
    }

    /// The most frequent reason for `variant`'s missing values, and the number missing in all.
    pub fn missing(&self, variant: u32) -> Option<(&str, usize)> {
        let from = (variant, String::new());
        let of_variant = self.missing.range(from..).take_while(|((of, _), _)| *of == variant);
        let total = of_variant.clone().map(|(_, count)| count).sum();
        let ((_, reason), _) = of_variant.max_by_key(|(_, count)| **count)?;
        Some((reason, total))
    }
}

/// Several columns, filled from the same runs.
#[derive(Debug, Clone)]
pub struct Columns {
    variants: usize,
    columns: BTreeMap<(MetricId, Source), Column>,
    /// The position of each timed run within its round, if wanted.
    positions: Option<Column>,
    /// The number of rounds to reserve capacity for.
    rounds: usize,
    treatment: Treatment,
}

impl Columns {
    /// Empty columns for a number of variants.
    pub fn new(variants: usize) -> Self {
        Self {
            variants,
            columns: BTreeMap::new(),
            positions: None,
            rounds: 0,
            treatment: Treatment::default(),
        }
    }

    /// Empty columns with capacity for a number of rounds; with `with_positions` the position of
    /// each run within its round is kept, too.
    pub fn of_experiment(variants: usize, rounds: u32, with_positions: bool) -> Self {
        let rounds = rounds as usize;
        let positions = with_positions.then(|| Column::with_room(variants, rounds));
        Self { positions, rounds, ..Self::new(variants) }
    }

    /// The same for variants that do only part of their work, or run in several layouts.
    #[must_use]
    pub fn treated(self, treatment: Treatment) -> Self {
        Self { treatment, ..self }
    }

    /// Adds the wanted metrics of a run. Warm-up runs are not judged, so they are ignored.
    pub fn push(&mut self, run: &Run, wanted: impl Fn(&MetricId) -> bool) {
        if run.place.warmup {
            return;
        }
        if let Some(positions) = &mut self.positions
            && run.place.source == Source::Run
        {
            let position = f64::from(run.place.position);
            positions.push(run.place.variant, run.place.round, Ok(position));
        }
        let grows = |id: &MetricId| metric::find(id).is_some_and(|one| one.grows_with_work());
        for (id, value) in run.readings.iter().filter(|(id, _)| wanted(id)) {
            let Treatment { scales, layouts } = &self.treatment;
            let scale = scales.get(run.place.variant as usize).filter(|_| grows(id));
            let scale = scale.copied().unwrap_or(1.0);
            let new = || Column {
                shares: if grows(id) { Vec::new() } else { scales.clone() },
                // Instrumented runs use the artefact as built.
                layouts: if run.place.source == Source::Run { layouts.clone() } else { Vec::new() },
                ..Column::with_room(self.variants, self.rounds)
            };
            self.columns.entry((id.clone(), run.place.source)).or_insert_with(new).push(
                run.place.variant,
                run.place.round,
                value.as_ref().map(|value| value * scale),
            );
        }
    }

    /// The position of each timed run within its round, from 0; `None` if not wanted.
    pub fn positions(&self) -> Option<&Column> {
        self.positions.as_ref()
    }

    /// The column of a metric from a source; for a quantile, that of the underlying metric. `None`
    /// if no run had such a reading.
    pub fn get(&self, id: &MetricId, source: Source) -> Option<&Column> {
        self.columns.get(&(id.reading(), source))
    }
}

#[cfg(test)]
mod tests {
    use measure::Outcome;

    use super::*;
    use crate::metric::{PEAK_RSS, WALL_TIME};
    use crate::run::RunPlace;

    fn run(variant: u32, readings: &[(MetricId, f64)]) -> Run {
        let source = Source::Run;
        Run {
            place: RunPlace { source, warmup: false, round: 0, position: variant, variant },
            started_unix_ns: 0,
            outcome: Outcome::Exited(0),
            readings: readings.iter().map(|(id, value)| (id.clone(), Ok(*value))).collect(),
            left_behind: 0,
            stderr_tail: None,
        }
    }

    #[test]
    fn a_round_without_one_side_is_left_out_of_the_pairs_and_counted() {
        let mut column = Column::new(2);
        let gone = Missing("gone".into());
        for (round, baseline, candidate) in
            [(0, Ok(1.0), Ok(2.0)), (1, Err(&gone), Ok(3.0)), (2, Ok(4.0), Ok(5.0))]
        {
            column.push(0, round, baseline);
            column.push(1, round, candidate);
        }
        let pairs = column.pairs(0, 1);
        assert_eq!(pairs.baseline, [1.0, 4.0]);
        assert_eq!(pairs.candidate, [2.0, 5.0]);
        assert_eq!(column.missing(0), Some(("gone", 1)));
        assert_eq!(column.missing(1), None);
        assert_eq!(column.of_variant(0), [1.0, 4.0]);
    }

    /// The runs that finished are those with less work.
    #[test]
    fn where_runs_had_not_finished_those_that_had_tell_nothing() {
        let mut column = Column::new(2);
        for round in 0..3 {
            column.push(0, round, Ok(2.0));
            column.push(1, round, if round == 1 { Err(&UNFINISHED) } else { Ok(1.0) });
        }
        assert_eq!(column.pairs(0, 1), Pairs::default());
        assert_eq!((column.of_variant(0).len(), column.of_variant(1).len()), (3, 0));
        assert_eq!(column.missing(1), Some((&*UNFINISHED.0, 1)));
    }

    #[test]
    fn what_does_not_grow_with_the_work_has_pairs_only_where_both_did_the_same() {
        let mut columns = Columns::new(3)
            .treated(Treatment { scales: vec![100.0, 100.0, 1.0], ..Treatment::default() });
        for variant in 0..3 {
            columns.push(&run(variant, &[(WALL_TIME, 2.0), (PEAK_RSS, 4e6)]), |_| true);
        }
        let pairs = |id: &MetricId, baseline, candidate| {
            let pairs = columns.get(id, Source::Run).expect("read").pairs(baseline, candidate);
            (pairs.baseline, pairs.candidate)
        };
        assert_eq!(pairs(&WALL_TIME, 1, 2), (vec![200.0], vec![2.0]));
        assert_eq!(pairs(&PEAK_RSS, 0, 1), (vec![4e6], vec![4e6]));
        assert_eq!(pairs(&PEAK_RSS, 1, 2), (Vec::new(), Vec::new()));
    }

    /// Three layouts in turn: rounds 0 and 3 ran the first one, and so on.
    #[test]
    fn rounds_that_ran_the_same_layout_are_one_pair() {
        let mut column = Column { layouts: vec![3, 3, 0], ..Column::new(3) };
        for (round, value) in (0..).zip([1.0, 2.0, 3.0, 5.0, 6.0]) {
            for variant in 0..3 {
                column.push(variant, round, Ok(value * f64::from(variant + 1)));
            }
        }
        let both = column.pairs(0, 1);
        assert_eq!((both.baseline, both.candidate), (vec![2.0, 3.0, 3.0], vec![4.0, 6.0, 6.0]));
        assert_eq!(column.pairs_until(0, 1, 4).baseline, [2.0, 2.0, 3.0]);
        // A variant that runs as built has one layout in every round.
        assert_eq!(column.pairs(0, 2).baseline, [2.0, 3.0, 3.0]);
    }

    #[test]
    fn what_is_not_a_number_is_missing() {
        let mut column = Column::new(1);
        column.push(0, 0, Ok(f64::INFINITY));
        assert!(column.of_variant(0).is_empty());
        assert_eq!(column.missing(0), Some(("not a finite number", 1)));
    }
}
