//! From tree to text that reads as the same tree.
//!
//! The layout is simpler than GHC's: types are on one line, and every binding, alternative and body
//! begins one. Ambiguous parts of GHC's format get brackets. Pending work is a stack of items, so
//! there is no recursion, however deep the tree is.
//!
//! Types, kinds and coercions as text, with the brackets that reading them needs.
//!
//! Attributes of binders, and rules, as text.

use super::binders::Name;
use super::dump::Dump;
use super::occurrence::is_operator;
use super::tree::Core;
use super::tree::{
    Alternative, Argument, Attribute, Binder, BinderKind, Binding, Brackets, Coercion, Evidence,
    Expr, Group, Key, LetKind, Linear, Pattern, Rule, RuleBody, Size, Top, Type, TypeBinder,
    Unfolding,
};
use super::tree::{Id, List};
use std::fmt::Write as _;

/// Lines are not indented further than this.
pub(super) const FURTHEST: u32 = 80;

/// The position of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Any expression is allowed.
    Anywhere,
    /// Only an expression without need of brackets is allowed.
    Atom,
}

/// The position of a type: the need for brackets grows from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Any type is allowed.
    Any,
    /// Left of an arrow.
    From,
    /// Left of an operator.
    Left,
    /// Right of an operator.
    Right,
    /// Among arguments.
    Atom,
}

/// An item still to be printed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    Text(&'static str),
    Name(Name),
    /// A name at its binding: operators are in brackets.
    Bound(Name),
    Number(u32),
    /// The end of a line, and the number of blanks at the beginning of the next.
    Line(u32),
    Expr(Id<Expr>, Place, u32),
    Type(Id<Type>, Level),
    Argument(Argument, u32),
    Binder(Binder, u32),
    Binding(Binding, u32),
    Alternative(Alternative, u32),
    Attributes(List<Attribute>, u32),
    Rule(Rule, u32),
}

/// Prints a dump.
pub(super) struct Printer<'a> {
    pub(super) core: &'a Core,
    pub(super) text: String,
    pub(super) work: Vec<Item>,
}

impl Dump {
    /// The dump as text, which reads as the same dump except for its line numbers.
    #[must_use]
    pub fn print(&self) -> String {
        let mut printer = Printer::new(&self.core);
        for pass in &self.passes {
            printer.title(pass.title);
            if let Some(size) = pass.size {
                printer.text.push_str("Result size of the pass\n  =");
                printer.size(size);
                printer.text.push('\n');
            }
            for group in &self.core.groups[pass.groups] {
                printer.group(*group);
            }
            if !pass.rules.is_empty() {
                printer.text.push_str("\n------ Local rules for imported ids --------\n");
            }
            for rule in &self.core.rules[pass.rules] {
                printer.run(Item::Rule(*rule, 1));
                printer.text.push('\n');
            }
        }
        printer.text
    }
}

impl Core {
    /// One binding as text, with its signature and attributes.
    #[must_use]
    pub fn print_binding(&self, binding: &Binding) -> String {
        let mut printer = Printer::new(self);
        printer.run(Item::Binding(*binding, 0));
        printer.text
    }

    /// A type as text, on one line.
    #[must_use]
    pub fn print_type(&self, it: Id<Type>) -> String {
        let mut printer = Printer::new(self);
        printer.run(Item::Type(it, Level::Any));
        printer.text
    }
}

impl<'a> Printer<'a> {
    pub(super) fn new(core: &'a Core) -> Self {
        Self { core, text: String::new(), work: Vec::new() }
    }

    fn title(&mut self, title: Option<Name>) {
        if let Some(title) = title {
            let title = self.core.text(title);
            let rule = "=".repeat(20);
            let _ = writeln!(self.text, "\n{rule} {title} {rule}");
        }
    }

    fn size(&mut self, size: Size) {
        let Size { terms, types, coercions, join_points, inner_bindings } = size;
        let _ = writeln!(
            self.text,
            " {{terms: {terms}, types: {types}, coercions: {coercions}, joins: {join_points}/{inner_bindings}}}"
        );
    }

