//! Options with a fixed set of words as values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser that accepts these values by their words; `about` is the help for each.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = T>,
    word: fn(T) -> &'static str,
    about: fn(T) -> Option<&'static str>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<T> = values.into_iter().collect();
    let possible = |value: &T| match about(*value) {
        Some(about) => PossibleValue::new(word(*value)).help(about),
        None => PossibleValue::new(word(*value)),
    };
    let words: Vec<PossibleValue> = values.iter().map(possible).collect();
    PossibleValuesParser::new(words).map(move |typed| {
        *values.iter().find(|value| word(**value) == typed).expect("only these are taken")
    })
}
