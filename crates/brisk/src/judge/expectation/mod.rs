//! Whether an expectation holds: decided by intervals, never by estimates alone.
//!
//! It *holds* when it is true of every value that the intervals allow, *fails* when it is false of
//! every such value, and is *undecided* otherwise: when the limit lies within the interval, or a
//! figure is missing. Narrower intervals can settle what is undecided; they never turn one answer
//! into the other.
//!
//! Where two subjects are compared in one metric (`m(a) / m(b) < k`, or `m(a) < m(b) * k`, which
//! says the same), the figure that is asked for is the *paired ratio*: the interval of the ratio
//! within rounds, in which drift and the machine's moods cancel. Everything else is computed with
//! the intervals of the single figures ([`super::interval`]), which is right but conservative.
//!
//! The probability that any answer is false is the caller's to control, by the level of the
//! intervals that it gives. [`requests`] tells beforehand which intervals an expectation rests on;
//! when those of all expectations together are each given at level `alpha / count`, the
//! probability of any false answer is at most `alpha` (Bonferroni). What is exact costs nothing.

mod product;

use std::cell::RefCell;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use crate::expectation::{Comparison, Dimension, Expression, Operator, Relation, Subject};
use crate::metric::{MetricId, Missing};
use product::Product;

/// Where measured figures come from.
pub trait Figures {
    /// The value of `metric` for `subject`, in the metric's unit.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn level(&self, metric: &MetricId, subject: &Subject) -> Result<Interval, Lack>;

    /// The ratio of `metric` for `numerator` to that for `denominator`, from readings of the same
    /// rounds. The two may be the same subject. Where the denominator's readings may be 0 there is
    /// no ratio, and it is missing.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn ratio(
        &self,
        metric: &MetricId,
        numerator: &Subject,
        denominator: &Subject,
    ) -> Result<Interval, Lack>;
}

/// The reason for a figure that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// It was to be measured, and could not be.
    Unmeasured(Missing),
    /// It was not asked for, or the readings do not tell it.
    Untold(Missing),
}

/// What an expectation, or a link of its chain, turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// True of all that the intervals allow.
    Holds,
    /// False of all that the intervals allow.
    Fails,
    /// Neither.
    Undecided,
}

/// Why a side of a comparison has no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// A figure is missing.
    Missing {
        /// Which, as it is written.
        figure: String,
        /// Why.
        reason: Missing,
        /// It was to be measured, and could not be.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unmeasured: bool,
    },
    /// A divisor may be 0, or a value is too large to compute with.
    Undefined {
        /// What has no value, as it is written.
        what: String,
    },
}

impl Reason {
    fn of(figure: String, lack: Lack) -> Self {
        match lack {
            Lack::Unmeasured(reason) => Self::Missing { figure, reason, unmeasured: true },
            Lack::Untold(reason) => Self::Missing { figure, reason, unmeasured: false },
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { figure, reason, .. } => write!(formatter, "`{figure}`: {reason}"),
            Self::Undefined { what } => {
                write!(formatter, "`{what}` has no value: a divisor may be 0, or it is too large")
            }
        }
    }
}

/// One comparison of an expectation, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Link {
    /// What is measured: the side with the figures. Where both sides have figures of one metric,
    /// their quotient.
    pub what: String,
    /// How it should compare with the limit.
    pub comparison: Comparison,
    /// What value and limit measure.
    pub dimension: Dimension,
    /// The value and the limit.
    #[serde(flatten, with = "sides")]
    #[cfg_attr(test, schemars(with = "sides::Form"))]
    pub sides: Result<Sides, Reason>,
    /// Whether it does.
    pub truth: Truth,
}

/// The two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sides {
    /// What is measured.
    pub value: Interval,
    /// What it is compared with; exact where it is a number.
    pub limit: Interval,
}

impl Sides {
    /// The factor of rounds that would tell the value from its limit, if the estimate stays where it
    /// is: intervals shrink with the square root of the rounds. None where the interval has no end on
    /// that side, and infinite where the estimate is the limit.
    pub fn times_as_many_rounds(&self) -> Option<f64> {
        let (value, limit) = (self.value, self.limit);
        let width = match value.estimate() < limit.estimate() {
            true => value.high() - value.estimate() + limit.estimate() - limit.low(),
            false => value.estimate() - value.low() + limit.high() - limit.estimate(),
        };
        let distance = (value.estimate() - limit.estimate()).abs();
        width.is_finite().then(|| (width / distance).powi(2))
    }
}

