//! Values of a parameter written as a range: `1..8`, `0.5..2:0.25`, `1..64*2`, `32k..4M*2`.
//!
//! Both ends belong to it. The number after a colon is added from one value to the next, the number
//! after a star multiplies. A number may have one of the suffixes `k`, `M` and `G`, in either case,
//! as runtime systems write sizes; they are powers of 1024, and the notation of the values follows
//! that of the range.

use super::parameters::{MOST_VARIANTS, ParameterError};

/// The values of a range; `None` if the text is not a range: if it is a list, or does not begin
/// with a number.
///
/// # Errors
///
/// When the ends or the step make no sense; `name` is the parameter's, for the message.
pub(super) fn values(name: &str, text: &str) -> Option<Result<Vec<String>, ParameterError>> {
    let (low, rest) = text.split_once("..").filter(|(low, _)| is_meant_as_number(low))?;
    if text.contains(',') {
        return None;
    }
    let (high, stride) = match rest.split_once(['*', ':']) {
        Some((high, stride)) => (high, Some((rest.as_bytes()[high.len()] == b'*', stride))),
        None => (rest, None),
    };
    let end = |what, text: &str| Size::parse(text).ok_or_else(|| not_a_number(name, what, text));
    Some(end("lower end", low).and_then(|low| steps(name, low, end("upper end", high)?, stride)))
}

/// True if this text at the beginning of a range is meant as a number: also `NaN` and `1e400`,
/// which cannot be used.
fn is_meant_as_number(text: &str) -> bool {
    text.strip_suffix(|last| power(last).is_some()).unwrap_or(text).parse::<f64>().is_ok()
}

fn not_a_number(name: &str, what: &'static str, text: &str) -> ParameterError {
    ParameterError::NotANumber { name: name.to_owned(), what, text: text.to_owned() }
}

/// A number with the suffix it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Size {
    number: f64,
    /// The number of decimals it was written with.
    decimals: usize,
    suffix: Option<char>,
}

/// The number that a value stands for, if it is one: `32k` is 32768.
pub fn number(value: &str) -> Option<f64> {
    Size::parse(value).map(Size::plain)
}

/// The power of 1024 that a suffix stands for.
fn power(suffix: char) -> Option<i32> {
    match suffix {
        'k' | 'K' => Some(1),
        'm' | 'M' => Some(2),
        'g' | 'G' => Some(3),
        _ => None,
    }
}

impl Size {
    fn parse(text: &str) -> Option<Self> {
        let suffix = text.chars().next_back().filter(|&last| power(last).is_some());
        let digits = suffix.map_or(text, |_| &text[..text.len() - 1]);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        let number = digits.parse::<f64>().ok().filter(|number| is_number && number.is_finite())?;
        let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        Some(Self { number, decimals, suffix })
    }

    fn plain(self) -> f64 {
        self.number * 1024_f64.powi(self.suffix.and_then(power).unwrap_or(0))
    }
}

fn steps(
    name: &str,
    low: Size,
    high: Size,
    stride: Option<(bool, &str)>,
) -> Result<Vec<String>, ParameterError> {
    let one = Size { number: 1.0, decimals: 0, suffix: low.suffix };
    let (multiplies, step) = match stride {
        None => (false, one),
        Some((true, text)) => {
            (true, Size::parse(text).ok_or_else(|| not_a_number(name, "factor", text))?)
        }
        Some((false, text)) => {
            let step = Size::parse(text).ok_or_else(|| not_a_number(name, "step", text))?;
            // `1k..8k:2` continues by 2k.
            (false, Size { suffix: step.suffix.or(low.suffix), ..step })
        }
    };
    let (first, last, by) = (low.plain(), high.plain(), step.plain());
    let grows = if multiplies { by > 1.0 && first > 0.0 } else { by > 0.0 };
    if !grows {
        return Err(match multiplies {
            true => ParameterError::BadFactor { name: name.to_owned(), factor: by, low: first },
            false => ParameterError::BadStep { name: name.to_owned(), step: by },
        });
    }
    let span = if multiplies { (last / first).ln() / by.ln() } else { (last - first) / by };
    // A billionth of a step compensates for numbers that are not binary fractions.
    let count = (span + 1e-9).floor();
    if count.is_nan() || count < 0.0 {
        return Err(ParameterError::EmptyRange { name: name.to_owned(), low: first, high: last });
    }
    if count >= MOST_VARIANTS as f64 {
        return Err(ParameterError::TooMany { count: count as usize + 1, most: MOST_VARIANTS });
    }
    let sizes = [low, high, step];
    let suffixes: Vec<Option<char>> = match multiplies {
        true => vec![low.suffix, high.suffix],
        false => sizes.iter().map(|size| size.suffix).collect(),
    };
    let decimals = (!multiplies).then(|| sizes.iter().map(|size| size.decimals).max().unwrap_or(0));
    let writing = Writing::from_suffixes(&suffixes, decimals);
    let value = |index: i32| match multiplies {
        true => first * by.powi(index),
        false => f64::from(index).mul_add(by, first),
    };
    Ok((0..=count as i32).map(|index| writing.write(value(index))).collect())
}

/// The notation of the values.
struct Writing {
    /// The letters of the first, second and third power of 1024; `None` if no suffix was typed.
    letters: Option<[char; 3]>,
    /// The smallest power that was typed: smaller units are not used.
    least: i32,
    /// The number of decimals; `None` for as many as needed.
    decimals: Option<usize>,
}