    fn group(&mut self, group: Group) {
        let tops = &self.core.tops[group.bindings];
        if group.recursive {
            self.text.push_str("Rec {\n");
        }
        for (place, Top { binding, size }) in tops.iter().enumerate() {
            if place > 0 {
                self.text.push('\n');
            }
            if let Some(size) = size {
                self.text.push_str("-- RHS size:");
                self.size(*size);
            }
            self.run(Item::Binding(self.core.bindings[*binding], 0));
            self.text.push('\n');
        }
        self.text.push_str(if group.recursive { "end Rec }\n\n" } else { "\n" });
    }

    /// Prints an item with everything in it.
    pub(super) fn run(&mut self, item: Item) {
        self.work.push(item);
        while let Some(item) = self.work.pop() {
            match item {
                Item::Text(text) => self.text.push_str(text),
                Item::Name(name) => self.text.push_str(self.core.text(name)),
                Item::Bound(name) => self.bound(name),
                Item::Number(number) => {
                    let _ = write!(self.text, "{number}");
                }
                Item::Line(indent) => {
                    self.text.push('\n');
                    self.text.extend(std::iter::repeat_n(' ', indent as usize));
                }
                Item::Expr(it, place, indent) => self.expr(it, place, indent),
                Item::Type(it, level) => self.type_(it, level),
                Item::Argument(argument, indent) => self.argument(argument, indent),
                Item::Binder(binder, indent) => self.binder(binder, indent),
                Item::Binding(binding, indent) => self.binding(binding, indent),
                Item::Alternative(alternative, indent) => self.alternative(alternative, indent),
                Item::Attributes(attributes, indent) => self.attributes(attributes, indent),
                Item::Rule(rule, indent) => self.rule(rule, indent),
            }
        }
    }

    /// Puts items before all pending ones.
    pub(super) fn then(
        &mut self,
        items: impl IntoIterator<Item = Item, IntoIter: DoubleEndedIterator>,
    ) {
        self.work.extend(items.into_iter().rev());
    }

    fn bound(&mut self, name: Name) {
        let text = self.core.text(name);
        if is_operator(text) {
            let _ = write!(self.text, "({text})");
        } else {
            self.text.push_str(text);
        }
    }

    fn argument(&mut self, argument: Argument, indent: u32) {
        match argument {
            Argument::Value(it) => self.then([Item::Expr(it, Place::Atom, indent)]),
            Argument::Type(it) => self.then([Item::Text("@"), Item::Type(it, Level::Atom)]),
            Argument::Coercion(it) => {
                self.coercion(it);
                self.then([Item::Text("@~")]);
            }
        }
    }

    fn expr(&mut self, it: Id<Expr>, place: Place, indent: u32) {
        let it = self.core.exprs[it];
        let is_atom = match it {
            Expr::Literal(name) => !self.core.text(name).starts_with("__label"),
            Expr::Variable(_) | Expr::Tuple(..) | Expr::Foreign(..) => true,
            _ => false,
        };
        let brackets = place == Place::Atom && !is_atom;
        if brackets {
            self.work.push(Item::Text(")"));
        }
        self.open_expr(it, indent);
        if brackets {
            self.work.push(Item::Text("("));
        }
    }

