//! The sentences of a suite, the same on a terminal and in Markdown.

use super::comparison;
use findings::{Document, SuiteFinding};
use model::metric::MetricId;
use model::spec::suite::Arrangement;
use model::verdict::Verdict;

/// The numbers of benchmarks that improved, regressed and so on, in each metric; `None` if nothing
/// is compared.
pub(super) fn tally(document: &Document, suite: &SuiteFinding) -> Option<String> {
    let metrics = document.experiment.metrics.iter().flatten();
    let tallies: Vec<String> = metrics.filter_map(|id| tally_in(document, suite, id)).collect();
    (!tallies.is_empty()).then(|| tallies.join("; "))
}

fn tally_in(document: &Document, suite: &SuiteFinding, id: &MetricId) -> Option<String> {
    let parts = suite.benchmarks.iter().filter_map(|one| comparison(document, one, id));
    let verdicts: Vec<Verdict> = parts.map(|part| part.verdict).collect();
    let all = [Verdict::Regressed, Verdict::Improved, Verdict::Unchanged, Verdict::Inconclusive];
    let counts: Vec<String> = all
        .into_iter()
        .map(|verdict| (verdict, verdicts.iter().filter(|other| **other == verdict).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {}", verdict.word()))
        .collect();
    let what = words::label(id);
    let compared = match verdicts.len() {
        0 => return None,
        count => format!("{} compared in {what}", words::counted(count, "benchmark")),
    };
    Some(format!("{compared}: {}", counts.join(", ")))
}

/// The arrangement of the processes, and the number of rounds.
pub(super) fn circumstances(document: &Document, suite: &SuiteFinding) -> String {
    let arranged = match suite.order {
        Arrangement::Alone if !suite.company.is_empty() => with_company(suite),
        Arrangement::Alone => "each benchmark alone in a fresh process".to_owned(),
        Arrangement::Together => "all benchmarks of a program in one fresh process".to_owned(),
        Arrangement::Reversed => {
            "all benchmarks of a program in one fresh process, in reverse order".to_owned()
        }
        Arrangement::Shuffled => {
            "all benchmarks of a program in one fresh process, in an order drawn anew".to_owned()
        }
        Arrangement::Divided => {
            "the benchmarks of a program in two fresh processes, half of them drawn for each"
                .to_owned()
        }
    };
    format!("{}; {arranged}", words::circumstances(document))
}

/// `each benchmark alone in a fresh process, and beside that together, reversed and shuffled`.
fn with_company(suite: &SuiteFinding) -> String {
    let mut orders: Vec<&str> = Vec::new();
    for part in &suite.company {
        if !orders.contains(&part.order.word()) {
            orders.push(part.order.word());
        }
    }
    let orders = match orders.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("each benchmark alone in a fresh process, and beside that {orders}")
}
