//! Rewrite rules: those of a function, in its `IdInfo`, and those for functions of other modules,
//! at the end of a pass.

use super::arena::List;
use super::lexer::Kind;
use super::parser::{Parsed, Parser};
use super::tree::{Rewrite, Rule, RuleBody};

/// The beginning of a rule without text.
const BUILT_IN: &[u8] = b"Built in rule for ";

impl Parser<'_> {
    /// Rules from the lexer's position up to the first other item.
    pub(super) fn rules(&mut self) -> Parsed<List<Rule>> {
        let mut rules = Vec::new();
        self.open_template()?;
        self.advance();
        while self.begins_rule() {
            let rule = self.rule()?;
            rules.push(rule);
        }
        self.template_depth -= 1;
        // Items in square brackets are read from the text, not from tokens.
        self.lexer.at = self.token.start;
        Ok(self.core.rules.add_all(rules))
    }

    /// True if a rule begins at the token.
    pub(super) fn begins_rule(&self) -> bool {
        match self.kind {
            Kind::String | Kind::Broken => !self.text().ends_with(b"#"),
            Kind::Name => self.lexer.text[self.token.start..].starts_with(BUILT_IN),
            _ => false,
        }
    }

    /// The rule that begins at the token.
    pub(super) fn rule(&mut self) -> Parsed<Rule> {
        let line = self.lexer.line;
        if self.kind == Kind::Name {
            self.lexer.at = self.token.start + BUILT_IN.len();
            self.advance();
            // `f:` and then the name of the rule.
            let text = self.text();
            let end = self.token.start + text.strip_suffix(b":").unwrap_or(text).len();
            let function = self.raw(self.token.start, end);
            if text.ends_with(b":") {
                self.advance();
            } else {
                self.expect(Kind::Name, "`:` and the name of a rule")?;
            }
            let name = self.rule_name()?;
            return Ok(Rule { name, body: RuleBody::BuiltIn(function), line });
        }
        let name = self.rule_name()?;
        let mut activation = None;
        if self.kind == Kind::OpenSquare {
            let start = self.token.start;
            while self.kind != Kind::CloseSquare {
                if matches!(self.kind, Kind::End | Kind::Broken) {
                    return Err(self.unexpected("the end of a rule's activation"));
                }
                self.advance();
            }
            activation = Some(self.raw(start, self.token.end));
            self.advance();
        }
        if !(self.is(b"forall") || self.is("∀".as_bytes())) {
            return Err(self.unexpected("`forall`"));
        }
        self.advance();
        let binders = self.rule_binders()?;
        let left = self.expression()?;
        self.expect_word(b"=", "`=`")?;
        let right = self.expression()?;
        let rewrite = Rewrite { activation, binders, left, right };
        Ok(Rule { name, body: RuleBody::Rewrite(self.core.rewrites.add(rewrite)), line })
    }

    /// The name of a rule. GHC escapes nothing in it, so the last quote is recognised by the text
    /// after it: the end of the line, the activation, the word `forall`, or the end of the item.
    fn rule_name(&mut self) -> Parsed<super::names::Name> {
        if !matches!(self.kind, Kind::String | Kind::Broken) {
            return Err(self.unexpected("the name of a rule"));
        }
        let start = self.token.start + 1;
        let rest = &self.lexer.text[start..];
        let mut last = None;
        let mut end = None;
        // Not beyond the closing quote: a line may have very many rules.
        for place in memchr::memchr2_iter(b'"', b'\n', rest) {
            if rest[place] == b'\n' {
                break;
            }
            last = Some(place);
            if ends_name(&rest[place + 1..]) {
                end = last;
                break;
            }
        }
        let Some(length) = end.or(last) else {
            return Err(self.unexpected("the end of a rule's name"));
        };
        let name = self.core.names.name_of_bytes(&rest[..length]);
        self.lexer.at = start + length + 1;
        self.token.end = self.lexer.at;
        self.advance();
        Ok(name)
    }

    /// Binders up to the full stop, which GHC prints after the last one without a blank.
    fn rule_binders(&mut self) -> Parsed<List<super::tree::Binder>> {
        let begin = self.pending.binders.len();
        loop {
            if self.is(b".") {
                break;
            }
            if self.kind == Kind::Name && self.text().ends_with(b".") {
                self.cut(self.token.end - 1);
            }
            let binder = self.binder()?;
            self.pending.binders.push(binder);
        }
        self.advance();
        Ok(self.core.binders.add_all(self.pending.binders.drain(begin..)))
    }
}

/// True if this may follow the quote after a rule's name.
fn ends_name(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let rest = &rest[blanks..];
    rest.is_empty()
        || rest[0] == b'\n'
        || rest.starts_with(b"forall")
        || rest.starts_with(b"[")
        || rest.starts_with("∀".as_bytes())
        || matches!(rest[0], b']' | b',')
}
