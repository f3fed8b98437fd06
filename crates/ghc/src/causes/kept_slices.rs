//! Slices that keep the array they were cut from.
//!
//! `take`, `breakOn`, `words` and the like copy nothing: a strict `ByteString` or `Text` is a place
//! in an array of bytes, and a part of it is another place in the same array. Keeping a part keeps
//! the whole array.

use std::collections::{HashMap, HashSet};

use super::bound::{bare, body, ends, is_constructor, variable};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::{Held, HeldBytes};
use super::examine::{Basis, Finding, MOST_SHOWN};
use super::names::in_source;
use super::program::{Program, Site};
use super::source::import;
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Binder, Binding, Brackets, Expr, Id, LetKind, Pattern, Type};
use crate::heap_profile::{HeapProfile, HeapSample};

pub(super) static CAUSE: Cause = Cause {
    id: "kept-slices",
    title: "keeps slices of larger texts",
    about: "The function cuts small parts out of a `ByteString` or `Text`, and these are kept. A part is \
            no copy but a place in the array of the whole, so that each keeps all of its array in memory.",
    seed: "Data.ByteString.copy: to avoid keeping a large string alive for a small part of it",
    needs: &[Need::HeapProfile],
    explains: 0.9,
    paid: Paid::Memory,
    find,
};

/// The texts of any program reach a smaller share of the heap's peak. Arbitrary.
const LEAST_SHARE: f64 = 0.5;
/// Fewer bytes do not matter.
const LEAST_BYTES: u64 = 1 << 20;
/// Texts with a smaller mean size than this may really be that long. Arbitrary.
const LEAST_EACH_BYTES: u64 = 256;
/// A function that only returns a part may return it to one that copies it. The copies of a
/// `ByteString` are pinned, and each may keep a block of the heap, so less than a block proves
/// nothing.
const BLOCK_BYTES: u64 = 4096;
/// The least number of moments before the peak with between a tenth and nine tenths of it. Arrays
/// that appear all at once, such as a file that is read, are not kept by slices. Arbitrary.
const LEAST_MOMENTS: usize = 10;

/// The constructors of strict texts and of the pieces of lazy ones, and the bytes of each (64
/// bits).
const VALUES: [(&str, u64); 5] = [
    ("Data.ByteString.Internal.PS", 40),
    ("Data.ByteString.Internal.BS", 32),
    ("Data.ByteString.Internal.Type.BS", 32),
    ("Data.ByteString.Lazy.Internal.Chunk", 48),
    ("Data.Text.Internal.Text", 32),
];

/// The types of strict texts and of their arrays.
const TEXTS: [&str; 6] =
    ["ByteString", "Text", "StrictByteString", "StrictText", "ByteArray#", "ForeignPtrContents"];

/// Functions of `bytestring`, `text` and parsers whose results are parts of their arguments.
const CUTTING: [&str; 48] = [
    "take",
    "drop",
    "splitAt",
    "takeWhile",
    "dropWhile",
    "takeEnd",
    "dropEnd",
    "takeWhileEnd",
    "dropWhileEnd",
    "dropAround",
    "span",
    "spanEnd",
    "break",
    "breakEnd",
    "breakOn",
    "breakOnEnd",
    "breakOnAll",
    "breakSubstring",
    "split",
    "splitOn",
    "splitWith",
    "lines",
    "words",
    "strip",
    "stripStart",
    "stripEnd",
    "stripPrefix",
    "stripSuffix",
    "chunksOf",
    "uncons",
    "unsnoc",
    "tail",
    "init",
    "unsafeTake",
    "unsafeDrop",
    "unsafeTail",
    "group",
    "groupBy",
    "takeWhile1",
    "takeTill",
    "takeByteString",
    "takeText",
    "takeWhileP",
    "takeWhile1P",
    "takeP",
    "match",
    "spaceOut",
    "breakByte",
];
/// Functions that put their arguments into a structure.
const STORING: [&str; 14] = [
    "insert",
    "insertWith",
    "insertWith'",
    "insertWithKey",
    "singleton",
    "alter",
    "adjust",
    "fromList",
    "fromListWith",
    "writeIORef",
    "modifyIORef'",
    "snoc",
    "writeArray",
    "consA",
];

