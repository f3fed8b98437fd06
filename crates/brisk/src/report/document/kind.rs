//! The kind of a document, inferred from the parts that only some kinds have.

use serde::Serialize;

use super::Document;
use model::commission::Kind;

/// A document with its kind, as it is written.
#[derive(Serialize)]
pub struct Written<'a> {
    kind: Kind,
    #[serde(flatten)]
    document: &'a Document,
}

impl Document {
    /// The kind of the document. Histories and checks measure commands and suites too; their
    /// documents count as histories and checks.
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

    /// The document with its kind, for writing.
    pub fn written(&self) -> Written<'_> {
        Written { kind: self.kind(), document: self }
    }
}
