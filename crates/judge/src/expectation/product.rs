//! A product split into factors, so that figures of one metric meet as a ratio.
//!
//! `2 * wall_time(a) / (wall_time(b) * 3)` is the coefficient 2/3, the numerator `wall_time(a)` and
//! the denominator `wall_time(b)`. Each numerator is paired with the first denominator of its
//! metric; the rest is left unpaired.

use super::super::interval::Interval;
use super::{Figures, Reason, value_of};
use model::expectation::{Expression, Figure, Operator};

/// A product of numbers, figures and sums, each in the numerator or denominator of a fraction.
#[derive(Debug, Default)]
pub(super) struct Product<'a> {
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
    pub(super) fn from_expression(expression: &'a Expression) -> Self {
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
    pub(super) fn coefficient(&self) -> Option<f64> {
        let pure = self.above.sums.is_empty() && self.below.sums.is_empty();
        pure.then_some(self.above.number / self.below.number)
    }

    /// Divides by the figures of `divisor`; true if each of them found a partner among the previous
    /// figures. Otherwise the quotient is of no use.
    pub(super) fn divide_by_figures_of(&mut self, divisor: &Self) -> bool {
        let (above, below) = (self.above.figures.len(), self.below.figures.len());
        self.above.figures.extend(&divisor.below.figures);
        self.below.figures.extend(&divisor.above.figures);
        let pairing = self.pairing();
        let (old, new) = pairing.split_at(above);
        (below..self.below.figures.len()).all(|index| old.contains(&Some(index)))
            && new.iter().all(|partner| partner.is_some_and(|index| index < below))
    }

    /// `left` divided by the figures of this product, as people would write it.
    pub(super) fn figures_over(&self, left: &Expression) -> Expression {
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
    pub(super) fn value(
        &self,
        written: &Expression,
        figures: &dyn Figures,
    ) -> Result<Interval, Reason> {
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
