//! Letters as strokes: a small typeface of our own, so that text needs no font file.
//!
//! A glyph is a list of strokes. A stroke is a list of points of two characters, x and y in base 36; the baseline is at y = 4,
//! small letters reach 14 (`e`), capitals 18 (`i`). `~` before a point makes it the control point of a quadratic curve; between two
//! control points in a row the curve passes through their middle. `z` closes a stroke.

/// Units per size: capitals are 14/20 of the size high.
const UNITS: f64 = 20.0;
const BASELINE: f64 = 4.0;
/// Space between glyphs \[units\].
const GAP: f64 = 4.2;
const SPACE: f64 = 6.0;
/// Size and lift of a raised digit.
const RAISED: (f64, f64) = (0.62, 6.5);
/// Flat pieces for each curve.
const PIECES: usize = 6;

/// Points of a stroke in pixels, relative to the start of the baseline, y down.
pub(crate) type Stroke = Vec<[f64; 2]>;

fn glyph(letter: char) -> &'static str {
    match letter {
        '0' => "~0i~8i~84~04z",
        '1' => "1f5i54",
        '2' => "0e~0i4i~8i8e~8c0484",
        '3' => "0g~1i4i~8i8e~8b4b~8b87~8444~1406",
        '4' => "646i0888",
        '5' => "7i1i0c~2d4d~8d88~8444~1406",
        '6' => "7h~6i5i~0i09~0444~8488~8c4c~0c08",
        '7' => "0i8i34",
        '8' => "~1i~7i~7b~1bz ~0b~8b~84~04z",
        '9' => "15~2434~848d~8i4i~0i0e~0a4a~8a8e",
        'A' => "045ia4 2989",
        'B' => "040i4i~8i8e~8b4b 0b4b~9b97~944404",
        'C' => "9f~9i5i~0i0b~0454~9497",
        'D' => "040i4i~9i9b~944404",
        'E' => "8i0i0484 0b7b",
        'F' => "8i0i04 0b7b",
        'G' => "9f~9i5i~0i0b~0454~94989a5a",
        'H' => "0i04 9i94 0b9b",
        'I' => "0i04",
        'J' => "6i68~6434~0408",
        'K' => "0i04 8i0a 3d84",
        'L' => "0i0474",
        'M' => "040i58aia4",
        'N' => "040i949i",
        'O' => "~0i~ai~a4~04z",
        'P' => "040i4i~9i9e~9a4a0a",
        'Q' => "~0i~ai~a4~04z 68b3",
        'R' => "040i4i~9i9e~9a4a0a 5a94",
        'S' => "8f~8i4i~0i0e~0b4b~8b87~8444~0407",
        'T' => "0iai 5i54",
        'U' => "0i09~0454~94999i",
        'V' => "0i54ai",
        'W' => "0i347ib4ei",
        'X' => "0i94 049i",
        'Y' => "0i5bai 5b54",
        'Z' => "0i9i0494",
        'a' => "8e84 ~0e~8e~84~04z",
        'b' => "0i04 ~0e~8e~84~04z",
        'c' => "8c~8e4e~0e09~0444~8486",
        'd' => "8i84 ~0e~8e~84~04z",
        'e' => "0989~8e4e~0e09~0444~7486",
        'f' => "5i~2i2f24 0e5e",
        'g' => "8e83~8040~1002 ~0e~8e~84~04z",
        'h' => "0i04 0a~0e4e~8e8a84",
        'i' => "0e04 0i0i",
        'j' => "2e22~2000 2i2i",
        'k' => "0i04 7e08 2a74",
        'l' => "0i07~0424",
        'm' => "0e04 0b~0e3e~6e6b64 6b~6e9e~cecbc4",
        'n' => "0e04 0a~0e4e~8e8a84",
        'o' => "~0e~8e~84~04z",
        'p' => "0e00 ~0e~8e~84~04z",
        'q' => "8e80 ~0e~8e~84~04z",
        'r' => "0e04 0a~0e5e",
        's' => "7c~7e4e~0e0b~0949~8986~8444~0406",
        't' => "2h27~2454 0e5e",
        'u' => "0e08~0444~8488 8e84",
        'v' => "0e448e",
        'w' => "0e346e94ce",
        'x' => "0e84 048e",
        'y' => "0e44 8e20",
        'z' => "0e8e0484",
        '.' => "0404",
        ',' => "1402",
        ':' => "0404 0d0d",
        ';' => "1402 1d1d",
        '-' => "0a5a",
        '−' | '–' => "0b8b",
        '+' => "0b8b 4f47",
        '=' => "0d8d 0989",
        '/' => "026j",
        '(' => "3j~0g0b~0632",
        ')' => "0j~3g3b~3602",
        '[' => "3j0j0232",
        ']' => "0j3j3202",
        '{' => "4j~2j2f~2b0b 0b~2b27~2242",
        '}' => "0j~2j2f~2b4b 4b~2b27~2202",
        '%' => "9i04 ~0i~4i~4c~0cz ~5a~9a~94~54z",
        '*' => "0b8f 0f8b 4h49",
        '_' => "0282",
        '<' => "8f0b87",
        '>' => "0f8b07",
        '≤' => "8h0d89 0585",
        '≥' => "0h8d09 0585",
        '\'' => "0i0e",
        '"' => "0i0e 3i3e",
        '!' => "0i08 0404",
        '?' => "0f~0i4i~8i8e~8b4a48 4444",
        '#' => "2i14 7i64 0d8d 0989",
        '&' => "a42e~1i4i~7i7f~7d3b~0a07~0434~849a",
        '@' => "b5~a464~040b~0i6i~cicb~c797~979b ~3e~9e~97~37z",
        '^' => "0e3i6e",
        '|' => "0j02",
        '‖' => "0j02 4j42",
        '~' => "0a~0d2c~3b4b~5a6a~8a8d",
        '°' => "~0i~5i~5d~0dz",
        '·' => "0a0a",
        '×' => "0e77 077e",
        '√' => "0a2a44 44ciei",
        '∞' => "~0e~5e6b~78~c8~ce~7e6b~58~08z",
        'µ' | 'μ' => "0e00 08~0444~8488 8e84",
        'α' => "9e~74~04~0e~6e94",
        'β' => "000f~0i4i~7i7f~7c4c~8c88~8444~0406",
        'Δ' => "045ia4z",
        'ε' => "7c~7e4e~0e0c~0a4a 4a~0a07~0444~7406",
        'θ' => "~0i~8i~84~04z 0b8b",
        'λ' => "0i~2i3g84 4d04",
        'ν' => "0e448e",
        'π' => "0e9e 2e24 7e74",
        'ρ' => "0009~0e4e~8e89~8444~0407",
        'σ' => "9e4e~0e09~0444~8489~8e4e",
        'τ' => "0e8e 4e46~4464",
        'ω' => "1e~0e08~0434~6469 69~6494~c4c8~ceae",
        _ => "048484 048i8i0i04",
    }
}

