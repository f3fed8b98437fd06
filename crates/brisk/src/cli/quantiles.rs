//! The refusal of quantiles over runs, where they cannot be judged.

use model::failure::Failure;
use model::metric::MetricId;

/// The refusal to compare a quantile over something other than the runs of two programs.
pub(super) fn refused(quantile: &MetricId, over: &str) -> Failure {
    Failure::new(format!("`{quantile}` cannot be compared over {over}"))
        .because("its interval is that of the runs of one program in one experiment")
        .hint(Some(format!("name `{}` instead", quantile.reading())))
}
