//! Names, results and recursion of functions: the values behind the names within a binding, the uses
//! between bindings of the top level across modules, the results of functions, parameters that are
//! continuations, and recursive functions.

use std::collections::{HashMap, HashSet};

use super::overloading::implementation_of;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Argument, Binder, Binding, Expr, Id, Key, LetKind, Pattern};

/// The longest chain of names that is followed; a dump with `x = y; y = x` has no end.
const LONGEST_CHAIN: usize = 50;

/// The names that a binding's right-hand side binds.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    core: &'a Core,
    /// By name: the expression that a `let` binds to it. Join points are not values.
    lets: HashMap<Name, Id<Expr>>,
    /// The cases that scrutinise a variable.
    cases: Vec<Case>,
}

/// A case that scrutinises a variable.
#[derive(Debug)]
struct Case {
    of: Name,
    /// The case binder: the other name of the value in the alternatives.
    binder: Option<Name>,
    /// The constructor of each alternative, if it has one, and the names of its fields.
    alternatives: Vec<(Option<Name>, Vec<Name>)>,
}

impl<'a> Bound<'a> {
    /// The names within `root`.
    pub(super) fn from_core(core: &'a Core, root: Id<Expr>) -> Self {
        let mut lets = HashMap::new();
        let mut cases = Vec::new();
        for it in core.walk(root) {
            match core.exprs[it] {
                Expr::Let(LetKind::Let | LetKind::LetRec, bindings, _) => {
                    lets.extend(core.bindings[bindings].iter().map(|it| (it.name, it.right)));
                }
                Expr::Case(scrutinee, binder, alternatives) => {
                    let Some(name) = variable(core, scrutinee) else { continue };
                    let alternatives = core.alternatives[alternatives].iter().map(|it| {
                        let constructor = match it.pattern {
                            Pattern::Constructor(name) => Some(name),
                            _ => None,
                        };
                        let names = values(&core.binders[it.binders]).map(|it| it.name);
                        (constructor, names.collect())
                    });
                    cases.push(Case {
                        of: name,
                        binder: binder.map(|binder| core.binders[binder].name),
                        alternatives: alternatives.collect(),
                    });
                }
                _ => {}
            }
        }
        Self { core, lets, cases }
    }

    /// The expression behind casts, notes, and names that a `let` binds.
    pub(super) fn behind(&self, it: Id<Expr>) -> Id<Expr> {
        let mut it = bare(self.core, it);
        for _ in 0..LONGEST_CHAIN {
            let Expr::Variable(name) = self.core.exprs[it] else { break };
            let Some(next) = self.lets.get(&name) else { break };
            it = bare(self.core, *next);
        }
        it
    }

    /// The same, if it is a name.
    pub(super) fn variable(&self, it: Id<Expr>) -> Option<Name> {
        variable(self.core, self.behind(it))
    }

    /// A name, and all names that cases bind to parts of its value.
    pub(super) fn parts(&self, name: Name) -> HashSet<Name> {
        let mut parts = HashSet::from([name]);
        // Cases are in the order of the walk, so outer ones come before inner ones.
        for case in &self.cases {
            if parts.contains(&case.of) {
                parts.extend(case.binder);
                parts.extend(case.alternatives.iter().flat_map(|(_, names)| names));
            }
        }
        parts
    }

    /// A name, and the other names that cases give to its value.
    pub(super) fn aliases(&self, name: Name) -> HashSet<Name> {
        let mut aliases = HashSet::from([name]);
        for case in &self.cases {
            if aliases.contains(&case.of) {
                aliases.extend(case.binder);
            }
        }
        aliases
    }

    /// The names that cases give to field `number` of a value made with this constructor.
    pub(super) fn fields(&self, name: Name, by: Option<Name>, number: usize) -> HashSet<Name> {
        let aliases = self.aliases(name);
        let cases = self.cases.iter().filter(|case| aliases.contains(&case.of));
        let alternatives = cases.flat_map(|case| &case.alternatives).filter(|(it, _)| *it == by);
        alternatives
            .filter_map(|(_, names)| names.get(number))
            .flat_map(|name| self.aliases(*name))
            .collect()
    }

