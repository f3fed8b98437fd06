//! The language of expectations: the relations of `[[expect]]` in `brisk.toml`.
//!
//! An expectation compares measured figures with limits or with each other:
//!
//! ```text
//! wall_time(zipper) / wall_time(direct) < 0.8
//! allocated(HEAD) <= allocated(main) * 1.01
//! peak_rss("the new one") < 2 MB
//! 0.9 < wall_time(fib@v2.0) / wall_time(fib@baseline) < 1.1
//! ```
//!
//! The grammar, in which blank space may stand between any two tokens:
//!
//! ```text
//! expectation = sum comparison sum { comparison sum }
//! comparison  = "<" | "<=" | ">" | ">=" | "=="
//! sum         = product { ( "+" | "-" ) product }
//! product     = factor { ( "*" | "/" ) factor }
//! factor      = "-" factor | "(" sum ")" | number [ unit ] | figure
//! figure      = metric "(" subject ")"
//! subject     = name [ "@" name ]
//! name        = plain | '"' { character | '\"' | '\\' } '"'
//! plain       = characters other than blanks, quotes, parentheses and commas; an "@" only
//!               before "{", where git means an older state of a branch
//! number      = digits [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//! digits      = a digit, then digits and "_"
//! unit        = "s" | "ms" | "us" | "min" | "B" | "MB" | "MiB" | "%" | ...   (see `unit`)
//! ```
//!
//! A chain of comparisons (`0.9 < x < 1.1`) goes one way and holds if each of its links does. "And"
//! and "or" do not exist: each claim is a separate expectation, with its own verdict.
//!
//! Compared or added values must have the same dimension, so a forgotten unit is found before
//! anything is measured. Counts and quotients have none. The meaning of a name (a benchmark, a
//! revision, the stored baseline) is resolved in [`subject`], with knowledge of the repository;
//! `judge::expectation` decides whether an expectation holds.
//!
//! Two sizes are limited so that no text can exhaust the stack or the time: the length of the text
//! ([`MOST_BYTES`]) and its depth of nesting ([`MOST_DEPTH`]).

mod parser;
pub mod subject;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
pub use subject::Subject;

use crate::metric::{self, MetricId, REGISTRY, Unit};
use crate::spec::place::{TextPosition, listed, suggestion};

/// The maximum length of an expectation's text, in bytes. Arbitrary; a long one has 200.
pub const MOST_BYTES: usize = 4096;

/// The maximum nesting of parentheses and signs. Arbitrary; nobody reads ten.
pub const MOST_DEPTH: usize = 64;

/// An expectation as written, and its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The text as written.
    pub text: String,
    /// The meaning.
    pub relation: Relation,
    /// Every figure in the order of the text, with its bytes in the text.
    pub figures: Vec<(Figure, Range<usize>)>,
}

impl Expectation {
    /// Parses `text`, which may name the metrics of `vocabulary`.
    ///
    /// # Errors
    ///
    /// The problem with the text, and its place.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, ExpectationError> {
        let (relation, figures) = parser::parse(text, vocabulary)?;
        Ok(Self { text: text.to_owned(), relation, figures })
    }

    /// The name by which the expectation can be referred to.
    pub fn id(&self) -> ExpectationId {
        ExpectationId::from_relation(&self.relation)
    }
}

// The metrics that an expectation may name.
//
// The registry's metrics, and those that a project defines for itself: the parser uses this list
// and nothing else, so a new metric needs no change of the language.

/// A metric as known to the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMetric {
    /// Its name.
    pub id: MetricId,
    /// The unit of its values.
    pub unit: Unit,
}

/// Metrics by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    metrics: Vec<KnownMetric>,
}

impl Vocabulary {
    /// The metrics of the registry.
    pub fn of_registry() -> Self {
        let row = |metric: &crate::metric::Metric<'_>| (metric.id.clone(), metric.unit);
        REGISTRY.iter().map(row).collect()
    }

    /// The same metrics and one more.
    #[must_use]
    pub fn with(mut self, id: MetricId, unit: Unit) -> Self {
        self.metrics.push(KnownMetric { id, unit });
        self
    }

    /// The metric called `name`, or the quantile of one that brisk reads itself, such as
    /// `wall_time.p99`.
    pub fn find(&self, name: &str) -> Option<KnownMetric> {
        let quantile = || {
            let id = metric::parse_with_quantiles(name, &[]).ok()?.pop()?;
            id.quantile().map(|_| KnownMetric { unit: id.unit(), id })
        };
        self.metrics.iter().find(|metric| metric.id.name() == name).cloned().or_else(quantile)
    }

