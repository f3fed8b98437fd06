//! Renamed benchmarks: the names that refer to the same one.

use std::collections::BTreeMap;

/// The current name of each renamed benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    now: BTreeMap<String, String>,
}

/// Renames that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RenameError {
    #[error("`{0}` is renamed to itself")]
    Itself(String),
    #[error("the renames lead in a circle: {}", circle(.0))]
    Circle(Vec<String>),
}

fn circle(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" to ")
}

impl Renames {
    /// Renames of old names to new ones, in any order; a new name may be renamed again.
    ///
    /// # Errors
    ///
    /// When a name leads back to itself.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, RenameError> {
        let pairs: BTreeMap<String, String> = pairs.into_iter().collect();
        let mut now = BTreeMap::new();
        for old in pairs.keys() {
            let mut passed = vec![old.clone()];
            let mut name = old;
            while let Some(next) = pairs.get(name) {
                if next == name {
                    return Err(RenameError::Itself(next.clone()));
                }
                let met = passed.iter().position(|one| one == next);
                passed.push(next.clone());
                if let Some(met) = met {
                    return Err(RenameError::Circle(passed.split_off(met)));
                }
                name = next;
            }
            now.insert(old.clone(), name.clone());
        }
        Ok(Self { now })
    }

    /// The current name of a benchmark with this name.
    pub fn now<'a>(&'a self, name: &'a str) -> &'a str {
        self.now.get(name).map_or(name, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renames(pairs: &[(&str, &str)]) -> Result<Renames, RenameError> {
        Renames::new(pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())))
    }

    #[test]
    fn a_benchmark_that_was_renamed_twice_has_its_last_name() {
        let renames = renames(&[("b", "c"), ("a", "b"), ("x", "c")]).expect("sound");
        assert_eq!(
            ["a", "b", "c", "x", "y"].map(|name| renames.now(name)),
            ["c", "c", "c", "c", "y"]
        );
    }

    #[test]
    fn names_that_lead_back_are_refused() {
        let told = |pairs: &[(&str, &str)]| renames(pairs).expect_err("it cannot be").to_string();
        assert_eq!(told(&[("a", "b"), ("b", "b")]), "`b` is renamed to itself");
        let circle = told(&[("a", "b"), ("b", "c"), ("c", "b")]);
        assert_eq!(circle, "the renames lead in a circle: `b` to `c` to `b`");
    }
}