/// The plain digit of a raised one.
fn lowered(letter: char) -> Option<char> {
    const RAISED_DIGITS: [(char, char); 14] = [
        ('⁰', '0'),
        ('¹', '1'),
        ('²', '2'),
        ('³', '3'),
        ('⁴', '4'),
        ('⁵', '5'),
        ('⁶', '6'),
        ('⁷', '7'),
        ('⁸', '8'),
        ('⁹', '9'),
        ('⁻', '−'),
        ('⁺', '+'),
        ('ⁿ', 'n'),
        ('ᵏ', 'k'),
    ];
    RAISED_DIGITS.iter().find(|(raised, _)| *raised == letter).map(|(_, plain)| *plain)
}

/// Thickness of the strokes of a text \[px\].
pub(crate) fn weight(size: f64) -> f64 {
    (0.085 * size).max(1.0)
}

/// Width of a text \[px\].
pub(crate) fn width(text: &str, size: f64) -> f64 {
    layout(text, size).1
}

/// Strokes of a text and its width \[px\].
pub(crate) fn layout(text: &str, size: f64) -> (Vec<Stroke>, f64) {
    let unit = size / UNITS;
    let mut strokes = Vec::new();
    let mut pen = 0.0;
    for letter in text.chars() {
        if letter == ' ' {
            pen += SPACE;
            continue;
        }
        let (scale, lift, plain) = lowered(letter).map_or((1.0, 0.0, letter), |plain| (RAISED.0, RAISED.1, plain));
        let shape: Vec<Stroke> = glyph(plain).split(' ').map(flatten).filter(|stroke| !stroke.is_empty()).collect();
        let advance = shape.iter().flatten().fold(0f64, |advance, point| advance.max(point[0]));
        for stroke in shape {
            strokes.push(
                stroke
                    .iter()
                    .map(|[x, y]| [unit * (pen + scale * x), -unit * (lift + scale * (y - BASELINE))])
                    .collect(),
            );
        }
        pen += scale * advance + GAP * scale.sqrt();
    }
    (strokes, unit * (pen - GAP).max(0.0))
}

