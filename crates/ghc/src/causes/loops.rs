//! Recursive functions, of the top level and nested.

use super::bound::parameters;
use super::dictionaries::implementation_of;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::arena::Id;
use crate::core::calls::Call;
use crate::core::names::Name;
use crate::core::tree::{Binder, Binding, Expr, Key, LetKind};

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
    let core = program.module_of(site).core();
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

#[cfg(test)]
mod tests {
    use super::demands;

    #[test]
    fn demands_are_parted_whatever_is_in_them() {
        let all = |text| demands(text).collect::<Vec<_>>();
        assert_eq!(all("<L,U><S(SL),1*U(U)>m"), ["L,U", "S(SL),1*U(U)"]);
        assert_eq!(all("<1!P(L)><LC(S,L)><A>"), ["1!P(L)", "LC(S,L)", "A"]);
        assert_eq!(all(""), [""; 0]);
    }
}
