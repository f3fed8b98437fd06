//! The members of a front that deserve a name.

/// A thrifty member has this share of the fastest member's gain ...
const LEAST_GAIN: f64 = 0.9;

/// ... for at most this share of its price. Both are a matter of taste.
const MOST_PRICE: f64 = 0.5;

/// The knee of a front: the place in `members` (logarithms of the two objectives, in any order) of the
/// one farthest below the straight line between the two extreme members, both axes being
/// scaled so that the extremes lie at (0, 1) and (1, 0).
///
/// That is the characteristic point of Das (*Structural Optimization* 18, 1999) on logarithmic axes,
/// and with few points the one that Kneedle finds (Satopää and others, *ICDCS Workshops*, 2011). None
/// with fewer than three members, with an axis along which the members do not differ, or when none lies
/// below the line. Of several at the same distance, the one with the smallest first objective.
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
    // The distance from the diagonal of the unit square, but for a factor of the square root of two.
    let depth = |member: &[f64; 2]| {
        1.0 - (member[0] - first[0]) / span[0] - (member[1] - last[1]) / span[1]
    };
    let deepest = (0..members.len()).max_by(|&a, &b| {
        let order = depth(&members[a]).total_cmp(&depth(&members[b]));
        order.then(members[b][0].total_cmp(&members[a][0]))
    })?;
    (depth(&members[deepest]) > ROUNDING).then_some(deepest)
}

/// What is this little below the line lies on it. A few units in the last place, of which logarithms
/// lose some.
const ROUNDING: f64 = 1e-12;

/// What a member must keep to in order to be thrifty: nine tenths of the gain in the first objective,
/// such as time, that the best member has over the default, for at most half of what that one needs
/// more of the second, such as memory.
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
    /// The rule for this default and best member; none where the best member gains nothing or costs
    /// nothing, for then there is nothing to save.
    #[must_use]
    pub fn between(default: [f64; 2], best: [f64; 2]) -> Option<Self> {
        let rule = Self { default, gain: 0.0, price: 0.0 };
        let (gain, price) = (rule.gain_at(best[0]), rule.price_at(best[1]));
        (gain > 0.0 && price > 0.0).then_some(Self { gain, price, ..rule })
    }

    /// Whether a point with this first objective has enough of the gain.
    #[must_use]
    pub fn keeps_gain(&self, first: f64) -> bool {
        self.gain_at(first) >= LEAST_GAIN * self.gain
    }

    /// Whether a point with this second objective takes little enough of the price.
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

/// The place in `members` of the one with the least of the second objective, such as memory, of those
/// that are thrifty, as [`Thrift`] has it.
///
/// All are pairs of logarithms. None where the best member gains nothing or costs nothing, and none
/// where no member is thrifty.
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
