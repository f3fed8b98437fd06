//! Claims that a benchmark is made of others: `transform = 6 * step + copy`.
//!
//! With `>=` in place of `=` the whole may do more. The names are those listed by the program; the
//! signs between them have spaces around them, so names need no quotes. A name that contains such a
//! sign between spaces cannot be part of a claim.

use stats::parts::Claim;

/// A benchmark claimed to be made of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The claim, as typed.
    pub text: String,
    /// The whole, by its index in the suite.
    pub whole: usize,
    /// The kind of claim: whether the whole may do more.
    pub claim: Claim,
    /// The number of times that it contains each benchmark.
    pub parts: Vec<(f64, usize)>,
}

/// The reason that a claim is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum MadeError {
    #[error("`{text}` is not a claim; write WHOLE = TIMES * PART + PART")]
    NoClaim { text: String },
    #[error("`{text}` names `{name}`, which is not a benchmark of the suite")]
    Unknown { text: String, name: String },
    #[error("`{text}` says that `{name}` is made of itself")]
    OfItself { text: String, name: String },
}

impl Made {
    /// Parses a claim about these benchmarks.
    ///
    /// # Errors
    ///
    /// When it is not a claim, or names a benchmark not among these.
    pub fn parse(text: &str, benchmarks: &[String]) -> Result<Self, MadeError> {
        let no_claim = || MadeError::NoClaim { text: text.to_owned() };
        let (whole, claim, sum) = match (text.split_once(" >= "), text.split_once(" = ")) {
            (Some((whole, sum)), _) => (whole, Claim::AtLeastSum, sum),
            (None, Some((whole, sum))) => (whole, Claim::Sum, sum),
            (None, None) => return Err(no_claim()),
        };
        let place = |name: &str| {
            let name = name.trim();
            let known = benchmarks.iter().position(|known| known == name);
            known.ok_or_else(|| MadeError::Unknown { text: text.to_owned(), name: name.to_owned() })
        };
        let whole = place(whole)?;
        let mut parts = Vec::new();
        for part in sum.split(" + ") {
            let (times, name) = match part.split_once(" * ") {
                Some((times, name)) => (times.trim().parse().map_err(|_| no_claim())?, name),
                None => (1.0, part),
            };
            if !(f64::is_finite(times) && times > 0.0) {
                return Err(no_claim());
            }
            let part = place(name)?;
            if part == whole {
                let name = benchmarks[whole].clone();
                return Err(MadeError::OfItself { text: text.to_owned(), name });
            }
            parts.push((times, part));
        }
        Ok(Self { text: text.to_owned(), whole, claim, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_a_whole_and_its_parts() {
        let names = ["dwt", "step", "a=b, c*d"].map(str::to_owned);
        let made = Made::parse("dwt = 6 * step + a=b, c*d", &names).expect("a claim");
        assert_eq!((made.whole, made.claim), (0, Claim::Sum));
        assert_eq!(made.parts, [(6.0, 1), (1.0, 2)]);
        let made = Made::parse("dwt >= 0.5 * step", &names).expect("a claim");
        assert_eq!((made.claim, made.parts), (Claim::AtLeastSum, vec![(0.5, 1)]));
    }

    #[test]
    fn what_is_no_claim_is_refused() {
        let names = ["dwt", "step"].map(str::to_owned);
        let message = |text: &str| Made::parse(text, &names).expect_err("refused").to_string();
        for text in ["", "dwt", "dwt = -1 * step", "dwt = x * step", "dwt = NaN * step"] {
            assert!(message(text).contains("is not a claim"), "{text}: {}", message(text));
        }
        assert!(message("dwt = 6 * stop").contains("names `stop`"));
        assert!(message("dwd = 6 * step").contains("names `dwd`"));
        assert!(message("dwt = ").contains("names ``"));
        assert!(message("dwt = 2 * dwt").contains("is made of itself"));
    }
}