impl Writing {
    fn from_suffixes(suffixes: &[Option<char>], decimals: Option<usize>) -> Self {
        let typed: Vec<char> = suffixes.iter().copied().flatten().collect();
        let upper = typed.iter().any(|letter| matches!(letter, 'M' | 'G' | 'K'));
        let letter = |of_power: i32| {
            let same = typed.iter().copied().find(|&letter| power(letter) == Some(of_power));
            same.unwrap_or(match (of_power, upper) {
                (1, _) => 'k',
                (2, true) => 'M',
                (2, false) => 'm',
                (_, true) => 'G',
                (_, false) => 'g',
            })
        };
        let least = if typed.len() < suffixes.len() {
            0
        } else {
            typed.iter().copied().filter_map(power).min().unwrap_or(0)
        };
        let letters = (!typed.is_empty()).then(|| [letter(1), letter(2), letter(3)]);
        Self { letters, least, decimals }
    }

    /// The value in the largest unit in which it is a whole number, or else in the smallest that
    /// was typed.
    fn write(&self, value: f64) -> String {
        let Some(letters) = self.letters else { return self.number(value) };
        let in_power = |of_power: i32| value / 1024_f64.powi(of_power);
        let is_whole = |number: f64| number >= 1.0 && (number - number.round()).abs() < 1e-9;
        let whole = (self.least..=3).rev().find(|&of_power| is_whole(in_power(of_power)));
        let of_power = whole.unwrap_or(self.least);
        let letter = usize::try_from(of_power - 1).ok().map(|index| letters[index]);
        let number = match whole {
            Some(_) => format!("{:.0}", in_power(of_power)),
            None => significant(in_power(of_power)),
        };
        number + &letter.map(String::from).unwrap_or_default()
    }

    fn number(&self, value: f64) -> String {
        if let Some(decimals) = self.decimals {
            return format!("{value:.decimals$}");
        }
        significant(value)
    }
}

/// Twelve significant digits, which hide that most fractions are not binary ones.
fn significant(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().expect("a float as it was written");
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> String {
        values("x", text).expect("a range").expect("sound").join(" ")
    }

    #[test]
    fn both_ends_belong_to_a_range() {
        assert_eq!(range("1..4"), "1 2 3 4");
        assert_eq!(range("0..1:0.25"), "0.00 0.25 0.50 0.75 1.00");
        assert_eq!(range("-2..2:2"), "-2 0 2");
        assert_eq!(range("1..10*3"), "1 3 9");
        assert_eq!(range("0.1..10*10"), "0.1 1 10");
        assert_eq!(range("5..5"), "5");
    }

    #[test]
    fn sizes_are_powers_of_1024_and_written_as_they_were_typed() {
        assert_eq!(range("256k..4M*4"), "256k 1M 4M");
        assert_eq!(range("1m..8m*2"), "1m 2m 4m 8m");
        assert_eq!(range("512k..2m*2"), "512k 1m 2m");
        assert_eq!(range("1k..4k"), "1k 2k 3k 4k");
        assert_eq!(range("1M..2M:512k"), "1M 1536k 2M");
        assert_eq!(range("512..2k*2"), "512 1k 2k");
        assert_eq!(range("1.5M..6M*2"), "1.5M 3M 6M");
        assert_eq!(range("1M..2M:0.5M"), "1M 1.5M 2M");
        assert_eq!(range("64M..1G*4"), "64M 256M 1G");
    }

    #[test]
    fn what_is_no_range_is_left_to_others() {
        for text in ["a,b", "1", "..", "../x", "x..y", "v1..v2", "1.2.3..1.2.4", "1..2,3..4"] {
            assert_eq!(values("x", text), None, "{text}");
        }
    }

    #[test]
    fn what_begins_like_a_range_and_is_none_is_refused() {
        for (text, end) in [
            ("NaN..3", "`NaN` is not a number, as `x` needs for its lower end"),
            ("1e400..2", "`1e400` is not a number"),
            ("inf..2", "`inf` is not a number"),
            ("1..2..3", "`2..3` is not a number, as `x` needs for its upper end"),
            ("1..NaN", "`NaN` is not a number"),
            ("1..", "`` is not a number"),
            ("1..2x", "`2x` is not a number"),
        ] {
            let error = values("x", text).expect("meant as a range").expect_err("refused");
            assert!(error.to_string().contains(end), "{text}: {error}");
        }
        let error = values("n", "1..1048577").expect("a range").expect_err("one too many");
        assert_eq!(error, ParameterError::TooMany { count: 1_048_577, most: 1_048_576 });
    }

    #[test]
    fn ranges_that_lead_nowhere_are_refused() {
        let error = |text: &str| values("x", text).expect("a range").expect_err("refused");
        assert!(matches!(error("3..1"), ParameterError::EmptyRange { .. }));
        assert!(matches!(error("1..3:0"), ParameterError::BadStep { .. }));
        assert!(matches!(error("1..3*1"), ParameterError::BadFactor { .. }));
        assert!(matches!(error("0..3*2"), ParameterError::BadFactor { .. }));
        assert!(matches!(error("1..3*x"), ParameterError::NotANumber { .. }));
        assert!(matches!(error("1..1e9"), ParameterError::TooMany { .. }));
        assert!(matches!(error("1..3:"), ParameterError::NotANumber { .. }));
    }
}
