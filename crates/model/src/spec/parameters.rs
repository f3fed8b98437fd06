//! Parameters: `{name}` in a command, and the values that replace it.
//!
//! Several parameters form the product of their values, the last one changing fastest. A
//! placeholder without a parameter, and a parameter that no command uses, are mistakes and are
//! rejected: measuring the same command four times under four names would be misleading. With
//! parameters, `{{name}}` stands for `{name}`.
//!
//! The values are a list, or a range: `1..8`, `0.5..2:0.25`, `1..64*2`, `32k..4M*2`.

use serde::{Deserialize, Serialize};

use super::labels;

/// One parameter and its values, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// The name between the braces.
    pub name: String,
    /// The values that replace the placeholder.
    pub values: Vec<String>,
}

/// One assignment of every parameter: name and value.
pub type Point = Vec<(String, String)>;

/// The reason that parameters cannot be used as given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ParameterError {
    #[error("`{0}` is not a parameter name: use letters, digits, `_` and `-`")]
    BadName(String),
    #[error("parameter `{0}` is given twice")]
    Twice(String),
    #[error("parameter `{0}` has no values")]
    NoValues(String),
    #[error("`{text}` is not a number, as `{name}` needs for its {what}")]
    NotANumber { name: String, what: &'static str, text: String },
    #[error("the step of `{name}` is {step}; it must be positive")]
    BadStep { name: String, step: f64 },
    #[error(
        "`{name}` cannot be multiplied by {factor} from {low} on; the factor must be above 1, and the lower end above 0"
    )]
    BadFactor { name: String, factor: f64, low: f64 },
    #[error("`{0}` is not a parameter; write NAME=VALUE,... or NAME=LOW..HIGH")]
    NotAParameter(String),
    #[error("parameter `{name}` has an empty range: {low} to {high}")]
    EmptyRange { name: String, low: f64, high: f64 },
    #[error(
        "{count} combinations of parameters are more than the {most} that an experiment can have"
    )]
    TooMany { count: usize, most: usize },
    #[error("unknown parameter `{{{name}}}` in `{command}`; known: {known}")]
    Unknown { name: String, command: String, known: String },
    #[error("parameter `{0}` is used in no command")]
    Unused(String),
    #[error("parameters cannot be called {0} together: brisk has labels of these names")]
    Taken(String),
}

/// The maximum number of variants of an experiment; the tag of a run has 20 bits for them.
const MOST_VARIANTS: usize = 1 << 20;

impl Parameter {
    /// `--param name=v1,v2,...` or `--param name=low..high`.
    pub fn given(text: &str) -> Result<Self, ParameterError> {
        let (name, values) =
            text.split_once('=').ok_or_else(|| ParameterError::NotAParameter(text.to_owned()))?;
        match range_values(name, values) {
            Some(values) => Self::named(name, values?),
            None => Self::list(name, values),
        }
    }

    /// `-L name v1,v2,...`
    pub fn list(name: &str, values: &str) -> Result<Self, ParameterError> {
        let values: Vec<String> = split_values(values);
        if values.is_empty() {
            return Err(ParameterError::NoValues(name.to_owned()));
        }
        Self::named(name, values)
    }

    /// `-P name low high`, with the step of `-D` (default 1). The values are written with as many
    /// decimals as the most precise of the three numbers.
    pub fn scan(
        name: &str,
        low: &str,
        high: &str,
        step: Option<&str>,
    ) -> Result<Self, ParameterError> {
        let number = |what, text: &str| match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(ParameterError::NotANumber {
                name: name.to_owned(),
                what,
                text: text.to_owned(),
            }),
        };
        let (first, last) = (number("lower end", low)?, number("upper end", high)?);
        let stride = step.map_or(Ok(1.0), |text| number("step", text))?;
        if stride <= 0.0 {
            return Err(ParameterError::BadStep { name: name.to_owned(), step: stride });
        }
        // Half a billionth of a step compensates for decimal fractions that are not binary ones.
        let steps = ((last - first) / stride + 5e-10).floor();
        if steps < 0.0 {
            return Err(ParameterError::EmptyRange {
                name: name.to_owned(),
                low: first,
                high: last,
            });
        }
        if steps >= MOST_VARIANTS as f64 {
            return Err(ParameterError::TooMany { count: steps as usize + 1, most: MOST_VARIANTS });
        }
        let decimals =
            [low, high, step.unwrap_or("1")].into_iter().map(decimals).max().unwrap_or(0);
        let values = (0..=steps as u32)
            .map(|index| format!("{:.decimals$}", f64::from(index).mul_add(stride, first)))
            .collect();
        Self::named(name, values)
    }

    fn named(name: &str, values: Vec<String>) -> Result<Self, ParameterError> {
        if is_name(name) {
            Ok(Self { name: name.to_owned(), values })
        } else {
            Err(ParameterError::BadName(name.to_owned()))
        }
    }
}

