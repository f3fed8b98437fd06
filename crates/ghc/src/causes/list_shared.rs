//! Lists that are bound once and walked repeatedly.
//!
//! A list of the top level, or one bound outside the function that walks it, is the same for each
//! walk. GHC itself moves lists out of functions (full laziness) if they do not depend on the
//! arguments. As long as another walk may come, all cells walked so far are kept.

use std::collections::{HashMap, HashSet};

use super::bound::{bare, fields, parameters};
use super::cause::Look;
use super::declarations::definition_line;
use super::list_kept::{Walker, local_walkers, takes_lists_apart, walked_by_library};
use super::names::in_source;
use super::program::{Program, Site};
use super::uses::Uses;
use crate::core::Core;
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::tree::{Binding, Expr, Key, LetKind, Type};

/// A list that may be walked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shared {
    /// The binding of the top level that it is, or that contains it.
    pub(super) site: Site,
    /// Its binding within that one; `None` if it is that one.
    pub(super) within: Option<Id<Binding>>,
    /// Set if GHC, and not the source, bound it outside the function that names it.
    pub(super) is_floated: bool,
    /// The expressions that walk it, within that binding of the top level.
    pub(super) walks: Vec<Id<Expr>>,
    /// The number of cells visited by the counted walks.
    cells: u64,
}

/// A list walked more often than this serves as a table: it is cheaper to keep than to make so
/// often. Arbitrary.
const MOST_WALKS: u64 = 20;

/// The most walked list among those that may have `cells` cells.
pub(super) fn shared(look: &Look<'_>, cells: u64) -> Option<Shared> {
    let mut found = of_top_level(look, cells);
    found.extend(look.sites().flat_map(|site| within(look, site, cells)));
    found.into_iter().max_by_key(|it| it.cells)
}

/// A place that names a list.
struct Mention {
    site: Site,
    it: Id<Expr>,
    /// Set if the code around it may run again.
    is_again: bool,
    taken: Taken,
}

/// The use of a list at a place that names it.
enum Taken {
    /// This number of cells is consumed, as far as counted.
    Walked(Option<u64>),
    /// It is searched.
    LookedUp,
    Otherwise,
}

/// Lists of the top level that are made when they are walked, and that are named where another walk
/// may come.
fn of_top_level(look: &Look<'_>, cells: u64) -> Vec<Shared> {
    let program = look.program;
    let is_list = |site: &Site| {
        let core = program.module_of(*site).core();
        let binding = program.binding(*site);
        is_list(core, binding.signature) && parameters(core, binding).is_empty()
    };
    let lists: HashSet<Site> = look.sites().filter(is_list).collect();
    if lists.is_empty() {
        return Vec::new();
    }
    let mut mentions: HashMap<Site, Vec<Mention>> = HashMap::new();
    for site in program.sites() {
        let core = program.module_of(site).core();
        let walkers = local_walkers(program, site);
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            let Expr::Variable(name) = core.exprs[it] else { continue };
            if let Some(list) = program.site_of(site.module, name).filter(|it| lists.contains(it)) {
                let mention = Mention {
                    site,
                    it,
                    is_again: runs_again(core, walk.path()),
                    taken: taken(look, site, &walkers, walk.path()),
                };
                mentions.entry(list).or_default().push(mention);
            }
        }
    }
    let uses = Uses::from_program(program);
    let lists =
        lists.into_iter().filter(|it| fields(core_of(program, *it), root(program, *it)).is_none());
    lists
        .filter_map(|list| {
            // A list with known first cells stands for the rest, too.
            let of = aliases(program, list, &mentions);
            let all: Vec<&Mention> = of
                .iter()
                .filter_map(|it| mentions.get(it))
                .flatten()
                .filter(|it| !of.contains(&it.site))
                .collect();
            let made = uses
                .only_for(&HashSet::from([list]), &HashSet::new())
                .into_iter()
                .chain([list])
                .map(|it| look.costs.most_entries(it))
                .max();
            let signature = program.binding(list).signature;
            let least = own_cells(core_of(program, list), signature, cells) / 2;
            let walked = walked(&all, least, MOST_WALKS * cells, made)?;
            let walks = all.iter().filter(|it| it.site == list).map(|it| it.it).collect();
            let source = program.module_of(list).source.as_ref();
            let name = in_source(program.name(list));
            let is_floated = source.is_some_and(|it| definition_line(&it.text, name).is_none());
            Some(Shared { site: list, within: None, is_floated, walks, cells: walked })
        })
        .collect()
}

