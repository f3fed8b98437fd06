//! The messages of SBCL's compiler and profiler on a file.

use serde::{Deserialize, Serialize};

/// The messages of SBCL on a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispExplanation {
    /// The file.
    pub subject: String,
    /// SBCL's version.
    pub compiler: String,
    /// The number of samples taken by the profiler.
    pub samples: u64,
    /// The functions, ordered by their own samples, most first.
    pub functions: Vec<LispFunction>,
    /// Forms with efficiency notes, those in the costliest functions first.
    pub forms: Vec<LispForm>,
}

/// The samples of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispFunction {
    /// Its name, as SBCL prints it.
    pub name: String,
    /// Samples in the function itself.
    pub itself: u64,
    /// Samples in it or in what it called.
    pub total: u64,
    /// The share of its own samples, with the interval that holds the true share in 95 of 100
    /// programs, if the samples are independent.
    pub share: SampledShare,
}

/// A share, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SampledShare {
    /// The observed share.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A form with efficiency notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispForm {
    /// The enclosing definition.
    pub within: String,
    /// The form.
    pub form: String,
    /// The number of notes.
    pub notes: usize,
    /// The optimisations that the compiler could not do.
    pub what: Vec<String>,
    /// The reasons.
    pub why: Vec<String>,
    /// Samples in the function or in those it called; absent if the profiler did not see it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub samples: Option<u64>,
}
