//! The sentences of an explanation.

use page::{Line, Span, line};

use super::time;
use findings::explanation::{
    BlindSpot, CauseFinding, CostPlace, DumpCoverage, Explanation, FindingCost, SourceLocation,
};
use model::metric::Unit;
use words::quantity::{percent, quantity};
use words::{capitalised, counted};

/// `Interp.hs:24:12`
pub(super) fn location(location: &SourceLocation) -> String {
    match location.column {
        Some(column) => format!("{}:{}:{column}", location.file, location.line),
        None => format!("{}:{}", location.file, location.line),
    }
}

/// ` in step`, for a binding whose name differs from that of the declaration at its place.
pub(super) fn declared_in(place: &CostPlace) -> Line {
    let function = place.location.as_ref().and_then(|it| it.function.as_deref());
    let of_binding = place.binding.rsplit('.').next().unwrap_or_default();
    match function.filter(|name| *name != of_binding.trim_matches(['(', ')'])) {
        Some(name) => line![" in ", Span::code(name.to_owned())],
        None => Line::default(),
    }
}

/// The subject of the explanation.
pub(super) fn head(part: &Explanation) -> Line {
    let modules = counted(part.modules.len(), "module");
    let compiler = part.compiler.as_ref().map(|version| format!(" · GHC {version}"));
    line![part.subject.clone(), " · ", modules, compiler.unwrap_or_default()]
}

/// The costliest finding, or the reason there is none.
pub(super) fn answer(part: &Explanation) -> Line {
    let Some(first) = part.findings.first() else {
        return no_cause(part, "");
    };
    match &first.cost {
        _ if part.coverage.is_none() => line![
            counted(part.findings.len(), "finding"),
            ". Nothing was measured: findings are in a fixed order of causes, not by cost, and may be \
             in code that hardly runs."
        ],
        Some(cost) if !first.minor => {
            let binding = Span::code(first.binding.clone());
            line!["Costliest finding: ", binding, format!(" ({}), {}.", first.title, figures(cost))]
        }
        _ => no_cause(part, " that costs 1 % or more"),
    }
}

/// A pointer to further reading on the causes found.
pub(super) fn pages(part: &Explanation) -> Option<Line> {
    let first = part.findings.first()?;
    let command = Span::code(format!("brisk explain --cause {}", first.cause));
    Some(line!["What a cause is, with an example, and when it does not matter: ", command, "."])
}

/// If a smaller share of the cost was examined, a lack of findings means little.
const MOST_OF_IT: f64 = 0.5;

/// Says that nothing was found, or that most of the cost was not examined, and where it is.
fn no_cause(part: &Explanation, which: &str) -> Line {
    let little = part.coverage.as_ref().filter(|coverage| {
        (coverage.looked_at_bytes() as f64) < MOST_OF_IT * coverage.whole_bytes() as f64
    });
    let Some(coverage) = little else { return format!("No known cause was found{which}.").into() };
    let (whole, looked_at) = (coverage.whole_bytes(), coverage.looked_at_bytes());
    let share = |bytes: u64| percent(bytes as f64 / whole as f64);
    let undumped: u64 = coverage.undumped.iter().map(|it| it.allocated_bytes).sum();
    let outside = whole - coverage.instrumented_bytes;
    let unknown = whole.saturating_sub(looked_at + undumped + outside);
    let costliest = part.time.as_ref().and_then(time::costliest);
    let costliest = costliest.map(|it| line![" Most costly is ", it, "."]);
    // Samples of the running program reach into libraries as well.
    let is_looked_at = ((undumped + unknown) as f64) < MOST_OF_IT * whole as f64;
    if let Some(costliest) = costliest.clone().filter(|_| is_looked_at) {
        return line![format!("No known cause was found{which}."), costliest];
    }
    let elsewhere = [
        (outside, "code without counters (libraries that were compiled before, and the runtime)"),
        (undumped, "modules without a dump of their Core"),
        (unknown, "counted closures that are in no dump"),
    ];
    let elsewhere = elsewhere.into_iter().filter(|(bytes, _)| *bytes > 0);
    let elsewhere: Vec<Line> =
        elsewhere.map(|(bytes, what)| format!("{} in {what}", share(bytes)).into()).collect();
    line![
        format!(
            "Most of the cost was not looked at: {} of allocations are in the Core that was, and no known \
             cause was found there{which}. The rest is elsewhere: ",
            share(looked_at)
        ),
        Line::join(elsewhere, ", "),
        ".",
        costliest.unwrap_or_default()
    ]
}

/// The modules that could not be examined for lack of a dump, with the reason.
pub(super) fn undumped(part: &Explanation) -> Option<Line> {
    /// The largest number of modules named; others are only counted.
    const NAMED: usize = 8;
    let coverage = part.coverage.as_ref().filter(|coverage| !coverage.undumped.is_empty())?;
    let named = coverage.undumped.iter().take(NAMED).map(|it| {
        let share = it.allocated_bytes as f64 / coverage.whole_bytes().max(1) as f64;
        line![Span::code(it.module.clone()), format!(" ({} of allocations)", percent(share))]
    });
    let more = match coverage.undumped.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let why = match part.run {
        Some(_) => {
            "GHC wrote none to where it was told: options in their source or in the cabal file may lead \
             it elsewhere (`-dumpdir`)"
        }
        None => "the folder has none, or is of another program",
    };
    Some(line![
        "Nothing was looked at of modules without a dump: ",
        Line::join(named, ", "),
        more,
        ". ",
        Line::of_message(&capitalised(why)),
        "."
    ])
}

