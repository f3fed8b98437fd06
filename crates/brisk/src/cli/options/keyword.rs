//! Options whose values are words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Takes one of these values by its word; help says what each is about.
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
