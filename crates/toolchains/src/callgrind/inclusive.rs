//! Costs of functions including everything that they call, where these are meaningful.

use super::profile::Profile;

/// The reason that inclusive costs are meaningless here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInclusive {
    /// The file has no calls.
    NoCalls,
    /// A function would cost more than the whole program: calls do not return where callgrind
    /// expects it (tail calls), or recursion was counted several times.
    BeyondTheTotal,
}

impl std::fmt::Display for NoInclusive {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NoCalls => "the profile has no calls",
            Self::BeyondTheTotal => {
                "calls do not return to their callers (tail calls), so that a function would cost \
                 more than the whole program"
            }
        })
    }
}

/// The cost of each function including everything that it calls, indexed like the functions; a
/// deeper level of recursion (`f'2`) is part of `f`.
///
/// # Errors
///
/// When inclusive costs would be meaningless.
pub fn inclusive(profile: &Profile) -> Result<Vec<u64>, NoInclusive> {
    if profile.calls.is_empty() {
        return Err(NoInclusive::NoCalls);
    }
    let mut costs: Vec<u64> = profile.functions.iter().map(|f| f.self_cost).collect();
    for call in &profile.calls {
        let cost = &mut costs[call.caller as usize];
        *cost = cost.saturating_add(call.inclusive_cost);
    }
    let is_first_level = |place: usize| {
        let name = profile.name(profile.functions[place].name);
        !name.contains('\'')
    };
    let total = profile.total();
    match costs.iter().enumerate().any(|(place, &cost)| cost > total && is_first_level(place)) {
        true => Err(NoInclusive::BeyondTheTotal),
        false => Ok(costs),
    }
}
