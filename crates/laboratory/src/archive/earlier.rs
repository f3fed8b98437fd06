//! An earlier experiment as the other side of a comparison, read from the store.

use super::{own_document, stored};
use crate::assemble::stored_side::{Side, with_side};
use findings::Document;
use model::commission::Commission;
use model::design::contrasts::{Earlier, Elsewhere};
use model::failure::Failure;
use model::host::MachineClass;
use store::{ExperimentId, Store};

/// More experiments of one command hardly improve the estimate of their spread.
const MOST_FURTHER: usize = 20;

/// A variant of a stored experiment, with the other experiments of its command on the same machine
/// in the same state.
pub(super) fn with_further(
    store: &Store,
    with: Elsewhere,
    here: &MachineClass,
) -> Result<Earlier, Failure> {
    let id = ExperimentId(with.experiment);
    let same = store.of_command(id, with.variant, MOST_FURTHER)?;
    let mut further = Vec::new();
    for (id, variant) in same {
        if here.is_same(&(&stored(store, id)?.circumstances).into()) {
            further.push(Elsewhere { experiment: id.0, variant });
        }
    }
    Ok(Earlier { with, further })
}

/// The document with the stored experiment `with` as the other side of a comparison, as if it had
/// been requested with this one.
pub(super) fn compared(
    document: Document,
    store: &Store,
    given: &Commission,
    Earlier { with, further }: &Earlier,
) -> Result<Document, Failure> {
    let members = given.contrasts.members(given.metrics.as_deref(), &given.rule);
    let own = side(store, *with)?;
    let further: Result<Vec<Side>, Failure> = further.iter().map(|one| side(store, *one)).collect();
    Ok(with_side(document, &own, &further?, &members))
}

fn side(store: &Store, place: Elsewhere) -> Result<Side, Failure> {
    let id = ExperimentId(place.experiment);
    let experiment = stored(store, id)?;
    let document = own_document(store, id, &experiment)?;
    let Some(variant) = experiment.commission.variants.get(place.variant as usize) else {
        return Err(Failure::new(format!("experiment {id} has no variant {}", place.variant)));
    };
    Ok(Side {
        experiment: place.experiment,
        date: words::date(&document),
        part: variant.clone(),
        summaries: document.summaries_of(place.variant).cloned().collect(),
    })
}
