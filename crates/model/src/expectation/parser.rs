//! From text to tree, by recursive descent: a function for each rule of the grammar.
//!
//! Dimensions are checked on the way up, where the bytes of both sides are still known.

use std::ops::Range;

use super::Vocabulary;
use super::subject::{self, Subject};
use super::{Comparator, Expression, Figure, Operator, Quantity, Relation};
use super::{Dimension, UnitSymbol};
use super::{ExpectationError, Problem};
use super::{MOST_BYTES, MOST_DEPTH};
use crate::spec::place::TextPosition;

type Span = Range<usize>;
type Parsed<T> = Result<T, (Problem, Span)>;

/// Parses a whole expectation: its relation, and every figure with its place.
pub(super) fn parse(
    text: &str,
    vocabulary: &Vocabulary,
) -> Result<(Relation, Vec<(Figure, Span)>), ExpectationError> {
    let mut parser = Parser { text, at: 0, depth: 0, vocabulary, figures: Vec::new() };
    match parser.relation() {
        Ok(relation) => Ok((relation, parser.figures)),
        Err((problem, span)) => {
            let place = TextPosition::new(text, span.clone(), "the expectation");
            Err(ExpectationError { problem: Box::new(problem), span, place })
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    vocabulary: &'a Vocabulary,
    figures: Vec<(Figure, Span)>,
}

/// A part of the tree with data needed only while parsing.
struct Part {
    tree: Expression,
    span: Span,
    dimension: Dimension,
}

const COMPARISON: &str = "a comparison (`<`, `<=`, `>`, `>=` or `==`)";
const VALUE: &str = "a number or a figure such as `wall_time(HEAD)`";

impl<'a> Parser<'a> {
    fn relation(&mut self) -> Parsed<Relation> {
        if self.text.len() > MOST_BYTES {
            return Err((Problem::TooLong(self.text.len()), 0..0));
        }
        if self.text.trim().is_empty() {
            return Err((Problem::Empty, 0..0));
        }
        let first = self.sum()?;
        let mut left = (first.span.clone(), first.dimension);
        let mut rest: Vec<(Comparator, Expression)> = Vec::new();
        while let Some((comparison, span)) = self.comparison()? {
            if let Some((earlier, _)) = rest.last()
                && !earlier.goes_with(comparison)
            {
                let problem = Problem::MixedChain(earlier.symbol(), comparison.symbol());
                return Err((problem, span));
            }
            let right = self.sum()?;
            // The next token may explain an apparent mistake of units.
            self.skip_blanks();
            if !self.rest().is_empty() && !self.rest().starts_with(['<', '>', '=', '!']) {
                self.end(true)?;
            }
            if left.1 != right.dimension {
                let problem = Problem::Compared { left: left.1, right: right.dimension };
                return Err((problem, left.0.start..right.span.end));
            }
            left = (right.span.clone(), right.dimension);
            rest.push((comparison, right.tree));
        }
        self.end(!rest.is_empty())?;
        if self.figures.is_empty() {
            return Err((Problem::NoFigure, first.span.start..left.0.end));
        }
        Ok(Relation { first: first.tree, rest })
    }

    /// Checks that nothing is left, and that something was compared.
    fn end(&mut self, compared: bool) -> Parsed<()> {
        self.skip_blanks();
        let word = self.word();
        if matches!(word, "and" | "or") {
            let span = self.at..self.at + word.len();
            return Err((Problem::Joined(word.to_owned()), span));
        }
        if let Some(joint) = ["&&", "||"].into_iter().find(|joint| self.rest().starts_with(joint)) {
            return Err((Problem::Joined(joint.to_owned()), self.at..self.at + joint.len()));
        }
        match (compared, self.rest().is_empty()) {
            (true, true) => Ok(()),
            (true, false) => Err(self.unexpected("an operator, a comparison or the end")),
            (false, _) => Err(self.unexpected(COMPARISON)),
        }
    }

    fn comparison(&mut self) -> Parsed<Option<(Comparator, Span)>> {
        self.skip_blanks();
        // Longer symbols first if one is a prefix of another.
        let known = [
            Comparator::AtMost,
            Comparator::Less,
            Comparator::AtLeast,
            Comparator::Greater,
            Comparator::Equal,
        ];
        let found = known.into_iter().find(|c| self.rest().starts_with(c.symbol()));
        let Some(comparison) = found else {
            return if matches!(self.peek(), Some('=' | '!')) {
                Err(self.unexpected(COMPARISON))
            } else {
                Ok(None)
            };
        };
        let start = self.at;
        self.at += comparison.symbol().len();
        Ok(Some((comparison, start..self.at)))
    }

    fn sum(&mut self) -> Parsed<Part> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[('+', Operator::Plus), ('-', Operator::Minus)]) {
            let right = self.product()?;
            let span = left.span.start..right.span.end;
            if left.dimension != right.dimension {
                let added = operator == Operator::Plus;
                let (left, right) = (left.dimension, right.dimension);
                return Err((Problem::Added { added, left, right }, span));
            }
            let tree = left.tree.combine(operator, right.tree);
            left = Part { tree, span, dimension: left.dimension };
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Part> {
        let mut left = self.factor()?;
        while let Some(operator) = self.operator(&[('*', Operator::Times), ('/', Operator::Over)]) {
            let right = self.factor()?;
            let dimension = match operator {
                Operator::Over => left.dimension.over(right.dimension),
                _ => left.dimension.times(right.dimension),
            };
            if operator == Operator::Over && right.tree.constant() == Some(0.0) {
                return Err((Problem::DivisionByZero, right.span));
            }
            let span = left.span.start..right.span.end;
            left = Part { tree: left.tree.combine(operator, right.tree), span, dimension };
        }
        Ok(left)
    }

    fn factor(&mut self) -> Parsed<Part> {
        self.skip_blanks();
        let start = self.at;
        match self.peek() {
            Some('-') => {
                self.at += 1;
                let inner = self.deeper(start, Self::factor)?;
                let tree = Expression::Negative(Box::new(inner.tree));
                Ok(Part { tree, span: start..inner.span.end, dimension: inner.dimension })
            }
            Some('(') => {
                self.at += 1;
                let inner = self.deeper(start, Self::sum)?;
                self.expect(')', "an operator or `)`")?;
                Ok(Part { span: start..self.at, ..inner })
            }
            Some(digit) if digit.is_ascii_digit() => self.number(),
            Some(letter) if is_word_start(letter) => self.figure(),
            _ => Err(self.unexpected(VALUE)),
        }
    }

    fn deeper(&mut self, start: usize, rule: fn(&mut Self) -> Parsed<Part>) -> Parsed<Part> {
        if self.depth == MOST_DEPTH {
            return Err((Problem::TooDeep, start..self.at));
        }
        self.depth += 1;
        let part = rule(self);
        self.depth -= 1;
        part
    }

    fn number(&mut self) -> Parsed<Part> {
        let start = self.at;
        self.digits();
        if self.peek() == Some('.') {
            self.at += 1;
            if !self.digits() {
                let text = self.text[start..self.at].to_owned();
                return Err((Problem::NotANumber(text), start..self.at));
            }
        }
        self.exponent();
        let written = &self.text[start..self.at];
        let digits = written.replace('_', "");
        let number: f64 = digits
            .parse()
            .map_err(|_| (Problem::NotANumber(written.to_owned()), start..self.at))?;
        let unit = self.unit()?;
        let quantity = Quantity { number, unit };
        let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
        let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        if !quantity.value().is_finite() || (quantity.value() == 0.0) != is_zero {
            let problem = Problem::OutOfRange(self.text[start..self.at].to_owned());
            return Err((problem, start..self.at));
        }
        let tree = Expression::Number(quantity);
        Ok(Part { dimension: tree.dimension(), tree, span: start..self.at })
    }

    /// Skips digits and underscores, of which the first must be a digit; true if there were any.
    fn digits(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
        let begins = rest.starts_with(|c: char| c.is_ascii_digit());
        self.at += if begins { length } else { 0 };
        begins
    }

    /// Skips an exponent, if an `e` begins one.
    fn exponent(&mut self) {
        let Some(behind) = self.rest().strip_prefix(['e', 'E']) else { return };
        let unsigned = behind.strip_prefix(['+', '-']).unwrap_or(behind);
        let digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
        if digits > 0 {
            self.at += 1 + (behind.len() - unsigned.len()) + digits;
        }
    }

    fn unit(&mut self) -> Parsed<Option<&'static UnitSymbol>> {
        let before = self.at;
        self.skip_blanks();
        let start = self.at;
        let word = if self.rest().starts_with('%') { "%" } else { self.word() };
        let is_figure = self.rest()[word.len()..].trim_start().starts_with('(');
        if word.is_empty() || is_figure || matches!(word, "and" | "or") {
            self.at = before;
            return Ok(None);
        }
        self.at += word.len();
        match UnitSymbol::find(word) {
            Some(unit) => Ok(Some(unit)),
            None => Err((Problem::UnknownUnit(word.to_owned()), start..self.at)),
        }
    }

    fn figure(&mut self) -> Parsed<Part> {
        let start = self.at;
        let name = self.metric_name().to_owned();
        let named = start..start + name.len();
        let Some(metric) = self.vocabulary.find(&name) else {
            let known = self.vocabulary.names().map(str::to_owned).collect();
            return Err((Problem::UnknownMetric { name, known }, named));
        };
        self.at = named.end;
        self.expect('(', "`(` and whose figure is meant")?;
        let subject = self.subject(&name, start)?;
        self.expect(')', "`)`")?;
        let figure = Figure::new(metric.id, metric.unit, subject);
        self.figures.push((figure.clone(), start..self.at));
        let tree = Expression::Figure(figure);
        Ok(Part { dimension: tree.dimension(), tree, span: start..self.at })
    }

    fn subject(&mut self, metric: &str, start: usize) -> Parsed<Subject> {
        self.skip_blanks();
        if self.peek() == Some(')') {
            return Err((Problem::NoSubject(metric.to_owned()), start..self.at + 1));
        }
        let name = self.name()?;
        let revision = if self.peek() == Some('@') {
            self.at += 1;
            Some(self.name()?)
        } else {
            None
        };
        Ok(Subject { name, revision })
    }

    fn name(&mut self) -> Parsed<String> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let start = self.at;
        while let Some(character) = self.peek() {
            if !subject::is_plain(character) && !self.rest().starts_with("@{") {
                break;
            }
            self.at += character.len_utf8();
        }
        if self.at == start {
            return Err(self.unexpected("a name (one with blanks in double quotes)"));
        }
        Ok(self.text[start..self.at].to_owned())
    }

    fn quoted(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        while let Some(character) = self.peek() {
            if character.is_control() {
                return Err(self.unexpected("a name without control characters"));
            }
            self.at += character.len_utf8();
            match character {
                '"' if name.is_empty() => {
                    let found = "an empty one".to_owned();
                    return Err((
                        Problem::Unexpected { expected: "a name", found },
                        start..self.at,
                    ));
                }
                '"' => return Ok(name),
                '\\' => match self.peek() {
                    Some(escaped @ ('"' | '\\')) => {
                        self.at += 1;
                        name.push(escaped);
                    }
                    _ => return Err(self.unexpected("`\\\"` or `\\\\`")),
                },
                other => name.push(other),
            }
        }
        Err((Problem::OpenQuote, start..self.at))
    }

    fn operator(&mut self, known: &[(char, Operator)]) -> Option<Operator> {
        self.skip_blanks();
        let next = self.peek()?;
        let (_, operator) = known.iter().find(|(symbol, _)| *symbol == next)?;
        self.at += 1;
        Some(*operator)
    }

    fn expect(&mut self, character: char, expected: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() == Some(character) {
            self.at += character.len_utf8();
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// The error for an unexpected token here.
    fn unexpected(&self, expected: &'static str) -> (Problem, Span) {
        let length = match self.peek() {
            Some(letter) if is_word_start(letter) => self.word().len(),
            Some(character) => character.len_utf8(),
            None => {
                let found = "the end".to_owned();
                return (Problem::Unexpected { expected, found }, self.at..self.at);
            }
        };
        let span = self.at..self.at + length;
        let found = format!("`{}`", self.text[span.clone()].escape_debug());
        (Problem::Unexpected { expected, found }, span)
    }

    /// The name of the metric here, with the quantile after it.
    fn metric_name(&self) -> &'a str {
        let (rest, metric) = (self.rest(), self.word());
        let behind = &rest[metric.len()..];
        let length = behind.find(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'));
        let is_quantile = !metric.is_empty() && behind.starts_with('.');
        let length = length.unwrap_or(behind.len());
        if is_quantile { &rest[..metric.len() + length] } else { metric }
    }

    /// The letters, digits and underscores here.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        if !rest.starts_with(is_word_start) {
            return "";
        }
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        &rest[..length.unwrap_or(rest.len())]
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }
}

fn is_word_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}
