//! A few lines of Core for people.
//!
//! Parts that readers do not need are left out: types, casts, notes of the source, the modules before
//! names and their uniques, and unused binders. If two names would then look the same, both keep their
//! uniques. Parts far from those to be shown become `...`. The text is for reading only; it cannot be
//! parsed again.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::names::{Name, module, occurrence, split_unique};
use super::tree::{Argument, Binder, BinderKind, Binding, Core, Expr, Id, Key, LetKind, Pattern};

/// The most nodes of an expression that stays on its line: some seventy characters.
const MOST_NODES: usize = 12;

/// The most expressions within one in focus that are shown with it: some six lines.
const MOST_WITHIN: usize = 40;

/// The depth beyond which `...` is printed: nobody reads deeper.
const DEEPEST: u32 = 60;

/// A few lines of Core, with marked expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The lines.
    pub text: String,
    /// The byte ranges of the focused expressions in `text`, in order; nested ones each have a
    /// range.
    pub marks: Vec<Range<usize>>,
}

/// The state of printing.
#[derive(Debug)]
struct Reader<'a> {
    core: &'a Core,
    /// Names printed in full, because others look the same without their uniques.
    alike: HashSet<Name>,
    /// The expressions that must be shown, and those around them; `None` for everything.
    shown: Option<HashSet<Id<Expr>>>,
    /// The expressions to be marked.
    focus: HashSet<Id<Expr>>,
    /// Their ranges in the text.
    marks: RefCell<Vec<Range<usize>>>,
}

impl Core {
    /// A binding in the form for people, with the ranges of the expressions of `focus`. Long parts
    /// without any of these are left out; with an empty `focus` nothing is.
    pub fn readable_marked(&self, binding: &Binding, focus: &[Id<Expr>]) -> Readable {
        let reader = Reader {
            core: self,
            alike: self.alike(binding),
            shown: (!focus.is_empty()).then(|| self.around(binding.right, focus)),
            focus: focus.iter().copied().collect(),
            marks: RefCell::default(),
        };
        let mut text = reader.left(binding, &mut binding.parameters_of(self));
        reader.body(binding.right, 2, 0, &mut text);
        let mut marks = reader.marks.into_inner();
        marks.sort_by_key(|mark| (mark.start, mark.end));
        Readable { text, marks }
    }

    /// The names within a binding that look like another one without module and unique.
    fn alike(&self, binding: &Binding) -> HashSet<Name> {
        let mut by_look: HashMap<&str, Name> = HashMap::new();
        let mut alike = HashSet::new();
        for it in self.walk(binding.right) {
            let (Expr::Variable(name) | Expr::Jump(name)) = self.exprs[it] else { continue };
            let other = *by_look.entry(look(self.text(name))).or_insert(name);
            if other != name {
                alike.extend([name, other]);
            }
        }
        alike
    }

    /// The expressions of `focus`, all around them, and the first ones within them.
    fn around(&self, root: Id<Expr>, focus: &[Id<Expr>]) -> HashSet<Id<Expr>> {
        let focus: HashSet<Id<Expr>> = focus.iter().copied().collect();
        let mut around = HashSet::new();
        let mut walk = self.walk(root);
        while let Some(it) = walk.next() {
            if focus.contains(&it) {
                // The expressions around one that is already present are present, too.
                let new = walk.path().iter().rev().copied();
                let _ = new.take_while(|it| around.insert(*it)).count();
                around.extend(self.walk(it).take(MOST_WITHIN));
            }
        }
        around
    }
}

impl Binding {
    fn parameters_of<'a>(&self, core: &'a Core) -> std::slice::Iter<'a, Binder> {
        core.binders[self.parameters].iter()
    }
}

/// A name without module and unique.
fn look(name: &str) -> &str {
    match split_unique(name) {
        Some((stem, _)) => stem,
        None => occurrence(name),
    }
}

