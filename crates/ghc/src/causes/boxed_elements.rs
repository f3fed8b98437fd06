//! Arrays of numbers in boxes.
//!
//! An array of `Data.Array.IO` or `Data.Vector.Mutable` holds pointers. If its elements are
//! numbers, each is in a separate box: two words more than the number needs, and one more for the
//! pointer; each write allocates one, each read follows a pointer, and the collector looks at every
//! element.
//!
//! Boxes: the constructors that GHC puts around machine words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{Bound, bare, tails_of};
use super::cause::{Cause, Look, Paid};
use super::costs::Held;
use super::examine::{Basis, Evidence, Finding, Only, Remedy};
use super::program::{Module, Program, Site};
use crate::core::Core;
use crate::core::names::{Name, module, occurrence};
use crate::core::tree::{Alternative, Binder, BinderKind, Expr, Id, LetKind, Pattern, Type};

/// Arrays of numbers in boxes.
pub(super) static CAUSE: Cause = Cause {
    id: "boxed-elements",
    title: "keeps numbers in an array of pointers",
    about: "The elements of the array are pointers to numbers in boxes. Each element takes three words \
            and more where one or less would do, each write allocates, and the collector looks at all \
            of them.",
    seed: "faster-winter, 1 (unboxed vectors: memory -27 %)",
    needs: &[],
    // Case a of the founding measurements: 527 800 bytes live before, 68 520 after.
    explains: 0.87,
    paid: Paid::Memory,
    find,
};

/// Operations that read an element. The element is their last result.
const READ: [&str; 4] = ["readArray#", "readSmallArray#", "indexArray#", "indexSmallArray#"];
/// Operations that write an element. The element is their third argument.
const WRITE: [&str; 2] = ["writeArray#", "writeSmallArray#"];
/// Operations that make an array. The second argument is the initial value of all elements.
const NEW: [&str; 2] = ["newArray#", "newSmallArray#"];
/// Types of arrays of pointers, and wrappers of such; the type of the elements comes last.
const ARRAYS: [&str; 13] = [
    "MutableArray#",
    "SmallMutableArray#",
    "Array#",
    "SmallArray#",
    "IOArray",
    "STArray",
    "Array",
    "MVector",
    "IOVector",
    "STVector",
    "Vector",
    "MutableArray",
    "SmallArray",
];

/// A function that makes, reads or writes such arrays, with these operations.
#[derive(Debug)]
struct User {
    site: Site,
    operations: Vec<Id<Expr>>,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut users: BTreeMap<Boxed, Vec<User>> = BTreeMap::new();
    for (number, module) in look.modules() {
        for site in (0..module.len()).map(|top| Site { module: number, top }) {
            for (boxed, operations) in operations(look.program, site) {
                if !is_filled_by_need(module, boxed) {
                    users.entry(boxed).or_default().push(User { site, operations });
                }
            }
        }
    }
    for users in users.values_mut() {
        // The most costly one represents all.
        users.sort_by_key(|it| {
            let cost = look.costs.site(it.site);
            std::cmp::Reverse((cost.allocated_bytes, cost.entries))
        });
    }
    users.iter().map(|(boxed, users)| finding(look, *boxed, users)).collect()
}

/// The operations that make, read and write elements known to be numbers in boxes.
fn operations(program: &Program, site: Site) -> BTreeMap<Boxed, Vec<Id<Expr>>> {
    let core = program.module_of(site).core();
    let right = program.binding(site).right;
    let mut known = None;
    let mut found: BTreeMap<Boxed, Vec<Id<Expr>>> = BTreeMap::new();
    for (it, call) in core.calls_within(right) {
        let name = occurrence(core.text(call.function));
        let (is_read, is_write) = (READ.contains(&name), WRITE.contains(&name));
        if !is_read && !is_write && !NEW.contains(&name) {
            continue;
        }
        let known = known.get_or_insert_with(|| Known::from_binding(program, site));
        let by_array = call.values.first().and_then(|array| known.array(*array));
        let by_element = || match is_read {
            true => known.read(it),
            false => known.value(*call.values.get(if is_write { 2 } else { 1 })?),
        };
        if let Some(boxed) = by_array.or_else(by_element) {
            found.entry(boxed).or_default().push(it);
        }
    }
    found
}

