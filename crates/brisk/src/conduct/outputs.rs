//! What the variants print, where they are said to do the same work.

use judge::equal_work::{self, Sight};
use model::design::contrasts::Contrasts;
use model::output::Printed;

/// What was printed so far, by variant.
#[derive(Debug)]
pub(super) struct Outputs {
    /// None where nobody compares it.
    sights: Option<Vec<Vec<Sight>>>,
}

impl Outputs {
    /// Nothing printed yet.
    pub(super) fn new(variants: u32, are_compared: bool) -> Self {
        Self { sights: are_compared.then(|| vec![Vec::new(); variants as usize]) }
    }

    /// Takes note of one run.
    pub(super) fn take(&mut self, printed: Printed) {
        if let Some(sights) = &mut self.sights {
            sights[printed.variant as usize].push(printed.seen);
        }
    }

    /// Which variants have to be run next.
    pub(super) fn wanted(&self, contrasts: &Contrasts) -> Vec<u32> {
        let Some(sights) = &self.sights else { return Vec::new() };
        let pairs: Vec<(u32, u32)> = contrasts.compared().collect();
        equal_work::wanted(&pairs, sights)
    }

    /// All that was seen; none where nobody compares it.
    pub(super) fn finish(self) -> Option<Vec<Vec<Sight>>> {
        self.sights
    }
}
