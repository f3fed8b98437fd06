//! Core as text that reads as the same tree: the notation of the expected values of these tests.
//!
//! The layout is simpler than GHC's: types are on one line, and every binding, alternative and body
//! begins one. Ambiguous parts of GHC's format get brackets. Pending work is a stack of items, so
//! there is no recursion, however deep the tree is.

use std::fmt::Write as _;

use ghc::core::names::{Name, is_operator};
use ghc::core::tree::{
    Alternative, Argument, Attribute, Binder, BinderKind, Binding, Brackets, Coercion, Evidence,
    Expr, Group, Id, Key, LetKind, List, Pattern, Rule, RuleBody, Size, Top, Type, Unfolding,
};
use ghc::core::{Core, Dump};

/// Lines are not indented further than this.
const FURTHEST: u32 = 80;

/// The position of an expression or a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anything is allowed.
    Anywhere,
    /// Only what needs no brackets is allowed.
    Atom,
}

/// An item still to be printed.
#[derive(Debug, Clone, Copy)]
enum Item {
    Text(&'static str),
    Name(Name),
    /// A name at its binding: operators are in brackets.
    Bound(Name),
    Number(u32),
    /// The end of a line, and the number of blanks at the beginning of the next.
    Line(u32),
    Expr(Id<Expr>, Place, u32),
    Type(Id<Type>, Place),
    Argument(Argument, u32),
    Binder(Binder, u32),
    Binding(Binding, u32),
    Alternative(Alternative, u32),
    Attributes(List<Attribute>, u32),
    Rule(Rule, u32),
}

/// Prints a dump.
struct Printer<'a> {
    core: &'a Core,
    text: String,
    work: Vec<Item>,
}

/// A dump as text, which reads as the same dump except for its line numbers.
pub(crate) fn dump(dump: &Dump) -> String {
    let mut printer = Printer::new(&dump.core);
    for pass in &dump.passes {
        printer.title(pass.title);
        if let Some(size) = pass.size {
            printer.text.push_str("Result size of the pass\n  =");
            printer.size(size);
            printer.text.push('\n');
        }
        for group in &dump.core.groups[pass.groups] {
            printer.group(*group);
        }
        if !pass.rules.is_empty() {
            printer.text.push_str("\n------ Local rules for imported ids --------\n");
        }
        for rule in &dump.core.rules[pass.rules] {
            printer.run(Item::Rule(*rule, 1));
            printer.text.push('\n');
        }
    }
    printer.text
}

/// One binding as text, with its signature and attributes.
pub(crate) fn binding(core: &Core, binding: &Binding) -> String {
    let mut printer = Printer::new(core);
    printer.run(Item::Binding(*binding, 0));
    printer.text
}

impl<'a> Printer<'a> {
    fn new(core: &'a Core) -> Self {
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
    fn run(&mut self, item: Item) {
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
                Item::Type(it, place) => self.type_(it, place),
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
    fn then(&mut self, items: impl IntoIterator<Item = Item, IntoIter: DoubleEndedIterator>) {
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

    fn type_(&mut self, it: Id<Type>, place: Place) {
        let text = self.core.print_type(it);
        let is_atom = !matches!(
            self.core.types[it],
            Type::Forall(..)
                | Type::VisibleForall(..)
                | Type::Function(..)
                | Type::Linear(_)
                | Type::Implicit(..)
                | Type::Infix(..)
                | Type::Apply(..)
        );
        if place == Place::Anywhere || is_atom {
            self.text.push_str(&text);
        } else {
            let _ = write!(self.text, "({text})");
        }
    }

    fn argument(&mut self, argument: Argument, indent: u32) {
        match argument {
            Argument::Value(it) => self.then([Item::Expr(it, Place::Atom, indent)]),
            Argument::Type(it) => self.then([Item::Text("@"), Item::Type(it, Place::Atom)]),
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
                Item::Type(of, Place::Anywhere),
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
            Expr::Type(it) => self.then([Item::Text("TYPE: "), Item::Type(it, Place::Anywhere)]),
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
        let (open, close) = brackets.texts();
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
                let (open, close) = brackets.texts();
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
            self.then([
                Item::Text(" :: "),
                Item::Type(signature, Place::Anywhere),
                Item::Line(indent),
            ]);
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
                    Item::Type(kind, Place::Anywhere),
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
            self.then([Item::Text(" :: "), Item::Type(signature, Place::Anywhere)]);
        }
        if !notes.is_empty() {
            self.then([Item::Text(" "), Item::Attributes(notes, indent)]);
        }
        self.then([Item::Text(if brackets { "(" } else { "" }), Item::Bound(name)]);
    }
}

impl Printer<'_> {
    /// Puts a coercion before all pending items.
    fn coercion(&mut self, it: Id<Coercion>) {
        let Coercion { evidence, kind } = self.core.coercions[it];
        let bare = matches!((evidence, kind), (Evidence::Size(_), None));
        if !bare {
            self.then([Item::Text(")")]);
        }
        if let Some(kind) = kind {
            self.then([Item::Text(" :: "), Item::Type(kind, Place::Anywhere)]);
        }
        self.evidence(it);
        if !bare {
            self.then([Item::Text("(")]);
        }
    }

    /// Puts the evidence of a coercion before all pending items.
    fn evidence(&mut self, it: Id<Coercion>) {
        match self.core.coercions[it].evidence {
            Evidence::Size(size) => {
                self.then([Item::Text("<Co:"), Item::Number(size), Item::Text(">")]);
            }
            Evidence::Term(it) => self.then([Item::Type(it, Place::Anywhere)]),
        }
    }
}

impl Printer<'_> {
    fn attributes(&mut self, attributes: List<Attribute>, indent: u32) {
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

    fn unfolding(&mut self, id: Id<Unfolding>, indent: u32) {
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

    fn rule(&mut self, rule: Rule, indent: u32) {
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