/// The known facts about the names within a binding.
#[derive(Debug)]
struct Known<'a> {
    program: &'a Program,
    site: Site,
    bound: Bound<'a>,
    /// Names of numbers: by their types, or because a case takes them out of their boxes.
    numbers: HashMap<Name, Boxed>,
    /// Names of arrays, and the names that cases take out of arrays.
    arrays: HashMap<Name, Boxed>,
    /// By the operation that reads it: the name of the element.
    elements: HashMap<Id<Expr>, Name>,
}

impl<'a> Known<'a> {
    fn from_binding(program: &'a Program, site: Site) -> Self {
        let core = program.module_of(site).core();
        let binding = program.binding(site);
        let mut known = Self {
            program,
            site,
            bound: Bound::from_core(core, binding.right),
            numbers: HashMap::new(),
            arrays: HashMap::new(),
            elements: HashMap::new(),
        };
        known.typed(core, &core.binders[binding.parameters]);
        // The walk goes from the outside in, so a value is known before its parts.
        for it in core.walk(binding.right) {
            match core.exprs[it] {
                Expr::Lambda(binders, _) => known.typed(core, &core.binders[binders]),
                Expr::Let(_, bindings, _) => {
                    for binding in &core.bindings[bindings] {
                        known.typed(core, &core.binders[binding.parameters]);
                        known.of_type(core, binding.name, binding.signature);
                    }
                }
                Expr::Case(of, binder, alternatives) => {
                    let binder = binder.map(|binder| core.binders[binder].name);
                    known.case(core, bare(core, of), binder, &core.alternatives[alternatives]);
                }
                _ => {}
            }
        }
        known
    }

    fn typed(&mut self, core: &Core, binders: &[Binder]) {
        for binder in binders {
            self.of_type(core, binder.name, binder.signature);
        }
    }

    fn of_type(&mut self, core: &Core, name: Name, signature: Option<Id<Type>>) {
        let Some(signature) = signature else { return };
        self.numbers.extend(Boxed::of_type(core, signature).map(|it| (name, it)));
        self.arrays.extend(elements_of(core, signature).map(|it| (name, it)));
    }

    fn case(&mut self, core: &Core, of: Id<Expr>, as_: Option<Name>, all: &[Alternative]) {
        let values = |it: &Alternative| {
            let binders = core.binders[it.binders].iter();
            binders.filter(|it| it.kind == BinderKind::Value).map(|it| it.name).collect::<Vec<_>>()
        };
        let Expr::Variable(name) = core.exprs[of] else {
            self.elements.extend(all.first().and_then(|it| Some((of, *values(it).last()?))));
            return;
        };
        for alternative in all {
            if let Pattern::Constructor(constructor) = alternative.pattern
                && let Some(boxed) = Boxed::by(core, constructor)
            {
                self.numbers.extend([Some(name), as_].into_iter().flatten().map(|it| (it, boxed)));
            }
            if let Some(boxed) = self.arrays.get(&name).copied() {
                self.arrays.extend(values(alternative).into_iter().map(|it| (it, boxed)));
            }
        }
    }

