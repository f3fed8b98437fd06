//! Numbers that are costlier than machine words: those in boxes, of loops, of mutable references and of
//! arrays, and those of any size.
//!
//! GHC passes a number as a machine word if it is sure that the number is needed. Otherwise it is in a
//! box, which takes two words more and a pointer to it, is allocated for each change, and is looked at
//! by the collector. An `Integer` has no limit, so each operation is a call, and most allocate.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{Bound, Loop, bare, fields, loops, tails_of, variable};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Held;
use super::examine::{Basis, Finding, MOST_SHOWN, Only, in_places};
use super::names::in_source;
use super::program::{Module, Program, Site};
use crate::core::Core;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Alternative, Binder, Expr, Id, LetKind, Pattern, Type};

pub(super) static BOXED_ARGUMENT: Cause = Cause {
    id: "boxed-argument",
    title: "passes itself numbers in boxes",
    about: "The loop computes a number and puts it into a box for the next round, which is allocated \
            and read again.",
    seed: "faster-winter, 1 (boxed and unboxed vectors); case a of the founding measurements",
    needs: &[Need::IdInfo],
    explains: 0.9,
    paid: Paid::Allocations,
    find: find_boxed_argument,
};

fn find_boxed_argument(look: &Look<'_>) -> Vec<Finding> {
    look.loops()
        .filter_map(|it| {
            let core = look.program.core_of(it.site);
            let boxes = boxes(core, &it);
            (!boxes.is_empty()).then(|| boxed_argument(core, &it, boxes))
        })
        .collect()
}

/// True if an expression makes a box each time; that of a literal is made only once.
fn is_new_box(core: &Core, it: Id<Expr>) -> bool {
    core.call(it).is_some_and(|call| {
        Boxed::by(core, call.function).is_some()
            && call.values.iter().any(|it| !matches!(core.exprs[*it], Expr::Literal(_)))
    })
}

/// The boxes made for arguments of a loop's recursive calls.
fn boxes(core: &Core, it: &Loop) -> Vec<Id<Expr>> {
    let bound = Bound::from_core(core, it.binding.right);
    // An argument that every round needs, but that is boxed anyway, is stored in its box in the
    // end.
    let values = it.calls.iter().flat_map(|(_, call)| {
        let numbered = call.values.iter().enumerate();
        numbered.filter(|(number, _)| it.is_lazy(core, *number)).map(|(_, value)| value)
    });
    values.map(|value| bound.behind(*value)).filter(|it| is_new_box(core, *it)).collect()
}

fn boxed_argument(core: &Core, it: &Loop, boxes: Vec<Id<Expr>>) -> Finding {
    let name = in_source(core.text(it.name()));
    Finding {
        what: format!("`{name}` puts a number into a box for each next round"),
        remedy: "let the loop need the number in every round: a bang on the parameter (`!n`), or a \
                 strict field where it is part of a data type; if it is a box because the function is \
                 polymorphic, SPECIALISE or INLINABLE"
            .into(),
        why: format!(
            "Some way through `{name}` does not need the number, or stores it; GHC unboxes only what \
             every way needs."
        ),
        basis: Basis {
            only: Some(Only::Constructors(&BOXES)),
            ..Basis::binding(it.site, it.within)
        },
        ..Finding::at_loop(&BOXED_ARGUMENT, it, boxes)
    }
}

pub(super) static BOXED_REFERENCE: Cause = Cause {
    id: "boxed-reference",
    title: "keeps numbers in mutable references",
    about: "The loop reads a number from an `IORef`, `STRef` or `TVar`, and writes another one in a new \
            box. A number that is passed from round to round stays in a register.",
    seed: "Data.STRef: a reference holds a pointer to a boxed value",
    needs: &[],
    explains: 0.9,
    paid: Paid::Allocations,
    find: find_boxed_reference,
};

fn find_boxed_reference(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let is_loop = |site: &Site| {
        program.module_of(*site).is_recursive(site.top) || !loops(program, *site).is_empty()
    };
    let sites = look.sites().filter(is_loop);
    sites
        .filter_map(|site| {
            let written = written_boxes(program, site);
            (!written.is_empty()).then(|| boxed_reference(program, site, written))
        })
        .collect()
}

/// The writes of boxes made for the write.
fn written_boxes(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let calls = core.calls_within(binding.right).into_iter().filter(|(_, call)| {
        let name = occurrence(core.text(call.function));
        matches!(name, "writeMutVar#" | "writeTVar#" | "atomicWriteMutVar#")
            && call.values.get(1).is_some_and(|value| is_new_box(core, bound.behind(*value)))
    });
    calls.map(|(it, _)| it).collect()
}

fn boxed_reference(program: &Program, site: Site, written: Vec<Id<Expr>>) -> Finding {
    // The written value is computed around the write, and its location may be elsewhere.
    let names = |line: &str| line.contains("Ref") || line.contains("Var");
    let at = written.first().and_then(|it| program.location_of_use(site, *it, names));
    let name = program.name_at(site, at.as_ref()).to_owned();
    let places = in_places(written.len());
    Finding {
        at,
        what: format!(
            "`{name}` writes numbers into mutable references {places}, each in a new box"
        ),
        remedy: "pass the numbers as arguments of the loop, with bangs; where they must be \
                 references, an unboxed array of one element (STUArray, IOUArray) holds them without \
                 boxes"
            .into(),
        why: "A reference can hold any value, so it holds a pointer; GHC does not turn references into \
              arguments."
            .to_owned(),
        basis: Basis { only: Some(Only::Constructors(&BOXES)), ..Basis::site(site) },
        ..Finding::at_site(&BOXED_REFERENCE, site, written.into_iter().take(MOST_SHOWN).collect())
    }
}

