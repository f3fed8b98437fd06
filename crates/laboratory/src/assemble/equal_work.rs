//! The comparison of the variants' work: what they print, and how much they need for it.

use findings::{
    Document, EqualWork, MetricSummary, OutputDifference, ProgramOutput, Spot, Suspicion,
};
use judge::equal_work::{Sight, is_same, prints_same};
use measure::Outcome;
use model::metric::{ALLOCATED, INSTRUCTIONS, MetricId, PEAK_RSS, Source};
use model::run::HEAD_BYTES;

/// The comparison of the variants' work; `sights` are the runs made for their output.
pub(crate) fn equal_work(
    document: &Document,
    pairs: &[(u32, u32)],
    sights: &[Vec<Sight>],
) -> EqualWork {
    EqualWork {
        outputs: outputs(sights),
        differences: differences(pairs, sights),
        suspicions: suspicions(pairs, &document.summaries),
    }
}

/// The conditions under which one side of a comparison has suspiciously little.
#[derive(Debug, Clone, PartialEq)]
struct Threshold {
    metric: MetricId,
    /// Suspicious below this share of the other side's value.
    share: f64,
    /// The least value of the other side, in the metric's unit.
    least: f64,
}

/// The suspicious differences. The shares lie beyond what the same work in another language needs.
///
/// * Allocated bytes, a hundredth: the representation of values explains up to a factor of about
///   forty (a list of characters in Haskell takes 40 bytes for each, a string one). Below 1 MB,
///   starting up may be the larger part.
/// * Peak memory, a tenth: copying collectors hold two or three times the live data, and boxed
///   lists take three to five times as much as arrays. Below 100 MB it is what runtimes take
///   without a program (Node and the JVM: 40 MB).
/// * Instructions, a thousandth: an interpreter executes about a hundred for each one of compiled
///   code.
const THRESHOLDS: [Threshold; 3] = [
    Threshold { metric: ALLOCATED, share: 0.01, least: 1e6 },
    Threshold { metric: PEAK_RSS, share: 0.1, least: 1e8 },
    Threshold { metric: INSTRUCTIONS, share: 0.001, least: 0.0 },
];

fn outputs(sights: &[Vec<Sight>]) -> Vec<ProgramOutput> {
    (0..).zip(sights).map(|(variant, sights)| output(variant, sights)).collect()
}

fn output(variant: u32, sights: &[Sight]) -> ProgramOutput {
    let unread = |reason: &str| ProgramOutput {
        variant,
        bytes: None,
        sha256: None,
        exit_status: None,
        repeatable: None,
        missing: Some(reason.to_owned()),
    };
    match sights.first() {
        None => unread("it was not run"),
        Some(Err(reason)) => unread(&reason.0),
        Some(Ok(first)) => ProgramOutput {
            variant,
            bytes: Some(first.output.bytes),
            sha256: Some(first.output.sha256.clone()),
            exit_status: match first.outcome {
                Outcome::Exited(status) => Some(status),
                Outcome::Signalled(_) | Outcome::TimedOut => None,
            },
            repeatable: match sights.get(1) {
                Some(Ok(second)) => Some(is_same(first, second)),
                _ => None,
            },
            missing: None,
        },
    }
}

/// The pairs whose work differs. A variant without a steady output is in none of them.
fn differences(pairs: &[(u32, u32)], sights: &[Vec<Sight>]) -> Vec<OutputDifference> {
    let steady = |variant: u32| {
        let sights = &sights[variant as usize];
        let first = sights.first()?.as_ref().ok()?;
        sights.iter().flatten().all(|other| is_same(first, other)).then_some(first)
    };
    let difference = |&(baseline, candidate): &(u32, u32)| {
        let (a, b) = (steady(baseline)?, steady(candidate)?);
        let prints_differ = !prints_same(a, b);
        let ends_differ = a.outcome != b.outcome;
        (prints_differ || ends_differ).then(|| OutputDifference {
            baseline,
            candidate,
            prints_differ,
            first: match prints_differ {
                true => first_difference(&a.output.head, &b.output.head),
                false => None,
            },
            ends: ends_differ.then(|| (a.outcome.to_string(), b.outcome.to_string())),
        })
    };
    pairs.iter().filter(|(a, b)| a != b).filter_map(difference).collect()
}

