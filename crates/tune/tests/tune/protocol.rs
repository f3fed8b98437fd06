//! The search's requests, and the permitted answers.

use tune::{
    Axis, NotAsked, Options, Order, Outcome, Point, Search, SearchError, Space, SpaceError,
};

use crate::simulated::{Machine, search};
use crate::surfaces::{CRASHES, LIST_5};

fn space() -> Space {
    let axes = vec![
        Axis { levels: 8, default: 2, order: Order::CostsMemory },
        Axis { levels: 3, default: 0, order: Order::None },
    ];
    Space::new(axes, |point| point.levels() != [7, 2]).expect("valid")
}

fn finished(seconds: f64) -> Outcome {
    Outcome::Finished { seconds, peak_bytes: 1e6 }
}

#[test]
fn what_is_no_space_is_refused() {
    let axis = Axis { levels: 2, default: 0, order: Order::Rising };
    assert_eq!(Space::new(vec![], |_| true).err(), Some(SpaceError::NoAxes));
    for wrong in [Axis { levels: 1, ..axis }, Axis { default: 2, ..axis }] {
        assert_eq!(Space::new(vec![axis, wrong], |_| true).err(), Some(SpaceError::NoChoice(1)));
    }
    assert_eq!(Space::new(vec![axis], |_| false).err(), Some(SpaceError::DefaultForbidden));
}

#[test]
fn what_is_no_budget_or_limit_is_refused() {
    let refused = |options| Search::new(space(), options).err();
    let few = Options { runs: 23, ..Options::default() };
    assert_eq!(refused(few), Some(SearchError::TooFewRuns(23)));
    let none = Options { limit_bytes: Some(0.0), ..Options::default() };
    assert_eq!(refused(none), Some(SearchError::NotPositive(0.0)));
    let nan = Options { margin: f64::NAN, ..Options::default() };
    assert!(matches!(refused(nan), Some(SearchError::NotPositive(_))));
}

#[test]
fn only_what_was_asked_for_can_be_told_and_the_rest_is_asked_again() {
    let mut search = Search::new(space(), Options::default()).expect("valid");
    let foreign = Point::new(vec![7, 2]);
    assert_eq!(search.tell(&foreign, finished(1.0)), Err(NotAsked(foreign)));
    let batch = search.ask();
    assert_eq!(search.ask(), batch, "nothing was told");
    search.tell(&batch[0], finished(1.0)).expect("asked for");
    let mut rest = batch.clone();
    rest.remove(0);
    assert_eq!(search.ask(), rest);
    assert_eq!(search.runs(), 1);
}

#[test]
fn a_search_that_is_told_the_same_asks_the_same() {
    let mut first = Search::new(space(), Options::default()).expect("valid");
    let mut second = Search::new(space(), Options::default()).expect("valid");
    loop {
        let batch = first.ask();
        assert_eq!(batch, second.ask());
        if batch.is_empty() {
            break;
        }
        for point in batch.iter().rev() {
            let seconds = 2.0 / (1.0 + point.levels()[0] as f64) + 0.1 * point.levels()[1] as f64;
            first.tell(point, finished(seconds)).expect("asked for");
            second.tell(point, finished(seconds)).expect("asked for");
        }
    }
    assert_eq!(first.candidates(), second.candidates());
    assert_eq!(first.candidates().points(), [&Point::new(vec![7, 0])]);
}

#[test]
fn where_the_default_fails_the_search_ends_and_names_nothing() {
    let mut search = Search::new(space(), Options::default()).expect("valid");
    for point in search.ask() {
        search.tell(&point, Outcome::Failed).expect("asked for");
    }
    assert_eq!(search.ask(), []);
    assert_eq!(search.candidates().points(), [] as [&Point; 0]);
    assert_eq!(search.candidates().default, None);
}

#[test]
fn what_crashed_is_not_run_again_and_not_named() {
    let mut machine = Machine::new(5, 0.01, 0.0);
    let mut search = Search::new(CRASHES.space(), Options::default()).expect("valid");
    let mut crashed = Vec::new();
    loop {
        let batch = search.ask();
        if batch.is_empty() {
            break;
        }
        for point in batch {
            assert!(!crashed.contains(&point), "{point:?} again");
            let outcome = machine.run((CRASHES.cost)(&point));
            search.tell(&point, outcome).expect("asked for");
            if outcome == Outcome::Failed {
                assert!(search.out().contains(&point));
                crashed.push(point);
            }
        }
    }
    assert!(!crashed.is_empty());
    let candidates = search.candidates();
    assert!(candidates.points().iter().all(|point| !crashed.contains(point)));
}

#[test]
fn a_longer_search_uses_its_runs_and_keeps_ten_rounds() {
    let options = Options { runs: 200, ..Options::default() };
    let search = search(&LIST_5, options, &mut Machine::new(3, 0.03, 0.0));
    let named = search.candidates().points().len();
    assert!(named > 0 && search.confirmation_rounds(named) >= 10, "{named}");
}
