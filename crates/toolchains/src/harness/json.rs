//! Reading JSON that is only partly known: unknown parts are ignored, missing required ones are
//! errors.

use serde_json::Value;

use super::measurement::HarnessError;

pub(super) fn parse(file: &str, text: &str) -> Result<Value, HarnessError> {
    serde_json::from_str(text)
        .map_err(|source| HarnessError::Json { file: file.to_owned(), source })
}

pub(super) fn lacking(file: &str, what: impl Into<String>) -> HarnessError {
    HarnessError::Lacking { what: what.into(), file: file.to_owned() }
}

/// A list of a JSON object.
pub(super) fn list<'a>(
    value: &'a Value,
    key: &str,
    file: &str,
) -> Result<&'a Vec<Value>, HarnessError> {
    value[key].as_array().ok_or_else(|| lacking(file, format!("list `{key}`")))
}

/// A text of a JSON object.
pub(super) fn text<'a>(value: &'a Value, key: &str, file: &str) -> Result<&'a str, HarnessError> {
    value[key].as_str().ok_or_else(|| lacking(file, format!("text `{key}`")))
}

/// A whole number, even if written with a decimal point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(super) fn whole(value: &Value) -> Option<u64> {
    let of_float = |value: f64| {
        let fits = value.fract() == 0.0 && (0.0..9.0e15).contains(&value);
        fits.then_some(value as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(of_float))
}
