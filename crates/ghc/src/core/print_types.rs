//! Types, kinds and coercions as text, with the brackets that reading them needs.

use super::arena::{Id, List};
use super::occurrence::is_operator;
use super::print::{Item, Level, Printer, brackets_of};
use super::tree::{Coercion, Evidence, Linear, Type, TypeBinder};

impl Printer<'_> {
    /// Puts a coercion before all pending items.
    pub(super) fn coercion(&mut self, it: Id<Coercion>) {
        let Coercion { evidence, kind } = self.core.coercions[it];
        let bare = matches!((evidence, kind), (Evidence::Size(_), None));
        if !bare {
            self.then([Item::Text(")")]);
        }
        if let Some(kind) = kind {
            self.then([Item::Text(" :: "), Item::Type(kind, Level::Any)]);
        }
        self.evidence(it);
        if !bare {
            self.then([Item::Text("(")]);
        }
    }

    /// Puts the evidence of a coercion before all pending items.
    pub(super) fn evidence(&mut self, it: Id<Coercion>) {
        match self.core.coercions[it].evidence {
            Evidence::Size(size) => {
                self.then([Item::Text("<Co:"), Item::Number(size), Item::Text(">")]);
            }
            Evidence::Term(it) => self.then([Item::Type(it, Level::Any)]),
        }
    }

    /// Puts a type before all pending items.
    pub(super) fn type_(&mut self, it: Id<Type>, level: Level) {
        let it = self.core.types[it];
        let needed = match it {
            Type::Forall(..) | Type::VisibleForall(..) => Level::Any,
            Type::Function(..) | Type::Linear(_) => Level::Any,
            Type::Implicit(..) => Level::From,
            Type::Infix(..) => Level::Left,
            Type::Apply(..) => Level::Right,
            Type::Name(_)
            | Type::Literal(_)
            | Type::Invisible(_)
            | Type::Inferred(_)
            | Type::Tuple(..)
            | Type::Sum(_)
            | Type::List(_)
            | Type::Promoted(_)
            | Type::Signature(..)
            | Type::Reflexive(..)
            | Type::Role(..) => Level::Atom,
        };
        if needed < level {
            self.then([Item::Text(")")]);
        }
        self.open_type(it);
        if needed < level {
            self.then([Item::Text("(")]);
        }
    }

    /// A type without brackets around it.
    fn open_type(&mut self, it: Type) {
        match it {
            Type::Name(name) if is_operator(self.core.text(name)) => {
                self.then([Item::Text("("), Item::Name(name), Item::Text(")")]);
            }
            Type::Name(name) | Type::Literal(name) => self.then([Item::Name(name)]),
            Type::Apply(head, arguments) => {
                for argument in self.core.type_lists[arguments].iter().rev() {
                    self.then([Item::Text(" "), Item::Type(*argument, Level::Atom)]);
                }
                self.then([Item::Type(head, Level::Atom)]);
            }
            Type::Invisible(it) => self.then([Item::Text("@"), Item::Type(it, Level::Atom)]),
            Type::Inferred(it) => {
                self.then([Item::Text("@{"), Item::Type(it, Level::Any), Item::Text("}")]);
            }
            Type::Infix(left, operator, right) => self.infix(left, operator, right),
            Type::Function(from, arrow, to) => self.then([
                Item::Type(from, Level::From),
                Item::Text(" "),
                Item::Name(arrow),
                Item::Text(" "),
                Item::Type(to, Level::Any),
            ]),
            Type::Linear(id) => self.linear(self.core.linears[id]),
            Type::Forall(binders, body) => self.forall(binders, ". ", body),
            Type::VisibleForall(binders, body) => self.forall(binders, " -> ", body),
            Type::Tuple(brackets, items) => {
                let (open, close) = brackets_of(brackets);
                self.type_items(open, ", ", items, close);
            }
            Type::Sum(items) => self.type_items("(# ", " | ", items, " #)"),
            Type::List(items) => self.type_items("[", ", ", items, "]"),
            Type::Promoted(it) => {
                self.then([Item::Text(self.tick_before(it)), Item::Type(it, Level::Atom)]);
            }
            Type::Signature(it, kind) => self.then([
                Item::Text("("),
                Item::Type(it, Level::Any),
                Item::Text(" :: "),
                Item::Type(kind, Level::Any),
                Item::Text(")"),
            ]),
            Type::Implicit(name, it) => {
                self.then([Item::Name(name), Item::Text("::"), Item::Type(it, Level::Left)]);
            }
            Type::Reflexive(it, role) => self.then([
                Item::Text("<"),
                Item::Type(it, Level::Any),
                Item::Text(">"),
                Item::Name(role),
            ]),
            Type::Role(it, role) => self.then([
                Item::Text("("),
                Item::Type(it, Level::Any),
                Item::Text(")"),
                Item::Name(role),
            ]),
        }
    }

    fn linear(&mut self, Linear { multiplicity, from, arrow, to }: Linear) {
        self.then([
            Item::Type(from, Level::From),
            Item::Text(" %"),
            Item::Type(multiplicity, Level::Atom),
            Item::Text(" "),
            Item::Name(arrow),
            Item::Text(" "),
            Item::Type(to, Level::Any),
        ]);
    }

    fn infix(&mut self, left: Id<Type>, operator: super::names::Name, right: Id<Type>) {
        let text = self.core.text(operator);
        let is_name = !(text == ";" || text.starts_with('\'') || is_operator(text));
        let (before, after) = if is_name { (" `", "` ") } else { (" ", " ") };
        self.then([
            Item::Type(left, Level::Left),
            Item::Text(before),
            Item::Name(operator),
            Item::Text(after),
            Item::Type(right, Level::Right),
        ]);
    }

    fn forall(&mut self, binders: List<TypeBinder>, after: &'static str, body: Id<Type>) {
        self.then([Item::Text(after), Item::Type(body, Level::Any)]);
        for binder in self.core.type_binders[binders].iter().rev() {
            let TypeBinder { name, kind, inferred } = *binder;
            let (open, close) = match (inferred, kind) {
                (true, _) => (" {", "}"),
                (false, Some(_)) => (" (", ")"),
                (false, None) => (" ", ""),
            };
            self.then([Item::Text(close)]);
            if let Some(kind) = kind {
                self.then([Item::Text(" :: "), Item::Type(kind, Level::Any)]);
            }
            self.then([Item::Text(open), Item::Name(name)]);
        }
        self.then([Item::Text("forall")]);
    }

    fn type_items(
        &mut self,
        open: &'static str,
        between: &'static str,
        items: List<Id<Type>>,
        close: &'static str,
    ) {
        let items = &self.core.type_lists[items];
        self.then([Item::Text(if items.is_empty() { close.trim_start() } else { close })]);
        for (place, item) in items.iter().enumerate().rev() {
            let before = Item::Text(if place == 0 { "" } else { between });
            self.then([before, Item::Type(*item, Level::Any)]);
        }
        self.then([Item::Text(open)]);
    }

    /// The tick before a promoted constructor. Without a blank, that of `T'` would read as a
    /// character.
    fn tick_before(&self, it: Id<Type>) -> &'static str {
        match self.core.types[it] {
            Type::Name(name) if self.core.text(name).chars().nth(1) == Some('\'') => "' ",
            _ => "'",
        }
    }
}