/// The first difference of two beginnings; if one is a prefix of the other, just behind its end.
/// `None` if both continue beyond what was kept.
fn first_difference(a: &[u8], b: &[u8]) -> Option<Spot> {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    if common == HEAD_BYTES {
        return None;
    }
    let lines = a[..common].iter().filter(|&&byte| byte == b'\n').count();
    Some(Spot { byte: common as u64 + 1, line: lines as u64 + 1 })
}

fn suspicions(pairs: &[(u32, u32)], summaries: &[MetricSummary]) -> Vec<Suspicion> {
    let mut found = Vec::new();
    for &(baseline, candidate) in pairs.iter().filter(|(a, b)| a != b) {
        for (threshold, source) in THRESHOLDS.iter().flat_map(|t| Source::ALL.map(|s| (t, s))) {
            let median = |variant: u32| {
                let is_it = |part: &&MetricSummary| {
                    part.variant == variant
                        && part.metric == threshold.metric
                        && part.source == source
                };
                summaries.iter().find(is_it).map(|part| part.median)
            };
            let (Some(a), Some(b)) = (median(baseline), median(candidate)) else { continue };
            let (variant, value, other_value) =
                if a < b { (baseline, a, b) } else { (candidate, b, a) };
            if other_value >= threshold.least && value < threshold.share * other_value {
                let metric = threshold.metric.clone();
                let part =
                    Suspicion { baseline, candidate, metric, source, variant, value, other_value };
                found.push(part);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use judge::equal_work::examples::{printed, sight, unread};
    use judge::equal_work::wanted;

    #[test]
    fn outputs_that_differ_are_told_with_the_first_place() {
        let sights = vec![
            vec![printed("one\ntwo\n"), printed("one\ntwo\n")],
            vec![printed("one\ntwo\n")],
            vec![printed("one\ntXo\n"), printed("one\ntXo\n")],
            vec![printed("one\n"), printed("one\n")],
        ];
        let found = differences(&[(0, 1), (0, 2), (0, 3), (1, 1)], &sights);
        let spots: Vec<_> = found.iter().map(|part| (part.candidate, part.first)).collect();
        // cmp(1) says "differ: byte 6, line 2", and for the shorter one "EOF after byte 4".
        let spot = |byte, line| Some(Spot { byte, line });
        assert_eq!(spots, [(2, spot(6, 2)), (3, spot(5, 2))]);
        assert!(found.iter().all(|part| part.prints_differ && part.ends.is_none()));
    }

    #[test]
    fn an_output_that_changes_from_run_to_run_says_nothing() {
        let sights = vec![
            vec![printed("took 1 s"), printed("took 2 s")],
            vec![printed("took 3 s"), printed("took 3 s")],
        ];
        assert_eq!(differences(&[(0, 1)], &sights), []);
        let parts = outputs(&sights);
        assert_eq!((parts[0].repeatable, parts[1].repeatable), (Some(false), Some(true)));
    }

    #[test]
    fn an_output_that_was_not_read_is_missing_with_its_reason() {
        let sights = vec![vec![unread()], vec![printed("x")], Vec::new()];
        assert_eq!(differences(&[(0, 1), (1, 2)], &sights), []);
        let parts = outputs(&sights);
        assert_eq!(parts[0].missing.as_deref(), Some("hidden"));
        assert_eq!((parts[0].bytes, &parts[0].sha256), (None, &None));
        assert_eq!((parts[1].bytes, parts[1].exit_status), (Some(1), Some(0)));
        assert!(parts[2].missing.is_some());
    }

    #[test]
    fn another_end_is_a_difference_where_the_output_is_the_same() {
        let ended = |outcome| vec![sight(b"x", outcome), sight(b"x", outcome)];
        let sights = vec![ended(Outcome::Exited(0)), ended(Outcome::Signalled(11))];
        let found = differences(&[(0, 1)], &sights);
        let ends = found[0].ends.clone().expect("they differ");
        assert!(!found[0].prints_differ && found[0].first.is_none());
        assert!(ends.0.contains("status 0") && ends.1.contains("SIGSEGV"), "{ends:?}");
    }

    #[test]
    fn a_difference_beyond_what_was_kept_has_no_place() {
        let text = vec![b'x'; HEAD_BYTES + 10];
        let mut other = text.clone();
        other[HEAD_BYTES] = b'y';
        let twice = |text: &[u8]| vec![sight(text, Outcome::Exited(0)); 2];
        let found = differences(&[(0, 1)], &[twice(&text), twice(&other)]);
        assert_eq!((found[0].prints_differ, found[0].first), (true, None));
        other[HEAD_BYTES - 1] = b'y';
        let found = differences(&[(0, 1)], &[twice(&text), twice(&other)]);
        let byte = HEAD_BYTES as u64;
        assert_eq!(found[0].first, Some(Spot { byte, line: 1 }));
    }

    fn suspected(metric: MetricId, source: Source, a: f64, b: f64) -> Option<u32> {
        let summaries = [
            MetricSummary::of_one(0, metric.clone(), source, a),
            MetricSummary::of_one(1, metric, source, b),
        ];
        let found = suspicions(&[(0, 1)], &summaries);
        assert!(found.len() <= 1, "{found:?}");
        found.first().map(|part| part.variant)
    }

    /// The first three are real observations: a list collected while in use (10 MiB instead of
    /// 2293), a tree that became a graph (56 kB instead of 2^21 nodes of 24 bytes), and the same
    /// list in two languages (2293 and 7082 MiB).
    #[test]
    fn what_is_suspicious_is_beyond_what_another_language_explains() {
        const MIB: f64 = 1_048_576.0;
        let (run, runtime, valgrind) = (Source::Run, Source::Runtime, Source::Valgrind);
        for (metric, source, a, b, expected) in [
            (PEAK_RSS, run, 2293.0 * MIB, 10.0 * MIB, Some(1)),
            (ALLOCATED, runtime, 50.3e6, 56e3, Some(1)),
            (PEAK_RSS, run, 2293.0 * MIB, 7082.0 * MIB, None),
            (PEAK_RSS, run, 1e6, 40e6, None),
            (PEAK_RSS, run, 10e6, 101e6, Some(0)),
            (PEAK_RSS, run, 10e6, 100e6, None),
            (ALLOCATED, runtime, 0.0, 9e5, None),
            (ALLOCATED, runtime, 0.0, 1e6, Some(0)),
            (ALLOCATED, runtime, 1e6, 99e6, None),
            (INSTRUCTIONS, valgrind, 1e9, 2e7, None),
            (INSTRUCTIONS, valgrind, 1e9, 9e5, Some(1)),
            (INSTRUCTIONS, run, 9e5, 1e9, Some(0)),
        ] {
            assert_eq!(suspected(metric.clone(), source, a, b), expected, "{metric} {a} {b}");
        }
    }

    #[test]
    fn what_two_sources_say_is_not_compared() {
        let summaries = [
            MetricSummary::of_one(0, INSTRUCTIONS, Source::Run, 1e9),
            MetricSummary::of_one(1, INSTRUCTIONS, Source::Valgrind, 1.0),
        ];
        assert_eq!(suspicions(&[(0, 1)], &summaries), []);
    }

    proptest! {
        #[test]
        fn the_first_difference_is_where_it_was_made(
            text in prop::collection::vec(any::<u8>(), 1..500),
            place in any::<prop::sample::Index>()
        ) {
            let place = place.index(text.len());
            let mut other = text.clone();
            other[place] ^= 1;
            let spot = first_difference(&text, &other).expect("it is short");
            prop_assert_eq!(spot.byte, place as u64 + 1);
            prop_assert_eq!(first_difference(&text[..place], &text).map(|s| s.byte), Some(spot.byte));
            prop_assert_eq!(first_difference(&other, &text), Some(spot));
        }

        #[test]
        fn who_does_the_same_is_never_told_apart(
            texts in prop::collection::vec("[a-c\n]{0,4}", 1..6), median in 0.0..1e12
        ) {
            let sights: Vec<Vec<Sight>> = texts.iter().map(|_| vec![printed(&texts[0])]).collect();
            let last = u32::try_from(texts.len()).unwrap();
            let pairs: Vec<(u32, u32)> = (0..last).map(|candidate| (0, candidate)).collect();
            prop_assert_eq!(wanted(&pairs, &sights), Vec::<u32>::new());
            prop_assert_eq!(differences(&pairs, &sights), []);
            let summaries: Vec<MetricSummary> =
                (0..last).map(|v| MetricSummary::of_one(v, PEAK_RSS, Source::Run, median)).collect();
            prop_assert_eq!(suspicions(&pairs, &summaries), []);
        }
    }
}
