//! The decision on an expectation: by intervals, never by estimates alone.
//!
//! An expectation *holds* if it is true of every value that the intervals allow, *fails* if it is
//! false of every such value, and is *undecided* otherwise: if the limit lies within the interval,
//! or a figure is missing. Narrower intervals can settle an undecided one; they never turn one
//! answer into the other.
//!
//! If two subjects are compared in one metric (`m(a) / m(b) < k`, or the equivalent `m(a) < m(b) *
//! k`), the figure is the *paired ratio*: the interval of the ratio within rounds, in which drift
//! and changes of the machine cancel. Everything else is computed with the intervals of the single
//! figures ([`super::level`]), which is correct but conservative.
//!
//! The caller controls the probability of a false answer by the level of the intervals it gives.
//! [`requests`] lists beforehand the intervals that an expectation depends on; if those of all
//! expectations together are each given at level `alpha / count`, the probability of any false
//! answer is at most `alpha` (Bonferroni). Exact figures cost nothing.

use std::cell::RefCell;
use std::fmt;

use model::expectation::{Comparator, Dimension, Expression, Figure, Operator, Relation, Subject};
use model::metric::{MetricId, Missing};
use serde::{Deserialize, Serialize};

use super::level::Interval;

/// The source of measured figures.
pub trait Figures {
    /// The value of `metric` for `subject`, in the metric's unit.
    ///
    /// # Errors
    ///
    /// The reason for a missing value.
    fn level(&self, metric: &MetricId, subject: &Subject) -> Result<Interval, Lack>;

    /// The ratio of `metric` for `numerator` to that for `denominator`, from readings of the same
    /// rounds. The two may be the same subject. The ratio is missing if the denominator's readings
    /// may be 0.
    ///
    /// # Errors
    ///
    /// The reason for a missing ratio.
    fn ratio(
        &self,
        metric: &MetricId,
        numerator: &Subject,
        denominator: &Subject,
    ) -> Result<Interval, Lack>;
}

/// The reason for a missing figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// It should have been measured, but could not be.
    Unmeasured(Missing),
    /// It was not requested, or does not follow from the readings.
    Untold(Missing),
}

/// The outcome of an expectation, or of a link of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// True of all values that the intervals allow.
    Holds,
    /// False of all values that the intervals allow.
    Fails,
    /// Neither of the two.
    Undecided,
}

/// The reason that a side of a comparison has no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// A figure is missing.
    Missing {
        /// The figure, as written.
        figure: String,
        /// The reason.
        reason: Missing,
        /// Set if it should have been measured, but could not be.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unmeasured: bool,
    },
    /// A divisor may be 0, or a value is too large to compute with.
    Undefined {
        /// The expression without a value, as written.
        what: String,
    },
}

impl Reason {
    fn from_lack(figure: String, lack: Lack) -> Self {
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

/// A decided comparison of an expectation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Link {
    /// The measured side, which has the figures. If both sides have figures of one metric, their
    /// quotient.
    pub what: String,
    /// The required comparison with the limit.
    pub comparison: Comparator,
    /// The dimension of value and limit.
    pub dimension: Dimension,
    /// The value and the limit.
    #[serde(flatten, with = "sides")]
    #[cfg_attr(feature = "testing", schemars(with = "sides::Form"))]
    pub sides: Result<Sides, Reason>,
    /// The outcome.
    pub truth: Truth,
}

/// The two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Sides {
    /// The measured value.
    pub value: Interval,
    /// The limit; exact if it is a number.
    pub limit: Interval,
}

