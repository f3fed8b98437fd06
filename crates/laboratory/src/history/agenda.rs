//! The agenda of an experiment: the artefacts and comparisons of all strands that the store lacks, and
//! its pieces for several machines.

use super::lineage::{Lineage, SPAN};
use super::merge;
use super::strands::Strand;
use findings::Document;
use model::design::contrasts::{Contrasts, Failing};
use model::spec::labels::ArtifactId;
use std::collections::{BTreeSet, HashSet};

/// The variants and comparisons of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Agenda {
    pub(super) entries: Vec<Entry>,
    /// The pairs to compare, as variants.
    pub(super) contrasts: Contrasts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) strand: usize,
    /// The index of the commit that stands for the artefact.
    pub(super) revision: usize,
}

/// The distribution of a commit's benchmarks over processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processes {
    /// Each has its own process: only requested ones run.
    OfTheirOwn,
    /// All share one: the other benchmarks affect the measurement, so all of them run.
    Shared,
}

/// The fewest comparisons of a piece: fewer take less time than their handover.
const LEAST_PAIRS: usize = 2;

impl Agenda {
    /// Cuts the agenda into pieces for this number of machines. Each comparison is on one of them,
    /// with all its rounds; pieces that share a strand share an artefact of it, which both measure.
    /// A span whose ends are on different machines is left out. All pieces together share the
    /// permitted error.
    ///
    /// Benchmarks with their own processes are cut one after the other. Those that share a process
    /// are cut by commits, because all of them have to run.
    pub(super) fn pieces(
        &self,
        machines: usize,
        strands: &[Strand],
        processes: Processes,
    ) -> Vec<Self> {
        let Contrasts { pairs, spans, family, .. } = &self.contrasts;
        let count = machines.min(pairs.len() / LEAST_PAIRS).max(1);
        let mut links: Vec<Link> =
            pairs.iter().map(|pair| self.link(pair.0, pair.1, processes)).collect();
        links.sort();
        let parts = chunks(&links, links.len().div_ceil(count));
        if parts.len() < 2 {
            return vec![self.clone()];
        }
        let family = family.unwrap_or(pairs.len() + spans.len());
        let mut parts: Vec<(BTreeSet<u32>, &[Link])> =
            parts.into_iter().map(|part| (ends(part), part)).collect();
        if processes == Processes::Shared {
            parts.iter_mut().for_each(|(own, _)| own.extend(self.beside(own, strands)));
        }
        let taken: BTreeSet<u32> = parts.iter().flat_map(|(own, _)| own).copied().collect();
        // Variants without a comparison still have to be measured somewhere.
        let left = (0..number(self.entries.len())).filter(|place| !taken.contains(place));
        parts.last_mut().into_iter().for_each(|(own, _)| own.extend(left.clone()));
        parts.iter().map(|(own, links)| self.piece(own, links, family)).collect()
    }

    /// A comparison with its position for cutting.
    fn link(&self, baseline: u32, candidate: u32, processes: Processes) -> Link {
        let Entry { strand, revision } = self.entries[candidate as usize];
        let pair = (baseline, candidate);
        match processes {
            Processes::OfTheirOwn => Link { line: strand, step: candidate as usize, pair },
            Processes::Shared => Link { line: 0, step: revision, pair },
        }
    }

    /// The entries of the same artefacts as these.
    fn beside(&self, own: &BTreeSet<u32>, strands: &[Strand]) -> Vec<u32> {
        let all = own.iter().filter_map(|place| digest(strands, &self.entries[*place as usize]));
        let digests: HashSet<&ArtifactId> = all.collect();
        let is_beside = |place: &u32| {
            let found = digest(strands, &self.entries[*place as usize]);
            found.is_some_and(|digest| digests.contains(digest))
        };
        (0..number(self.entries.len())).filter(is_beside).collect()
    }

    fn piece(&self, part: &BTreeSet<u32>, links: &[Link], family: usize) -> Self {
        let place = |old: u32| part.iter().position(|own| *own == old).map(number);
        let pair = |&(a, b): &(u32, u32)| place(a).zip(place(b));
        Self {
            entries: part.iter().map(|own| self.entries[*own as usize]).collect(),
            contrasts: Contrasts {
                pairs: links.iter().filter_map(|link| pair(&link.pair)).collect(),
                spans: self.contrasts.spans.iter().filter_map(pair).collect(),
                family: Some(family),
                ..self.contrasts.clone()
            },
        }
    }
}