    /// All names, in the order of the list.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.iter().map(|metric| metric.id.name())
    }
}

impl FromIterator<(MetricId, Unit)> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = (MetricId, Unit)>>(metrics: I) -> Self {
        Self { metrics: metrics.into_iter().map(|(id, unit)| KnownMetric { id, unit }).collect() }
    }
}

// The name of an expectation, the same on every machine and in every version.
//
// `brisk check --accept ID` refers to an expectation by it. It is derived from the meaning of the
// expectation, so blank space and redundant parentheses do not change it, but a changed limit
// does: a value accepted under one limit was not accepted under another.

/// Twelve hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(feature = "testing", schemars(extend("pattern" = "^[0-9a-f]{12}$")))]
pub struct ExpectationId(u64);

/// The error of a text that is not the name of an expectation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of an expectation; it has twelve hexadecimal digits")]
pub struct IdError(pub String);

const DIGITS: usize = 12;

impl ExpectationId {
    /// The name of `relation`.
    fn from_relation(relation: &Relation) -> Self {
        Self(fnv1a(relation.to_string().as_bytes()) >> (64 - 4 * DIGITS))
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo, 1991). Names need to be stable and short, not
/// resistant to forgery: nobody gains by making two of their own expectations collide.
fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

impl fmt::Display for ExpectationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:0DIGITS$x}", self.0)
    }
}

impl FromStr for ExpectationId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        value.map(Self).ok_or_else(|| IdError(text.to_owned()))
    }
}

impl TryFrom<String> for ExpectationId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<ExpectationId> for String {
    fn from(id: ExpectationId) -> Self {
        id.to_string()
    }
}

// Errors in an expectation, in terms of its text.

/// An expectation cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ExpectationError {
    /// The problem.
    pub problem: Box<Problem>,
    /// The place, in bytes of the text.
    pub span: Range<usize>,
    /// The place, for people.
    #[source]
    pub place: TextPosition,
}

/// A problem with an expectation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Problem {
    #[error("the expectation is empty")]
    Empty,
    #[error("the expectation has {0} bytes; at most {MOST_BYTES} are read")]
    TooLong(usize),
    #[error("the expectation nests deeper than {MOST_DEPTH} levels")]
    TooDeep,
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("unknown metric `{name}`")]
    UnknownMetric { name: String, known: Vec<String> },
    #[error("unknown unit `{0}`")]
    UnknownUnit(String),
    #[error("`{0}` is not a number")]
    NotANumber(String),
    #[error("`{0}` is too large to compute with")]
    OutOfRange(String),
    #[error("the quote is never closed")]
    OpenQuote,
    #[error("`{0}()` names nothing that can be measured")]
    NoSubject(String),
    #[error("`{0}` joins expectations, and each stands for itself")]
    Joined(String),
    #[error("`{0}` and `{1}` in one chain")]
    MixedChain(&'static str, &'static str),
    #[error("nothing is measured in this expectation")]
    NoFigure,
    #[error("{left} cannot be compared with {right}")]
    Compared { left: Dimension, right: Dimension },
    #[error("{right} cannot be {} {left}", if *.added { "added to" } else { "taken from" })]
    Added { added: bool, left: Dimension, right: Dimension },
    #[error("the divisor is 0")]
    DivisionByZero,
}

impl Problem {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => Some(EXAMPLE.to_owned()),
            Self::UnknownMetric { name, known } => {
                Some(suggestion(name, "metrics:", known.iter().map(String::as_str)))
            }
            Self::UnknownUnit(name) => {
                Some(suggestion(name, "units:", UNITS.iter().map(|unit| unit.symbol)))
            }
            Self::NoSubject(metric) => Some(format!(
                "write a benchmark, a revision or `baseline` between the parentheses: \
                 `{metric}(HEAD)`"
            )),
            Self::Joined(_) => Some("write each as an `[[expect]]` of its own".to_owned()),
            Self::MixedChain(..) => {
                Some("a chain goes one way, such as `0.9 < x <= 1.1`; or write two".to_owned())
            }
            Self::NoFigure => Some(EXAMPLE.to_owned()),
            Self::Compared { left, right } => unit_hint(*left, *right),
            Self::Added { left, right, .. } if *right == Dimension::NONE => {
                let hint = unit_hint(*left, *right)?;
                Some(format!("{hint}; a share is a factor: `x * 1.01` is 1 % more than `x`"))
            }
            Self::Added { left, right, .. } => unit_hint(*left, *right),
            Self::Unexpected { found, .. } if found == "`=`" => {
                Some("equality is written `==`".to_owned())
            }
            Self::Unexpected { found, .. } if found == "`!`" => Some(
                "an expectation says what should hold: `<`, `<=`, `>`, `>=` or `==`".to_owned(),
            ),
            Self::OpenQuote => Some("within quotes, a quote is written `\\\"`".to_owned()),
            _ => None,
        }
    }
}