fn core_of(program: &Program, site: Site) -> &Core {
    program.module_of(site).core()
}

fn root(program: &Program, site: Site) -> Id<Expr> {
    bare(core_of(program, site), program.binding(site).right)
}

/// A list, and the lists of the top level that only add cells in front of it.
fn aliases(program: &Program, list: Site, mentions: &HashMap<Site, Vec<Mention>>) -> HashSet<Site> {
    let mut aliases = HashSet::from([list]);
    let mut waiting = vec![list];
    while let Some(it) = waiting.pop() {
        for mention in mentions.get(&it).into_iter().flatten() {
            let root = root(program, mention.site);
            if fields(core_of(program, mention.site), root).is_some()
                && aliases.insert(mention.site)
            {
                waiting.push(mention.site);
            }
        }
    }
    aliases
}

/// The number of cells visited by the walks of a list, if it may have been walked again and the
/// number is between `least` and `most`. `made` is the number of runs of code that only the list
/// needs.
fn walked(mentions: &[&Mention], least: u64, most: u64, made: Option<u64>) -> Option<u64> {
    let is_again = mentions.iter().any(|it| it.is_again) || mentions.len() > 1;
    if !is_again || mentions.iter().any(|it| matches!(it.taken, Taken::LookedUp)) {
        return None;
    }
    let counted = mentions.iter().filter_map(|it| match it.taken {
        Taken::Walked(cells) => cells,
        _ => None,
    });
    let walked = counted.sum::<u64>();
    let made = made.unwrap_or(0);
    (walked.max(made) >= least && walked <= most).then_some(walked.max(made))
}

/// Lists that a binding makes outside the functions that walk them.
fn within(look: &Look<'_>, site: Site, cells: u64) -> Vec<Shared> {
    let program = look.program;
    let core = program.module_of(site).core();
    let right = program.binding(site).right;
    let mut lists: HashMap<Name, (Id<Binding>, Id<Expr>)> = HashMap::new();
    for it in core.walk(right) {
        let Expr::Let(LetKind::Let | LetKind::LetRec, group, _) = core.exprs[it] else { continue };
        for id in group.ids().filter(|id| is_list(core, core.bindings[*id].signature)) {
            lists.insert(core.bindings[id].name, (id, it));
        }
    }
    if lists.is_empty() {
        return Vec::new();
    }
    let walkers = local_walkers(program, site);
    let mut mentions: HashMap<Name, Vec<Mention>> = HashMap::new();
    let mut longer: HashMap<Name, Name> = HashMap::new();
    let mut walk = core.walk(right);
    while let Some(it) = walk.next() {
        let Expr::Variable(name) = core.exprs[it] else { continue };
        let Some((_, bound_at)) = lists.get(&name) else { continue };
        let path = walk.path();
        let inner =
            path.iter().position(|it| it == bound_at).map_or(path, |place| &path[place + 1..]);
        if let Some(of) = lists.iter().find(|(_, (id, _))| {
            let right = bare(core, core.bindings[*id].right);
            path.contains(&right) && fields(core, right).is_some()
        }) {
            longer.insert(name, *of.0);
            continue;
        }
        mentions.entry(name).or_default().push(Mention {
            site,
            it,
            is_again: runs_again(core, inner),
            taken: taken(look, site, &walkers, path),
        });
    }
    let made_lists = lists
        .iter()
        .filter(|(_, (id, _))| fields(core, bare(core, core.bindings[*id].right)).is_none());
    made_lists
        .filter_map(|(name, (id, _))| {
            let names =
                std::iter::successors(Some(*name), |it| longer.get(it).copied()).take(lists.len());
            let all: Vec<&Mention> = names.filter_map(|it| mentions.get(&it)).flatten().collect();
            // Two walks in one round are reported by another cause.
            if !all.iter().any(|it| it.is_again) {
                return None;
            }
            let least = own_cells(core, core.bindings[*id].signature, cells) / 2;
            let walked = walked(&all, least, MOST_WALKS * cells, None)?;
            Some(Shared {
                site,
                within: Some(*id),
                is_floated: in_source(core.text(*name)).starts_with("lvl"),
                walks: all.iter().map(|it| it.it).collect(),
                cells: walked,
            })
        })
        .collect()
}

