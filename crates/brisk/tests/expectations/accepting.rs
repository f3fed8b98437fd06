//! Intended changes: accepted once, and failures again if they grow.

use judge::acceptance::{Acceptance, AcceptanceError, Signature, Standing, accept, standing};
use judge::expectation::Evaluation;
use model::verdict::Margin;

use crate::support::{Given, expectation, judged};

const LIMIT: &str = "peak_rss(a) <= 2 MB";

fn signature(why: &str) -> Signature {
    Signature {
        commit: Some("4f2c9a".into()),
        why: why.into(),
        who: "Ada <ada@example.org>".into(),
        unix_ns: 1,
    }
}

fn peak(low: f64, high: f64) -> Given {
    Given::new(&[("peak_rss(a)", low, (low + high) / 2.0, high)])
}

fn accepted(text: &str, figures: &Given) -> Acceptance {
    accept(&expectation(text), &judged(text, figures), signature("the index")).expect("it fails")
}

fn stands(text: &str, figures: &Given, acceptances: &[Acceptance]) -> Standing {
    let margin = Margin::new(0.01).expect("positive");
    standing(expectation(text).id(), &judged(text, figures), acceptances, margin).0
}

#[test]
fn a_failure_is_accepted_until_it_is_worse_by_its_whole_interval() {
    let acceptances = [accepted(LIMIT, &peak(2.9e6, 3.1e6))];
    for (low, high, expected) in [
        (2.9e6, 3.1e6, Standing::Accepted),
        (2.5e6, 2.6e6, Standing::Accepted),
        (3.0e6, 3.3e6, Standing::Accepted),
        // 3.1 MB and 1 % are 3.131 MB.
        (3.13e6, 3.5e6, Standing::Accepted),
        (3.14e6, 3.5e6, Standing::Fails),
        (1.8e6, 1.9e6, Standing::Holds),
        (1.9e6, 3.9e6, Standing::Undecided),
    ] {
        assert_eq!(stands(LIMIT, &peak(low, high), &acceptances), expected, "[{low}, {high}]");
    }
    assert_eq!(stands(LIMIT, &peak(2.9e6, 3.1e6), &[]), Standing::Fails);
}

#[test]
fn worse_is_away_from_the_limit() {
    let text = "wall_time(a) / wall_time(b) > 2";
    let ratio =
        |low: f64, high: f64| Given::new(&[("wall_time(a) / wall_time(b)", low, low, high)]);
    let acceptances = [accepted(text, &ratio(1.5, 1.6))];
    assert_eq!(stands(text, &ratio(1.7, 1.8), &acceptances), Standing::Accepted);
    assert_eq!(stands(text, &ratio(1.4, 1.48), &acceptances), Standing::Fails);
    let equal = "allocated(a) == 100 B";
    let exact = |bytes: f64| Given::exact(&[("allocated(a)", bytes)]);
    let acceptances = [accepted(equal, &exact(200.0))];
    for (bytes, expected) in [
        (200.0, Standing::Accepted),
        (202.0, Standing::Accepted),
        (203.0, Standing::Fails),
        (197.0, Standing::Fails),
        (100.0, Standing::Holds),
    ] {
        assert_eq!(stands(equal, &exact(bytes), &acceptances), expected, "{bytes}");
    }
}

#[test]
fn another_limit_or_another_comparison_was_not_accepted() {
    let acceptances = [accepted(LIMIT, &peak(2.9e6, 3.1e6))];
    assert_eq!(stands("peak_rss(a) <= 2.1 MB", &peak(2.9e6, 3.1e6), &acceptances), Standing::Fails);
    // The upper limit was accepted; the lower one is a separate promise.
    let chain = "1 MB < peak_rss(a) < 2 MB";
    let acceptances = [accepted(chain, &peak(2.9e6, 3.1e6))];
    assert_eq!(stands(chain, &peak(2.9e6, 3.1e6), &acceptances), Standing::Accepted);
    assert_eq!(stands(chain, &peak(0.4e6, 0.5e6), &acceptances), Standing::Fails);
}

#[test]
fn the_latest_acceptance_counts() {
    let first = accepted(LIMIT, &peak(2.9e6, 3.1e6));
    let second = Acceptance { unix_ns: 2, ..accepted(LIMIT, &peak(3.9e6, 4.1e6)) };
    let both = [second.clone(), first.clone()];
    assert_eq!(stands(LIMIT, &peak(3.9e6, 4.1e6), &both), Standing::Accepted);
    // Revoked by accepting less.
    let third = Acceptance { unix_ns: 3, ..first };
    assert_eq!(stands(LIMIT, &peak(3.9e6, 4.1e6), &[second, third]), Standing::Fails);
}

#[test]
fn only_a_failure_with_a_reason_can_be_accepted() {
    let tried = |figures: &Given, why| {
        accept(&expectation(LIMIT), &judged(LIMIT, figures), signature(why)).map(|_| ())
    };
    let that = || LIMIT.to_owned();
    assert_eq!(tried(&peak(1e6, 1.1e6), "x"), Err(AcceptanceError::Holds(that())));
    assert_eq!(tried(&peak(1e6, 3e6), "x"), Err(AcceptanceError::Undecided(that())));
    assert_eq!(tried(&peak(3e6, 4e6), " "), Err(AcceptanceError::NoReason));
    let open = Given::new(&[("peak_rss(a)", 3e6, 4e6, f64::INFINITY)]);
    let what = "peak_rss(a)".to_owned();
    assert_eq!(tried(&open, "x"), Err(AcceptanceError::Unbounded { what }));
}

#[test]
fn an_acceptance_can_be_stored_as_json() {
    let acceptance = accepted(LIMIT, &peak(2.9e6, 3.1e6));
    let text = serde_json::to_string(&acceptance).expect("plain data");
    let read: Acceptance = serde_json::from_str(&text).expect("what was written");
    assert_eq!(read, acceptance);
}

#[test]
fn what_was_found_is_read_from_json_as_it_was_written() {
    let figures = Given::new(&[("peak_rss(a)", 0.0, 2.5e6, f64::INFINITY)]);
    for text in [LIMIT, "0.1 MB < peak_rss(a) <= 2 MB", "wall_time(a) < 1 s"] {
        let found = judged(text, &figures);
        let written = serde_json::to_string(&found).expect("writable");
        assert_eq!(serde_json::from_str::<Evaluation>(&written).ok(), Some(found), "{written}");
    }
}