/// The cost of a finding by itself, if it differs from that of its whole place.
pub(super) fn own_cost(finding: &CauseFinding, place: &CostPlace) -> Option<Line> {
    let (own, all) = (finding.cost.as_ref()?, place.cost.as_ref()?);
    let part = (figures(own) != figures(all)).then(|| line!["its part: ", figures(own)]);
    let said: Vec<Line> = part.into_iter().chain(counters(own)).collect();
    (!said.is_empty()).then(|| Line::join(said, "; "))
}

/// The cost of a place or a finding.
pub(super) fn cost(cost: &FindingCost) -> Line {
    Line::join(std::iter::once(Line::from(figures(cost))).chain(counters(cost)), "; ")
}

/// `34 % of allocations (204 MB), 12 % of entries (1.2 M)`
pub(crate) fn figures(cost: &FindingCost) -> String {
    let bytes = quantity(cost.allocated_bytes as f64, Unit::Bytes);
    let allocations = match cost.allocation_share {
        // Stack frames are in the heap, but nobody allocated them.
        _ if cost.allocated_bytes == 0 && cost.heap_bytes.is_some() => None,
        Some(share) if cost.at_most => {
            Some(format!("at most {} of allocations ({bytes})", percent(share)))
        }
        Some(share) => Some(format!("{} of allocations ({bytes})", percent(share))),
        None => Some("nothing was allocated".to_owned()),
    };
    let entries = match (cost.entries, cost.entry_share) {
        (Some(entries), Some(share)) => {
            let entries = quantity(entries as f64, Unit::Count);
            format!("{} of entries ({entries})", percent(share))
        }
        (Some(_), None) => "no entries".to_owned(),
        (None, _) => "entries not counted".to_owned(),
    };
    let words: Vec<String> = allocations.into_iter().chain([entries]).collect();
    let mut words = words.join(", ");
    if let Some(time) = &cost.time {
        words = format!("{}; {words}", time::in_words(time));
    }
    if let (Some(bytes), Some(share)) = (cost.heap_bytes, cost.heap_share) {
        let bytes = quantity(bytes as f64, Unit::Bytes);
        words.push_str(&format!(", {} of the heap at its peak ({bytes})", percent(share)));
    }
    words
}

/// `UNKNOWN_CALL_ctr of the whole program: 1.2 M`
fn counters(cost: &FindingCost) -> impl Iterator<Item = Line> {
    cost.counters.iter().map(|counter| {
        let count = quantity(counter.count as f64, Unit::Count);
        line![Span::code(counter.name.clone()), " of the whole program: ", count]
    })
}

/// The scope of the figures: what they cover, and what they do not.
pub(super) fn coverage(part: &DumpCoverage) -> [String; 2] {
    let about = match (part.allocated_bytes, part.outside_share) {
        (Some(all), Some(outside)) => format!(
            "The program allocated {}. Of these, {} were allocated by code without counters: \
             libraries that were compiled before, and the runtime.",
            quantity(all as f64, Unit::Bytes),
            percent(outside)
        ),
        _ => format!(
            "The code with counters allocated {}. Shares are of that: it is not known what other code \
             allocated.",
            quantity(part.instrumented_bytes as f64, Unit::Bytes)
        ),
    };
    let joined = match part.unplaced_share {
        _ if part.unplaced_rows == 0 => {
            format!("All {} counted closures were found in the Core.", part.rows)
        }
        Some(share) => format!(
            "{} of {} counted closures, with {} of the counted bytes, belong to no binding of the \
             dumps.",
            part.unplaced_rows,
            part.rows,
            percent(share)
        ),
        None => format!(
            "{} of {} counted closures belong to no binding of the dumps.",
            part.unplaced_rows, part.rows
        ),
    };
    [about, joined]
}

/// A cause that could not be examined in some modules.
pub(super) fn not_looked(blind: &BlindSpot, all: usize) -> Line {
    let modules = if blind.modules.len() == all {
        " anywhere".into()
    } else {
        let some = blind.modules.iter().take(3).map(|it| Span::code(it.clone()).into());
        let more = blind.modules.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        line![" in ", Line::join(some, ", "), more]
    };
    line![
        Span::code(blind.cause.clone()),
        " could not look",
        modules,
        format!(": it needs {} (", blind.lacks),
        Line::of_message(&blind.reason),
        ")"
    ]
}

/// The run, and the cost of the counters.
pub(super) fn run(part: &Explanation) -> Option<Line> {
    let run = part.run.as_ref()?;
    let figures = |seconds: Option<f64>, bytes: Option<u64>| {
        let seconds = seconds.map(|seconds| quantity(seconds, Unit::Seconds));
        let bytes = bytes.map(|bytes| quantity(bytes as f64, Unit::Bytes) + " allocated");
        let said: Vec<String> = seconds.into_iter().chain(bytes).collect();
        if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
    };
    Some(line![
        Span::code(run.command.join(" ")),
        " ran once plain",
        figures(run.wall_seconds, run.allocated_bytes),
        " and once with counters",
        figures(run.instrumented_wall_seconds, run.instrumented_allocated_bytes),
        "."
    ])
}
