//! The results of inspections, which have no rounds: an explanation, or the state of a machine.
//!
//! Each is stored, shown and exported like the document of an experiment. Its JSON is of schema
//! `brisk/1`; fields are only ever added.

use page::Page;
use serde::{Deserialize, Serialize};

use super::core_difference::document::CoreDifferencePart;
use super::document::{ReadError, SCHEMA, within};
use super::explanation::document::ExplanationPart;
use super::instructions::document::InstructionsPart;
use super::lisp::LispPart;
use super::words::counted;
use super::{core_difference, explanation, instructions, lisp};
use crate::doctor::document::DoctorPart;
use crate::doctor::report as doctor;
use model::commission::Kind;
use model::json;

/// A report of one inspection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inspection {
    /// `brisk/1`, the name of the format.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// The verb that requested it.
    #[cfg_attr(test, schemars(schema_with = "crate::report::schema::inspections"))]
    pub kind: Kind,
    /// Facts about the machine.
    #[cfg_attr(test, schemars(with = "crate::report::schema::Facts"))]
    pub machine: serde_json::Value,
    /// Facts about the state of the machine at the beginning.
    #[cfg_attr(test, schemars(with = "crate::report::schema::Facts"))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The reasons for the cost of a program compiled by GHC.
    #[serde(deserialize_with = "json::read_kept")]
    Explanation(Box<ExplanationPart>),
    /// The changes in Core.
    #[serde(deserialize_with = "json::read_kept")]
    CoreDifference(Box<CoreDifferencePart>),
    /// Instructions by function.
    #[serde(deserialize_with = "json::read_kept")]
    Instructions(Box<InstructionsPart>),
    /// The messages of SBCL on a file.
    #[serde(deserialize_with = "json::read_kept")]
    Lisp(Box<LispPart>),
    /// The disturbances of measurements on a machine.
    #[serde(deserialize_with = "json::read_kept")]
    Doctor(Box<DoctorPart>),
}

impl Found {
    /// The verb that requests this.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Explanation(_)
            | Self::CoreDifference(_)
            | Self::Instructions(_)
            | Self::Lisp(_) => Kind::Explain,
            Self::Doctor(_) => Kind::Doctor,
        }
    }

    /// The title in lists; empty if it is about the machine.
    pub fn title(&self) -> String {
        match self {
            Self::Explanation(part) => part.subject.clone(),
            Self::CoreDifference(part) => {
                format!("{} → {}", part.before.subject, part.after.subject)
            }
            Self::Instructions(part) => {
                let names: Vec<&str> = part.variants.iter().map(|one| &*one.name).collect();
                names.join(" → ")
            }
            Self::Lisp(part) => part.subject.clone(),
            Self::Doctor(_) => "this machine".to_owned(),
        }
    }

    /// The result in a few words, for lists.
    pub fn answer(&self) -> String {
        match self {
            Self::Explanation(part) => counted(part.findings.len(), "finding"),
            Self::CoreDifference(part) => counted(part.changes.len(), "change"),
            Self::Instructions(part) => match part.variants.len() {
                1 => counted(part.functions.len(), "function"),
                _ => format!("{} changed", counted(part.functions.len(), "function")),
            },
            Self::Lisp(part) => {
                let notes: usize = part.forms.iter().map(|form| form.notes).sum();
                counted(notes, "efficiency note")
            }
            Self::Doctor(part) => format!("{} to do", counted(part.advice.len(), "thing")),
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
        inspection.check()?;
        Ok(inspection)
    }

    fn check(&self) -> Result<(), ReadError> {
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
            Found::Instructions(part) => part.check(),
            Found::CoreDifference(_) | Found::Lisp(_) | Found::Doctor(_) => Ok(()),
        }
    }

    /// As JSON, for the store and for other programs.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an inspection has only string keys") + "\n"
    }

    /// Builds the page.
    pub fn page(&self) -> Page {
        match &self.found {
            Found::Explanation(part) => explanation::page::page(part),
            Found::CoreDifference(part) => core_difference::page::page(part),
            Found::Instructions(part) => instructions::page::page(part, self.all),
            Found::Lisp(part) => lisp::page(part),
            Found::Doctor(part) => doctor::page(part),
        }
    }

    /// As Markdown.
    pub fn as_markdown(&self) -> String {
        page::markdown::render(&self.page())
    }
}