fn find(look: &Look<'_>) -> Vec<Finding> {
    let Some(kept) = look.program.heap.as_ref().and_then(Kept::from_profile) else {
        return Vec::new();
    };
    let cutting = look.sites().filter_map(|site| cutting(look.program, site));
    let has_run =
        |it: &Cutting| look.program.ticky.is_none() || look.costs.most_entries(it.site) > 0;
    // The arrays in the heap are those of the whole program: a function that stores its cuts itself
    // comes first, one that returns a part last, because a parser continues with it; among equals,
    // the one that ran most.
    let is_told = |it: &Cutting| !it.is_result || kept.each >= BLOCK_BYTES;
    let most = cutting
        .filter(|it| has_run(it) && is_told(it))
        .max_by_key(|it| (it.keeps.is_some(), !it.is_result, look.costs.most_entries(it.site)));
    most.map(|it| finding(look.program, it, &kept)).into_iter().collect()
}

/// A growing amount of byte arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kept {
    most: HeldBytes,
    /// The number of bytes for each live text.
    each: u64,
}

impl Kept {
    fn from_profile(heap: &HeapProfile) -> Option<Self> {
        let (moment, most) = Held::Bytes.most(heap)?;
        let near = heap.samples.iter().filter(|it| Held::Bytes.bytes(it) >= most.bytes / 10 * 9);
        let each = most.bytes / near.map(values).max().unwrap_or(0).max(1);
        let between = |sample: &&HeapSample| {
            let bytes = Held::Bytes.bytes(sample);
            bytes > most.bytes / 10 && bytes < most.bytes / 10 * 9
        };
        let moments = heap.samples[..moment].iter().filter(between).count();
        let is_kept = most.bytes >= LEAST_BYTES
            && most.share >= LEAST_SHARE
            && each >= LEAST_EACH_BYTES
            && moments >= LEAST_MOMENTS;
        is_kept.then_some(Self { most, each })
    }
}

/// The number of live texts at a moment.
fn values(sample: &HeapSample) -> u64 {
    let size = |band: &str| {
        let (_, name) = band.split_once(':')?;
        VALUES.iter().find(|(known, _)| *known == name).map(|(_, size)| size)
    };
    sample.bands.iter().filter_map(|(band, bytes)| Some(bytes / size(band)?)).sum()
}

/// Code that cuts texts and passes the parts on.
struct Cutting {
    site: Site,
    /// The call that puts parts into a structure, if it does so itself.
    keeps: Option<Id<Expr>>,
    /// Set if it only returns the part.
    is_result: bool,
    cuts: Vec<Id<Expr>>,
}

fn cutting(program: &Program, site: Site) -> Option<Cutting> {
    let core = program.core_of(site);
    let right = program.binding(site).right;
    let calls = core.calls_within(right);
    let given = Given::from_core(core, right);
    let by_name = |call: &Call| cuts(program, site, core.text(call.function));
    let cuts: HashSet<Id<Expr>> = calls
        .iter()
        .filter(|(_, call)| given.is_cut(core, call) || by_name(call))
        .map(|(it, _)| *it)
        .collect();
    if cuts.is_empty() {
        return None;
    }
    let parts = Parts::from_core(core, right, &cuts);
    let holds = |call: &Call| call.values.iter().any(|it| parts.has(core, *it));
    let mut keeping = calls.iter().filter(|(_, call)| {
        let name = core.text(call.function);
        let is_own = is_constructor(name) && is_own_constructor(program, name);
        (is_own || stores(program, site, call)) && holds(call)
    });
    let keeps = keeping.next().map(|(it, _)| *it);
    // Lists of parts that are not made by a call are inlined pieces of libraries.
    let hands_on = || {
        let ends = ends(core, body(core, program.binding(site)));
        let in_tuple = core.walk(right).any(|it| match core.exprs[it] {
            // Workers return the fields of a constructor in this way.
            Expr::Tuple(brackets, elements) => {
                (brackets == Brackets::Round || ends.contains(&it))
                    && core.elements[elements].iter().any(|it| parts.has(core, *it))
            }
            _ => false,
        });
        in_tuple
            || calls.iter().any(|(it, call)| match core.text(call.function) {
                name if occurrence(name) == "Just" => holds(call),
                name if occurrence(name) == ":" => call.values.first().is_some_and(|first| {
                    core.calls_within(*first).iter().any(|(_, call)| by_name(call))
                }),
                _ => by_name(call) && ends.contains(it),
            })
    };
    let is_result = keeps.is_none() && !hands_on();
    let gives_back = || {
        gives_text(core, program.binding(site))
            && ends(core, body(core, program.binding(site))).iter().any(|it| parts.has(core, *it))
    };
    let shown = calls.iter().map(|(it, _)| *it).filter(|it| cuts.contains(it)).collect();
    (!is_result || gives_back()).then_some(Cutting { site, keeps, is_result, cuts: shown })
}

/// True if the result of a function is a text.
fn gives_text(core: &Core, binding: &Binding) -> bool {
    let signature = binding.signature.map(|it| core.print_type(it));
    let result = signature.as_deref().and_then(|it| it.rsplit("->").next());
    result.is_some_and(|it| TEXTS.contains(&occurrence(it.trim())))
}