impl Reader<'_> {
    fn name(&self, name: Name) -> &str {
        let text = self.core.text(name);
        if self.alike.contains(&name) && module(text).is_none() { text } else { look(text) }
    }

    /// The name of a binding, its parameters, and `=`.
    fn left(&self, binding: &Binding, parameters: &mut dyn Iterator<Item = &Binder>) -> String {
        let mut text = self.name(binding.name).to_owned();
        for parameter in parameters {
            self.parameter(parameter, &mut text);
        }
        text + " ="
    }

    fn parameter(&self, binder: &Binder, text: &mut String) {
        if binder.is_value() {
            text.push(' ');
            let dead = self.core.attribute(binder.notes, Key::Occurrence) == Some("Dead");
            text.push_str(if dead { "_" } else { self.name(binder.name) });
        }
    }

    /// The part after `=`, `->` or `in`: on the same line if it is short.
    fn body(&self, it: Id<Expr>, indent: usize, depth: u32, text: &mut String) {
        if self.is_short(it) {
            text.push(' ');
        } else {
            line(text, indent);
        }
        self.expr(it, indent, depth, text);
    }

    /// True if an expression takes at most one line.
    fn is_short(&self, it: Id<Expr>) -> bool {
        let mut waiting = vec![it];
        let mut nodes = 0;
        while let Some(it) = waiting.pop() {
            nodes += 1;
            if nodes > MOST_NODES {
                return false;
            }
            if self.is_hidden(it) {
                continue;
            }
            let it = self.bare(it);
            match self.core.exprs[it] {
                Expr::Let(..) | Expr::Case(..) | Expr::Lambda(..) => return false,
                _ => self.core.children(it, |child| waiting.push(child)),
            }
        }
        true
    }

    /// The essential expression, without casts, notes and lambdas of types.
    fn bare(&self, mut it: Id<Expr>) -> Id<Expr> {
        loop {
            it = match self.core.exprs[it] {
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
                Expr::Lambda(binders, body)
                    if self.core.binders[binders].iter().all(|it| it.kind == BinderKind::Type) =>
                {
                    body
                }
                Expr::Apply(head, arguments)
                    if !self.core.arguments[arguments]
                        .iter()
                        .any(|argument| matches!(argument, Argument::Value(_))) =>
                {
                    head
                }
                _ => return it,
            };
        }
    }

    /// True if an expression is to be left out.
    fn is_hidden(&self, it: Id<Expr>) -> bool {
        /// Shorter ones are as clear as the dots in their place.
        const SHORT: usize = 6;
        self.shown.as_ref().is_some_and(|shown| {
            !shown.contains(&it) && self.core.walk(it).take(SHORT + 1).count() > SHORT
        })
    }

    fn expr(&self, it: Id<Expr>, indent: usize, depth: u32, text: &mut String) {
        if depth > DEEPEST || self.is_hidden(it) {
            text.push_str("...");
            return;
        }
        let start = text.len();
        self.bare_expr(self.bare(it), indent, depth + 1, text);
        if self.is_in_focus(it) {
            self.marks.borrow_mut().push(start..text.len());
        }
    }

    /// True if an expression, or the one in it behind casts and notes alone, is in focus.
    fn is_in_focus(&self, it: Id<Expr>) -> bool {
        let bare = self.bare(it);
        let mut inner = it;
        loop {
            if self.focus.contains(&inner) {
                return true;
            }
            inner = match self.core.exprs[inner] {
                _ if inner == bare => return false,
                Expr::Cast(next, _) | Expr::Tick(_, next) | Expr::Lambda(_, next) => next,
                Expr::Apply(head, _) => head,
                _ => return false,
            };
        }
    }

    fn bare_expr(&self, it: Id<Expr>, indent: usize, depth: u32, text: &mut String) {
        match self.core.exprs[it] {
            Expr::Variable(name) => text.push_str(self.name(name)),
            Expr::Literal(name) => text.push_str(self.core.text(name)),
            Expr::Jump(name) => {
                text.push_str("jump ");
                text.push_str(self.name(name));
            }
            Expr::Foreign(call, _) => {
                text.push('{');
                text.push_str(self.core.text(call));
                text.push('}');
            }
            Expr::Apply(head, arguments) => {
                self.atom(head, indent, depth, text);
                for argument in &self.core.arguments[arguments] {
                    if let Argument::Value(it) = argument {
                        text.push(' ');
                        self.atom(*it, indent, depth, text);
                    }
                }
            }
            Expr::Lambda(binders, body) => {
                text.push('\\');
                for binder in &self.core.binders[binders] {
                    self.parameter(binder, text);
                }
                text.push_str(" ->");
                self.body(body, indent + 2, depth, text);
            }
            Expr::Let(kind, bindings, body) => {
                self.let_(kind, &self.core.bindings[bindings], indent, depth, text);
                line(text, indent);
                self.expr(body, indent, depth, text);
            }
            Expr::Case(..) => self.case(it, indent, depth, text),
            Expr::Tuple(brackets, elements) => {
                let (open, close) = brackets.texts();
                text.push_str(open);
                for (place, element) in self.core.elements[elements].iter().enumerate() {
                    text.push_str(if place == 0 { "" } else { ", " });
                    self.expr(*element, indent, depth, text);
                }
                text.push_str(close);
            }
            // Both are left out as arguments; alone they are rare.
            Expr::Type(_) => text.push_str("type"),
            Expr::Coercion(_) => text.push_str("coercion"),
            Expr::Cast(..) | Expr::Tick(..) => text.push_str("..."),
        }
    }

    fn atom(&self, it: Id<Expr>, indent: usize, depth: u32, text: &mut String) {
        let is_atom = matches!(
            self.core.exprs[self.bare(it)],
            Expr::Variable(_) | Expr::Literal(_) | Expr::Tuple(..) | Expr::Foreign(..)
        );
        if is_atom || self.is_hidden(it) || depth > DEEPEST {
            return self.expr(it, indent, depth, text);
        }
        text.push('(');
        self.expr(it, indent + 2, depth, text);
        text.push(')');
    }

    fn let_(
        &self,
        kind: LetKind,
        bindings: &[Binding],
        indent: usize,
        depth: u32,
        text: &mut String,
    ) {
        for (place, binding) in bindings.iter().enumerate() {
            let word = match kind {
                LetKind::Let => "let ",
                LetKind::LetRec => "letrec ",
                LetKind::Join => "join ",
                LetKind::JoinRec => "joinrec ",
            };
            if place > 0 {
                line(text, indent);
            }
            text.push_str(if place == 0 { word } else { "and " });
            text.push_str(&self.left(binding, &mut binding.parameters_of(self.core)));
            self.body(binding.right, indent + 2, depth, text);
        }
    }

    fn case(&self, it: Id<Expr>, indent: usize, depth: u32, text: &mut String) {
        let Expr::Case(scrutinee, binder, alternatives) = self.core.exprs[it] else { return };
        text.push_str("case ");
        self.expr(scrutinee, indent + 2, depth, text);
        text.push_str(" of");
        if let Some(binder) = binder {
            self.parameter(&self.core.binders[binder], text);
        }
        text.push_str(" {");
        for alternative in &self.core.alternatives[alternatives] {
            line(text, indent + 2);
            let binders = &self.core.binders[alternative.binders];
            match alternative.pattern {
                Pattern::Default => text.push('_'),
                Pattern::Literal(name) => text.push_str(self.core.text(name)),
                Pattern::Constructor(name) => text.push_str(self.name(name)),
                Pattern::Tuple(_) => text.push_str("(#"),
            }
            for binder in binders {
                self.parameter(binder, text);
            }
            if matches!(alternative.pattern, Pattern::Tuple(_)) {
                text.push_str(" #)");
            }
            text.push_str(" ->");
            self.body(alternative.right, indent + 4, depth, text);
        }
        line(text, indent);
        text.push('}');
    }
}

/// Ends a line and begins the next.
fn line(text: &mut String, indent: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
}