    /// True if an expression uses one of the names, directly or through a `let`.
    pub(super) fn uses(&self, it: Id<Expr>, names: &HashSet<Name>) -> bool {
        let mut waiting = vec![it];
        let mut seen = HashSet::new();
        while let Some(root) = waiting.pop() {
            for it in self.core.walk(root) {
                let (Expr::Variable(name) | Expr::Jump(name)) = self.core.exprs[it] else {
                    continue;
                };
                if names.contains(&name) {
                    return true;
                }
                if let Some(bound) = self.lets.get(&name)
                    && seen.insert(name)
                {
                    waiting.push(*bound);
                }
            }
        }
        false
    }
}

/// The expression without casts, notes, and type arguments or parameters.
pub(super) fn bare(core: &Core, mut it: Id<Expr>) -> Id<Expr> {
    loop {
        it = match core.exprs[it] {
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
            Expr::Lambda(binders, body) if values(&core.binders[binders]).next().is_none() => body,
            Expr::Apply(head, arguments)
                if !core.arguments[arguments].iter().any(|it| matches!(it, Argument::Value(_))) =>
            {
                head
            }
            _ => return it,
        };
    }
}

/// The name that an expression is behind casts, notes and types.
pub(super) fn variable(core: &Core, it: Id<Expr>) -> Option<Name> {
    match core.exprs[bare(core, it)] {
        Expr::Variable(name) => Some(name),
        _ => None,
    }
}

/// The binders that stand for values.
fn values(binders: &[Binder]) -> impl Iterator<Item = &Binder> {
    binders.iter().filter(|it| it.is_value())
}

/// The value parameters at the beginning of a binding, seen through casts, notes and types.
pub(crate) fn parameters(core: &Core, binding: &Binding) -> Vec<Binder> {
    let mut all: Vec<Binder> = values(&core.binders[binding.parameters]).copied().collect();
    all.extend(lambda_parameters(core, binding.right));
    all
}

/// The same at the beginning of an expression.
pub(super) fn lambda_parameters(core: &Core, root: Id<Expr>) -> Vec<Binder> {
    let mut all = Vec::new();
    let mut body = root;
    loop {
        body = match core.exprs[body] {
            Expr::Lambda(binders, inner) => {
                all.extend(values(&core.binders[binders]));
                inner
            }
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
            _ => return all,
        };
    }
}

/// The body of a binding behind its parameters.
pub(super) fn body(core: &Core, binding: &Binding) -> Id<Expr> {
    let mut body = binding.right;
    while let Expr::Lambda(_, inner) | Expr::Cast(inner, _) | Expr::Tick(_, inner) =
        core.exprs[body]
    {
        body = inner;
    }
    body
}

/// True if an expression is a function, seen through casts, notes and types.
pub(super) fn is_lambda(core: &Core, it: Id<Expr>) -> bool {
    matches!(core.exprs[bare(core, it)], Expr::Lambda(..))
}

/// The binding for which another one is only another name, as with newtypes, or that one itself.
pub(super) fn behind_name(program: &Program, site: Site) -> Site {
    let name = variable(program.core_of(site), program.binding(site).right);
    name.and_then(|name| program.site_of(site.module, name)).unwrap_or(site)
}

/// True if a name is that of a data constructor.
pub(super) fn is_constructor(name: &str) -> bool {
    let name = occurrence(name);
    let name = name.strip_prefix("$W").unwrap_or(name);
    name.starts_with(|first: char| first.is_uppercase() || matches!(first, ':' | '(' | '['))
}

/// True if a name is that of a primitive operation of GHC, such as `+#`.
pub(super) fn is_primitive(name: &str) -> bool {
    let name = occurrence(name);
    name.ends_with('#') && !is_constructor(name)
}

/// The value arguments of a constructor application; `None` for other expressions.
pub(super) fn fields(core: &Core, it: Id<Expr>) -> Option<Vec<Id<Expr>>> {
    match core.exprs[it] {
        Expr::Tuple(_, elements) => Some(core.elements[elements].to_vec()),
        _ => core.call(it).filter(|it| is_constructor(core.text(it.function))).map(|it| it.values),
    }
}

/// The uses and users of each binding.
#[derive(Debug)]
pub(super) struct Uses {
    uses: HashMap<Site, HashSet<Site>>,
    users: HashMap<Site, HashSet<Site>>,
}

