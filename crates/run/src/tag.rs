//! A timed run's place in the plan as one number, which identifies the run in the journal.

use model::metric::Source;
use model::run::RunPlace;

/// Bits of a tag: the variant and its position below 2^20 each, the round below 2^23.
const POSITION_SHIFT: u32 = 20;
const ROUND_SHIFT: u32 = 40;
const WARMUP_SHIFT: u32 = 63;
const INDEX_MASK: u64 = (1 << 20) - 1;
const ROUND_MASK: u64 = (1 << 23) - 1;

/// A timed run's place as one number, so that a journal can be read back without the plan.
pub(super) fn tag(place: RunPlace) -> u64 {
    u64::from(place.variant)
        | u64::from(place.position) << POSITION_SHIFT
        | u64::from(place.round) << ROUND_SHIFT
        | u64::from(place.warmup) << WARMUP_SHIFT
}

/// The place of the timed run with this tag.
pub fn place_of_tag(tag: u64) -> RunPlace {
    let part = |shift: u32, mask: u64| {
        u32::try_from((tag >> shift) & mask).expect("masked to below 32 bits")
    };
    RunPlace {
        source: Source::Run,
        warmup: tag >> WARMUP_SHIFT == 1,
        round: part(ROUND_SHIFT, ROUND_MASK),
        position: part(POSITION_SHIFT, INDEX_MASK),
        variant: part(0, INDEX_MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::spec::MOST_ROUNDS;

    #[test]
    fn a_tag_tells_the_place() {
        for place in [
            RunPlace { source: Source::Run, warmup: false, round: 0, position: 0, variant: 0 },
            RunPlace {
                source: Source::Run,
                warmup: true,
                round: MOST_ROUNDS - 1,
                position: (1 << 20) - 1,
                variant: (1 << 20) - 1,
            },
            RunPlace { source: Source::Run, warmup: false, round: 77, position: 3, variant: 9 },
        ] {
            assert_eq!(place_of_tag(tag(place)), place);
        }
    }
}