/// In JSON the sides are fields of the comparison, or `missing` says why there are none.
mod sides {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Reason, Sides};

    #[derive(Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(untagged)]
    pub(super) enum Form {
        /// Both are known.
        Known(Sides),
        /// One of them is not.
        Missing {
            /// Why.
            missing: Reason,
        },
    }

    pub(super) fn serialize<S: Serializer>(
        sides: &Result<Sides, Reason>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let form = match sides {
            Ok(sides) => Form::Known(*sides),
            Err(reason) => Form::Missing { missing: reason.clone() },
        };
        form.serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Result<Sides, Reason>, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Known(sides) => Ok(sides),
            Form::Missing { missing } => Err(missing),
        })
    }
}

/// An expectation, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evaluation {
    /// Whether all its links hold.
    pub truth: Truth,
    /// Each comparison, in the order of the text.
    pub links: Vec<Link>,
}

impl Evaluation {
    /// A figure of it could not be measured.
    pub fn is_unmeasured(&self) -> bool {
        let is_it =
            |link: &Link| matches!(link.sides, Err(Reason::Missing { unmeasured: true, .. }));
        self.links.iter().any(is_it)
    }
}

/// Decides `relation` by what `figures` knows.
pub fn evaluate(relation: &Relation, figures: &dyn Figures) -> Evaluation {
    let lefts = std::iter::once(&relation.first).chain(relation.rest.iter().map(|(_, side)| side));
    let links: Vec<Link> = lefts
        .zip(&relation.rest)
        .map(|(left, (comparison, right))| link(left, *comparison, right, figures))
        .collect();
    let any = |truth: Truth| links.iter().any(|link| link.truth == truth);
    let truth = if any(Truth::Fails) {
        Truth::Fails
    } else if any(Truth::Undecided) {
        Truth::Undecided
    } else {
        Truth::Holds
    };
    Evaluation { truth, links }
}

fn link(
    left: &Expression,
    comparison: Comparison,
    right: &Expression,
    figures: &dyn Figures,
) -> Link {
    if left.constant().is_some() {
        return link_with_limit(right, comparison.mirrored(), left, figures);
    }
    if right.constant().is_none()
        && let Some(link) = link_of_quotient(left, comparison, right, figures)
    {
        return link;
    }
    link_with_limit(left, comparison, right, figures)
}

/// Compares the two sides as they are written.
fn link_with_limit(
    measured: &Expression,
    comparison: Comparison,
    limit: &Expression,
    figures: &dyn Figures,
) -> Link {
    // Both are computed before either may fail, so that all they rest on is asked for.
    let (value, limit) = (value_of(measured, figures), value_of(limit, figures));
    let sides = value.and_then(|value| Ok(Sides { value, limit: limit? }));
    decided(measured.to_string(), comparison, measured.dimension(), sides)
}

/// Compares by the quotient of the two sides, where every figure on the right has a partner of
/// the same metric on the left; `None` otherwise.
///
/// Dividing by the right side's figures keeps the comparison only when they are positive, which
/// the existence of their ratio says. The number that is left on the right may have any sign.
fn link_of_quotient(
    left: &Expression,
    comparison: Comparison,
    right: &Expression,
    figures: &dyn Figures,
) -> Option<Link> {
    let (mut product, divisor) = (Product::of(left), Product::of(right));
    let limit = divisor.coefficient().and_then(Interval::exact)?;
    if !product.divide_by_figures_of(&divisor) {
        return None;
    }
    let by_figures = divisor.figures_over(left);
    let dimension = by_figures.dimension();
    let sides = match product.value(&by_figures, figures) {
        Ok(value) => Ok(Sides { value, limit }),
        // What is exact needs no ratio, and decides where a ratio does not exist: at 0.
        Err(reason) => {
            return Some(match exact_sides(left, right, figures) {
                Some(sides) => decided(left.to_string(), comparison, left.dimension(), Ok(sides)),
                None => decided(by_figures.to_string(), comparison, dimension, Err(reason)),
            });
        }
    };
    Some(decided(by_figures.to_string(), comparison, dimension, sides))
}

fn exact_sides(left: &Expression, right: &Expression, figures: &dyn Figures) -> Option<Sides> {
    let exact = |side| value_of(side, figures).ok().filter(|value| value.is_exact());
    Some(Sides { value: exact(left)?, limit: exact(right)? })
}

fn decided(
    what: String,
    comparison: Comparison,
    dimension: Dimension,
    sides: Result<Sides, Reason>,
) -> Link {
    let truth = sides
        .as_ref()
        .map_or(Truth::Undecided, |sides| compare(sides.value, comparison, sides.limit));
    Link { what, comparison, dimension, sides, truth }
}

