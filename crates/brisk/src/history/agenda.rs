//! What of all strands is to be measured in one experiment.

use std::collections::{BTreeSet, HashSet};

use super::lineage::SPAN;
use super::merge;
use super::remaining::{Remaining, remaining};
use super::strands::Strand;
use crate::judge::contrasts::{Contrasts, Failing};
use crate::report::document::Document;

/// The variants of an experiment, and what is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agenda {
    /// What is run.
    pub entries: Vec<Entry>,
    /// Which of them are compared, as variants.
    pub contrasts: Contrasts,
}

/// One variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Which strand, by its place.
    pub strand: usize,
    /// The commit that stands for the artefact, by its place.
    pub revision: usize,
}

/// Whether the benchmarks of a commit share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processes {
    /// Each has one of its own: only what is asked for runs.
    OfTheirOwn,
    /// They do: what a benchmark runs beside is part of what is measured, so all of them run.
    Shared,
}

/// The fewest comparisons of a piece: fewer take less time than it takes to hand them over.
const LEAST_PAIRS: usize = 2;

impl Agenda {
    /// Cuts it for so many machines that measure at once. Each comparison is on one of them, with all
    /// its rounds; neighbouring pieces share an artefact, which both measure. A span whose ends are on
    /// different machines is left out. All pieces together share the permitted error.
    pub fn pieces(&self, machines: usize) -> Vec<Self> {
        let Contrasts { pairs, family, .. } = &self.contrasts;
        let count = machines.min(pairs.len() / LEAST_PAIRS).max(1);
        let size = pairs.len().div_ceil(count);
        // Spans begin at each eighth artefact.
        let size = if size >= 2 * SPAN { size.next_multiple_of(SPAN) } else { size };
        let mut pairs = pairs.clone();
        pairs.sort_by_key(|&(baseline, candidate)| (candidate, baseline));
        let mut parts: Vec<BTreeSet<u32>> = pairs
            .chunks(size.max(1))
            .map(|part| {
                part.iter().flat_map(|&(baseline, candidate)| [baseline, candidate]).collect()
            })
            .collect();
        let compared: BTreeSet<u32> = parts.iter().flatten().copied().collect();
        // What is compared with nothing is measured somewhere.
        let alone = (0..number(self.entries.len())).filter(|place| !compared.contains(place));
        parts.last_mut().into_iter().for_each(|last| last.extend(alone.clone()));
        if parts.len() < 2 {
            return vec![self.clone()];
        }
        let family = family.unwrap_or(pairs.len() + self.contrasts.spans.len());
        let chunks = pairs.chunks(size);
        parts.iter().zip(chunks).map(|(part, pairs)| self.piece(part, pairs, family)).collect()
    }

    fn piece(&self, part: &BTreeSet<u32>, pairs: &[(u32, u32)], family: usize) -> Self {
        let place = |old: u32| part.iter().position(|own| *own == old).map(number);
        let pair = |&(a, b): &(u32, u32)| place(a).zip(place(b));
        Self {
            entries: part.iter().map(|own| self.entries[*own as usize]).collect(),
            contrasts: Contrasts {
                pairs: pairs.iter().filter_map(pair).collect(),
                spans: self.contrasts.spans.iter().filter_map(pair).collect(),
                family: Some(family),
                ..self.contrasts.clone()
            },
        }
    }
}

/// What remains of the strands, where these documents are known. None where nothing does.
///
/// All comparisons of all strands share the permitted error, also those that are known.
pub fn agenda(strands: &[Strand], documents: &[&Document], processes: Processes) -> Option<Agenda> {
    let rest = |strand: &Strand| {
        let benchmark = strand.benchmark.as_deref();
        let known = merge::known(documents, benchmark);
        remaining(&strand.lineage, &known, &merge::measured(documents, benchmark))
    };
    of_remaining(strands, &strands.iter().map(rest).collect::<Vec<_>>(), processes)
}

/// All artefacts of the strands, of which nothing is compared. None where there are none.
pub fn together(strands: &[Strand], processes: Processes) -> Option<Agenda> {
    let rest = |strand: &Strand| {
        let revisions = strand.lineage.variants();
        let contrasts = Contrasts::default();
        (!revisions.is_empty()).then_some(Remaining { revisions, contrasts })
    };
    of_remaining(strands, &strands.iter().map(rest).collect::<Vec<_>>(), processes)
}

