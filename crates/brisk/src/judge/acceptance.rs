//! Intended changes: expectations that fail, and were accepted with a reason.
//!
//! An expectation is a promise, and now and then it is broken on purpose: a new feature costs
//! memory, a safer algorithm time. `brisk check --accept ID --why "..."` records that for one
//! expectation and one measured value; the promise itself stays as it is. From then on a failure is
//! *accepted* while the value is no worse than what was accepted, and is a failure again when it is.
//!
//! Worse means: by the whole interval beyond the accepted one, widened by the margin. That asks
//! for the same evidence as any other change does; asking that the new interval lie within the old
//! one instead would fail an unchanged program as often as two measurements of one thing differ.
//! Since the accepted value is kept and not replaced by later ones, many small steps cannot creep
//! past it.

use serde::{Deserialize, Serialize};

use super::expectation::{Evaluation, Link, Truth};
use super::interval::Interval;
use super::verdict::Margin;
use crate::expectation::{Comparison, Expectation, ExpectationId};

/// A failure that somebody accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Acceptance {
    /// The expectation that failed. A changed expectation has another name, and is not covered.
    pub expectation: ExpectationId,
    /// What it said, for people.
    pub that: String,
    /// The commit at which it was accepted; none outside of a repository. It covers that commit
    /// and those after it.
    pub commit: Option<String>,
    /// The values that were accepted, one for each comparison that failed.
    pub values: Vec<AcceptedValue>,
    /// Why.
    pub why: String,
    /// Who, as git knows them: `Name <address>`.
    pub who: String,
    /// When, in nanoseconds since 1970.
    pub unix_ns: u64,
}

/// One value that was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AcceptedValue {
    /// What was measured, as `what` of the comparison says it.
    pub what: String,
    /// The value, in the plain unit of what was measured.
    pub value: Interval,
}

/// Who accepts, when and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The commit at which the value was measured.
    pub commit: Option<String>,
    /// Why.
    pub why: String,
    /// Who.
    pub who: String,
    /// When, in nanoseconds since 1970.
    pub unix_ns: u64,
}

/// Why there is nothing to accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum AcceptanceError {
    #[error("`{0}` holds, so there is nothing to accept")]
    Holds(String),
    #[error("`{0}` is undecided, so there is nothing to accept yet")]
    Undecided(String),
    #[error("`{what}` was measured too coarsely to accept a value")]
    Unbounded { what: String },
    #[error("an acceptance needs a reason")]
    NoReason,
}

impl AcceptanceError {
    /// A way out, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Holds(_) => None,
            Self::Undecided(_) | Self::Unbounded { .. } => {
                Some("measure longer, for example with a larger `budget`")
            }
            Self::NoReason => Some("say why, for later readers: `--why \"...\"`"),
        }
    }
}

/// How an expectation stands, what was accepted taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It holds.
    Holds,
    /// It fails as far as was accepted, and no further.
    Accepted,
    /// Neither holds nor fails for certain.
    Undecided,
    /// It fails.
    Fails,
    /// Nobody can tell, because a figure that it needs could not be measured.
    Unmeasured,
}

impl Standing {
    /// The word, as in tables and exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Accepted => "accepted",
            Self::Undecided => "undecided",
            Self::Fails => "fails",
            Self::Unmeasured => "unmeasured",
        }
    }
}

/// Records that the failure in `evaluation` is intended.
///
/// # Errors
///
/// When nothing fails, when a value has no finite interval, or when no reason is given.
pub fn accept(
    expectation: &Expectation,
    evaluation: &Evaluation,
    signature: Signature,
) -> Result<Acceptance, AcceptanceError> {
    let that = expectation.relation.to_string();
    match evaluation.truth {
        Truth::Holds => return Err(AcceptanceError::Holds(that)),
        Truth::Undecided => return Err(AcceptanceError::Undecided(that)),
        Truth::Fails => {}
    }
    if signature.why.trim().is_empty() {
        return Err(AcceptanceError::NoReason);
    }
    let accepted = |link: &Link| match &link.sides {
        Ok(sides) if sides.value.is_bounded() => {
            Ok(AcceptedValue { what: link.what.clone(), value: sides.value })
        }
        _ => Err(AcceptanceError::Unbounded { what: link.what.clone() }),
    };
    let failed = evaluation.links.iter().filter(|link| link.truth == Truth::Fails);
    Ok(Acceptance {
        expectation: expectation.id(),
        that,
        commit: signature.commit,
        values: failed.map(accepted).collect::<Result<_, _>>()?,
        why: signature.why,
        who: signature.who,
        unix_ns: signature.unix_ns,
    })
}

/// How an expectation stands, and the acceptance that it owes that to.
///
/// `acceptances` are those that apply here: made at the commit that is checked or at one before
/// it. Of several for one expectation the latest counts.
pub fn standing<'a>(
    expectation: ExpectationId,
    evaluation: &Evaluation,
    acceptances: &'a [Acceptance],
    margin: Margin,
) -> (Standing, Option<&'a Acceptance>) {
    match evaluation.truth {
        Truth::Holds => return (Standing::Holds, None),
        Truth::Undecided if evaluation.is_unmeasured() => return (Standing::Unmeasured, None),
        Truth::Undecided => return (Standing::Undecided, None),
        Truth::Fails => {}
    }
    let own = acceptances.iter().filter(|acceptance| acceptance.expectation == expectation);
    match own.max_by_key(|acceptance| acceptance.unix_ns) {
        Some(latest) if latest.covers(evaluation, margin) => (Standing::Accepted, Some(latest)),
        _ => (Standing::Fails, None),
    }
}

impl Acceptance {
    /// Whether every comparison that fails was accepted, and is no worse than then.
    fn covers(&self, evaluation: &Evaluation, margin: Margin) -> bool {
        evaluation.links.iter().filter(|link| link.truth == Truth::Fails).all(|link| {
            let accepted = self.values.iter().find(|accepted| accepted.what == link.what);
            accepted.is_some_and(|accepted| !is_worse(link, accepted.value, margin))
        })
    }
}

/// Whether a failing value is for certain further from its limit than the accepted one, by more
/// than the margin.
fn is_worse(link: &Link, accepted: Interval, margin: Margin) -> bool {
    let Ok(sides) = &link.sides else { return true };
    let above = accepted.high() + margin.fraction() * accepted.high().abs();
    let below = accepted.low() - margin.fraction() * accepted.low().abs();
    match link.comparison {
        Comparison::Less | Comparison::AtMost => sides.value.low() > above,
        Comparison::Greater | Comparison::AtLeast => sides.value.high() < below,
        Comparison::Equal => sides.value.low() > above || sides.value.high() < below,
    }
}
