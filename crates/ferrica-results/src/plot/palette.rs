//! Colours: ten that stay apart in print and for most colour-blind readers.

use ferrica_draw::Color;

pub const INK: Color = Color(0x1b, 0x1f, 0x24);
pub const SOFT_INK: Color = Color(0x57, 0x60, 0x6a);
pub const AXIS: Color = Color(0x8c, 0x95, 0x9f);
pub const GRID: Color = Color(0xe4, 0xe7, 0xeb);
pub const FINE_GRID: Color = Color(0xf2, 0xf4, 0xf6);

const SERIES: [Color; 10] = [
    Color(0x1f, 0x6f, 0xb4),
    Color(0xdd, 0x6b, 0x20),
    Color(0x2b, 0x93, 0x5a),
    Color(0xc0, 0x39, 0x5b),
    Color(0x75, 0x58, 0xc4),
    Color(0x14, 0x9d, 0xa6),
    Color(0xc9, 0x94, 0x00),
    Color(0x8a, 0x5a, 0x44),
    Color(0xd1, 0x5f, 0xa6),
    Color(0x5b, 0x67, 0x75),
];

pub fn series(index: usize) -> Color {
    SERIES[index % SERIES.len()]
}

/// What of a colour is left in an area: curves over it must show.
const TINT: f64 = 0.3;

/// The colour of an area.
pub fn tint(color: Color) -> Color {
    let mix = |c: u8| (255.0 + TINT * (f64::from(c) - 255.0)).round() as u8;
    Color(mix(color.0), mix(color.1), mix(color.2))
}
