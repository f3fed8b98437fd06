//! A few lines of Core for people.
//!
//! Parts that readers do not need are left out: types, casts, notes of the source, the modules
//! before names and their uniques, and unused binders. If two names would then look the same, both
//! keep their uniques. Parts far from those to be shown become `...`. The text is for reading only;
//! it cannot be parsed again.
//!
//! The parts of a dump removed by flags, as far as the dump itself shows.
//!
//! A rule that examines arities finds nothing in a dump without them. To explain that, the dump is
//! searched for suppressed parts. Some cannot be determined: without a single cast it is unknown if
//! coercions would have been shown.

use super::binders::Name;
use super::dump::Dump;
use super::occurrence::{module, occurrence, split_unique};
use super::tree::{
    Argument, Attribute, Binder, BinderKind, Binding, Brackets, Core, Evidence, Expr, Id, Key,
    LetKind, Pattern, Unfolding,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

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
    /// A binding in the form for people. Long parts without any of `focus` are left out; with an
    /// empty `focus` nothing is.
    #[must_use]
    pub fn readable(&self, binding: &Binding, focus: &[Id<Expr>]) -> String {
        self.readable_marked(binding, focus).text
    }

    /// The same, with the ranges of the expressions of `focus`.
    #[must_use]
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
        if binder.kind == BinderKind::Value {
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
                let (open, close) = match brackets {
                    Brackets::Round => ("(", ")"),
                    Brackets::Unboxed => ("(# ", " #)"),
                    Brackets::Constraint => ("(% ", " %)"),
                };
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

/// The presence of a part of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suppression {
    /// It is present.
    Shown,
    /// It was left out, by this flag or one that implies it (`-dsuppress-all` implies most).
    By(&'static str),
    /// The dump does not show it.
    Unknown,
}

/// The parts left out of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppressed {
    /// The uniques after names; without them names of a ticky profile cannot be joined.
    pub uniques: Suppression,
    /// Arity, strictness, occurrences, unfoldings.
    pub idinfo: Suppression,
    /// The types of bindings and parameters. Without them, GHC leaves out the attributes of
    /// bindings, too.
    pub type_signatures: Suppression,
    /// The evidence of casts; its size remains.
    pub coercions: Suppression,
    /// The type arguments of functions.
    pub type_applications: Suppression,
    /// The modules before names.
    pub module_prefixes: Suppression,
    /// The templates of unfoldings.
    pub unfoldings: Suppression,
    /// The notes of the source, which are only made by `-g`: either may be the cause.
    pub ticks: Suppression,
}

/// The number of times that something was seen, and was missing.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    there: usize,
    missing: usize,
}

impl Seen {
    fn note(&mut self, there: bool) {
        if there {
            self.there += 1;
        } else {
            self.missing += 1;
        }
    }

    fn by(self, flag: &'static str) -> Suppression {
        match self {
            Seen { there: 1.., .. } => Suppression::Shown,
            Seen { missing: 1.., .. } => Suppression::By(flag),
            Seen { .. } => Suppression::Unknown,
        }
    }
}

impl Dump {
    /// The parts left out of this dump.
    #[must_use]
    pub fn suppressed(&self) -> Suppressed {
        let core = &self.core;
        let mut signatures = Seen::default();
        let mut idinfo = Seen::default();
        for top in &core.tops {
            let binding = &core.bindings[top.binding];
            signatures.note(binding.signature.is_some());
            idinfo.note(core.attribute(binding.info, Key::Scope).is_some());
        }
        Suppressed {
            uniques: uniques(core).by("-dsuppress-uniques"),
            idinfo: match (signatures.by("-dsuppress-type-signatures"), idinfo) {
                (by @ Suppression::By(_), Seen { there: 0, .. }) => by,
                (_, idinfo) => idinfo.by("-dsuppress-idinfo"),
            },
            type_signatures: signatures.by("-dsuppress-type-signatures"),
            coercions: coercions(core).by("-dsuppress-coercions"),
            type_applications: type_applications(core).by("-dsuppress-type-applications"),
            module_prefixes: module_prefixes(core).by("-dsuppress-module-prefixes"),
            unfoldings: unfoldings(core).by("-dsuppress-unfoldings"),
            ticks: if core.exprs.iter().any(|it| is_source_note(core, it)) {
                Suppression::Shown
            } else {
                Suppression::Unknown
            },
        }
    }
}

/// Local binders end with a unique, if the dump has uniques. A name of the program may look like
/// that, so a few are not evidence: most must.
fn uniques(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for binder in &core.binders {
        let name = core.text(binder.name);
        if name != "_" {
            seen.note(split_unique(name).is_some());
        }
    }
    if seen.there < seen.missing { Seen { there: 0, ..seen } } else { seen }
}

fn coercions(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for coercion in &core.coercions {
        seen.note(matches!(coercion.evidence, Evidence::Term(_)));
    }
    seen
}

/// If types are parameters, some function is applied to one.
fn type_applications(core: &Core) -> Seen {
    let there = core.arguments.iter().filter(|it| matches!(it, Argument::Type(_))).count();
    let missing = core.binders.iter().filter(|binder| binder.kind == BinderKind::Type).count();
    Seen { there, missing }
}

/// Every program uses names of other modules.
fn module_prefixes(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for it in &core.exprs {
        if let Expr::Variable(name) = it {
            seen.note(module(core.text(*name)).is_some());
        }
    }
    seen
}

/// Unfoldings fixed by the program or by a pass are printed with their templates.
fn unfoldings(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for attribute in &core.attributes {
        let Attribute::Unfolding(id) = attribute else { continue };
        if let Unfolding::Core(fields, template) = core.unfoldings[*id] {
            let source = core.fields[fields].iter().find(|field| core.text(field.key) == "Src");
            if source.is_some_and(|field| core.text(field.value) != "<vanilla>") {
                seen.note(template.is_some());
            }
        }
    }
    seen
}

fn is_source_note(core: &Core, it: &Expr) -> bool {
    matches!(it, Expr::Tick(tick, _) if core.text(*tick).starts_with("src<"))
}