/// The largest share of a list's cells that may belong to the list itself: in a list of lists, most
/// belong to the elements.
fn own_cells(core: &Core, signature: Option<Id<Type>>, cells: u64) -> u64 {
    /// The assumed maximum number of cells of such an element. Arbitrary.
    const LONG: u64 = 32;
    let is_nested = signature.is_some_and(|it| match core.types[it] {
        Type::List(of) => core.type_lists[of].iter().any(|it| is_list(core, Some(*it))),
        _ => false,
    });
    if is_nested { cells / LONG } else { cells }
}

/// True if a type is a list type.
fn is_list(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(|it| matches!(core.types[it], Type::List(_)))
}

/// True if the last expression of a path is within a function that may be called several times.
fn runs_again(core: &Core, path: &[Id<Expr>]) -> bool {
    path.windows(2).any(|pair| match core.exprs[pair[0]] {
        Expr::Lambda(binders, _) => core.binders[binders].iter().any(|it| {
            it.kind == crate::core::tree::BinderKind::Value
                && core.attribute(it.notes, Key::OneShot).is_none()
                && !is_state(core, it.signature)
        }),
        Expr::Let(LetKind::LetRec | LetKind::JoinRec, group, _) => group.ids().any(|id| {
            core.bindings[id].right == pair[1] && !parameters(core, &core.bindings[id]).is_empty()
        }),
        _ => false,
    })
}

/// True if a type is that of the state token passed between actions.
fn is_state(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(|it| match core.types[it] {
        Type::Apply(head, _) => {
            matches!(core.types[head], Type::Name(name) if core.text(name).ends_with("State#"))
        }
        _ => false,
    })
}

/// True if a function is mentioned exactly once outside itself.
fn is_mentioned_once(program: &Program, function: Site) -> bool {
    let mut mentions = program.sites().filter(|site| *site != function).flat_map(|site| {
        let core = program.module_of(site).core();
        let names = core.walk(program.binding(site).right).filter_map(|it| match core.exprs[it] {
            Expr::Variable(name) => Some(name),
            _ => None,
        });
        let is_it = move |name: &Name| program.site_of(site.module, *name) == Some(function);
        names.filter(is_it).collect::<Vec<_>>()
    });
    mentions.next().is_some() && mentions.next().is_none()
}

/// The use of the list that the last expression of a path names.
fn taken(look: &Look<'_>, site: Site, walkers: &HashMap<Name, Walker>, path: &[Id<Expr>]) -> Taken {
    let program = look.program;
    let core = program.module_of(site).core();
    let name = path.last().copied();
    for around in path.iter().rev().skip(1) {
        match core.exprs[*around] {
            Expr::Tick(..) | Expr::Cast(..) => continue,
            Expr::Case(of, ..) if core.walk(of).next().is_some() && path.contains(&of) => {
                return Taken::Walked(None);
            }
            Expr::Apply(..) => {}
            _ => return Taken::Otherwise,
        }
        let Some(call) = core.call(*around) else { return Taken::Otherwise };
        let at = |value: &Id<Expr>| core.walk(*value).any(|it| Some(it) == name);
        let Some(place) = call.values.iter().position(at) else { return Taken::Otherwise };
        if let Some(walker) = walkers.get(&call.function) {
            let entries = look.costs.own_entries(program, site, Some(walker.binding));
            return if walker.place == place { Taken::Walked(entries) } else { Taken::Otherwise };
        }
        let text = core.text(call.function);
        if walked_by_library(text, call.values.len()) == Some(place) {
            return Taken::Walked(None);
        }
        if matches!(in_source(text), "!!" | "lookup" | "elem" | "notElem") {
            return Taken::LookedUp;
        }
        let Some(called) = program.site_of(site.module, call.function) else {
            return Taken::Otherwise;
        };
        return match takes_lists_apart(program, called) {
            // A function that others call also walks other lists.
            Some(of) if of == place => Taken::Walked(
                look.costs
                    .own_entries(program, called, None)
                    .filter(|_| is_mentioned_once(program, called)),
            ),
            _ => Taken::Otherwise,
        };
    }
    Taken::Otherwise
}
