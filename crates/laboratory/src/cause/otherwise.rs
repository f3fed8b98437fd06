//! Both programs of a change, compiled otherwise, until the change is gone.

use findings::cause::{ChangedFunction, CounterBuilt};
use judge::cause::{is_gone, remaining};
use model::failure::Failure;
use prepare::CounterBuild;

use super::CountedSides;
use super::trials::Trials;

/// True if this counter-build tells that the change is the compiler's, if it is gone there. Link-time
/// optimisation may also undo what the source does, where a touched function can be a part of others.
pub(super) fn decides(counter: CounterBuild, may_be_inlined: bool) -> bool {
    [CounterBuild::OneUnit, CounterBuild::NoInlining].contains(&counter) || !may_be_inlined
}

/// The counter-builds that the compilers of the program offer, in their order, up to the one that
/// decides because the change is gone in it; the one without vectors only if these functions have others. Those that do not
/// build or run, or for which no time is left, are left out.
pub(super) fn compiled(
    trials: &mut Trials<'_>,
    sides: &CountedSides,
    functions: &[ChangedFunction],
    may_be_inlined: bool,
) -> Result<Vec<(CounterBuild, CounterBuilt)>, Failure> {
    let usual = [0, 1].map(|side| sides.total(side).middle());
    let has_other_vectors = functions.iter().any(|one| sides.has_other_vectors(&one.name));
    let mut all = Vec::new();
    for counter in CounterBuild::ALL {
        if counter == CounterBuild::NoVectors && !has_other_vectors {
            continue;
        }
        let Some(options) = trials.options_of(counter) else { continue };
        let Some(counts) = trials.counted_otherwise(counter)? else { continue };
        let remains = remaining(usual, counts);
        let built = CounterBuilt {
            options: options.to_owned(),
            counts,
            remains,
            is_gone: is_gone(remains),
            is_remedy: counter.may_be_kept() && is_gone(remains) && counts[1] <= usual[0],
        };
        all.push((counter, built));
        if is_gone(remains) && decides(counter, may_be_inlined) {
            break;
        }
    }
    Ok(all)
}