    fn core(&self) -> &'a Core {
        self.program.module_of(self.site).core()
    }

    fn array(&self, it: Id<Expr>) -> Option<Boxed> {
        match self.core().exprs[bare(self.core(), it)] {
            Expr::Variable(name) => self.arrays.get(&name).copied(),
            _ => None,
        }
    }

    fn read(&self, operation: Id<Expr>) -> Option<Boxed> {
        self.numbers.get(self.elements.get(&operation)?).copied()
    }

    /// The boxed type of an expression's value, found at one of its ends.
    fn value(&self, it: Id<Expr>) -> Option<Boxed> {
        let core = self.core();
        let mut waiting = vec![it];
        while let Some(it) = waiting.pop() {
            let it = self.bound.behind(it);
            let boxed = match core.exprs[it] {
                Expr::Variable(name) => {
                    self.numbers.get(&name).copied().or_else(|| self.of_top(name))
                }
                _ => core.call(it).and_then(|call| Boxed::by(core, call.function)),
            };
            if boxed.is_some() {
                return boxed;
            }
            tails_of(core, it, &mut waiting);
        }
        None
    }

    fn of_top(&self, name: Name) -> Option<Boxed> {
        let site = self.program.site_of(self.site.module, name)?;
        let core = self.program.module_of(site).core();
        Boxed::of_type(core, self.program.binding(site).signature?)
    }
}

/// The element type of an array type.
fn elements_of(core: &Core, it: Id<Type>) -> Option<Boxed> {
    let Type::Apply(head, arguments) = core.types[it] else { return None };
    let Type::Name(name) = core.types[head] else { return None };
    let is_array = ARRAYS.contains(&occurrence(core.text(name)));
    core.type_lists[arguments].last().filter(|_| is_array).and_then(|it| Boxed::of_type(core, *it))
}

/// True if a module has an array of such elements that is defined by itself: its elements wait for
/// each other, which takes pointers.
fn is_filled_by_need(module: &Module, boxed: Boxed) -> bool {
    let core = module.core();
    let is_one = |signature: Option<Id<Type>>| {
        signature.is_some_and(|it| elements_of(core, it) == Some(boxed))
    };
    (0..module.len()).any(|top| {
        let binding = module.binding(top);
        let has_one = || {
            core.walk(binding.right).any(|it| match core.exprs[it] {
                Expr::Let(LetKind::LetRec, bindings, _) => {
                    core.bindings[bindings].iter().any(|it| is_one(it.signature))
                }
                _ => false,
            })
        };
        (module.is_recursive(top) && is_one(binding.signature)) || has_one()
    })
}

/// The counter rows of the values written into arrays; `None` without CorePrep's dump, which names
/// them.
fn written(look: &Look<'_>, users: &[User]) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for user in users {
        let prep = look.program.module_of(user.site).prep.as_ref()?;
        let core = &prep.core;
        let rows = look.costs.rows(user.site).iter().copied();
        let rows: Vec<(usize, Name)> =
            rows.filter_map(|row| Some((row, core.bindings[look.costs.prep(row)?].name))).collect();
        let names = rows.iter().filter_map(|(row, _)| look.costs.prep(*row));
        let names: HashSet<Name> =
            names.flat_map(|it| elements(core, core.bindings[it].right)).collect();
        found.extend(rows.iter().filter(|(_, name)| names.contains(name)).map(|(row, _)| *row));
    }
    Some(found)
}

/// The names that an expression writes into arrays.
fn elements(core: &Core, root: Id<Expr>) -> Vec<Name> {
    let calls = core.calls_within(root).into_iter();
    let writes = calls.filter(|(_, call)| WRITE.contains(&occurrence(core.text(call.function))));
    writes
        .filter_map(|(_, call)| match core.exprs[bare(core, *call.values.get(2)?)] {
            Expr::Variable(name) => Some(name),
            _ => None,
        })
        .collect()
}

