//! Code that runs only for some expressions, and its cost.

use std::collections::{HashMap, HashSet};

use super::cause::Look;
use super::costs::Time;
use super::examine::Basis;
use super::library_use::plain;
use super::names::note;
use super::prepared::{AllCode, Code, Meaning, Prepared};
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::Name;
use crate::core::tree::{Binding, Expr, Id};

/// Other callers may share the code called for an expression if they run less often by this factor.
const RARELY: u64 = 10;

/// Some expressions of one binding of the top level.
pub(super) struct Owner<'a> {
    pub(super) look: &'a Look<'a>,
    pub(super) code: &'a AllCode<'a>,
    pub(super) number: usize,
    pub(super) top: Id<Binding>,
    /// The expressions.
    pub(super) of: Vec<Id<Expr>>,
    /// The thunks among them.
    pub(super) thunks: Vec<Id<Binding>>,
    /// The number of their evaluations.
    pub(super) times: u64,
    /// Their lines in the source, by the end of the file's name and line number.
    pub(super) lines: HashSet<(String, u64)>,
}

impl Owner<'_> {
    /// The work done only for these expressions.
    pub(super) fn basis(&self) -> Option<Basis> {
        let module = self.code.module(self.number)?;
        let (own, mut codes) = self.local(module);
        let tops = self.of_top_level(module, &own);
        for (number, top) in &tops {
            let core = self.code.module(*number)?.core;
            codes.insert((*number, *top));
            codes.extend(bound_within(core, core.bindings[*top].right).map(|it| (*number, it)));
        }
        let mut rows: Vec<usize> = codes.iter().filter_map(|it| self.code.row(*it)).collect();
        rows.sort_unstable();
        let time = self.time(module, &own, &tops);
        Some(Basis { rows, time, ..Basis::default() })
    }

    /// The expressions within these and within local functions that only these call.
    pub(super) fn expressions(&self) -> HashSet<Id<Expr>> {
        self.code.module(self.number).map(|it| self.local(it).0).unwrap_or_default()
    }

    /// The expressions within these and within local functions that only these call, and the code
    /// with counters among them.
    fn local(&self, module: &Prepared<'_>) -> (HashSet<Id<Expr>>, HashSet<Code>) {
        let core = module.core;
        let mut own: HashSet<Id<Expr>> = HashSet::new();
        let mut codes: HashSet<Code> = self.thunks.iter().map(|it| (self.number, *it)).collect();
        let mut occurrences: HashMap<Name, Vec<Id<Expr>>> = HashMap::new();
        for it in core.walk(core.bindings[self.top].right) {
            if let Expr::Variable(name) | Expr::Jump(name) = core.exprs[it] {
                occurrences.entry(name).or_default().push(it);
            }
        }
        let mut waiting = self.of.clone();
        while let Some(root) = waiting.pop() {
            own.extend(core.walk(root));
            codes.extend(bound_within(core, root).map(|it| (self.number, it)));
            for name in module.free(root).iter() {
                let Some(Meaning::Bound(binding)) = module.meaning(self.top, *name) else {
                    continue;
                };
                let right = core.bindings[binding].right;
                if module.is_exit(*name) || !module.is_code(binding) || own.contains(&right) {
                    continue;
                }
                let within: HashSet<Id<Expr>> = core.walk(right).collect();
                let of_name = occurrences.get(name).into_iter().flatten();
                if of_name.into_iter().all(|it| own.contains(it) || within.contains(it)) {
                    codes.insert((self.number, binding));
                    waiting.push(right);
                }
            }
        }
        (own, codes)
    }

    /// The functions of the top level that only these expressions call, directly or through others.
    fn of_top_level(&self, module: &Prepared<'_>, own: &HashSet<Id<Expr>>) -> HashSet<Code> {
        let core = module.core;
        let mut elsewhere: HashSet<Code> = HashSet::new();
        let mut waiting: Vec<Code> = Vec::new();
        for it in core.walk(core.bindings[self.top].right) {
            if let Expr::Variable(name) = core.exprs[it]
                && let Some(callee) = self.top_function((self.number, self.top), name)
            {
                if own.contains(&it) {
                    waiting.push(callee);
                } else {
                    elsewhere.insert(callee);
                }
            }
        }
        let mut found: HashSet<Code> = HashSet::new();
        while let Some(it) = waiting.pop() {
            if it == (self.number, self.top) || elsewhere.contains(&it) || !found.insert(it) {
                continue;
            }
            let Some(module) = self.code.module(it.0) else { continue };
            let names = module.free(module.core.bindings[it.1].right);
            waiting.extend(names.iter().filter_map(|name| self.top_function(it, *name)));
        }
        loop {
            let is_foreign = |it: &Code| {
                self.code.calls(*it).iter().any(|call| {
                    let top = (call.caller.0, self.code.top(call.caller));
                    top != (self.number, self.top)
                        && !found.contains(&top)
                        && self.code.entries(call.caller).saturating_mul(RARELY) > self.times
                })
            };
            let foreign: Vec<Code> = found.iter().copied().filter(is_foreign).collect();
            if foreign.is_empty() {
                return found;
            }
            for it in foreign {
                found.remove(&it);
            }
        }
    }

    /// The function of the top level that a name means; a binding without parameters is made only
    /// once.
    fn top_function(&self, around: Code, name: Name) -> Option<Code> {
        let found = self.code.function(self.look.program, around, name)?;
        let is_top = self.code.around(found).is_none();
        (is_top && !self.code.parameters(found).is_empty()).then_some(found)
    }

    /// The samples of these functions of the top level, and of the lines of the expressions, or of
    /// library functions called there.
    fn time(
        &self,
        module: &Prepared<'_>,
        own: &HashSet<Id<Expr>>,
        tops: &HashSet<Code>,
    ) -> Option<Time> {
        let program = self.look.program;
        let samples = program.samples.as_ref().ok()?;
        let core = module.core;
        let site = module.site(self.top);
        let sites: HashSet<Site> = tops.iter().filter_map(|it| self.site(program, *it)).collect();
        let called: HashSet<&str> = own
            .iter()
            .filter_map(|it| match core.exprs[*it] {
                Expr::Variable(name) => Some(plain(core.text(name))),
                _ => None,
            })
            .collect();
        let mut looks = 0;
        for it in &samples.uses {
            let is_called = it.functions.first().is_none_or(|it| called.contains(plain(&it.name)));
            if it.site.is_some_and(|it| sites.contains(&it)) {
                looks += it.looks;
            } else if it.site == site && site.is_some() && is_called {
                let of_lines = it.lines.iter().filter(|(line, _)| self.has_line(line));
                looks += of_lines.map(|(_, looks)| looks).sum::<u64>();
            }
        }
        Some(Time { looks, of: samples.working() })
    }

    fn has_line(&self, (file, line): &(String, u64)) -> bool {
        self.lines.iter().any(|(own, number)| {
            number == line && (own.ends_with(file.as_str()) || file.ends_with(own.as_str()))
        })
    }

    fn site(&self, program: &Program, code: Code) -> Option<Site> {
        let site = self.code.module(code.0)?.site(code.1)?;
        (program.modules[site.module].prepared(site.top) == Some(code.1)).then_some(site)
    }
}

/// All bindings within an expression.
fn bound_within(core: &Core, root: Id<Expr>) -> impl Iterator<Item = Id<Binding>> + '_ {
    core.walk(root)
        .filter_map(|it| match core.exprs[it] {
            Expr::Let(_, group, _) => Some(group.ids()),
            _ => None,
        })
        .flatten()
}

/// The lines of the notes within an expression.
pub(super) fn lines_within(core: &Core, root: Id<Expr>) -> HashSet<(String, u64)> {
    let at = |it| match core.exprs[it] {
        Expr::Tick(tick, _) => note(core.text(tick)).map(|at| (at.file, u64::from(at.line))),
        _ => None,
    };
    core.walk(root).filter_map(at).collect()
}
