//! The meaning of an expectation, as a tree, and the tree as text.
//!
//! The text is canonical: single blanks, and only the necessary parentheses. Parsing it gives the
//! same tree again.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::subject::Subject;
use super::unit::{Dimension, UnitSymbol};
use crate::metric::{MetricId, Unit};

/// A comparison or a chain of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// The leftmost side.
    pub first: Expression,
    /// Each comparison with the side to its right; there is at least one.
    pub rest: Vec<(Comparison, Expression)>,
}

/// The required comparison of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub enum Comparison {
    /// `<`
    #[serde(rename = "<")]
    Less,
    /// `<=`
    #[serde(rename = "<=")]
    AtMost,
    /// `>`
    #[serde(rename = ">")]
    Greater,
    /// `>=`
    #[serde(rename = ">=")]
    AtLeast,
    /// `==`
    #[serde(rename = "==")]
    Equal,
}

/// A value that is computed from figures and numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A number with its unit.
    Number(Quantity),
    /// A measured figure.
    Figure(Figure),
    /// The negative of a value.
    Negative(Box<Self>),
    /// Two values combined.
    Combined(Operator, Box<Self>, Box<Self>),
}

/// A number as written. It is not negative: the sign is an operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The number in front of the unit.
    pub number: f64,
    /// The unit after it, if any.
    pub unit: Option<&'static UnitSymbol>,
}

/// A metric of a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Figure {
    /// The metric.
    pub metric: MetricId,
    /// The subject.
    pub subject: Subject,
    unit: UnitOf,
}

/// The unit of a metric; not hashed, because the metric determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UnitOf(Unit);

impl std::hash::Hash for UnitOf {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The four operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
}

impl Figure {
    /// The figure of a metric whose values have `unit`.
    pub fn new(metric: MetricId, unit: Unit, subject: Subject) -> Self {
        Self { metric, subject, unit: UnitOf(unit) }
    }
}

impl Quantity {
    /// The value in the base unit, as numerator and denominator: 101 % is 101 over 100.
    pub fn fraction(self) -> (f64, f64) {
        let (times, over) = self.unit.map_or((1.0, 1.0), |unit| unit.factor());
        (self.number * times, over)
    }

    /// The value in the base unit.
    pub fn value(self) -> f64 {
        let (times, over) = self.fraction();
        times / over
    }
}

impl Comparison {
    /// The comparison that holds when the sides are swapped.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Equal => Self::Equal,
        }
    }

    /// True if both may be used in one chain.
    pub fn goes_with(self, other: Self) -> bool {
        let upwards = |comparison| matches!(comparison, Self::Less | Self::AtMost);
        let level = |comparison| comparison == Self::Equal;
        level(self) == level(other) && upwards(self) == upwards(other)
    }

    /// The symbol as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
        }
    }
}

impl Operator {
    /// The symbol as written.
    pub fn symbol(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
            Self::Over => '/',
        }
    }

    fn precedence(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 1,
            Self::Times | Self::Over => 2,
        }
    }
}

impl Expression {
    /// Two values combined.
    #[must_use]
    pub fn combine(self, operator: Operator, right: Self) -> Self {
        Self::Combined(operator, Box::new(self), Box::new(right))
    }

    /// The dimension of the value. For a sum it is that of its first part; the parser ensures that
    /// the others have the same.
    pub fn dimension(&self) -> Dimension {
        match self {
            Self::Number(quantity) => quantity.unit.map_or(Dimension::NONE, |unit| unit.dimension),
            Self::Figure(figure) => figure.unit.0.into(),
            Self::Negative(inner) => inner.dimension(),
            Self::Combined(operator, left, right) => match operator {
                Operator::Plus | Operator::Minus => left.dimension(),
                Operator::Times => left.dimension().times(right.dimension()),
                Operator::Over => left.dimension().over(right.dimension()),
            },
        }
    }

    /// The value in the base unit, if it does not depend on a figure.
    pub fn constant(&self) -> Option<f64> {
        match self {
            Self::Number(quantity) => Some(quantity.value()),
            Self::Figure(_) => None,
            Self::Negative(inner) => inner.constant().map(|value| -value),
            Self::Combined(operator, left, right) => {
                let (left, right) = (left.constant()?, right.constant()?);
                Some(match operator {
                    Operator::Plus => left + right,
                    Operator::Minus => left - right,
                    Operator::Times => left * right,
                    Operator::Over => left / right,
                })
            }
        }
    }

    fn precedence(&self) -> u8 {
        match self {
            Self::Combined(operator, ..) => operator.precedence(),
            Self::Negative(_) => 3,
            Self::Number(_) | Self::Figure(_) => 4,
        }
    }

    /// Writes it, in parentheses if it binds more loosely than `least`.
    fn write(&self, formatter: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.precedence() < least {
            return write!(formatter, "({self})");
        }
        match self {
            Self::Number(quantity) => write!(formatter, "{quantity}"),
            Self::Figure(figure) => write!(formatter, "{figure}"),
            Self::Negative(inner) => {
                formatter.write_str("-")?;
                inner.write(formatter, 3)
            }
            Self::Combined(operator, left, right) => {
                // Operations of one precedence are read from left to right.
                left.write(formatter, operator.precedence())?;
                write!(formatter, " {} ", operator.symbol())?;
                right.write(formatter, operator.precedence() + 1)
            }
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.first)?;
        for (comparison, side) in &self.rest {
            write!(formatter, " {} {side}", comparison.symbol())?;
        }
        Ok(())
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({})", self.metric, self.subject)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Both forms have just enough digits to distinguish the number from its neighbours.
        if self.number == 0.0 || (1e-5..1e16).contains(&self.number) {
            write!(formatter, "{}", self.number)?;
        } else {
            write!(formatter, "{:e}", self.number)?;
        }
        match self.unit {
            Some(unit) => write!(formatter, " {}", unit.symbol),
            None => Ok(()),
        }
    }
}