/// True if a call puts its arguments into a structure: by its name, or because it is a copy that
/// GHC made of a library's function whose result is such a structure.
fn stores(program: &Program, site: Site, call: &Call) -> bool {
    const STRUCTURES: [&str; 4] = ["Map", "Set", "Seq", "Vector"];
    let name = program.core_of(site).text(call.function);
    let is_copy = || {
        let called = program.site_of(site.module, call.function)?;
        let core = program.core_of(called);
        let signature = core.print_type(program.binding(called).signature?);
        let result = signature.rsplit("->").next()?;
        let is_structure = STRUCTURES.iter().any(|it| result.contains(it));
        Some(is_structure && program.location(called).is_none())
    };
    STORING.contains(&in_source(name)) || is_copy() == Some(true)
}

/// The names that may stand for parts of texts: those taken out of lists and pairs, and the results
/// of cutting.
struct Parts<'a> {
    names: HashSet<Name>,
    cuts: &'a HashSet<Id<Expr>>,
}

impl<'a> Parts<'a> {
    fn from_core(core: &Core, root: Id<Expr>, cuts: &'a HashSet<Id<Expr>>) -> Self {
        let mut parts = Self { names: HashSet::new(), cuts };
        for it in core.walk(root) {
            match core.exprs[it] {
                Expr::Let(_, group, _) => {
                    for binding in &core.bindings[group] {
                        let given = core.binders[binding.parameters].iter();
                        let given =
                            given.filter(|it| is_text(core, it.signature)).map(|it| it.name);
                        parts.names.extend(given);
                        if parts.has(core, binding.right) {
                            parts.names.insert(binding.name);
                        }
                    }
                }
                Expr::Case(of, binder, alternatives) => {
                    let is_part = parts.has(core, of) || takes_out(core, of);
                    let binder = binder.map(|it| core.binders[it].name);
                    parts.names.extend(binder.filter(|_| is_part));
                    for it in &core.alternatives[alternatives] {
                        let is_text = match it.pattern {
                            Pattern::Constructor(name) => is_text_constructor(core.text(name)),
                            _ => true,
                        };
                        if is_part || !is_text {
                            parts.names.extend(core.binders[it.binders].iter().map(|it| it.name));
                        }
                    }
                }
                _ => {}
            }
        }
        parts
    }

    /// True if an expression returns a part.
    fn has(&self, core: &Core, it: Id<Expr>) -> bool {
        ends(core, it).iter().any(|end| {
            let end = bare(core, *end);
            self.cuts.contains(&end)
                || matches!(core.exprs[end], Expr::Variable(name) if self.names.contains(&name))
        })
    }
}

/// True if a call takes an element out of a list or the like.
fn takes_out(core: &Core, it: Id<Expr>) -> bool {
    core.call(bare(core, it)).is_some_and(|call| {
        matches!(
            in_source(core.text(call.function)),
            "!!" | "head" | "last" | "fromJust" | "fst" | "snd"
        )
    })
}

fn is_text_constructor(name: &str) -> bool {
    VALUES.iter().any(|(known, _)| *known == name || occurrence(known) == occurrence(name))
}

/// True if a constructor belongs to one of the program's types.
fn is_own_constructor(program: &Program, name: &str) -> bool {
    match module(name) {
        Some(of) => program.modules.iter().any(|it| it.name == of),
        None => {
            const OTHERS: [&str; 8] = [":", "Just", "Left", "Right", "True", "False", "I#", "C#"];
            !OTHERS.contains(&name) && !name.starts_with(['(', '['])
        }
    }
}

fn cuts(program: &Program, site: Site, name: &str) -> bool {
    split_unique(name).is_none()
        && CUTTING.contains(&in_source(name))
        && module(name).is_some_and(|of| is_of_texts(of) || is_alias(program, site, of))
}

/// True if a module has functions of texts.
fn is_of_texts(module: &str) -> bool {
    ["ByteString", "Text", "Megaparsec"].iter().any(|it| module.contains(it))
}

/// True if a module's source imports such a module as another word.
fn is_alias(program: &Program, site: Site, word: &str) -> bool {
    let Some(source) = &program.module_of(site).source else { return false };
    let mut imports = source.text.lines().filter_map(import);
    imports.any(|it| is_of_texts(it.module) && it.short == word)
}

/// The names that belong to a text.
#[derive(Default)]
struct Given {
    /// By name: the binder group around it. The parts of one text are bound together.
    groups: HashMap<Name, Id<Expr>>,
    /// The arrays among them.
    arrays: HashSet<Name>,
    /// The join points that do not jump to themselves.
    points: HashSet<Name>,
}