pub(super) static BOXED_ELEMENTS: Cause = Cause {
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
    find: find_boxed_elements,
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

fn find_boxed_elements(look: &Look<'_>) -> Vec<Finding> {
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
    users.iter().map(|(boxed, users)| boxed_elements(look, *boxed, users)).collect()
}

/// The operations that make, read and write elements known to be numbers in boxes.
fn operations(program: &Program, site: Site) -> BTreeMap<Boxed, Vec<Id<Expr>>> {
    let core = program.core_of(site);
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
        let core = program.core_of(site);
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
            binders.filter(|it| it.is_value()).map(|it| it.name).collect::<Vec<_>>()
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
        self.program.core_of(self.site)
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
        let core = self.program.core_of(site);
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
    writes.filter_map(|(_, call)| variable(core, *call.values.get(2)?)).collect()
}

fn boxed_elements(look: &Look<'_>, boxed: Boxed, users: &[User]) -> Finding {
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
        let core = program.core_of(first.site);
        core.call(*it).is_some_and(|call| NEW.contains(&occurrence(core.text(call.function))))
    };
    let does = if focus.iter().all(is_new) { "makes" } else { "works on" };
    Finding {
        what: format!("`{name}` {does} an array of pointers to `{number}`s in boxes{others}"),
        remedy: format!(
            "an array that holds each `{number}` itself: Data.Vector.Unboxed (and .Mutable) for \
             Data.Vector, UArray, IOUArray and STUArray for Array, IOArray and STArray, PrimArray for \
             what `primitive` has; unless an element must wait for another one, or may fail"
        ).into(),
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
        ..Finding::at_site(&BOXED_ELEMENTS, first.site, focus)
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

pub(super) static INTEGER_ARITHMETIC: Cause = Cause {
    id: "integer-arithmetic",
    title: "counts with numbers of any size",
    about: "The loop passes itself an `Integer` (or a `Natural`) that it computes in each round. Each \
            operation is a call that looks at the size of the number first.",
    seed: "Haskell 2010 Report, 4.3.4 (ambiguous types and defaulting)",
    needs: &[],
    explains: 0.3,
    paid: Paid::Entries,
    find: find_integer_arithmetic,
};

fn find_integer_arithmetic(look: &Look<'_>) -> Vec<Finding> {
    look.loops()
        .filter_map(|it| {
            let module = look.program.module_of(it.site);
            let core = module.core();
            let steps = steps(module, &it);
            (!steps.is_empty()).then(|| integer_arithmetic(core, &it, steps))
        })
        .collect()
}

/// The operations that make an argument of the next round from the same one of this round, by a
/// constant step. A sum of varying values is not a counter: only the author knows how large it may
/// become.
fn steps(module: &Module, it: &Loop) -> Vec<Id<Expr>> {
    let core = module.core();
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (value, parameter) in call.values.iter().zip(&it.parameters) {
            let value = bound.behind(*value);
            let same = bound.aliases(parameter.name);
            let is_of = |operand: &Id<Expr>| {
                bound.variable(*operand).is_some_and(|name| same.contains(&name))
            };
            let is_constant = |operand: &Id<Expr>| is_constant(module, bound.behind(*operand));
            let is_step = core.call(value).is_some_and(|call| {
                is_operation(core.text(call.function))
                    && call.values.iter().any(is_of)
                    && call.values.iter().any(is_constant)
            });
            if is_step {
                found.push(value);
            }
        }
    }
    found
}

/// True if an expression is a number that is the same in each round: the constructor of a small
/// number around a literal, in place or in a binding of the top level.
fn is_constant(module: &Module, it: Id<Expr>) -> bool {
    let core = module.core();
    let it = match core.exprs[it] {
        Expr::Variable(name) => match module.top(name) {
            Some(top) => bare(core, module.binding(top).right),
            None => return false,
        },
        _ => it,
    };
    let parts = fields(core, it).unwrap_or_else(|| vec![it]);
    parts.iter().all(|part| matches!(core.exprs[bare(core, *part)], Expr::Literal(_)))
}

/// True if a name is that of a counter's step. Products and powers are the usual reason for numbers
/// without a limit.
fn is_operation(name: &str) -> bool {
    matches!(
        occurrence(name),
        "integerAdd"
            | "integerSub"
            | "plusInteger"
            | "minusInteger"
            | "naturalAdd"
            | "naturalSubThrow"
            | "plusNatural"
            | "minusNatural"
    ) && split_unique(name).is_none()
}

fn integer_arithmetic(core: &Core, it: &Loop, steps: Vec<Id<Expr>>) -> Finding {
    let name = in_source(core.text(it.name()));
    Finding {
        what: format!("`{name}` counts with an `Integer`, a number of any size"),
        remedy:
            "if the number fits into 64 bits, say so: a signature, or `:: Int` where it begins; \
                 `-Wtype-defaults` lists the places where nothing says a type"
                .into(),
        why: "GHC cannot know how large the number becomes, and may not let it overflow."
            .to_owned(),
        ..Finding::at_loop(&INTEGER_ARITHMETIC, it, steps)
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