impl Uses {
    /// The uses between all bindings of a program.
    pub(super) fn from_program(program: &Program) -> Self {
        let mut uses: HashMap<Site, HashSet<Site>> = HashMap::new();
        let mut users: HashMap<Site, HashSet<Site>> = HashMap::new();
        for site in program.sites() {
            let core = program.core_of(site);
            for name in core.free_variables(program.binding(site).right) {
                if let Some(used) = program.site_of(site.module, name) {
                    uses.entry(site).or_default().insert(used);
                    users.entry(used).or_default().insert(site);
                }
            }
        }
        Self { uses, users }
    }

    /// The bindings that a binding uses.
    pub(super) fn by(&self, site: Site) -> impl Iterator<Item = Site> + '_ {
        self.uses.get(&site).into_iter().flatten().copied()
    }

    /// The bindings that use a binding.
    pub(super) fn users(&self, site: Site) -> impl Iterator<Item = Site> + '_ {
        self.users.get(&site).into_iter().flatten().copied()
    }

    /// The bindings that only the given ones use, directly or through others; `elsewhere` is left
    /// out, because the given ones need it for something else as well.
    pub(super) fn only_for(&self, own: &HashSet<Site>, elsewhere: &HashSet<Site>) -> HashSet<Site> {
        let mut only: HashSet<Site> = HashSet::new();
        let mut waiting: Vec<Site> = own.iter().copied().collect();
        while let Some(site) = waiting.pop() {
            let new = self.by(site).filter(|it| !own.contains(it) && !elsewhere.contains(it));
            let new: Vec<Site> = new.filter(|it| only.insert(*it)).collect();
            waiting.extend(new);
        }
        loop {
            let is_foreign =
                |site: &Site| self.users(*site).any(|it| !only.contains(&it) && !own.contains(&it));
            let foreign: Vec<Site> = only.iter().copied().filter(is_foreign).collect();
            if foreign.is_empty() {
                return only;
            }
            foreign.iter().for_each(|it| {
                only.remove(it);
            });
        }
    }
}

/// The functions that a binding returns after it has done some work, from left to right.
pub(crate) fn given_back(core: &Core, binding: &Binding) -> Vec<Id<Expr>> {
    let mut found = Vec::new();
    let mut tails = vec![body(core, binding)];
    while let Some(tail) = tails.pop() {
        match core.exprs[tail] {
            Expr::Lambda(binders, inner) => {
                let is_value = core.binders[binders].iter().any(|it| it.is_value());
                if is_value {
                    found.push(tail);
                } else {
                    tails.push(inner);
                }
            }
            _ => {
                let begin = tails.len();
                tails_of(core, tail, &mut tails);
                tails[begin..].reverse();
            }
        }
    }
    found
}

/// The expressions whose value is that of an expression, and itself.
pub(super) fn tails(core: &Core, root: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(it) = waiting.pop() {
        found.insert(it);
        tails_of(core, it, &mut waiting);
    }
    found
}

/// The innermost of the expressions whose value is that of an expression: those without further
/// tails.
pub(super) fn ends(core: &Core, root: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(it) = waiting.pop() {
        let before = waiting.len();
        tails_of(core, it, &mut waiting);
        if waiting.len() == before {
            found.insert(it);
        }
    }
    found
}

/// Adds the expressions whose value is that of an expression.
pub(super) fn tails_of(core: &Core, it: Id<Expr>, tails: &mut Vec<Id<Expr>>) {
    match core.exprs[it] {
        Expr::Cast(inner, _) | Expr::Tick(_, inner) => tails.push(inner),
        Expr::Let(kind, bindings, body) => {
            if kind.is_join() {
                // The parameters of a join point are not in its right-hand side.
                tails.extend(core.bindings[bindings].iter().map(|point| point.right));
            }
            tails.push(body);
        }
        Expr::Case(_, _, alternatives) => {
            tails.extend(core.alternatives[alternatives].iter().map(|it| it.right));
        }
        _ => {}
    }
}

