//! The kind of a document, told from the parts that only some kinds have.

use serde::Serialize;

use super::Document;
use crate::commission::Kind;

/// A document with its kind, as it is written.
#[derive(Serialize)]
pub struct Written<'a> {
    kind: Kind,
    #[serde(flatten)]
    document: &'a Document,
}

impl Document {
    /// What it is the document of. Commands and suites are measured for histories and checks, too;
    /// what is told then is the history, or how the expectations stand.
    pub fn kind(&self) -> Kind {
        match self {
            Self { check: Some(_), .. } => Kind::Check,
            Self { history: Some(_), .. } => Kind::History,
            Self { sweep: Some(sweep), .. } if sweep.tuning.is_some() => Kind::Tune,
            Self { sweep: Some(_), .. } => Kind::Sweep,
            Self { suite: Some(_), .. } => Kind::Bench,
            _ => Kind::Compare,
        }
    }

    /// The document with its kind, to be written.
    pub fn written(&self) -> Written<'_> {
        Written { kind: self.kind(), document: self }
    }
}