fn decimals(number: &str) -> usize {
    number.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// Splits at commas; `\,` is a comma within a value.
fn split_values(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&',') => {
                values.last_mut().expect("never empty").push(',');
                characters.next();
            }
            ',' => values.push(String::new()),
            _ => values.last_mut().expect("never empty").push(character),
        }
    }
    if values == [""] { Vec::new() } else { values }
}

fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Every combination of the parameters' values; one empty point without parameters.
pub fn points(parameters: &[Parameter]) -> Result<Vec<Point>, ParameterError> {
    for (index, parameter) in parameters.iter().enumerate() {
        if parameters[..index].iter().any(|earlier| earlier.name == parameter.name) {
            return Err(ParameterError::Twice(parameter.name.clone()));
        }
    }
    let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    if let Some(taken) = labels::taken_for(&names) {
        let quoted: Vec<String> = taken.iter().map(|name| format!("`{name}`")).collect();
        return Err(ParameterError::Taken(quoted.join(", ")));
    }
    let count = parameters.iter().fold(1_usize, |n, p| n.saturating_mul(p.values.len()));
    if count > MOST_VARIANTS {
        return Err(ParameterError::TooMany { count, most: MOST_VARIANTS });
    }
    let mut points: Vec<Point> = vec![Vec::new()];
    for parameter in parameters {
        points = points
            .iter()
            .flat_map(|point| {
                parameter.values.iter().map(move |value| {
                    let mut longer = point.clone();
                    longer.push((parameter.name.clone(), value.clone()));
                    longer
                })
            })
            .collect();
    }
    Ok(points)
}

/// Rejects placeholders without a parameter and parameters that no text uses. Without parameters
/// every brace belongs to the command.
pub fn check(texts: &[&str], parameters: &[Parameter]) -> Result<(), ParameterError> {
    if parameters.is_empty() {
        return Ok(());
    }
    for text in texts {
        for name in placeholders(text) {
            if !parameters.iter().any(|parameter| parameter.name == name) {
                let known: Vec<_> = parameters.iter().map(|p| format!("`{}`", p.name)).collect();
                return Err(ParameterError::Unknown {
                    name: name.to_owned(),
                    command: (*text).to_owned(),
                    known: known.join(", "),
                });
            }
        }
    }
    let unused = parameters
        .iter()
        .find(|p| !texts.iter().any(|text| placeholders(text).any(|name| name == p.name)));
    unused.map_or(Ok(()), |parameter| Err(ParameterError::Unused(parameter.name.clone())))
}

/// A name in braces: `{name}`, or, in several of them, `{{name}}`.
struct Braced<'a> {
    before: &'a str,
    /// The number of braces on either side.
    depth: usize,
    name: &'a str,
    after: &'a str,
}

impl Braced<'_> {
    /// True if it is replaced by a value. Two braces stand for one.
    fn is_placeholder(&self) -> bool {
        self.depth % 2 == 1
    }
}

/// The first name in braces.
fn braced(text: &str) -> Option<Braced<'_>> {
    let run = |text: &str, brace: char| text.len() - text.trim_start_matches(brace).len();
    let mut at = text.find('{')?;
    loop {
        let opening = run(&text[at..], '{');
        let inside = &text[at + opening..];
        let closes = inside.find('}').filter(|&end| is_name(&inside[..end]));
        let Some(end) = closes else {
            at += opening + inside.find('{')?;
            continue;
        };
        let depth = opening.min(run(&inside[end..], '}'));
        return Some(Braced {
            before: &text[..at + opening - depth],
            depth,
            name: &inside[..end],
            after: &inside[end + depth..],
        });
    }
}