fn of_remaining(
    strands: &[Strand],
    rest: &[Option<Remaining>],
    processes: Processes,
) -> Option<Agenda> {
    let family = strands.iter().map(|one| one.lineage.pairs().len() + one.lineage.spans().len());
    let mut entries: Vec<Entry> = Vec::new();
    let mut contrasts = Contrasts { family: Some(family.sum()), ..Contrasts::default() };
    for (strand, rest) in rest.iter().enumerate() {
        let Some(Remaining { revisions, contrasts: own }) = rest else { continue };
        let first = number(entries.len());
        let shifted = |&(a, b): &(u32, u32)| (first + a, first + b);
        contrasts.pairs.extend(own.pairs.iter().map(shifted));
        contrasts.spans.extend(own.spans.iter().map(shifted));
        // In a suite, what has nothing to be compared with would not run beside the others.
        if own.pairs.is_empty() && strands[strand].benchmark.is_some() {
            let itself = |place: usize| (first + number(place), first + number(place));
            contrasts.pairs.extend((0..revisions.len()).map(itself));
        }
        entries.extend(revisions.iter().map(|&revision| Entry { strand, revision }));
    }
    if strands.iter().any(|strand| strand.benchmark.is_some()) {
        contrasts.failing = Failing::LeavesTheRest;
    }
    if processes == Processes::Shared {
        let beside = beside(strands, &entries);
        entries.extend(beside);
    }
    (!entries.is_empty()).then_some(Agenda { entries, contrasts })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("at most 2^20 variants")
}