fn finding(look: &Look<'_>, boxed: Boxed, users: &[User]) -> Finding {
    let program = look.program;
    let first = &users[0];
    let at = first.operations.first().and_then(|it| program.location_of_code(first.site, *it));
    let name = program.name_at(first.site, at.as_ref());
    let number = boxed.name();
    let others = match users.len() {
        1 => String::new(),
        2 => " (another function is about such, too)".to_owned(),
        count => format!(" ({} other functions are about such, too)", count - 1),
    };
    let focus = first.operations.clone();
    let is_new = |it: &Id<Expr>| {
        let core = program.module_of(first.site).core();
        core.call(*it).is_some_and(|call| NEW.contains(&occurrence(core.text(call.function))))
    };
    let does = if focus.iter().all(is_new) { "makes" } else { "works on" };
    Finding {
        cause: &CAUSE,
        site: first.site,
        within: None,
        at: None,
        what: format!("`{name}` {does} an array of pointers to `{number}`s in boxes{others}"),
        evidence: vec![Evidence { site: first.site, within: None, focus }],
        remedy: Remedy {
            text: format!(
                "an array that holds each `{number}` itself: Data.Vector.Unboxed (and .Mutable) for \
                 Data.Vector, UArray, IOUArray and STUArray for Array, IOArray and STArray, PrimArray for \
                 what `primitive` has; unless an element must wait for another one, or may fail"
            ),
            change: None,
        },
        why: "An element of such an array may be work put off, and other code may rely on that; so GHC \
              never changes how an array holds its elements."
            .to_owned(),
        basis: Basis {
            only: Some(match written(look, users) {
                Some(rows) => Only::Rows(rows),
                None => Only::Constructors(boxed.constructor()),
            }),
            held: Some(Held::PointerArrays(boxed.constructor())),
            ..Basis::sites(users.iter().map(|it| it.site))
        },
    }
}

/// The constructors.
pub(super) static BOXES: [&str; 13] =
    ["I#", "W#", "C#", "D#", "F#", "I8#", "I16#", "I32#", "I64#", "W8#", "W16#", "W32#", "W64#"];

/// The types of the constructors, in the same order.
const TYPES: [&str; 13] = [
    "Int", "Word", "Char", "Double", "Float", "Int8", "Int16", "Int32", "Int64", "Word8", "Word16",
    "Word32", "Word64",
];

/// A type of numbers in boxes: its index in [`BOXES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Boxed(usize);

impl Boxed {
    /// The type of a constructor.
    pub(super) fn by(core: &Core, constructor: Name) -> Option<Self> {
        let name = core.text(constructor);
        let is_of_ghc = module(name).is_none_or(|from| from.starts_with("GHC."));
        BOXES.iter().position(|it| *it == occurrence(name)).filter(|_| is_of_ghc).map(Self)
    }

    /// The boxed type for a type, if it is one.
    pub(super) fn of_type(core: &Core, it: Id<Type>) -> Option<Self> {
        let Type::Name(name) = core.types[it] else { return None };
        let name = occurrence(core.text(name));
        TYPES.iter().position(|it| *it == name).map(Self)
    }

    /// Its name in the source.
    pub(super) fn name(self) -> &'static str {
        TYPES[self.0]
    }

    /// Its constructor, as a list of one.
    pub(super) fn constructor(self) -> &'static [&'static str] {
        &BOXES[self.0..=self.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Dump;

    #[test]
    fn an_array_that_is_made_from_itself_is_filled_by_need() {
        let module = |kind: &str| {
            let array =
                format!("{kind} {{ table_a1 :: Array Int Int\n[LclId]\ntable_a1 = fill f_a2 }}");
            let text = format!("Main.f :: Int\n[GblId]\nMain.f = {array} in look table_a1\n");
            let dump = Dump::read(text.as_bytes());
            assert_eq!(dump.problems, []);
            Module::new("Main", dump)
        };
        let of = |module: &Module| {
            let core = module.core();
            let numbers = core.walk(module.binding(0).right).find_map(|it| match core.exprs[it] {
                Expr::Let(_, bindings, _) => {
                    elements_of(core, core.bindings[bindings][0].signature?)
                }
                _ => None,
            });
            numbers.expect("an array of numbers")
        };
        for (kind, expected) in [("letrec", true), ("let", false)] {
            let module = module(kind);
            assert_eq!(of(&module).name(), "Int");
            assert_eq!(is_filled_by_need(&module, of(&module)), expected, "{kind}");
        }
    }
}
