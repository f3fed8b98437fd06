//! Messages of a search for a commit: each probe, and the reason for a missing answer.

use stats::bisection::{Levels, Place, State};

use super::counting::Counting;
use super::search::Search;
use crate::history::bisect;
use model::failure::Failure;
use words::quantity::percent;

impl Search<'_, '_, '_> {
    /// Reports once that there are several changes.
    pub(super) fn tell_of_several(&mut self, state: &State<'_>) {
        let known = state.assessment();
        let several = known.and_then(|known| bisect::several(&known, &self.revisions));
        if let Some(several) = several.filter(|several| self.told.as_ref() != Some(several)) {
            self.tell(&several);
            self.told = Some(several);
        }
    }

    /// Reports the uncertainty of a step next to commits that do not build.
    pub(super) fn tell_of_unbuilt(&self, near: usize, far: usize) {
        let between = far - near - 1;
        if between > 0 {
            let commits = if between == 1 { "the commit" } else { "one of the commits" };
            self.tell(&format!(
                "the change is in {} or in {commits} before it, after {}, which {}",
                self.name(far),
                self.name(near),
                if between == 1 { "does not build" } else { "do not build" }
            ));
        }
    }

    /// Prints a line for each probe: its ratio to the beginning, and the commits that remain
    /// possible.
    pub(super) fn tell_probes(&mut self, probes: &[usize], levels: Option<&Levels>) {
        let places = self.places();
        let state = self.state(&places, levels);
        let assessment = state.assessment().filter(|_| probes != [self.last()]);
        let still = assessment.map(|known| bisect::still(&known, &self.revisions));
        for (number, &at) in probes.iter().enumerate() {
            let (Place::Artefact(first), Place::Artefact(own)) = (places[0], places[at]) else {
                continue;
            };
            let Some(difference) = levels.and_then(|levels| levels.difference(first, own)) else {
                continue;
            };
            let is_last = number + 1 == probes.len();
            let still = still.as_ref().filter(|_| is_last);
            self.tell(&format!(
                "bisecting: {} has {} times the {} of {} after {} rounds{}",
                self.name(at),
                bisect::ratio(&difference),
                words::label(self.metric),
                self.name(0),
                self.rounds_of(&[at]),
                still.map(|still| format!("; it is {still}")).unwrap_or_default()
            ));
        }
    }

    fn no_difference(&self, state: &State<'_>) -> Failure {
        let seen = state.ends().map(|ends| bisect::ratio(&ends));
        Failure::new(format!(
            "{} does not certainly change between {} and {}: {}",
            words::label(self.metric),
            self.name(0),
            self.name(self.last()),
            seen.unwrap_or_else(|| "too few rounds".to_owned())
        ))
    }

    pub(super) fn unchanged(&self, state: &State<'_>) -> Failure {
        let margin = percent(self.rule.margin.fraction());
        self.no_difference(state)
            .because(format!("any change is certainly below the margin of {margin}"))
            .hint(Some("`--margin` looks for smaller ones"))
    }

    /// The failure of an inconclusive search, with the findings so far.
    pub(super) fn stays_open(&self, state: &State<'_>, counting: &Counting) -> Failure {
        let more =
            Some("run the same command again to continue; a longer `--budget` measures for longer");
        let ends = state.ends().filter(|ends| ends.is_certain(state.alpha));
        let Some(assessment) = ends.and_then(|_| state.assessment()) else {
            let failure = self.no_difference(state);
            return counting.because(self, failure).hint(more);
        };
        let (near, far, _) = assessment.most_probable();
        let failure = Failure::new(format!(
            "the commit that changed {} is not certain: it is {}",
            words::label(self.metric),
            bisect::still(&assessment, &self.revisions)
        ));
        let likeliest = format!(
            "{} is the likeliest, with {}: {} times what {} takes",
            self.name(far),
            bisect::likelihood(&assessment),
            state.levels.zip(self.pair(state, near, far)).map_or(
                "?".to_owned(),
                |(levels, pair)| {
                    levels.difference(pair.0, pair.1).as_ref().map_or("?".to_owned(), bisect::ratio)
                }
            ),
            self.name(near),
        );
        let spread = (!assessment.between.is_empty())
            .then(|| bisect::several(&assessment, &self.revisions))
            .flatten();
        let failure = spread.into_iter().fold(failure.because(likeliest), Failure::because);
        counting.because(self, failure).hint(more)
    }

    fn pair(&self, state: &State<'_>, near: usize, far: usize) -> Option<(usize, usize)> {
        match (state.places[near], state.places[far]) {
            (Place::Artefact(near), Place::Artefact(far)) => Some((near, far)),
            _ => None,
        }
    }
}
