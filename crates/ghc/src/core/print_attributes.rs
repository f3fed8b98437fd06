//! Attributes of binders, and rules, as text.

use super::arena::{Id, List};
use super::names::Name;
use super::print::{FURTHEST, Item, Place, Printer};
use super::tree::{Attribute, Key, Rule, RuleBody, Unfolding};

impl Printer<'_> {
    pub(super) fn attributes(&mut self, attributes: List<Attribute>, indent: u32) {
        // Lines within the brackets must begin with a blank.
        let deeper = (indent + 2).min(FURTHEST);
        self.then([Item::Text("]")]);
        for (place, attribute) in self.core.attributes[attributes].iter().enumerate().rev() {
            match attribute {
                Attribute::Text(key, text) => self.text_attribute(*key, *text),
                Attribute::Unfolding(id) => {
                    self.unfolding(*id, deeper);
                    self.then([Item::Text("Unf=")]);
                }
                Attribute::Rules(rules) => {
                    for rule in self.core.rules[*rules].iter().rev() {
                        self.then([Item::Line(deeper), Item::Rule(*rule, deeper)]);
                    }
                    self.then([Item::Text("RULES:")]);
                }
            }
            let attached = matches!(attribute, Attribute::Text(Key::Details, _));
            self.then([Item::Text(if place == 0 || attached { "" } else { ", " })]);
        }
        self.then([Item::Text("[")]);
    }

    fn text_attribute(&mut self, key: Key, text: Name) {
        let before = match key {
            Key::Details => return self.then([Item::Text("["), Item::Name(text), Item::Text("]")]),
            Key::Scope | Key::Flag => "",
            Key::Arity => "Arity=",
            Key::CallArity => "CallArity=",
            Key::Caf => "Caf=",
            Key::Strictness => "Str=",
            Key::Cpr => "Cpr=",
            Key::Inline => "InlPrag=",
            Key::Occurrence => "Occ=",
            Key::Demand => "Dmd=",
            Key::OneShot => "OS=",
            Key::Other(key) => {
                return self.then([Item::Name(key), Item::Text("="), Item::Name(text)]);
            }
        };
        self.then([Item::Text(before), Item::Name(text)]);
    }

    pub(super) fn unfolding(&mut self, id: Id<Unfolding>, indent: u32) {
        let (fields, template) = match self.core.unfoldings[id] {
            Unfolding::Text(text) => return self.then([Item::Name(text)]),
            Unfolding::Core(fields, template) => (fields, template),
        };
        self.then([Item::Text("}")]);
        if let Some(template) = template {
            let indent = indent.max(1);
            let expr = Item::Expr(template, Place::Anywhere, indent);
            self.then([Item::Line(indent), Item::Text("Tmpl= "), expr]);
        }
        for (place, field) in self.core.fields[fields].iter().enumerate().rev() {
            let before = Item::Text(if place == 0 { "" } else { ", " });
            self.then([before, Item::Name(field.key), Item::Text("="), Item::Name(field.value)]);
        }
        self.then([Item::Text("Unf{")]);
    }

    pub(super) fn rule(&mut self, rule: Rule, indent: u32) {
        let rewrite = match rule.body {
            RuleBody::BuiltIn(function) => {
                return self.then([
                    Item::Text("Built in rule for "),
                    Item::Name(function),
                    Item::Text(": \""),
                    Item::Name(rule.name),
                    Item::Text("\""),
                ]);
            }
            RuleBody::Rewrite(id) => self.core.rewrites[id],
        };
        let right = Item::Expr(rewrite.right, Place::Anywhere, indent);
        let left = Item::Expr(rewrite.left, Place::Anywhere, indent);
        self.then([Item::Text(". "), left, Item::Text(" = "), right]);
        for binder in self.core.binders[rewrite.binders].iter().rev() {
            self.then([Item::Text(" "), Item::Binder(*binder, indent)]);
        }
        let no_binders = rewrite.binders.is_empty();
        self.then([Item::Text(if no_binders { " forall " } else { " forall" })]);
        if let Some(activation) = rewrite.activation {
            self.then([Item::Text(" "), Item::Name(activation)]);
        }
        self.then([Item::Text("\""), Item::Name(rule.name), Item::Text("\"")]);
    }
}