impl Sides {
    /// The factor by which the rounds must grow to separate the value from its limit, if the
    /// estimate stays where it is: intervals shrink with the square root of the rounds. `None` if
    /// the interval is unbounded on that side, infinite if the estimate equals the limit.
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

/// In JSON the sides are fields of the comparison, or `missing` gives the reason.
mod sides {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Reason, Sides};

    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
    #[serde(untagged)]
    pub(super) enum Form {
        /// Both sides are known.
        Known(Sides),
        /// One side is not known.
        Missing {
            /// The reason.
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

/// A decided expectation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Evaluation {
    /// The outcome of all links together.
    pub truth: Truth,
    /// Each comparison, in the order of the text.
    pub links: Vec<Link>,
}

impl Evaluation {
    /// True if a figure could not be measured.
    pub fn is_unmeasured(&self) -> bool {
        let is_it =
            |link: &Link| matches!(link.sides, Err(Reason::Missing { unmeasured: true, .. }));
        self.links.iter().any(is_it)
    }
}

/// Decides `relation` by `figures`.
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
    comparison: Comparator,
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

/// Compares the two sides as written.
fn link_with_limit(
    measured: &Expression,
    comparison: Comparator,
    limit: &Expression,
    figures: &dyn Figures,
) -> Link {
    // Both are computed before either may fail, so that all figures they depend on are requested.
    let (value, limit) = (value_of(measured, figures), value_of(limit, figures));
    let sides = value.and_then(|value| Ok(Sides { value, limit: limit? }));
    decided(measured.to_string(), comparison, measured.dimension(), sides)
}

/// Compares by the quotient of the two sides, if every figure on the right has a partner of the
/// same metric on the left; `None` otherwise.
///
/// Dividing by the right side's figures preserves the comparison only if they are positive, which
/// the existence of their ratio implies. The number left on the right may have any sign.
fn link_of_quotient(
    left: &Expression,
    comparison: Comparator,
    right: &Expression,
    figures: &dyn Figures,
) -> Option<Link> {
    let (mut product, divisor) = (Product::from_expression(left), Product::from_expression(right));
    let limit = divisor.coefficient().and_then(Interval::exact)?;
    if !product.divide_by_figures_of(&divisor) {
        return None;
    }
    let by_figures = divisor.figures_over(left);
    let dimension = by_figures.dimension();
    let sides = match product.value(&by_figures, figures) {
        Ok(value) => Ok(Sides { value, limit }),
        // Exact figures need no ratio, and decide where a ratio does not exist: at 0.
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
    comparison: Comparator,
    dimension: Dimension,
    sides: Result<Sides, Reason>,
) -> Link {
    let truth = sides
        .as_ref()
        .map_or(Truth::Undecided, |sides| compare(sides.value, comparison, sides.limit));
    Link { what, comparison, dimension, sides, truth }
}

/// Decides whether all values, or no values, compare with all limits in this way.
pub fn compare(value: Interval, comparison: Comparator, limit: Interval) -> Truth {
    let (holds, fails) = match comparison {
        Comparator::Less => (value.high() < limit.low(), value.low() >= limit.high()),
        Comparator::AtMost => (value.high() <= limit.low(), value.low() > limit.high()),
        Comparator::Greater | Comparator::AtLeast => {
            return compare(limit, comparison.mirrored(), value);
        }
        Comparator::Equal => {
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
        _ => Product::from_expression(expression).value(expression, figures),
    }
}

/// An interval that an expectation depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Request {
    /// The value of a metric for a subject.
    Level(MetricId, Subject),
    /// The paired ratio of a metric: for the first subject over that for the second.
    Ratio(MetricId, Subject, Subject),
}

/// All intervals that `relation` depends on, each once, in the order of the requests.
///
/// If a ratio is missing, [`evaluate`] may request levels in addition, but uses them only if they
/// are exact and cannot err.
pub fn requests(relation: &Relation) -> Vec<Request> {
    let recorder = Recorder::default();
    evaluate(relation, &recorder);
    recorder.requests.into_inner()
}

/// The limits of the one ratio that `relation` depends on: the side of them it lies on decides
/// whether the relation holds. `None` if the relation depends on anything else.
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
        // Only for a multiple of the ratio does the limit give one for the ratio itself.
        let is_multiple = factor > 0.0 && (twice.value.estimate() / factor - 2.0).abs() < 1e-9;
        let is_fixed = once.limit.is_exact() && once.limit == twice.limit;
        (is_multiple && is_fixed).then(|| once.limit.estimate() / factor)
    };
    let limits: Option<Vec<f64>> = once.iter().zip(&twice).map(limit).collect();
    Some((request.clone(), limits?))
}

/// Records the requested figures, and answers each with the same value.
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

// A product split into factors, so that figures of one metric meet as a ratio.
//
// `2 * wall_time(a) / (wall_time(b) * 3)` is the coefficient 2/3, the numerator `wall_time(a)` and
// the denominator `wall_time(b)`. Each numerator is paired with the first denominator of its
// metric; the rest is left unpaired.

/// A product of numbers, figures and sums, each in the numerator or denominator of a fraction.
#[derive(Debug, Default)]
struct Product<'a> {
    above: Part<'a>,
    below: Part<'a>,
}

/// The numerator or the denominator.
#[derive(Debug)]
struct Part<'a> {
    number: f64,
    figures: Vec<&'a Figure>,
    sums: Vec<&'a Expression>,
}

impl Default for Part<'_> {
    fn default() -> Self {
        Self { number: 1.0, figures: Vec::new(), sums: Vec::new() }
    }
}

/// The side of the fraction that a factor is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Above,
    Below,
}

impl Stands {
    fn flipped(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }
}

impl<'a> Product<'a> {
    /// Splits `expression` into factors; one that is not a product is its own only factor.
    fn from_expression(expression: &'a Expression) -> Self {
        let mut product = Self::default();
        product.collect(expression, Stands::Above);
        product
    }

