//! GHC's reports while it compiles a module: rewrite rules that fired, and inlined functions.

/// A rewrite rule that fired: a line of `-ddump-rule-firings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The rule's name, such as `SPEC/Main eval`.
    pub rule: String,
    /// The module of the rule, or `BUILTIN`.
    pub module: Option<String>,
}

/// A function that was inlined: a line of `-ddump-inlinings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlining {
    /// Its name, as in Core.
    pub function: String,
}

/// The firings that a dump lists, in their order.
#[must_use]
pub fn firings(text: &str) -> Vec<Firing> {
    let rules = text.lines().filter_map(|line| line.trim().strip_prefix("Rule fired:"));
    rules
        .map(|rule| {
            let rule = rule.trim();
            let parts = rule.strip_suffix(')').and_then(|rule| rule.rsplit_once(" ("));
            match parts {
                Some((rule, module)) => {
                    Firing { rule: rule.to_owned(), module: Some(module.to_owned()) }
                }
                None => Firing { rule: rule.to_owned(), module: None },
            }
        })
        .collect()
}

/// The inlinings that a dump lists, in their order.
#[must_use]
pub fn inlinings(text: &str) -> Vec<Inlining> {
    let functions = text.lines().filter_map(|line| line.trim().strip_prefix("Inlining done:"));
    functions.map(|function| Inlining { function: function.trim().to_owned() }).collect()
}