const EXAMPLE: &str = "write for example `wall_time(new) / wall_time(old) < 0.8`";

/// A hint for the usual mistake: a number without its unit.
fn unit_hint(left: Dimension, right: Dimension) -> Option<String> {
    let other = match (left == Dimension::NONE, right == Dimension::NONE) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let symbols: Vec<&str> =
        UNITS.iter().filter(|unit| unit.dimension == other).map(|unit| unit.symbol).collect();
    (!symbols.is_empty())
        .then(|| format!("give the number its unit: {}", listed(symbols.into_iter())))
}

// The units of an expectation's numbers, and the dimensions they have.
//
// Figures are in base units (seconds, bytes, hertz, joules), so numbers are converted to these
// when parsed. Prefixes of bytes are those of the SI; those of IEC 80000-13 (`KiB`) are powers of
// 1024.

/// A unit as written after a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitSymbol {
    /// The symbol as written.
    pub symbol: &'static str,
    /// The factor to the base unit, as a quotient: a thousandth is 1 over 1000, which
    /// floating-point numbers represent exactly, unlike 0.001.
    times: f64,
    over: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

impl UnitSymbol {
    /// The factor to the base unit as numerator and denominator.
    pub fn factor(self) -> (f64, f64) {
        (self.times, self.over)
    }

    /// The unit with this symbol; several spellings may mean one unit.
    pub fn find(text: &str) -> Option<&'static Self> {
        let spelling = match text {
            // The Greek letter and the micro sign look alike, and keyboards have `u`.
            "µs" | "μs" => "us",
            "µJ" | "μJ" => "uJ",
            "KB" => "kB",
            other => other,
        };
        UNITS.iter().find(|unit| unit.symbol == spelling)
    }
}

const fn seconds(symbol: &'static str, times: f64, over: f64) -> UnitSymbol {
    UnitSymbol { symbol, times, over, dimension: Dimension { seconds: 1, ..Dimension::NONE } }
}

const fn bytes(symbol: &'static str, times: f64) -> UnitSymbol {
    let dimension = Dimension { bytes: 1, ..Dimension::NONE };
    UnitSymbol { symbol, times, over: 1.0, dimension }
}

const fn hertz(symbol: &'static str, times: f64) -> UnitSymbol {
    let dimension = Dimension { seconds: -1, ..Dimension::NONE };
    UnitSymbol { symbol, times, over: 1.0, dimension }
}

const fn joules(symbol: &'static str, times: f64, over: f64) -> UnitSymbol {
    UnitSymbol { symbol, times, over, dimension: Dimension { joules: 1, ..Dimension::NONE } }
}

/// All units.
pub static UNITS: [UnitSymbol; 24] = [
    seconds("s", 1.0, 1.0),
    seconds("ms", 1.0, 1e3),
    seconds("us", 1.0, 1e6),
    seconds("ns", 1.0, 1e9),
    seconds("min", 60.0, 1.0),
    seconds("h", 3600.0, 1.0),
    bytes("B", 1.0),
    bytes("kB", 1e3),
    bytes("MB", 1e6),
    bytes("GB", 1e9),
    bytes("TB", 1e12),
    bytes("KiB", 1024.0),
    bytes("MiB", 1_048_576.0),
    bytes("GiB", 1_073_741_824.0),
    bytes("TiB", 1_099_511_627_776.0),
    hertz("Hz", 1.0),
    hertz("kHz", 1e3),
    hertz("MHz", 1e6),
    hertz("GHz", 1e9),
    joules("J", 1.0, 1.0),
    joules("kJ", 1e3, 1.0),
    joules("mJ", 1.0, 1e3),
    joules("uJ", 1.0, 1e6),
    UnitSymbol { symbol: "%", times: 1.0, over: 100.0, dimension: Dimension::NONE },
];