impl Given {
    fn from_core(core: &Core, root: Id<Expr>) -> Self {
        let mut given = Self::default();
        for it in core.walk(root) {
            match core.exprs[it] {
                Expr::Lambda(binders, body) => given.add(core, &core.binders[binders], body),
                Expr::Let(kind, bindings, _) => {
                    for binding in &core.bindings[bindings] {
                        given.add(core, &core.binders[binding.parameters], binding.right);
                        given.points.extend((kind == LetKind::Join).then_some(binding.name));
                    }
                }
                Expr::Case(_, _, alternatives) => {
                    for it in &core.alternatives[alternatives] {
                        let Pattern::Constructor(name) = it.pattern else { continue };
                        let binders = &core.binders[it.binders];
                        given.add(core, binders, it.right);
                        let array = array_of(core.text(name)).and_then(|place| binders.get(place));
                        given.arrays.extend(array.map(|it| it.name));
                    }
                }
                _ => {}
            }
        }
        given
    }

    fn add(&mut self, core: &Core, binders: &[Binder], it: Id<Expr>) {
        self.groups.extend(binders.iter().map(|binder| (binder.name, it)));
        let arrays = binders.iter().filter(|it| is_text(core, it.signature));
        self.arrays.extend(arrays.map(|it| it.name));
    }

    /// True if a call makes another text of an array that was given: a constructor, or a jump with
    /// the parts of one, that has the same array, but a place or a length that did not come with
    /// it.
    fn is_cut(&self, core: &Core, call: &Call) -> bool {
        let name = |value: &Id<Expr>| variable(core, *value);
        let is_computed = |value: &Id<Expr>, group: Id<Expr>| {
            let is_literal = matches!(core.exprs[bare(core, *value)], Expr::Literal(_));
            !is_literal && name(value).and_then(|it| self.groups.get(&it)) != Some(&group)
        };
        let is_part = |array: &Id<Expr>, others: &[Id<Expr>]| {
            let group = name(array).and_then(|it| self.groups.get(&it));
            group.is_some_and(|group| others.iter().any(|it| is_computed(it, *group)))
        };
        if let Some(place) = array_of(core.text(call.function)) {
            return call.values.get(place).is_some_and(|array| is_part(array, &call.values));
        }
        // An array is followed by a place in it and a length.
        self.points.contains(&call.function)
            && call.values.windows(3).any(|it| {
                name(&it[0]).is_some_and(|name| self.arrays.contains(&name))
                    && is_part(&it[0], &it[1..])
            })
    }
}

/// The index of the array among the fields of a text constructor.
fn array_of(constructor: &str) -> Option<usize> {
    match (module(constructor)?, occurrence(constructor)) {
        ("Data.ByteString.Internal" | "Data.ByteString.Internal.Type", "PS" | "BS") => Some(1),
        ("Data.Text.Internal", "Text") => Some(0),
        _ => None,
    }
}

fn is_text(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(
        |it| matches!(core.types[it], Type::Name(name) if TEXTS.contains(&occurrence(core.text(name)))),
    )
}

fn finding(program: &Program, it: Cutting, kept: &Kept) -> Finding {
    let Cutting { site, keeps, cuts, .. } = it;
    let what = if keeps.is_some() { "keeps" } else { "hands on" };
    let shown = keeps.or_else(|| cuts.first().copied());
    let at = shown.and_then(|it| program.location_of_code(site, it));
    let name = program.name_at(site, at.as_ref()).to_owned();
    Finding {
        at,
        what: format!(
            "`{name}` cuts texts and {what} the parts, and these keep what they are cut from: arrays of \
             bytes are {:.1} MB of the heap, {:.0} % of its peak, and {} for each text alive",
            kept.most.bytes as f64 / 1e6,
            kept.most.share * 100.0,
            in_bytes(kept.each),
        ),
        remedy: "copy the parts that are kept (`copy` of `Data.ByteString`, `Data.Text`), and evaluate \
                 the copy before it is stored (strict fields, `seq`): else the thunk of the copy keeps the \
                 whole"
            .into(),
        why: "That parts share the array of the whole saves copies, and the collector keeps an array as \
              long as there is any part of it."
            .to_owned(),
        basis: Basis { held: Some(Held::Bytes), ..Basis::site(site) },
        ..Finding::at_site(&CAUSE, site, cuts.into_iter().take(MOST_SHOWN).collect())
    }
}

fn in_bytes(bytes: u64) -> String {
    if bytes < 10_000 { format!("{bytes} bytes") } else { format!("{:.0} kB", bytes as f64 / 1e3) }
}