    /// An expression without brackets around it.
    fn open_expr(&mut self, it: Expr, indent: u32) {
        let deeper = (indent + 2).min(FURTHEST);
        let anywhere = |it, indent| Item::Expr(it, Place::Anywhere, indent);
        match it {
            Expr::Variable(name) | Expr::Literal(name) => self.then([Item::Name(name)]),
            Expr::Jump(name) => self.then([Item::Text("jump "), Item::Name(name)]),
            Expr::Foreign(call, of) => self.then([
                Item::Text("{"),
                Item::Name(call),
                Item::Text(self.before_foreign_type(call)),
                Item::Type(of, Level::Any),
                Item::Text("}"),
            ]),
            Expr::Apply(head, arguments) => self.application(head, arguments, indent),
            Expr::Lambda(binders, body) => {
                self.then([Item::Text(" ->"), Item::Line(deeper), anywhere(body, deeper)]);
                for binder in self.core.binders[binders].iter().rev() {
                    self.then([Item::Text(" "), Item::Binder(*binder, deeper)]);
                }
                self.then([Item::Text("\\")]);
            }
            Expr::Let(kind, bindings, body) => self.let_(kind, bindings, body, indent),
            Expr::Case(scrutinee, binder, alternatives) => {
                self.then([Item::Line(indent), Item::Text("}")]);
                for alternative in self.core.alternatives[alternatives].iter().rev() {
                    self.then([
                        Item::Line(deeper),
                        Item::Alternative(*alternative, deeper),
                        Item::Text(";"),
                    ]);
                }
                self.then([Item::Text(" {")]);
                if let Some(binder) = binder {
                    self.then([Item::Text(" "), Item::Binder(self.core.binders[binder], deeper)]);
                }
                self.then([Item::Text("case "), anywhere(scrutinee, deeper), Item::Text(" of")]);
            }
            Expr::Cast(it, coercion) => {
                self.coercion(coercion);
                self.then([Item::Expr(it, Place::Atom, indent), Item::Text(" `cast` ")]);
            }
            Expr::Tick(tick, it) => {
                self.then([Item::Name(tick), Item::Text(" "), anywhere(it, indent)]);
            }
            Expr::Tuple(brackets, elements) => self.tuple(brackets, elements, indent),
            Expr::Type(it) => self.then([Item::Text("TYPE: "), Item::Type(it, Level::Any)]),
            Expr::Coercion(it) => {
                self.evidence(it);
                self.then([Item::Text("CO: ")]);
            }
        }
    }