/// A comparison with its position for cutting an agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    /// The line of steps: a cut at the beginning of one splits nothing.
    line: usize,
    /// The comparisons of a step stay together.
    step: usize,
    pair: (u32, u32),
}

/// The links in parts of at least this size, except for the last, cut between steps.
fn chunks(links: &[Link], size: usize) -> Vec<&[Link]> {
    let steps = links.chunk_by(|a, b| (a.line, a.step) == (b.line, b.step));
    let mean = links.len() as f64 / steps.clone().count().max(1) as f64;
    // Spans begin at every eighth artefact.
    let is_long = size as f64 >= (2 * SPAN) as f64 * mean;
    let (mut parts, mut begin, mut place) = (Vec::new(), 0, 0);
    let (mut line, mut step_of_line) = (None, 0);
    for step in steps {
        step_of_line = if line == Some(step[0].line) { step_of_line + 1 } else { 0 };
        line = Some(step[0].line);
        let may_cut = !is_long || step_of_line % SPAN == 0;
        if may_cut && place - begin >= size.max(1) {
            parts.push(&links[begin..place]);
            begin = place;
        }
        place += step.len();
    }
    parts.push(&links[begin..]);
    parts
}

fn ends(part: &[Link]) -> BTreeSet<u32> {
    part.iter().flat_map(|link| [link.pair.0, link.pair.1]).collect()
}

/// The open part of the strands. All comparisons, including known ones, share the permitted error.
pub(super) fn agenda(
    strands: &[Strand],
    documents: &[&Document],
    processes: Processes,
) -> Option<Agenda> {
    let rest = |strand: &Strand| {
        let benchmark = strand.benchmark.as_deref();
        let known = merge::known(documents, benchmark);
        remaining(&strand.lineage, &known, &merge::measured(documents, benchmark))
    };
    of_remaining(strands, &strands.iter().map(rest).collect::<Vec<_>>(), processes)
}

/// All artefacts of the strands, without comparisons; `None` if there are no artefacts.
pub(super) fn together(strands: &[Strand], processes: Processes) -> Option<Agenda> {
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
        // In a suite, a variant without a comparison would not run beside the others.
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

fn digest<'a>(strands: &'a [Strand], entry: &Entry) -> Option<&'a ArtifactId> {
    let artifact = strands[entry.strand].lineage.artifact(entry.revision);
    artifact.map(|artifact| &artifact.id)
}

/// The other benchmarks of some entries' artefacts.
fn beside(strands: &[Strand], entries: &[Entry]) -> Vec<Entry> {
    let digests: HashSet<&ArtifactId> =
        entries.iter().filter_map(|entry| digest(strands, entry)).collect();
    let all = strands.iter().enumerate().flat_map(|(strand, one)| {
        one.lineage.variants().into_iter().map(move |revision| Entry { strand, revision })
    });
    all.filter(|entry| digest(strands, entry).is_some_and(|digest| digests.contains(digest)))
        .filter(|entry| !entries.contains(entry))
        .collect()
}

/// Artefacts to be measured together, with their comparisons.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Remaining {
    /// The commits that stand for the artefacts, in the order of the variants.
    pub(super) revisions: Vec<usize>,
    /// The pairs to compare, as variants.
    contrasts: Contrasts,
}

/// The measurements besides the `known` comparisons and the `measured` artefacts, if any is open.
pub(super) fn remaining(
    lineage: &Lineage,
    known: &HashSet<(ArtifactId, ArtifactId)>,
    measured: &HashSet<ArtifactId>,
) -> Option<Remaining> {
    let digest = |revision: usize| {
        lineage.artifact(revision).map(|artifact| artifact.id.clone()).unwrap_or_default()
    };
    let is_open = |&(a, b): &(usize, usize)| !known.contains(&(digest(a), digest(b)));
    let open: Vec<(usize, usize)> = lineage.pairs().into_iter().filter(is_open).collect();
    let mut revisions: BTreeSet<usize> = open.iter().flat_map(|&(a, b)| [a, b]).collect();
    if open.is_empty() {
        // Without a pair, a single artefact still has figures to show.
        let unmeasured = |revision: &usize| !measured.contains(&digest(*revision));
        revisions.extend(lineage.variants().into_iter().filter(unmeasured));
    }
    if revisions.is_empty() {
        return None;
    }
    Some(of_pairs(lineage, revisions.into_iter().collect(), &open))
}

