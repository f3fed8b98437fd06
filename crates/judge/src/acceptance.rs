//! Intended changes: failing expectations that were accepted with a reason.
//!
//! An expectation is a promise, which is sometimes broken on purpose: a new feature costs memory, a
//! safer algorithm time. `brisk check --accept ID --why "..."` records this for one expectation and
//! one measured value; the promise itself stays unchanged. From then on a failure is *accepted*
//! while the value is no worse than the accepted one, and is a failure again when it is.
//!
//! Worse means: the whole interval lies beyond the accepted one, widened by the margin. This
//! requires the same evidence as any other change; requiring the new interval to lie within the old
//! one would fail an unchanged program as often as two measurements of it differ. Since the
//! accepted value is kept and not replaced by later ones, many small steps cannot creep past it.

use serde::{Deserialize, Serialize};

use super::expectation::{Evaluation, Link, Truth};
use super::level::Interval;
use model::expectation::{Comparator, Expectation, ExpectationId};
use model::verdict::Margin;

/// A failure that was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Acceptance {
    /// The expectation that failed. A changed expectation has another id, and is not covered.
    pub expectation: ExpectationId,
    /// The text of the expectation, for people.
    pub that: String,
    /// The commit at which it was accepted; none outside a repository. It covers that commit and
    /// those after it.
    pub commit: Option<String>,
    /// The accepted values, one for each comparison that failed.
    pub values: Vec<AcceptedValue>,
    /// The reason.
    pub why: String,
    /// The person who accepted it, as known to git: `Name <address>`.
    pub who: String,
    /// The time, in nanoseconds since 1970.
    pub unix_ns: u64,
}

/// An accepted value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct AcceptedValue {
    /// The measured expression, as in `what` of the comparison.
    pub what: String,
    /// The value, in the base unit of the expression.
    pub value: Interval,
}

/// The author, time and reason of an acceptance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The commit at which the value was measured.
    pub commit: Option<String>,
    /// The reason.
    pub why: String,
    /// The author.
    pub who: String,
    /// The time, in nanoseconds since 1970.
    pub unix_ns: u64,
}

/// The reason that there is nothing to accept.
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
    /// A suggestion for the user, if there is one.
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

/// The standing of an expectation, acceptances taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It holds.
    Holds,
    /// It fails, but is no worse than accepted.
    Accepted,
    /// Neither holds nor fails for certain.
    Undecided,
    /// It fails.
    Fails,
    /// Unknown, because a required figure could not be measured.
    Unmeasured,
    /// Not measured, because the change cannot affect it.
    Skipped,
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
            Self::Skipped => "skipped",
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

/// The standing of an expectation, and the acceptance that it depends on.
///
/// `acceptances` are those that apply here: made at the checked commit or an earlier one. Of
/// several for one expectation the latest counts.
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
    /// True if every failing comparison was accepted, and has not become worse.
    fn covers(&self, evaluation: &Evaluation, margin: Margin) -> bool {
        evaluation.links.iter().filter(|link| link.truth == Truth::Fails).all(|link| {
            let accepted = self.values.iter().find(|accepted| accepted.what == link.what);
            accepted.is_some_and(|accepted| !is_worse(link, accepted.value, margin))
        })
    }
}

/// True if a failing value is certainly further from its limit than the accepted one, by more than
/// the margin.
fn is_worse(link: &Link, accepted: Interval, margin: Margin) -> bool {
    let Ok(sides) = &link.sides else { return true };
    let above = accepted.high() + margin.fraction() * accepted.high().abs();
    let below = accepted.low() - margin.fraction() * accepted.low().abs();
    match link.comparison {
        Comparator::Less | Comparator::AtMost => sides.value.low() > above,
        Comparator::Greater | Comparator::AtLeast => sides.value.high() < below,
        Comparator::Equal => sides.value.low() > above || sides.value.high() < below,
    }
}

model::failures_with_hints_from! { AcceptanceError }