/// Whether every value compares with every limit in this way, or none does.
pub fn compare(value: Interval, comparison: Comparison, limit: Interval) -> Truth {
    let (holds, fails) = match comparison {
        Comparison::Less => (value.high() < limit.low(), value.low() >= limit.high()),
        Comparison::AtMost => (value.high() <= limit.low(), value.low() > limit.high()),
        Comparison::Greater | Comparison::AtLeast => {
            return compare(limit, comparison.mirrored(), value);
        }
        Comparison::Equal => {
            let exact = value.is_exact() && limit.is_exact() && value.low() == limit.low();
            (exact, value.high() < limit.low() || value.low() > limit.high())
        }
    };
    match (holds, fails) {
        (true, _) => Truth::Holds,
        (_, true) => Truth::Fails,
        _ => Truth::Undecided,
    }
}

fn value_of(expression: &Expression, figures: &dyn Figures) -> Result<Interval, Reason> {
    let undefined = || Reason::Undefined { what: expression.to_string() };
    match expression {
        Expression::Combined(operator @ (Operator::Plus | Operator::Minus), left, right) => {
            let (left, right) = (value_of(left, figures), value_of(right, figures));
            let (left, right) = (left?, right?);
            let sum =
                if *operator == Operator::Plus { left.plus(right) } else { left.minus(right) };
            sum.ok_or_else(undefined)
        }
        _ => Product::of(expression).value(expression, figures),
    }
}

/// An interval that an expectation rests on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Request {
    /// The value of a metric for a subject.
    Level(MetricId, Subject),
    /// The paired ratio of a metric: for the first subject over that for the second.
    Ratio(MetricId, Subject, Subject),
}

/// Every interval that `relation` rests on, each once, in the order in which they are asked for.
///
/// Where a ratio is missing, [`evaluate`] may ask for levels besides, but uses them only when they
/// are exact and cannot err.
pub fn requests(relation: &Relation) -> Vec<Request> {
    let recorder = Recorder::default();
    evaluate(relation, &recorder);
    recorder.requests.into_inner()
}

/// The limits of the one ratio that `relation` rests on: on which side of them it lies decides
/// whether the relation holds. `None` where it rests on something else, or on more.
pub fn ratio_limits(relation: &Relation) -> Option<(Request, Vec<f64>)> {
    let at = |value: f64| {
        let recorder = Recorder { value, ..Recorder::default() };
        let links = evaluate(relation, &recorder).links;
        let sides: Result<Vec<Sides>, _> = links.into_iter().map(|link| link.sides).collect();
        Some((recorder.requests.into_inner(), sides.ok()?))
    };
    let ((requests, once), (_, twice)) = (at(1.0)?, at(2.0)?);
    let [request @ Request::Ratio(..)] = requests.as_slice() else { return None };
    let limit = |(once, twice): (&Sides, &Sides)| {
        let factor = once.value.estimate();
        // Only a multiple of the ratio says by its limit where the ratio's own lies.
        let is_multiple = factor > 0.0 && (twice.value.estimate() / factor - 2.0).abs() < 1e-9;
        let is_fixed = once.limit.is_exact() && once.limit == twice.limit;
        (is_multiple && is_fixed).then(|| once.limit.estimate() / factor)
    };
    let limits: Option<Vec<f64>> = once.iter().zip(&twice).map(limit).collect();
    Some((request.clone(), limits?))
}

/// Remembers what it is asked for, and answers that all of it has the same value.
struct Recorder {
    value: f64,
    requests: RefCell<Vec<Request>>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { value: 1.0, requests: RefCell::default() }
    }
}

impl Recorder {
    fn note(&self, request: Request) -> Interval {
        let mut requests = self.requests.borrow_mut();
        if !requests.contains(&request) {
            requests.push(request);
        }
        Interval::exact(self.value).expect("1 and 2 are finite")
    }
}

impl Figures for Recorder {
    fn level(&self, metric: &MetricId, subject: &Subject) -> Result<Interval, Lack> {
        Ok(self.note(Request::Level(metric.clone(), subject.clone())))
    }

    fn ratio(
        &self,
        metric: &MetricId,
        numerator: &Subject,
        denominator: &Subject,
    ) -> Result<Interval, Lack> {
        Ok(self.note(Request::Ratio(metric.clone(), numerator.clone(), denominator.clone())))
    }
}