    /// GHC 8 prints nothing between a foreign call and its type.
    fn before_foreign_type(&self, call: Name) -> &'static str {
        let call = self.core.text(call);
        if call.starts_with("__pkg_ccall") || call.starts_with("__dyn_ccall") {
            " "
        } else {
            " :: "
        }
    }

    fn application(&mut self, head: Id<Expr>, arguments: List<Argument>, indent: u32) {
        for argument in self.core.arguments[arguments].iter().rev() {
            self.then([Item::Text(" "), Item::Argument(*argument, indent)]);
        }
        match self.core.exprs[head] {
            jump @ Expr::Jump(_) => self.open_expr(jump, indent),
            _ => self.then([Item::Expr(head, Place::Atom, indent)]),
        }
    }

    fn let_(&mut self, kind: LetKind, bindings: List<Binding>, body: Id<Expr>, indent: u32) {
        let deeper = (indent + 2).min(FURTHEST);
        self.then([
            Item::Line(indent),
            Item::Text("} in"),
            Item::Line(indent),
            Item::Expr(body, Place::Anywhere, indent),
        ]);
        for binding in self.core.bindings[bindings].iter().rev() {
            self.then([Item::Line(deeper), Item::Binding(*binding, deeper), Item::Text(";")]);
        }
        self.then([Item::Text(match kind {
            LetKind::Let => "let {",
            LetKind::LetRec => "letrec {",
            LetKind::Join => "join {",
            LetKind::JoinRec => "joinrec {",
        })]);
    }

    fn tuple(&mut self, brackets: Brackets, elements: List<Id<Expr>>, indent: u32) {
        let (open, close) = brackets_of(brackets);
        let elements = &self.core.elements[elements];
        self.then([Item::Text(if elements.is_empty() { close.trim_start() } else { close })]);
        for (place, element) in elements.iter().enumerate().rev() {
            let before = if place == 0 { "" } else { ", " };
            self.then([Item::Text(before), Item::Expr(*element, Place::Anywhere, indent)]);
        }
        self.then([Item::Text(open)]);
    }

    fn alternative(&mut self, alternative: Alternative, indent: u32) {
        let deeper = (indent + 2).min(FURTHEST);
        let binders = &self.core.binders[alternative.binders];
        self.then([
            Item::Text(" ->"),
            Item::Line(deeper),
            Item::Expr(alternative.right, Place::Anywhere, deeper),
        ]);
        let pattern = match alternative.pattern {
            Pattern::Default => Item::Text("__DEFAULT"),
            Pattern::Literal(name) | Pattern::Constructor(name) => Item::Name(name),
            Pattern::Tuple(brackets) => {
                let (open, close) = brackets_of(brackets);
                self.then([Item::Text(close)]);
                for (place, binder) in binders.iter().enumerate().rev() {
                    let before = if place == 0 { "" } else { ", " };
                    self.then([Item::Text(before), Item::Binder(*binder, indent)]);
                }
                return self.then([Item::Text(open)]);
            }
        };
        for binder in binders.iter().rev() {
            self.then([Item::Text(" "), Item::Binder(*binder, indent)]);
        }
        self.then([pattern]);
    }

    fn binding(&mut self, binding: Binding, indent: u32) {
        let deeper = (indent + 2).min(FURTHEST);
        let Binding { name, signature, notes, info, parameters, right, .. } = binding;
        if let (Expr::Type(_), true) = (self.core.exprs[right], info.is_empty()) {
            let (kind, level) = (BinderKind::Type, deeper);
            let binder = Binder { name, kind, signature, notes, unfolding: None };
            return self.then([
                Item::Binder(binder, level),
                Item::Line(indent),
                Item::Bound(name),
                Item::Text(" = "),
                Item::Expr(right, Place::Anywhere, deeper),
            ]);
        }
        self.then([
            Item::Text(" ="),
            Item::Line(deeper),
            Item::Expr(right, Place::Anywhere, deeper),
        ]);
        for parameter in self.core.binders[parameters].iter().rev() {
            self.then([Item::Text(" "), Item::Binder(*parameter, deeper)]);
        }
        self.then([Item::Bound(name)]);
        if !info.is_empty() {
            self.then([Item::Attributes(info, indent), Item::Line(indent)]);
        }
        if let Some(signature) = signature {
            self.then([Item::Text(" :: "), Item::Type(signature, Level::Any), Item::Line(indent)]);
        } else if !notes.is_empty() {
            self.then([Item::Line(indent)]);
        }
        if !notes.is_empty() {
            self.then([Item::Text(" "), Item::Attributes(notes, deeper)]);
        }
        if signature.is_some() || !notes.is_empty() {
            self.then([Item::Bound(name)]);
        }
    }

    fn binder(&mut self, binder: Binder, indent: u32) {
        let Binder { name, kind, signature, notes, unfolding } = binder;
        if kind == BinderKind::Type {
            return match signature {
                None => self.then([Item::Text("@"), Item::Name(name)]),
                Some(kind) => self.then([
                    Item::Text("@("),
                    Item::Name(name),
                    Item::Text(" :: "),
                    Item::Type(kind, Level::Any),
                    Item::Text(")"),
                ]),
            };
        }
        let brackets = signature.is_some() || unfolding.is_some();
        if brackets {
            self.then([Item::Text(")")]);
        }
        if let Some(unfolding) = unfolding {
            self.unfolding(unfolding, indent);
            self.then([Item::Text(" Unf=")]);
        }
        if let Some(signature) = signature {
            self.then([Item::Text(" :: "), Item::Type(signature, Level::Any)]);
        }
        if !notes.is_empty() {
            self.then([Item::Text(" "), Item::Attributes(notes, indent)]);
        }
        self.then([Item::Text(if brackets { "(" } else { "" }), Item::Bound(name)]);
    }
}

/// The brackets of a tuple, with the blanks inside.
pub(super) fn brackets_of(brackets: Brackets) -> (&'static str, &'static str) {
    match brackets {
        Brackets::Round => ("(", ")"),
        Brackets::Unboxed => ("(# ", " #)"),
        Brackets::Constraint => ("(% ", " %)"),
    }
}

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

    fn infix(&mut self, left: Id<Type>, operator: super::binders::Name, right: Id<Type>) {
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