/// What else the artefacts of some entries have.
fn beside(strands: &[Strand], entries: &[Entry]) -> Vec<Entry> {
    let digest = |entry: &Entry| {
        let artifact = strands[entry.strand].lineage.artifact(entry.revision);
        artifact.map(|artifact| artifact.digest.as_str())
    };
    let digests: HashSet<&str> = entries.iter().filter_map(digest).collect();
    let all = strands.iter().enumerate().flat_map(|(strand, one)| {
        one.lineage.variants().into_iter().map(move |revision| Entry { strand, revision })
    });
    all.filter(|entry| digest(entry).is_some_and(|digest| digests.contains(digest)))
        .filter(|entry| !entries.contains(entry))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::lineage::tests::line;

    /// Benchmark `x` is there always, `y` from the third commit on, `z` in the last one alone.
    fn suite() -> Vec<Strand> {
        let strand = |(name, artifacts): (&str, &str)| Strand {
            benchmark: Some(name.to_owned()),
            lineage: line(artifacts),
            absences: Vec::new(),
            names: Vec::new(),
        };
        [("x", "abcd"), ("y", "--cd"), ("z", "---d")].map(strand).into()
    }

    fn entry(strand: usize, revision: usize) -> Entry {
        Entry { strand, revision }
    }

    #[test]
    fn all_benchmarks_and_commits_share_the_error() {
        let all = agenda(&suite(), &[], Processes::OfTheirOwn).expect("all of it");
        let x = [entry(0, 0), entry(0, 1), entry(0, 2), entry(0, 3)];
        assert_eq!(all.entries, [&x[..], &[entry(1, 2), entry(1, 3), entry(2, 3)]].concat());
        // What is in one commit alone is asked for its own value.
        assert_eq!(all.contrasts.pairs, [(0, 1), (1, 2), (2, 3), (4, 5), (6, 6)]);
        assert_eq!(all.contrasts.spans, [(0, 3)]);
        // Three pairs and the whole line of `x`, one pair of `y`, none of `z`.
        assert_eq!(all.contrasts.family, Some(5));
        assert_eq!(all.contrasts.failing, Failing::LeavesTheRest);
    }

    #[test]
    fn where_processes_are_shared_everything_in_them_runs() {
        let rest = |open: bool| {
            open.then(|| Remaining {
                revisions: vec![2, 3],
                contrasts: Contrasts { pairs: vec![(0, 1)], ..Contrasts::default() },
            })
        };
        let rest = [rest(false), rest(true), rest(false)];
        let alone = of_remaining(&suite(), &rest, Processes::OfTheirOwn).expect("a pair");
        assert_eq!(alone.entries, [entry(1, 2), entry(1, 3)]);
        let shared = of_remaining(&suite(), &rest, Processes::Shared).expect("a pair");
        assert_eq!(shared.entries[2..], [entry(0, 2), entry(0, 3), entry(2, 3)]);
        assert_eq!(shared.contrasts, alone.contrasts);
    }

    #[test]
    fn what_runs_together_is_compared_with_nothing() {
        let command = [Strand::of_command(&line("aba"))];
        let all = together(&command, Processes::OfTheirOwn).expect("two artefacts");
        assert_eq!((all.entries.len(), all.contrasts.pairs.len()), (2, 0));
        let of_suite = together(&suite()[..1], Processes::OfTheirOwn).expect("four artefacts");
        assert!(of_suite.contrasts.compared().next().is_none());
        assert_eq!(of_suite.contrasts.pairs.len(), 4, "each for itself");
        assert_eq!(together(&[], Processes::OfTheirOwn), None);
    }

    #[test]
    fn a_command_fails_with_its_history() {
        let command = [Strand::of_command(&line("ab"))];
        let all = agenda(&command, &[], Processes::OfTheirOwn).expect("a pair");
        assert_eq!((all.contrasts.pairs, all.contrasts.failing), (vec![(0, 1)], Failing::EndsAll));
        let single = [Strand::of_command(&line("a"))];
        let one = agenda(&single, &[], Processes::OfTheirOwn).expect("its value");
        assert_eq!(one.contrasts.pairs, []);
    }

    /// A line of so many different artefacts.
    fn long(artefacts: usize) -> Agenda {
        let last = number(artefacts) - 1;
        let ends: Vec<u32> = (0..last).step_by(SPAN).chain([last]).collect();
        let spans = ends.windows(2).map(|two| (two[0], two[1])).chain([(0, last)]);
        Agenda {
            entries: (0..artefacts).map(|revision| Entry { strand: 0, revision }).collect(),
            contrasts: Contrasts {
                pairs: (0..last).map(|place| (place, place + 1)).collect(),
                spans: spans.collect(),
                ..Contrasts::default()
            },
        }
    }

    fn pairs_of(agenda: &Agenda, pairs: &[(u32, u32)]) -> Vec<(usize, usize)> {
        let at = |place: u32| agenda.entries[place as usize].revision;
        pairs.iter().map(|&(a, b)| (at(a), at(b))).collect()
    }

    #[test]
    fn pieces_have_each_comparison_once_and_meet_in_one_artefact() {
        for (artefacts, machines) in [(2, 1), (2, 4), (5, 2), (40, 2), (40, 3), (201, 2), (201, 7)]
        {
            let whole = long(artefacts);
            let pieces = whole.pieces(machines);
            assert!(pieces.len() <= machines, "{artefacts} {machines}");
            let pairs = pieces.iter().flat_map(|one| pairs_of(one, &one.contrasts.pairs));
            let pairs: Vec<_> = pairs.collect();
            assert_eq!(pairs, pairs_of(&whole, &whole.contrasts.pairs), "{artefacts} {machines}");
            for two in pieces.windows(2) {
                assert_eq!(two[0].entries.last(), two[1].entries.first());
            }
            let measured: usize = pieces.iter().map(|one| one.entries.len()).sum();
            assert_eq!(measured, artefacts + pieces.len() - 1);
            let family = whole.contrasts.pairs.len() + whole.contrasts.spans.len();
            let share = |one: &Agenda| one.contrasts.family.unwrap_or(family) == family;
            assert!(pieces.iter().all(share));
        }
    }

    #[test]
    fn long_pieces_keep_all_spans_but_the_whole_line() {
        let whole = long(201);
        let pieces = whole.pieces(2);
        assert_eq!(pieces.iter().map(|one| one.entries.len()).collect::<Vec<_>>(), [105, 97]);
        let spans = pieces.iter().flat_map(|one| pairs_of(one, &one.contrasts.spans));
        let mut all = pairs_of(&whole, &whole.contrasts.spans);
        assert_eq!(all.pop(), Some((0, 200)));
        assert_eq!(spans.collect::<Vec<_>>(), all);
    }

    #[test]
    fn what_is_compared_with_nothing_is_in_one_piece() {
        let mut whole = long(9);
        whole.entries.push(entry(0, 20));
        let pieces = whole.pieces(3);
        assert_eq!(pieces.len(), 3);
        let has = |one: &&Agenda| one.entries.contains(&entry(0, 20));
        assert_eq!(pieces.iter().filter(has).count(), 1);
        let alone = Agenda { entries: vec![entry(0, 0)], contrasts: Contrasts::default() };
        assert_eq!(alone.pieces(4), std::slice::from_ref(&alone));
    }
}