/// A function that calls itself.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    /// The binding of the top level that it is, or that contains it.
    pub(super) site: Site,
    /// Its binding within that one; `None` if it is that one.
    pub(super) within: Option<Id<Binding>>,
    /// Its binding.
    pub(super) binding: Binding,
    /// Its value parameters.
    pub(super) parameters: Vec<Binder>,
    /// Its recursive calls.
    pub(super) calls: Vec<(Id<Expr>, Call)>,
    /// Its calls of the wrapper that takes its arguments out of their boxes, and then calls it.
    pub(super) through_wrapper: Vec<(Id<Expr>, Call)>,
}

impl Loop {
    /// Its name in the dump.
    pub(super) fn name(&self) -> Name {
        self.binding.name
    }

    /// True if an expression is a recursive call, directly or through its wrapper.
    pub(super) fn is_call_of_itself(&self, it: Id<Expr>) -> bool {
        self.calls.iter().chain(&self.through_wrapper).any(|(call, _)| *call == it)
    }

    /// True if it may leave this parameter unevaluated, according to GHC.
    pub(super) fn is_lazy(&self, core: &Core, parameter: usize) -> bool {
        let Some(signature) = core.attribute(self.binding.info, Key::Strictness) else {
            return true;
        };
        demands(signature).nth(parameter).is_none_or(|demand| demand.starts_with(['L', 'M', 'A']))
    }
}

/// All recursive functions at and below a binding of the top level.
pub(super) fn loops(program: &Program, site: Site) -> Vec<Loop> {
    let core = program.core_of(site);
    let top = program.binding(site);
    let wrapper = implementation_of(program, site).map(|wrapper| program.binding(wrapper).name);
    let mut found: Vec<Loop> = loop_of(core, site, None, top, wrapper).into_iter().collect();
    for it in core.walk(top.right) {
        let Expr::Let(LetKind::LetRec | LetKind::JoinRec, bindings, _) = core.exprs[it] else {
            continue;
        };
        for id in bindings.ids() {
            found.extend(loop_of(core, site, Some(id), &core.bindings[id], None));
        }
    }
    found
}

fn loop_of(
    core: &Core,
    site: Site,
    within: Option<Id<Binding>>,
    binding: &Binding,
    wrapper: Option<Name>,
) -> Option<Loop> {
    let mut calls = core.calls_within(binding.right);
    let mut through_wrapper = calls.clone();
    calls.retain(|(_, call)| call.function == binding.name);
    through_wrapper.retain(|(_, call)| Some(call.function) == wrapper);
    let parameters = parameters(core, binding);
    if parameters.is_empty() || (calls.is_empty() && through_wrapper.is_empty()) {
        return None;
    }
    Some(Loop { site, within, binding: *binding, parameters, calls, through_wrapper })
}

/// The demands on a function's parameters in order: `L,U` and `S,1*U` of `<L,U><S,1*U>` (GHC up to
/// 9.0), `L` and `1L` of `<L><1L>` (from 9.2 on).
fn demands(signature: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let mut start = 0;
    signature.char_indices().filter_map(move |(place, letter)| {
        match letter {
            '<' => {
                depth += 1;
                if depth == 1 {
                    start = place + 1;
                }
            }
            '>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return signature.get(start..place);
                }
            }
            _ => {}
        }
        None
    })
}

/// Operations that do something after the function passed to them has ended.
const AROUND: [&str; 7] = [
    "catch#",
    "catchRetry#",
    "catchSTM#",
    "maskAsyncExceptions#",
    "maskUninterruptible#",
    "unmaskAsyncExceptions#",
    "atomically#",
];

/// True if a function calls a parameter only in tail position, itself or in a function that it
/// makes, and makes one that does.
pub(crate) fn is_continuation(program: &Program, callee: Site, parameter: Name) -> bool {
    let core = program.core_of(callee);
    let binding = program.binding(callee);
    let bound = Bound::from_core(core, binding.right);
    let within = all_ends(core, &bound, body(core, binding));
    let made = made_bodies(core, &bound, binding);
    let later: HashSet<Id<Expr>> = made.iter().flat_map(|it| all_ends(core, &bound, *it)).collect();
    let calls = core.calls_within(binding.right);
    let mut calls = calls.iter().filter(|(_, call)| call.function == parameter).peekable();
    let is_kept = made.iter().any(|it| bound.uses(*it, &HashSet::from([parameter])));
    is_kept
        && calls.peek().is_some()
        && calls.all(|(it, _)| within.contains(it) || later.contains(it))
}

