//! Colours of a light page, and what becomes of them on a dark one.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Color(pub u8, pub u8, pub u8);

/// The colour of a light page.
pub const PAPER: Color = Color(0xff, 0xff, 0xff);

/// For which pages a picture is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Light,
    Dark,
    /// As the reader's machine prefers; a PNG is light.
    Both,
}

/// Lightness (0 black, 1 white) on a dark page: black becomes the first, white becomes the sum.
const DARK: (f64, f64) = (0.95, -0.76);

impl Color {
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The same hue with the lightness turned around, in the Oklab space where equal steps look equal (Ottosson 2020). Colours
    /// that a screen cannot show lose strength until it can.
    pub fn on_dark(self) -> Color {
        let (lightness, a, b) = self.oklab();
        let lightness = DARK.0 + DARK.1 * lightness;
        let mut strength = 1.0;
        loop {
            let rgb = linear_rgb(lightness, a * strength, b * strength);
            let fits = rgb.iter().all(|v| (-1e-3..=1.001).contains(v));
            if fits || strength < 0.05 {
                let [r, g, b] = rgb.map(encode);
                return Color(r, g, b);
            }
            strength *= 0.95;
        }
    }

    fn oklab(self) -> (f64, f64, f64) {
        let [r, g, b] = [self.0, self.1, self.2].map(decode);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        (
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        )
    }
}

fn linear_rgb(lightness: f64, a: f64, b: f64) -> [f64; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// From the steps of a screen to the amount of light.
fn decode(step: u8) -> f64 {
    let v = f64::from(step) / 255.0;
    if v <= 0.040_45 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

fn encode(light: f64) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let v = if light <= 0.003_130_8 {
        12.92 * light
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    (v * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_pages_turn_lightness_around_and_keep_hues() {
        let Color(r, g, b) = PAPER.on_dark();
        assert!(r < 40 && r.abs_diff(g) < 3 && g.abs_diff(b) < 3);
        assert!(Color(0, 0, 0).on_dark().0 > 220);
        let blue = Color(0, 0, 255).on_dark();
        assert!(blue.2 > 200 && blue.2 > blue.0 + 40, "{blue:?}");
    }
}