/// These artefacts with these comparisons, and the possible spans among them.
fn of_pairs(lineage: &Lineage, revisions: Vec<usize>, open: &[(usize, usize)]) -> Remaining {
    let variant = |revision: usize| {
        let number = revisions.iter().position(|&one| one == revision)?;
        u32::try_from(number).ok()
    };
    let pair = |&(a, b): &(usize, usize)| Some((variant(a)?, variant(b)?));
    let spans = lineage.spans();
    let contrasts = Contrasts {
        pairs: open.iter().filter_map(pair).collect(),
        spans: spans.iter().filter_map(pair).collect(),
        family: Some(lineage.pairs().len() + spans.len()),
        ..Contrasts::default()
    };
    Remaining { revisions, contrasts }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::history::lineage::tests::line;

    /// Benchmark `x` exists in all commits, `y` from the third on, `z` in the last one only.
    fn suite() -> Vec<Strand> {
        vec![strand("x", "abcd"), strand("y", "--cd"), strand("z", "---d")]
    }

    fn strand(benchmark: &str, artifacts: &str) -> Strand {
        Strand { benchmark: Some(benchmark.to_owned()), ..Strand::of_command(&line(artifacts)) }
    }

    fn entry(strand: usize, revision: usize) -> Entry {
        Entry { strand, revision }
    }

    #[test]
    fn all_benchmarks_and_commits_share_the_error() {
        let all = agenda(&suite(), &[], Processes::OfTheirOwn).expect("all of it");
        let x = [entry(0, 0), entry(0, 1), entry(0, 2), entry(0, 3)];
        assert_eq!(all.entries, [&x[..], &[entry(1, 2), entry(1, 3), entry(2, 3)]].concat());
        // A benchmark that exists in one commit only is measured for its own value.
        assert_eq!(all.contrasts.pairs, [(0, 1), (1, 2), (2, 3), (4, 5), (6, 6)]);
        assert_eq!(all.contrasts.spans, [(0, 3)]);
        // Three pairs and the whole line of `x`, one pair of `y`, none of `z`.
        assert_eq!(all.contrasts.family, Some(5));
        assert_eq!(all.contrasts.failing, Failing::LeavesTheRest);
    }

    #[test]
    fn where_processes_are_shared_everything_in_them_runs() {
        let rest = Remaining {
            revisions: vec![2, 3],
            contrasts: Contrasts { pairs: vec![(0, 1)], ..Contrasts::default() },
        };
        let rest = [None, Some(rest), None];
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

    fn cut(whole: &Agenda, machines: usize) -> Vec<Agenda> {
        whole.pieces(machines, &[], Processes::OfTheirOwn)
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
            let pieces = cut(&whole, machines);
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
        let pieces = cut(&whole, 2);
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
        let pieces = cut(&whole, 3);
        assert_eq!(pieces.len(), 3);
        let has = |one: &&Agenda| one.entries.contains(&entry(0, 20));
        assert_eq!(pieces.iter().filter(has).count(), 1);
        let alone = Agenda { entries: vec![entry(0, 0)], contrasts: Contrasts::default() };
        assert_eq!(cut(&alone, 4), std::slice::from_ref(&alone));
    }

    /// Three benchmarks of eight commits, the last of which appears with the third commit.
    fn three() -> Vec<Strand> {
        vec![strand("x", "abcdefgh"), strand("y", "abcdefgh"), strand("z", "--cdefgh")]
    }

    fn compared(agenda: &Agenda) -> Vec<(Entry, Entry)> {
        let at = |place: u32| agenda.entries[place as usize];
        agenda.contrasts.pairs.iter().map(|&(a, b)| (at(a), at(b))).collect()
    }

    fn sorted(mut pairs: Vec<(Entry, Entry)>) -> Vec<(Entry, Entry)> {
        pairs.sort_by_key(|(_, one)| (one.strand, one.revision));
        pairs
    }

    #[test]
    fn benchmarks_of_their_own_processes_are_cut_one_after_the_other() {
        let strands = three();
        let whole = agenda(&strands, &[], Processes::OfTheirOwn).expect("all of it");
        let pieces = whole.pieces(3, &strands, Processes::OfTheirOwn);
        // Nineteen pairs in sevens: `x` and `y` are whole, and neither is measured twice.
        let sizes = pieces.iter().map(|one| one.entries.len()).collect::<Vec<_>>();
        assert_eq!(sizes, [8, 8, 6]);
        let all = pieces.iter().flat_map(compared).collect();
        assert_eq!(sorted(all), sorted(compared(&whole)));
        let spans: usize = pieces.iter().map(|one| one.contrasts.spans.len()).sum();
        assert_eq!(spans, whole.contrasts.spans.len(), "no line is cut through");
        assert!(pieces.iter().all(|one| one.contrasts.family == whole.contrasts.family));
        // Two machines: the cut goes through `y`, whose fourth commit is the bridge.
        let two = whole.pieces(2, &strands, Processes::OfTheirOwn);
        assert_eq!(two.iter().map(|one| one.entries.len()).collect::<Vec<_>>(), [12, 11]);
        assert_eq!(two[0].entries.last(), two[1].entries.first());
        assert_eq!(two[1].entries[0], entry(1, 3));
    }

    #[test]
    fn benchmarks_that_share_a_process_are_cut_by_commits_and_all_of_them_run() {
        let strands = three();
        let whole = agenda(&strands, &[], Processes::Shared).expect("all of it");
        let pieces = whole.pieces(2, &strands, Processes::Shared);
        let all = pieces.iter().flat_map(compared).collect();
        assert_eq!(sorted(all), sorted(compared(&whole)));
        let commits = |one: &Agenda| {
            let revisions = one.entries.iter().map(|entry| entry.revision);
            revisions.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let [first, second] = pieces.as_slice() else { panic!("{pieces:?}") };
        let (first, second) = (commits(first), commits(second));
        assert_eq!(first.last(), second.first(), "the bridge");
        assert_eq!([&first[..], &second[1..]].concat(), (0..8).collect::<Vec<_>>());
        for piece in &pieces {
            for revision in commits(piece) {
                let run = piece.entries.iter().filter(|entry| entry.revision == revision).count();
                assert_eq!(run, if revision < 2 { 2 } else { 3 }, "all that the commit has");
            }
        }
    }

    #[test]
    fn what_an_artefact_has_beside_what_is_asked_runs_in_the_piece_with_the_artefact() {
        let strands = three();
        let pairs = vec![(0, 1), (1, 2), (3, 4), (4, 5)];
        let contrasts = Contrasts { pairs, ..Contrasts::default() };
        let rest = [None, Some(Remaining { revisions: (2..8).collect(), contrasts }), None];
        let whole = of_remaining(&strands, &rest, Processes::Shared).expect("four pairs");
        for piece in whole.pieces(2, &strands, Processes::Shared) {
            let of = |strand: usize| {
                let own = piece.entries.iter().filter(|entry| entry.strand == strand);
                own.map(|entry| entry.revision).collect::<BTreeSet<_>>()
            };
            assert_eq!((of(0), of(2)), (of(1), of(1)));
            assert_eq!(of(1).len(), 3);
        }
    }

    fn pairs(text: &str) -> HashSet<(ArtifactId, ArtifactId)> {
        let pair = |pair: &str| (ArtifactId::read(&pair[..1]), ArtifactId::read(&pair[1..]));
        text.split_whitespace().map(pair).collect()
    }

    #[test]
    fn at_first_everything_remains() {
        let all = remaining(&line("abbc"), &HashSet::new(), &HashSet::new()).expect("two pairs");
        assert_eq!(all.revisions, [0, 1, 3]);
        assert_eq!(all.contrasts.pairs, [(0, 1), (1, 2)]);
        assert_eq!(all.contrasts.spans, [(0, 2)]);
        assert_eq!(all.contrasts.family, Some(3));
    }

    #[test]
    fn a_new_commit_is_measured_with_its_neighbour_alone() {
        let measured = ["a", "b", "c"].map(ArtifactId::read).into();
        let new = remaining(&line("abcd"), &pairs("ab bc"), &measured).expect("one pair");
        assert_eq!(new.revisions, [2, 3]);
        assert_eq!(new.contrasts.pairs, [(0, 1)]);
        assert_eq!(new.contrasts.spans, []);
        // Three neighbours and the whole line share the error, although one is already measured.
        assert_eq!(new.contrasts.family, Some(4));
    }

    #[test]
    fn nothing_remains_of_what_is_known() {
        let measured = ["a", "b"].map(ArtifactId::read).into();
        assert_eq!(remaining(&line("ab-b"), &pairs("ab"), &measured), None);
    }

    #[test]
    fn a_single_artefact_is_measured_once() {
        let alone = remaining(&line("aaa"), &HashSet::new(), &HashSet::new()).expect("its values");
        assert_eq!(alone.revisions, [0]);
        assert_eq!(alone.contrasts.pairs, []);
        assert_eq!(remaining(&line("aaa"), &HashSet::new(), &[ArtifactId::read("a")].into()), None);
    }
}