/// The dimension of a value, as powers of the second, the byte and the joule; hertz is one over
/// second, counts and quotients are plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Dimension {
    /// The power of the second.
    seconds: i32,
    /// The power of the byte.
    bytes: i32,
    /// The power of the joule.
    joules: i32,
}

impl Dimension {
    /// A plain number.
    pub const NONE: Self = Self { seconds: 0, bytes: 0, joules: 0 };

    /// The dimension of a product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            bytes: self.bytes + other.bytes,
            joules: self.joules + other.joules,
        }
    }

    /// The dimension of a quotient.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            seconds: self.seconds - other.seconds,
            bytes: self.bytes - other.bytes,
            joules: self.joules - other.joules,
        }
    }

    /// The unit of a value of this dimension; `None` if the dimension has no named unit.
    pub fn unit(self) -> Option<Unit> {
        match (self.seconds, self.bytes, self.joules) {
            (0, 0, 0) => Some(Unit::Ratio),
            (1, 0, 0) => Some(Unit::Seconds),
            (-1, 0, 0) => Some(Unit::Hertz),
            (0, 1, 0) => Some(Unit::Bytes),
            (0, 0, 1) => Some(Unit::Joules),
            _ => None,
        }
    }

    /// The symbols of a dimension without a name: `B s^-1`. Empty for a plain number.
    pub fn symbols(self) -> String {
        let powers = [("J", self.joules), ("B", self.bytes), ("s", self.seconds)];
        let written = powers.into_iter().filter(|(_, power)| *power != 0).map(|(symbol, power)| {
            if power == 1 { symbol.to_owned() } else { format!("{symbol}^{power}") }
        });
        written.collect::<Vec<_>>().join(" ")
    }
}

impl From<Unit> for Dimension {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Seconds => Self { seconds: 1, ..Self::NONE },
            Unit::Bytes => Self { bytes: 1, ..Self::NONE },
            Unit::Hertz | Unit::PerSecond => Self { seconds: -1, ..Self::NONE },
            Unit::Joules => Self { joules: 1, ..Self::NONE },
            Unit::Count | Unit::Ratio => Self::NONE,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit() {
            Some(Unit::Seconds) => formatter.write_str("seconds"),
            Some(Unit::Bytes) => formatter.write_str("bytes"),
            Some(Unit::Hertz | Unit::PerSecond) => formatter.write_str("hertz"),
            Some(Unit::Joules) => formatter.write_str("joules"),
            Some(Unit::Count | Unit::Ratio) => formatter.write_str("a plain number"),
            None => formatter.write_str(&self.symbols()),
        }
    }
}

// The meaning of an expectation, as a tree, and the tree as text.
//
// The text is canonical: single blanks, and only the necessary parentheses. Parsing it gives the
// same tree again.

/// A comparison or a chain of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// The leftmost side.
    pub first: Expression,
    /// Each comparison with the side to its right; there is at least one.
    pub rest: Vec<(Comparator, Expression)>,
}

/// The required comparison of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Comparison"))]
pub enum Comparator {
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

impl Comparator {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // From the test vectors that the authors publish with the algorithm.
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325_u64),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fnv1a(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let id = ExpectationId(0x0012_3456_789a);
        assert_eq!(id.to_string(), "00123456789a");
        assert_eq!("00123456789a".parse(), Ok(id));
        for text in ["", "123", "00123456789g", "+0123456789a", "00123456789ab", "é00000000000"] {
            assert_eq!(text.parse::<ExpectationId>(), Err(IdError(text.to_owned())));
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn every_unit_has_a_spelling_of_its_own() {
        for (index, unit) in UNITS.iter().enumerate() {
            assert!(UNITS[..index].iter().all(|earlier| earlier.symbol != unit.symbol));
            assert_eq!(UnitSymbol::find(unit.symbol), Some(unit));
        }
        assert_eq!(UnitSymbol::find("µs"), UnitSymbol::find("us"));
        assert_eq!(UnitSymbol::find("mb"), None);
    }

    #[test]
    fn dimensions_multiply_and_are_told() {
        let (s, b) = (Dimension::from(Unit::Seconds), Dimension::from(Unit::Bytes));
        for (dimension, told) in [
            (s, "seconds"),
            (b, "bytes"),
            (s.over(s), "a plain number"),
            (Dimension::NONE.over(s), "hertz"),
            (b.over(s), "B s^-1"),
            (Dimension::from(Unit::Joules).over(s), "J s^-1"),
            (s.times(s), "s^2"),
        ] {
            assert_eq!(dimension.to_string(), told);
        }
    }
}
