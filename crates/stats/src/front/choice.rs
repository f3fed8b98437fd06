//! The members of a front that deserve a name.

/// A thrifty member has this share of the fastest member's gain ...
const LEAST_GAIN: f64 = 0.9;

/// ... for at most this share of its price. Both are a matter of taste.
const MOST_PRICE: f64 = 0.5;

/// The knee of a front: the index in `members` (logarithms of the two objectives, in any order) of
/// the one farthest below the straight line between the two extreme members, both axes being scaled
/// so that the extremes lie at (0, 1) and (1, 0).
///
/// That is the characteristic point of Das (*Structural Optimization* 18, 1999) on logarithmic
/// axes, and with few points the one that Kneedle finds (Satopää and others, *ICDCS Workshops*,
/// 2011). None for fewer than three members, for an axis along which the members do not differ, or
/// if none lies below the line. Of several at the same distance, the one with the smallest first
/// objective.
#[must_use]
pub fn knee(members: &[[f64; 2]]) -> Option<usize> {
    if members.len() < 3 || members.iter().flatten().any(|value| !value.is_finite()) {
        return None;
    }
    let by = |objective: usize| {
        move |a: &&[f64; 2], b: &&[f64; 2]| {
            let other = 1 - objective;
            a[objective].total_cmp(&b[objective]).then(a[other].total_cmp(&b[other]))
        }
    };
    let (first, last) = (members.iter().min_by(by(0))?, members.iter().min_by(by(1))?);
    let span = [last[0] - first[0], first[1] - last[1]];
    if span.iter().any(|&length| length <= 0.0) {
        return None;
    }
    // The distance from the diagonal of the unit square, but for a factor of the square root of
    // two.
    let depth = |member: &[f64; 2]| {
        1.0 - (member[0] - first[0]) / span[0] - (member[1] - last[1]) / span[1]
    };
    let deepest = (0..members.len()).max_by(|&a, &b| {
        let order = depth(&members[a]).total_cmp(&depth(&members[b]));
        order.then(members[b][0].total_cmp(&members[a][0]))
    })?;
    (depth(&members[deepest]) > ROUNDING).then_some(deepest)
}

/// The depth below the line that counts as on it: a few units in the last place, of which
/// logarithms lose some.
const ROUNDING: f64 = 1e-12;

/// The rule for a thrifty member: at least nine tenths of the best member's gain over the default
/// in the first objective, such as time, for at most half of its additional cost in the second,
/// such as memory.
///
/// All points are pairs of logarithms; gain and price are counted in the quantities themselves, in
/// seconds and bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thrift {
    default: [f64; 2],
    /// The gain and the price of the best member, as multiples of the default, so that no unit of
    /// measurement overflows.
    gain: f64,
    price: f64,
}

impl Thrift {
    /// The rule for this default and best member; None if the best member gains nothing or costs
    /// nothing, since there is then nothing to save.
    #[must_use]
    pub fn between(default: [f64; 2], best: [f64; 2]) -> Option<Self> {
        let rule = Self { default, gain: 0.0, price: 0.0 };
        let (gain, price) = (rule.gain_at(best[0]), rule.price_at(best[1]));
        (gain > 0.0 && price > 0.0).then_some(Self { gain, price, ..rule })
    }

    /// True if a point with this first objective has enough of the gain.
    #[must_use]
    pub fn keeps_gain(&self, first: f64) -> bool {
        self.gain_at(first) >= LEAST_GAIN * self.gain
    }

    /// True if a point with this second objective costs little enough of the price.
    #[must_use]
    pub fn saves_enough(&self, second: f64) -> bool {
        self.price_at(second) <= MOST_PRICE * self.price
    }

    fn gain_at(&self, first: f64) -> f64 {
        -(first - self.default[0]).exp_m1()
    }

    fn price_at(&self, second: f64) -> f64 {
        (second - self.default[1]).exp_m1()
    }
}

/// The index in `members` of the thrifty one, according to [`Thrift`], with the least of the second
/// objective, such as memory.
///
/// All are pairs of logarithms. None if the best member gains nothing or costs nothing, or no
/// member is thrifty.
#[must_use]
pub fn thrifty(members: &[[f64; 2]], default: [f64; 2]) -> Option<usize> {
    let best = members.iter().min_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])))?;
    let rule = Thrift::between(default, *best)?;
    let is_thrifty = |member: &[f64; 2]| rule.keeps_gain(member[0]) && rule.saves_enough(member[1]);
    (0..members.len()).filter(|&place| is_thrifty(&members[place])).min_by(|&a, &b| {
        let order = members[a][1].total_cmp(&members[b][1]);
        order.then(members[a][0].total_cmp(&members[b][0]))
    })
}
