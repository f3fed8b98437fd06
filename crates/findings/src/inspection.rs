//! The results of inspections, which have no rounds: an explanation, or the state of a machine.
//!
//! Each is stored, shown and exported like the document of an experiment. Its JSON is of schema
//! `brisk/1`; fields are only ever added.

use serde::{Deserialize, Serialize};

use crate::consistency::within;
use crate::core_difference::CoreDifference;
use crate::doctor::MachineDiagnosis;
use crate::explanation::{Explanation, LispExplanation};
use crate::instructions::InstructionCounts;
use crate::time_profile::TimeProfile;
use crate::{ReadError, SCHEMA};
use model::commission::Kind;
use model::json;

/// A report of one inspection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// `brisk/1`, the name of the format.
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// The verb that requested it.
    #[cfg_attr(feature = "testing", schemars(schema_with = "crate::schema::inspections"))]
    pub kind: Kind,
    /// Facts about the machine.
    #[cfg_attr(feature = "testing", schemars(with = "crate::schema::Facts"))]
    pub machine: serde_json::Value,
    /// Facts about the state of the machine at the beginning.
    #[cfg_attr(feature = "testing", schemars(with = "crate::schema::Facts"))]
    pub conditions: serde_json::Value,
    /// Set if cheap items are shown as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The result.
    #[serde(flatten)]
    pub found: Found,
}

/// The result of an inspection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The reasons for the cost of a program compiled by GHC.
    #[serde(deserialize_with = "json::read_kept")]
    Explanation(Box<Explanation>),
    /// The changes in Core.
    #[serde(deserialize_with = "json::read_kept")]
    CoreDifference(Box<CoreDifference>),
    /// Instructions by function.
    #[serde(deserialize_with = "json::read_kept")]
    Instructions(Box<InstructionCounts>),
    /// Processor time by function, from samples.
    #[serde(deserialize_with = "json::read_kept")]
    TimeProfile(Box<TimeProfile>),
    /// The messages of SBCL on a file.
    #[serde(deserialize_with = "json::read_kept")]
    Lisp(Box<LispExplanation>),
    /// The disturbances of measurements on a machine.
    #[serde(deserialize_with = "json::read_kept")]
    Doctor(Box<MachineDiagnosis>),
}

impl Found {
    /// The verb that requests this.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Explanation(_)
            | Self::CoreDifference(_)
            | Self::Instructions(_)
            | Self::TimeProfile(_)
            | Self::Lisp(_) => Kind::Explain,
            Self::Doctor(_) => Kind::Doctor,
        }
    }
}

impl Inspection {
    /// Reads an inspection, and checks that its parts agree.
    ///
    /// # Errors
    ///
    /// When it is not an inspection, or contradicts itself.
    pub fn read(json: &str) -> Result<Self, ReadError> {
        let inspection: Self = serde_json::from_str(json)?;
        inspection.verify()?;
        Ok(inspection)
    }

    fn verify(&self) -> Result<(), ReadError> {
        if self.schema != SCHEMA {
            return Err(ReadError::Schema(self.schema.clone()));
        }
        if self.kind != self.found.kind() {
            return Err(ReadError::Kind { told: self.kind, found: self.found.kind() });
        }
        match &self.found {
            Found::Explanation(part) => {
                let mut numbers = part.places.iter().flat_map(|place| &place.findings);
                let count = part.findings.len();
                numbers.try_for_each(|one| within("explanation.places", "the finding", *one, count))
            }
            Found::Instructions(part) => part.verify(),
            Found::TimeProfile(part) => part.verify(),
            Found::CoreDifference(_) | Found::Lisp(_) | Found::Doctor(_) => Ok(()),
        }
    }

    /// As JSON, for the store and for other programs.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an inspection has only string keys") + "\n"
    }
}
