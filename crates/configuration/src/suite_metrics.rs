//! The metrics of a suite: those that the user named, or the usual ones.

use model::failure::Failure;
use model::metric::{self, ALLOCATED_PER_ITERATION, Metric, MetricId, TIME_PER_ITERATION};
use model::spec::suite::{Arrangement, SuiteProgram};

/// The metrics named by the user. None if brisk chooses.
pub fn parsed(metrics: Option<&str>) -> Result<Option<Vec<MetricId>>, Failure> {
    let named = metrics.map(|text| metric::parse_list(text, &[])).transpose();
    named.map_err(Failure::from)
}

/// Refuses metrics that `verb` does not read if benchmarks run in this arrangement.
pub fn check(named: Option<&[MetricId]>, order: Arrangement, verb: &str) -> Result<(), Failure> {
    if let Some(id) = named.into_iter().flatten().find(|id| id.quantile().is_some()) {
        return Err(refused(id, "the processes of a harness"));
    }
    let shares = order != Arrangement::Alone;
    let is_unread = |id: &&MetricId| {
        let metric = metric::find(id);
        let is_of_harness = metric.as_ref().is_some_and(Metric::is_of_harness);
        let is_of_runtime = metric.as_ref().is_some_and(Metric::is_of_runtime);
        !is_of_harness && (is_of_runtime || shares)
    };
    match named.into_iter().flatten().find(is_unread) {
        Some(id) if shares => {
            let hint = "`--order alone` gives each benchmark a process of its own";
            Err(Failure::new(format!(
                "`{id}` is read from a process, and many benchmarks share \
                one"
            ))
            .hint(Some(hint)))
        }
        Some(id) => Err(Failure::new(format!("`{verb}` does not read `{id}`"))
            .hint(Some("what one iteration allocates is `allocated_per_iteration`"))),
        None => Ok(()),
    }
}

/// The metrics to show and judge: the time per iteration, and either the named metrics, or the
/// allocations if every harness counts them.
pub fn judged<'a>(
    named: Option<&[MetricId]>,
    programs: impl IntoIterator<Item = &'a SuiteProgram>,
) -> Vec<MetricId> {
    let mut metrics = vec![TIME_PER_ITERATION];
    match named {
        Some(named) => {
            metrics.extend(named.iter().filter(|id| **id != TIME_PER_ITERATION).cloned());
        }
        None if programs.into_iter().all(|program| program.harness.counts_allocations) => {
            metrics.push(ALLOCATED_PER_ITERATION);
        }
        None => {}
    }
    metrics
}

/// The refusal to compare a quantile over something other than the runs of two programs.
pub fn refused(quantile: &MetricId, over: &str) -> Failure {
    Failure::new(format!("`{quantile}` cannot be compared over {over}"))
        .because("its interval is that of the runs of one program in one experiment")
        .hint(Some(format!("name `{}` instead", quantile.reading())))
}