/// A stroke's description as points \[units\].
fn flatten(text: &str) -> Stroke {
    let mut points: Vec<([f64; 2], bool)> = Vec::new();
    let mut closed = false;
    let mut letters = text.chars().peekable();
    while let Some(mut letter) = letters.next() {
        let curve = letter == '~';
        if curve {
            letter = letters.next().unwrap_or('z');
        }
        if letter == 'z' {
            closed = true;
            break;
        }
        let (Some(x), Some(y)) = (letter.to_digit(36), letters.next().and_then(|y| y.to_digit(36))) else { break };
        points.push(([f64::from(x), f64::from(y)], curve));
    }
    let Some(&last) = points.last() else { return Vec::new() };
    let middle = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    // A ring may begin with a control point: it starts half-way from the last one.
    let first = if points[0].1 && last.1 { middle(points[0].0, last.0) } else { points[0].0 };
    let mut path = vec![first];
    let count = points.len();
    for k in 0..count {
        let (point, curve) = points[k];
        if !curve {
            if k > 0 {
                path.push(point);
            }
            continue;
        }
        let (next, next_curve) = if k + 1 < count { points[k + 1] } else { (first, false) };
        let end = if next_curve { middle(point, next) } else { next };
        let start = path[path.len() - 1];
        for piece in 1..=PIECES {
            let t = piece as f64 / PIECES as f64;
            let at = |k: usize| (1.0 - t) * (1.0 - t) * start[k] + 2.0 * t * (1.0 - t) * point[k] + t * t * end[k];
            path.push([at(0), at(1)]);
        }
    }
    if closed {
        path.push(first);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_letter_has_a_glyph_within_its_line() {
        for letter in ('!'..='~').filter(|letter| !"$\\`".contains(*letter)) {
            let (strokes, width) = layout(&letter.to_string(), 20.0);
            assert!(glyph(letter) != glyph('\u{1}'), "{letter} has no glyph");
            assert!((0.0..=16.0).contains(&width), "{letter} is {width} wide");
            for point in strokes.iter().flatten() {
                assert!((-16.0..=4.0).contains(&point[1]), "{letter} leaves the line at {point:?}");
            }
        }
    }

    #[test]
    fn a_text_is_as_wide_as_its_parts() {
        let together = width("10⁻³ m", 13.0);
        assert!(together > width("10⁻³", 13.0) + width("m", 13.0));
        assert!((width("ab", 26.0) - 2.0 * width("ab", 13.0)).abs() < 1e-9);
    }
}