/// `text` with each placeholder replaced by its value at `point`, and `{{name}}` by `{name}`.
/// Without parameters every brace belongs to the command.
pub fn substitute(text: &str, point: &Point) -> String {
    if point.is_empty() {
        return text.to_owned();
    }
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = braced(rest) {
        replaced.push_str(found.before);
        let around = found.depth / 2;
        replaced.push_str(&"{".repeat(around));
        let value = point.iter().find(|(name, _)| name == found.name);
        match value.filter(|_| found.is_placeholder()) {
            Some((_, value)) => replaced.push_str(value),
            None if found.is_placeholder() => {
                replaced.push('{');
                replaced.push_str(found.name);
                replaced.push('}');
            }
            None => replaced.push_str(found.name),
        }
        replaced.push_str(&"}".repeat(around));
        rest = found.after;
    }
    replaced + rest
}

/// The names in braces that parameters could have, except those in doubled braces.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let all = std::iter::from_fn(move || {
        let found = braced(rest)?;
        rest = found.after;
        Some(found)
    });
    all.filter(Braced::is_placeholder).map(|found| found.name)
}

// Values written as a range.
//
// Both ends belong to it. The number after a colon is added from one value to the next, the number
// after a star multiplies. A number may have one of the suffixes `k`, `M` and `G`, in either case,
// as runtime systems write sizes; they are powers of 1024, and the notation of the values follows
// that of the range.

