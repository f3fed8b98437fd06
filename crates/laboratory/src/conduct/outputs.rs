//! The outputs of variants that claim to do the same work.

use judge::equal_work::{self, Sight};
use model::design::contrasts::Contrasts;
use model::run::Printed;

/// The outputs so far, by variant.
#[derive(Debug)]
pub(super) struct Outputs {
    /// `None` if outputs are not compared.
    sights: Option<Vec<Vec<Sight>>>,
}

impl Outputs {
    /// No outputs yet.
    pub(super) fn new(variants: u32, are_compared: bool) -> Self {
        Self { sights: are_compared.then(|| vec![Vec::new(); variants as usize]) }
    }

    /// Records one run's output.
    pub(super) fn take(&mut self, printed: Printed) {
        if let Some(sights) = &mut self.sights {
            sights[printed.variant as usize].push(printed.seen);
        }
    }

    /// The variants to run next.
    pub(super) fn wanted(&self, contrasts: &Contrasts) -> Vec<u32> {
        let Some(sights) = &self.sights else { return Vec::new() };
        let pairs: Vec<(u32, u32)> = contrasts.compared().collect();
        equal_work::wanted(&pairs, sights)
    }

    /// All outputs; `None` if they are not compared.
    pub(super) fn finish(self) -> Option<Vec<Vec<Sight>>> {
        self.sights
    }
}
