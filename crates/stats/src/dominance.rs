//! The points that are shown to be worse than another one in objectives that are to be small.
//!
//! The evidence is an interval of the difference of two points in each objective. Without evidence
//! nothing is claimed: a point is dominated only if that is shown, and an open pair leaves both
//! points where they are.

use crate::signed_rank::Shift;

/// The relation of one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is shown to be better in some objective, and shown not to be worse in any.
    Dominates,
    /// Both differ by no more than the tolerance in every objective, and neither is shown to be
    /// better.
    Equals,
    /// The evidence allows both: that it dominates, and that it does not.
    Open,
    /// It does not dominate the other one: that one is shown to be better in some objective, or
    /// this one is not better by more than the tolerance in any.
    Neither,
}

/// The relation of one point to another. `differences` are the intervals of the one minus the other
/// in each objective, in logarithms, so that below 0 it is better; `tolerance` is the largest
/// difference that does not matter, from 0 on.
///
/// "Not worse" is shown by an interval that ends within the tolerance and does not lie above 0: a
/// value that is certainly larger is worse, however slightly.
#[must_use]
pub fn relation(differences: &[Shift], tolerance: f64) -> Relation {
    let all = |holds: fn(&Shift, f64) -> bool| differences.iter().all(|one| holds(one, tolerance));
    let is_at_most = all(|one, most| one.high <= most);
    if differences.iter().any(|one| one.low > 0.0) {
        Relation::Neither
    } else if is_at_most && differences.iter().any(|one| one.high < 0.0) {
        Relation::Dominates
    } else if !all(|one, most| one.low >= -most) {
        Relation::Open
    } else if is_at_most {
        Relation::Equals
    } else {
        Relation::Neither
    }
}

/// The standing of a point among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// No other point dominates it.
    Member,
    /// It equals this point, which comes before it; no point dominates either.
    EqualTo(usize),
    /// This point may dominate it: neither is shown.
    Open(usize),
    /// This point dominates it.
    DominatedBy(usize),
}

/// The standings of points in a given order, the most promising first, by the relations of their
/// pairs.
///
/// A point leaves only for one that has not left before it, so that some points of a circle remain.
pub fn standings(
    points: usize,
    mut relation: impl FnMut(usize, usize) -> Relation,
) -> Vec<Standing> {
    let mut standings = vec![Standing::Member; points];
    let mut staying: Vec<usize> = Vec::new();
    for point in 0..points {
        let by = staying.iter().copied().find(|&one| relation(one, point) == Relation::Dominates);
        if let Some(by) = by {
            standings[point] = Standing::DominatedBy(by);
            continue;
        }
        staying.retain(|&one| {
            let is_dominated = relation(point, one) == Relation::Dominates;
            if is_dominated {
                standings[one] = Standing::DominatedBy(point);
            }
            !is_dominated
        });
        staying.push(point);
    }
    for &point in &staying {
        let mut with = |wanted: Relation| {
            let mut others = staying.iter().copied().filter(|&other| other != point);
            others.find(|&other| relation(other, point) == wanted)
        };
        standings[point] = match (with(Relation::Open), with(Relation::Equals)) {
            (Some(other), _) => Standing::Open(other),
            (None, Some(other)) if other < point => Standing::EqualTo(other),
            _ => Standing::Member,
        };
    }
    standings
}
