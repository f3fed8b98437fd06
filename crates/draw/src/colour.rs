//! Colours for values: a scale with perceptually equal steps, for people with any kind of colour
//! vision and in grey, from dark for little to bright for much.

/// Viridis, by Stéfan van der Walt and Nathaniel Smith (2015, released as CC0), at nine points at
/// equal distances. Between them the colours are interpolated.
const VIRIDIS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

/// A colour as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// The colour of a share of the scale, from 0 to 1.
    pub fn viridis(share: f64) -> Self {
        let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
        let below = (place.floor() as usize).min(VIRIDIS.len() - 2);
        let part = place - below as f64;
        let (from, to) = (VIRIDIS[below], VIRIDIS[below + 1]);
        let mix = |channel: usize| {
            let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
            (from + (to - from) * part).round() as u8
        };
        Self([mix(0), mix(1), mix(2)])
    }

    /// The colour with this much red, green and blue.
    pub(crate) fn rgb(channels: [u8; 3]) -> Self {
        Self(channels)
    }

    /// The SVG syntax of the colour.
    pub fn hexadecimal(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Its relative luminance from 0 to 1, as defined by the Web Content Accessibility Guidelines
    /// (2.1).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// True if black text has more contrast on it than white text: if the luminance is above the
    /// one at which both contrast ratios of the guidelines are equal, `√(1.05 · 0.05) - 0.05`.
    pub(crate) fn is_light(self) -> bool {
        self.luminance() > 0.179
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_dark_violet_to_yellow() {
        assert_eq!(Colour::viridis(0.0).hexadecimal(), "#440154");
        assert_eq!(Colour::viridis(0.5).hexadecimal(), "#21918c");
        assert_eq!(Colour::viridis(1.0).hexadecimal(), "#fde725");
        assert_eq!(Colour::viridis(7.0), Colour::viridis(1.0));
        // Halfway between #440154 and #472d7b.
        assert_eq!(Colour::viridis(1.0 / 16.0).hexadecimal(), "#461768");
    }

    /// CIE lightness, in which a perceptually uniform scale is even.
    fn lightness(share: f64) -> f64 {
        116.0 * Colour::viridis(share).luminance().cbrt() - 16.0
    }

    #[test]
    fn lightness_rises_evenly_so_that_the_scale_works_in_grey() {
        let steps: Vec<f64> = (0..20)
            .map(|step| lightness(f64::from(step + 1) / 20.0) - lightness(f64::from(step) / 20.0))
            .collect();
        let mean = (lightness(1.0) - lightness(0.0)) / 20.0;
        for step in &steps {
            assert!((step / mean - 1.0).abs() < 0.3, "{steps:?}");
        }
    }

    #[test]
    fn text_on_every_colour_has_contrast() {
        for step in 0..=100 {
            let colour = Colour::viridis(f64::from(step) / 100.0);
            let text = if colour.is_light() { 0.0 } else { 1.0 };
            let (light, dark) = (colour.luminance().max(text), colour.luminance().min(text));
            assert!((light + 0.05) / (dark + 0.05) >= 4.5, "{}", colour.hexadecimal());
        }
    }
}
