//! Coercions: in full, or reduced to their size.
//!
//! `-dsuppress-coercions` leaves `<Co:7>`. From GHC 9.4 on the types of the coercion follow it,
//! without brackets; `-dsuppress-coercion-types` makes them `...`.

use super::arena::Id;
use super::lexer::Kind;
use super::parser::{Parsed, Parser};
use super::tree::{Coercion, Evidence, Type};

impl Parser<'_> {
    /// A coercion: its size or its evidence in brackets, and its types.
    pub(super) fn coercion(&mut self, among_arguments: bool) -> Parsed<Id<Coercion>> {
        if self.begins_size() {
            let follow = std::mem::replace(&mut self.values_follow, among_arguments);
            let coercion = self.sized_coercion()?;
            self.values_follow = follow;
            return Ok(self.core.coercions.add(coercion));
        }
        self.expect(Kind::Open, "a coercion")?;
        let follow = std::mem::replace(&mut self.values_follow, false);
        // GHC puts no brackets around a size; this crate's printer does if types follow.
        let coercion = if self.begins_size() {
            self.sized_coercion()?
        } else {
            let before = std::mem::replace(&mut self.evidence, true);
            let evidence = Evidence::Term(self.type_()?);
            let kind = self.kind_of_coercion()?;
            self.evidence = before;
            Coercion { evidence, kind }
        };
        self.values_follow = follow;
        self.expect(Kind::Close, "the end of a coercion")?;
        Ok(self.core.coercions.add(coercion))
    }

    fn begins_size(&self) -> bool {
        self.kind == Kind::Name && self.text().starts_with(b"<Co:")
    }

    /// `<Co:7>`, and its types.
    fn sized_coercion(&mut self) -> Parsed<Coercion> {
        let digits = self.text().strip_prefix(b"<Co:").and_then(|rest| rest.strip_suffix(b">"));
        let size = digits.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
        let Some(size) = size else {
            return Err(self.unexpected("the size of a coercion"));
        };
        self.advance();
        Ok(Coercion { evidence: Evidence::Size(size), kind: self.kind_of_coercion()? })
    }

    /// `:: a ~R# b`, or `:: ...` with `-dsuppress-coercion-types`.
    fn kind_of_coercion(&mut self) -> Parsed<Option<Id<Type>>> {
        if !self.is_signature() {
            return Ok(None);
        }
        self.advance();
        if self.is(b"...") {
            self.advance();
            return Ok(None);
        }
        self.type_().map(Some)
    }

    /// The evidence after `CO:`, without brackets and types.
    pub(super) fn bare_coercion(&mut self) -> Parsed<Id<Coercion>> {
        if self.begins_size() {
            return self.coercion(false);
        }
        let before = std::mem::replace(&mut self.evidence, true);
        let evidence = Evidence::Term(self.type_()?);
        self.evidence = before;
        Ok(self.core.coercions.add(Coercion { evidence, kind: None }))
    }
}