/// The values of a range; `None` if the text is not a range: if it is a list, or does not begin
/// with a number.
///
/// # Errors
///
/// When the ends or the step make no sense; `name` is the parameter's, for the message.
fn range_values(name: &str, text: &str) -> Option<Result<Vec<String>, ParameterError>> {
    let (low, rest) = text.split_once("..").filter(|(low, _)| is_meant_as_number(low))?;
    if text.contains(',') {
        return None;
    }
    let (high, stride) = match rest.split_once(['*', ':']) {
        Some((high, stride)) => (high, Some((rest.as_bytes()[high.len()] == b'*', stride))),
        None => (rest, None),
    };
    let end = |what, text: &str| Size::parse(text).ok_or_else(|| not_a_number(name, what, text));
    Some(
        end("lower end", low)
            .and_then(|low| range_steps(name, low, end("upper end", high)?, stride)),
    )
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

fn range_steps(
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

    fn list(name: &str, values: &str) -> Parameter {
        Parameter::list(name, values).expect("sound")
    }

    #[test]
    fn a_scan_keeps_the_decimals_it_was_written_with() {
        let scan = |low, high, step| Parameter::scan("x", low, high, step).map(|p| p.values);
        assert_eq!(scan("1", "3", None), Ok(vec!["1".into(), "2".into(), "3".into()]));
        assert_eq!(
            scan("0.1", "0.3", Some("0.1")),
            Ok(vec!["0.1".into(), "0.2".into(), "0.3".into()])
        );
        assert_eq!(scan("0", "1", Some("0.5")), Ok(vec!["0.0".into(), "0.5".into(), "1.0".into()]));
        assert!(matches!(scan("1", "0", None), Err(ParameterError::EmptyRange { .. })));
        assert!(matches!(scan("1", "2", Some("0")), Err(ParameterError::BadStep { .. })));
        assert!(matches!(scan("NaN", "2", None), Err(ParameterError::NotANumber { .. })));
        assert!(matches!(scan("0", "1e12", None), Err(ParameterError::TooMany { .. })));
    }

    #[test]
    fn a_parameter_is_a_list_or_a_range() {
        let given = |text: &str| Parameter::given(text).map(|p| (p.name, p.values.join(" ")));
        assert_eq!(given("s=32k..128k*2"), Ok(("s".into(), "32k 64k 128k".into())));
        assert_eq!(given("gc=a,b=c"), Ok(("gc".into(), "a b=c".into())));
        assert_eq!(given("s"), Err(ParameterError::NotAParameter("s".into())));
        assert_eq!(given("s="), Err(ParameterError::NoValues("s".into())));
        assert_eq!(given("1s=1..2"), Err(ParameterError::BadName("1s".into())));
    }

    #[test]
    fn several_parameters_make_their_product() {
        let points = points(&[list("a", "1,2"), list("b", "x,y")]).expect("sound");
        let texts: Vec<_> = points.iter().map(|p| substitute("{a}{b} {c}", p)).collect();
        assert_eq!(texts, ["1x {c}", "1y {c}", "2x {c}", "2y {c}"]);
    }

    #[test]
    fn parameters_that_would_be_taken_for_labels_are_refused() {
        let called = |names: &str| {
            let of_name = |name| list(name, "1,2");
            points(&names.split(' ').map(of_name).collect::<Vec<Parameter>>()).map(|all| all.len())
        };
        assert_eq!(called("order benchmark"), Ok(4));
        assert_eq!(
            called("a commit artifact"),
            Err(ParameterError::Taken("`commit`, `artifact`".into()))
        );
    }

    #[test]
    fn a_comma_can_be_part_of_a_value() {
        assert_eq!(list("a", r"1\,2,3").values, ["1,2", "3"]);
        assert_eq!(list("a", "x,").values, ["x", ""]);
        assert_eq!(Parameter::list("a", ""), Err(ParameterError::NoValues("a".into())));
    }

    #[test]
    fn a_placeholder_without_parameter_and_a_parameter_without_placeholder_are_refused() {
        let parameters = [list("size", "1,2")];
        assert!(matches!(
            check(&["run {sise}"], &parameters),
            Err(ParameterError::Unknown { name, .. }) if name == "sise"
        ));
        assert_eq!(check(&["run"], &parameters), Err(ParameterError::Unused("size".into())));
        assert_eq!(check(&["awk '{print $1}' {size}"], &parameters), Ok(()));
        assert_eq!(check(&["awk '{print}'"], &[]), Ok(()));
    }

    #[test]
    fn values_are_not_substituted_again() {
        let point = vec![("a".to_owned(), "{b}".to_owned()), ("b".to_owned(), "1".to_owned())];
        assert_eq!(substitute("{a} {b} {", &point), "{b} 1 {");
    }

    #[test]
    fn a_name_in_two_braces_is_a_name_in_one() {
        let point = vec![("n".to_owned(), "5".to_owned())];
        for (text, expected) in [
            ("awk '{{print}}' {n}", "awk '{print}' 5"),
            ("{{n}} {{{n}}} {{{{n}}}}", "{n} {5} {{n}}"),
            (r#"{"a":{n}} {{n} {n}}"#, r#"{"a":5} {5 5}"#),
            ("{print $1} {{print $1}} {other} {}", "{print $1} {{print $1}} {other} {}"),
        ] {
            assert_eq!(substitute(text, &point), expected);
        }
        assert_eq!(substitute("{{n}}", &Point::new()), "{{n}}", "without parameters");
        let names = |text: &'static str| placeholders(text).collect::<Vec<_>>();
        assert_eq!(names("{{print}} {n} {{{m}}}"), ["n", "m"]);
        assert_eq!(check(&["awk '{{print}}' {n}"], &[list("n", "1")]), Ok(()));
    }

    fn range(text: &str) -> String {
        range_values("x", text).expect("a range").expect("sound").join(" ")
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
            assert_eq!(range_values("x", text), None, "{text}");
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
            let error = range_values("x", text).expect("meant as a range").expect_err("refused");
            assert!(error.to_string().contains(end), "{text}: {error}");
        }
        let error = range_values("n", "1..1048577").expect("a range").expect_err("one too many");
        assert_eq!(error, ParameterError::TooMany { count: 1_048_577, most: 1_048_576 });
    }

    #[test]
    fn ranges_that_lead_nowhere_are_refused() {
        let error = |text: &str| range_values("x", text).expect("a range").expect_err("refused");
        assert!(matches!(error("3..1"), ParameterError::EmptyRange { .. }));
        assert!(matches!(error("1..3:0"), ParameterError::BadStep { .. }));
        assert!(matches!(error("1..3*1"), ParameterError::BadFactor { .. }));
        assert!(matches!(error("0..3*2"), ParameterError::BadFactor { .. }));
        assert!(matches!(error("1..3*x"), ParameterError::NotANumber { .. }));
        assert!(matches!(error("1..1e9"), ParameterError::TooMany { .. }));
        assert!(matches!(error("1..3:"), ParameterError::NotANumber { .. }));
    }
}