/// True if the passed expression leads back to the caller: a loop through the continuation, which
/// could be a direct one.
pub(super) fn comes_back(program: &Program, caller: Site, bound: &Bound<'_>, it: Id<Expr>) -> bool {
    let module = program.module_of(caller);
    // A function and its worker count as one.
    let stem = |top: usize| {
        let name = module.top_name(top);
        let stem = split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem);
        stem.strip_prefix("$w").unwrap_or(stem)
    };
    let own = stem(caller.top);
    let all = (0..module.len()).filter(|top| stem(*top) == own);
    bound.uses(it, &all.map(|top| module.binding(top).name).collect())
}

/// The bodies of the functions that an expression makes, except the function itself and the
/// arguments of the operations in [`AROUND`].
fn made_bodies(core: &Core, bound: &Bound<'_>, binding: &Binding) -> Vec<Id<Expr>> {
    let around: HashSet<Id<Expr>> = core
        .calls_within(binding.right)
        .into_iter()
        .filter(|(_, call)| AROUND.contains(&occurrence(core.text(call.function))))
        .flat_map(|(_, call)| call.values)
        .map(|value| bound.behind(value))
        .collect();
    core.walk(body(core, binding))
        .filter(|it| matches!(core.exprs[*it], Expr::Lambda(..)) && is_lambda(core, *it))
        .filter(|it| !around.contains(&bare(core, *it)))
        .filter_map(|it| match core.exprs[it] {
            Expr::Lambda(_, inner) => Some(inner),
            _ => None,
        })
        .collect()
}

/// The expressions that an expression returns, directly or through a name.
fn all_ends(core: &Core, bound: &Bound<'_>, it: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut ends = HashSet::new();
    let mut waiting = vec![it];
    while let Some(it) = waiting.pop() {
        if ends.insert(it) {
            tails_of(core, it, &mut waiting);
            waiting.push(bound.behind(it));
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::{demands, *};
    use crate::causes::Module;
    use crate::causes::bound::parameters;
    use crate::core::Dump;

    #[test]
    fn demands_are_parted_whatever_is_in_them() {
        let all = |text| demands(text).collect::<Vec<_>>();
        assert_eq!(all("<L,U><S(SL),1*U(U)>m"), ["L,U", "S(SL),1*U(U)"]);
        assert_eq!(all("<1!P(L)><LC(S,L)><A>"), ["1!P(L)", "LC(S,L)", "A"]);
        assert_eq!(all(""), [""; 0]);
    }

    /// True if the only parameter that is a function is a continuation of the only function.
    fn is_one(right: &str) -> bool {
        let text = format!("Main.f :: Int\n[GblId, Arity=2]\nMain.f = {right}\n");
        let dump = Dump::read(text.as_bytes());
        assert_eq!(dump.problems, []);
        let program = Program::new(vec![Module::new("Main", dump)]);
        let site = Site { module: 0, top: 0 };
        let core = program.core_of(site);
        let all = parameters(core, program.binding(site));
        let k = all.iter().find(|it| core.text(it.name) == "k_a2").expect("a parameter");
        is_continuation(&program, site, k.name)
    }

    #[test]
    fn what_is_called_to_end_now_or_later_is_a_continuation() {
        let later = "Later (\\ (m_a4 :: Int) -> k_a2 m_a4)";
        assert!(is_one(&format!(
            "\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> case n_a1 of {{ __DEFAULT -> k_a2 n_a1; 1# -> {later} }}"
        )));
        let by_name = "let { r_a3 = k_a2 n_a1 } in Later (\\ (m_a4 :: Int) -> r_a3)";
        assert!(is_one(&format!("\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> {by_name}")));
    }

    #[test]
    fn what_is_only_called_or_called_for_its_result_is_none() {
        for body in [
            "k_a2 n_a1",
            "k_a2 (k_a2 n_a1)",
            "case k_a2 n_a1 of { __DEFAULT -> Later (\\ (m_a4 :: Int) -> k_a2 m_a4) }",
            "catch# (\\ (s_a4 :: S) -> k_a2 n_a1 s_a4) n_a1",
        ] {
            assert!(!is_one(&format!("\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> {body}")), "{body}");
        }
    }
}