    fn part(&mut self, stands: Stands) -> &mut Part<'a> {
        match stands {
            Stands::Above => &mut self.above,
            Stands::Below => &mut self.below,
        }
    }

    fn collect(&mut self, expression: &'a Expression, stands: Stands) {
        match expression {
            Expression::Number(quantity) => {
                let (times, over) = quantity.fraction();
                self.part(stands).number *= times;
                self.part(stands.flipped()).number *= over;
            }
            Expression::Figure(figure) => self.part(stands).figures.push(figure),
            Expression::Negative(inner) => {
                self.above.number = -self.above.number;
                self.collect(inner, stands);
            }
            Expression::Combined(Operator::Times, left, right) => {
                self.collect(left, stands);
                self.collect(right, stands);
            }
            Expression::Combined(Operator::Over, left, right) => {
                self.collect(left, stands);
                self.collect(right, stands.flipped());
            }
            Expression::Combined(Operator::Plus | Operator::Minus, ..) => {
                match expression.constant() {
                    Some(value) => self.part(stands).number *= value,
                    None => self.part(stands).sums.push(expression),
                }
            }
        }
    }

    /// The product of the numbers, if the only other factors are figures.
    fn coefficient(&self) -> Option<f64> {
        let pure = self.above.sums.is_empty() && self.below.sums.is_empty();
        pure.then_some(self.above.number / self.below.number)
    }

    /// Divides by the figures of `divisor`; true if each of them found a partner among the previous
    /// figures. Otherwise the quotient is of no use.
    fn divide_by_figures_of(&mut self, divisor: &Self) -> bool {
        let (above, below) = (self.above.figures.len(), self.below.figures.len());
        self.above.figures.extend(&divisor.below.figures);
        self.below.figures.extend(&divisor.above.figures);
        let pairing = self.pairing();
        let (old, new) = pairing.split_at(above);
        (below..self.below.figures.len()).all(|index| old.contains(&Some(index)))
            && new.iter().all(|partner| partner.is_some_and(|index| index < below))
    }

    /// `left` divided by the figures of this product, as people would write it.
    fn figures_over(&self, left: &Expression) -> Expression {
        let side = |figure: &&Figure| Expression::Figure((*figure).clone());
        let divided = (self.above.figures.iter().map(side))
            .fold(left.clone(), |left, figure| left.combine(Operator::Over, figure));
        (self.below.figures.iter().map(side))
            .fold(divided, |left, figure| left.combine(Operator::Times, figure))
    }

    /// The denominator paired with each numerator.
    fn pairing(&self) -> Vec<Option<usize>> {
        let mut free: Vec<bool> = vec![true; self.below.figures.len()];
        let partner = |numerator: &&Figure| {
            let index = (self.below.figures.iter().enumerate())
                .position(|(i, denominator)| free[i] && denominator.metric == numerator.metric)?;
            free[index] = false;
            Some(index)
        };
        self.above.figures.iter().map(partner).collect()
    }

    /// The value; `written` represents the product in messages.
    fn value(&self, written: &Expression, figures: &dyn Figures) -> Result<Interval, Reason> {
        let undefined = || Reason::Undefined { what: written.to_string() };
        let pairing = self.pairing();
        let unpaired = |index: &usize| !pairing.contains(&Some(*index));
        let below = (0..self.below.figures.len()).filter(unpaired);
        let below = below.map(|index| level(self.below.figures[index], figures));
        // All are computed before any may fail, so that all figures they depend on are requested.
        let above: Vec<_> = (self.above.figures.iter().zip(&pairing))
            .map(|(numerator, partner)| match partner {
                Some(index) => ratio(numerator, self.below.figures[*index], figures),
                None => level(numerator, figures),
            })
            .chain(self.above.sums.iter().map(|sum| value_of(sum, figures)))
            .collect();
        let below: Vec<_> =
            below.chain(self.below.sums.iter().map(|sum| value_of(sum, figures))).collect();
        let coefficient = self.above.number / self.below.number;
        let mut value = Interval::exact(coefficient).ok_or_else(undefined)?;
        for factor in above {
            value = value.times(factor?).ok_or_else(undefined)?;
        }
        for divisor in below {
            value = value.over(divisor?).ok_or_else(undefined)?;
        }
        Ok(value)
    }
}

fn level(figure: &Figure, figures: &dyn Figures) -> Result<Interval, Reason> {
    figures
        .level(&figure.metric, &figure.subject)
        .map_err(|lack| Reason::from_lack(figure.to_string(), lack))
}

/// The ratio of two figures of one metric; if it is missing, the quotient of two exact values.
fn ratio(
    numerator: &Figure,
    denominator: &Figure,
    figures: &dyn Figures,
) -> Result<Interval, Reason> {
    let metric = &numerator.metric;
    figures.ratio(metric, &numerator.subject, &denominator.subject).or_else(|lack| {
        let exact = |figure| level(figure, figures).ok().filter(|value| value.is_exact());
        let quotient = exact(numerator)
            .and_then(|above| exact(denominator).and_then(|below| above.over(below)));
        let figure = || format!("{numerator} / {denominator}");
        quotient.ok_or_else(|| Reason::from_lack(figure(), lack))
    })
}
